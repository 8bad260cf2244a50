//! Work on a bucket of object storage. A program without the feature `cloud` has no network code: it runs
//! `yatsu-hook-cloud`, the same program with the feature, for example with its own arguments `share push`.

use crate::cli::Exit;
use crate::cli::call::Call;
use crate::error::{Error, Result};
use crate::features::sharing::model::place::SharePlace;
use crate::repo::open::env::Env;
use crate::repo::program::cloud::CloudProgram;
use crate::repo::program::search_path::SearchPath;
use std::ffi::OsString;

/// Whether this program must leave work at `place` to the other one.
pub(crate) fn is_needed(place: Option<&SharePlace>) -> bool {
    !cfg!(feature = "cloud") && matches!(place, Some(SharePlace::Bucket(_)))
}

/// Runs the other program with the arguments of this one. It prints the result.
pub(crate) fn run_instead(call: Call<'_>) -> Result<Exit> {
    run(call, &std::env::args_os().skip(1).collect::<Vec<_>>(), call.can_ask())
}

/// Runs the other program, which can ask for a password if `terminal`, and returns its exit code.
///
/// # Errors
/// Unchecked if it is missing, has another version, or did not end by itself.
pub(crate) fn run(call: Call<'_>, arguments: &[OsString], terminal: bool) -> Result<Exit> {
    let (ours, search) = (std::env::current_exe().ok(), SearchPath::around(&Env::from_process().all, &call.here()?));
    let code = CloudProgram::locate(ours.as_deref(), &search)?.run(arguments, terminal)?;
    code.and_then(|code| u8::try_from(code).ok()).map(Exit).ok_or_else(|| {
        Error::unchecked("yatsu-hook-cloud was ended in the middle of it")
            .hint("run the same command again: what was done stays done")
    })
}
