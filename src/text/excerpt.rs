//! A few lines of a text with the faulty part marked, as data that accompanies a message. Input: the bytes of a file and a
//! place. Output: the lines from that place to the end of the faulty part, cut to a readable length, or nothing if they
//! must not be shown. Does not escape.

use super::secrets;
use bstr::{BString, ByteSlice};
use std::ops::Range;

/// How many lines are quoted at most.
const MOST_LINES: usize = 4;

/// How many bytes of a line are quoted at most on either side of the start of the marked part.
const REACH: usize = 240;

/// How far around the quoted part the search for secrets goes: the longest block of a private key.
const SECRETS_NEAR: usize = 32 << 10;

/// Lines of a text with a part of them marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first: u32,
    /// One line or more, as in the text, without line ends.
    pub lines: Vec<QuotedLine>,
}

/// A line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedLine {
    /// The quoted part of the line.
    pub text: BString,
    /// Whether the line has more text before that.
    pub(crate) cut_before: bool,
    /// Whether the line has more text after that.
    pub(crate) cut_behind: bool,
    /// The marked bytes of `text`; an empty range if something is missing there.
    pub marked: Range<usize>,
}

impl Excerpt {
    /// The excerpt for a place of `bytes`; the whole line is marked if `column` is not known. `None` if the text has no
    /// such line, if the line is blank, if a lone carriage return makes the line number ambiguous, or if the quoted part
    /// would show a secret.
    pub fn of(bytes: &[u8], line: u32, column: Option<u32>) -> Option<Self> {
        let start = start_of(bytes, line)?;
        let whole = line_at(bytes, start);
        let text = &bytes[whole.clone()];
        if text.trim().is_empty() {
            return None;
        }
        let marked = match column {
            Some(column) => {
                let begin = whole.start + offset_of(text, column);
                begin..begin + length_of(&bytes[begin..])
            }
            None => whole.start + (text.len() - text.trim_start().len())..whole.start + text.trim_end().len(),
        };
        let quoted = quoted(bytes, whole, &marked);
        (!holds_secret(bytes, &quoted)).then(|| Self {
            first: line,
            lines: quoted.into_iter().map(|quoted| quoted.line(bytes, &marked)).collect(),
        })
    }
}

fn start_of(bytes: &[u8], line: u32) -> Option<usize> {
    let before = usize::try_from(line).ok()?.checked_sub(1)?;
    let start = match before.checked_sub(1) {
        None => 0,
        Some(nth) => bytes.find_iter(b"\n").nth(nth)? + 1,
    };
    let is_lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    let has_lone = bytes[..start].find_iter(b"\r").any(is_lone);
    (start < bytes.len() && !has_lone).then_some(start)
}

/// The line at `start`, without its line end.
fn line_at(bytes: &[u8], start: usize) -> Range<usize> {
    let text = &bytes[start..];
    let text = text.find_byte(b'\n').map_or(text, |end| &text[..end]);
    start..start + text.strip_suffix(b"\r").unwrap_or(text).len()
}

/// The offset of the character `column`, from 1; the end of the line if the line is shorter. Invalid UTF-8 counts as the
/// characters that stand for it on a screen.
fn offset_of(line: &[u8], column: u32) -> usize {
    let nth = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
    line.char_indices().nth(nth).map_or(line.len(), |(start, ..)| start)
}

/// The length in bytes of the value at the beginning of `text`: a quoted text, a whole list or object, otherwise a word. 0
/// at the end of a line.
fn length_of(text: &[u8]) -> usize {
    let near = &text[..end_of_lines(text)];
    match near.first() {
        None | Some(b'\n' | b'\r') => 0,
        Some(quote @ (b'"' | b'\'')) => quoted_text(near, *quote).unwrap_or_else(|| word(near)),
        Some(b'[' | b'{') => bracketed(near).unwrap_or(1),
        Some(_) => word(near),
    }
}

/// The end of the lines that may be quoted.
fn end_of_lines(text: &[u8]) -> usize {
    text.find_iter(b"\n").nth(MOST_LINES - 1).unwrap_or(text.len())
}

