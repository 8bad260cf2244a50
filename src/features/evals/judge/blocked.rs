//! `eval --blocked`: says that a scenario could not be measured here, with evidence of the attempt. A [`BlockedRequest`] in, a
//! [`NewlyBlocked`] out; prints nothing. It is no reading: the state of the scenario stays.

use super::counted::environment;
use crate::app::record::eval::{FilingRequest, GivenNumbers, WorkTree, goal};
use crate::app::record::transaction::Transaction;
use crate::app::site::{self, MAX_FIELD, MAX_NOTE, Site};
use crate::engine::budget::BudgetOverlay;
use crate::engine::effective::Effective;
use crate::engine::freshness::Judge;
use crate::engine::keys::is_same_measurement;
use crate::engine::score::Score;
use crate::error::{Error, Refusal, Result};
use crate::features::evals::model::NewlyBlocked;
use crate::model::labels::EnvName;
use crate::model::ledger::{Decision, Event, Ledger, Reading, ReadingVerdict};
use crate::model::node::Declared;
use crate::model::reference::scenario_word;
use crate::report::view::receipt::FilingOutcome;
use crate::store::Store;
use crate::store::ledger::next_ts;
use crate::text::escape::echo;

/// What the user wants recorded. `filing` has the evidence, the node and the scenario.
pub(crate) struct BlockedRequest {
    pub(crate) filing: FilingRequest,
    pub(crate) env: Option<EnvName>,
    /// Why it could not be measured: one line.
    pub(crate) reason: String,
    /// The name of the person who says so; not checked.
    pub(crate) by: String,
}

/// Records that a scenario is blocked.
///
/// # Errors
/// Usage for wrong arguments; refused without evidence, and if the scenario has a fresh answer; otherwise as
/// [`crate::app::record::eval::eval`].
pub(crate) fn block(site: &dyn Site, store: &Store, request: BlockedRequest) -> Result<NewlyBlocked> {
    let BlockedRequest { mut filing, env, reason, by } = request;
    site::one_line("reason", Some(&reason), MAX_NOTE)?;
    site::one_line("name after --by", Some(&by), MAX_FIELD)?;
    if reason.trim().is_empty() {
        return Err(Error::usage("the reason is blank").hint("say in one line what stands in the way"));
    }
    if filing.evidence.is_empty() {
        return Err(Error::usage("nothing shows that measuring was tried")
            .hint("add the output of the attempt: --result FILE, or --image FILE"));
    }
    let work = WorkTree::of(site, store, filing.now)?;
    let node = site::find_node(site, &work.nodes, filing.node.as_deref())?;
    let scenario = site::find_scenario(&work.nodes, node, filing.scenario.as_deref())?;
    let one = Declared { node, scenario };
    let env = environment(one, env.as_ref())?;
    refuse_fresh(site, &work, one, env.as_ref())?;
    let numbers = GivenNumbers::of(&mut filing, goal(node));
    let (is_dry, now) = (filing.dry_run, filing.now);
    let attempt = work.attempt(site, one, &filing)?;
    let attempt = |ts, evidence: Vec<_>| {
        let mut attempt = Reading { ts, evidence, evaluator: None, note: None, by: None, ..attempt.clone() };
        attempt.verdict = ReadingVerdict::Legacy;
        attempt.terms = Default::default();
        attempt.terms.env.clone_from(&env);
        attempt
    };
    let done = |outcome, ledger, attempt: Reading| NewlyBlocked {
        outcome,
        node: node.id.clone(),
        dir: node.dir.clone(),
        ledger,
        decision: Decision::blocked(attempt.clone(), &reason, &by),
        attempt,
    };
    let cache = work.store.evidence();
    if is_dry {
        let attached = filing.examine(&numbers, &cache)?;
        let ledger = work.files.path(site, node, &Default::default())?;
        return Ok(done(FilingOutcome::WouldFile, ledger, attempt(next_ts(&node.ledgers, now), attached.evidence)));
    }
    // the evidence first, because a line without it could not be checked
    let right = work.store.share_evidence()?;
    let evidence = filing.stage(&numbers, &cache, &right)?.publish(&cache, &right)?.evidence;
    let transaction = Transaction::begin(site, &work.store)?;
    let open = transaction.open_for(&work.files, node)?;
    let ledgers = transaction.ledgers(node, &open)?;
    let new = done(FilingOutcome::Filed, open.ledger.path.clone(), attempt(next_ts(&ledgers, now), evidence));
    if let Some(before) = said_already(&ledgers, &new, one) {
        return Ok(NewlyBlocked { outcome: FilingOutcome::AlreadyFiled, decision: before, ..new });
    }
    let line = Event::Decision(Box::new(new.decision.clone())).encode();
    open.append(&line.ok_or_else(|| Error::fault("the decision cannot be written as a ledger line"))?)?;
    Ok(new)
}

/// The latest decision about the scenario and environment, if it says the same and nothing was measured since.
fn said_already(ledgers: &[Ledger], new: &NewlyBlocked, one: Declared<'_>) -> Option<Decision> {
    let lines = ledgers.iter().flat_map(|ledger| &ledger.lines);
    let decisions = lines.filter_map(|line| if let Event::Decision(one) = &line.event { Some(&**one) } else { None });
    let of_it = decisions
        .filter_map(|one| Some((one, one.attempt()?.0)))
        .filter(|(_, attempt)| attempt.scenario == new.attempt.scenario && attempt.terms.env == new.attempt.terms.env);
    let (latest, attempt) = of_it.max_by_key(|(_, attempt)| attempt.ts)?;
    let effective = Effective::over(ledgers);
    let is_newer = effective.latest(&one.scenario.name).is_some_and(|reading| reading.ts > attempt.ts);
    let is_same = latest.reason == new.decision.reason && is_same_measurement(attempt, &new.attempt);
    (is_same && !is_newer).then(|| latest.clone())
}

/// Refuses where the scenario has a fresh answer in the environment.
fn refuse_fresh(site: &dyn Site, work: &WorkTree, one: Declared<'_>, env: Option<&EnvName>) -> Result<()> {
    let (view, anchors) = (site.worktree()?, site.anchors());
    let judge = Judge::new(&*view, &anchors, &work.config.evaluators);
    let budgets = BudgetOverlay::of_nodes(&work.nodes, &work.config.budgets);
    let score = Score::judged(&judge, &budgets, one, &Effective::of(one.node));
    let (_, score) = score.in_env(env.map(EnvName::as_str));
    if !score.is_fresh() {
        return Ok(());
    }
    let called = format!("{}/{}", one.node.id, echo(&one.scenario.name));
    Err(Error::refused(format!("{called} is not blocked: it has a fresh reading"))
        .because(Refusal::NotMet)
        .argv(["show", &scenario_word(&one.node.argument(), &one.scenario.name)])
        .hint(format!("what it says: yatsu-hook show {}", scenario_word(&one.node.argument(), &one.scenario.name))))
}
