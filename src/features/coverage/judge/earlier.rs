//! What a change may not silence where `under-declared` is raised: the states before it say what may run undeclared, and which
//! readings it takes away. Only a new measurement with coverage, or a declaration under `code:`, ends what was raised.

use crate::app::judge::Question;
use crate::app::judge::snapshot::AddedBlob;
use crate::app::judge::states::States;
use crate::engine::effective::Effective;
use crate::engine::touched::PatchSide;
use crate::error::Result;
use crate::features::coverage::judge::excused::{is_file, is_ignored, is_related};
use crate::model::config::Config;
use crate::model::ids::{composed, same_name};
use crate::model::ledger::{CoverageOf, Event, LineHash, MAX_LEDGER, Reading, Redaction, Timestamp, parse};
use crate::model::node::{Declared, Node};
use crate::model::workspace::Workspace;
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The states before a change; none where the rule is not raised.
#[derive(Default)]
pub(crate) struct Earlier<'b> {
    pub(crate) states: Vec<EarlierRules<'b>>,
    /// The readings that commits of the change brought and that its last state redacts, each with the directory of its node.
    pub(crate) redacted: Vec<(RepoPath, Reading)>,
    /// The readings with coverage that the change leaves behind: their scenario has another name or another node now.
    pub(crate) left: Vec<&'b Reading>,
}

/// A state before the change. Where the rule is raised, a file may stay undeclared only as far as such a state lets it, too: then
/// no change excuses itself. A new declaration under `code:` counts at once.
#[derive(Clone, Copy)]
pub(crate) struct EarlierRules<'b> {
    pub(crate) side: PatchSide<'b>,
    pub(crate) config: &'b Config,
    /// The nodes of the judged state.
    pub(crate) judged: &'b [Node],
    /// What the judged state holds at the changed paths.
    pub(crate) added: &'b [AddedBlob],
}

/// The reading that says what the run of a scenario went through.
pub(crate) struct CoveredRun<'r> {
    pub(crate) reading: &'r Reading,
    pub(crate) coverage: &'r CoverageOf,
    pub(crate) fate: Fate,
}

/// What the change does to a reading of an earlier state, or of one of its own commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Kept,
    Withdrawn,
    Redacted,
}

/// The name of a scenario as it is compared, and the time of a reading.
type Moment<'r> = (Cow<'r, str>, Timestamp);

fn moment(reading: &Reading) -> Moment<'_> {
    (composed(&reading.scenario), reading.ts)
}

impl<'b> Earlier<'b> {
    /// One state, which is judged by its own rules.
    pub(crate) fn alone(rules: EarlierRules<'b>) -> Self {
        Self { states: vec![rules], ..Self::default() }
    }

    /// Whether a state lets the file run undeclared. `then` is its name there.
    pub(crate) fn excuse(&self, one: Declared<'_>, then: &RepoPath, now: &RepoPath) -> bool {
        self.states.is_empty() || self.states.iter().any(|state| state.excuse(one, then, now))
    }

