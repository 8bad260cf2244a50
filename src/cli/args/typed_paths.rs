//! The check of typed paths. Windows opens the console by `con.txt` and a stream of `a` by `a:b`, in any directory; such a
//! path is refused before anything is opened.

use super::record::Input;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command};
use std::any::TypeId;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Refuses a path for which `opens_another` holds. The types of the arguments tell which of them are paths, so a new
/// argument is checked, too.
pub(super) fn refuse_others(
    command: &Command,
    matches: &ArgMatches,
    opens_another: fn(&OsStr) -> bool,
) -> Result<(), clap::Error> {
    let of_paths = [TypeId::of::<PathBuf>(), TypeId::of::<Input>()];
    for arg in command.get_arguments() {
        let kind = arg.get_value_parser().type_id();
        if !of_paths.iter().any(|path| kind == *path) {
            continue;
        }
        let mut typed = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        if let Some(path) = typed.find(|path| opens_another(path)) {
            let text = format!("{} names no file: Windows opens another thing by it, or alters it", path.display());
            return Err(clap::Error::raw(ErrorKind::ValueValidation, format!("{text}\n")));
        }
    }
    match matches.subcommand().and_then(|(name, below)| Some((command.find_subcommand(name)?, below))) {
        Some((verb, below)) => refuse_others(verb, below, opens_another),
        None => Ok(()),
    }
}
