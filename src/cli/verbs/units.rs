//! `units`: the named declarations of a source file.

use crate::app::query::units::{UnitsOf, units as units_of};
use crate::cli::Exit;
use crate::cli::args::view::UnitsArgs;
use crate::cli::call::Call;
use crate::error::Result;
use crate::report::units as units_text;
use std::time::{Duration, Instant};

/// How long one file may take: noise costs the parser more than it counts.
const LIMIT: Duration = Duration::from_millis(500);

/// `units`.
pub(super) fn units(call: Call<'_>, args: UnitsArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let path = call.in_repository(&repo, &args.path)?;
    let of = match (args.staged, args.rev) {
        (true, _) => UnitsOf::Staged,
        (_, Some(rev)) => UnitsOf::Rev(rev),
        _ => UnitsOf::WorkTree,
    };
    let started = Instant::now();
    let file = units_of(&repo, &of, &path, &mut || started.elapsed() > LIMIT)?;
    call.answer(|out| match call.is_machine() {
        true => units_text::write_json(&file, out),
        false => units_text::write(&file, out),
    })
}
