//! Text in lines of a terminal's width, measured in columns: a letter of East Asian scripts and most emoji take two.

use std::io::{self, Write};

/// How wide text may be, in columns.
pub(super) const WIDTH: usize = 80;

/// How many columns `text` takes. `text` has no control characters.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

fn width(c: char) -> usize {
    match c {
        ' '..='~' => 1,
        // combining marks, which stand on the letter before them
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe0e}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' | '\u{a960}'..='\u{a97f}' => 2,
        '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff60}' => 2,
        '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1f64f}' | '\u{1f680}'..='\u{1faff}' => 2,
        '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// `text` followed by blanks up to the column `to`.
pub(super) fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(columns(text))))
}

/// Writes `text` in lines of at most [`WIDTH`]. `first` is the indent of the first line, `rest` the indent of the others.
pub(super) fn wrapped(text: &str, [first, rest]: [&str; 2], out: &mut dyn Write) -> io::Result<()> {
    for (index, line) in broken(text, WIDTH - rest.len().max(first.len())).iter().enumerate() {
        writeln!(out, "{}", format!("{}{line}", if index == 0 { first } else { rest }).trim_end())?;
    }
    Ok(())
}

/// `text` in lines of at most `width` columns. Lines break at blanks, and between wide letters, because scripts with wide
/// letters use no blanks. A longer narrow word, for example a path, has a line of its own.
pub(super) fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (index, word) in text.split(' ').enumerate() {
        for (part, piece) in pieces(word, width).into_iter().enumerate() {
            let blank = usize::from(index > 0 && part == 0);
            let taken = columns(piece);
            match lines.last_mut() {
                Some(line) if used == 0 || used + blank + taken <= width => {
                    let blank = if used == 0 { 0 } else { blank };
                    line.push_str(&" ".repeat(blank));
                    line.push_str(piece);
                    used += blank + taken;
                }
                _ => {
                    lines.push(piece.to_owned());
                    used = taken;
                }
            }
        }
    }
    lines
}

/// The word itself; or its letters, if the word is too long for a line and has wide letters.
fn pieces(word: &str, to: usize) -> Vec<&str> {
    if columns(word) <= to || word.chars().all(|c| width(c) < 2) {
        return vec![word];
    }
    let starts: Vec<usize> =
        word.char_indices().filter(|(at, c)| *at == 0 || width(*c) > 0).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([word.len()]);
    starts.iter().zip(ends).map(|(start, end)| &word[*start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_at_a_blank_and_a_long_word_has_its_own() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("a src/a/long/path.rs b", 8), ["a", "src/a/long/path.rs", "b"]);
        assert_eq!(broken("NAME   a > b", 20), ["NAME   a > b"], "blanks that align stay");
        assert_eq!(broken("", 8), [""]);
    }

    #[test]
    fn wide_letters_take_two_columns_and_need_no_blank_between_lines() {
        let text = "\u{82b1}\u{3092}\u{82b1}\u{3092}\u{82b1}";
        assert_eq!((columns(text), columns("e\u{301}"), columns("\u{e9}")), (10, 1, 1));
        assert_eq!(broken(text, 4), ["\u{82b1}\u{3092}", "\u{82b1}\u{3092}", "\u{82b1}"]);
        assert_eq!(padded("\u{82b1}", 4), "\u{82b1}  ");
    }
}
