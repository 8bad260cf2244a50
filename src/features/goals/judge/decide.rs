//! `goal complete`, `pivot`, `rework`, `block`, `unblock` and `review`: record decisions about a node's goal. Both gates
//! are judged under the ledger's lock, with the ledger that is written. Prints nothing.

use crate::app::judge::snapshot::ScoredContent;
use crate::app::record::transaction::Transaction;
use crate::app::site::line_files::NewLineFiles;
use crate::app::site::{self, Site};
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::budget::FiledAt;
use crate::error::{Error, Refusal, Result};
use crate::features::goals::judge::engine::decisions::{DecidedOn, GoalDecision};
use crate::features::goals::judge::engine::matrix::{GoalAction, GoalStatus};
use crate::features::goals::judge::engine::{Gates, NodeGoal};
use crate::features::goals::judge::gates::state::JudgedState;
use crate::features::goals::model::rows::{DecisionRow, GoalRow};
use crate::finding::NodeRef;
use crate::model::ledger::{Decision, Event, GoalDecisionKind, Timestamp};
use crate::repo::Repo;
use crate::store::Store;
use crate::store::ledger::next_ts;
use crate::text::escape::echo;
use crate::text::shell;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(crate) struct DecisionRequest {
    pub(crate) kind: GoalDecisionKind,
    /// A node reference; `None` or `.` means the node of the current directory, or the one that the branch touched.
    pub(crate) node: Option<String>,
    /// The reason, one line; required except for `complete`.
    pub(crate) reason: Option<String>,
    pub(crate) score: Option<u8>,
    /// Record a pivot even if no reading ever showed what the contract asks for.
    pub(crate) anyway: bool,
    pub(crate) by: String,
    pub(crate) now: Timestamp,
}

#[derive(Debug)]
pub(crate) enum Decided {
    /// The decision is in the ledger.
    Recorded(Box<RecordedDecision>),
    /// The gates lead to another action: the error, and the row of the goal.
    Contradicted(Error, Box<GoalRow>),
}

#[derive(Clone, Debug)]
pub(crate) struct RecordedDecision {
    pub(crate) decision: DecisionRow,
    /// The row of the goal when it was made.
    pub(crate) goal: GoalRow,
}

/// Records a decision, if both gates allow it now. A repeated decision about the same contract and readings writes
/// nothing.
///
/// # Errors
/// Refused if nothing can be decided; unchecked if the gates cannot be judged.
pub(crate) fn decide(repo: &Repo, site: &dyn Site, store: &Store, request: &DecisionRequest) -> Result<Decided> {
    site::one_line("reason", request.reason.as_deref(), MAX_NOTE)?;
    site::one_line("name after --by", Some(&request.by), MAX_FIELD)?;
    site::work_dir(site)?;
    let nodes = site.nodes()?;
    let named = site::find_node(site, &nodes, request.node.as_deref())?;
    for ledger in &named.ledgers {
        site::refuse_unsound(site, ledger)?;
    }
    let transaction = Transaction::begin(site, store)?;
    let state = JudgedState::load(repo, &ScoredContent::WorkTree)?;
    let goal = state.judged(&|node| node.dir == named.dir)?.pop();
    let goal = goal.ok_or_else(|| site::gone(&named.dir))?;
    let on = basis(&goal, request.kind).ok_or_else(|| no_contract(&goal))?;
    let node = state.workspace().node(&goal.dir).unwrap_or(named);
    let open = transaction.open_for(&NewLineFiles::of(site, &site.config()?, &nodes, request.now)?, node)?;
    let new = GoalDecision {
        kind: request.kind,
        at: FiledAt {
            ts: next_ts(&transaction.ledgers(node, &open)?, request.now),
            ledger: open.ledger.path.clone(),
            line: u32::MAX,
        },
        on,
        by: request.by.clone(),
        reason: request.reason.clone(),
        score: request.score,
    };
    let before = goal.facts.decisions.repeated(&new).cloned();
    // a completion that does not hold any more is refused, even if it was recorded before
    if (before.is_none() || request.kind == GoalDecisionKind::Complete)
        && let Some(gates) = &goal.evaluation.gates
        && let Err(error) = permit(&goal, gates, request)
    {
        return Ok(Decided::Contradicted(error, Box::new(state.row(&goal, &BTreeSet::new()))));
    }
    if before.is_none() {
        refuse_overtaken(&goal, &new)?;
        let line = Event::Decision(Box::new(line(&new))).encode();
        open.append(&line.ok_or_else(|| Error::fault("the decision cannot be written as a ledger line"))?)?;
    }
    let is_new = before.is_none();
    let decided = before.unwrap_or(new);
    let decision = DecisionRow {
        decision: decided.kind.as_str(),
        is_new,
        node: NodeRef { dir: goal.dir.to_bstring(), id: goal.id.clone() },
        ledger: decided.at.ledger.to_string(),
        contract: decided.on.contract.to_string(),
        readings: decided.on.readings.to_string(),
        score: decided.score,
        reason: decided.reason,
        by: decided.by,
        ts: decided.at.ts.to_string(),
    };
    let goal = state.row(&goal, &BTreeSet::new());
    Ok(Decided::Recorded(Box::new(RecordedDecision { decision, goal })))
}

