//! What to measure now: the scenarios that a claim would take, in its order. Takes nothing.

use crate::app::site::Site;
use crate::engine::freshness::MovedContent;
use crate::error::Result;
use crate::features::claims::judge::Claimant;
use crate::features::claims::judge::need::{BlockedNeed, EnvironmentNeed, NeedRow, Needs};
use crate::features::claims::judge::next::line_up;
use crate::features::claims::model::next_rows::{HeldClaim, NextAnswer, NextRow, NextWhy, WaitingRow};
use crate::features::claims::model::{Claim, ClaimToken};
use crate::model::config::{Config, flag};
use crate::model::ids::same_name;
use crate::model::labels::env_flag;
use crate::model::reference::{eval_command, eval_line, verdict_words};
use crate::report::view::score::ReadingState;
use crate::report::view::verdict::ShownVerdict;
use crate::tree::path::RepoPath;
use std::path::Path;

/// The scenarios that the claimant could take now, and the reasons against the others that need measuring. At most `most`
/// scenarios, 0 is no limit.
///
/// # Errors
/// When the journal or a ledger cannot be read.
pub(crate) fn next(
    site: &dyn Site,
    common_dir: &Path,
    claimant: &Claimant,
    shown: Option<ClaimToken>,
    needs: &Needs,
    most: usize,
) -> Result<NextAnswer> {
    let (rows, passed) = line_up(site, common_dir, claimant, shown, needs)?;
    let most = if most == 0 { usize::MAX } else { most };
    let asked = |(row, claim): &(&NeedRow, Option<Claim>)| {
        let claimed = claim.as_ref();
        let claimed = claimed.map(|claim| HeldClaim { owner: claim.owner.clone(), until: claim.until.to_string() });
        items(needs, row).into_iter().map(move |item| NextRow { claimed: claimed.clone(), ..item })
    };
    let mut rows: Vec<NextRow> = rows.iter().flat_map(asked).collect();
    let remaining = rows.len().saturating_sub(most);
    rows.truncate(most);
    Ok(NextAnswer {
        rows,
        remaining,
        blocked: needs.rows.iter().flat_map(|row| waiting(needs, row)).collect(),
        failing: if needs.failing { 0 } else { needs.rows.iter().filter(|row| row.is_fresh_fail()).count() },
        passed,
    })
}

/// The row of one scenario, as [`next`] returns it; `None` if the work tree does not declare the scenario.
pub(crate) fn item(needs: &Needs, dir: &RepoPath, scenario: &str) -> Option<NextRow> {
    let is_it = |row: &&NeedRow| row.dir == *dir && same_name(&row.scenario, scenario);
    let need = needs.rows.iter().find(is_it)?;
    items(needs, need).into_iter().next().or_else(|| row_of(needs, need))
}

/// The items of a scenario: one for each environment that needs measuring and is not blocked.
fn items(needs: &Needs, need: &NeedRow) -> Vec<NextRow> {
    let Some(row) = row_of(needs, need) else { return Vec::new() };
    if need.environments.is_empty() {
        return vec![row];
    }
    let open = need.environments.iter().filter(|one| one.is_needed(needs.failing));
    let open = open.filter(|one| !need.is_blocked_in(one.env.as_deref()));
    open.map(|one| in_environment(row.clone(), one)).collect()
}

fn why(state: &ReadingState, is_fail: bool) -> NextWhy {
    match state {
        ReadingState::Unmeasured => NextWhy::Missing,
        ReadingState::Fresh if is_fail => NextWhy::Failing,
        ReadingState::Fresh => NextWhy::Fresh,
        ReadingState::Stale(_) | ReadingState::NotJudged(_) => NextWhy::Stale,
    }
}

/// The same item for one environment.
fn in_environment(row: NextRow, one: &EnvironmentNeed) -> NextRow {
    let flag = |env: &String| (format!("--env={env}"), format!(" {}", env_flag(env)));
    let (flag, words) = one.env.as_ref().map(flag).unzip();
    NextRow {
        env: one.env.clone(),
        runs: one.runs,
        why: why(&one.state, one.verdict == Some(ShownVerdict::Fail)),
        state: one.state.clone(),
        verdict: one.verdict,
        ts: one.ts.clone(),
        moved: one.moved.iter().map(MovedContent::named).collect(),
        since: one.since.clone(),
        argv: row.argv.into_iter().chain(flag).collect(),
        command: row.command + &words.unwrap_or_default(),
        ..row
    }
}

/// What of a scenario waits for a person.
fn waiting(needs: &Needs, need: &NeedRow) -> Vec<WaitingRow> {
    let Some(node) = needs.nodes.iter().find(|node| node.dir == need.dir) else { return Vec::new() };
    let row = |one: &BlockedNeed| WaitingRow {
        node: node.dir.to_bstring(),
        scenario: need.scenario.clone(),
        env: one.env.clone(),
        called: format!("{}/{}", node.id, need.scenario),
        reason: one.reason.clone(),
    };
    need.blocked.iter().map(row).collect()
}

fn row_of(needs: &Needs, need: &NeedRow) -> Option<NextRow> {
    let node = needs.nodes.iter().find(|node| node.dir == need.dir)?;
    let scenario = node.scenarios().iter().find(|scenario| scenario.name == need.scenario)?;
    let (evidence, file) = evidence(&needs.config, &scenario.tags).into_iter().unzip();
    Some(NextRow {
        node: node.id.clone(),
        path: node.dir.to_bstring(),
        scenario: scenario.name.clone(),
        env: None,
        runs: None,
        description: scenario.description.clone(),
        expected: scenario.expected.clone(),
        tags: scenario.tags.clone(),
        test: scenario.test.as_ref().map(|test| test.text.clone()),
        test_command: scenario.test_command.clone(),
        why: why(&need.state, need.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail)),
        state: need.state.clone(),
        verdict: need
            .counting
            .as_ref()
            .and_then(|(_, is_fail)| if *is_fail { Some(ShownVerdict::Fail) } else { need.recorded }),
        ts: need.counting.as_ref().map(|(ts, _)| ts.clone()),
        moved: need.moved.iter().map(MovedContent::named).collect(),
        since: need.since.clone(),
        evidence,
        argv: eval_command(&node.dir, &scenario.name),
        append: [["--pass"], ["--fail"]],
        file,
        command: eval_line(&node.dir, Some(&scenario.name)),
        verdict_words: verdict_words(scenario),
        claimed: None,
    })
}

/// The kinds of evidence that the configuration demands of a pass with these tags, each once and with its flag.
fn evidence(config: &Config, tags: &[String]) -> Vec<(&'static str, &'static str)> {
    let mut kinds: Vec<_> = config.lacking(tags, &[]).into_iter().flat_map(|lack| lack.kinds).collect();
    kinds.sort();
    kinds.dedup();
    kinds.into_iter().map(|kind| (kind.as_str(), flag(kind))).collect()
}
