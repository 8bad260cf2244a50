//! The three-way merge of one file's text, as git does it. Bytes in, bytes out: nothing is opened or written, no attribute
//! is read, no driver is run.

use crate::error::{Error, Result};
use bstr::ByteSlice;

/// How many bytes git searches for a NUL to detect a binary file.
const LOOKED_AT: usize = 8000;

/// A first line for all versions, so that no merged text is empty: for an empty text the library returns a null pointer,
/// and reading the bytes then ends the process.
const FIRST: &[u8] = b"\x01 what both sides keep \x01\n";

/// The merged text of three versions; `base` is empty if each side added the file. `None` if both sides changed the same
/// place, or a version is binary.
///
/// # Errors
/// Unchecked, if libgit2 fails.
pub(crate) fn merge_text(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Option<Vec<u8>>> {
    let is_binary = |bytes: &[u8]| bytes[..bytes.len().min(LOOKED_AT)].find_byte(0).is_some();
    if [base, ours, theirs].into_iter().any(is_binary) {
        return Ok(None);
    }
    // the first call to libgit2 must be one that initializes it, and merging a file does not
    git2::opts::strict_hash_verification(false);
    let texts = [base, ours, theirs].map(|bytes| [FIRST, bytes].concat());
    let [base, ours, theirs] = texts.each_ref().map(|text| {
        let mut input = git2::MergeFileInput::new();
        input.content(text);
        input
    });
    let merged = git2::merge_file(&base, &ours, &theirs, None)
        .map_err(|error| Error::fault(format!("cannot merge a file: {}", error.message())))?;
    let text = || merged.content().strip_prefix(FIRST).map(<[u8]>::to_vec);
    Ok(merged.is_automergeable().then(text).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
        let of = |text: &'static str| text.as_bytes();
        let [base, ours, theirs] = [base, ours, theirs].map(|text| of(Box::leak(text.to_owned().into_boxed_str())));
        let merged = merge_text(base, ours, theirs).expect("libgit2 answers");
        merged.map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn other_places_are_merged_and_the_same_place_is_not() {
        let base = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let (ours, theirs) = (base.replace('1', "one"), base.replace('8', "eight"));
        assert_eq!(merged(base, &ours, &theirs), Some("one\n2\n3\n4\n5\n6\n7\neight\n".into()));
        assert_eq!(merged(base, &ours, &ours), Some(ours.clone()), "the same change twice");
        assert_eq!(merged(base, &ours, &base.replace('1', "uno")), None);
        assert_eq!(merged("", "a\n", "b\n"), None);
        assert_eq!(merged("", "", ""), Some(String::new()));
    }

    #[test]
    fn what_is_no_text_is_not_merged() {
        assert_eq!(merged("a\0b\n1\n2\n3\n4\n", "A\0b\n1\n2\n3\n4\n", "a\0b\n1\n2\n3\n5\n"), None);
    }
}
