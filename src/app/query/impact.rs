//! `impact`: which scenarios an edit would make stale.

use super::view::{ScoreView, shown};
use crate::app::judge::{branch, snapshot, suggestion};
use crate::engine::effective::{Effective, latest_measured};
use crate::engine::watched::{unstamped_test, watched};
use crate::error::{Error, Result};
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
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

/// A path that the user is going to edit, or one unit of the file.
struct EditedPart {
    path: RepoPath,
    /// The unit of the file at `path`; `None` for the whole path.
    unit: Option<EditedUnit>,
}

struct EditedUnit {
    /// All units of the file, or why they cannot be read.
    units: std::result::Result<Units, UnreadUnits>,
    symbol: String,
}

/// The scenarios that govern something at or below one of `paths`, even if the path does not exist yet, or that were measured
/// with it: a file that left the list since, or a file of the test. `src/a.rs#parse`
/// means the unit `parse` of `src/a.rs`, unless a path of that whole name exists. `late` as for [`read`].
///
/// # Errors
/// Usage for a path that does not exist and that no scenario would govern, and for a unit that the file does not declare.
/// Otherwise a misspelt name would look like ungoverned content.
pub(crate) fn impact(repo: &Repo, paths: &[RepoPath], late: &mut dyn FnMut() -> bool) -> Result<Vec<ScenarioRow>> {
    let score = ScoreView::latest_alone(repo)?;
    let asked = paths.iter().map(|path| part(&*score.view, path, late)).collect::<Result<Vec<_>>>()?;
    let rows = score.counting(|node, scenario| {
        let mut because = touches(&*score.view, node, scenario, &asked)?;
        let is_asked = |path: &RepoPath| asked.iter().any(|part| path.is_within(&part.path));
        if because.is_empty() && latest_measured(node, &is_asked) {
            because.extend(measured(node, scenario).iter().filter(|path| is_asked(path)).map(whole));
        }
        Ok((!because.is_empty()).then_some(because))
    })?;
    let answered =
        |path: &RepoPath| rows.iter().any(|row| row.because.iter().any(|because| because.path == shown(path)));
    for EditedPart { path, .. } in asked.iter().filter(|asked| !answered(&asked.path)) {
        refuse_unknown(&score, path)?;
    }
    Ok(rows)
}

/// Which change is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeOf {
    /// The index, compared with HEAD.
    Staged,
    /// The working tree, compared with the commit where the branch left this revision.
    Since(String),
}

/// The scenarios with governed content that differs between the base and the change. Each entry is compared as for a
/// reading that was measured at the base.
///
/// # Errors
/// Usage if the base is no commit; unchecked if something cannot be read.
pub(crate) fn impact_of_change(repo: &Repo, change: &ChangeOf) -> Result<Vec<ScenarioRow>> {
    let snapshot = match change {
        ChangeOf::Staged => snapshot::staged(repo)?,
        ChangeOf::Since(rev) => snapshot::since(repo, Some(branch::fork(repo, repo.resolve(rev)?)?))?,
    };
    // before the first commit nothing was measured
    let Some(base) = snapshot.bases.first().and_then(|base| base.commit) else { return Ok(Vec::new()) };
    let changed = snapshot.changed_paths();
    let score = ScoreView::of(repo, snapshot)?;
    let judge = score.judge();
    score.counting(|node, scenario| {
        let moved = judge.moved_since(base, node, scenario)?;
        let mut because: Vec<_> =
            moved.into_iter().map(|moved| GovernedPart { path: shown(&moved.path), symbol: moved.symbol }).collect();
        if because.is_empty() && latest_measured(node, &|path| changed.contains(path)) {
            because.extend(measured(node, scenario).iter().filter(|path| changed.contains(path)).map(whole));
        }
        if because.is_empty()
            && let Some(test) = unstamped_test(node, scenario)
        {
            because.extend(changed.iter().filter(|path| test.covers(path)).map(whole));
        }
        Ok((!because.is_empty()).then_some(because))
    })
}

/// The files that the latest reading of a scenario measured: they may have left the list since, or belong to the test.
fn measured(node: &Node, scenario: &Scenario) -> Vec<RepoPath> {
    Effective::of(node).latest(&scenario.name).map(Reading::stamped_paths).unwrap_or_default()
}

fn whole(path: &RepoPath) -> GovernedPart {
    GovernedPart { path: shown(path), symbol: None }
}

/// What `path` means: the whole path if it exists in the view, else the unit after its `#`.
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

/// The parts of `asked` that the scenario governs: files that its list expands to, links followed, and missing files that
/// would match.
fn touches(view: &dyn Tree, node: &Node, scenario: &Scenario, asked: &[EditedPart]) -> Result<Vec<GovernedPart>> {
    let mut found = BTreeSet::new();
    for entry in watched(node, scenario) {
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
    /// Whether an edit of the unit changes the content of `entry`: the file, this unit, or an outer or inner unit.
    fn is_seen_by(&self, entry: &Governed) -> bool {
        let (Some(symbol), Ok(units)) = (entry.symbol(), &self.units) else { return true };
        match (units.find(&self.symbol), units.find(symbol)) {
            (Found::Unit(edited), Found::Unit(governed)) => overlap(edited, governed),
            // an entry that cannot be narrowed to a unit means the whole file
            _ => true,
        }
    }
}

/// Whether the units have a byte in common.
fn overlap(one: &Unit, other: &Unit) -> bool {
    one.pieces.iter().any(|a| other.pieces.iter().any(|b| a.start < b.end && b.start < a.end))
}
/// Refuses a path that neither the judged state nor HEAD has.
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
    Err(match suggestion::nearest_path(&*score.view, path)? {
        Some(meant) => error.hint(format!("did you mean {}?", shell::place(meant))),
        None => error.hint("paths are relative to the current directory"),
    })
}
