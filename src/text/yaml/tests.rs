use super::*;
use crate::text::frontmatter;
use proptest::prelude::*;

fn read(text: &str) -> Parsed {
    parse(&frontmatter::split(format!("---\n{text}\n---\n").as_bytes()).unwrap())
}

/// The places and kinds of all faults.
fn faults(text: &str) -> Vec<(u32, u32, &'static str)> {
    read(text).faults.iter().map(|fault| (fault.at.line, fault.at.column, fault.kind)).collect()
}

fn entries(parsed: &Parsed) -> &[YamlEntry] {
    match &parsed.value {
        Some(Value { kind: YamlKind::Mapping(entries), .. }) => entries,
        other => panic!("no map: {other:?}"),
    }
}

fn scalar(value: &Value) -> &Scalar {
    match &value.kind {
        YamlKind::Scalar(scalar) => scalar,
        other => panic!("no scalar: {other:?}"),
    }
}

#[test]
fn places_are_those_of_the_file_in_characters() {
    let parsed = read("ä: [ü, \"ö\"]\nb: |\n  one\nc:\n  d: x");
    let [a, b, c] = entries(&parsed) else { panic!("{parsed:?}") };
    let YamlKind::Sequence(items) = &a.value.kind else { panic!() };
    assert_eq!((a.at, a.value.at), (Position { line: 2, column: 1 }, Position { line: 2, column: 4 }));
    assert_eq!(items[1].at, Position { line: 2, column: 8 });
    assert_eq!(b.value.at, Position { line: 4, column: 3 });
    assert_eq!(c.value.at, Position { line: 6, column: 3 });
}

#[test]
fn plain_scalars_have_the_type_of_the_core_schema() {
    use Resolved::{Bool, Null, Number, Text};
    for (text, resolved) in [
        ("~", Null),
        ("null", Null),
        ("", Null),
        ("true", Bool),
        ("FALSE", Bool),
        ("1", Number),
        ("-1.5e3", Number),
        ("0x1F", Number),
        ("0o7", Number),
        (".inf", Number),
        (".NaN", Number),
        ("99999999999999999999999", Number),
        ("no", Text),
        ("on", Text),
        ("Yes", Text),
        ("2024-01-01", Text),
        ("1_000", Text),
        ("1:30", Text),
        ("'1'", Text),
        ("\"true\"", Text),
    ] {
        let parsed = read(&format!("a: {text}"));
        assert_eq!(scalar(&entries(&parsed)[0].value).resolved, resolved, "{text}");
    }
}

#[test]
fn what_is_not_allowed_is_refused_with_its_place() {
    for (text, at) in [
        ("a: &x 1", (2, 4, "anchor")),
        ("a: *x", (2, 4, "alias")),
        ("a: !x 1", (2, 4, "tag")),
        ("a: !!str 1", (2, 4, "tag")),
        ("a: ! 1", (2, 4, "tag")),
        ("<<: {a: 1}", (2, 1, "merge-key")),
        ("a: 1\na: 2", (3, 1, "duplicate-key")),
        ("a: {b: 1, 'b': 2}", (2, 11, "duplicate-key")),
        ("a: 1\n...\nb: 1", (4, 1, "document")),
        ("? [a]\n: 1", (2, 3, "key")),
        ("a:\n\tb: 1", (3, 1, "tab")),
        ("a:\n  - b: 1\n\tc: 2", (4, 1, "tab")),
        ("a: x\u{1b}y", (2, 5, "control")),
        ("a: x\u{2066}y", (2, 5, "control")),
        ("a: b: c", (2, 5, "syntax")),
        ("a: 'x", (2, 4, "syntax")),
        ("a: @x", (2, 4, "syntax")),
    ] {
        assert_eq!(faults(text), [at], "{text:?}");
    }
}

/// A tag or an anchor without a text has no clear meaning. It is refused, and not read as an empty value.
#[test]
fn a_tag_or_an_anchor_without_a_text_is_refused_and_not_empty() {
    for text in ["a: !=", "a: !x", "a: &x", "a: !x &y", "a: !x # why"] {
        let parsed = read(text);
        assert_eq!(entries(&parsed)[0].value.kind, YamlKind::Refused, "{text:?}");
    }
    assert_eq!(scalar(&entries(&read("a: !x ''"))[0].value).text, "");
}

#[test]
fn what_looks_like_it_and_is_text_is_allowed() {
    for text in
        ["a: '&x'", "a: \"*x\"", "a: x & y", "'<<': 1", "a: |\n  \tx\n  --- y", "a: \"\u{e9}\u{1f600}\"", "a: 1\n..."]
    {
        assert_eq!(faults(text), [], "{text:?}");
    }
}