/// The contract and the counting readings that a decision is about. If the contract cannot be read any more, `rework` can
/// still take back a completion that was made under it.
fn basis(goal: &NodeGoal, kind: GoalDecisionKind) -> Option<DecidedOn> {
    let claim = goal.facts.decisions.completion().filter(|_| kind == GoalDecisionKind::Rework);
    let claimed = claim.map(|claim| DecidedOn { contract: claim.on.contract, readings: goal.facts.readings });
    goal.evaluation.gates.as_ref().map(|gates| gates.on).or(claimed)
}

/// Refuses a decision that would not count: the last decision by time counts, and an older one is dated in the future.
fn refuse_overtaken(goal: &NodeGoal, new: &GoalDecision) -> Result<()> {
    let Some(ahead) = goal.facts.decisions.last().filter(|last| last.at.ts >= new.at.ts) else { return Ok(()) };
    let (kind, ts, by) = (ahead.kind.as_str(), ahead.at.ts, echo(&ahead.by));
    let what = format!(
        "{}: its {kind} by {by} is dated {ts}, in the future, so a decision made now would not count",
        echo(&goal.id)
    );
    Err(Error::refused(what)
        .because(Refusal::Stale)
        .hint(format!("where it is not committed, take its line out of {}", ahead.at.ledger))
        .hint("else correct the clock, or wait until then"))
}

fn line(decision: &GoalDecision) -> Decision {
    Decision {
        kind: decision.kind.as_str().to_owned(),
        contract: Some(decision.on.contract),
        readings: Some(decision.on.readings),
        score: decision.score,
        reason: decision.reason.clone(),
        by: Some(decision.by.clone()),
        ts: Some(decision.at.ts),
        ..Decision::default()
    }
}

fn no_contract(goal: &NodeGoal) -> Error {
    let id = echo(&goal.id);
    if goal.evaluation.status == GoalStatus::Invalid {
        let error = Error::refused(format!("the contract of {id} cannot be read, so nothing can be decided about it"))
            .because(Refusal::Invalid)
            .argv(["goal", "check", &goal.facts.node]);
        return goal.evaluation.blockers.iter().fold(error, |error, blocker| error.hint(blocker.clone()));
    }
    Error::refused(format!("node {id} has no goal contract"))
        .because(Refusal::Unknown)
        .hint("say in its scenario file what would be enough: goal_contract (docs/goals.md)")
}

fn permit(goal: &NodeGoal, gates: &Gates, request: &DecisionRequest) -> Result<()> {
    let (decisions, kind) = (&goal.facts.decisions, request.kind);
    let is_last = gates.attempt >= gates.max_attempts;
    match kind {
        GoalDecisionKind::Complete if goal.evaluation.status == GoalStatus::Success => Ok(()),
        GoalDecisionKind::Pivot if gates.action == GoalAction::Pivot && gates.is_unprinted && !request.anyway => {
            let what = "no reading ever showed what the contract asks for: another approach would waste an attempt";
            Err(Error::refused(what)
                .hint("print it where it is measured, and measure again, as the next steps say")
                .hint("to begin another approach all the same: --anyway"))
        }
        GoalDecisionKind::Pivot if gates.action == GoalAction::Pivot && !is_last => Ok(()),
        GoalDecisionKind::Pivot if gates.action == GoalAction::Pivot => {
            let what = format!("attempt {} of {} is the last one", gates.attempt, gates.max_attempts);
            Err(Error::refused(what)
                .because(Refusal::NotMet)
                .hint("measure this attempt first; when that is not enough, `goal unblock` begins anew"))
        }
        GoalDecisionKind::Rework if gates.action == GoalAction::Rework || decisions.completion().is_some() => Ok(()),
        GoalDecisionKind::Block | GoalDecisionKind::Unblock | GoalDecisionKind::Review => Ok(()),
        GoalDecisionKind::Complete | GoalDecisionKind::Pivot | GoalDecisionKind::Rework => {
            Err(contradicts(goal, gates, kind))
        }
    }
}

fn contradicts(goal: &NodeGoal, gates: &Gates, kind: GoalDecisionKind) -> Error {
    let (status, action) = (goal.evaluation.status.as_str(), gates.action.as_str());
    let what =
        format!("{} of {} is {status}: what follows is {action}, not {}", "the goal", echo(&goal.id), kind.as_str());
    let blockers = goal.evaluation.blockers.iter().take(5);
    let error = blockers.fold(
        Error::refused(what).because(Refusal::NotMet).argv(["goal", "check", &goal.facts.node]),
        |error, blocker| error.hint(blocker.clone()),
    );
    let soft = gates.trust.deductions.iter().filter(|one| !gates.trust.passed && one.points.is_some()).take(5);
    let error = soft.fold(error, |error, one| error.hint(one.sentence()));
    error.hint(format!("all of it: yatsu-hook goal check {}", shell::word(&goal.facts.node)))
}
