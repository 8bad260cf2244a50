//! Commands that a person pastes into a POSIX shell.

use super::escape::terminal;
use std::fmt::Write;

/// `text` as one word. A NUL byte, which no argument can hold, is shown as an escape. What a terminal would obey or not
/// show is spelled out byte by byte in `$'…'`: otherwise printing would escape it, and the command name something else.
pub(crate) fn word(text: &str) -> String {
    let shown = text.replace('\0', r"\0");
    if terminal(&shown) != shown {
        return spelled(&shown);
    }
    shlex::try_quote(&shown).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

/// In the quotes of bash, ksh, zsh and POSIX 2024.
fn spelled(text: &str) -> String {
    let mut out = String::from("$'");
    for byte in text.bytes() {
        match byte {
            b'\'' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            // writing to a string cannot fail
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        assert_eq!(word("board/renders"), "board/renders");
        for text in ["it's here", "", "a b", "$(x)", "~", "\\", "caf\u{e9}", "!x", "\"'`"] {
            assert_eq!(shlex::split(&word(text)), Some(vec![text.to_owned()]), "{text}");
        }
        assert_eq!(word("a\n\u{202e}'b\\"), r"$'a\012\342\200\256\'b\\'");
    }
}
