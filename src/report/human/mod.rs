//! The report for people: one line per finding, `path:line:col: level[rule] node/scenario: message`, with details and
//! repair indented below. Errors come first. Findings of one file, or findings with the same moved path, stand together.
//! The counts and the score come last. There are no escapes unless the style asks for colour.

mod blocks;
mod excerpt;
mod listing;
mod unmeasured;

use super::view::{Report, ScopeMode, Style, Summary};
use crate::error::Error;
use crate::finding::{Axis, DriftPath, DriftWhy, Finding, Level, Location, Origin};
use crate::text::{escape, plural};
use bstr::{BStr, BString, ByteSlice};
use listing::Listing;
use owo_colors::{OwoColorize, XtermColors};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The title above the findings that the change did not cause.
const OLDER: &str = "older findings, not from this change:";

/// The colour of errors, of the 256. Orange and blue are hard to confuse, and a word always says the same.
const ORANGE: u8 = 208;

/// How many moved paths are named before the rest is counted. JSON and `-v` list all of them.
const PATHS_NAMED: usize = 5;

/// Writes the report. A silent report writes nothing.
pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let all = report.findings.iter().chain(&report.beyond);
    let (now, older): (Vec<_>, Vec<_>) = all.partition(|finding| finding.origin != Some(Origin::Inherited));
    let listing = Listing::of(report);
    write_findings(&now, listing, style, out)?;
    if !older.is_empty() {
        writeln!(out, "{OLDER}")?;
        write_findings(&older, listing, style, out)?;
    }
    for note in report.all_notes() {
        writeln!(out, "{}", escape::terminal(note))?;
    }
    if let Some((message, hints)) = &report.unchecked {
        write_failure(&format!("could not check: {message}"), hints, style, out)?;
    }
    if style.verbose {
        writeln!(out, "{}", examined(report))?;
    }
    match counts(report) {
        Some(counts) if !report.findings.is_empty() => writeln!(out, "{counts}")?,
        _ => {}
    }
    match score(report) {
        Some(score) if !style.quiet => writeln!(out, "{}", style.in_its_characters(&score)),
        _ => Ok(()),
    }
}

/// The score as the last line, if a whole state was judged. A check of the index or of a range has no score line.
fn score(report: &Report) -> Option<String> {
    let is_whole = report.score_limit.is_some() || matches!(report.scope.mode, ScopeMode::All | ScopeMode::Rev);
    report.summary.score.filter(|_| is_whole)?.line()
}

/// Writes findings of the change, or the older ones.
fn write_findings(findings: &[&Finding], listing: Listing, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (unmeasured, findings) = unmeasured::apart(by_file(findings), style);
    blocks::write(&findings, listing, style, out)?;
    unmeasured.iter().try_for_each(|together| unmeasured::write(together, listing, style, out))
}

/// Writes `yatsu-hook: <message>` and its repairs, one `hint:` line each; everything is escaped.
pub(crate) fn write_failure(message: &str, hints: &[String], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_reason(message, style, out)?;
    write_hints(hints, out)
}

/// Writes an error like [`write_failure`], with an excerpt of the file at fault.
pub(crate) fn write_error(error: &Error, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_reason(&error.message, style, out)?;
    if let Some(excerpt) = &error.excerpt {
        excerpt::write(excerpt, Level::Error, style, out)?;
    }
    write_hints(&error.hints, out)
}

fn write_reason(message: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} {}", painted("yatsu-hook:", Level::Error, style), escape::terminal(message))
}

fn write_hints(hints: &[String], out: &mut dyn Write) -> io::Result<()> {
    hints.iter().try_for_each(|hint| writeln!(out, "  hint: {}", escape::terminal(hint)))
}

/// The findings sorted by file. Files stay in the order in which they first appear.
fn by_file<'a>(findings: &[&'a Finding]) -> Vec<&'a Finding> {
    let mut rank: BTreeMap<Option<&BString>, usize> = BTreeMap::new();
    for finding in findings {
        let next = rank.len();
        rank.entry(path_of(finding)).or_insert(next);
    }
    let mut grouped: Vec<&Finding> = findings.to_vec();
    grouped.sort_by_cached_key(|finding| rank.get(&path_of(finding)).copied());
    grouped
}

fn path_of(finding: &Finding) -> Option<&BString> {
    finding.location.as_ref().map(|location| &location.path)
}

fn write_finding(finding: &Finding, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    if let Some(location) = &finding.location {
        line += &format!("{}: ", place(location));
    }
    line += &tag(finding, style);
    if let Some(subject) = super::subject(finding) {
        line += &format!(" {}", escape::terminal(&subject));
    }
    line += &format!(": {}{}", escape::terminal(&finding.message), origin(finding.origin, style));
    writeln!(out, "{line}")?;
    if let Some(excerpt) = finding.excerpt.as_ref().filter(|_| !style.quiet) {
        excerpt::write(excerpt, finding.level, style, out)?;
    }
    for (name, text) in details(finding, style) {
        writeln!(out, "    {name}: {text}")?;
    }
    Ok(())
}

