//! `retract`: withdraws one reading.

use super::{complete, remind, time};
use crate::app::query::show as showing;
use crate::app::record::retract as recording;
use crate::app::record::retract::{ReadingChoice, RetractRequest, Retracted};
use crate::app::site::TypedScenario;
use crate::cli::args::record::RetractArgs;
use crate::cli::call::Call;
use crate::cli::filing::{WrittenLine, node_at};
use crate::cli::{Exit, clock};
use crate::error::Result;
use crate::report::view::receipt::RetractionReceipt;
use crate::store::signals;

pub(super) fn retract(call: Call<'_>, args: RetractArgs) -> Result<Exit> {
    signals::install()?;
    let which = args.ts.as_deref().map_or(Ok(ReadingChoice::Last), |text| time(text).map(ReadingChoice::At))?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let (node, scenario) = TypedScenario { node: args.node, scenario: args.scenario }.apart(&site)?.named(&site)?;
    let (env, note) = (args.env, args.note);
    let request = RetractRequest { which, node, scenario, env, note, by: None, now: clock::now() };
    let retracted = call.patiently(|| recording::retract(&site, &call.store(&repo), &request))?;
    // the retraction stands even if the reading that counts now cannot be found
    let latest = showing::counting(&repo, &retracted.ledger, &retracted.retraction.scenario).ok();
    let Retracted { node, ledger, retraction } = retracted;
    let receipt = RetractionReceipt {
        node,
        ledger: ledger.to_string(),
        scenario: retraction.scenario.clone(),
        retracts: retraction.retracts.to_string(),
        ts: retraction.ts.to_string(),
        note: retraction.note,
        latest,
    };
    let exit = call.hand_over(&receipt, Exit::CLEAN);
    remind(call, &site, std::slice::from_ref(&ledger));
    let node = node_at(&ledger.parent().unwrap_or_default());
    let line = WrittenLine { node, scenario: Some(retraction.scenario), ts: retraction.ts };
    Ok(complete(call, &repo, &args.written, &[line], exit))
}
