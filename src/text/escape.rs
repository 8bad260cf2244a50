//! Text from a repository, made safe for a terminal.

use std::borrow::Cow;

/// `text` with every control and bidirectional control character spelled out.
pub fn terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().fold(String::new(), |mut out, c| {
        if is_unsafe(c) {
            out.extend(c.escape_unicode())
        } else {
            out.push(c)
        }
        out
    }))
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
