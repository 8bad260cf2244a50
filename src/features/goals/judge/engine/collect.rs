//! Collects the facts of a goal from its node in a view. Asks a [`GoalEvidence`] for the content of bytes; everything else
//! comes from the node, its scores and the tree.

use super::criteria::has_shown;
use super::decisions::{DecidedOn, GoalDecision, GoalDecisions};
use super::facts::{GoalBytes, GoalFacts, GoalFreshness, GoalOutcome, GoalReading, MeasuredScenario, UnsoundLedger};
use crate::engine::budget::FiledAt;
use crate::engine::effective::{Effective, FiledEvent};
use crate::engine::facts::{Filings, Score, Standing};
use crate::engine::freshness::Freshness;
use crate::error::Result;
use crate::finding::Axis;
use crate::model::contract::{ArtifactPattern, Contract, CriterionKind};
use crate::model::ids::same_name;
use crate::model::ledger::{
    Decision, Event, EvidenceHash, GoalDecisionKind, LineHash, Reading, ReadingVerdict, Status,
};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The directory for artifacts. Below it each node has a directory with its last name.
const REPORTS: &str = "reports";
/// The number of near matches to name.
const NEAR: usize = 3;

/// The bytes of a reading, as far as they are here.
pub(crate) struct HeldBytes {
    pub(crate) says: GoalBytes,
    /// The artifacts without bytes here.
    pub(crate) absent: BTreeSet<RepoPath>,
    /// Whether all its evidence and artifacts are here.
    pub(crate) is_whole: bool,
}

/// A source of the bytes that readings name.
pub(crate) trait GoalEvidence {
    /// The bytes of `reading`.
    ///
    /// # Errors
    /// Bytes are here and cannot be read. Their content must not be guessed.
    fn held(&self, reading: &Reading) -> Result<HeldBytes>;
}

pub(crate) struct GoalView<'v> {
    pub(crate) node: &'v Node,
    pub(crate) scores: &'v [Score],
    pub(crate) filings: &'v Filings,
    /// The ledger lines that it lost since the view's bases: the ledger, and a revision that still has the line.
    pub(crate) lost: Vec<[String; 2]>,
    /// The readings that a push adds; empty without a push.
    pub(crate) pushed: &'v BTreeSet<FiledAt>,
    pub(crate) files: &'v TrackedFiles<'v>,
    pub(crate) evidence: &'v dyn GoalEvidence,
}

