//! The lines of a Markdown file as two tools use them: headings, text, and code. A code fence or an HTML comment has no
//! headings.

use super::UnreadFeature;
use super::steps::{Steps, is_step_word};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkdownLine<'a> {
    /// A heading: its level and its text.
    Heading(usize, &'a str),
    /// Any other line, without white space at its end.
    Text(&'a str),
    /// A line of a code fence, also its first and its last one.
    Code(&'a str),
}

/// A line and its number, from 1.
pub(super) type NumberedLine<'a> = (usize, MarkdownLine<'a>);

/// The lines of `text`, without the HTML comments that begin a line.
///
/// # Errors
/// A fence or a comment without an end, because it would hide the rest of the file.
pub(super) fn lines(text: &str) -> Result<Vec<NumberedLine<'_>>, UnreadFeature> {
    let mut lines = Vec::new();
    let (mut comment, mut fence): (Option<usize>, Option<(usize, CodeFence)>) = (None, None);
    for (number, line) in (1..).zip(text.lines()) {
        if let Some((_, open)) = fence {
            lines.push((number, MarkdownLine::Code(line.trim_end())));
            fence = fence.filter(|_| !open.is_closed_by(line.trim()));
            continue;
        }
        let Some(line) = without_comments(number, line, &mut comment) else { continue };
        let text = line.trim();
        match fence_of(item(text).unwrap_or(text)) {
            Some(open) => {
                fence = Some((number, open));
                lines.push((number, MarkdownLine::Code(line.trim_end())));
            }
            None => lines.push((number, heading(line).unwrap_or(MarkdownLine::Text(line.trim_end())))),
        }
    }
    match (fence, comment) {
        (Some((number, _)), _) => Err(UnreadFeature::OpenFence(number)),
        (None, Some(number)) => Err(UnreadFeature::OpenComment(number)),
        (None, None) => Ok(lines),
    }
}

/// The line behind the comments at its beginning; `None` if nothing is left. `open` is the line of an open comment.
fn without_comments<'a>(number: usize, line: &'a str, open: &mut Option<usize>) -> Option<&'a str> {
    let mut rest = line;
    loop {
        if open.is_some() {
            rest = rest.split_once("-->")?.1;
            *open = None;
        }
        match rest.trim_start().strip_prefix("<!--") {
            Some(inside) => {
                *open = Some(number);
                rest = inside;
            }
            None if rest.len() == line.len() => return Some(line),
            None => return (!rest.trim().is_empty()).then(|| rest.trim_start()),
        }
    }
}

/// The marks that open a code fence, for example four backticks.
#[derive(Clone, Copy)]
struct CodeFence {
    mark: char,
    length: usize,
}

impl CodeFence {
    fn is_closed_by(self, line: &str) -> bool {
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

fn fence_of(line: &str) -> Option<CodeFence> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some(CodeFence { mark, length })
}

fn heading(line: &str) -> Option<MarkdownLine<'_>> {
    let text = line.trim_start_matches(' ');
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    let is_heading =
        line.len() - text.len() <= 3 && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| MarkdownLine::Heading(level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Whether the line is a rule, for example `---`.
pub(super) fn is_rule(line: &str) -> bool {
    ['-', '*', '_'].iter().any(|mark| {
        let marks = line.chars().filter(|c| c == mark).count();
        marks >= 3 && line.chars().all(|c| c == *mark || c.is_whitespace())
    })
}

/// The text behind the mark of a list item, for example behind `- ` or `12. `.
pub(super) fn item(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match text.len() - digits.len() {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=9 => digits.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// The text without the `**` of bold words. A `**` in a code span stays, for example in `src/**`.
pub(super) fn without_bold(text: &str) -> String {
    pieces(text).into_iter().map(|piece| piece.text).collect()
}

/// Whether the line begins with bold words that are no word of a step, for example `**Independent Test**: none`.
pub(super) fn begins_with_label(line: &str) -> bool {
    let first = pieces(line).into_iter().find(|piece| !piece.text.trim().is_empty());
    first.is_some_and(|piece| piece.is_bold && piece.step_word().is_none())
}

/// A part of a line.
struct BoldPiece<'a> {
    text: &'a str,
    is_bold: bool,
}

impl<'a> BoldPiece<'a> {
    /// The word, if the piece is bold and begins a step: `**Given**` or `**WHEN:**`.
    fn step_word(&self) -> Option<&'a str> {
        let word = self.text.trim().trim_end_matches([':', ',']);
        (self.is_bold && is_step_word(word)).then_some(word)
    }
}

/// The line, cut at pairs of `**` outside of code spans.
fn pieces(line: &str) -> Vec<BoldPiece<'_>> {
    let mut marks = Vec::new();
    let mut start = 0;
    for (at, span) in line.split('`').enumerate() {
        if at % 2 == 0 {
            marks.extend(span.match_indices("**").map(|(mark, _)| start + mark));
        }
        start += span.len() + 1;
    }
    let (mut pieces, mut from) = (Vec::new(), 0);
    for pair in marks.chunks_exact(2) {
        pieces.push(BoldPiece { text: &line[from..pair[0]], is_bold: false });
        pieces.push(BoldPiece { text: &line[pair[0] + 2..pair[1]], is_bold: true });
        from = pair[1] + 2;
    }
    pieces.push(BoldPiece { text: &line[from..], is_bold: false });
    pieces
}

impl Steps {
    /// Adds a line of text: a bold `**Given**`, or `WHEN` in capitals at its beginning, begins a step. Other text continues
    /// the last step: after a blank if it is wrapped, as a line of its own if it is an item or follows an empty line.
    pub(super) fn text(&mut self, line: &str, after_blank: bool) {
        let line = line.trim_start();
        let inner = item(line).unwrap_or(line);
        if let Some((word, rest)) = capitals(inner) {
            return self.word(word, &without_bold(rest));
        }
        let (mut word, mut text) = (None, line[..line.len() - inner.len()].to_owned());
        for piece in pieces(inner) {
            match piece.step_word() {
                None => text.push_str(piece.text),
                Some(next) => {
                    self.add(word.replace(next), &text, after_blank);
                    text.clear();
                }
            }
        }
        self.add(word, &text, after_blank);
    }

    /// Adds the text behind `word`, or the text of a line before its first step word, with the mark of its item.
    fn add(&mut self, word: Option<&str>, text: &str, after_blank: bool) {
        let (text, inner) = (text.trim(), item(text).unwrap_or(text).trim());
        match word {
            Some(word) => self.word(word, text),
            None if inner.is_empty() || item(text) == Some("") => {}
            None if self.has_none() => self.begin("", inner),
            None => {
                let is_own = after_blank || item(text).is_some() || text.starts_with('|');
                self.go_on(if is_own { '\n' } else { ' ' }, text);
            }
        }
    }

    fn word(&mut self, word: &str, text: &str) {
        self.drop_comma();
        self.begin(word, text.trim_start_matches([':', ',']).trim());
    }
}

/// A step word in capitals at the beginning of the text, and the rest.
fn capitals(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let name = word.trim_end_matches(':');
    (is_step_word(name) && name.chars().all(|c| c.is_ascii_uppercase())).then_some((name, rest))
}
