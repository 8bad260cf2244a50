//! Finds hashes of evidence in ledger bytes without parsing. A superset only keeps too much, and an unparsable line still
//! protects its evidence. Input: one version of a ledger after the other. Output: hashes.

use crate::model::ledger::EvidenceHash;
use std::collections::BTreeSet;

/// The number of hex digits in a hash.
const NAME: usize = 64;
/// The number of bytes compared in one step.
const STEP: usize = 4096;

/// The hashes in all added versions.
#[derive(Default)]
pub(crate) struct Names {
    found: BTreeSet<EvidenceHash>,
    last: Vec<u8>,
}

impl Names {
    /// Adds the hashes in one version. Ledgers are only appended to, so the part that equals the last version is skipped.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let shared = common_prefix(&self.last, bytes);
        scan(&bytes[run_start(bytes, shared)..], &mut self.found);
        self.last.truncate(shared);
        self.last.extend_from_slice(&bytes[shared..]);
    }

    /// All hashes found, which `clean` keeps.
    pub(crate) fn all(self) -> BTreeSet<EvidenceHash> {
        self.found
    }
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP)).take_while(|(one, other)| one == other).count();
    let rest = one[steps * STEP..].iter().zip(&other[steps * STEP..]);
    steps * STEP + rest.take_while(|(one, other)| one == other).count()
}

/// Adds everything that looks like a hash: exactly 64 lower-case hex digits in a row. A run of that length covers every
/// 64th byte, so most bytes are never read.
fn scan(bytes: &[u8], names: &mut BTreeSet<EvidenceHash>) {
    let mut at = NAME - 1;
    while let Some(byte) = bytes.get(at) {
        if !is_hex(byte) {
            at += NAME;
            continue;
        }
        let start = run_start(bytes, at);
        let end = bytes[at..].iter().position(|byte| !is_hex(byte)).map_or(bytes.len(), |after| at + after);
        if end - start == NAME {
            names.extend(EvidenceHash::from_hex(&bytes[start..end]));
        }
        at = end + NAME;
    }
}

/// The start of the run of hex digits that ends before `at`; `at` itself without one.
fn run_start(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rposition(|byte| !is_hex(byte)).map_or(0, |before| before + 1)
}

fn is_hex(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_found_wherever_they_stand_and_only_whole() {
        let name = "0123456789abcdef".repeat(4);
        let count = |text: &str| {
            let mut names = Names::default();
            names.add(text.as_bytes());
            names.all().len()
        };
        for before in 0..130 {
            assert_eq!(count(&format!("{}\"{name}\"", "-".repeat(before))), 1, "{before}");
            assert_eq!(count(&format!("{}a{name}\"", "-".repeat(before))), 0, "{before}");
        }
        assert_eq!(count(&name), 1);
        assert_eq!(count(&name[1..]), 0);
        let other = "f".repeat(64);
        assert_eq!(count(&format!("{name},{other}")), 2);
        assert_eq!(count(&name.to_uppercase()), 0);
    }

    /// The obvious slow way: searches every version on its own, and every run of digits.
    fn slowly(versions: &[Vec<u8>]) -> BTreeSet<EvidenceHash> {
        let runs = versions.iter().flat_map(|version| version.split(|byte| !is_hex(byte)));
        runs.filter(|run| run.len() == NAME).filter_map(EvidenceHash::from_hex).collect()
    }

    /// Runs of digits with a length near 64, and separators.
    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => "[0-3]{64}",
            2 => "[0-3]{62,66}",
            2 => "[-\"G\n]{1,3}",
            1 => Just("-".repeat(STEP - 40)),
        ]
    }

    /// Each version from the one before: the kept share of its bytes, in thousandths, and the appended pieces.
    fn grown(edits: Vec<(usize, Vec<String>)>) -> Vec<Vec<u8>> {
        let mut last = Vec::new();
        let grow = |(kept, pieces): (usize, Vec<String>)| {
            last.truncate(last.len() * kept.min(1000) / 1000);
            last.extend(pieces.concat().into_bytes());
            last.clone()
        };
        edits.into_iter().map(grow).collect()
    }

    proptest! {
        #[test]
        fn what_versions_share_hides_no_name_and_makes_none(
            edits in proptest::collection::vec((500usize..2000, proptest::collection::vec(piece(), 0..6)), 1..8),
        ) {
            let versions = grown(edits);
            let mut names = Names::default();
            versions.iter().for_each(|version| names.add(version));
            prop_assert_eq!(names.all(), slowly(&versions));
        }
    }
}