impl GoalView<'_> {
    /// The facts of the node's goal with this `contract`.
    ///
    /// # Errors
    /// The tree, or bytes that are here, cannot be read.
    pub(crate) fn facts(&self, contract: Option<&Contract>) -> Result<GoalFacts> {
        let effective = Effective::of(self.node);
        let declared = self.node.scenarios().iter();
        let readings = readings_digest(self.node, self.scores);
        let mut scenarios = Vec::new();
        for (scenario, score) in declared.zip(self.scores) {
            if !score.environments.is_empty() && score.is_fresh() {
                self.counted(scenario, score, &effective, &mut scenarios)?;
                continue;
            }
            let reading = score.filed(&effective).map(|filed| self.reading(filed, score)).transpose()?;
            scenarios.push(MeasuredScenario { name: scenario.name.clone(), reading });
        }
        let all = RepoPath::from_git(REPORTS);
        let reports = if self.node.dir.is_root() { all } else { all.child(self.node.dir.name()) };
        let (mut files, mut near, mut shown) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for criterion in contract.iter().flat_map(|contract| &contract.criteria) {
            let is_asked =
                |reading: &Reading| criterion.scenario.as_ref().is_none_or(|asked| same_name(asked, &reading.scenario));
            if effective
                .readings()
                .any(|reading| is_asked(reading) && has_shown(criterion, &reading.measures, &reports))
            {
                shown.insert(criterion.id.clone());
            }
            let CriterionKind::ArtifactExists { pattern } = &criterion.kind else { continue };
            match self.files.find(pattern, &self.node.dir, &reports)? {
                FoundFile::There(path) => drop(files.insert(criterion.id.clone(), path)),
                FoundFile::Near(paths) => drop(near.insert(criterion.id.clone(), paths)),
            }
        }
        let (unsound, decisions) = (self.unsound(), decisions(self.node));
        Ok(GoalFacts {
            node: self.node.argument(),
            scenarios,
            files,
            near,
            reports,
            shown,
            unsound,
            decisions,
            readings,
        })
    }

    /// Adds the counted readings of a scenario with runs or environments that is a fresh pass, or of one that is a fresh fail.
    /// The runs decided together, so each of them has the outcome of all, and one piece of evidence speaks for all.
    fn counted(
        &self,
        scenario: &Scenario,
        score: &Score,
        effective: &Effective<'_>,
        found: &mut Vec<MeasuredScenario>,
    ) -> Result<()> {
        let counted: HashSet<(&RepoPath, u32)> = score.counted().map(|at| (&at.ledger, at.line)).collect();
        let is_pass = score.verdict() == Some(ReadingVerdict::Measured(Status::Pass));
        let filed = effective.newest_first(&scenario.name).filter(|one| counted.contains(&(one.ledger, one.line)));
        let filed: Vec<_> = filed.copied().collect();
        let has_evidence = filed.iter().any(|one| !one.event.evidence.is_empty());
        for (age, one) in filed.into_iter().enumerate() {
            let fresh = Score { standing: Standing::Judged(Freshness::default()), ..score.clone() };
            let mut reading = self.reading(one, &fresh)?;
            if reading.outcome != GoalOutcome::Breach {
                reading.outcome = if is_pass { GoalOutcome::Pass } else { GoalOutcome::Fail };
            }
            reading.has_evidence = has_evidence || age > 0;
            found.push(MeasuredScenario { name: scenario.name.clone(), reading: Some(reading) });
        }
        Ok(())
    }

    fn reading(&self, filed: FiledEvent<'_, Reading>, score: &Score) -> Result<GoalReading> {
        let (reading, at) = (filed.event, FiledAt::of(&filed));
        let freshness = freshness(&score.standing);
        // the bytes of a reading that does not count are not needed
        let held = match freshness {
            GoalFreshness::Fresh => self.evidence.held(reading)?,
            GoalFreshness::Stale(_) | GoalFreshness::Unknown(_) => {
                HeldBytes { says: GoalBytes::Absent, absent: BTreeSet::new(), is_whole: true }
            }
        };
        let is_breach = score.budget.as_ref().is_some_and(|judged| judged.standing.is_some());
        let outcome = match reading.verdict {
            _ if is_breach => GoalOutcome::Breach,
            ReadingVerdict::Measured(Status::Pass) => GoalOutcome::Pass,
            ReadingVerdict::Measured(Status::Fail) => GoalOutcome::Fail,
            ReadingVerdict::Legacy => GoalOutcome::Unsaid,
        };
        Ok(GoalReading {
            is_unheld: !held.is_whole && self.pushed.contains(&at),
            at,
            by: reading.by.clone(),
            freshness,
            outcome,
            has_evidence: !reading.evidence.is_empty(),
            records: reading.measures.clone(),
            bytes: held.says,
            absent: held.absent,
        })
    }

    fn unsound(&self) -> Vec<UnsoundLedger> {
        let lost =
            self.lost.iter().map(|[ledger, from]| UnsoundLedger::Lost { ledger: ledger.clone(), from: from.clone() });
        let malformed = self.node.ledgers.iter().filter_map(|ledger| {
            let problem = ledger.problems.iter().find(|problem| !problem.advice)?;
            Some(UnsoundLedger::Malformed(format!("{}:{}", ledger.path, problem.at.line)))
        });
        let conflicts = self.filings.conflicts.iter().map(|conflict| UnsoundLedger::KeyConflict {
            scenario: conflict.scenario.clone(),
            ts: conflict.times[1].to_string(),
        });
        lost.chain(malformed).chain(conflicts).collect()
    }
}

fn freshness(standing: &Standing) -> GoalFreshness {
    match standing {
        Standing::Judged(freshness) if freshness.is_fresh() => GoalFreshness::Fresh,
        Standing::Judged(freshness) => GoalFreshness::Stale(moved(freshness)),
        Standing::NotJudged(reason) => GoalFreshness::Unknown(reason.message.clone()),
        // a reading that was not judged does not count
        Standing::Unmeasured => GoalFreshness::Unknown("it was not judged".to_owned()),
    }
}

/// The cause of a stale reading, in a few words.
fn moved(freshness: &Freshness) -> String {
    let axes: Vec<&str> = freshness.axes.iter().copied().map(Axis::as_str).collect();
    let axes = axes.join(", ");
    match freshness.drift().collect::<Vec<_>>().as_slice() {
        [] if freshness.other_list => format!("{axes}: its list changed since, and no stamp says what was measured"),
        [] => axes,
        [only] => format!("{axes} ({only})"),
        [first, rest @ ..] => format!("{axes} ({first} and {} more)", rest.len()),
    }
}

