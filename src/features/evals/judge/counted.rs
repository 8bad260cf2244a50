//! Takes the runs and the environment of a reading that is about to be filed, and derives its verdict from the runs.

use crate::app::record::filing::{AskedReading, FilingStep};
use crate::error::{Error, Result};
use crate::model::labels::{EnvName, env_flag};
use crate::model::ledger::{Reading, ReadingVerdict, RunCounts, Status};
use crate::model::node::Declared;
use crate::model::scenario::Scenario;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::text::escape::echo;
use crate::text::plural;

/// `--runs` and `--env`, as typed.
pub(crate) struct GivenRuns {
    pub(crate) runs: Option<RunCounts>,
    pub(crate) env: Option<EnvName>,
}

impl FilingStep for GivenRuns {
    fn verdict(&self, asked: &AskedReading<'_>, draft: &mut Reading) -> Result<Option<(Expect, Source)>> {
        // a report may say the environment of its cases itself
        if draft.terms.env.is_none() {
            draft.terms.env = environment(asked.one, self.env.as_ref())?;
        }
        if let Some(runs) = self.runs {
            let verdict = ReadingVerdict::Measured(derived(asked.one.scenario, runs));
            if draft.verdict != ReadingVerdict::Legacy && draft.verdict != verdict {
                return Err(disagreeing(asked.one.scenario, runs));
            }
            draft.verdict = verdict;
            draft.terms.runs = Some(runs);
        }
        Ok(None)
    }
}

/// What so many runs decide: at least the share that the scenario asks for must pass, without a rule all of them.
pub(crate) fn derived(scenario: &Scenario, runs: RunCounts) -> Status {
    let is_met = scenario.runs.map_or(runs.pass == runs.of, |rule| rule.is_met(runs.pass, runs.of));
    if is_met { Status::Pass } else { Status::Fail }
}

fn disagreeing(scenario: &Scenario, runs: RunCounts) -> Error {
    let (derived, typed) = match derived(scenario, runs) {
        Status::Pass => ("a pass", "--fail"),
        Status::Fail => ("a fail", "--pass"),
    };
    let rule = scenario.runs.map_or_else(|| "all runs".to_owned(), |rule| format!("{rule} runs"));
    Error::usage(format!(
        "{} of {} passed, which is {derived}: {rule} must pass",
        runs.pass,
        plural(runs.of as usize, "run")
    ))
    .hint(format!("leave {typed} out: the verdict follows from --runs"))
}

/// The environment that the reading is of: needed if the scenario lists some, refused if it does not list the typed one.
///
/// # Errors
/// Usage, with the list.
pub(crate) fn environment(one: Declared<'_>, typed: Option<&EnvName>) -> Result<Option<EnvName>> {
    let Scenario { name, env: listed, .. } = one.scenario;
    let called = format!("{}/{}", one.node.id, echo(name));
    let names: Vec<&str> = listed.iter().map(EnvName::as_str).collect();
    match typed {
        None if listed.is_empty() => Ok(None),
        None => Err(Error::usage(format!("{called} is measured in {}", names.join(", ")))
            .hint(format!("say in which one it was measured, for example {}", env_flag(names[0])))),
        Some(env) if listed.contains(env) => Ok(Some(env.clone())),
        Some(env) if listed.is_empty() => Err(Error::usage(format!("{called} lists no environment {env}"))
            .hint(format!("leave --env out, or list it in the scenario: env: [{env}]"))),
        Some(env) => {
            Err(Error::usage(format!("{called} lists no environment {env}"))
                .hint(format!("it lists {}", names.join(", "))))
        }
    }
}
