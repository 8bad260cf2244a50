//! The three-way merge of one file's text, as git makes it. Bytes in, bytes out: nothing is opened, no attribute is read, no
//! driver is run and nothing is written.

use crate::error::{Error, Result};
use bstr::ByteSlice;

/// As far git looks for a NUL to tell that a file is no text.
const LOOKED_AT: usize = 8000;

/// A line that all versions begin with, so that no merged text is empty: of an empty one the library hands out no bytes at all
/// but a null pointer, and asking for them ends the process.
const FIRST: &[u8] = b"\x01 what both sides keep \x01\n";

/// Three versions of one file.
#[derive(Clone, Copy)]
pub(crate) struct Versions3<'b> {
    /// What both sides began with; empty where each made the file.
    pub base: &'b [u8],
    /// What stands where it is merged to.
    pub ours: &'b [u8],
    /// What is merged.
    pub theirs: &'b [u8],
}

/// The merged text; nothing where both sides changed the same place, or one of them is no text.
///
/// # Errors
/// Unchecked, where libgit2 cannot merge them at all.
pub(crate) fn merge_text(versions: Versions3<'_>) -> Result<Option<Vec<u8>>> {
    let Versions3 { base, ours, theirs } = versions;
    let is_binary = |bytes: &[u8]| bytes[..bytes.len().min(LOOKED_AT)].find_byte(0).is_some();
    if [base, ours, theirs].into_iter().any(is_binary) {
        return Ok(None);
    }
    // the first question to libgit2 must be one that wakes it, and merging a file is none
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
        let merged = merge_text(Versions3 { base, ours, theirs }).expect("libgit2 answers");
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
