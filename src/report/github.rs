//! Workflow commands of GitHub Actions: `::error file=…,line=…,col=…,title=…::message`, one line per finding.
//!
//! Everything is first made safe for a terminal and then percent-encoded, so that text from a repository can neither
//! end a command nor begin another one.

use super::view::Report;
use crate::finding::{Finding, Level, Origin};
use crate::text::escape;
use std::io::{self, Write};

/// Writes the commands; nothing at all when there is nothing to say.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(out, "::{}{}::{}", command(finding), properties(finding), text(finding))?;
    }
    if let Some(rest) = report.rest() {
        writeln!(out, "::notice::{}", data(&rest))?;
    }
    for note in &report.notes {
        writeln!(out, "::notice::{}", data(note))?;
    }
    if let Some((message, hints)) = &report.unchecked {
        let hints: String = hints.iter().map(|hint| format!("%0Ahint: {}", data(hint))).collect();
        writeln!(out, "::error title=could not check::{}{hints}", data(message))?;
    }
    Ok(())
}

/// What is gone is never an error or a warning: these mark a run as one with faults.
fn command(finding: &Finding) -> &'static str {
    match finding.level {
        _ if finding.origin == Some(Origin::Fixed) => "notice",
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    }
}

fn properties(finding: &Finding) -> String {
    let mut list = Vec::new();
    if let Some(location) = &finding.location {
        list.push(format!("file={}", property(&location.path)));
        list.extend(location.line.map(|line| format!("line={line}")));
        list.extend(location.line.and(location.column).map(|column| format!("col={column}")));
    }
    list.push(format!("title={}", property(finding.rule.as_str())));
    format!(" {}", list.join(","))
}

fn text(finding: &Finding) -> String {
    let subject = super::subject(finding).map(|subject| format!("{subject}: ")).unwrap_or_default();
    let mut text = data(&format!("{subject}{}", finding.message));
    // An annotation stands alone, where nobody sees which of them failed the run.
    text += &finding.origin.map(|origin| format!(" ({})", origin.as_str())).unwrap_or_default();
    if !finding.help.is_empty() && finding.origin != Some(Origin::Fixed) {
        text += &format!("%0Ahelp: {}", data(&finding.help));
    }
    text
}

/// The encoding of a command's message.
fn data<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    escape::terminal(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The encoding of a property's value, where `:` and `,` separate.
fn property<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
