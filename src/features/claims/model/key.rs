//! The key of a claim, a label that the caller chooses.

use crate::model::labels::label;

label! {
    /// What a claim is on if it is no scenario and no path: a word that agents agree on, for example `deploy/staging`.
    ClaimKey, "1 to 128 letters, digits and . _ : / # @ -, and it begins with a letter or a digit",
    |text| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/#@-".contains(&byte);
        text.len() <= 128 && text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.bytes().all(fits)
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
