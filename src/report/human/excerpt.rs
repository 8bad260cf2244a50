//! Lines of a file below a finding, with a caret under the error. They always fit into the width of the terminal, and
//! control characters in them are escaped. Without a terminal only ASCII is drawn.

use crate::finding::Level;
use crate::report::view::Style;
use crate::text::escape;
use crate::text::excerpt::{Excerpt, QuotedLine};
use annotate_snippets::renderer::{AnsiColor, Color, DecorStyle, Effects, Renderer};
use annotate_snippets::{AnnotationKind, Group, Snippet};
use std::io::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// The assumed width when the terminal's width is unknown.
const COLUMNS: usize = 80;

/// No line is cut to fewer columns, however narrow the terminal is.
const LEAST: usize = 16;

/// The indent of everything below a finding.
const INDENT: &str = "    ";

/// Wider than any line, so that the renderer never cuts. Lines are cut here, by the columns that they take.
const UNCUT: usize = 1 << 14;

/// Writes the lines of `excerpt`.
pub(super) fn write(excerpt: &Excerpt, level: Level, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let last = excerpt.first as usize + excerpt.lines.len().saturating_sub(1);
    // each line follows a bar, and with several lines a mark that joins them
    let beside = INDENT.len() + last.to_string().len() + if excerpt.lines.len() > 1 { 5 } else { 3 };
    let room = style.width.unwrap_or(COLUMNS).saturating_sub(beside).max(LEAST);
    let (text, marked) = joined(excerpt, room, if style.ascii { "..." } else { "…" });
    let snippet = Snippet::source(text).line_start(excerpt.first as usize).fold(false);
    let snippet = snippet.annotation(AnnotationKind::Primary.span(marked));
    let drawn = renderer(style).render(&[Group::with_level(sort_of(level)).element(snippet)]);
    // the renderer's first line is empty: it would separate a message from its lines
    for line in drawn.lines().skip(1) {
        writeln!(out, "{INDENT}{}", line.trim_end())?;
    }
    Ok(())
}

fn sort_of(level: Level) -> annotate_snippets::Level<'static> {
    match level {
        Level::Error => annotate_snippets::Level::ERROR,
        Level::Warning => annotate_snippets::Level::WARNING,
        Level::Info => annotate_snippets::Level::INFO,
    }
}

fn renderer(style: &Style) -> Renderer {
    let decor = if style.ascii { DecorStyle::Ascii } else { DecorStyle::Unicode };
    let plain = Renderer::plain().decor_style(decor).term_width(UNCUT);
    if !style.color {
        return plain;
    }
    let of = |level: Level| {
        let color = match level {
            Level::Error => Color::Ansi256(super::ORANGE.into()),
            Level::Warning | Level::Info => Color::Ansi(AnsiColor::Blue),
        };
        color.on_default().effects(Effects::BOLD)
    };
    let dimmed = annotate_snippets::renderer::Style::new().effects(Effects::DIMMED);
    plain.error(of(Level::Error)).warning(of(Level::Warning)).info(of(Level::Info)).line_num(dimmed)
}

/// The lines as they are drawn, and the byte range to mark.
fn joined(excerpt: &Excerpt, room: usize, cut: &str) -> (String, Range<usize>) {
    let (mut text, mut marks): (String, Vec<Range<usize>>) = (String::new(), Vec::new());
    for line in &excerpt.lines {
        if !marks.is_empty() {
            text.push('\n');
        }
        let (line, marked) = FittedLine::of(line, room, cut).drawn();
        marks.push(text.len() + marked.start..text.len() + marked.end);
        text += &line;
    }
    let start = marks.first().map_or(0, |first| first.start);
    let end = marks.last().map_or(0, |last| last.end);
    (text, start..end)
}

/// A character of a line, or the escape that is shown in its place.
struct ShownPiece {
    text: String,
    columns: usize,
    is_marked: bool,
}

