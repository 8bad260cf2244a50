//! Compares spellings of test names. People write `Class::test`, `Class > test` or `Class.test`; runners write the class in
//! a field of its own, and the parameters of a case after its name.

use crate::model::ids::composed;

/// The separators between the names of suites, classes and tests, besides a dot.
const SEPARATORS: [&str; 3] = ["::", " > ", " › "];

/// A name in the form for comparison: NFC, with separators and runs of blanks as one blank.
pub(super) fn folded(name: &str) -> String {
    let mut text = composed(name).into_owned();
    for separator in SEPARATORS {
        if text.contains(separator) {
            text = text.replace(separator, " ");
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name of a test in its class, as [`asked`] spells it.
pub(super) fn within(class: &str, name: &str) -> String {
    folded(&format!("{} {name}", class.replace('.', " ")))
}

/// Every form that may match the name as typed: a dot in it may end the class or not.
pub(super) fn asked(name: &str) -> Vec<String> {
    let mut forms = vec![folded(name)];
    for (at, _) in name.match_indices('.') {
        let form = within(&name[..at], &name[at + 1..]);
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// The name without the parameters at its end: `adds[1-2]`, `adds(int)[1]`, `adds{int}`. A bracket after a blank is part of
/// the name. `None` for a name without parameters.
pub(super) fn without_parameters(name: &str) -> Option<&str> {
    if !name.ends_with([']', ')', '}']) {
        return None;
    }
    let opens = |(at, c): &(usize, char)| {
        *at > 0 && matches!(c, '[' | '(' | '{') && !name[..*at].ends_with(char::is_whitespace)
    };
    name.char_indices().find(opens).map(|(at, _)| &name[..at])
}

/// Whether `text` matches the pattern; `*` matches any text.
pub(super) fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(between) = last.replace(part) {
            let Some(at) = rest.find(between) else { return false };
            rest = &rest[at + between.len()..];
        }
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_test_has_one_form_however_it_is_spelled() {
        for spelled in ["Outer::Inner::adds", "Outer > Inner > adds", "Outer › Inner › adds", " Outer  Inner\r\nadds "]
        {
            assert_eq!(folded(spelled), "Outer Inner adds", "{spelled}");
        }
        assert_eq!(folded("cafe\u{301}"), folded("caf\u{e9}"));
        assert_eq!(within("Outer.Inner", "adds 1.5"), "Outer Inner adds 1.5");
        assert!(asked("Outer.Inner.adds").contains(&within("Outer.Inner", "adds")));
        assert!(asked("Outer.Inner.adds 1.5").contains(&within("Outer.Inner", "adds 1.5")));
        assert!(asked("adds").iter().all(|form| form == "adds"));
    }

    #[test]
    fn parameters_end_a_name_and_other_brackets_do_not() {
        for (name, base) in [
            ("adds[1-2]", Some("adds")),
            ("adds(int, int)[1]", Some("adds")),
            ("adds{int}", Some("adds")),
            ("adds (twice)[1]", Some("adds (twice)")),
            ("adds (twice)", None),
            ("[1] adds", None),
            ("adds", None),
            ("[1]", None),
        ] {
            assert_eq!(without_parameters(name), base, "{name}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, expected) in [
            ("adds", "adds", true),
            ("adds", "adds it", false),
            ("*", "", true),
            ("adds*", "adds[1]", true),
            ("*adds", "it adds", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("**", "x", true),
        ] {
            assert_eq!(is_like(pattern, text), expected, "{pattern} {text}");
        }
    }
}
