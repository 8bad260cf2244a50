//! Text from a repository, made safe for a terminal.

use std::borrow::Cow;

/// `text` with every control and bidirectional control character spelled out, and bytes that are not UTF-8 as `\xNN`.
pub fn terminal<T: AsRef<[u8]> + ?Sized>(text: &T) -> Cow<'_, str> {
    match std::str::from_utf8(text.as_ref()) {
        Ok(text) if !text.chars().any(is_unsafe) => Cow::Borrowed(text),
        Ok(text) => Cow::Owned(text.chars().map(spelled).collect()),
        Err(_) => Cow::Owned(text.as_ref().iter().map(|byte| byte.escape_ascii().to_string()).collect()),
    }
}

fn spelled(c: char) -> String {
    if is_unsafe(c) { c.escape_unicode().to_string() } else { c.to_string() }
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
