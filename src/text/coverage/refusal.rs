//! Formats that are not read, with the switch of their tool for one that is.

use super::Format;

pub(super) const LLVM: &str =
    "this is the JSON of llvm-cov: write `llvm-cov export -format=lcov`, or `cargo llvm-cov --lcov`";
pub(super) const GCOVR: &str = "this is the JSON of gcovr: write `gcovr --lcov`";
pub(super) const CLOVER: &str = "this is a file of Clover: choose the reporter `lcov`";
pub(super) const JACOCO: &str = "this is a file of JaCoCo, which is not read yet";
pub(super) const DATABASE: &str = "this is a database of coverage.py: write `coverage json --show-contexts`";
/// Some tools write an empty file, or `{}`, when nothing was measured.
pub(super) const EMPTY: &str = "it names no file: was anything measured?";
/// The end of the sentence about a large file of coverage.py.
pub(super) const CONTEXTS: &str =
    "write fewer names of tests, `coverage json --contexts=REGEX`, or none, without --show-contexts";

/// The sentence about a file of no known format.
pub(super) fn unknown() -> String {
    let names = Format::ALL.map(Format::as_str).join(", ");
    format!("this is no coverage file of a format that is read; these are read: {names}")
}