fn quoted_text(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 1,
            byte if *byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

fn bracketed(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 1 => return Some(at + 1),
            b']' | b'}' => depth -= 1,
            quote @ (b'"' | b'\'') => at += quoted_text(&text[at..], *quote)? - 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// A word ends at a blank and at the end of a value or key. Any other first character is a word of its own.
fn word(text: &[u8]) -> usize {
    let ends = |at: usize, c: char| match c {
        ',' | ']' | '}' | '"' => true,
        ':' => text.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || *next == b'"'),
        c => c.is_whitespace() || c.is_control(),
    };
    let Some((_, first, c)) = text.char_indices().next() else { return 0 };
    if c.is_whitespace() || c.is_control() {
        return first;
    }
    text.char_indices().skip(1).find(|(at, _, c)| ends(*at, *c)).map_or(text.len(), |(at, ..)| at)
}

/// The quoted part of one line of `bytes`.
struct LineWindow {
    whole: Range<usize>,
    shown: Range<usize>,
}

/// The lines from the first one to the end of the marked part.
fn quoted(bytes: &[u8], first: Range<usize>, marked: &Range<usize>) -> Vec<LineWindow> {
    let mut all = vec![window(bytes, first, marked.start)];
    while let Some(last) = all.last().filter(|_| all.len() < MOST_LINES) {
        let end = last.whole.end;
        let Some(next) = bytes[end..].find_byte(b'\n').map(|at| end + at + 1) else { break };
        if next >= marked.end {
            break;
        }
        all.push(window(bytes, line_at(bytes, next), next));
    }
    all
}

/// The part of a line near `at`, cut between characters.
fn window(bytes: &[u8], whole: Range<usize>, at: usize) -> LineWindow {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let (mut start, mut end) = (at.saturating_sub(REACH).max(whole.start), (at + REACH).min(whole.end));
    // a character has at most three continuation bytes; longer runs are no characters
    for _ in 0..3 {
        start += usize::from(start > whole.start && start < at && is_inside(start));
        end -= usize::from(end < whole.end && end > at && is_inside(end));
    }
    LineWindow { whole, shown: start..end }
}

impl LineWindow {
    fn line(self, bytes: &[u8], marked: &Range<usize>) -> QuotedLine {
        let Self { whole, shown } = self;
        let within = |at: usize| at.clamp(shown.start, shown.end) - shown.start;
        QuotedLine {
            text: bytes[shown.clone()].into(),
            cut_before: shown.start > whole.start,
            cut_behind: shown.end < whole.end,
            marked: within(marked.start)..within(marked.end),
        }
    }
}

fn holds_secret(bytes: &[u8], quoted: &[LineWindow]) -> bool {
    let (Some(first), Some(last)) = (quoted.first(), quoted.last()) else { return false };
    let start = first.shown.start.saturating_sub(SECRETS_NEAR);
    let end = (last.shown.end + SECRETS_NEAR).min(bytes.len());
    let shown = first.shown.start - start..last.shown.end - start;
    let found = secrets::find(&bytes[start..end]);
    found.iter().any(|secret| secret.bytes.start < shown.end && shown.start < secret.bytes.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The marked part and its quoted surroundings, one line each.
    fn shown(text: impl AsRef<[u8]>, line: u32, column: u32) -> Option<String> {
        let excerpt = Excerpt::of(text.as_ref(), line, Some(column))?;
        let line = |line: &QuotedLine| {
            let (before, rest) = line.text.split_at(line.marked.start);
            let (marked, behind) = rest.split_at(line.marked.len());
            let cut = |is_cut: bool| if is_cut { "~" } else { "" };
            let [before, marked, behind] = [before, marked, behind].map(|part| part.to_str_lossy().into_owned());
            format!("{}{before}<{marked}>{behind}{}", cut(line.cut_before), cut(line.cut_behind))
        };
        Some(excerpt.lines.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn what_stands_at_the_place_is_marked() {
        for (text, line, column, expected) in [
            ("scenarios:\n  - name: works\n    taggs: [cli]\n", 3, 5, "    <taggs>: [cli]"),
            ("a: [b, src/a.rs]\n", 1, 8, "a: [b, <src/a.rs>]"),
            ("a: C:\\x\n", 1, 4, "a: <C:\\x>"),
            ("{\"a\": 12,\"b\":1}\n", 1, 7, "{\"a\": <12>,\"b\":1}"),
            ("{\"a\": \"x \\\" y\", \"b\":1}\n", 1, 7, "{\"a\": <\"x \\\" y\">, \"b\":1}"),
            ("a: 'it''s'\r\nb\r\n", 1, 4, "a: <'it'>'s'"),
            ("a: \"never ends\n", 1, 4, "a: <\"never> ends"),
            ("日本: ürg\n", 1, 5, "日本: <ürg>"),
            ("a\tb\n", 1, 2, "a<\t>b"),
            ("<<<<<<< HEAD\n", 1, 1, "<<<<<<<<> HEAD"),
            ("{\"torn\":\n", 1, 9, "{\"torn\":<>"),
            ("short\n", 1, 99, "short<>"),
        ] {
            assert_eq!(shown(text, line, column).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn a_list_over_several_lines_is_marked_to_its_end_or_as_far_as_lines_are_quoted() {
        assert_eq!(shown("code: [a,\n  \"]\",\n  c]\nd\n", 1, 7).as_deref(), Some("code: <[a,>\n<  \"]\",>\n<  c]>"));
        assert_eq!(shown("a: {\n\n\n\n\n}\n", 1, 4).as_deref(), Some("a: <{>"), "too many lines are not one mark");
    }

    #[test]
    fn without_a_column_all_of_the_line_is_marked() {
        let excerpt = Excerpt::of(b"a\n  {\"torn \r\n", 2, None).expect("a line");
        assert_eq!((excerpt.lines[0].text.as_bstr(), excerpt.lines[0].marked.clone()), (b"  {\"torn ".as_bstr(), 2..8));
    }

    #[test]
    fn of_a_long_line_little_is_quoted_and_no_character_is_cut() {
        let long = format!("{}x{}", "é".repeat(500_000), "é".repeat(500_000));
        let excerpt = Excerpt::of(long.as_bytes(), 1, Some(500_001)).expect("a line");
        let line = &excerpt.lines[0];
        assert!(line.cut_before && line.cut_behind && line.text.len() <= 2 * REACH, "{}", line.text.len());
        assert!(line.text.to_str().is_ok_and(|text| text[..line.marked.start].chars().all(|c| c == 'é')));
        assert_eq!(line.text[line.marked.start], b'x');
    }

    #[test]
    fn what_is_not_utf_8_is_counted_as_it_is_shown() {
        assert_eq!(shown(b"\xff\xfe bad\n", 1, 4).as_deref(), Some("\u{fffd}\u{fffd} <bad>"));
        assert_eq!(shown(b"ok \xff\n", 1, 4).as_deref(), Some("ok <\u{fffd}>"));
    }

    #[test]
    fn nothing_is_quoted_where_there_is_nothing_or_where_nobody_knows_which_line_it_is() {
        for (text, line) in [("", 1), ("a\n", 2), ("a\n", 0), ("a\n \nb\n", 2), ("a\rb\nc\n", 2), ("a\n", u32::MAX)] {
            assert_eq!(shown(text, line, 1), None, "{text:?}");
        }
        assert_eq!(shown("a\rb\n", 1, 3).as_deref(), Some("a\r<b>"), "before it everybody agrees");
    }

    #[test]
    fn a_line_with_a_secret_in_it_is_not_quoted_also_where_the_secret_is_cut() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert_eq!(shown(format!("expcted: {token}\n"), 1, 1), None);
        assert_eq!(shown(format!("expcted: {}{token}\n", "x ".repeat(100)), 1, 1), None, "cut within it");
        assert_eq!(shown(format!("note: {token}\nexpcted: x\n"), 2, 1).as_deref(), Some("<expcted>: x"));
        let key = format!("-----BEGIN {0}-----\nMIIE\n-----END {0}-----\n", "RSA PRIVATE KEY");
        assert_eq!(shown(key, 2, 1), None);
    }

    proptest! {
        #[test]
        fn whatever_the_text_is_little_of_it_is_quoted(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'['), Just(b'"'), any::<u8>()], 0..900),
            (line, column) in (0u32..9, proptest::option::of(0u32..999)),
        ) {
            if let Some(excerpt) = Excerpt::of(&bytes, line, column) {
                prop_assert!((1..=MOST_LINES).contains(&excerpt.lines.len()));
                for line in &excerpt.lines {
                    prop_assert!(line.text.len() <= 2 * REACH && line.marked.end <= line.text.len());
                    prop_assert!(!line.text.contains(&b'\n'));
                }
            }
        }
    }
}
