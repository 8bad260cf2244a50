//! `units`: the named declarations of a source file.

use crate::app::query::units::{UnitsOf, units as units_of};
use crate::cli::Exit;
use crate::cli::args::view::UnitsArgs;
use crate::cli::call::Call;
use crate::cli::parsing::{FILE_LIMIT, worked};
use crate::error::Result;
use crate::report::{self, units as units_text};

pub(super) fn units(call: Call<'_>, args: UnitsArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let path = call.in_repository(&repo, &args.path)?;
    let of = match (args.staged, args.rev) {
        (true, _) => UnitsOf::Staged,
        (_, Some(rev)) => UnitsOf::Rev(rev),
        _ => UnitsOf::WorkTree,
    };
    let started = worked();
    let file = units_of(&repo, &of, &path, &mut || worked() - started > FILE_LIMIT)?;
    call.answer(|out| match call.is_machine() {
        true => report::write_json(&file, out),
        false => units_text::write(&file, out),
    })
}
