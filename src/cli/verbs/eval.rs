//! `eval`: filing one reading.

use crate::app::record::eval as recording;
use crate::app::record::eval::FilingRequest;
use crate::cli::args::record::EvalArgs;
use crate::cli::call::Call;
use crate::cli::{Exit, clock, receipt};
use crate::error::Result;
use crate::model::ledger::Status;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::store::{Store, signals};
use std::path::Path;

/// `eval`.
pub(super) fn eval(call: Call<'_>, args: EvalArgs) -> Result<Exit> {
    signals::install()?;
    let request = request(call, args)?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let filed = recording::eval(&site, &Store::new(&repo.common_dir), request)?;
    call.warn(&recording::dirty_advice(&filed.dirty));
    filed.lacks.chunks(1).for_each(|lack| call.warn(lack));
    call.hand_over(&receipt::filed(&filed), false);
    Ok(Exit::CLEAN)
}

/// What is asked for, with every piece of evidence opened.
fn request(call: Call<'_>, args: EvalArgs) -> Result<FilingRequest> {
    let here = call.here()?;
    let evidence = evidence(call, &here, &args)?;
    let timeline = args.timeline.as_ref().map(|file| call.file(&here, file)).transpose()?;
    Ok(FilingRequest {
        node: args.node,
        scenario: args.scenario,
        status: if args.pass { Status::Pass } else { Status::Fail },
        note: args.note,
        evidence,
        timeline,
        evaluator: args.evaluator,
        by: args.by,
        strict: args.strict,
        dry_run: args.dry_run,
        now: clock::now(),
    })
}

fn evidence(call: Call<'_>, here: &Path, args: &EvalArgs) -> Result<Vec<(Expect, Source)>> {
    let mut attached = Vec::new();
    for image in &args.images {
        attached.push((Expect::Image, call.file(here, image)?));
    }
    if let Some(video) = &args.video {
        attached.push((Expect::Video, call.file(here, video)?));
    }
    if let Some(result) = &args.result {
        attached.push((Expect::Result, call.source(here, result)?));
    }
    Ok(attached)
}
