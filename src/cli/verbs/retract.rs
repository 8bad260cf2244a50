//! `retract`: withdrawing one reading.

use super::time;
use crate::app::query::show as showing;
use crate::app::record::retract as recording;
use crate::app::record::retract::{ReadingChoice, RetractRequest};
use crate::cli::args::record::RetractArgs;
use crate::cli::call::Call;
use crate::cli::{Exit, clock, receipt};
use crate::error::Result;
use crate::store::signals;

/// `retract`.
pub(super) fn retract(call: Call<'_>, args: RetractArgs) -> Result<Exit> {
    signals::install()?;
    let request = RetractRequest {
        which: args.ts.as_deref().map_or(Ok(ReadingChoice::Last), |text| time(text).map(ReadingChoice::At))?,
        node: args.node,
        scenario: Some(args.scenario),
        note: args.note,
        by: None,
        now: clock::now(),
    };
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let retracted = call.patiently(|| recording::retract(&site, &call.store(&repo), &request))?;
    // what is withdrawn is withdrawn, whether or not it can be told what counts now
    let latest = showing::latest(&repo, &retracted.ledger, &retracted.retraction.scenario).ok();
    Ok(call.hand_over(&receipt::retracted(&retracted, latest), false, Exit::CLEAN))
}
