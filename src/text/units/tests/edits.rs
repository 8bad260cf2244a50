//! The effect of an edit on the units of a file, over the sources of the cases. An edit of a byte inside a unit changes the
//! unit, whatever the parser does with it. A comment outside, or another order of units, changes nothing.

use super::*;

/// The sources of the cases of a language.
fn sources(file: &str) -> Vec<String> {
    let path = format!("{}/tests/data/units/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the cases of a language");
    let cases = text.split("=== ").skip(1).filter_map(|case| case.split_once('\n')?.1.split_once("\n---\n"));
    cases.map(|(source, _)| format!("{source}\n")).collect()
}

fn known(language: Language, source: &[u8]) -> Units {
    read(language, source, &mut || false).unwrap_or_default()
}

/// The compared bytes for a unit of this name; `None` if the whole file is compared.
fn compared(units: &Units, source: &[u8], name: &str) -> Option<Vec<u8>> {
    match units.find(name) {
        Found::Unit(unit) => Some(unit.bytes(source).into_owned()),
        Found::Broken(_) | Found::Ambiguous(_) | Found::Absent => None,
    }
}

const FILES: [(Language, &str, &str); 8] = [
    (Language::TypeScript, "typescript.txt", "//"),
    (Language::Tsx, "tsx.txt", "//"),
    (Language::JavaScript, "javascript.txt", "//"),
    (Language::Python, "python.txt", "#"),
    (Language::Go, "go.txt", "//"),
    (Language::Rust, "rust.txt", "//"),
    (Language::Java, "java.txt", "//"),
    (Language::Ruby, "ruby.txt", "#"),
];

#[test]
fn a_byte_that_is_edited_inside_a_unit_always_changes_it() {
    for (language, file, _) in FILES {
        let mut edits = 0;
        for source in sources(file) {
            let units = known(language, source.as_bytes());
            for (number, at) in (0..source.len()).enumerate() {
                let mut edited = source.clone().into_bytes();
                edited[at] = b"xQ \"}\n#7"[number % 8];
                let touched = |unit: &&Unit| unit.pieces.iter().any(|piece| piece.contains(&at));
                let touched: Vec<_> = units.all().iter().filter(touched).collect();
                if touched.is_empty() || edited == source.as_bytes() {
                    continue;
                }
                let after = known(language, &edited);
                for unit in touched {
                    let now = compared(&after, &edited, &unit.name);
                    let before = unit.bytes(source.as_bytes());
                    assert_ne!(now.as_deref(), Some(&*before), "{language:?} {} at byte {at} of\n{source}", unit.name);
                    edits += 1;
                }
            }
        }
        assert!(edits > 500, "{language:?}: {edits}");
    }
}

#[test]
fn a_comment_between_units_changes_none_of_them() {
    for (language, file, sign) in FILES {
        let mut edits = 0;
        for source in sources(file) {
            let units = known(language, source.as_bytes());
            let starts = source.match_indices('\n').map(|(at, _)| at + 1).chain([0]);
            for at in starts {
                let edited = [&source[..at], "\n", sign, " a word\n\n", &source[at..]].concat();
                let after = known(language, edited.as_bytes());
                let around = |unit: &&Unit| {
                    let (first, last) = (unit.pieces[0].start, unit.pieces.iter().map(|piece| piece.end).max());
                    unit.broken.is_some() || (first < at && last > Some(at))
                };
                for unit in units.all().iter().filter(|unit| !around(unit)) {
                    let now = compared(&after, edited.as_bytes(), &unit.name);
                    let before = compared(&units, source.as_bytes(), &unit.name);
                    assert_eq!(now, before, "{language:?} {} at byte {at} of\n{source}", unit.name);
                    edits += 1;
                }
            }
        }
        assert!(edits > 20, "{language:?}: {edits}");
    }
}

#[test]
fn the_order_of_a_file_changes_no_unit() {
    for (language, file, _) in FILES {
        let mut swaps = 0;
        for source in sources(file) {
            let units = known(language, source.as_bytes());
            let single: Vec<&Unit> =
                units.all().iter().filter(|unit| unit.pieces.len() == 1 && unit.broken.is_none()).collect();
            for pair in single.windows(2) {
                let (a, b) = (&pair[0].pieces[0], &pair[1].pieces[0]);
                // a heredoc follows below its line, and a statement may need the end of its own line
                let is_own_line = source[..b.start].trim_end_matches([' ', '\t']).ends_with('\n')
                    && source[b.end..].starts_with('\n');
                let around = |unit: &Unit| unit.name.rsplit_once('.').map(|(around, _)| around.to_owned());
                let column = |at: usize| at - source[..at].rfind('\n').map_or(0, |end| end + 1);
                let same_level = around(pair[0]) == around(pair[1])
                    && pair[0].kind == pair[1].kind
                    && column(a.start) == column(b.start);
                if a.end > b.start || !is_own_line || !same_level {
                    continue;
                }
                let [x, y] = [&source[a.clone()], &source[b.clone()]];
                let edited = [&source[..a.start], y, &source[a.end..b.start], x, &source[b.end..]].concat();
                let after = known(language, edited.as_bytes());
                for unit in pair {
                    let before = unit.bytes(source.as_bytes());
                    let now = compared(&after, edited.as_bytes(), &unit.name);
                    assert_eq!(now.as_deref(), Some(&*before), "{language:?} {}\n{edited}", unit.name);
                }
                swaps += 1;
            }
        }
        assert!(swaps > 1 || language == Language::Tsx, "{language:?}: {swaps}");
    }
}
