//! `impact`: which scenarios an edit would make stale.

use super::ls;
use crate::app::query::impact as asking;
use crate::app::query::impact::ChangeOf;
use crate::cli::Exit;
use crate::cli::args::view::ImpactArgs;
use crate::cli::call::Call;
use crate::cli::parsing::{FILE_LIMIT, worked};
use crate::error::Result;

pub(super) fn impact(call: Call<'_>, args: &ImpactArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let change = match (args.staged, &args.base) {
        (true, _) => Some(ChangeOf::Staged),
        (false, base) => base.clone().map(ChangeOf::Since),
    };
    if let Some(change) = change {
        return ls::print_rows(call, &call.patiently(|| asking::impact_of_change(&repo, &change))?);
    }
    let started = worked();
    let paths = call.all_in_repository(&repo, &args.paths)?;
    ls::print_rows(call, &call.patiently(|| asking::impact(&repo, &paths, &mut || worked() - started > FILE_LIMIT))?)
}
