//! The key of a claim, a label that the caller chooses.

use crate::model::labels::MAX_KEY;
use std::fmt;

/// What a claim is on if it is no scenario and no path: a word that agents agree on, for example `deploy/staging`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey(String);

impl ClaimKey {
    pub(crate) const FORM: &'static str =
        "1 to 128 letters, digits and . _ : / # @ -, and it begins with a letter or a digit";

    /// The key with that spelling; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/#@-".contains(&byte);
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        (begins && text.len() <= MAX_KEY && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    /// The spelling in the journal and on a command line.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_a_claim_is_a_word_that_needs_no_quotes() {
        for text in ["k", "9", "deploy/staging", "a.b_c:d/e#f@g-h", &"x".repeat(128)] {
            assert_eq!(ClaimKey::parse(text).unwrap().as_str(), text);
        }
        for text in ["", "-k", "/k", ".k", "a b", "a\n", "a*", "a\0b", "\u{e9}", "e\u{e9}", &"x".repeat(129)] {
            assert_eq!(ClaimKey::parse(text), None, "{text:?}");
        }
    }
}
