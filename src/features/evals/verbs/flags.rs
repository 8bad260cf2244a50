//! `eval --runs`, `--env` and `--blocked`.

use crate::app::record::filing::FilingStep;
use crate::app::site::TypedScenario;
use crate::cli::args::filing::FilingArgs;
use crate::cli::args::record::EvalArgs;
use crate::cli::args::values::env;
use crate::cli::call::Call;
use crate::cli::filing::{Filing, WrittenLine, node_at};
use crate::cli::verbs::eval::request;
use crate::cli::verbs::{complete, remind};
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use crate::features::evals::judge::blocked::{self, BlockedRequest};
use crate::features::evals::judge::counted::GivenRuns;
use crate::features::evals::print;
use crate::model::labels::EnvName;
use crate::model::ledger::RunCounts;
use crate::report::view::receipt::FilingOutcome;
use clap::{ArgMatches, Args, FromArgMatches};

/// The flags of `eval`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[group(skip)]
pub(super) struct RunFlags {
    /// How many of how many runs passed, for example 8/10; the verdict follows from it
    #[arg(long, value_name = "PASSED/RUNS", value_parser = runs, group = "said")]
    runs: Option<RunCounts>,
    /// The environment that was measured: one of those that the scenario lists in its `env`
    #[arg(long, value_name = "NAME", value_parser = env)]
    env: Option<EnvName>,
    /// Say that it could not be measured here, and why, with evidence of the attempt; no reading is filed
    #[arg(long, value_name = "REASON", groups = ["verdict", "said"], conflicts_with_all = NOT_BLOCKED)]
    blocked: Option<String>,
}

/// Arguments that only a reading has.
const NOT_BLOCKED: [&str; 14] = [
    "note",
    "metrics",
    "artifacts",
    "video",
    "timeline",
    "evaluator",
    "began",
    "claim",
    "keep",
    "key",
    "run",
    "usage",
    "tokens",
    "runs",
];

/// The flags of runs and environments.
pub(crate) const FILING: Filing = Filing {
    usage: Some("yatsu-hook eval [OPTIONS] [NODE] <--runs <PASSED/RUNS>|--blocked <REASON>>"),
    flags: RunFlags::augment_args,
    step,
    ..Filing::NONE
};

fn typed(arguments: &ArgMatches) -> Result<RunFlags> {
    RunFlags::from_arg_matches(arguments).map_err(|error| Error::fault(error.to_string()))
}

// asked of every reading: a scenario may list environments although none was typed
fn step(_: Call<'_>, arguments: &ArgMatches) -> Result<Option<Box<dyn FilingStep>>> {
    let RunFlags { runs, env, .. } = typed(arguments)?;
    Ok(Some(Box::new(GivenRuns { runs, env })))
}

/// The environment that was typed.
pub(crate) fn typed_env(arguments: &ArgMatches) -> Result<Option<EnvName>> {
    Ok(typed(arguments)?.env)
}

fn runs(text: &str) -> Result<RunCounts, String> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let both = text.split_once('/').and_then(|(pass, of)| Some((number(pass)?, number(of)?)));
    let (pass, of) = both.ok_or("write two whole numbers, for example 8/10")?;
    RunCounts::new(pass, of)
        .ok_or_else(|| format!("{pass} of {of} runs cannot have passed: write 0/1 to 100000/100000"))
}

/// Records that the scenario is blocked; `None` if that was not typed.
pub(crate) fn files_blocked(call: Call<'_>, args: &EvalArgs) -> Result<Option<Exit>> {
    let FilingArgs(arguments) = &args.steps;
    let RunFlags { env, blocked, .. } = typed(arguments)?;
    let Some(reason) = blocked else { return Ok(None) };
    let mut filing = request(call, EvalArgs { pass: false, fail: false, ..args.clone() })?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let named = TypedScenario { node: filing.node.take(), scenario: filing.scenario.take() }.apart(&site)?;
    (filing.node, filing.scenario) = (named.node, named.scenario);
    let by = match filing.by.take() {
        Some(by) => Some(by),
        None => repo.author_name()?,
    };
    let by = by.ok_or_else(|| Error::usage("git names no author").hint("say who found it blocked: --by NAME"))?;
    let done = blocked::block(&site, &call.store(&repo), BlockedRequest { filing, env, reason, by })?;
    let text = stdio::made(|out| print::blocked(&done, call.is_machine(), out));
    let exit = stdio::print_outcome(&text, Exit::CLEAN);
    if done.outcome == FilingOutcome::WouldFile {
        return Ok(Some(exit));
    }
    if done.outcome == FilingOutcome::Filed {
        remind(call, &site, std::slice::from_ref(&done.ledger));
    }
    let (node, scenario) = (node_at(&done.dir), Some(done.attempt.scenario.clone()));
    let line = WrittenLine { node, scenario, ts: done.attempt.ts };
    Ok(Some(complete(call, &repo, &args.written, &[line], exit)))
}
