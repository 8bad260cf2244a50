//! The stamp of the test that measured a scenario (formats.md, "A reading"): `"test":{"tests/cart.py":"<id>",
//! "tests/cart.py#test_total":"<id>"}`. A key is a file of the test, or one unit of a file: the test that the scenario names.

use super::fields::{Field, bad, plain_path, present, spelling, string, wrong_type};
use super::{MAX_STAMPED_FILES, Stamped, StampedUnit};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue, Member};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

const KEY: &str = "test";

/// The content of a test at a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StampedTest {
    /// Every file of the test, never empty in a line.
    pub files: BTreeMap<RepoPath, Stamped>,
    /// The test that the scenario names, if it is a readable unit of one of the files.
    pub units: BTreeMap<StampedUnit, Oid>,
}

/// The stamp of the test in `object`. A wrong one counts for nothing, so an old line stays readable.
pub(super) fn read(object: &Json<'_>) -> Field<Option<StampedTest>> {
    let Some(value) = present(object, KEY) else { return Ok(None) };
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type(KEY, "an object", value)) };
    let mut test = StampedTest::default();
    members.iter().try_for_each(|member| add(&mut test, member))?;
    if let Some(unit) = test.units.keys().find(|unit| !test.files.contains_key(&unit.path)) {
        let message = format!("\"{KEY}\" names a unit of {} and not the file", echo(&unit.path.to_string()));
        return Err(bad("test-file", value, message));
    }
    Ok(Some(test).filter(|test| !test.files.is_empty()))
}

fn add(test: &mut StampedTest, (name, value): &Member<'_>) -> Field<()> {
    let wrong = |what: &str| bad(KEY, value, format!("\"{KEY}\": `{}` {what}", echo(name)));
    let text = string(KEY, value)?;
    if name.contains('#') {
        let unit = StampedUnit::parse(name).ok_or_else(|| wrong("is no selector: a plain path, `#`, a symbol"))?;
        let id = Oid::from_hex(text.as_bytes()).ok_or_else(|| wrong("must have a full object id"))?;
        test.units.insert(unit, id);
    } else {
        let path = plain_path(name).ok_or_else(|| wrong("is not a plain path of this repository"))?;
        let content = Stamped::parse(text).ok_or_else(|| wrong("must have an id as in \"governed\""))?;
        test.files.insert(path, content);
    }
    Ok(())
}

/// The stamp as written in a line; `None` if there is none, if it names too many files, or a file that no line can spell: a
/// `#` in a key begins a symbol.
pub(crate) fn value(test: &StampedTest) -> Option<BTreeMap<String, String>> {
    if test.files.is_empty() || test.files.len() + test.units.len() > MAX_STAMPED_FILES {
        return None;
    }
    let file = |(path, content): (&RepoPath, &Stamped)| {
        let spelled = spelling(path).filter(|text| !text.contains('#'))?;
        Some((spelled.to_owned(), content.to_text()))
    };
    let unit = |(unit, id): (&StampedUnit, &Oid)| Some((unit.to_text()?, id.to_string()));
    test.files.iter().map(file).chain(test.units.iter().map(unit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{Reading, encode_reading, parse};

    const ID: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn reading(test: &str) -> Reading {
        let line = format!(
            r#"{{"scenario":"s","codeSha":"{ID}","blob":null,"test":{test},"verdict":{{"status":"pass"}},"ts":"2026-01-01T00:00:00.000Z"}}"#
        );
        let ledger = parse(&RepoPath::root(), line.as_bytes());
        assert_eq!(ledger.problems, []);
        ledger.lines[0].event.reading().cloned().unwrap()
    }

    #[test]
    fn a_stamp_of_a_test_is_written_as_it_was_read() {
        let test = format!(r#"{{"t/a.py":"{ID}","t/a.py#C.test_total":"{ID}","t/run":"x:{ID}"}}"#);
        let read = reading(&test);
        assert_eq!(read.measures.wrong, [""; 0]);
        let stamped = read.test.clone().unwrap();
        assert_eq!((stamped.files.len(), stamped.units.len()), (2, 1));
        assert!(encode_reading(&read).contains(&format!("\"test\":{test}")));
        assert_eq!(reading("null").test, None);
        assert_eq!(reading("{}").test, None);
    }

    #[test]
    fn a_wrong_stamp_of_a_test_counts_for_nothing_and_is_named() {
        for (test, said) in [
            ("7".to_owned(), "\"test\" must be an object"),
            (format!(r#"{{"./a":"{ID}"}}"#), "is not a plain path"),
            (r#"{"a":"7"}"#.to_owned(), "must have an id"),
            (format!(r#"{{"a":"{ID}","a#":"{ID}"}}"#), "is no selector"),
            (format!(r#"{{"a":"{ID}","a#f":"x:{ID}"}}"#), "must have a full object id"),
            (format!(r#"{{"a#f":"{ID}"}}"#), "names a unit of a and not the file"),
        ] {
            let read = reading(&test);
            assert_eq!(read.test, None, "{test}");
            assert!(read.measures.wrong[0].contains(said), "{test}: {:?}", read.measures.wrong);
        }
    }

    #[test]
    fn a_file_that_no_key_can_spell_leaves_the_stamp_out() {
        let file = |path: &str| BTreeMap::from([(RepoPath::from_git(path), Stamped::Absent)]);
        assert!(value(&StampedTest { files: file("a b.sh"), ..StampedTest::default() }).is_some());
        assert!(value(&StampedTest { files: file("a#b.sh"), ..StampedTest::default() }).is_none());
        assert!(
            value(&StampedTest {
                files: file("\u{fffd}")
                    .into_keys()
                    .map(|_| (RepoPath::from_git(&b"\xff"[..]), Stamped::Absent))
                    .collect(),
                ..StampedTest::default()
            })
            .is_none()
        );
        assert!(value(&StampedTest::default()).is_none());
    }
}
