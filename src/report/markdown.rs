//! Markdown for a comment on a pull request or the summary of a CI step. The first line marks the comment as one of this
//! program.
//!
//! All text of a repository stands in code spans, where it can make no link, mention, image or HTML. A text longer than
//! forges accept is cut at a table row, and a sentence says so.

use super::annotations::{Annotation, FirstFew, annotations, place};
use super::view::Report;
use crate::finding::{Location, Origin, Verdict};
use crate::text::{escape, plural};
use bstr::ByteSlice;
use std::io::{self, Write};

/// The mark by which the program finds its own comment again.
const MARK: &str = "<!-- yatsu-hook -->";

/// The longest document in bytes. GitHub accepts 65,536 characters in a comment.
pub(crate) const MOST: usize = 60_000;

/// Bytes reserved for the text after a table that was cut.
pub(crate) const AFTER: usize = 2_000;

/// The longest text of one cell in characters.
const CELL: usize = 2_000;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut text = head(report.verdict);
    let score = report.summary.score.and_then(|score| score.line());
    text += &format!("{}\n", score.as_deref().unwrap_or("no scenario was scored"));
    if let Some((message, hints)) = &report.unchecked {
        text += &format!("\ncould not check: {}\n", code(message));
        hints.iter().for_each(|hint| text += &format!("\nhint: {}\n", code(hint)));
    }
    let all = annotations(report);
    let is_older = |one: &&Annotation<'_>| one.first().origin == Some(Origin::Inherited);
    let (older, now): (Vec<_>, Vec<_>) = all.iter().partition(is_older);
    let ended = report.findings.iter().filter(|finding| finding.is_ended()).count();
    if !now.is_empty() || ended > 0 {
        let has_base = report.scope.base.is_some();
        text += if has_base { "\n### This change\n" } else { "\n### Findings\n" };
        let keep = AFTER + if older.is_empty() { 0 } else { MOST / 4 };
        table(&now, MOST - keep, &mut text);
        text += &report.rest().map(|rest| format!("\n{}\n", code(&rest))).unwrap_or_default();
        if ended > 0 {
            text += &format!("\nThis change ends {}.\n", plural(ended, "finding"));
        }
    }
    for note in &report.notes {
        text += &format!("\n{}\n", code(note));
    }
    write_older(report, &older, &mut text);
    out.write_all(text.as_bytes())
}

pub(crate) fn head(verdict: Verdict) -> String {
    format!("{MARK}\n## yatsu-hook: {}\n", verdict.as_str())
}

