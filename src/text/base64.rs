//! Base64 (RFC 4648, the usual alphabet, with padding), for pages, security policies and signatures.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The length of [`base64`] for so many bytes.
pub(crate) fn encoded_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(encoded_len(bytes.len()));
    for group in bytes.chunks(3) {
        let at = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * digit) & 63) as usize];
            out.push(if digit <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// The bytes of `text`; `None` unless it is the one spelling that [`base64`] gives them.
pub(crate) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let filled = text.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    if !text.len().is_multiple_of(4) || text.len() - filled > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in text[..filled].chunks(4) {
        let mut word = 0;
        for digit in group {
            word = word << 6 | ALPHABET.iter().position(|letter| letter == digit)?;
        }
        word <<= 6 * (4 - group.len());
        let bytes = [(word >> 16) as u8, (word >> 8) as u8, word as u8];
        out.extend_from_slice(&bytes[..group.len() - 1]);
    }
    // unused bits that are set would give one signature many spellings
    (base64(&out).as_bytes() == text).then_some(out)
}

/// Whether `text` has only characters of base64. Says nothing about its length.
pub(crate) fn is_base64(text: &[u8]) -> bool {
    // no early end: the processor compares many bytes at once, and nearly every asked text is base64
    let all =
        text.iter().fold(true, |all, byte| all & (byte.is_ascii_alphanumeric() | matches!(byte, b'+' | b'/' | b'=')));
    all && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(encoded_len(bytes.len()), text.len());
            assert_eq!(decoded(text.as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }

    #[test]
    fn another_spelling_is_no_base64() {
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zg==Zg==", "Z===", "====", "Zm9v\n", "Zm9-"] {
            assert_eq!(decoded(text.as_bytes()), None, "{text}");
        }
    }
}
