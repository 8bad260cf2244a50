//! Patterns of OpenSSH: `*` for any characters, `?` for one; letters match in any case, because they are mail addresses.

/// Whether `pattern` matches the whole `text`.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_ascii_lowercase(), text.to_ascii_lowercase());
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // the place after the last `*`, and how much of the text that `*` has taken: without it hostile patterns cost exponentially
    let (mut at, mut here, mut star) = (0, 0, None);
    while here < text.len() {
        match pattern.get(at) {
            Some('*') => {
                at += 1;
                star = Some((at, here));
            }
            Some(letter) if *letter == '?' || *letter == text[here] => (at, here) = (at + 1, here + 1),
            _ => match star {
                Some((after, taken)) => {
                    (at, here) = (after, taken + 1);
                    star = Some((after, taken + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
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
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)), "and in no exponential time");
    }
}
