//! `goal`: whether the work of a node is enough, and the decisions about it.

use crate::app::judge::snapshot::ScoredContent;
use crate::app::site::TypedScenario;
use crate::cli::args::formats::ANSWER;
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::global::Stream;
use crate::cli::{Exit, clock, stdio};
use crate::error::{Error, Result};
use crate::features::goals::judge::check::check;
use crate::features::goals::judge::decide::{Decided, DecisionRequest, decide};
use crate::features::goals::model::rows::GoalRow;
use crate::features::goals::print as goal_text;
use crate::features::goals::verbs::goal_args::{DecidedArgs, GoalArgs, GoalCheckArgs, ReasonedArgs};
use crate::model::ledger::GoalDecisionKind;
use crate::repo::Repo;
use crate::report::Format;
use crate::store::signals;

impl FeatureArgs for GoalArgs {
    const NAME: &'static str = "goal";
    const AFTER: &'static str = "claim";
    const LISTED: (Heading, u16) = (Heading::Teams, 20);

    fn formats(below: &[&str]) -> &'static [Format] {
        if below == ["check"] { &[Format::Human, Format::Json, Format::Markdown] } else { ANSWER }
    }

    fn files(&self) -> bool {
        !matches!(self, Self::Check(_))
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        goal(call, self)
    }
}

fn goal(call: Call<'_>, args: GoalArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let (kind, decided) = match args {
        GoalArgs::Check(args) => return checked(call, &repo, args),
        GoalArgs::Complete { decided, reason } => {
            (GoalDecisionKind::Complete, Typed { decided, reason, score: None, anyway: false })
        }
        GoalArgs::Pivot { reasoned, anyway } => (GoalDecisionKind::Pivot, Typed { anyway, ..reasoned.into() }),
        GoalArgs::Rework(args) => (GoalDecisionKind::Rework, args.into()),
        GoalArgs::Block(args) => (GoalDecisionKind::Block, args.into()),
        GoalArgs::Unblock(args) => (GoalDecisionKind::Unblock, args.into()),
        GoalArgs::Review { node, score, by, note } => {
            let decided = DecidedArgs { node, by: Some(by) };
            (GoalDecisionKind::Review, Typed { decided, reason: Some(note), score: Some(score), anyway: false })
        }
    };
    record(call, &repo, kind, decided)
}

/// A decision as it was typed.
struct Typed {
    decided: DecidedArgs,
    reason: Option<String>,
    score: Option<u8>,
    anyway: bool,
}

impl From<ReasonedArgs> for Typed {
    fn from(args: ReasonedArgs) -> Self {
        Self { decided: args.decided, reason: Some(args.reason), score: None, anyway: false }
    }
}

fn checked(call: Call<'_>, repo: &Repo, args: GoalCheckArgs) -> Result<Exit> {
    let of = match (args.staged, args.rev) {
        (true, _) => ScoredContent::Staged,
        (_, Some(rev)) => ScoredContent::Rev(rev),
        _ => ScoredContent::WorkTree,
    };
    let rows = call.patiently(|| check(repo, &of, &args.nodes, &call.standing(repo)))?;
    let style = call.global.style(Stream::Out);
    call.answer(|out| match call.global.format {
        Format::Json => goal_text::write_json(&rows, None, out),
        Format::Markdown => goal_text::write_goals(&rows, out),
        _ => goal_text::write(&rows, &style, out),
    })?;
    let how = "no node has a goal contract, so no goal was checked (docs/goals.md)";
    crate::cli::verbs::say_how(call, rows.is_empty(), how);
    let lacks = args.require && (rows.is_empty() || rows.iter().any(|row| row.gates.is_none()));
    Ok(if !lacks && rows.iter().all(|row| row.is_fine) { Exit::CLEAN } else { Exit::BLOCKED })
}

fn record(call: Call<'_>, repo: &Repo, kind: GoalDecisionKind, typed: Typed) -> Result<Exit> {
    signals::install()?;
    let Typed { decided, reason, score, anyway } = typed;
    let by = crate::cli::verbs::named(repo, decided.by, "--by")?;
    let (site, store) = (call.site(repo)?, call.store(repo));
    // a goal belongs to the node, whichever of its scenarios was named
    let node = TypedScenario { node: decided.node, scenario: None }.declared_node(&site)?;
    let request = DecisionRequest { kind, node, reason, score, anyway, by, now: clock::now() };
    let done = match decide(repo, &site, &store, &request)? {
        Decided::Recorded(done) => done,
        Decided::Contradicted(error, goal) => return contradicted(call, error, &goal),
    };
    Ok(stdio::print_receipt(Exit::CLEAN, |out| match call.is_machine() {
        true => goal_text::write_json(std::slice::from_ref(&done.goal), Some(&done.decision), out),
        false => call.say(out, |text| goal_text::write_decision(&done.decision, text)),
    }))
}

/// Prints the results of both gates beside the refusal; a program gets only the refusal.
fn contradicted(call: Call<'_>, error: Error, goal: &GoalRow) -> Result<Exit> {
    if !call.is_machine() {
        let style = call.global.style(Stream::Out);
        call.answer(|out| goal_text::write(std::slice::from_ref(goal), &style, out))?;
    }
    Err(error)
}
