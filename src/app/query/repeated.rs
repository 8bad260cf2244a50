//! The answers of a scenario with runs or environments, as every output format prints them.

use super::terms::shown_verdict;
use crate::engine::freshness::Freshness;
use crate::engine::runs::Tally;
use crate::engine::score::{EnvironmentScore, Score, Standing};
use crate::error::Error;
use crate::report::view::score::{EnvironmentRow, ReadingState, RunsRow, ScenarioRow};

/// The row with what its environments say.
pub(crate) fn answered(row: ScenarioRow, score: &Score) -> ScenarioRow {
    ScenarioRow {
        state: standing(score),
        decided: score.verdict().as_ref().map(shown_verdict),
        environments: score.environments.iter().map(environment).collect(),
        ..row
    }
}

/// The state of a scenario.
pub(crate) fn standing(score: &Score) -> ReadingState {
    match &score.standing {
        Standing::Unmeasured => ReadingState::Unmeasured,
        Standing::Judged(freshness) => state(Ok(freshness)),
        Standing::NotJudged(reason) => state(Err(reason)),
    }
}

/// The answer in one environment.
pub(crate) fn environment(one: &EnvironmentScore) -> EnvironmentRow {
    let standing = standing(&one.score);
    let is_partial = standing == ReadingState::Unmeasured && one.tally.is_some_and(|tally| tally.counted > 0);
    EnvironmentRow {
        env: one.name.as_ref().map(ToString::to_string),
        state: if is_partial { "partial" } else { standing.as_str() },
        verdict: one.score.verdict().as_ref().map(shown_verdict),
        axes: standing.axes().to_vec(),
        runs: one.tally.map(runs),
    }
}

pub(crate) fn runs(tally: Tally) -> RunsRow {
    let Tally { rule, counted, pass, all } = tally;
    RunsRow { of: rule.of, need: rule.need, counted, pass, fail: tally.fail(), all }
}

/// The state of a reading.
pub(crate) fn state(freshness: std::result::Result<&Freshness, &Error>) -> ReadingState {
    match freshness {
        Ok(freshness) if freshness.is_fresh() => ReadingState::Fresh,
        Ok(freshness) => ReadingState::Stale(freshness.axes.clone()),
        Err(error) => ReadingState::NotJudged(error.message.clone()),
    }
}
