//! The stamp of the test that measured a scenario (formats.md, "A reading"): `"test":{"tests/cart.py":"<id>",
//! "tests/cart.py#test_total":"<id>"}`. A key is a file of the test, or one unit of a file: the test that the scenario names.
//! If the line cannot hold the stamp, it says instead how the test stood at the commit: `"test":{"tests":"commit"}`.

use super::fields::{Field, bad, plain_path, present, spelling, string, wrong_type};
use super::{MAX_STAMPED_FILES, Stamped, StampedUnit};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue, Member};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

const KEY: &str = "test";
/// The words for a test without a stamp, in the place of an id.
const SAME: &str = "commit";
const OTHER: &str = "uncommitted";
/// The whole repository as a test.
const ROOT: &str = ".";

/// The content of a test at a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StampedTest {
    /// Every file of the test; empty if the line has no stamp of it.
    pub files: BTreeMap<RepoPath, Stamped>,
    /// The test that the scenario names, if it is a readable unit of one of the files.
    pub units: BTreeMap<StampedUnit, Oid>,
    /// How the test stood at the commit of the reading. A line says so only if it has no stamp.
    pub at_commit: Option<TestAtCommit>,
}

impl StampedTest {
    /// The same, compared with the commit alone.
    pub(crate) fn without_stamp(self) -> Self {
        Self { at_commit: self.at_commit, ..Self::default() }
    }

    /// The same, of content that no commit has.
    pub(crate) fn never_fresh(self) -> Self {
        Self { at_commit: self.at_commit.map(|then| TestAtCommit { is_same: false, ..then }), ..Self::default() }
    }
}

/// A test beside the commit that a reading names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TestAtCommit {
    /// The `test` of the scenario: a path or a glob.
    pub entry: RepoPath,
    /// Whether the test was the one of the commit. Otherwise the measured test is not known.
    pub is_same: bool,
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
    Ok(Some(test).filter(|test| !test.files.is_empty() || test.at_commit.is_some()))
}

fn add(test: &mut StampedTest, (name, value): &Member<'_>) -> Field<()> {
    let wrong = |what: &str| bad(KEY, value, format!("\"{KEY}\": `{}` {what}", echo(name)));
    let text = string(KEY, value)?;
    if is_word(text) {
        let entry = if name == ROOT { Some(RepoPath::root()) } else { plain_path(name) };
        let entry = entry.ok_or_else(|| wrong("is not a plain path of this repository"))?;
        test.at_commit = Some(TestAtCommit { entry, is_same: text == SAME });
    } else if name.contains('#') {
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

/// Whether the text is no id: it says how a test without a stamp stood at the commit.
pub(super) fn is_word(text: &str) -> bool {
    text == SAME || text == OTHER
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

/// The test as written in a line: its stamp, or else how it stood at the commit.
pub(super) fn written(test: &StampedTest) -> Option<BTreeMap<String, String>> {
    value(test).or_else(|| at_commit(test))
}

/// How the test stood at the commit, as written in a line.
pub(super) fn at_commit(test: &StampedTest) -> Option<BTreeMap<String, String>> {
    let TestAtCommit { entry, is_same } = test.at_commit.as_ref()?;
    let entry = if entry.is_root() { ROOT } else { spelling(entry)? };
    Some(BTreeMap::from([(entry.to_owned(), if *is_same { SAME } else { OTHER }.to_owned())]))
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
    fn a_test_without_a_stamp_says_how_it_stood_at_the_commit() {
        for (entry, word) in [("tests", "commit"), ("t/c#/a.py", "uncommitted"), ("t/*.py", "commit"), (".", "commit")]
        {
            let test = format!(r#"{{"{entry}":"{word}"}}"#);
            let read = reading(&test);
            assert_eq!(read.measures.wrong, [""; 0]);
            let path = RepoPath::parse(entry.as_bytes()).unwrap();
            let expected = TestAtCommit { entry: path, is_same: word == "commit" };
            let stamped = read.test.clone().unwrap();
            assert_eq!((&stamped.at_commit, stamped.files.len()), (&Some(expected), 0));
            assert!(encode_reading(&read).contains(&format!("\"test\":{test}")));
        }
        // a stamp says more
        let both = StampedTest {
            files: BTreeMap::from([(RepoPath::from_git("a.sh"), Stamped::Absent)]),
            at_commit: Some(TestAtCommit { entry: RepoPath::from_git("a.sh"), is_same: true }),
            ..StampedTest::default()
        };
        assert_eq!(written(&both).unwrap()["a.sh"], "-");
        let many = (0..=MAX_STAMPED_FILES).map(|n| (RepoPath::from_git(format!("t/{n}")), Stamped::Absent)).collect();
        assert_eq!(written(&StampedTest { files: many, ..both }).unwrap()["a.sh"], "commit");
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
