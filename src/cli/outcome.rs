//! How a run ends: reports, errors and misuse become text on the right stream and an exit code.

use super::args::{Cli, Verb};
use super::global::{Global, Stream, Verbosity};
use super::{Exit, echo, stdio};
use crate::error::{Error, ErrorKind, Result};
use crate::report::{self, Format, Report, Scope, ScopeMode, human};
use crate::text::escape;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};
use std::ffi::OsString;

/// What is known of a verb before it runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VerbKind {
    /// What a checking verb judges.
    mode: Option<ScopeMode>,
    /// Whether a hook called us.
    is_hook: bool,
    /// Whether it files something.
    files: bool,
}

impl VerbKind {
    /// What is known of `verb`.
    pub(super) fn of(verb: &Verb) -> Self {
        Self { mode: verb.mode(), is_hook: verb.is_hook(), files: verb.files() }
    }
}

/// Prints a report: machine formats to standard output, text for people to standard error when a hook called us or
/// nothing could be judged. Returns the verdict's exit code, whatever became of the output.
pub(super) fn emit(report: Report, kind: VerbKind, global: &Global) -> Exit {
    let exit = Exit(report.verdict.exit_code());
    let failed = report.unchecked.is_some();
    let report = if global.verbosity == Verbosity::Quiet { report.only_blocking() } else { report };
    if global.format != Format::Human {
        stdio::print_outcome(&printed(&report, global.format, global, Stream::Out));
    }
    if global.format != Format::Human && !failed {
        return exit;
    }
    match stream(kind, failed) {
        Stream::Out => stdio::print_outcome(&printed(&report, Format::Human, global, Stream::Out)),
        Stream::Err => stdio::tell(&printed(&report, Format::Human, global, Stream::Err)),
    }
    exit
}

/// Where people read a report: a hook's belongs on standard error, and so does what is no result at all.
fn stream(kind: VerbKind, failed: bool) -> Stream {
    if kind.is_hook || failed { Stream::Err } else { Stream::Out }
}

fn printed(report: &Report, format: Format, global: &Global, stream: Stream) -> Vec<u8> {
    let mut text = Vec::new();
    // A vector takes everything, and every key of the documents is a string: neither can fail.
    let _ = report::write(report, format, &global.style(stream), &mut text);
    text
}

/// Prints an error and returns the exit code of its kind. What a checking verb, or any verb in a machine format, could
/// not do is a report with the verdict `unchecked`.
pub(super) fn fail(error: &Error, kind: VerbKind, global: &Global) -> Exit {
    let error = &echo::brief(error);
    let exit = match (error.kind, kind.mode) {
        (ErrorKind::Unchecked, Some(mode)) => emit(Report::unchecked(Scope::unread(mode), error), kind, global),
        (ErrorKind::Unchecked, None) if global.format != Format::Human => {
            emit(Report::unchecked(Scope::unread(ScopeMode::None), error), kind, global)
        }
        _ => tell(error, global),
    };
    if kind.files {
        nothing_filed();
    }
    exit
}

fn tell(error: &Error, global: &Global) -> Exit {
    let mut text = Vec::new();
    let _ = human::write_failure(&error.message, &error.hints, &global.style(Stream::Err), &mut text);
    stdio::tell(&text);
    Exit(error.kind.exit_code())
}

fn nothing_filed() {
    stdio::tell(b"FAILED: nothing filed\n");
}

/// Ends a run whose arguments clap did not take: the texts of `--help` and `--version` on standard output, misuse on
/// standard error with exit code 2.
pub(super) fn refuse(error: &clap::Error, args: &[OsString]) -> Exit {
    let global = Global::default();
    let text = error.render().to_string();
    if !error.use_stderr() {
        let printed = stdio::print(text.as_bytes());
        return printed.map_or_else(|error| tell(&error, &global), |()| Exit::CLEAN);
    }
    if let Some(error) = renamed(error) {
        return tell(&error, &global);
    }
    let text = echo::brief_text(&text).replacen("error: ", "yatsu-hook: ", 1);
    let lines: String = text.lines().map(|line| format!("{}\n", escape::terminal(line))).collect();
    stdio::tell(lines.as_bytes());
    if was_to_file(args) {
        nothing_filed();
    }
    Exit::USAGE
}

/// The answer to verbs that people know from elsewhere.
fn renamed(error: &clap::Error) -> Option<Error> {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    if !matches!(typed.as_str(), "status" | "verify") {
        return None;
    }
    let error = Error::usage(format!("there is no verb `{typed}`"));
    Some(error.hint("the score of the repository: yatsu-hook scan").hint("what the gate says: yatsu-hook check"))
}

/// Whether the first verb among the arguments is one that files something.
fn was_to_file(args: &[OsString]) -> bool {
    let command = Cli::command();
    let verb = args.iter().find_map(|arg| command.find_subcommand(arg));
    verb.is_some_and(|verb| matches!(verb.get_name(), "eval" | "retract" | "redact"))
}

/// Ends a run that went through.
pub(super) fn end(result: Result<Exit>, kind: VerbKind, global: &Global) -> Exit {
    result.unwrap_or_else(|error| fail(&error, kind, global))
}

#[cfg(test)]
mod tests {
    use super::super::args;
    use super::*;

    #[test]
    fn hooks_and_failures_speak_on_standard_error() {
        for (line, failed, expected) in [
            ("pre-commit", false, Stream::Err),
            ("pre-merge-commit", false, Stream::Err),
            ("pre-push", false, Stream::Err),
            ("pre-receive", false, Stream::Err),
            ("run", false, Stream::Err),
            ("check", false, Stream::Out),
            ("scan", false, Stream::Out),
            ("check", true, Stream::Err),
        ] {
            let cli = args::parse(&[line.into()]).unwrap();
            assert_eq!(stream(VerbKind::of(&cli.verb), failed), expected, "{line} {failed}");
        }
    }
}
