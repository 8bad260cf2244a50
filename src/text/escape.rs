//! Makes text from a repository safe for a terminal: none of its characters moves the cursor, changes the reading direction
//! or hides text.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with every character written out that a terminal would obey or not show. Newline, tab and carriage return become
/// `\n`, `\t`, `\r`; other control, bidirectional and invisible characters `\u{..}`; bytes that are not UTF-8 `\xNN`. All
/// other text stays unchanged.
pub fn terminal<T: AsRef<[u8]> + ?Sized>(text: &T) -> Cow<'_, str> {
    let bytes = text.as_ref();
    let is_plain = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    match std::str::from_utf8(bytes) {
        Ok(clean) if is_plain => Cow::Borrowed(clean),
        Ok(clean) if !clean.chars().any(must_escape) => Cow::Borrowed(clean),
        _ => Cow::Owned(escaped(bytes)),
    }
}

/// The content of a double-quoted YAML string with this value, in ASCII: `cafe\u0301.rs`. For names that look equal and are
/// not.
pub(crate) fn in_ascii(text: &str) -> String {
    let spelled = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        c if u32::from(c) <= 0xffff => format!("\\u{:04x}", u32::from(c)),
        c => format!("\\U{:08x}", u32::from(c)),
    };
    text.chars().map(spelled).collect()
}

/// As [`terminal`] for a text of several lines. Newlines and tabs stay; a carriage return before a newline belongs to the line
/// end.
pub(crate) fn lines<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    let mut out = String::with_capacity(text.as_ref().len());
    for (at, line) in text.as_ref().split(|byte| *byte == b'\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (at, cell) in line.strip_suffix(b"\r").unwrap_or(line).split(|byte| *byte == b'\t').enumerate() {
            if at > 0 {
                out.push('\t');
            }
            out.push_str(&terminal(cell));
        }
    }
    out
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut out, c));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

fn push(out: &mut String, c: char) {
    match c {
        '\n' | '\t' | '\r' => out.extend(c.escape_default()),
        c if must_escape(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
}

fn must_escape(c: char) -> bool {
    c.is_control() || is_bidi(c) || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// How many characters of an argument, or of a text from a repository, a message repeats at most (hostile.md).
pub(crate) const ECHO: usize = 80;

/// The part of `text` that a message repeats. Does not escape.
pub(crate) fn echo(text: &str) -> Cow<'_, str> {
    clip(text, ECHO)
}

/// The first `max` characters of `text`, and `…` if it is longer. Does not escape.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Whether `c` changes the direction of the text around it (Unicode Bidi_Control).
pub fn is_bidi(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether `c` is invisible: Unicode Default_Ignorable_Code_Point and the interlinear marks, without the two variation
/// selectors of ordinary emoji.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a reader sees nothing at all: only white space and invisible characters.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_invisible(c) || matches!(c, '\u{fe0e}' | '\u{fe0f}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        for (text, shown) in [
            ("a\x1b[2Jb", "a\\u{1b}[2Jb"),
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\0\x7f\u{85}\u{9b}", "\\u{0}\\u{7f}\\u{85}\\u{9b}"),
            ("a\u{202e}b\u{2066}c\u{200f}", "a\\u{202e}b\\u{2066}c\\u{200f}"),
            ("a\u{200b}b\u{feff}\u{ad}\u{e0041}", "a\\u{200b}b\\u{feff}\\u{ad}\\u{e0041}"),
            ("a\u{2028}b", "a\\u{2028}b"),
        ] {
            assert_eq!(terminal(text), shown);
        }
        assert_eq!(terminal(&b"caf\xe9 \xff!"[..]), "caf\\xe9 \\xff!");
    }

    #[test]
    fn ordinary_text_is_untouched() {
        for text in ["plain", "Grüße, 世界", "עברית", "e\u{301}", "❤\u{fe0f}", "C:\\x", "😀"] {
            assert!(matches!(terminal(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn lines_and_columns_stay_where_a_text_has_several() {
        assert_eq!(lines("a\tb\r\n\x1b[1mc\rd\n"), "a\tb\n\\u{1b}[1mc\\rd\n");
        assert_eq!(lines(&b"\xff\n\xe2\x80\xae"[..]), "\\xff\n\\u{202e}");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äöü…");
        assert_eq!(clip(&"x".repeat(1 << 20), 80).chars().count(), 81);
    }

    #[test]
    fn blank_is_what_shows_nothing() {
        for text in ["", "  \t", "\u{200b}\u{feff}", "\u{2060}", "\u{a0}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank("\u{200b}a"));
    }

    proptest! {
        #[test]
        fn no_output_holds_a_control(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in ".*") {
            for shown in [terminal(&bytes), terminal(&text)] {
                prop_assert!(!shown.chars().any(|c| c.is_control() || is_bidi(c) || is_invisible(c)));
            }
        }
    }
}
