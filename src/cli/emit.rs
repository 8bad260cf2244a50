//! How a run ends: reports and errors become text on the right stream and an exit code.

use super::args::Verb;
use super::global::{Global, Stream, Verbosity};
use super::{Exit, echo, stdio};
use crate::error::{Error, ErrorKind, Result};
use crate::report::{self, Format, Report, Scope, ScopeMode, human, refusal};
use std::io::Write;

/// What is known of a verb before it runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VerbKind {
    /// What a checking verb judges.
    mode: Option<ScopeMode>,
    /// Whether a hook called us.
    is_hook: bool,
    /// Whether it files something.
    files: bool,
}

impl VerbKind {
    /// What is known of `verb`.
    pub(crate) fn of(verb: &Verb) -> Self {
        Self { mode: verb.mode(), is_hook: verb.is_hook(), files: verb.files() }
    }
}

/// Prints a report: machine formats to standard output, text for people to standard error when a hook called us or
/// nothing could be judged. Returns the verdict's exit code; where a clean verdict could not be printed, the one of what could
/// not be checked.
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

/// Where people read a report: a hook's belongs on standard error, and so does what is no result at all.
fn stream(kind: VerbKind, failed: bool) -> Stream {
    if kind.is_hook || failed { Stream::Err } else { Stream::Out }
}

fn printed(report: &Report, format: Format, global: &Global, stream: Stream) -> Vec<u8> {
    let text = stdio::made(|out| report::write(report, format, &global.style(stream), out));
    if format == Format::Human { global.drawn(text) } else { text }
}

/// Prints an error and returns the exit code of its kind. A checking verb, and any verb in a machine format, that could not
/// do its work prints a report with the verdict `unchecked`. Every verb that refuses prints one document with `--format json`:
/// a program that reads standard output has one for 0, 1 and 3. Wrong arguments, exit 2, have none.
pub(crate) fn fail(error: &Error, kind: VerbKind, global: &Global) -> Exit {
    let error = &echo::brief(error);
    let exit = match (error.kind, kind.mode) {
        (ErrorKind::Unchecked | ErrorKind::Unparsed | ErrorKind::HalfDone, Some(mode)) => {
            emit(Report::unchecked(Scope::unread(mode), error), kind, global)
        }
        (ErrorKind::Unchecked | ErrorKind::Unparsed | ErrorKind::HalfDone, None) if global.format != Format::Human => {
            emit(Report::unchecked(Scope::unread(ScopeMode::None), error), kind, global)
        }
        (ErrorKind::Refused(reason), _) if global.format == Format::Json => {
            let printed = |out: &mut dyn Write| refusal::write_json(error, reason, out);
            stdio::print_made(tell(error, global), printed)
        }
        _ => tell(error, global),
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

/// Says what went wrong and returns the exit code of its kind.
pub(crate) fn tell(error: &Error, global: &Global) -> Exit {
    let text = stdio::made(|out| human::write_error(error, &global.style(Stream::Err), out));
    stdio::tell(&text);
    Exit(error.kind.exit_code())
}

/// The last line of a verb that was to file something and did not.
pub(crate) fn nothing_filed() {
    stdio::tell(b"FAILED: nothing filed\n");
}

/// Ends a run that went through.
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
