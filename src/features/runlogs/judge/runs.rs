//! `runlog ls`: the runs of the work tree, with their progress.

use crate::app::site::Site;
use crate::error::Result;
use crate::features::runlogs::judge::engine::story::Story;
use crate::features::runlogs::judge::find_runlog::{logs, story_of};
use crate::features::runlogs::model::moment::Moment;
use crate::features::runlogs::model::profile::Profile;
use crate::features::runlogs::model::receipts::RunRow;
use crate::model::ledger::Timestamp;
use crate::tree::path::RepoPath;

/// Every run: open runs first, then by the path of the log.
///
/// # Errors
/// Where the work tree cannot be read.
pub(crate) fn runs(site: &dyn Site, now: Timestamp) -> Result<Vec<RunRow>> {
    let mut rows = Vec::new();
    for path in logs(site)? {
        if let Some((profile, story)) = story_of(site, &path)? {
            rows.push(row(&path, &profile, &story, now));
        }
    }
    rows.sort_by(|one, other| (one.state != "open", &one.file).cmp(&(other.state != "open", &other.file)));
    Ok(rows)
}

fn row(path: &RepoPath, profile: &Profile, story: &Story, now: Timestamp) -> RunRow {
    let open = story.open_phase().and_then(|n| profile.phase(n));
    let last = story.recent.back();
    let now = Moment { seconds: now.millis.div_euclid(1000), nanos: 0 };
    let age = story.run.last.map(|last| last.millis_until(now) / 1000);
    RunRow {
        file: path.to_string(),
        profile: profile.name.clone(),
        state: match (story.run.newer, story.is_open()) {
            (true, _) => "newer",
            (_, true) => "open",
            (_, false) => "ended",
        },
        status: story.run.ended.as_ref().and_then(|end| end.status.clone()),
        phase: open.map(|phase| phase.n),
        phase_name: open.map(|phase| phase.name.clone()),
        started: story.began.clone(),
        last: last.map(|event| event.ts.clone()),
        age_seconds: age.and_then(|age| u64::try_from(age).ok()),
        last_event: last.map(|event| event.name.clone()),
        errors: story.run.errors,
    }
}