/// A line cut to the available width.
struct FittedLine<'c> {
    pieces: Vec<ShownPiece>,
    shown: Range<usize>,
    /// The index of the piece at which the mark begins; `pieces.len()` if the mark is behind the last piece.
    at: usize,
    before: &'c str,
    behind: &'c str,
}

impl<'c> FittedLine<'c> {
    fn of(line: &QuotedLine, room: usize, cut: &'c str) -> Self {
        let pieces = pieces(line);
        let at = pieces.iter().position(|piece| piece.is_marked).unwrap_or_else(|| behind(line, &pieces));
        // a caret behind the line takes a column too
        let room = room.saturating_sub(usize::from(at == pieces.len()));
        let columns = |pieces: &[ShownPiece]| pieces.iter().map(|piece| piece.columns).sum::<usize>();
        let sign = |is_cut: bool| if is_cut { cut } else { "" };
        let signs = sign(line.cut_before).width() + sign(line.cut_behind).width();
        if columns(&pieces) + signs <= room {
            let shown = 0..pieces.len();
            return Self { shown, pieces, at, before: sign(line.cut_before), behind: sign(line.cut_behind) };
        }
        let room = room.saturating_sub(2 * cut.width());
        // the marked pieces get up to two thirds of the room, the text before them the rest
        let wanted = columns(&pieces[at..]).min(room * 2 / 3);
        let (mut start, mut taken) = (at, wanted);
        while start > 0 && taken + pieces[start - 1].columns <= room {
            start -= 1;
            taken += pieces[start].columns;
        }
        // a combining mark stays with its letter
        while start < at && pieces[start].columns == 0 {
            start += 1;
        }
        let (mut end, mut taken) = (start, 0);
        while let Some(piece) = pieces.get(end).filter(|piece| taken + piece.columns <= room) {
            taken += piece.columns;
            end += 1;
        }
        let (before, behind) = (sign(line.cut_before || start > 0), sign(line.cut_behind || end < pieces.len()));
        Self { shown: start..end, pieces, at, before, behind }
    }

    /// The text, and the byte range of it that is marked.
    fn drawn(&self) -> (String, Range<usize>) {
        let (mut text, mut marked) = (self.before.to_owned(), None);
        for at in self.shown.clone() {
            let piece = &self.pieces[at];
            let start = text.len();
            text += &piece.text;
            if piece.is_marked || at == self.at {
                let begin = marked.as_ref().map_or(start, |marked: &Range<usize>| marked.start);
                // an empty mark, where something is missing, is an empty range
                marked = Some(begin..if piece.is_marked { text.len() } else { start });
            }
        }
        let end = text.len();
        text += self.behind;
        (text, marked.unwrap_or(end..end))
    }
}

/// The pieces of a line, escaped one by one.
fn pieces(line: &QuotedLine) -> Vec<ShownPiece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut push = |bytes: &[u8]| {
        let text = escape::terminal(bytes).into_owned();
        pieces.push(ShownPiece { columns: text.width(), is_marked: line.marked.contains(&at), text });
        at += bytes.len();
    };
    for chunk in line.text.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(c.encode_utf8(&mut [0; 4]).as_bytes()));
        chunk.invalid().iter().for_each(|byte| push(&[*byte]));
    }
    pieces
}

