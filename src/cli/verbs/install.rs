//! `install` and `uninstall`.

use super::{explained, scan};
use crate::app::setup::install as wiring;
use crate::app::setup::install::{DriverWish, InstallPlan, InstallRequest};
use crate::cli::args::install::{InstallArgs, UninstallArgs};
use crate::cli::call::Call;
use crate::cli::global::Verbosity;
use crate::cli::{Exit, emit, stdio};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Verdict;
use crate::repo::open::env::Env;
use crate::repo::program::Git;
use crate::report::{self, install as install_text};
use crate::report::{Format, InstallReceipt, InstallVerb};
use crate::sys;
use std::io::{self, Write};
use std::path::PathBuf;

/// `install`: prints the changes, the state of the repository and the result. The exit code is about the installation.
pub(super) fn install(call: Call<'_>, args: InstallArgs) -> Result<Exit> {
    let (git, request) = setup(call)?;
    let merge_driver = match (args.merge_driver, args.no_merge_driver || args.global) {
        (true, _) => DriverWish::Asked,
        (false, true) => DriverWish::Leave,
        (false, false) => DriverWish::Usual,
    };
    let events = if args.no_hooks { Some(Vec::new()) } else { args.hooks };
    let request = InstallRequest { events, merge_driver, global: args.global, ..request };
    let plan = wiring::install(&git, &request).map_err(|error| plainly(call, args.global, error))?;
    let mut receipt = carry_out(call, &git, &plan, InstallVerb::Install, args.dry_run)?;
    let exit = show_steps(call, &receipt);
    if !args.dry_run && !args.global {
        show_standing(call, &mut receipt);
    }
    Ok(finish(call, &receipt, exit))
}

pub(super) fn uninstall(call: Call<'_>, args: UninstallArgs) -> Result<Exit> {
    let (git, request) = setup(call)?;
    let request = InstallRequest { global: args.global, ..request };
    let plan = wiring::uninstall(&git, &request).map_err(|error| plainly(call, args.global, error))?;
    let receipt = carry_out(call, &git, &plan, InstallVerb::Uninstall, args.dry_run)?;
    let exit = show_steps(call, &receipt);
    Ok(finish(call, &receipt, exit))
}

/// git, and the request of an installation without options.
pub(crate) fn setup(call: Call<'_>) -> Result<(Git, InstallRequest)> {
    let here = call.here()?;
    let git = Git::locate(&Env::from_process().all, &here)?;
    Ok((
        git,
        InstallRequest { here, program: program()?, events: None, merge_driver: DriverWish::Leave, global: false },
    ))
}

/// Replaces git's error by the one of our own reader, which says more plainly why a repository cannot be opened. git's text
/// becomes a hint. A global installation needs no repository.
fn plainly(call: Call<'_>, global: bool, error: Error) -> Error {
    match (error.kind, call.repo()) {
        (ErrorKind::Unchecked, Err(plain)) if !global => plain.hint(error.message),
        _ => error,
    }
}

pub(crate) fn program() -> Result<PathBuf> {
    std::env::current_exe().map(sys::spelled).map_err(|error| {
        Error::unchecked(format!("where this program lies cannot be found out: {error}"))
            .hint("install it where it stays (`cargo install`, a package), then run the same command again")
    })
}

fn carry_out(
    call: Call<'_>,
    git: &Git,
    plan: &InstallPlan,
    verb: InstallVerb,
    dry_run: bool,
) -> Result<InstallReceipt> {
    if !dry_run {
        wiring::apply(git, plan)?;
    }
    let mut receipt = plan.receipt(verb, dry_run);
    if !receipt.notes.is_empty() {
        // opening the repository sets the top from which the paths in the notes count
        let _ = call.repo();
    }
    receipt.notes = receipt.notes.iter().map(|note| call.global.typed_here(note)).collect();
    Ok(receipt)
}

/// Prints the changes for people, and returns the exit code so far. In a dry run the changes are the answer, so `-q` does
/// not hide them.
fn show_steps(call: Call<'_>, receipt: &InstallReceipt) -> Exit {
    let wanted = receipt.dry_run || call.global.verbosity != Verbosity::Quiet;
    if wanted && call.global.format == Format::Human {
        return print(receipt, Exit::CLEAN, |out| install_text::write_steps(receipt, out));
    }
    Exit::CLEAN
}

/// Judges the repository as `scan` does, within a hook's limit for parsing, prints the findings for people, and notes in the
/// receipt how the repository stands. A failure to judge does not undo the installation.
fn show_standing(call: Call<'_>, receipt: &mut InstallReceipt) {
    let scored = call.repo().and_then(|repo| Ok((scan::score(call, &repo)?, repo)));
    match scored {
        Ok((report, repo)) => {
            let (verdict, errors) = (report.verdict, report.summary.errors);
            receipt.verdict = Some(verdict);
            receipt.is_unguarded = report.scope.nodes == 0;
            if call.global.format == Format::Human {
                call.emit(report);
            }
            if verdict == Verdict::Fail {
                receipt.uncommitted = scan::uncommitted_errors(call, &repo).unwrap_or(errors);
            }
        }
        Err(error) => {
            emit::fail(&explained(call, error), call.kind, call.global);
            receipt.verdict = Some(Verdict::Unchecked);
        }
    }
}

/// Prints the last line for people, or the document for programs.
fn finish(call: Call<'_>, receipt: &InstallReceipt, exit: Exit) -> Exit {
    print(receipt, exit, |out| match call.global.format {
        Format::Human => install_text::write_outcome(receipt, out),
        _ => report::write_json(receipt, out),
    })
}

/// Prints a receipt, or in a dry run an answer.
fn print(receipt: &InstallReceipt, exit: Exit, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    if receipt.dry_run { stdio::print_made(exit, write) } else { stdio::print_receipt(exit, write) }
}