fn place(location: &Location) -> String {
    let mut place = shown(location.path.as_bstr());
    for number in [location.line, location.line.and(location.column)].into_iter().flatten() {
        place += &format!(":{number}");
    }
    place
}

fn shown(path: &BStr) -> String {
    escape::terminal(path).into_owned()
}

fn tag(finding: &Finding, style: &Style) -> String {
    painted(&format!("{}[{}]", finding.level.as_str(), finding.rule.as_str()), finding.level, style)
}

/// A word in the colour of a level.
pub(super) fn painted(word: &str, level: Level, style: &Style) -> String {
    match level {
        _ if !style.color => word.to_owned(),
        Level::Error => word.color(XtermColors::from(ORANGE)).bold().to_string(),
        Level::Warning => word.blue().bold().to_string(),
        Level::Info => word.blue().to_string(),
    }
}

/// The word for an origin. "introduced" is the normal case and is written only with `-v`. Older findings stand below a
/// title that says so.
fn origin(origin: Option<Origin>, style: &Style) -> String {
    match origin {
        None | Some(Origin::Inherited) => String::new(),
        Some(Origin::Introduced) if !style.verbose => String::new(),
        Some(origin) => format!(" ({})", origin.as_str()),
    }
}

/// The indented lines below a finding, escaped. A finding that ended has none.
fn details(finding: &Finding, style: &Style) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    if finding.is_ended() {
        return details;
    }
    if !finding.axes.is_empty() {
        let axes: Vec<_> = finding.axes.iter().copied().map(Axis::as_str).collect();
        let since = finding.since.as_deref().map(|id| format!(", measured at {}", short(id))).unwrap_or_default();
        details.push(("stale", format!("{}{}", axes.join(", "), escape::terminal(&since))));
    }
    if !finding.drift.is_empty() {
        details.push(("moved", moved(&finding.drift, style)));
    }
    if let Some(totals) = finding.overspent.as_ref().and_then(|overspent| overspent.run_totals.as_ref()) {
        let all: Vec<String> = totals.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
        details.push(("run so far", all.join(", ")));
    }
    if !finding.tags.is_empty() {
        details.push(("tags", escape::terminal(&finding.tags.join(", ")).into_owned()));
    }
    if !finding.help.is_empty() {
        details.push(("help", escape::terminal(&finding.help).into_owned()));
    }
    details
}

fn short(id: &str) -> String {
    id.chars().take(12).collect()
}

fn moved(drift: &[DriftPath], style: &Style) -> String {
    let most = if style.verbose { drift.len() } else { PATHS_NAMED };
    let shown = |moved: &DriftPath| escape::terminal(&moved_words(moved)).into_owned();
    let mut named: Vec<String> = drift.iter().take(most).map(shown).collect();
    if drift.len() > most {
        named.push(format!("and {} more: yatsu-hook scan -v", drift.len() - most));
    }
    named.join(", ")
}

/// A moved path in words, unescaped: the path, its unit, the number of commits that touched it, and why it is named although
/// no entry of the list names it so.
pub(super) fn moved_words(moved: &DriftPath) -> BString {
    let (mut words, DriftPath { why, commits, .. }) = (moved.named(), moved);
    // a file that is only edited has no commits yet, so it needs no count
    let commits = commits.filter(|commits| *commits > 0).map(|count| format!(" +{}", plural(count as usize, "commit")));
    let why = why.as_ref().map(|why| match why {
        DriftWhy::WholeFile(why) => format!(" (the whole file is compared: {why})"),
        DriftWhy::LeftTheList | DriftWhy::TestChanged => format!(" ({})", why.as_str()),
    });
    [commits, why].iter().flatten().for_each(|part| words.extend_from_slice(part.as_bytes()));
    words
}

/// What was examined, for `-v`.
fn examined(report: &Report) -> String {
    let scope = &report.scope;
    let mut text = format!("examined {}", scope.mode.as_str());
    for (name, id) in [("base", &scope.base), ("tip", &scope.tip)] {
        if let Some(id) = id {
            text += &format!(", {name} {}", escape::terminal(&short(id)));
        }
    }
    text += &format!(", {}, {}, read by {}", plural(scope.files, "file"), plural(scope.nodes, "node"), scope.read_by());
    text
}

/// The last line with the counts, introduced findings first. Zero counts are left out. Older findings that are not
/// listed are left out too, because a note counts them.
fn counts(report: &Report) -> Option<String> {
    let Summary { errors, warnings, infos, .. } = report.summary;
    let levels = [(errors, "error"), (warnings, "warning"), (infos, "info")];
    let parts: Vec<String> =
        levels.into_iter().filter(|(count, _)| *count > 0).map(|(count, name)| plural(count, name)).collect();
    let older = report.findings.iter().filter(|finding| finding.origin == Some(Origin::Inherited)).count();
    match (parts.is_empty(), older) {
        (true, 0) => None,
        (false, 0) => Some(parts.join(", ")),
        (true, _) => Some(format!("nothing introduced, {older} older")),
        (false, _) => Some(format!("{} introduced, {older} older", parts.join(", "))),
    }
}