/// The number of pieces before an empty mark.
fn behind(line: &QuotedLine, pieces: &[ShownPiece]) -> usize {
    let before = QuotedLine { text: line.text[..line.marked.start].into(), marked: 0..0, ..line.clone() };
    self::pieces(&before).len().min(pieces.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::view::RuleText;
    use proptest::prelude::*;

    const DESCRIBE: fn(crate::finding::RuleId) -> RuleText = |_| RuleText { summary: "", why: "", mend: "" };
    const PIPE: Style =
        Style { color: false, verbose: false, quiet: false, ascii: true, width: None, describe: DESCRIBE };
    const TERMINAL: Style = Style { ascii: false, ..PIPE };

    fn drawn(text: impl AsRef<[u8]>, line: u32, column: u32, style: &Style) -> String {
        let excerpt = Excerpt::of(text.as_ref(), line, Some(column)).expect("a line");
        let mut out = Vec::new();
        write(&excerpt, Level::Error, style, &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    fn of_width(width: usize) -> Style {
        Style { width: Some(width), ..TERMINAL }
    }

    const MISSPELT: &str = "---\nscenarios:\n  - name: works\n    taggs: [cli]\n";

    /// About 3,000 letters with an error among them.
    fn long() -> String {
        format!("{{\"scenario\":\"{}\",\"ts\":12,\"note\":\"{}\"}}\n", "lorem ".repeat(250), "ipsum ".repeat(250))
    }

    fn in_long() -> u32 {
        long().find("12").map_or(0, |at| at as u32 + 1)
    }

    #[test]
    fn a_word_is_underlined_on_a_terminal_with_lines_and_in_a_pipe_with_carets() {
        insta::assert_snapshot!(drawn(MISSPELT, 4, 5, &TERMINAL), @r#"
        4 │     taggs: [cli]
          ╰╴    ━━━━━
        "#);
        insta::assert_snapshot!(drawn(MISSPELT, 4, 5, &PIPE), @r#"
        4 |     taggs: [cli]
          |     ^^^^^
        "#);
    }

    #[test]
    fn colours_are_orange_and_blue_and_the_same_lines_stand_there_without_them() {
        let colored = drawn(MISSPELT, 4, 5, &Style { color: true, ..TERMINAL });
        insta::assert_snapshot!(colored.escape_debug().to_string().replace("\\n", "\n"), @r#"
        \u{1b}[2m4\u{1b}[0m \u{1b}[2m│\u{1b}[0m     taggs: [cli]
          \u{1b}[2m╰╴\u{1b}[0m    \u{1b}[1m\u{1b}[38;5;208m━━━━━\u{1b}[0m
        "#);
    }

    #[test]
    fn what_goes_over_several_lines_is_marked_from_the_first_to_the_last() {
        let text = "  - name: works\n    code: [src/a.rs,\n      src/b.rs,\n    ]\n    tags: [cli]\n";
        insta::assert_snapshot!(drawn(text, 2, 11, &TERMINAL), @r#"
        2 │       code: [src/a.rs,
          │ ┏━━━━━━━━━━━┛
        3 │ ┃       src/b.rs,
        4 │ ┃     ]
          ╰╴┗━━━━━┛
        "#);
        insta::assert_snapshot!(drawn(text, 2, 11, &PIPE), @r#"
        2 |       code: [src/a.rs,
          |  ___________^
        3 | |       src/b.rs,
        4 | |     ]
          | |_____^
        "#);
    }

    #[test]
    fn a_long_line_is_cut_around_what_is_wrong() {
        insta::assert_snapshot!(drawn(long(), 1, in_long(), &of_width(80)), @r#"
        1 │ …orem lorem lorem ","ts":12,"note":"ipsum ipsum ipsum ipsum ipsum ipsum…
          ╰╴                         ━━
        "#);
        insta::assert_snapshot!(drawn(long(), 1, in_long(), &of_width(40)), @r#"
        1 │ …em ","ts":12,"note":"ipsum ips…
          ╰╴           ━━
        "#);
        insta::assert_snapshot!(drawn(long(), 1, in_long(), &PIPE), @r#"
        1 | ...em lorem lorem ","ts":12,"note":"ipsum ipsum ipsum ipsum ipsum ips...
          |                          ^^
        "#);
        insta::assert_snapshot!(drawn(long(), 1, 1, &of_width(40)), @r#"
        1 │ {"scenario":"lorem lorem lorem…
          ╰╴━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
        "#);
        insta::assert_snapshot!(drawn(format!("a: {}", "z".repeat(300)), 1, 4, &of_width(40)), @r#"
        1 │ a: zzzzzzzzzzzzzzzzzzzzzzzzzzz…
          ╰╴   ━━━━━━━━━━━━━━━━━━━━━━━━━━━
        "#);
        insta::assert_snapshot!(drawn(format!("{{\"a\":\"{}", "z".repeat(300)), 1, 999, &of_width(40)), @r#"
        1 │ …zzzzzzzzzzzzzzzzzzzzzzzzzzzzz
          ╰╴                              ━
        "#);
    }

    #[test]
    fn wide_characters_take_the_columns_that_they_have() {
        insta::assert_snapshot!(drawn("  日本語: 値\n", 1, 8, &TERMINAL), @r#"
        1 │   日本語: 値
          ╰╴          ━━
        "#);
        insta::assert_snapshot!(drawn("  😀 ❤\u{fe0f}: bad\n", 1, 9, &TERMINAL), @r#"
        1 │   😀 ❤️: bad
          ╰╴        ━━━
        "#);
        insta::assert_snapshot!(drawn("  e\u{301}e\u{301}: bad\n", 1, 9, &TERMINAL), @r#"
        1 │   éé: bad
          ╰╴      ━━━
        "#);
        insta::assert_snapshot!(drawn(format!("{}: 値{}\n", "日本語".repeat(30), "語".repeat(90)), 1, 93, &of_width(40)), @r#"
        1 │ …語日本語: 値語語語語語語語語語…
          ╰╴           ━━━━━━━━━━━━━━━━━━━━
        "#);
    }

    #[test]
    fn nothing_acts_on_a_terminal() {
        let nasty = "\u{1b}[2J\tname: \u{202e}evil\u{9b}31m\0 \u{200b}x\r\n";
        insta::assert_snapshot!(drawn(nasty, 1, 8, &TERMINAL), @r#"
        1 │ \u{1b}[2J\tname: \u{202e}evil\u{9b}31m\u{0} \u{200b}x
          ╰╴             ━━
        "#);
        insta::assert_snapshot!(drawn(nasty, 1, 1, &PIPE), @r#"
        1 | \u{1b}[2J\tname: \u{202e}evil\u{9b}31m\u{0} \u{200b}x
          | ^^^^^^
        "#);
        insta::assert_snapshot!(drawn(b"caf\xe9: \xff\xfe bad\n", 1, 7, &PIPE), @r#"
        1 | caf\xe9: \xff\xfe bad
          |          ^^^^^^^^
        "#);
    }

    proptest! {
        #[test]
        fn whatever_the_text_is_it_fits_and_is_inert(
            text in "[ -~\t]{0,40}(\\PC|.|\u{1b}|\u{202e}|\u{301}|日|\n){0,300}",
            (line, column) in (1u32..3, proptest::option::of(1u32..400)),
            (width, ascii) in (30usize..120, any::<bool>()),
        ) {
            let style = Style { ascii, width: Some(width), ..TERMINAL };
            if let Some(excerpt) = Excerpt::of(text.as_bytes(), line, column) {
                let mut out = Vec::new();
                write(&excerpt, Level::Error, &style, &mut out).expect("memory");
                let drawn = String::from_utf8(out).expect("text");
                let acting = drawn.chars().find(|c| *c != '\n' && (c.is_control() || escape::is_bidi(*c) || escape::is_invisible(*c)));
                prop_assert_eq!(acting, None, "{}", drawn);
                prop_assert!(drawn.lines().all(|line| line.width() <= width), "{} {}", width, drawn);
                prop_assert!(drawn.lines().all(|line| line.starts_with(INDENT)));
                prop_assert!(drawn.contains(if ascii { '^' } else { '━' }), "{}", drawn);
                if ascii && text.is_ascii() {
                    prop_assert!(drawn.is_ascii(), "{}", drawn);
                }
            }
        }
    }
}
