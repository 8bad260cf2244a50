//! `usage`: the amounts spent, beside their limits.

use crate::app::query::usage as spending;
use crate::cli::Exit;
use crate::cli::args::view::UsageArgs;
use crate::cli::call::Call;
use crate::cli::global::Stream;
use crate::error::Result;
use crate::report::{self, usage as usage_text};

pub(super) fn usage(call: Call<'_>, args: UsageArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let report = call.patiently(|| spending::usage(&repo, args.node, args.run.as_ref(), &call.standing(&repo)))?;
    let (style, bars) = (call.global.style(Stream::Out), call.global.is_watched());
    call.answer(|out| match call.is_machine() {
        true => report::write_json(&report, out),
        false => usage_text::write(&report, &style, bars, out),
    })
}
