//! What to measure now: the scenarios that a claim would take, in its order. Takes nothing.

use crate::app::site::Site;
use crate::engine::freshness::MovedContent;
use crate::error::Result;
use crate::features::claims::judge::Claimant;
use crate::features::claims::judge::need::{NeedRow, Needs};
use crate::features::claims::judge::next::line_up;
use crate::features::claims::model::next_rows::{HeldClaim, NextAnswer, NextRow, NextWhy};
use crate::features::claims::model::{Claim, ClaimToken};
use crate::model::config::{Config, flag};
use crate::model::ids::same_name;
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
        Some(NextRow { claimed, ..row_of(needs, row)? })
    };
    Ok(NextAnswer {
        rows: rows.iter().take(most).filter_map(asked).collect(),
        remaining: rows.len().saturating_sub(most),
        failing: if needs.failing { 0 } else { needs.rows.iter().filter(|row| row.is_fresh_fail()).count() },
        passed,
    })
}

/// The row of one scenario, as [`next`] returns it; `None` if the work tree does not declare the scenario.
pub(crate) fn item(needs: &Needs, dir: &RepoPath, scenario: &str) -> Option<NextRow> {
    let is_it = |row: &&NeedRow| row.dir == *dir && same_name(&row.scenario, scenario);
    row_of(needs, needs.rows.iter().find(is_it)?)
}

fn row_of(needs: &Needs, need: &NeedRow) -> Option<NextRow> {
    let node = needs.nodes.iter().find(|node| node.dir == need.dir)?;
    let scenario = node.scenarios().iter().find(|scenario| scenario.name == need.scenario)?;
    let (evidence, file) = evidence(&needs.config, &scenario.tags).into_iter().unzip();
    Some(NextRow {
        node: node.id.clone(),
        path: node.dir.to_bstring(),
        scenario: scenario.name.clone(),
        description: scenario.description.clone(),
        expected: scenario.expected.clone(),
        tags: scenario.tags.clone(),
        test: scenario.test.as_ref().map(|test| test.text.clone()),
        test_command: scenario.test_command.clone(),
        why: match need.state {
            ReadingState::Unmeasured => NextWhy::Missing,
            ReadingState::Fresh if need.counting.as_ref().is_some_and(|(_, is_fail)| *is_fail) => NextWhy::Failing,
            ReadingState::Fresh => NextWhy::Fresh,
            ReadingState::Stale(_) | ReadingState::NotJudged(_) => NextWhy::Stale,
        },
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