/// The digest of the lines of the readings that count in a node, independent of their order.
pub(crate) fn readings_digest(node: &Node, scores: &[Score]) -> EvidenceHash {
    let line = |at: &FiledAt| {
        let ledger = node.ledgers.iter().find(|ledger| ledger.path == at.ledger)?;
        let index = ledger.lines.binary_search_by_key(&at.line, |line| line.number).ok()?;
        Some(LineHash::of(&ledger.lines[index].bytes).to_string())
    };
    let mut lines: Vec<String> = scores.iter().flat_map(Score::counted).filter_map(line).collect();
    lines.sort();
    EvidenceHash(LineHash::of(lines.concat().as_bytes()).0)
}

/// The decisions about the goal of `node`, each line once. An incomplete decision is ignored.
fn decisions(node: &Node) -> GoalDecisions {
    let mut seen = HashSet::new();
    let lines = node.ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (&ledger.path, line)));
    let decided = lines.filter_map(|(ledger, line)| {
        let Event::Decision(decision) = &line.event else { return None };
        let decision = decided(decision, ledger, line.number)?;
        seen.insert(&line.bytes).then_some(decision)
    });
    GoalDecisions::new(decided.collect())
}

/// The decision about a goal in this line, if the line is a complete one.
pub(crate) fn decided(decision: &Decision, ledger: &RepoPath, line: u32) -> Option<GoalDecision> {
    let kind = GoalDecisionKind::parse(&decision.kind).filter(|_| decision.wrong.is_empty())?;
    Some(GoalDecision {
        kind,
        at: FiledAt { ts: decision.ts?, ledger: ledger.clone(), line },
        on: DecidedOn { contract: decision.contract?, readings: decision.readings? },
        by: decision.by.clone()?,
        reason: decision.reason.clone(),
        score: decision.score,
    })
}

/// The result of a file pattern in a view.
#[derive(Clone)]
enum FoundFile {
    /// The first tracked file that matches.
    There(String),
    /// No file matches; these nearly match.
    Near(Vec<String>),
}

/// The tracked files of a view, searched by pattern. Results are remembered because most nodes share a few patterns.
pub(crate) struct TrackedFiles<'v> {
    tree: &'v dyn Tree,
    known: RefCell<BTreeMap<(String, RepoPath), FoundFile>>,
}

impl<'v> TrackedFiles<'v> {
    /// The tracked files of `tree`; nothing is listed yet.
    pub(crate) fn of(tree: &'v dyn Tree) -> Self {
        Self { tree, known: RefCell::default() }
    }

    /// The first tracked file that `pattern` matches, relative to the top, to `dir` or to `reports`. Without one, the near
    /// matches: files in other places and untracked files.
    fn find(&self, pattern: &ArtifactPattern, dir: &RepoPath, reports: &RepoPath) -> Result<FoundFile> {
        // a pattern without a slash matches from every directory
        let seen_from = if pattern.as_str().contains('/') { dir.clone() } else { RepoPath::root() };
        let key = (pattern.as_str().to_owned(), seen_from);
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let is_meant = |path: &RepoPath| pattern.is_match_below(path, dir) || pattern.is_match_below(path, reports);
        let mut tracked = self.files(&is_meant)?.into_iter().filter(|(_, is_untracked)| !is_untracked);
        let found = match tracked.next() {
            Some((path, _)) => FoundFile::There(path.to_string()),
            None => {
                let mut near = self.files(&|path| pattern.nearness(path).is_some())?;
                near.retain(|(path, is_untracked)| !is_untracked || is_meant(path));
                near.sort_by_cached_key(|(path, _)| (!is_meant(path), pattern.nearness(path), path.clone()));
                let shown = near.iter().take(NEAR).map(|(path, is_untracked)| {
                    let mark = if *is_untracked { " (untracked)" } else { "" };
                    format!("{}{mark}", echo(&path.to_string()))
                });
                FoundFile::Near(shown.collect())
            }
        };
        self.known.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// The regular files that `matches` accepts, each with whether it is untracked. Links are left out because they may
    /// lead anywhere, submodules because they are other repositories.
    fn files(&self, matches: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, bool)>> {
        let files = self.tree.files(&RepoPath::root(), matches)?.into_iter();
        let regular = files.filter(|(_, entry)| matches!(entry.kind, Kind::File | Kind::Exec));
        regular.map(|(path, _)| self.tree.is_untracked(&path).map(|is_untracked| (path, is_untracked))).collect()
    }
}
