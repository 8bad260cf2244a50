//! Judges a named state or change: `check`, and the fallback of a hook. Reminds the author of a commit of readings that are
//! filed but not staged.

use crate::app::judge::snapshot::{MadeBy, Snapshot};
use crate::app::judge::states::{LastBases, is_scenario_about};
use crate::app::judge::verdict::{self, Reader};
use crate::app::judge::{self, Answer, Focus, Judged, Options, Question, remember, unseen};
use crate::app::query::{segments, stands, unstaged};
use crate::engine::facts::Facts;
use crate::engine::watched::watched;
use crate::error::Result;
use crate::finding::Finding;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::workspace::NothingBefore;
use crate::repo::Repo;
use crate::report::view::tally::ScenarioStand;
use crate::report::view::{Report, ScopeMode};
use crate::tree::path::RepoPath;

/// Judges all of `snapshot` and reports the findings.
///
/// # Errors
/// As [`judge::judge`].
pub(crate) fn check(repo: &Repo, snapshot: &Snapshot, options: Options) -> Result<Report> {
    let judged = everything(repo, snapshot, options)?;
    Ok(report(repo, snapshot, judged, options))
}

/// The same for `paths` only; for everything if there are none.
///
/// # Errors
/// As [`check`]; usage when one of `paths` is neither in the judged state nor in a base.
pub(crate) fn only(repo: &Repo, snapshot: &Snapshot, options: Options, paths: &[RepoPath]) -> Result<Report> {
    let bases = snapshot.bases.iter().map(|base| &*base.tree);
    unseen::refuse(repo, &std::iter::once(&*snapshot.view).chain(bases).collect::<Vec<_>>(), paths)?;
    let mut judged = everything(repo, snapshot, options)?;
    if let Some(judged) = &mut judged {
        keep_about(&mut judged.findings, paths);
        judged.not_judged.retain(|scenario| scenario.is_about(paths));
    }
    let is_whole = snapshot.mode == ScopeMode::All && paths.is_empty();
    let nodes = judged.as_ref().filter(|_| is_whole).map(|judged| &judged.states.view.workspace.nodes);
    let many = nodes.and_then(|nodes| segments::many(nodes));
    let stands = judged.as_ref().map(|judged| stands_about(&judged.states.view, paths));
    let governed = match judged.as_ref().filter(|_| is_whole) {
        Some(judged) => stands::governed(&*snapshot.view, &judged.states.view.workspace)?,
        None => None,
    };
    let mut report = report(repo, snapshot, judged, options);
    report.notes.extend(many.map(|(what, command)| format!("{what}: {command}")));
    Ok(match stands {
        Some(stands) => stands::scored(report, stands, governed),
        None => report,
    })
}

/// The state of the scenarios that concern `paths`; of all scenarios if there are none.
pub(super) fn stands_about(facts: &Facts, paths: &[RepoPath]) -> Vec<ScenarioStand> {
    stands::chosen(facts, |node, scenario, score| {
        let measured = score.reading.as_ref().map(Reading::stamped_paths).unwrap_or_default();
        let watched: Vec<&Governed> = watched(node, scenario).collect();
        is_scenario_about(&node.dir, &watched, &measured, paths)
    })
}

/// All findings of `snapshot`; `None` if there is nothing to judge. A check of a whole state also stores its memos.
///
/// # Errors
/// As [`judge::judge`].
pub(super) fn everything(repo: &Repo, snapshot: &Snapshot, options: Options) -> Result<Option<Judged>> {
    let anchors = remember::anchors(repo);
    let before = remember::parsed(repo, snapshot, Some(options.now));
    let question = Question { repo, snapshot, anchors: &anchors, before: &before, options, focus: Focus::Everything };
    let judged = judge::judge(&question, &mut LastBases::default())?.judged()?;
    let ours = judged.as_ref().map(|judged| &judged.states).filter(|states| states.ours);
    if let (Reader::Person, Some(states)) = (options.reader, ours) {
        remember::remember(repo, snapshot, &states.view, &anchors, &before);
    }
    remember::leave_units(repo, anchors.units());
    Ok(judged)
}

/// Judges a change by the repository's anchors, and stores the answers about symbols for the next check.
///
/// # Errors
/// As [`judge::judge`].
pub(super) fn answer(
    repo: &Repo,
    snapshot: &Snapshot,
    options: Options,
    focus: Focus<'_>,
    last: &mut LastBases,
) -> Result<Answer> {
    let anchors = remember::anchors(repo);
    let question = Question { repo, snapshot, anchors: &anchors, before: &NothingBefore, options, focus };
    let answer = judge::judge(&question, last);
    remember::leave_units(repo, anchors.units());
    answer
}

/// The report. Without yatsu-hook files, it names ignored files on disk that may be such files.
pub(super) fn report(repo: &Repo, snapshot: &Snapshot, judged: Option<Judged>, options: Options) -> Report {
    if judged.is_none() && snapshot.tip.is_none() {
        let scope = verdict::scope(repo, snapshot, None);
        let hidden = unseen::beside_nothing(repo, &*snapshot.view, options);
        return verdict::report(scope, hidden, options.reader);
    }
    verdict::of(repo, snapshot, judged, options.reader)
}

/// Drops findings that do not concern `paths`; drops nothing if there are none.
pub(super) fn keep_about(findings: &mut Vec<Finding>, paths: &[RepoPath]) {
    findings.retain(|finding| paths.is_empty() || is_about(finding, paths));
}

/// Whether a finding lies at or below one of `paths`, or is about content there.
fn is_about(finding: &Finding, paths: &[RepoPath]) -> bool {
    let place = finding.location.iter().map(|location| &location.path);
    let mut speaks_of = finding.drift.iter().map(|drift| &drift.path).chain(place).chain(&finding.about);
    speaks_of.any(|path| paths.iter().any(|asked| RepoPath::from_git(path.clone()).is_within(asked)))
}

/// A note about unstaged readings of the nodes that a commit concerns. This is advice, so errors give no note. A clean
/// merge gets none, because git makes it without the user.
pub(super) fn unstaged_note(repo: &Repo, judged: &Judged, snapshot: &Snapshot) -> Option<String> {
    if snapshot.made_by == MadeBy::CleanMerge {
        return None;
    }
    let staged: Vec<&RepoPath> = snapshot.bases.iter().flat_map(|base| &base.changed).collect();
    let found = unstaged::of_concerned(repo, &judged.states.view.workspace.nodes, &staged).ok()?;
    found.note()
}
