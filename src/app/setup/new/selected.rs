//! Checks the governed paths of a new scenario. Input: typed paths, relative to the repository. Output: the entries of its
//! list. Refuses paths that match nothing, or nothing that a commit can hold.

use crate::app::judge::suggestion::nearest_path;
use crate::error::{Error, Result};
use crate::model::governed::{Found, Governed};
use crate::model::links::{LinkEnd, trace};
use crate::model::source::Position;
use crate::model::{glob, resolve};
use crate::text::escape::echo;
use crate::text::nearest::nearest;
use crate::text::shell;
use crate::text::units::{self, language};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

/// The governed entries, and their untracked files.
#[derive(Debug, Default)]
pub(super) struct Selected {
    /// The entries of the list, in the given order, without repetition.
    pub(super) texts: Vec<String>,
    /// The files that the user must add to git.
    pub(super) untracked: Vec<RepoPath>,
}

impl Selected {
    /// Adds the entries of `more`.
    pub(super) fn add(&mut self, more: Self) {
        self.texts.extend(more.texts);
        self.untracked.extend(more.untracked);
    }
}

/// These texts in order, without repetition.
pub(super) fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts.dedup();
    texts
}

/// Resolves `paths` in `view`.
///
/// # Errors
/// Usage for a path that matches nothing, and for a path that git ignores.
pub(super) fn select(view: &dyn Tree, paths: &[RepoPath]) -> Result<Selected> {
    let mut selected = Selected::default();
    for path in paths {
        let text = readable(path)?;
        let file = one(view, &text)?;
        if is_unknown(view, &file)? {
            selected.untracked.extend(file.path.ok());
        }
        if !selected.texts.contains(&text) {
            selected.texts.push(text);
        }
    }
    selected.untracked.sort();
    selected.untracked.dedup();
    Ok(selected)
}

/// Resolves the file of a test.
///
/// # Errors
/// Usage for anything but one file that a commit can hold.
pub(super) fn test_file(view: &dyn Tree, path: &RepoPath) -> Result<Selected> {
    let selected = select(view, std::slice::from_ref(path))?;
    match view.kind(path)? {
        Some(Kind::File | Kind::Exec) => Ok(selected),
        _ => Err(Error::usage(format!("`{}` is no file", echo(&path.to_string())))
            .hint("name the file of the test, and the test in it: --test FILE::NAME")),
    }
}

/// The path as text for the list.
///
/// # Errors
/// Usage for a path that would be read as another one.
pub(super) fn readable(path: &RepoPath) -> Result<String> {
    let text =
        std::str::from_utf8(path.as_bstr()).map_err(|_| refused(path, "is not UTF-8, as a scenario file must be"))?;
    let wrong = match text {
        "" => "is the whole repository: every change would make the reading stale",
        _ if text.chars().any(char::is_control) => "has control characters",
        _ if text.starts_with('?') => "begins with `?`, which marks a path that may be absent",
        _ if text.trim() != text => "begins or ends with a blank, which a list does not keep",
        _ => return Ok(text.to_owned()),
    };
    Err(refused(path, wrong))
}

fn refused(path: &RepoPath, why: &str) -> Error {
    let shown = if path.is_root() { ".".to_owned() } else { path.to_string() };
    Error::usage(format!("`{}` {why}", echo(&shown)))
        .hint("name a file, a directory, a glob or path#symbol: --code PATH")
}

/// Parses and checks one entry.
fn one(view: &dyn Tree, text: &str) -> Result<Governed> {
    let mut one = Governed::parse(text, Position::START, None);
    resolve::resolve_list(view, std::slice::from_mut(&mut one))?;
    if !matches!(one.found, Found::Path | Found::Glob | Found::Untracked) {
        return Err(missing(view, &one)?);
    }
    refuse_ignored(view, &one)?;
    if let Some(unit) = one.symbol() {
        refuse_unknown_unit(view, &one.text, unit)?;
    }
    Ok(one)
}

fn missing(view: &dyn Tree, governed: &Governed) -> Result<Error> {
    let shown = echo(&governed.text).into_owned();
    Ok(match governed.found {
        Found::LeavesByLink => Error::usage(format!("`{shown}` leads out of the repository through a symbolic link"))
            .hint("name the real file inside the repository"),
        Found::GlobLimit => Error::usage(format!("`{shown}` is a glob beyond the limits"))
            .hint("write a simpler pattern, or name the directory"),
        _ if glob::has_glob_characters(governed.text.as_bytes()) => {
            Error::usage(format!("`{shown}` matches nothing here")).hint("`git ls-files` lists what there is")
        }
        _ => {
            let error = Error::usage(format!("`{shown}` does not exist"));
            let meant = governed.path.as_ref().map_or(Ok(None), |path| nearest_path(view, path))?;
            match meant {
                Some(meant) => error.hint(format!("did you mean {}?", shell::place(meant))),
                None => error.hint("paths are relative to the current directory"),
            }
        }
    })
}

/// Refuses ignored paths and empty directories, because no commit holds them.
fn refuse_ignored(view: &dyn Tree, governed: &Governed) -> Result<()> {
    let Ok(path) = &governed.path else { return Ok(()) };
    // git answers for no path beyond a link
    let way = trace(view, path)?;
    let mut paths: Vec<RepoPath> = way.links.into_iter().map(|(link, _)| link).collect();
    paths.push(match way.end {
        LinkEnd::At(end, _) | LinkEnd::Absent(end) => end,
        LinkEnd::Outside | LinkEnd::Circle => path.clone(),
    });
    if let Some(ignored) = view.ignored(&paths)?.first() {
        return Err(Error::usage(format!("`{}` is ignored by {}", echo(&governed.text), ignored.rule.words()))
            .hint("narrow that rule, or name something that git keeps"));
    }
    if resolve::matches(view, governed)?.is_empty() {
        return Err(Error::usage(format!("`{}` holds no file that git would keep", echo(&governed.text)))
            .hint("name a file, a directory with files in it, or a glob that matches some"));
    }
    Ok(())
}

/// Refuses an unknown unit of a file that can be parsed. In other files the whole file is compared.
fn refuse_unknown_unit(view: &dyn Tree, file: &str, unit: &str) -> Result<()> {
    let path = RepoPath::from_git(file);
    let (Ok(language), Some(Kind::File | Kind::Exec)) = (language(file), view.kind(&path)?) else { return Ok(()) };
    let Some(source) = view.read(&path)? else { return Ok(()) };
    let Ok(known) = units::read(language, &source, &mut || false) else { return Ok(()) };
    let error = match known.find(unit.trim()) {
        units::Found::Unit(_) | units::Found::Broken(_) => return Ok(()),
        units::Found::Ambiguous(names) => {
            let names = names.iter().map(|name| echo(name).into_owned()).collect::<Vec<_>>().join(", ");
            Error::usage(format!("`{}` names several units of {path}: {names}", echo(unit)))
        }
        units::Found::Absent => {
            let error = Error::usage(format!("{path} has no unit `{}`", echo(unit)));
            match nearest(unit, known.all().iter().map(|unit| unit.name.as_str())) {
                Some(meant) => error.hint(format!("did you mean {path}#{}?", echo(meant))),
                None => error,
            }
        }
    };
    Err(error.hint(format!("`yatsu-hook units {path}` lists them")))
}

/// Whether git does not track some governed file.
fn is_unknown(view: &dyn Tree, governed: &Governed) -> Result<bool> {
    for (path, _) in resolve::matches(view, governed)? {
        if view.is_untracked(&path)? {
            return Ok(true);
        }
    }
    Ok(false)
}
