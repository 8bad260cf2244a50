//! What a reviewer of a fail asks next: when it last passed, and what differs.

use crate::app::query::view::shown;
use crate::engine::effective::Effective;
use crate::features::page::model::page::LastPass;
use crate::model::ledger::{Reading, ReadingVerdict, Stamped, Status};
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The last pass before the fails that end the readings of the scenario; `None` if they do not end with a fail, or no pass stands
/// before.
pub(super) fn of(scenario: &Scenario, effective: &Effective<'_>) -> Option<LastPass> {
    let mut newest_first = effective.newest_first(&scenario.name).map(|filed| filed.event).peekable();
    let is = |reading: &Reading, status: Status| reading.verdict == ReadingVerdict::Measured(status);
    let mut first_fail = None;
    while let Some(fail) = newest_first.next_if(|reading| is(reading, Status::Fail)) {
        first_fail = Some(fail);
    }
    let (fail, pass) = (first_fail?, newest_first.next().filter(|reading| is(reading, Status::Pass))?);
    let differing = differing(pass, fail).into_iter().map(shown).collect();
    Some(LastPass { commit: pass.code_sha?.to_string(), ts: pass.ts.to_string(), differing })
}

/// The paths with other content in one of both stamps; nothing if one reading has no stamp.
fn differing<'r>(pass: &'r Reading, fail: &'r Reading) -> BTreeSet<&'r RepoPath> {
    if pass.governed.is_none() || fail.governed.is_none() {
        return BTreeSet::new();
    }
    let files = |reading: &'r Reading| reading.stamped_files().collect::<BTreeMap<&RepoPath, &Stamped>>();
    let (before, after) = (files(pass), files(fail));
    before.keys().chain(after.keys()).copied().filter(|path| before.get(path) != after.get(path)).collect()
}
