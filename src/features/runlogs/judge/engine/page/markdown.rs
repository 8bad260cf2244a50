//! Text of a log as Markdown text: a reader sees exactly its characters, and no renderer makes a heading, a link, an image,
//! code or HTML of them. The text must not be at the beginning of a line, where more characters have a meaning.

use crate::text::escape::terminal;

/// `text` with every character escaped that Markdown, GitHub Markdown or HTML would interpret.
pub(super) fn plain(text: &str) -> String {
    let shown = terminal(text);
    let letters: Vec<char> = shown.chars().collect();
    let mut out = String::with_capacity(shown.len());
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            letter => {
                if must_escape(&letters, at) {
                    out.push('\\');
                }
                out.push(*letter);
            }
        }
    }
    out
}

/// Whether the character could be syntax. A dot and a colon are escaped at the beginning of an address, which would become
/// a link.
fn must_escape(letters: &[char], at: usize) -> bool {
    let is_word = |at: usize| letters.get(at).is_some_and(|letter| letter.is_alphanumeric());
    let before = |count: usize| at.checked_sub(count).map(|from| letters[from..at].iter().collect::<String>());
    match letters[at] {
        '\\' | '`' | '*' | '[' | ']' | '{' | '}' | '#' | '|' | '~' | '$' | '@' | '!' => true,
        '_' => !(at > 0 && is_word(at - 1) && is_word(at + 1)),
        ':' => letters.get(at + 1) == Some(&'/'),
        '.' => before(3).is_some_and(|word| word.eq_ignore_ascii_case("www")),
        _ => false,
    }
}
