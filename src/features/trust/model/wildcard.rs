//! Patterns of OpenSSH: `*` for any characters, `?` for one.

/// Whether `pattern` matches the whole `text`, letters in any case, because they are mail addresses.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let lower = |text: &str| text.to_ascii_lowercase().chars().collect::<Vec<char>>();
    is_match(&lower(pattern), &lower(text), ['*', '?'])
}

/// The same byte by byte, as OpenSSH compares principals.
pub(crate) fn matches_bytes(pattern: &str, text: &str) -> bool {
    is_match(pattern.as_bytes(), text.as_bytes(), [b'*', b'?'])
}

fn is_match<T: Copy + PartialEq>(pattern: &[T], text: &[T], [many, one]: [T; 2]) -> bool {
    // the place after the last `*`, and how much of the text that `*` has taken: without it hostile patterns cost exponentially
    let (mut at, mut here, mut star) = (0, 0, None);
    while here < text.len() {
        match pattern.get(at) {
            Some(letter) if *letter == many => {
                at += 1;
                star = Some((at, here));
            }
            Some(letter) if *letter == one || *letter == text[here] => (at, here) = (at + 1, here + 1),
            _ => match star {
                Some((after, taken)) => {
                    (at, here) = (after, taken + 1);
                    star = Some((after, taken + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == many)
}

/// Whether `text` is a pattern and no name.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_match_the_whole_text_in_any_case() {
        for (pattern, text) in
            [("*", ""), ("*@example.org", "Ann@Example.org"), ("a?n@x", "ann@x"), ("*a*b*", "xxaxxbxx"), ("", "")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("?", ""), ("*@example.org", "ann@example.org.evil"), ("ann", "anna"), ("*a", "ab"), ("", "a")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(matches_bytes("*@x", "ann@x") && !matches_bytes("Ann@*", "ann@x") && matches_bytes("??", "\u{e9}"));
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)), "and in no exponential time");
    }
}
