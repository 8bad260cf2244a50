//! An observation: the report of a coding agent's harness that it ran the command of a scenario, and on which content. One
//! line of `observations.ndjson` (docs/agents.md). Encodes and reads lines; judges nothing.
//!
//! For example: `{"v":1,"id":"0c5d1f0b9e2a","ts":"2026-01-01T10:00:00.000Z","harness":"claude","session":"…",
//! "command":"make test","exit":0,"steady":true,"output":{"sha256":"…","bytes":12},"scenarios":[…]}`.

use crate::model::ids::same_name;
use crate::model::ledger::{EvidenceHash, Observed, StampedTest, Status, Timestamp, test_value};
use crate::text::plural;
use crate::tree::path::RepoPath;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// The version of the line.
pub(crate) const VERSION: u32 = 1;
/// The beginning of each line; the id follows.
const START: &str = "{\"v\":1,";
/// How many hex digits an id has.
pub(crate) const ID_DIGITS: usize = 12;

/// A command that ran, with the scenarios that declare it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Observation {
    /// [`VERSION`].
    pub v: u32,
    /// The first digits of the sha256 of the line without them.
    #[serde(skip_serializing)]
    pub id: String,
    /// When the report arrived.
    #[serde(serialize_with = "as_text", deserialize_with = "timestamp")]
    pub ts: Timestamp,
    /// The name of the harness, for example `claude`.
    pub harness: String,
    /// A hash of the session's id.
    pub session: String,
    /// The harness's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The command, as the scenarios declare it.
    pub command: String,
    /// The exit code; `None` if the harness proves none.
    pub exit: Option<i64>,
    /// Whether the governed files and the test certainly stood still while the command ran.
    pub steady: bool,
    pub output: Option<ObservedOutput>,
    pub scenarios: Vec<ObservedScenario>,
    /// Whether the id is what the line says. Otherwise the line was edited.
    #[serde(skip)]
    pub is_genuine: bool,
}

/// What the command printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObservedOutput {
    #[serde(serialize_with = "as_text", deserialize_with = "hash")]
    pub sha256: EvidenceHash,
    pub bytes: u64,
    /// Whether the evidence cache got the bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// A scenario that declares the command, with its content when the report arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObservedScenario {
    /// The directory of its node.
    pub node: String,
    pub scenario: String,
    /// Hash of its text.
    #[serde(serialize_with = "as_text", deserialize_with = "hash")]
    pub text: EvidenceHash,
    /// Its governed files, as a stamp spells them; empty if they could not be named.
    pub governed: BTreeMap<String, String>,
    /// Its test, as the stamp of a test spells it; empty without a test file. `None` in lines of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<BTreeMap<String, String>>,
}

impl Observation {
    /// The same with its id.
    #[must_use]
    pub(crate) fn sealed(self) -> Self {
        Self { id: id_of(self.rest().as_bytes()), is_genuine: true, ..self }
    }

    /// The line, without its line end.
    pub(crate) fn encode(&self) -> String {
        let rest = self.rest();
        format!("{START}\"id\":\"{}\",{}", self.id, rest.strip_prefix(START).unwrap_or_default())
    }

    /// The line without its id.
    fn rest(&self) -> String {
        // numbers, texts and lists always serialise
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The observation in a line; `None` for a line of another version or form.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let found: Self = serde_json::from_slice(line).ok().filter(|found: &Self| found.v == VERSION)?;
        let after = line.strip_prefix(format!("{START}\"id\":\"{}\",", found.id).as_bytes());
        let is_genuine = after.is_some_and(|after| id_of(&[START.as_bytes(), after].concat()) == found.id);
        Some(Self { is_genuine, ..found })
    }

    /// Every observation in a file, the oldest first.
    pub(crate) fn read_all(bytes: &[u8]) -> Vec<Self> {
        bytes.split(|byte| *byte == b'\n').filter_map(Self::read).collect()
    }

    /// The part about a scenario of the node in `dir`.
    pub(crate) fn about(&self, dir: &RepoPath, name: &str) -> Option<&ObservedScenario> {
        let is_it = |one: &&ObservedScenario| *dir.as_bstr() == *one.node && same_name(&one.scenario, name);
        self.scenarios.iter().find(is_it)
    }

    /// The verdict; `None` without an exit code.
    pub(crate) fn status(&self) -> Option<Status> {
        self.exit.map(|exit| if exit == 0 { Status::Pass } else { Status::Fail })
    }

    /// What a reading says about it; `None` without an exit code.
    pub(crate) fn how(&self) -> Option<Observed> {
        Some(Observed {
            harness: self.harness.clone(),
            command: self.command.clone(),
            exit: self.exit?,
            output: self.output.as_ref().map(|output| output.sha256),
            at: self.ts,
        })
    }
}