#[test]
fn a_tab_between_colon_and_value_is_allowed() {
    let parsed = read("a:\t1\nb:\t\tc: d\ne: \"x:\ty\"");
    assert_eq!(scalar(&entries(&read("a:\tx\nb:\t\ty"))[1].value).text, "y");
    assert_eq!(parsed.faults.len(), 1, "a map in the line of a key is none: {parsed:?}");
    let many: String = (0..40).map(|i| format!("k{i}:\tx\n")).collect();
    assert_eq!(read(&many).faults[0].at.line, 2 + 16);
}

/// The items of the list that is the first value, as `key=text` pairs; `?` for a lost item.
fn items(text: &str) -> Vec<String> {
    let parsed = read(text);
    assert!(!parsed.faults.is_empty(), "{text:?}");
    let YamlKind::Sequence(items) = &entries(&parsed)[0].value.kind else { panic!("{parsed:?}") };
    let value = |entry: &YamlEntry| match &entry.value.kind {
        YamlKind::Scalar(scalar) => format!("{}={}", entry.key, scalar.text),
        YamlKind::Sequence(items) => format!("{}*{}", entry.key, items.len()),
        _ => format!("{}?", entry.key),
    };
    let item = |item: &Value| match &item.kind {
        YamlKind::Mapping(entries) => entries.iter().map(value).collect::<Vec<_>>().join(" "),
        _ => "?".to_owned(),
    };
    items.iter().map(item).collect()
}

#[test]
fn a_break_in_the_syntax_takes_only_the_piece_that_it_is_in() {
    for (text, expected) in [
        ("l:\n  - a: 1\n  - b: 2\n  - c: [x\n    d: e\n  - f: 3", vec!["a=1", "b=2", "c? d=e", "f=3"]),
        ("l:\n- a: x: y\n  b: z\n- c: d\nm: n", vec!["a=x: y b=z", "c=d"]),
        ("l:\r\n  - a: 'x\r\n    b: z\r\n  - c: d\r\n", vec!["a? b=z", "c=d"]),
        ("l:\n  -\n    a: x: y\n    b: z\n  - c: d", vec!["a=x: y b=z", "c=d"]),
        ("l:\n  - a: x\n    t:\n      - 'y\n      - z\n    u: v\n  - c: d", vec!["a=x t*2 u=v", "c=d"]),
        ("l:\n  - a: x: y\n    a: z\n  - c: d", vec!["a=x: y", "c=d"]),
        ("l:\n  - [x\n  - c: d", vec!["?", "c=d"]),
        ("l:\n\n  # note\n  - a: |\n      - text: 'x\n    b: y: z\n  - c: d", vec!["a=- text: 'x\n b=y: z", "c=d"]),
    ] {
        assert_eq!(items(text), expected, "{text:?}");
    }
    let parsed = read("l:\n  - a: 1\n  - c: [x\n    d: e");
    assert_eq!((parsed.faults.len(), parsed.cut_short), (1, false));
    assert_eq!(parsed.faults[0].at.line, 4);
}

#[test]
fn where_the_pieces_do_not_tell_what_belongs_to_what_something_may_be_missing() {
    for text in ["l:\n  - a: 1\n   - b: 2\n  - c: 'x", "junk\nl:\n  - a: x: y"] {
        assert!(read(text).cut_short, "{text:?}: {:?}", read(text));
    }
}

#[test]
fn of_two_equal_keys_the_first_counts() {
    let parsed = read("a: 1\nb: 2\na: 3");
    assert_eq!(entries(&parsed).len(), 2);
    assert!(parsed.faults[0].message.contains("first on line 2, again on line 4"));
}

#[test]
fn the_byte_of_what_is_not_utf8_is_named() {
    let front = frontmatter::split(b"---\na: \xc3\xa9\nb: \xe9\n---\n").unwrap();
    let parsed = parse(&front);
    assert_eq!(parsed.faults[0].message, "not UTF-8: byte 0xE9 at offset 13");
    assert_eq!(parsed.faults[0].at, Position { line: 3, column: 4 });
    assert_eq!(entries(&parsed).len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn nothing_panics(text in "[-:\\[\\]{},?*&!|>'\"%@`#~<. a0\t\r\n\u{e9}\u{feff}\u{0}]{0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        read(&text);
        let file = [b"---\n", bytes.as_slice(), b"\n---\n"].concat();
        if let Ok(front) = frontmatter::split(&file) {
            parse(&front);
        }
    }
}
