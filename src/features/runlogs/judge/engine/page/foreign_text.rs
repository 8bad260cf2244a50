//! Finds the parts of a page that were not rendered: they are kept unchanged, below the rendered part. A mark ends the
//! rendered part of an earlier page. A page written by hand has the same headings as a rendered one, so text under any
//! other heading is foreign and is kept.

use super::{ABORTED, CODE_ONLY, NONE_YET};
use bstr::ByteSlice;

/// The rendered headings that identify a page.
pub(super) const PHASES: &str = "## Phases";
pub(super) const RECENT: &str = "## Recent events";
pub(super) const ARTIFACTS: &str = "## Artifacts produced";

/// The last line of the rendered part.
pub(super) const MARK: &str = "<!-- rendered from the run log up to here; what stands below is kept as it is -->";

/// The origin of a line: rendered or foreign.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Theirs,
}

/// The beginning of a rendered header: the title of the page, and the labels of its lines.
#[derive(Clone, Copy)]
pub(super) struct Header<'a> {
    pub(super) title: &'a str,
    pub(super) labels: &'a [String],
}

/// All foreign text in `page`.
pub(super) fn others(page: &[u8], header: Header<'_>) -> Vec<u8> {
    let lines: Vec<&[u8]> = page.lines_with_terminator().collect();
    let is_mark = |line: &&[u8]| line.trim_end() == MARK.as_bytes();
    let (above, below) = match lines.iter().position(is_mark) {
        Some(mark) => (&lines[..mark], &lines[mark + 1..]),
        None => (&lines[..], &[][..]),
    };
    let moved = theirs(above, header);
    // the text below the mark stays byte for byte; foreign text from above the mark is put before it
    let mut kept = if moved.is_empty() { Vec::new() } else { [&b"\n"[..], &moved].concat() };
    below.iter().for_each(|line| kept.extend_from_slice(line));
    kept
}

/// Whether rendering would lose foreign text: the page has sections with rendered headings, and neither the title nor the
/// mark of a rendered page.
pub(super) fn is_at_stake(page: &[u8], titles: &[&str]) -> bool {
    let lines: Vec<&[u8]> = page.lines_with_terminator().collect();
    let is = |line: &&[u8], ours: &str| line.trim() == ours.as_bytes();
    let first = lines.iter().find(|line| !line.trim().is_empty());
    let is_titled = first.is_some_and(|line| titles.iter().any(|title| is(line, title)));
    let is_marked = lines.iter().any(|line| is(line, MARK));
    !is_titled && !is_marked && {
        let theirs = |title| theirs(&lines, Header { title, labels: &[] });
        titles.iter().any(|title| theirs(title).trim() != page.trim())
    }
}

/// The foreign text above the mark: text under foreign headings or under none, and lines under rendered headings that no
/// log renders to. Foreign text is moved, never lost.
fn theirs(lines: &[&[u8]], header: Header<'_>) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut whose = Whose::Theirs;
    let (mut in_header, mut was_kept) = (false, false);
    let mut fence: Option<u8> = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        let was_fenced = fence.is_some();
        fence = fenced(text, fence);
        let next = lines.get(at + 1).map(|line| line.trim()).unwrap_or_default();
        let mut is_rendered = !was_fenced && fence.is_none() && is_rendered(text, header, in_header);
        if !was_fenced && is_heading(text, next) {
            whose = if is_ours(text, header.title) { Whose::Ours } else { Whose::Theirs };
            in_header = text == header.title.as_bytes();
            is_rendered = true;
        }
        // a blank line after foreign text stays with it, so that two paragraphs stay two
        was_kept = whose == Whose::Theirs || !is_rendered || was_kept && text.is_empty();
        if was_kept {
            kept.extend_from_slice(line);
        }
    }
    let end = kept.trim_end().len();
    let start = kept.len() - kept.trim_start().len();
    match kept.get(start.min(end)..end) {
        None | Some([]) => Vec::new(),
        Some(text) => [text, b"\n"].concat(),
    }
}

/// Whether a line between rendered headings could come from a log.
fn is_rendered(text: &[u8], header: Header<'_>, in_header: bool) -> bool {
    let begins = |with: &str| text.starts_with(with.as_bytes());
    match in_header {
        _ if text.is_empty() => true,
        true => begins(CODE_ONLY) || begins(ABORTED) || header.labels.iter().any(|label| begins(label)),
        false => begins("- ") || text == NONE_YET.as_bytes(),
    }
}

/// The fence character that is open after this line.
fn fenced(text: &[u8], open: Option<u8>) -> Option<u8> {
    let mark = [b'`', b'~'].into_iter().find(|mark| text.starts_with(&[*mark; 3]));
    match (mark, open) {
        (Some(mark), None) => Some(mark),
        (Some(mark), Some(open)) if mark == open => None,
        _ => open,
    }
}

/// Whether a heading begins here, by its hashes or by the underline below it.
fn is_heading(text: &[u8], next: &[u8]) -> bool {
    let hashes = text.iter().take_while(|byte| **byte == b'#').count();
    if (1..=6).contains(&hashes) {
        return text.get(hashes).is_none_or(u8::is_ascii_whitespace);
    }
    let is_text = text.first().is_some_and(|byte| !b"-*+>|=#`~<".contains(byte));
    let is_line = |mark: u8| next.len() > 1 && next.iter().all(|byte| *byte == mark);
    is_text && (is_line(b'=') || is_line(b'-'))
}

fn is_ours(text: &[u8], title: &str) -> bool {
    let is = |ours: &str| text == ours.as_bytes();
    is(title) || is(PHASES) || is(ARTIFACTS) || text.starts_with(RECENT.as_bytes())
}
