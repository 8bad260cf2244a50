//! Commands for a person to paste into a POSIX shell.

use super::escape::terminal;
use std::borrow::Cow;
use std::fmt::{Display, Write};

/// Marks a path that is relative to the top of the work tree, until the user's directory is known. [`word`] never writes
/// this mark: it spells out a name that holds one.
const FROM_TOP: char = '\u{1}';

/// A path relative to the top of the work tree, as one word of a command. The code that prints the command passes it
/// through [`typed`].
pub(crate) fn place(path: impl Display) -> String {
    format!("{FROM_TOP}{}", word(&path.to_string()))
}

/// The directory in which the user types commands, relative to the top of the work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkingDir {
    /// The path up to the top of the work tree, with a slash at its end; empty at the top.
    pub up: String,
    /// The directory relative to the top, with a slash at its end; empty at the top, and outside of the work tree.
    pub below: String,
}

/// At the top of the work tree, or if the directory is not known.
pub(crate) static AT_TOP: WorkingDir = WorkingDir { up: String::new(), below: String::new() };

/// `text` with the paths of [`place`] made relative to the user's directory.
pub(crate) fn typed<'t, 's>(text: &'t str, at: impl FnOnce() -> &'s WorkingDir) -> Cow<'t, str> {
    if !text.contains(FROM_TOP) {
        return Cow::Borrowed(text);
    }
    let WorkingDir { up, below } = at();
    // a quoted path follows the unquoted `up` directly, and the shell joins them; a plain name may begin with a dash
    let near = if below.is_empty() { text.to_owned() } else { text.replace(&format!("{FROM_TOP}{below}"), "./") };
    Cow::Owned(near.replace(FROM_TOP, up))
}

/// `text` as one word. A NUL byte, which no argument can hold, is shown as an escape. Characters that a terminal would obey
/// or hide are spelled byte by byte in `$'…'`; otherwise printing would escape them, and the command would name another
/// file.
pub(crate) fn word(text: &str) -> String {
    let shown = text.replace('\0', r"\0");
    if terminal(&shown) != shown {
        return spelled(&shown);
    }
    shlex::try_quote(&shown).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

/// `word` quoted as one word for sh. Always in single quotes, unlike [`word()`], which is for people: readers of a written file
/// find a path by these quotes, and a file for sh must hold a path byte for byte, control characters included.
pub(crate) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The quoting `$'…'` of bash, ksh, zsh and POSIX 2024.
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

    #[test]
    fn a_path_from_the_top_is_typed_as_it_is_reached_from_where_one_stands() {
        let at = |up: &str, below: &str| WorkingDir { up: up.to_owned(), below: below.to_owned() };
        for (path, dir, expected) in [
            ("docs/a.txt", at("", ""), "docs/a.txt"),
            ("docs/a b.txt", at("", ""), "'docs/a b.txt'"),
            ("docs/a.txt", at("../", "src/"), "../docs/a.txt"),
            ("docs/a b.txt", at("../", "docs/"), "../'docs/a b.txt'"),
            ("docs/-x", at("../", "docs/"), "./-x"),
            ("src/in/x", at("../../", "src/in/"), "./x"),
            ("-x", at("../", "src/"), "../-x"),
            ("a\u{1}b", at("../", "src/"), r"../$'a\001b'"),
        ] {
            let text = format!("git add -- {}, then commit", place(path));
            assert_eq!(typed(&text, || &dir), format!("git add -- {expected}, then commit"));
        }
        assert_eq!(typed("git commit", || panic!("nobody asks")), "git commit");
    }
}
