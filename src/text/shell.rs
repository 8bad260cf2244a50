//! Commands that a person pastes into a POSIX shell.

/// `text` as one word. A NUL byte, which no argument can hold, is shown as an escape.
pub fn word(text: &str) -> String {
    let shown = text.replace('\0', r"\0");
    shlex::try_quote(&shown).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_are() {
        assert_eq!(word("board/renders"), "board/renders");
        for text in ["it's here", "", "a b", "$(x)", "~", "\\", "a\nb", "caf\u{e9}", "!x", "\"'`"] {
            assert_eq!(shlex::split(&word(text)), Some(vec![text.to_owned()]), "{text}");
        }
    }
}
