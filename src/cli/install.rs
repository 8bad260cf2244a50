//! The installing verbs and `doctor`: what may be typed, the requests that are made of it, and how they are carried out.

use super::global::{Stream, Verbosity};
use super::judge::{self, Call};
use super::outcome::{self, emit};
use super::request::{InstallCall, UninstallRequest};
use super::{Exit, stdio};
use crate::app::setup::doctor;
use crate::app::setup::install;
use crate::app::setup::install::{HookEvent, InstallPlan, InstallRequest};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Verdict;
use crate::repo::open::env::Env;
use crate::repo::program::Git;
use crate::report::{Format, InstallReceipt};
use crate::report::{doctor as doctor_text, install as install_text};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `install`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(super) struct InstallArgs {
    /// The hooks to install, separated by commas; by default all that such a repository has
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    hooks: Option<Vec<EventArg>>,
    /// Set up the merge driver for ledgers too
    #[arg(long)]
    merge_driver: bool,
    /// Install for every repository of this user; needs git 2.54
    #[arg(long)]
    global: bool,
    /// Say what would be changed and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// `uninstall`.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UninstallArgs {
    /// Undo install --global
    #[arg(long)]
    global: bool,
    /// Say what would be changed and change nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EventArg {
    #[value(name = "pre-commit")]
    Commit,
    #[value(name = "pre-merge-commit")]
    MergeCommit,
    #[value(name = "pre-push")]
    Push,
    #[value(name = "pre-receive")]
    Receive,
}

impl InstallArgs {
    /// The request.
    pub(super) fn request(self) -> InstallCall {
        let events = self.hooks.map(|hooks| {
            let mut events: Vec<HookEvent> = hooks.into_iter().map(HookEvent::from).collect();
            events.sort_unstable();
            events.dedup();
            events
        });
        InstallCall { events, merge_driver: self.merge_driver, global: self.global, dry_run: self.dry_run }
    }
}

impl UninstallArgs {
    /// The request.
    pub(super) fn request(self) -> UninstallRequest {
        UninstallRequest { global: self.global, dry_run: self.dry_run }
    }
}

impl From<EventArg> for HookEvent {
    fn from(event: EventArg) -> Self {
        match event {
            EventArg::Commit => Self::PreCommit,
            EventArg::MergeCommit => Self::PreMergeCommit,
            EventArg::Push => Self::PrePush,
            EventArg::Receive => Self::PreReceive,
        }
    }
}

/// `install`: the changes, how the repository stands, what is true now. The exit code is about the installation.
pub(super) fn install(call: Call<'_>, asked: &InstallCall) -> Result<Exit> {
    let (git, request) = setup(call, asked)?;
    let plan = install::install(&git, &request).map_err(|error| plainly(call, asked.global, error))?;
    let mut receipt = carry_out(&git, &plan, "install", asked.dry_run)?;
    let human = call.global.format == Format::Human;
    show_steps(call, &receipt);
    if !asked.dry_run && !asked.global {
        receipt.verdict = Some(show_standing(call, human));
    }
    finish(&receipt, human, install_text::write_outcome);
    Ok(Exit::CLEAN)
}

/// `uninstall`.
pub(super) fn uninstall(call: Call<'_>, asked: UninstallRequest) -> Result<Exit> {
    let UninstallRequest { global, dry_run } = asked;
    let (git, request) = setup(call, &InstallCall { events: None, merge_driver: false, global, dry_run })?;
    let plan = install::uninstall(&git, &request).map_err(|error| plainly(call, global, error))?;
    let receipt = carry_out(&git, &plan, "uninstall", dry_run)?;
    let human = call.global.format == Format::Human;
    show_steps(call, &receipt);
    finish(&receipt, human, install_text::write_outcome);
    Ok(Exit::CLEAN)
}

/// `doctor`.
pub(super) fn doctor(call: Call<'_>) -> Result<Exit> {
    let (git, request) = setup(call, &InstallCall { events: None, merge_driver: false, global: false, dry_run: true })?;
    let mut found = doctor::examine(&git, &request, &call.repo());
    let verdict = doctor::verdict(&found);
    if call.global.verbosity == Verbosity::Quiet {
        found.retain(|one| one.health.blocks());
    }
    let text = match call.global.format {
        Format::Human => rendered(|out| doctor_text::write_human(&found, &call.global.style(Stream::Out), out)),
        _ => rendered(|out| doctor_text::write_json(&found, verdict, out)),
    };
    stdio::print_outcome(&text);
    Ok(Exit(verdict.exit_code()))
}

fn setup(call: Call<'_>, asked: &InstallCall) -> Result<(Git, InstallRequest)> {
    let here = call.here()?;
    let git = Git::locate(&Env::from_process().all, &here)?;
    let request = InstallRequest {
        here,
        program: program()?,
        events: asked.events.clone(),
        merge_driver: asked.merge_driver,
        global: asked.global,
    };
    Ok((git, request))
}

/// Our own reader says more plainly than git why a repository cannot be opened; what git said is not lost. What is done
/// for all repositories needs none.
fn plainly(call: Call<'_>, global: bool, error: Error) -> Error {
    match (error.kind, call.repo()) {
        (ErrorKind::Unchecked, Err(plain)) if !global => plain.hint(error.message),
        _ => error,
    }
}

fn program() -> Result<PathBuf> {
    std::env::current_exe()
        .map_err(|error| Error::unchecked(format!("where this program lies cannot be found out: {error}")))
}

fn carry_out(git: &Git, plan: &InstallPlan, verb: &'static str, dry_run: bool) -> Result<InstallReceipt> {
    if !dry_run {
        install::apply(git, plan)?;
    }
    Ok(plan.receipt(verb, dry_run))
}

/// Prints the changes for people. Of a dry run they are the answer, and said also to somebody who asked for quiet.
fn show_steps(call: Call<'_>, receipt: &InstallReceipt) {
    let wanted = receipt.dry_run || call.global.verbosity != Verbosity::Quiet;
    if wanted && call.global.format == Format::Human {
        stdio::print_outcome(&rendered(|out| install_text::write_steps(receipt, out)));
    }
}

/// Judges the repository as `scan` does and, for people, prints what it found. What cannot be judged does not undo the
/// installation.
fn show_standing(call: Call<'_>, human: bool) -> Verdict {
    match judge::score(call) {
        Ok(report) => {
            let verdict = report.verdict;
            if human {
                emit(report, call.kind, call.global);
            }
            verdict
        }
        Err(error) => {
            outcome::fail(&error, call.kind, call.global);
            Verdict::Unchecked
        }
    }
}

fn finish(
    receipt: &InstallReceipt,
    human: bool,
    last_line: fn(&InstallReceipt, &mut dyn std::io::Write) -> std::io::Result<()>,
) {
    let write = if human { last_line } else { install_text::write_json };
    stdio::print_outcome(&rendered(|out| write(receipt, out)));
}

fn rendered(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut text = Vec::new();
    // A vector takes everything, and every key of the documents is a string: neither can fail.
    let _ = write(&mut text);
    text
}
