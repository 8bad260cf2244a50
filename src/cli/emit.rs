//! The end of a run: reports and errors become text on the right stream and an exit code.

use super::args::Verb;
use super::global::{Global, Stream, Verbosity};
use super::{Exit, echo, stdio};
use crate::error::{Error, ErrorKind, Result};
use crate::report::{self, Format, Report, Scope, ScopeMode, human, refusal};
use std::io::Write;

/// The properties of a verb that are known before it runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VerbKind {
    /// The content that a checking verb judges.
    mode: Option<ScopeMode>,
    /// Whether the verb runs as a hook.
    is_hook: bool,
    /// Whether the verb files something.
    files: bool,
}

impl VerbKind {
    pub(super) fn of(verb: &Verb) -> Self {
        Self { mode: verb.mode(), is_hook: verb.is_hook(), files: verb.files() }
    }
}

/// Prints a report. Machine formats go to standard output. Text for people goes to standard error if the verb runs as a hook
/// or could not judge. Returns the verdict's exit code; if a clean verdict could not be printed, the code for "could not
/// check".
pub(crate) fn emit(report: Report, kind: VerbKind, global: &Global) -> Exit {
    let mut exit = Exit(report.verdict.exit_code());
    let failed = report.unchecked.is_some();
    let report = global.told_here(report);
    let report = if global.verbosity == Verbosity::Quiet { report.only_blocking() } else { report };
    if global.format != Format::Human {
        exit = stdio::print_outcome(&printed(&report, global.format, global, Stream::Out), exit);
    }
    if global.format != Format::Human && !failed {
        return exit;
    }
    match stream(kind, failed) {
        Stream::Out => stdio::print_outcome(&printed(&report, Format::Human, global, Stream::Out), exit),
        Stream::Err => {
            stdio::tell(&printed(&report, Format::Human, global, Stream::Err));
            exit
        }
    }
}

/// The stream for people. Hooks report on standard error, and so does a check that could not judge.
fn stream(kind: VerbKind, failed: bool) -> Stream {
    if kind.is_hook || failed { Stream::Err } else { Stream::Out }
}

fn printed(report: &Report, format: Format, global: &Global, stream: Stream) -> Vec<u8> {
    let text = stdio::made(|out| report::write(report, format, &global.style(stream), out));
    if format == Format::Human { global.drawn(text) } else { text }
}

/// Prints an error and returns the exit code of its kind. If a checking verb, or any verb in a machine format, could not do
/// its work, it prints a report with the verdict `unchecked`. With `--format json` a refusal and wrong arguments print a
/// document, too, so that a program gets one on standard output with every exit code.
pub(crate) fn fail(error: &Error, kind: VerbKind, global: &Global) -> Exit {
    let error = &echo::brief(error);
    let exit = match (error.kind, kind.mode) {
        (ErrorKind::Unchecked | ErrorKind::Unparsed | ErrorKind::HalfDone, Some(mode)) => {
            emit(Report::unchecked(Scope::unread(mode), error), kind, global)
        }
        (ErrorKind::Unchecked | ErrorKind::Unparsed | ErrorKind::HalfDone, None) if global.format != Format::Human => {
            emit(Report::unchecked(Scope::unread(ScopeMode::None), error), kind, global)
        }
        _ => document(error, tell(error, global), global.format),
    };
    match error.kind {
        ErrorKind::HalfDone if kind.files => {
            stdio::tell(b"FAILED: filed, but not finished: run the same command again\n")
        }
        _ if kind.files => nothing_filed(),
        _ => {}
    }
    exit
}

/// Prints the document of a refused command, if a program asked for it. Returns `exit` if that was possible.
pub(crate) fn document(error: &Error, exit: Exit, format: Format) -> Exit {
    match error.kind.refusal().filter(|_| format == Format::Json) {
        Some(reason) => stdio::print_made(exit, |out: &mut dyn Write| refusal::write_json(error, reason, out)),
        None => exit,
    }
}

/// Prints an error and returns the exit code of its kind.
pub(crate) fn tell(error: &Error, global: &Global) -> Exit {
    let text = stdio::made(|out| human::write_error(error, &global.style(Stream::Err), out));
    stdio::tell(&text);
    Exit(error.kind.exit_code())
}

/// The last line of a verb that should have filed something and did not.
pub(crate) fn nothing_filed() {
    stdio::tell(b"FAILED: nothing filed\n");
}

/// Prints why lines that stand in their ledger are not signed.
pub(crate) fn not_signed(error: &Error, global: &Global) -> Exit {
    let exit = tell(&echo::brief(error), global);
    stdio::tell(b"FAILED: filed, but not signed\n");
    exit
}

pub(crate) fn end(result: Result<Exit>, kind: VerbKind, global: &Global) -> Exit {
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