    /// The names that a file of a state has since; none for an empty file: all empty files are alike.
    ///
    /// # Errors
    /// When a tree cannot be read.
    pub(crate) fn new_names(&self, path: &RepoPath) -> Result<BTreeSet<&'b RepoPath>> {
        let mut found = BTreeSet::new();
        for state in self.states.iter().filter(|state| !state.added.is_empty()) {
            found.extend(state.new_names(path)?);
        }
        Ok(found)
    }

    /// The newest reading with coverage of the content and the text that `counting` measured. So a later one without coverage hides
    /// nothing, nor does a change that takes the reading away; and a new measurement with coverage ends what an older one said.
    pub(crate) fn run<'r>(&'r self, one: Declared<'r>, counting: &'r Reading) -> Option<CoveredRun<'r>>
    where
        'b: 'r,
    {
        let kept = |reading: &'r Reading| {
            Some(CoveredRun { coverage: reading.terms.coverage.as_ref()?, reading, fate: Fate::Kept })
        };
        // nothing else is read where the rule is not raised
        if self.states.is_empty() {
            return kept(counting);
        }
        let effective = Effective::of(one.node);
        let is_own = |reading: &&Reading| same_name(&reading.scenario, &one.scenario.name);
        let here = effective.newest_first(&one.scenario.name).map(|filed| filed.event);
        let withdrawn = effective.withdrawn.iter().map(|(filed, _)| filed.event).filter(is_own);
        let redacted = self.redacted.iter().filter(|(dir, _)| *dir == one.node.dir).map(|(_, reading)| reading);
        let before = self.states.iter().flat_map(|state| state.readings(one));
        // a scenario that a state declares at its place took nothing over
        let is_new = !self.states.iter().any(|state| state.declares(one));
        let left = self.left.iter().copied().filter(|_| is_new);
        let gone = withdrawn.chain(redacted.filter(is_own)).chain(before).chain(left).map(|reading| (reading, false));
        let all = std::iter::once(counting).chain(here).map(|reading| (reading, true)).chain(gone);
        let mut found: Vec<(&Reading, bool)> =
            all.filter(|(reading, _)| reading.terms.coverage.is_some() && is_same_run(reading, counting)).collect();
        // a stable sort, so that a reading that stands here comes before itself in an earlier state
        found.sort_by_key(|(reading, _)| Reverse(reading.ts));
        let mut ended: Option<BTreeSet<Moment<'_>>> = None;
        let (reading, is_here) = found.into_iter().find(|(reading, is_here)| {
            let of_states = || self.states.iter().flat_map(|state| state.ended(one)).collect();
            *is_here || !ended.get_or_insert_with(of_states).contains(&moment(reading))
        })?;
        let found = kept(reading)?;
        Some(if is_here { found } else { CoveredRun { fate: self.fate(one, reading, &effective), ..found } })
    }

    /// What the change does to a reading that is not effective in the judged state.
    fn fate(&self, one: Declared<'_>, reading: &Reading, effective: &Effective<'_>) -> Fate {
        let is_it = |other: &Reading| moment(other) == moment(reading);
        if effective.withdrawn.iter().any(|(filed, _)| is_it(filed.event)) {
            return Fate::Withdrawn;
        }
        let redacts = |redaction: &Redaction| (composed(&redaction.scenario), redaction.ts) == moment(reading);
        if redactions(one.node).any(redacts) || self.redacted.iter().any(|(_, other)| is_it(other)) {
            return Fate::Redacted;
        }
        // it stands under another name of the scenario
        Fate::Kept
    }
}

impl<'b> EarlierRules<'b> {
    /// Whether the state lets a file run undeclared in the scenario: `then` in the state, `now` in the judged one. A scenario that
    /// is new since brings its own `related`; under another name it is not new.
    fn excuse(&self, one: Declared<'_>, then: &RepoPath, now: &RepoPath) -> bool {
        let before = self.side.predecessors(one, self.judged);
        let is_related_before = if before.is_empty() {
            is_related(one, now)
        } else {
            before.into_iter().all(|before| is_related(before, then))
        };
        is_related_before || is_ignored(self.config, then)
    }

    /// Whether the state declares a scenario of this name in the same directory.
    fn declares(&self, one: Declared<'_>) -> bool {
        let at = self.side.nodes.binary_search_by(|node| node.dir.cmp(&one.node.dir));
        at.is_ok_and(|at| self.side.nodes[at].scenario(&one.scenario.name).is_some())
    }

    fn new_names(&self, path: &RepoPath) -> Result<Vec<&'b RepoPath>> {
        let tree = self.side.tree;
        if !is_file(tree, path)? || tree.size(path)? == Some(0) {
            return Ok(Vec::new());
        }
        let Some(id) = tree.entry(path)?.and_then(|entry| entry.id) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for blob in self.added.iter().filter(|blob| blob.id == id) {
            if tree.kind(&blob.path)?.is_none() {
                found.push(&blob.path);
            }
        }
        Ok(found)
    }

    /// The readings of the scenario in the state, under the name that it had there.
    fn readings(&self, one: Declared<'_>) -> Vec<&'b Reading> {
        let before = self.side.predecessors(one, self.judged).into_iter();
        let of = |then: Declared<'b>| {
            let effective = Effective::of(then.node);
            effective.newest_first(&then.scenario.name).map(|filed| filed.event).collect::<Vec<_>>()
        };
        before.flat_map(of).collect()
    }

    /// The readings of the scenario that had ended in the state: withdrawn, redacted, or left under a former name. One state is
    /// enough: the other side of a merge answers for what it takes away.
    fn ended(&self, one: Declared<'_>) -> Vec<Moment<'b>> {
        let mut found = Vec::new();
        for Declared { node, scenario } in self.side.predecessors(one, self.judged) {
            found.extend(undeclared_readings(node).map(moment));
            let effective = Effective::of(node);
            let withdrawn = effective.withdrawn.iter().map(|(filed, _)| filed.event);
            found.extend(withdrawn.filter(|reading| same_name(&reading.scenario, &scenario.name)).map(moment));
            found.extend(redactions(node).map(|redaction| (composed(&redaction.scenario), redaction.ts)));
        }
        found
    }
}

