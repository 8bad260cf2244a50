//! Hashes, stamps, paths of stamped units and files that ran, that a ledger may name, and whether it decides about patches,
//! found without parsing all of its lines. Used to check quickly whether a change may concern a ledger.

use super::tested::is_word;
use super::{EvidenceHash, Reading, StampKind, Stamped, parse};
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::{BTreeMap, BTreeSet};

/// The number of hex digits in a hash.
const DIGITS: usize = 64;
/// The text before a hash that names no bytes.
const OF_TEXT: &[u8] = br#""scenarioHash":""#;
/// The key of the units in a stamp.
const UNITS: &[u8] = br#""units""#;
/// The keys of the stamps of a reading.
const STAMPS: [(&[u8], StampKind); 2] = [(br#""governed""#, StampKind::Governed), (br#""test""#, StampKind::Test)];
/// The beginning of each line that a program of this project writes.
const SCENARIO: &[u8] = br#"{"scenario":""#;
/// The key of a decision's kind.
const DECISION: &[u8] = br#""decision""#;
/// The key of the files that ran.
const RAN: &[u8] = br#""ran""#;

/// Every hash that a line of the ledger `bytes` names. The result may also hold other text that looks like a hash.
pub(crate) fn hashes(bytes: &[u8]) -> Vec<EvidenceHash> {
    let mut found = Vec::new();
    // only such an escape spells a digit differently
    if !bytes.contains_str(b"\\u") {
        see_digits(bytes, &mut found);
        return found;
    }
    for line in ndjson::filled(bytes) {
        if line.contains_str(b"\\u") {
            see_reading(line, &mut |reading| found.extend(reading.bytes()));
        } else {
            see_digits(line, &mut found);
        }
    }
    found
}

/// The path of every unit in a stamp of the ledger `bytes`. The result may also hold other text that looks like a path.
pub(crate) fn unit_paths(bytes: &[u8]) -> BTreeSet<RepoPath> {
    let mut found = BTreeSet::new();
    // without such an escape the key has exactly this spelling, and most ledgers have neither
    if !bytes.contains_str(UNITS) && !bytes.contains_str(b"\\u") {
        return found;
    }
    for line in ndjson::filled(bytes) {
        let units = line.find(UNITS).map(|at| &line[at + UNITS.len()..]);
        let paths = if line.contains_str(b"\\u") { None } else { units.map_or(Some(Vec::new()), before_symbols) };
        match paths {
            Some(paths) => found.extend(paths),
            None => see_reading(line, &mut |reading| found.extend(reading.units.keys().map(|unit| unit.path.clone()))),
        }
    }
    found
}

/// A stamped file: its path and its content.
pub(crate) type StampedFile = (RepoPath, Stamped);

/// Calls `see` with the scenario and the files of each stamp in the ledger `bytes`.
pub(crate) fn see_stamps(bytes: &[u8], see: &mut dyn FnMut(&str, StampKind, &[StampedFile])) {
    let may_have = |line: &[u8]| STAMPS.iter().any(|(key, _)| line.contains_str(key)) || line.contains_str(b"\\u");
    for line in ndjson::filled(bytes).filter(|line| may_have(line)) {
        match plain_stamps(line) {
            Some((scenario, stamps)) => stamps.iter().for_each(|(kind, files)| see(scenario, *kind, files)),
            None => see_reading(line, &mut |reading| {
                let files = |stamp: &BTreeMap<RepoPath, Stamped>| -> Vec<StampedFile> {
                    stamp.iter().map(|(path, content)| (path.clone(), *content)).collect()
                };
                let of_code = reading.governed.iter().map(|stamp| (StampKind::Governed, files(stamp)));
                let of_test = reading.test.iter().map(|test| (StampKind::Test, files(&test.files)));
                of_code.chain(of_test).for_each(|(kind, files)| see(&reading.scenario, kind, &files));
            }),
        }
    }
}

/// The stamps of one line, each with its files.
type PlainStamps = Vec<(StampKind, Vec<StampedFile>)>;

/// The scenario and the stamps of a line in the spelling of this program; `None` for another spelling.
fn plain_stamps(line: &[u8]) -> Option<(&str, PlainStamps)> {
    let (scenario, rest) = string(line.strip_prefix(SCENARIO)?)?;
    if line.contains_str(b"\\u") {
        return None;
    }
    let mut found = Vec::new();
    for (key, kind) in STAMPS {
        // the text may also be a value
        for at in rest.find_iter(key) {
            if let Some(object) = rest[at + key.len()..].strip_prefix(b":{") {
                found.push((kind, stamped_files(object, kind)?));
            } else if rest[at + key.len()..].trim_ascii_start().first() == Some(&b':') {
                return None;
            }
        }
    }
    Some((scenario, found))
}

/// The files in an object of ids by path, after its `{`. Units of a test are left out: its file stands beside them.
fn stamped_files(mut object: &[u8], kind: StampKind) -> Option<Vec<StampedFile>> {
    let mut files = Vec::new();
    while let Some(rest) = object.strip_prefix(b"\"") {
        let (path, rest) = string(rest)?;
        let (id, rest) = string(rest.strip_prefix(b":\"")?)?;
        let is_unstamped = kind == StampKind::Test && is_word(id);
        if !is_unstamped && (kind == StampKind::Governed || !path.contains('#')) {
            files.push((RepoPath::parse(path.as_bytes()).ok()?, Stamped::parse(id)?));
        }
        object = rest.strip_prefix(b",").unwrap_or(rest);
    }
    object.starts_with(b"}").then_some(files)
}

/// The text of a string, after its quote, and the bytes behind it; `None` if it has an escape.
fn string(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.find_byteset(b"\"\\")?;
    let text = std::str::from_utf8(&bytes[..end]).ok().filter(|_| bytes[end] == b'"')?;
    Some((text, &bytes[end + 1..]))
}

/// The files that ran, in the coverage of any reading of the ledger `bytes`.
pub(crate) fn ran_paths(bytes: &[u8]) -> BTreeSet<RepoPath> {
    let mut found = BTreeSet::new();
    let may_have = |text: &[u8]| text.contains_str(RAN) || text.contains_str(b"\\u");
    for line in ndjson::filled(bytes).filter(|line| may_have(line)) {
        see_reading(line, &mut |reading| found.extend(reading.ran().cloned()));
    }
    found
}

/// Whether the ledger `bytes` holds a complete decision about a patch.
pub(crate) fn decides_patches(bytes: &[u8]) -> bool {
    let may_decide = |text: &[u8]| text.contains_str(DECISION) || text.contains_str(b"\\u");
    // most ledgers have no decision at all
    if !may_decide(bytes) {
        return false;
    }
    let mut lines = ndjson::filled(bytes).filter(|line| may_decide(line));
    lines.any(|line| parse(&RepoPath::root(), line).decides_patches())
}

/// The paths before each `#` in the strings of `json`; `None` if one has an escape.
fn before_symbols(json: &[u8]) -> Option<Vec<RepoPath>> {
    let mut found = Vec::new();
    for at in json.find_iter(b"#") {
        let start = json[..at].rfind_byte(b'"').map_or(0, |quote| quote + 1);
        let path = &json[start..at];
        if path.contains(&b'\\') || json[..start].ends_with(b"\\\"") {
            return None;
        }
        found.extend(RepoPath::parse(path).ok());
    }
    Some(found)
}

/// Calls `see` with the reading in a line, if the line holds one.
fn see_reading(line: &[u8], see: &mut dyn FnMut(&Reading)) {
    for line in parse(&RepoPath::root(), line).lines {
        line.event.reading().map(&mut *see);
    }
}

/// Adds every run of hex digits that is as long as a hash.
fn see_digits(bytes: &[u8], found: &mut Vec<EvidenceHash>) {
    let mut at = DIGITS - 1;
    // the step is the length of a hash, so that no run of that length is skipped
    while at < bytes.len() {
        if is_digit(bytes[at]) {
            let start = bytes[..at].iter().rposition(|byte| !is_digit(*byte)).map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(|byte| !is_digit(*byte)).map_or(bytes.len(), |len| at + len);
            let names_bytes = end - start == DIGITS && !bytes[..start].ends_with(OF_TEXT);
            found.extend(EvidenceHash::from_hex(&bytes[start..end]).filter(|_| names_bytes));
            at = end;
        }
        at += DIGITS;
    }
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMIT: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn line(blob: &str, text: &str, note: &str) -> String {
        format!(
            r#"{{"scenario":"s","codeSha":"{COMMIT}","scenarioHash":"{text}","blob":"{blob}","blobKind":"transcript","verdict":{{"status":"pass","note":"{note}"}},"ts":"2026-01-01T00:00:00.000Z"}}"#
        )
    }

    fn named(text: &str) -> Vec<EvidenceHash> {
        let ledger = parse(&RepoPath::root(), text.as_bytes());
        ledger.readings().flat_map(|reading| reading.bytes()).collect()
    }

    #[test]
    fn what_names_bytes_is_told_from_what_does_not() {
        let (blob, text) = ("9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e", "7".repeat(64));
        let plain = line(blob, &text, "");
        assert_eq!(named(&plain).len(), 1);
        assert_eq!(hashes(plain.as_bytes()), named(&plain));
        let escaped = plain.replace("9b01", "9\\u00620\\u0031");
        assert_eq!(hashes(format!("{plain}\n{escaped}\n").as_bytes()), [named(&plain), named(&escaped)].concat());
        assert_eq!(named(&escaped), named(&plain));
        assert_eq!(hashes(&b"a".repeat(1000)), [], "no such run");
    }

    /// The paths of the units in the readings of a ledger.
    fn stamped(text: &str) -> BTreeSet<RepoPath> {
        let mut found = BTreeSet::new();
        see_reading(text.as_bytes(), &mut |reading| found.extend(reading.units.keys().map(|unit| unit.path.clone())));
        found
    }

    fn with_units(keys: &[&str], note: &str) -> String {
        let units: Vec<_> = keys.iter().map(|key| format!("\"{key}\":\"{COMMIT}\"")).collect();
        let units = format!("\"units\":{{{}}},\"ts\"", units.join(","));
        line(&"7".repeat(64), "", note).replace(r#""scenarioHash":"","#, "").replace("\"ts\"", &units)
    }

    #[test]
    fn the_paths_of_stamped_units_are_told_without_reading_the_line() {
        let paths = |text: &str| unit_paths(text.as_bytes()).iter().map(ToString::to_string).collect::<Vec<_>>();
        let plain = with_units(&["src/a.ts#Box.shut", "src/b.ts#f", "src/a.ts#g"], "fixes #7");
        assert_eq!(paths(&plain), ["src/a.ts", "src/b.ts"]);
        assert_eq!(paths(&line(&"7".repeat(64), "", "of #7")), [""; 0], "no units");
        for spelled in ["src/\\u0061.ts#f", "src\\/a.ts#f", "src/\\\"a.ts#f", "a\\u0023f"] {
            let line = with_units(&[spelled], "");
            assert_eq!(unit_paths(line.as_bytes()), stamped(&line), "{line}");
            assert_eq!(stamped(&line).len(), 1, "{line}");
        }
        let key = plain.replace("\"units\"", "\"\\u0075nits\"");
        assert_eq!(unit_paths(key.as_bytes()), stamped(&plain));
    }

    /// The stamps of a ledger, each with its scenario.
    fn stamps(text: &[u8]) -> Vec<(String, StampKind, Vec<StampedFile>)> {
        let mut found = Vec::new();
        see_stamps(text, &mut |scenario, kind, files| found.push((scenario.to_owned(), kind, files.to_vec())));
        found
    }

    #[test]
    fn stamps_are_told_in_any_spelling() {
        let stamped = |more: &str| line(&"7".repeat(64), "", "").replace(r#""scenarioHash":"","#, more);
        let both = format!(r#""governed":{{"a b":"{COMMIT}","c":"-"}},"test":{{"t":"x:{COMMIT}","t#f":"{COMMIT}"}},"#);
        let plain = stamped(&both);
        let told = stamps(plain.as_bytes());
        let shown: Vec<_> = told.iter().map(|(of, kind, files)| (&**of, *kind, files.len())).collect();
        assert_eq!(shown, [("s", StampKind::Governed, 2), ("s", StampKind::Test, 1)]);
        for (from, to) in [
            ("{\"scenario\":", "{ \"scenario\" : "),
            ("\"governed\":{", "\"governed\" : { "),
            ("\"governed\"", "\"\\u0067overned\""),
            ("\"a b\"", "\"a\\u0020b\""),
            ("\"c\":", "\"c\" :"),
            ("\"test\":{", "\"test\":\n{"),
        ] {
            assert!(plain.contains(from), "{from}");
            let spelled = plain.replacen(from, to, 1).replace('\n', " ");
            assert_eq!(stamps(spelled.as_bytes()), told, "{spelled}");
        }
        assert_eq!(stamps(stamped("").as_bytes()), []);
        let named = line(&"7".repeat(64), "", "").replace("\"s\"", "\"test\"");
        assert_eq!(stamps(named.as_bytes()), [], "a scenario of that name");
    }

    proptest! {
        /// A decision about a patch is seen as parsing sees it, in any spelling and beside any other line.
        #[test]
        fn a_decision_about_a_patch_is_told_as_by_parsing(
            kinds in proptest::collection::vec("approve|reject|complete|later", 0..4),
            key in "decision|\\\\u0064ecision|decisions",
            spaces in " {0,1}",
            with_commit in any::<bool>(),
            note in "(decision|\\\\u0061|approve|\\\\\"){0,3}",
        ) {
            let commit = if with_commit { format!(",\"commit\":\"{COMMIT}\"") } else { String::new() };
            let mut text = format!("{}\n{{\"decision\":\n", line(&"7".repeat(64), "", &note).replace(r#""scenarioHash":"","#, ""));
            for kind in &kinds {
                let about = format!("\"patch\":\"p\"{commit},\"reason\":\"{note}\",\"by\":\"b\"");
                text.push_str(&format!("{{\"{key}\"{spaces}:{spaces}\"{kind}\",{about},\"ts\":\"2026-01-01T00:00:00.000Z\"}}\n"));
            }
            let parsed = parse(&RepoPath::root(), text.as_bytes());
            prop_assert_eq!(decides_patches(text.as_bytes()), parsed.decides_patches(), "{}", text);
        }

        /// The path of every stamped unit is found, in any spelling of keys.
        #[test]
        fn no_path_of_a_stamped_unit_is_missed(
            keys in proptest::collection::vec("[a-c/]{1,4}(\\\\u0061|\\\\\"|\\\\/|\\\\\\\\|é| |#|\\\\u0023){0,2}#[a-b.#]{1,3}", 1..4),
            note in "(#|[a-f]|\\\\\"|\\\\n|\\{){0,20}",
        ) {
            let text = with_units(&keys.iter().map(String::as_str).collect::<Vec<_>>(), &note);
            let found = unit_paths(text.as_bytes());
            for path in stamped(&text) {
                prop_assert!(found.contains(&path), "{}", text);
            }
        }

        /// Every hash that a reading names is found, for any splitting, spacing and spelling of lines.
        #[test]
        fn no_hash_that_a_reading_names_is_missed(
            blobs in proptest::collection::vec("[0-9a-f]{64}", 1..4),
            notes in proptest::collection::vec("([a-f]|\\\\u0061|\\\\n| |[0-9]|\\{){0,130}", 4),
            spaced in any::<bool>(),
        ) {
            let mut text = String::new();
            for (blob, note) in blobs.iter().zip(&notes) {
                text.push_str(&line(blob, "", note).replace(r#""scenarioHash":"","#, ""));
                text.push('\n');
            }
            let text = if spaced { text.replace("\":\"", "\" :  \"") } else { text };
            let found = hashes(text.as_bytes());
            let named = named(&text);
            prop_assert_eq!(named.len(), blobs.len());
            for hash in named {
                prop_assert!(found.contains(&hash), "{}", text);
            }
        }
    }
}
