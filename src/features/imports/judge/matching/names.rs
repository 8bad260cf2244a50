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

/// The parts of a node id of pytest: `tests/test_sums.py::TestSums::test_adds[1::2]`.
pub(super) struct NodeId<'n> {
    pub(super) file: &'n str,
    /// With `::` between classes; may be empty.
    pub(super) class: &'n str,
    pub(super) name: &'n str,
}

/// The parts of a name with `::` outside of its parameters.
pub(super) fn node_id(name: &str) -> Option<NodeId<'_>> {
    let (file, rest) = name.split_once("::")?;
    let base = &rest[..rest.find('[').unwrap_or(rest.len())];
    let (class, start) = base.rsplit_once("::").map_or(("", 0), |(class, _)| (class, class.len() + 2));
    Some(NodeId { file, class, name: &rest[start..] })
}

/// The name without the parameters at its end, however the runner spells them:
///
/// * `adds[1-2]`, `adds(int)[1]`, `adds{int}` of pytest and Java. A bracket after a blank is part of the name.
/// * `adds (i=1)` of unittest, for a subtest.
/// * `adds with data set "one"` and `adds with data set #0` of PHPUnit.
/// * `adds -- @1.2 some examples` of behave, `adds - some examples - #1.2` of cucumber-js.
/// * `adds/0` of googletest.
///
/// Several names if one of them is meant and the name does not show which; empty for a name without parameters.
pub(super) fn without_parameters(name: &str) -> Vec<&str> {
    let name = name.trim_end();
    let one = bracketed(name).or_else(|| subtest(name)).or_else(|| data_set(name)).or_else(|| numbered(name));
    let bases = one.map_or_else(|| outlines(name), |base| vec![base]);
    bases.into_iter().map(str::trim_end).filter(|base| !base.is_empty()).collect()
}

fn bracketed(name: &str) -> Option<&str> {
    if !name.ends_with([']', ')', '}']) {
        return None;
    }
    let opens = |(at, c): &(usize, char)| {
        *at > 0 && matches!(c, '[' | '(' | '{') && !name[..*at].ends_with(char::is_whitespace)
    };
    name.char_indices().find(opens).map(|(at, _)| &name[..at])
}

fn subtest(name: &str) -> Option<&str> {
    let (base, values) = name.strip_suffix(')')?.split_once(" (")?;
    let (key, _) = values.split_once('=')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_key.then_some(base)
}

fn data_set(name: &str) -> Option<&str> {
    let (base, set) = name.split_once(" with data set ")?;
    set.starts_with(['#', '"']).then_some(base)
}

fn numbered(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('/')?;
    (is_number(number) && !base.contains(char::is_whitespace)).then_some(base)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The outlines that may have this name as an example.
fn outlines(name: &str) -> Vec<&str> {
    // the numbers of the table and of the row: `1.2`
    let is_example = |text: &str| {
        let numbers = text.split(' ').next().and_then(|numbers| numbers.split_once('.'));
        numbers.is_some_and(|(table, row)| is_number(table) && is_number(row))
    };
    if let Some((at, _)) = name.match_indices(" -- @").find(|(at, mark)| is_example(&name[at + mark.len()..])) {
        return vec![&name[..at]];
    }
    let Some((outline, _)) = name.rsplit_once(" - #").filter(|(_, rest)| is_example(rest)) else { return Vec::new() };
    // the examples may have a name, and both names may have a dash
    outline.match_indices(" - ").map(|(at, _)| &outline[..at]).chain([outline]).collect()
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
        for (name, bases) in [
            ("adds[1-2]", &["adds"][..]),
            ("adds(int, int)[1]", &["adds"]),
            ("adds{int}", &["adds"]),
            ("adds (twice)[1]", &["adds (twice)"]),
            ("adds (twice)", &[]),
            ("[1] adds", &[]),
            ("adds", &[]),
            ("[1]", &[]),
            ("adds (i=1)", &["adds"]),
            ("adds (i)", &[]),
            ("adds (=1)", &[]),
            ("testAdds with data set \"two words\"", &["testAdds"]),
            ("testAdds with data set #0", &["testAdds"]),
            ("adds with data set in mind", &[]),
            ("many -- @1.1 ", &["many"]),
            ("many -- @2 -- @1.2 first ones", &["many -- @2"]),
            ("many -- @home", &[]),
            ("many -- @1.x", &[]),
            ("many - first - #1.2", &["many", "many - first"]),
            ("many - #1.2", &["many"]),
            ("many - #1", &[]),
            ("adds/0", &["adds"]),
            ("GET /users/1", &[]),
            ("adds/one", &[]),
            (" -- @1.1", &[]),
        ] {
            assert_eq!(without_parameters(name), bases, "{name}");
        }
    }

    #[test]
    fn a_node_id_has_a_file_classes_and_a_name() {
        let parts = |name| node_id(name).map(|id| (id.file, id.class, id.name));
        for (name, expected) in [
            ("tests/a.py::test_b", Some(("tests/a.py", "", "test_b"))),
            ("a.py::B::C::test_d", Some(("a.py", "B::C", "test_d"))),
            ("a.py::B::test_c[1::2]", Some(("a.py", "B", "test_c[1::2]"))),
            ("a.py::test_b[[z]-x]", Some(("a.py", "", "test_b[[z]-x]"))),
            ("test_b", None),
        ] {
            assert_eq!(parts(name), expected, "{name}");
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
