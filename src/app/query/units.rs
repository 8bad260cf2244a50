//! `units`: the named declarations of a source file. A scenario may govern each of them alone.

use crate::app::judge::{snapshot, suggestion};
use crate::error::{Error, Result, remedy};
use crate::model::workspace;
use crate::repo::{Repo, worktree};
use crate::report::view::units::{FileUnits, UnitRow};
use crate::text::shell;
use crate::text::units::{Unit, Units, language, read};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use foldhash::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Which content of the file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum UnitsOf {
    /// The working tree, or HEAD in a bare repository.
    #[default]
    WorkTree,
    Staged,
    /// A commit, by any name that git resolves.
    Rev(String),
}

/// The error for a `path` that is no file; it says what the path is.
fn no_file(view: &dyn Tree, path: &RepoPath, is: Option<Kind>) -> Result<Error> {
    let error = Error::usage(format!("{path} is no file here"));
    if let Some(kind) = is {
        let error = Error::usage(format!("{}, but {}", error.message, workspace::kind_name(kind)));
        return Ok(error.hint("name one source file"));
    }
    Ok(match suggestion::nearest_path(view, path)? {
        Some(meant) => error.hint(format!("did you mean {}?", shell::place(meant))),
        None => error.hint("paths are relative to the current directory"),
    })
}

/// The units of the file at `path`, or why they cannot be read. `late` as for [`read`].
///
/// # Errors
/// Usage for a path that is no file of that content.
pub(crate) fn units(repo: &Repo, of: &UnitsOf, path: &RepoPath, late: &mut dyn FnMut() -> bool) -> Result<FileUnits> {
    let view: Rc<dyn Tree> = match of {
        UnitsOf::WorkTree => snapshot::all(repo)?.view,
        UnitsOf::Staged => snapshot::staged_or_index(repo)?.view,
        UnitsOf::Rev(rev) => repo.commit_view(&repo.resolve(rev)?)?,
    };
    match view.kind(path)? {
        Some(Kind::File | Kind::Exec) => {}
        other => return Err(no_file(&*view, path, other)?),
    }
    let gone = || Error::unchecked(format!("{path} cannot be read")).hint(remedy::CHANGING);
    let source = view.read(path)?.ok_or_else(gone)?;
    let text = path.to_string();
    let written_in = language(&text);
    let found = written_in.clone().and_then(|language| read(language, &source, late));
    let (found, unread) = match found {
        Ok(found) => (found, None),
        Err(unread) => (Units::default(), Some(unread.to_string())),
    };
    // several names of one statement share their bytes, which may be the whole file, so these are hashed once
    let mut ids: HashMap<Vec<Range<usize>>, String> = HashMap::default();
    let row = |unit: &Unit| -> Result<UnitRow> {
        let id = match ids.get(&unit.pieces) {
            Some(id) => id.clone(),
            None => {
                let id = worktree::blob_id(repo.hash, &unit.bytes(&source))?.to_string();
                ids.insert(unit.pieces.clone(), id.clone());
                id
            }
        };
        Ok(UnitRow { name: unit.name.clone(), kind: unit.kind, lines: unit.lines, id, broken: unit.broken })
    };
    Ok(FileUnits {
        path: path.to_bstring(),
        language: written_in.ok().map(crate::text::units::Language::as_str),
        units: found.all().iter().map(row).collect::<Result<_>>()?,
        unread,
    })
}