fn id_of(rest: &[u8]) -> String {
    let mut id = String::new();
    for byte in &Sha256::digest(rest)[..ID_DIGITS / 2] {
        // writing to a string cannot fail
        let _ = write!(id, "{byte:02x}");
    }
    id
}

fn as_text<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn timestamp<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    Timestamp::parse(&text).ok_or_else(|| D::Error::custom("no time"))
}

fn hash<'de, D: Deserializer<'de>>(from: D) -> Result<EvidenceHash, D::Error> {
    let text = String::deserialize(from)?;
    EvidenceHash::from_hex(text.as_bytes()).ok_or_else(|| D::Error::custom("no sha256"))
}

/// The content of a test as an observation spells it: its stamp. An observation has no room for more files than a line of a
/// ledger has, so that one digest stands for the files of a larger test, however many they are. `None` if no file has an id.
pub(crate) fn observed_test(test: &StampedTest) -> Option<BTreeMap<String, String>> {
    if test.files.is_empty() {
        return None;
    }
    test_value(test).or_else(|| {
        let mut all = Sha256::new();
        for (path, content) in &test.files {
            all.update(path.as_bstr() as &[u8]);
            // no path holds a zero byte, and no content a line feed
            all.update(format!("\0{}\n", content.to_text()));
        }
        for (unit, id) in &test.units {
            all.update(unit.path.as_bstr() as &[u8]);
            all.update(format!("\0{}\0{id}\n", unit.symbol));
        }
        let digest = EvidenceHash(all.finalize().into()).to_string();
        Some(BTreeMap::from([(plural(test.files.len(), "file"), digest)]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;
    use proptest::prelude::*;

    fn observation() -> Observation {
        let output = ObservedOutput { sha256: EvidenceHash([1; 32]), bytes: 2, kept: false };
        let works = ObservedScenario {
            node: ".spec/n".into(),
            scenario: "works".into(),
            text: EvidenceHash([2; 32]),
            governed: BTreeMap::from([("src/a.rs".into(), "-".into())]),
            test: Some(BTreeMap::from([("tests/a.rs".into(), "-".into())])),
        };
        Observation {
            v: VERSION,
            id: String::new(),
            ts: Timestamp::parse("2026-01-01T10:00:00.000Z").unwrap(),
            harness: "claude".into(),
            session: "5e".into(),
            call: None,
            command: "make test".into(),
            exit: Some(0),
            steady: true,
            output: Some(output),
            scenarios: vec![works],
            is_genuine: false,
        }
        .sealed()
    }

    #[test]
    fn a_line_is_read_as_it_was_written_and_its_id_is_the_hash_of_the_rest() {
        let line = observation().encode();
        assert_eq!(Observation::read(line.as_bytes()), Some(observation()));
        let (start, rest) = line.split_once(&format!("\"id\":\"{}\",", observation().id)).unwrap();
        assert_eq!(id_of(format!("{start}{rest}").as_bytes()), observation().id);
        assert_eq!(observation().id.len(), ID_DIGITS);
        assert!(json::parse(&line).is_ok());
        let without = Observation { exit: None, steady: false, output: None, ..observation() }.sealed();
        assert!(without.encode().contains("\"exit\":null,\"steady\":false,\"output\":null"));
        assert_eq!(Observation::read(without.encode().as_bytes()), Some(without));
    }

    #[test]
    fn an_edited_line_is_not_genuine_and_another_version_is_none() {
        let line = observation().encode();
        for (from, to) in [
            ("\"exit\":0", "\"exit\":1"),
            ("\"steady\":true", "\"steady\":false"),
            ("make test", "make  test"),
            ("\"v\":1,", "\"v\":1, "),
            (&*format!("\"id\":\"{}\"", observation().id), "\"id\":\"000000000000\""),
        ] {
            let edited = line.replacen(from, to, 1);
            assert!(!Observation::read(edited.as_bytes()).unwrap().is_genuine, "{edited}");
        }
        for other in ["", "{}", &line.replacen("\"v\":1", "\"v\":2", 1), &line.replacen("2026", "26", 1), &line[1..]] {
            assert_eq!(Observation::read(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_passed_over(bytes: Vec<u8>, at in 0usize..400, byte: u8) {
            let _ = Observation::read(&bytes);
            let mut line = observation().encode().into_bytes();
            let at = at % line.len();
            let is_same = line[at] == byte;
            line[at] = byte;
            prop_assert_eq!(Observation::read(&line).is_some_and(|read| read.is_genuine), is_same);
        }
    }
}
