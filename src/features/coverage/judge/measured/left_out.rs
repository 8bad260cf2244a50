//! Test files by their names, in the languages that coverage tools measure.

use crate::tree::path::RepoPath;
use bstr::ByteSlice;

/// Directories of tests.
const TEST_DIRS: [&[u8]; 9] =
    [b"test", b"tests", b"Test", b"Tests", b"__tests__", b"__mocks__", b"e2e", b"spec", b"testdata"];
/// The last word of the name of a test class: `CartTest.java`, `CartTests.cs`.
const TEST_WORDS: [&[u8]; 3] = [b"Test", b"Tests", b"Spec"];

/// Whether the name of a file says that it is a test: `tests/cart.py`, `test_cart.py`, `cart_test.go`, `cart.spec.ts`.
pub(crate) fn is_test_file(path: &RepoPath) -> bool {
    let mut parts = path.components().rev();
    let name = parts.next().unwrap_or_default();
    let stem = name.split_str(".").next().unwrap_or_default();
    let has_word = |word: &[u8]| {
        stem.strip_suffix(word).and_then(<[u8]>::last).is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let is_named = name == "conftest.py"
        || name.starts_with(b"test_")
        || TEST_WORDS.into_iter().any(has_word)
        || [&b"_test."[..], b"_tests.", b".test.", b".spec."].iter().any(|mark| name.contains_str(mark));
    is_named || parts.any(|dir| TEST_DIRS.contains(&dir.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_its_name_or_its_directory() {
        for (path, expected) in [
            ("test/a.py", true),
            ("a/tests/b/c.py", true),
            ("js/__tests__/a.js", true),
            ("spec/a.rb", true),
            ("src/test_a.py", true),
            ("go/cart_test.go", true),
            ("js/cart.test.mjs", true),
            ("js/cart.spec.ts", true),
            ("a/conftest.py", true),
            (".spec/a.py", false),
            ("src/latest/a.py", false),
            ("src/contest.py", false),
            ("src/testing/a.py", false),
            ("src/specs.py", false),
            ("test", false),
            // a library may be about tests: jinja's `src/jinja2/tests.py`
            ("src/test.py", false),
            ("src/tests.py", false),
            ("src/cart_tests.py", true),
            ("src/CartTest.java", true),
            ("src/CartTests.cs", true),
            ("src/Latest.java", false),
            ("src/Test.java", false),
            ("web/e2e/cart.ts", true),
            ("web/__mocks__/cart.ts", true),
            ("src/mytest_a.py", false),
            ("src/attest.js", false),
        ] {
            assert_eq!(is_test_file(&RepoPath::from_git(path)), expected, "{path}");
        }
    }
}
