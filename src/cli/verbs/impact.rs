//! `impact`: which scenarios an edit would make stale.

use super::ls;
use crate::app::query::impact as asking;
use crate::app::query::impact::ChangeOf;
use crate::cli::Exit;
use crate::cli::args::view::ImpactArgs;
use crate::cli::call::Call;
use crate::error::Result;
use std::time::{Duration, Instant};

/// How long one file may take: noise costs the parser more than it counts.
const LIMIT: Duration = Duration::from_millis(500);

/// `impact`.
pub(super) fn impact(call: Call<'_>, args: &ImpactArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let change = match (args.staged, &args.base) {
        (true, _) => Some(ChangeOf::Staged),
        (false, base) => base.clone().map(ChangeOf::Since),
    };
    if let Some(change) = change {
        return ls::print_rows(call, &call.patiently(|| asking::impact_of_change(&repo, &change))?);
    }
    let started = Instant::now();
    let paths = call.all_in_repository(&repo, &args.paths)?;
    ls::print_rows(call, &call.patiently(|| asking::impact(&repo, &paths, &mut || started.elapsed() > LIMIT))?)
}
