//! `coverage suggest`: the files that a scenario should declare.

use crate::app::query::coverage::suggest;
use crate::cli::Exit;
use crate::cli::args::coverage::CoverageArgs;
use crate::cli::call::Call;
use crate::error::Result;
use crate::report::{self, coverage as coverage_text};

pub(super) fn coverage(call: Call<'_>, args: CoverageArgs) -> Result<Exit> {
    let CoverageArgs::Suggest(args) = args;
    let repo = call.repo()?;
    let reports = call.coverage(&args.coverage)?;
    let site = call.site(&repo)?;
    let answer = call.patiently(|| suggest(&site, &args.scenario, &reports, args.test.as_deref()))?;
    call.answer(|out| match call.is_machine() {
        true => report::write_json(&answer, out),
        false => coverage_text::write(&answer, out),
    })
}
