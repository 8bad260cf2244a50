//! Arguments in, exit code out. Purpose: the only code that touches arguments, environment, clock, standard streams and
//! exit codes. What was typed becomes a [`request`], and that a call of [`crate::app`]; what comes back is printed. Decides nothing about a
//! repository.

mod args;
mod check;
mod clock;
mod deadline;
mod echo;
mod filing;
mod global;
mod install;
mod judge;
mod merge;
mod outcome;
mod progress;
mod push;
mod receipt;
mod record;
pub mod request;
mod stdio;
mod style;
mod view;

use crate::error::{Error, Result};
use crate::report::Format;
use args::{Cli, Verb};
use global::Global;
use judge::Call;
use outcome::VerbKind;
use request::Hook;
use std::ffi::OsString;
use std::process::ExitCode;

/// The process exit code (cli.md): 0 clean, 1 an error-level finding or a refused write, 2 usage, 3 could not check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exit(u8);

impl Exit {
    const CLEAN: Self = Self(0);
    const BLOCKED: Self = Self(1);
    const USAGE: Self = Self(2);
}

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let exit = match args::parse(&args) {
        Ok(cli) => run(cli),
        Err(error) => outcome::refuse(&error, &args),
    };
    ExitCode::from(exit.0)
}

fn run(cli: Cli) -> Exit {
    let kind = VerbKind::of(&cli.verb);
    match cli.global.settings() {
        Ok(global) => outcome::end(dispatch(cli.verb, kind, &global), kind, &global),
        Err(error) => outcome::fail(&error, kind, &Global::default()),
    }
}

fn dispatch(verb: Verb, kind: VerbKind, global: &Global) -> Result<Exit> {
    refuse_other_formats(&verb, global.format)?;
    if verb.can_be_skipped()
        && let Some(why) = check::skipped(&|name| std::env::var_os(name))
    {
        stdio::tell(format!("yatsu-hook: not checked: {why}\n").as_bytes());
        return Ok(Exit::CLEAN);
    }
    perform(verb, Call { dir: global.directory()?, kind, global })
}

/// A format that a verb does not have would otherwise be answered in another one, which no program can tell.
fn refuse_other_formats(verb: &Verb, format: Format) -> Result<()> {
    let formats = verb.formats();
    if formats.contains(&format) {
        return Ok(());
    }
    let has: Vec<String> = formats.iter().map(|format| format!("--format {}", format.as_str())).collect();
    Err(Error::usage(format!("this verb has no format {}", format.as_str())).hint(has.join(", or ")))
}

/// Carries a verb out.
fn perform(verb: Verb, call: Call<'_>) -> Result<Exit> {
    match verb {
        Verb::Explain(args) => view::explain(args.rule).map(|()| Exit::CLEAN),
        Verb::Completions(args) => view::completions(args.shell).map(|()| Exit::CLEAN),
        Verb::Man => view::man().map(|()| Exit::CLEAN),
        Verb::PreCommit(args) => judge::hook(call, &args.request(Hook::PreCommit)),
        Verb::PreMergeCommit(args) => judge::hook(call, &args.request(Hook::PreMergeCommit)),
        Verb::PrePush(args) => judge::hook(call, &args.request()),
        Verb::PreReceive(args) => judge::hook(call, &args.request(Hook::PreReceive)),
        Verb::Run(args) => judge::hook(call, &args.request(&|name| std::env::var_os(name))?),
        Verb::Check(args) => judge::check(call, &args.request()),
        Verb::Scan(args) => judge::scan(call, &args.request()),
        Verb::Validate(args) => judge::validate(call, &args.request()),
        Verb::Eval(args) => filing::eval(call, args.request()),
        Verb::Retract(args) => filing::retract(call, args.request()),
        Verb::Redact(args) => filing::redact(call, args.request()),
        Verb::Clean(args) => filing::clean(call, &args.request()),
        Verb::Repair(args) => filing::repair(call, args.request()),
        Verb::MergeLedger(args) => merge::merge_ledger(call, &args.request()),
        Verb::Evidence(args) => filing::evidence(call, &args.request()),
        Verb::Show(args) => view::show(call, args.node.as_deref()),
        Verb::Ls(args) => view::ls(call, &args.request()),
        Verb::Impact(args) => view::impact(call, &args.paths),
        Verb::Config(args) => view::config(call, args),
        Verb::Install(args) => install::install(call, &args.request()),
        Verb::Uninstall(args) => install::uninstall(call, args.request()),
        Verb::Doctor => install::doctor(call),
    }
}
