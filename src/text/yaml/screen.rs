//! Checks before a parser sees the text: its size, bytes that are not UTF-8, and characters that a terminal would obey.

use super::{MAX_BYTES, MAX_FAULTS};
use crate::text::escape::is_bidi;
use crate::text::frontmatter::Frontmatter;
use crate::text::source::{Fault, Position};
use bstr::ByteSlice;
use std::borrow::Cow;

pub(super) fn too_big(front: &Frontmatter<'_>) -> Fault {
    let message = format!("the frontmatter has {} bytes; the limit is {MAX_BYTES}", front.block.len());
    let at = Position { line: front.first_line, column: 1 };
    Fault::new(at, "size", message, "split the node: one scenario file per node, each with its own scenarios")
}

/// The block as text, with a fault for every refused character. Characters that would mislead the parser are replaced.
pub(super) fn text_of<'a>(front: &Frontmatter<'a>) -> (Cow<'a, str>, Vec<Fault>) {
    let mut faults = Vec::new();
    let text = match std::str::from_utf8(front.block) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            faults.push(not_utf8(front, error.valid_up_to()));
            String::from_utf8_lossy(front.block)
        }
    };
    if may_hold_refused(text.as_bytes()) {
        control_characters(&text, front, &mut faults);
    }
    let text = if faults.is_empty() { text } else { Cow::Owned(without_breakers(&text)) };
    (text, faults)
}

/// NUL would end the parser's input, and a lone carriage return would count as a line end.
fn without_breakers(text: &str) -> String {
    text.replace('\0', "\u{fffd}").replace("\r\n", "\n").replace('\r', " ")
}

fn not_utf8(front: &Frontmatter<'_>, valid: usize) -> Fault {
    let before = String::from_utf8_lossy(&front.block[..valid]);
    let line = before.matches('\n').count() as u32;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32;
    let message = format!("not UTF-8: byte 0x{:02X} at offset {}", front.block[valid], front.offset + valid);
    let at = Position { line: front.first_line + line, column: column + 1 };
    Fault::new(at, "encoding", message, "save the file as UTF-8")
}

/// A quick check without decoding whether UTF-8 text may hold a refused character; nearly no text does. Beyond ASCII these
/// are C1 controls (C2 80 to 9F) and direction marks (D8 9C, and some of E2 80 and E2 81).
fn may_hold_refused(text: &[u8]) -> bool {
    let is_control = |byte: &u8| (*byte < b' ' && *byte != b'\n' && *byte != b'\t') || *byte == 0x7f;
    // no early exit inside a chunk, so that the compiler can vectorise the loop
    let holds_control = |piece: &[u8]| piece.iter().fold(false, |found, byte| found | is_control(byte));
    text.chunks(256).any(holds_control) || !text.is_ascii() && holds_refused_beyond_ascii(text)
}

fn holds_refused_beyond_ascii(mut text: &[u8]) -> bool {
    while let Some(at) = text.find_byteset(b"\xc2\xd8\xe2") {
        text = &text[at..];
        let refused = matches!(
            text,
            [0xc2, 0x80..=0x9f, ..]
                | [0xd8, 0x9c, ..]
                | [0xe2, 0x80, 0x8e | 0x8f | 0xaa..=0xae, ..]
                | [0xe2, 0x81, 0xa6..=0xa9, ..]
        );
        if refused {
            return true;
        }
        text = &text[1..];
    }
    false
}

fn control_characters(text: &str, front: &Frontmatter<'_>, faults: &mut Vec<Fault>) {
    let mut at = Position { line: front.first_line, column: 1 };
    for (offset, c) in text.char_indices() {
        if is_refused(c, &text[offset..]) && faults.len() < MAX_FAULTS {
            faults.push(control(c, at, front.offset + offset));
        }
        at.column += 1;
        if c == '\n' {
            at = Position { line: at.line + 1, column: 1 };
        }
    }
}

/// Control and bidirectional characters; a carriage return is allowed before a newline.
fn is_refused(c: char, rest: &str) -> bool {
    match c {
        '\n' | '\t' => false,
        '\r' => !rest.starts_with("\r\n"),
        c => c.is_control() || is_bidi(c),
    }
}

fn control(c: char, at: Position, offset: usize) -> Fault {
    refused(c, at, |sort, code| format!("{sort} character {code} at byte {offset} is not allowed"))
}

/// The fault of a double-quoted scalar with an escape for a refused character: the decoded text may hold characters that the
/// file's bytes do not (`"\e["`, `"\u202E"`). A character that is literally in `source`, the scalar as written, has a fault
/// already.
pub(super) fn escaped(text: &str, source: impl Fn() -> String, at: Position) -> Option<Fault> {
    // in decoded text a carriage return is never a line end
    let found = || text.chars().filter(|c| is_refused(*c, ""));
    found().next()?;
    let written = source();
    let spelled = found().find(|c| !written.contains(*c))?;
    Some(refused(spelled, at, |sort, code| format!("an escape for the {sort} character {code} is not allowed")))
}

fn refused(c: char, at: Position, message: impl Fn(&str, &str) -> String) -> Fault {
    let sort = if c.is_control() { "control" } else { "bidirectional control" };
    let code = format!("U+{:04X}", u32::from(c));
    Fault::new(at, "control", message(sort, &code), "delete it, or describe it in words").about(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_look_misses_no_character() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let refused = is_refused(c, &text[1..]);
            assert!(!refused || may_hold_refused(text.as_bytes()), "{c:?}");
        }
        assert!(!may_hold_refused("a\n\tb \u{e4}\u{fc}\u{20ac}\u{1f600}".as_bytes()));
    }
}
