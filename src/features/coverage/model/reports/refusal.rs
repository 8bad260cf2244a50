//! Formats that are not read, with the switch of their tool for one that is.

use super::Format;

pub(super) const LLVM: &str =
    "this is the JSON of llvm-cov: write `llvm-cov export -format=lcov`, or `cargo llvm-cov --lcov`";
pub(super) const GCOVR: &str = "this is the JSON of gcovr: write `gcovr --lcov`";
pub(super) const CLOVER: &str = "this is a file of Clover: choose the reporter `lcov`";
pub(super) const JACOCO: &str = "this is a file of JaCoCo, which is not read yet";
pub(super) const OPENCOVER: &str = "this is a file of OpenCover: write `coverlet --format cobertura`";
pub(super) const SONAR: &str = "this is the generic format of Sonar: choose the reporter `lcov`";
pub(super) const V8: &str = "this is raw coverage of V8: write `c8 report --reporter=lcov`";
pub(super) const TARPAULIN: &str = "this is the JSON of cargo-tarpaulin: write `--out Lcov`";
/// A raw or an indexed profile: `default.profraw`, `merged.profdata`.
const PROFILE: &str = "this is a profile of LLVM: write `llvm-cov export -format=lcov`, or `cargo llvm-cov --lcov`";
/// Data, notes or annotated source: `cart.gcda`, `cart.gcno`, `cart.c.gcov`.
const GCOV: &str = "this is a file of gcov: write `gcovr --lcov`, or `lcov --capture`";
pub(super) const GCOV_JSON: &str = "this is the JSON of gcov: write `gcovr --lcov`, or `lcov --capture`";
const DATABASE: &str = "this is a database of coverage.py: write `coverage json --show-contexts`";
/// Some tools write an empty file, or `{}`, when nothing was measured.
pub(super) const EMPTY: &str = "it names no file: was anything measured?";
/// The end of the sentence about a large file of coverage.py.
pub(super) const CONTEXTS: &str =
    "write fewer names of tests, `coverage json --contexts=REGEX`, or none, without --show-contexts";

/// Files that are no XML and no JSON, by their beginning.
const BEGINNINGS: [(&[u8], &str); 9] = [
    (b"SQLite format 3\0", DATABASE),
    (b"\x81rforpl\xff", PROFILE),
    (b"\xfflprofr\x81", PROFILE),
    (b"\xfflprofi\x81", PROFILE),
    (b"adcg", GCOV),
    (b"oncg", GCOV),
    (b"gcda", GCOV),
    (b"gcno", GCOV),
    (b"-:    0:Source:", GCOV),
];

/// The sentence about a file with this beginning.
pub(super) fn of_beginning(head: &[u8]) -> String {
    let known = BEGINNINGS.iter().find(|(beginning, _)| head.starts_with(beginning));
    known.map_or_else(unknown, |(_, sentence)| (*sentence).to_owned())
}

/// The sentence about a file of no known format.
pub(super) fn unknown() -> String {
    let names = Format::ALL.map(Format::as_str).join(", ");
    format!("this is no coverage file of a format that is read; these are read: {names}")
}
