//! Input: arguments. Output: an exit code. Only this module touches arguments, environment, clock, standard streams and exit
//! codes. Typed arguments ([`args`]) become a request of [`crate::app`] and are carried out ([`verbs`]). The result is
//! printed ([`emit`]). Decides nothing about a repository.

pub(crate) mod args;
pub(crate) mod call;
pub(crate) mod clock;
mod complete;
pub(crate) mod deadline;
pub(crate) mod echo;
pub(crate) mod emit;
pub(crate) mod extra;
pub(crate) mod feature;
pub(crate) mod filing;
pub(crate) mod framework;
pub(crate) mod global;
mod input;
mod misuse;
pub(crate) mod parsing;
pub(crate) mod progress;
pub(crate) mod stdio;
mod style;
pub(crate) mod verbs;

use crate::error::{Error, Result};
use crate::report::Format;
use crate::text::escape::terminal;
use args::{Cli, Verb};
use call::Call;
use emit::VerbKind;
use global::Global;
use std::ffi::OsString;
use std::process::ExitCode;

/// The process exit code (README.md, "Exit codes"): 0 clean, 1 an error-level finding or a refused write, 2 usage, 3 could
/// not check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(pub(crate) u8);

impl Exit {
    pub(crate) const CLEAN: Self = Self(0);
    pub(crate) const BLOCKED: Self = Self(1);
    const USAGE: Self = Self(2);
    const UNCHECKED: Self = Self(3);
}

/// Runs the command line and returns the exit code.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if complete::is_asked(&args) {
        return ExitCode::from(complete::complete(&args).0);
    }
    if args.is_empty() && verbs::overview::is_wanted() {
        return ExitCode::from(verbs::overview::overview().0);
    }
    if args::is_of_harness(&args) {
        return ExitCode::from(for_harness(&args).0);
    }
    let exit = match args::parse(&args) {
        Ok(cli) => run(cli),
        Err(error) => misuse::refuse(&error, &args),
    };
    ExitCode::from(exit.0)
}

/// Runs the verb that the harness of a coding agent calls. It exits 0 whatever happens: a broken gate of git costs a commit, but
/// a broken hook of a harness costs a session. A failure is one line on standard error.
fn for_harness(args: &[OsString]) -> Exit {
    #[allow(clippy::exit)] // the process would abort, and a harness takes that for a failed hook
    std::panic::set_hook(Box::new(|fault| {
        stdio::tell(format!("yatsu-hook: {}\n", terminal(&fault.to_string())).as_bytes());
        std::process::exit(0);
    }));
    let failed = |text: &str| stdio::tell(format!("yatsu-hook: {}\n", terminal(text)).as_bytes());
    match args::parse(args) {
        Ok(cli) => {
            let kind = VerbKind::of(&cli.verb);
            let done = Global::of(cli.global).and_then(|global| dispatch(cli.verb, cli.formats, kind, &global));
            done.err().iter().for_each(|error| failed(&error.message));
        }
        Err(help) if !help.use_stderr() => return misuse::refuse(&help, args),
        Err(error) => failed(error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ")),
    }
    Exit::CLEAN
}

fn run(cli: Cli) -> Exit {
    let (kind, format) = (VerbKind::of(&cli.verb), cli.global.format);
    match Global::of(cli.global) {
        Ok(global) => {
            let result = dispatch(cli.verb, cli.formats, kind, &global).map_err(|error| global.offered_here(error));
            emit::end(result, kind, &global)
        }
        Err(error) => emit::fail(&error, kind, &Global::in_format(format)),
    }
}

fn dispatch(verb: Verb, formats: &[Format], kind: VerbKind, global: &Global) -> Result<Exit> {
    if let Verb::Help { words } = &verb
        && args::help(words).is_none()
    {
        // told before the format, so that a program reads what was meant
        return Err(misuse::no_verb(words));
    }
    refuse_other_formats(formats, global.format)?;
    if verb.can_be_skipped()
        && let Some(why) = framework::skipped(&|name| std::env::var_os(name))
    {
        stdio::tell(format!("yatsu-hook: not checked: {why}\n").as_bytes());
        return Ok(Exit::CLEAN);
    }
    verbs::perform(verb, Call { dir: global.directory()?, kind, global })
}

/// Refuses a format that the verb does not have. An answer in another format would mislead the program that reads it.
fn refuse_other_formats(formats: &[Format], format: Format) -> Result<()> {
    if formats.contains(&format) {
        return Ok(());
    }
    let has: Vec<String> = formats.iter().map(|format| format!("--format {}", format.as_str())).collect();
    Err(Error::usage(format!("this verb has no format {}", format.as_str())).hint(has.join(", or ")))
}
