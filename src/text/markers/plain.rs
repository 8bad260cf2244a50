//! Lines without terminal escapes (ECMA-48): the visible text of a line that a program coloured.

use bstr::ByteSlice;
use std::borrow::Cow;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// The first byte of the control characters U+0080 to U+009F in UTF-8; the second byte is the character.
const C1: u8 = 0xc2;

/// `line` without escape sequences; an unfinished sequence extends to the end of the line.
pub(crate) fn without_escapes(line: &[u8]) -> Cow<'_, [u8]> {
    if line.find_byteset([ESC, C1]).is_none() {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find_byteset([ESC, C1]) {
        plain.extend_from_slice(&rest[..at]);
        let length = escape(&rest[at..]);
        // no escape: a letter with the same first byte
        plain.extend_from_slice(&rest[at..at + usize::from(length == 0)]);
        rest = &rest[at + length.max(1)..];
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

/// The length of the escape sequence at the beginning of `text`; 0 if there is none.
fn escape(text: &[u8]) -> usize {
    match text {
        [ESC, b'[', body @ ..] | [C1, 0x9b, body @ ..] => 2 + control(body),
        [ESC, b']' | b'P' | b'X' | b'^' | b'_', body @ ..] | [C1, 0x9d | 0x90 | 0x98 | 0x9e | 0x9f, body @ ..] => {
            2 + string(body)
        }
        [ESC, b' '..=b'/', body @ ..] => {
            let between = run(body, b' '..=b'/');
            2 + between + usize::from(matches!(body.get(between), Some(b'0'..=b'~')))
        }
        [ESC, b'0'..=b'~', ..] | [C1, 0x80..=0x9f, ..] => 2,
        [ESC, ..] => 1,
        _ => 0,
    }
}

/// The length of the parameters, the intermediate bytes and the final byte. Any other byte ends the sequence and is text.
fn control(body: &[u8]) -> usize {
    let parameters = run(body, b'0'..=b'?');
    let between = parameters + run(&body[parameters..], b' '..=b'/');
    between + usize::from(matches!(body.get(between), Some(b'@'..=b'~')))
}

fn run(text: &[u8], of: std::ops::RangeInclusive<u8>) -> usize {
    text.iter().take_while(|byte| of.contains(byte)).count()
}

/// The length of a title or a link, including its terminator.
fn string(body: &[u8]) -> usize {
    let mut from = 0;
    while let Some(at) = body[from..].find_byteset([BEL, ESC, C1]).map(|at| from + at) {
        match &body[at..] {
            [BEL, ..] => return at + 1,
            [ESC, b'\\', ..] | [C1, 0x9c, ..] => return at + 2,
            _ => from = at + 1,
        }
    }
    body.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_taken_out_and_the_rest_stays() {
        for (line, plain) in [
            ("plain caf\u{e9} \u{bd}", "plain caf\u{e9} \u{bd}"),
            ("\x1b[1;32ma\x1b[0mb", "ab"),
            ("\x1b[?25l\x1b[2Ka\x1b[K", "a"),
            ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\", "ab"),
            ("\x1b(Ba\x1bMb\x1b7", "ab"),
            ("\u{9b}31ma\u{9d}t\u{9c}b\u{85}", "ab"),
            ("a\x1b[31", "a"),
            ("a\x1b]never ends", "a"),
            ("a\x1b", "a"),
            ("\x1b[31\u{e9}", "\u{e9}"),
            ("\x1b\u{e9}", "\u{e9}"),
            ("\x1bPq#0\x1b[x\x1b\\a", "a"),
        ] {
            assert_eq!(without_escapes(line.as_bytes()).as_bstr(), plain.as_bytes().as_bstr(), "{line:?}");
        }
        assert_eq!(&*without_escapes(b"\xc2"), b"\xc2");
        assert_eq!(&*without_escapes(b"\xff\x1b[m\xfe"), b"\xff\xfe");
    }
}
