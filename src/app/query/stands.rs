//! The states of scenarios, for the score of a report.

use super::repeated::standing;
use super::terms::shown_verdict;
use crate::engine::facts::{Facts, Score, Standing};
use crate::engine::freshness::{Freshness, MovedContent};
use crate::engine::unowned;
use crate::error::Result;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::workspace::Workspace;
use crate::report::view::score::ReadingState;
use crate::report::view::tally::{GovernedSources, ScenarioStand, ScoreTally};
use crate::report::view::verdict::ShownVerdict;
use crate::report::view::{Report, Summary};
use crate::tree::Tree;
use bstr::BString;

/// The states of the scenarios of `facts` that `is_asked` chooses.
pub(crate) fn chosen(facts: &Facts, is_asked: impl Fn(&Node, &Scenario, &Score) -> bool) -> Vec<ScenarioStand> {
    let asked = facts.scenarios().filter(|(node, scenario, score)| is_asked(node, scenario, score));
    asked.map(|(node, scenario, score)| stand(node, scenario, score)).collect()
}

/// How many of the source files that have to be governed are, for a score of all scenarios.
///
/// # Errors
/// When the view cannot be read.
pub(crate) fn governed(view: &dyn Tree, workspace: &Workspace) -> Result<Option<GovernedSources>> {
    let asked = unowned::asked(view, workspace)?;
    Ok(asked.map(|asked| GovernedSources { files: asked.all - asked.unowned.len(), of: asked.all }))
}

/// The report with these scenarios and their score.
pub(crate) fn scored(report: Report, scenarios: Vec<ScenarioStand>, governed: Option<GovernedSources>) -> Report {
    let score = Some(ScoreTally { governed, ..ScoreTally::of(scenarios.iter()) });
    Report { summary: Summary { score, ..report.summary }, scenarios, ..report }
}

/// The state of a scenario, and the verdict that counts, after budgets.
pub(crate) fn state_of(score: &Score) -> (ReadingState, Option<ShownVerdict>) {
    (standing(score), score.verdict().as_ref().map(shown_verdict))
}

pub(crate) fn stand(node: &Node, scenario: &Scenario, score: &Score) -> ScenarioStand {
    let freshness = if let Standing::Judged(freshness) = &score.standing { Some(freshness) } else { None };
    let named = |moved: fn(&Freshness) -> &Vec<MovedContent>| -> Vec<BString> {
        freshness.into_iter().flat_map(moved).map(MovedContent::named).collect()
    };
    let (state, verdict) = state_of(score);
    ScenarioStand {
        dir: node.dir.to_bstring(),
        name: scenario.name.clone(),
        state,
        environments: score
            .environments
            .iter()
            .filter_map(|one| Some((one.name.as_ref()?.to_string(), stand(node, scenario, &one.score))))
            .collect(),
        verdict,
        note: score.reading.as_ref().and_then(|reading| reading.note.clone()),
        moved: named(|freshness| &freshness.moved),
        test: named(|freshness| &freshness.test),
    }
}
