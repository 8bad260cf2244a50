//! What needs measuring: the state of the reading that counts for every scenario, without the rest of a score row. The
//! nodes and the configuration are returned too, so that the caller need not read them again.

use crate::app::query::repeated::{runs, standing, state};
use crate::app::query::terms::shown_verdict;
use crate::app::query::view::ScoreView;
use crate::app::site::refuse_unknown_tags;
use crate::app::site::{Selection, named};
use crate::engine::blocked::{self, Blocked};
use crate::engine::effective::Effective;
use crate::engine::freshness::Freshness;
use crate::engine::score::{EnvironmentScore, Score, Standing};
use crate::error::Result;
use crate::features::claims::judge::need::{BlockedNeed, EnvironmentNeed, NeedRow, Needs};
use crate::model::node::Declared;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::report::view::score::ReadingState;
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;

/// The scenarios of these nodes with one of these tags. No names or no tags means all. With `failing` fresh
/// fails are to be measured, too.
///
/// # Errors
/// Usage for an unknown node or tag.
pub(crate) fn needs(repo: &Repo, names: &[String], tags: &[String], failing: bool) -> Result<Needs> {
    let score = ScoreView::latest_alone(repo)?;
    refuse_unknown_tags(&score.workspace.config, tags)?;
    let selected = Selection::of(names, |text| named(&score.workspace.nodes, text))?;
    Ok(of_score(score, tags, &selected, failing))
}

/// The scenarios of the node in this directory. Of the other nodes it reads what that node needs, mostly nothing.
///
/// # Errors
/// If existing content cannot be read.
pub(crate) fn needs_at(repo: &Repo, dir: &RepoPath) -> Result<Needs> {
    let selected = Selection::at(vec![(dir.clone(), None)]);
    Ok(of_score(ScoreView::at(repo, dir)?, &[], &selected, false))
}

fn of_score(score: ScoreView<'_>, tags: &[String], selected: &Selection, failing: bool) -> Needs {
    let nodes = &score.workspace.nodes;
    let asked = nodes.iter().filter(|node| selected.has_node(&node.dir));
    let (judge, mut rows) = (score.judge(), Vec::new());
    for node in asked {
        let effective = Effective::of(node);
        let is_tagged = |scenario: &Scenario| tags.is_empty() || scenario.tags.iter().any(|tag| tags.contains(tag));
        let is_asked = |of: &&Scenario| is_tagged(of) && selected.has(&node.dir, &of.name);
        rows.extend(node.scenarios().iter().filter(is_asked).map(|scenario| {
            let asked = Declared { node, scenario };
            let blocked = blocked::now(&judge, asked, &effective).iter().map(blocked_need).collect();
            let latest = effective.latest(&scenario.name).map(|latest| latest.ts.to_string());
            if scenario.is_repeated() {
                let found = score.score(&judge, asked, &effective);
                return NeedRow { latest, blocked, ..repeated_need(asked, &found, failing) };
            }
            let counting = judge.counting(node, scenario, &effective);
            let (filed, freshness) = counting.map(|one| (one.filed, one.freshness)).unzip();
            NeedRow {
                dir: node.dir.clone(),
                scenario: scenario.name.clone(),
                state: freshness.as_ref().map_or(ReadingState::Unmeasured, |one| state(one.as_ref())),
                moved: freshness.iter().flatten().flat_map(Freshness::drift).cloned().collect(),
                recorded: filed.as_ref().map(|filed| shown_verdict(&filed.event.verdict)),
                since: filed.as_ref().and_then(|filed| Some(filed.event.code_sha?.to_string())),
                counting: filed.map(|filed| (filed.event.ts.to_string(), score.counts_as_fail(&filed))),
                latest,
                environments: Vec::new(),
                blocked,
            }
        }));
    }
    drop(judge);
    Needs { rows, failing, nodes: score.workspace.nodes, config: score.workspace.config }
}

fn blocked_need(one: &Blocked<'_>) -> BlockedNeed {
    BlockedNeed { env: one.attempt.terms.env.as_ref().map(ToString::to_string), reason: one.reason.to_owned() }
}

/// The row of a scenario with runs or environments. Its state is the one of the environment that needs most: a fail in one must
/// not keep another from being measured.
fn repeated_need(asked: Declared<'_>, score: &Score, failing: bool) -> NeedRow {
    let environments: Vec<EnvironmentNeed> = score.environments.iter().map(environment_need).collect();
    let rank = |one: &&EnvironmentNeed| match (&one.state, one.verdict) {
        (ReadingState::Unmeasured, _) => 0,
        (ReadingState::Stale(_), _) => 1,
        (ReadingState::Fresh, Some(ShownVerdict::Fail)) => 2,
        (ReadingState::NotJudged(_), _) => 3,
        (ReadingState::Fresh, _) => 4,
    };
    let needed = environments.iter().filter(|one| one.is_needed(failing)).min_by_key(rank);
    let first = needed.or_else(|| environments.iter().min_by_key(rank));
    NeedRow {
        dir: asked.node.dir.clone(),
        scenario: asked.scenario.name.clone(),
        state: first.map_or(ReadingState::Unmeasured, |one| one.state.clone()),
        moved: first.map(|one| one.moved.clone()).unwrap_or_default(),
        recorded: first.and_then(|one| one.verdict),
        since: first.and_then(|one| one.since.clone()),
        counting: first.and_then(|one| Some((one.ts.clone()?, one.verdict == Some(ShownVerdict::Fail)))),
        latest: None,
        environments,
        blocked: Vec::new(),
    }
}

fn environment_need(one: &EnvironmentScore) -> EnvironmentNeed {
    let freshness = if let Standing::Judged(freshness) = &one.score.standing { Some(freshness) } else { None };
    EnvironmentNeed {
        env: one.name.as_ref().map(ToString::to_string),
        state: standing(&one.score),
        verdict: one.score.verdict().as_ref().map(shown_verdict),
        ts: one.score.reading.as_ref().map(|reading| reading.ts.to_string()),
        moved: freshness.into_iter().flat_map(Freshness::drift).cloned().collect(),
        since: one.score.reading.as_ref().and_then(|reading| Some(reading.code_sha?.to_string())),
        runs: one.tally.map(runs),
    }
}