/// The older findings: a sentence with their number, or a table if they were asked for.
fn write_older(report: &Report, older: &[&Annotation<'_>], text: &mut String) {
    if older.is_empty() && report.older.is_none() {
        return;
    }
    *text += "\n### Older\n";
    if let Some(older) = &report.older {
        *text += &format!("\n{}\n", code(older));
    }
    if !older.is_empty() {
        let count = older.iter().map(|one| one.count()).sum();
        *text += &format!("\n<details><summary>{}, not from this change</summary>\n", plural(count, "older finding"));
        table(older, MOST - AFTER / 2, text);
        *text += "\n</details>\n";
    }
}

/// A table of `shown`, up to `most` bytes of text.
fn table(shown: &[&Annotation<'_>], most: usize, text: &mut String) {
    if shown.is_empty() {
        return;
    }
    *text += "\n| level | scenario | what | where |\n|---|---|---|---|\n";
    for (at, one) in shown.iter().enumerate() {
        let row = row(one);
        if text.len() + row.len() > most {
            let rest: usize = shown[at..].iter().map(|one| one.count()).sum();
            *text += &format!("\nand {rest} more\n");
            return;
        }
        *text += &row;
    }
}

fn row(one: &Annotation<'_>) -> String {
    let finding = one.first();
    let what = format!("{}: {}", finding.rule.as_str(), one.messages().joined("; "));
    let moved = one.moved();
    let what = match moved.first.is_empty() {
        true => cell(&what),
        false => format!("{}<br>moved: {}", cell(&what), spans(&moved)),
    };
    let place = place(finding).map(|place| cell(&at(place))).unwrap_or_default();
    format!("| {} | {} | {what} | {place} |\n", finding.level.as_str(), spans(&one.subjects()))
}

fn at(place: &Location) -> String {
    let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", place.path.to_str_lossy())
}

fn spans(named: &FirstFew) -> String {
    let more = (named.rest > 0).then(|| format!("+{}", named.rest));
    named.first.iter().map(|text| cell(text)).chain(more).collect::<Vec<_>>().join(", ")
}

/// Text in a code span of a table cell. A bar would end the cell, so it stands behind an odd number of backslashes: behind an
/// even number, as in `a\\|`, the backslashes escape each other.
pub(crate) fn cell(text: &str) -> String {
    let (mut cell, mut backslashes) = (String::new(), 0);
    for c in code(text).chars() {
        if c == '|' && backslashes % 2 == 0 {
            cell.push('\\');
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        cell.push(c);
    }
    cell
}

/// The longest fence that GitHub's and GitLab's parsers know: a longer row of backticks is text to them, and opens no code span.
const LONGEST_FENCE: usize = 80;

/// Text in a code span. The fence is longer than any row of backticks in the text; in a row that leaves no fence, for example
/// 100 backticks, the 80th and later ones are written as `\u{60}`.
pub(crate) fn code(text: &str) -> String {
    let (mut shown, mut longest, mut row) = (String::new(), 0, 0);
    for c in escape::terminal(&*escape::clip(text, CELL)).chars() {
        row = if c == '`' { row + 1 } else { 0 };
        if row < LONGEST_FENCE {
            longest = longest.max(row);
            shown.push(c);
        } else {
            shown += "\\u{60}";
        }
    }
    let text = shown;
    let fence = "`".repeat(longest + 1);
    let is_bare = !text.starts_with(['`', ' ']) && !text.ends_with(['`', ' ']) && !text.is_empty();
    let pad = if is_bare { "" } else { " " };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// An address in a link. An ampersand with a word and a semicolon behind it would be read as one character, as in `&copy;`.
pub(crate) fn destination(address: &str) -> String {
    let mut parts = address.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let word = part.split_once(';').map_or("", |(word, _)| word);
        let is_entity = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
        text += if is_entity { "&amp;" } else { "&" };
        text += part;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_never_ends_a_cell() {
        for (text, expected) in
            [("a|b", "`a\\|b`"), ("a\\|b", "`a\\|b`"), ("a\\\\|b", "`a\\\\\\|b`"), ("||", "`\\|\\|`")]
        {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn no_entity_of_an_address_is_read_as_a_character() {
        for (address, expected) in [
            ("https://e.org/?a=1&copy;=2", "https://e.org/?a=1&amp;copy;=2"),
            ("https://e.org/&amp;&lt;", "https://e.org/&amp;amp;&amp;lt;"),
            ("https://e.org/?a=1&b=2&;&é;&frac12;", "https://e.org/?a=1&b=2&;&é;&amp;frac12;"),
        ] {
            assert_eq!(destination(address), expected);
        }
    }

    #[test]
    fn a_row_of_backticks_leaves_a_fence_that_parsers_know() {
        let [most, fence] = [LONGEST_FENCE - 1, LONGEST_FENCE].map(|count| "`".repeat(count));
        assert_eq!(code(&most), format!("{fence} {most} {fence}"));
        for (rest, shown) in [("`", "\\u{60}"), ("``x", "\\u{60}\\u{60}x"), ("` @team", "\\u{60} @team")] {
            assert_eq!(code(&format!("a{most}{rest}")), format!("{fence}a{most}{shown}{fence}"));
        }
    }
}