/// The readings with coverage of scenarios that `nodes` do not declare where the readings stand, and that were not already so in a
/// state before.
pub(super) fn left_behind<'n>(nodes: &'n [Node], before: &[EarlierRules<'_>]) -> Vec<&'n Reading> {
    let known: BTreeSet<Moment<'_>> =
        before.iter().flat_map(|state| state.side.nodes).flat_map(undeclared_readings).map(moment).collect();
    nodes.iter().flat_map(undeclared_readings).filter(|reading| !known.contains(&moment(reading))).collect()
}

fn undeclared_readings(node: &Node) -> impl Iterator<Item = &Reading> {
    let covered = node.readings().filter(|reading| reading.terms.coverage.is_some());
    covered.filter(|reading| node.scenario(&reading.scenario).is_none())
}

fn redactions(node: &Node) -> impl Iterator<Item = &Redaction> {
    let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
    lines.filter_map(|line| if let Event::Redaction(redaction) = &line.event { Some(&**redaction) } else { None })
}

/// Whether two readings measured the same content and the same text. Without stamps the commit testifies.
fn is_same_run(one: &Reading, other: &Reading) -> bool {
    let is_same = match (&one.governed, &other.governed) {
        (None, None) => one.code_sha == other.code_sha,
        (one, other) => one == other,
    };
    is_same && one.scenario_hash == other.scenario_hash
}

/// The readings that single commits of the change brought and that its last state redacts. A redaction does not say what the
/// replaced line named, so the line is looked up.
///
/// # Errors
/// When a commit or a ledger cannot be read.
pub(super) fn redacted_on_the_way(question: &Question<'_>, states: &States) -> Result<Vec<(RepoPath, Reading)>> {
    let mut wanted = new_redactions(&states.view.workspace, states.bases.iter().map(|base| &base.workspace));
    let mut read = BTreeSet::new();
    let mut found = Vec::new();
    for commit in &question.snapshot.new_commits {
        if wanted.is_empty() {
            break;
        }
        let view = question.repo.commit_view(commit)?;
        let ledgers: BTreeSet<_> = wanted.values().cloned().collect();
        for (dir, ledger) in ledgers {
            // most commits leave a ledger as it is
            let id = view.entry(&ledger)?.and_then(|entry| entry.id);
            if !id.is_some_and(|id| read.insert(id)) {
                continue;
            }
            if view.size(&ledger)?.is_none_or(|size| size > MAX_LEDGER as u64) {
                continue;
            }
            let bytes = view.read(&ledger)?.unwrap_or_default();
            for line in ndjson::lines(&bytes) {
                if wanted.remove(&LineHash::of(line.bytes)).is_some() {
                    let parsed = parse(&ledger, line.bytes);
                    found.extend(parsed.readings().map(|reading| (dir.clone(), reading.clone())));
                }
            }
        }
    }
    Ok(found)
}

/// The lines that `view` redacts and no state before it, each with the directory and the ledger of the redaction.
fn new_redactions<'w>(
    view: &Workspace,
    before: impl Iterator<Item = &'w Workspace>,
) -> BTreeMap<LineHash, (RepoPath, RepoPath)> {
    fn all(workspace: &Workspace) -> impl Iterator<Item = (LineHash, (&RepoPath, &RepoPath))> {
        let ledgers = workspace.nodes.iter().flat_map(|node| node.ledgers.iter().map(move |ledger| (node, ledger)));
        ledgers.flat_map(|(node, ledger)| {
            let hashes = ledger.lines.iter().filter_map(|line| Some(line.event.redacted()?.line));
            hashes.map(move |hash| (hash, (&node.dir, &ledger.path)))
        })
    }
    let known: BTreeSet<LineHash> = before.flat_map(all).map(|(hash, _)| hash).collect();
    let new = all(view).filter(|(hash, _)| !known.contains(hash));
    new.map(|(hash, (dir, ledger))| (hash, (dir.clone(), ledger.clone()))).collect()
}
