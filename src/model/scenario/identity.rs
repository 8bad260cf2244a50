//! Hashes that identify equal entries.

use crate::model::ledger::EvidenceHash;
use crate::text::yaml::{Value, YamlKind};
use sha2::{Digest, Sha256};

/// Adds `text` with every run of JavaScript's `\s` replaced by one space, and trimmed.
fn fold_into(folded: &mut String, text: &str) {
    let start = folded.len();
    for word in text.split(is_js_space).filter(|word| !word.is_empty()) {
        if folded.len() > start {
            folded.push(' ');
        }
        folded.push_str(word);
    }
}

/// ECMAScript's WhiteSpace and LineTerminator: they include U+FEFF and not U+0085. Rust's `char::is_whitespace` is the
/// opposite for both.
fn is_js_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// The `scenarioHash` of formats.md: sha256 of both texts, folded, joined with one newline.
pub(crate) fn text_hash(description: &str, expected: &str) -> EvidenceHash {
    let mut joined = String::with_capacity(description.len() + expected.len() + 1);
    fold_into(&mut joined, description);
    joined.push('\n');
    fold_into(&mut joined, expected);
    EvidenceHash(Sha256::digest(joined).into())
}

/// The identity of an entry: its keys and values without white space.
pub(super) fn fingerprint(entry: &Value) -> u64 {
    let mut hash = Sha256::new();
    absorb(&mut hash, entry);
    first_bytes(hash)
}

/// The identity of a text that is no entry: the text without white space.
pub(super) fn fingerprint_text(text: &str) -> u64 {
    let mut hash = Sha256::new();
    absorb_text(&mut hash, text);
    first_bytes(hash)
}

/// Sixty-four bits of a cryptographic hash: collisions cannot be crafted, so that a violation cannot pass for an older one.
fn first_bytes(hash: Sha256) -> u64 {
    hash.finalize().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn absorb(hash: &mut Sha256, value: &Value) {
    match &value.kind {
        YamlKind::Scalar(scalar) => absorb_text(hash, &scalar.text),
        YamlKind::Refused => hash.update([0xf0]),
        YamlKind::Sequence(items) => {
            hash.update([0xf1]);
            items.iter().for_each(|item| absorb(hash, item));
            hash.update([0xf2]);
        }
        YamlKind::Mapping(entries) => {
            hash.update([0xf3]);
            for entry in entries {
                absorb_text(hash, &entry.key);
                absorb(hash, &entry.value);
            }
            hash.update([0xf4]);
        }
    }
}

/// The text without white space, and an end mark that is not valid in UTF-8.
fn absorb_text(hash: &mut Sha256, text: &str) {
    text.split_whitespace().for_each(|word| hash.update(word));
    hash.update([0xff]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_format() {
        let plain = "4117bd48b8c081a28969f8012cb583419107144baa3154f23f262a49d187ba5f";
        for description in ["measure it", "measure\u{a0}it", "measure\u{feff}it", " measure \n\t it\r\n"] {
            assert_eq!(text_hash(description, "it behaves").to_string(), plain, "{description:?}");
        }
        let next_line = "c542f1a903c8e030d3c262beef3477327b2565ff49d9ded83dd18a69eabc5e08";
        assert_eq!(text_hash("measure\u{85}it", "it behaves").to_string(), next_line);
        let nothing = "01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b";
        assert_eq!(text_hash("", "").to_string(), nothing);
    }

    #[test]
    fn folding_knows_every_space_of_javascript() {
        let fold = |text: &str| {
            let mut folded = String::new();
            fold_into(&mut folded, text);
            folded
        };
        let spaces = "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2000}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
        assert_eq!(fold(&format!("{spaces}a{spaces}b{spaces}")), "a b");
        for c in ["\u{85}", "\u{200b}", "\u{180e}", "\u{1c}"] {
            assert_eq!(fold(c), c);
        }
    }
}
