//! `impact`: which scenarios an edit would make stale.

use super::view::{ScoreView, shown};
use crate::app::judge::{branch, named, snapshot};
use crate::engine::freshness::governed;
use crate::error::{Error, Result};
use crate::model::governed::Governed;
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::report::view::score::{GovernedPart, ScenarioRow};
use crate::text::escape::echo;
use crate::text::shell;
use crate::text::units::{Found, Unit, Units, UnreadUnits, language, read};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// What is going to be edited.
struct EditedPart {
    path: RepoPath,
    /// The unit of the file at `path`; `None` for all that is there.
    unit: Option<EditedUnit>,
}

/// One unit of a file.
struct EditedUnit {
    /// What the file declares, as far as it can be read.
    units: std::result::Result<Units, UnreadUnits>,
    symbol: String,
}

/// The scenarios that govern something at or below one of `paths`, whether or not anything is there yet. What follows the
/// first `#` of a path that names nothing as a whole is a unit of the file before it. `late` as for [`read`].
///
/// # Errors
/// Usage for a path that is not there and that nothing would match, and for a unit that the file does not declare: a
/// misspelt one would look like one that nobody governs.
pub(crate) fn impact(repo: &Repo, paths: &[RepoPath], late: &mut dyn FnMut() -> bool) -> Result<Vec<ScenarioRow>> {
    let score = ScoreView::load(repo)?;
    let asked = paths.iter().map(|path| part(&*score.view, path, late)).collect::<Result<Vec<_>>>()?;
    let rows = score.counting(|node, scenario| {
        let because = touches(&*score.view, node, scenario, &asked)?;
        Ok((!because.is_empty()).then_some(because))
    })?;
    let answered =
        |path: &RepoPath| rows.iter().any(|row| row.because.iter().any(|because| because.path == shown(path)));
    for EditedPart { path, .. } in asked.iter().filter(|asked| !answered(&asked.path)) {
        refuse_unknown(&score, path)?;
    }
    Ok(rows)
}

/// What a change is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeOf {
    /// What is staged, with HEAD.
    Staged,
    /// The working tree, with the commit where the branch left this one.
    Since(String),
}

/// The scenarios whose readings of the base a change makes stale by what they govern: each entry is compared as a reading's
/// is that was measured there.
///
/// # Errors
/// Usage where the base is no commit, unchecked where something cannot be read.
pub(crate) fn impact_of_change(repo: &Repo, change: &ChangeOf) -> Result<Vec<ScenarioRow>> {
    let snapshot = match change {
        ChangeOf::Staged => snapshot::staged(repo)?,
        ChangeOf::Since(rev) => snapshot::since(repo, Some(branch::fork(repo, repo.resolve(rev)?)?))?,
    };
    // before the first commit nothing was measured
    let Some(base) = snapshot.bases.first().and_then(|base| base.commit) else { return Ok(Vec::new()) };
    let score = ScoreView::of(repo, snapshot)?;
    let judge = score.judge();
    score.counting(|node, scenario| {
        let moved = judge.moved_since(base, node, scenario)?;
        let because: Vec<_> =
            moved.into_iter().map(|moved| GovernedPart { path: shown(&moved.path), symbol: moved.symbol }).collect();
        Ok((!because.is_empty()).then_some(because))
    })
}

/// What of the view `path` means: all of it where the view holds something of that name, else the unit behind its `#`.
fn part(view: &dyn Tree, path: &RepoPath, late: &mut dyn FnMut() -> bool) -> Result<EditedPart> {
    let whole = |path: &RepoPath| EditedPart { path: path.clone(), unit: None };
    let text = path.to_string();
    let Some((file, symbol)) = text.split_once('#') else { return Ok(whole(path)) };
    let (Ok(file), None) = (RepoPath::parse(file.trim_end().as_bytes()), view.entry(path)?) else {
        return Ok(whole(path));
    };
    let Some(source) = view.read(&file)?.filter(|_| !symbol.trim().is_empty()) else { return Ok(whole(&file)) };
    let units = language(&file.to_string()).and_then(|language| read(language, &source, late));
    let symbol = symbol.trim().to_owned();
    if let Ok(units) = &units {
        refuse_unmet(&file, units, &symbol)?;
    }
    Ok(EditedPart { path: file, unit: Some(EditedUnit { units, symbol }) })
}

/// Refuses a symbol that names no unit of the file, or several.
fn refuse_unmet(file: &RepoPath, units: &Units, symbol: &str) -> Result<()> {
    let asked = echo(symbol).into_owned();
    let list = format!("its units: yatsu-hook units {}", shell::place(file));
    Err(match units.find(symbol) {
        Found::Unit(_) | Found::Broken(_) => return Ok(()),
        Found::Ambiguous(names) => {
            let names: Vec<_> = names.iter().take(5).map(|name| echo(name).into_owned()).collect();
            Error::usage(format!("{file}#{asked} is ambiguous: {}", names.join(", "))).hint("write one of them whole")
        }
        Found::Absent => {
            let near: Vec<_> = units.near(symbol).into_iter().map(|name| echo(name).into_owned()).collect();
            let error = Error::usage(format!("{file} declares no unit {asked}"));
            let error = if near.is_empty() { error } else { error.hint(format!("did you mean {}?", near.join(", "))) };
            error.hint(list)
        }
    })
}

/// Those of `asked` whose edit changes content that the scenario governs: the files that its list expands to, links
/// followed, and what would match when it appears.
fn touches(view: &dyn Tree, node: &Node, scenario: &Scenario, asked: &[EditedPart]) -> Result<Vec<GovernedPart>> {
    let mut found = BTreeSet::new();
    for entry in governed(node, scenario) {
        let files = matches(view, entry)?;
        for EditedPart { path, unit } in asked {
            let is_file = files.iter().any(|(file, _)| file == path);
            if !entry.covers(path) && !files.iter().any(|(file, _)| file.is_within(path)) {
                continue;
            }
            if unit.as_ref().is_none_or(|unit| unit.is_seen_by(entry)) {
                let symbol = entry.symbol().filter(|_| is_file).map(str::to_owned);
                found.insert(GovernedPart { path: shown(path), symbol });
            }
        }
    }
    Ok(found.into_iter().collect())
}

impl EditedUnit {
    /// Whether an edit of the unit changes what `entry` means of the file: all of it, this unit, one around it or one inside.
    fn is_seen_by(&self, entry: &Governed) -> bool {
        let (Some(symbol), Ok(units)) = (entry.symbol(), &self.units) else { return true };
        match (units.find(&self.symbol), units.find(symbol)) {
            (Found::Unit(edited), Found::Unit(governed)) => overlap(edited, governed),
            // what cannot be narrowed is the whole file
            _ => true,
        }
    }
}

/// Whether the units have a byte in common.
fn overlap(one: &Unit, other: &Unit) -> bool {
    one.pieces.iter().any(|a| other.pieces.iter().any(|b| a.start < b.end && b.start < a.end))
}
/// Refuses a path that neither the judged state nor HEAD knows.
fn refuse_unknown(score: &ScoreView<'_>, path: &RepoPath) -> Result<()> {
    if path.is_root() || score.view.entry(path)?.is_some() {
        return Ok(());
    }
    if let Some(head) = score.repo.head()?
        && score.repo.commit_view(&head)?.entry(path)?.is_some()
    {
        return Ok(());
    }
    let error = Error::usage(format!("{path} is not here, and nothing governs such a path"));
    Err(match named::nearest_path(&*score.view, path)? {
        Some(meant) => error.hint(format!("did you mean {}?", shell::place(meant))),
        None => error.hint("paths are relative to the current directory"),
    })
}
