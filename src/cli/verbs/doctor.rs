//! `doctor`: whether the gate is really in place.

use super::install;
use crate::app::progress::ProgressStep;
use crate::app::setup::doctor as examining;
use crate::cli::call::Call;
use crate::cli::extra::{self, Extra};
use crate::cli::global::{Stream, Verbosity};
use crate::cli::progress::Progress;
use crate::cli::{Exit, stdio};
use crate::error::Result;
use crate::repo::Repo;
use crate::report::Format;
use crate::report::doctor as doctor_text;

pub(super) fn doctor(call: Call<'_>) -> Result<Exit> {
    let (git, request) = install::setup(call)?;
    let progress = Progress::start(call.global, ProgressStep::Work("looking at the setup"));
    let repo = call.repo();
    let more = |repo: &Repo| {
        let mut all =
            extra::all(|extra| if let Extra::Examines(rank, examine) = extra { Some((*rank, *examine)) } else { None });
        all.sort_by_key(|(rank, _)| *rank);
        all.into_iter().flat_map(|(_, examine)| examine(repo, &request.program)).collect()
    };
    let mut found = examining::examine(&git, &request, &repo, &more);
    drop(progress);
    for repair in found.iter_mut().filter_map(|one| one.repair.as_mut()) {
        *repair = call.global.typed_here(repair);
    }
    let verdict = examining::verdict(&found);
    if call.global.verbosity == Verbosity::Quiet {
        found.retain(|one| one.health.blocks());
    }
    let exit = Exit(verdict.exit_code());
    Ok(stdio::print_made(exit, |out| match call.global.format {
        Format::Human => doctor_text::write_human(&found, &call.global.style(Stream::Out), out),
        _ => doctor_text::write_json(&found, verdict, out),
    }))
}
