//! The hashes that a ledger may name, without reading what its lines say. For whoever must know of no other thing than
//! whether somewhere may be named what a change brings.

use super::{Event, EvidenceHash, parse};
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;

/// Hex digits of a hash.
const DIGITS: usize = 64;
/// What stands before a hash that names no bytes.
const OF_TEXT: &[u8] = br#""scenarioHash":""#;

/// Every hash that a line of the ledger `bytes` names. Others that merely look like one may be among them.
pub(crate) fn hashes(bytes: &[u8]) -> Vec<EvidenceHash> {
    let mut found = Vec::new();
    // only such an escape spells a digit otherwise
    if !bytes.contains_str(b"\\u") {
        see_digits(bytes, &mut found);
        return found;
    }
    for line in ndjson::filled(bytes) {
        if line.contains_str(b"\\u") {
            let ledger = parse(&RepoPath::root(), line);
            let readings = ledger.lines.iter().filter_map(|line| match &line.event {
                Event::Reading(reading) => Some(reading),
                Event::Retraction(_) | Event::Redaction(_) | Event::Decision(_) | Event::Other | Event::Unknown(_) => {
                    None
                }
            });
            found.extend(readings.flat_map(|reading| reading.bytes().collect::<Vec<_>>()));
        } else {
            see_digits(line, &mut found);
        }
    }
    found
}

/// Adds every run of so many hex digits as a hash has.
fn see_digits(bytes: &[u8], found: &mut Vec<EvidenceHash>) {
    let mut at = DIGITS - 1;
    // no run of that length lies between two places that are looked at
    while at < bytes.len() {
        if is_digit(bytes[at]) {
            let start = bytes[..at].iter().rposition(|byte| !is_digit(*byte)).map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(|byte| !is_digit(*byte)).map_or(bytes.len(), |len| at + len);
            let names_bytes = end - start == DIGITS && !bytes[..start].ends_with(OF_TEXT);
            found.extend(EvidenceHash::from_hex(&bytes[start..end]).filter(|_| names_bytes));
            at = end;
        }
        at += DIGITS;
    }
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMIT: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn line(blob: &str, text: &str, note: &str) -> String {
        format!(
            r#"{{"scenario":"s","codeSha":"{COMMIT}","scenarioHash":"{text}","blob":"{blob}","blobKind":"transcript","verdict":{{"status":"pass","note":"{note}"}},"ts":"2026-01-01T00:00:00.000Z"}}"#
        )
    }

    fn named(text: &str) -> Vec<EvidenceHash> {
        let ledger = parse(&RepoPath::root(), text.as_bytes());
        let of = |event: &Event| match event {
            Event::Reading(reading) => reading.bytes().collect(),
            _ => Vec::new(),
        };
        ledger.lines.iter().flat_map(|line| of(&line.event)).collect()
    }

    #[test]
    fn what_names_bytes_is_told_from_what_does_not() {
        let (blob, text) = ("9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e", "7".repeat(64));
        let plain = line(blob, &text, "");
        assert_eq!(named(&plain).len(), 1);
        assert_eq!(hashes(plain.as_bytes()), named(&plain));
        let escaped = plain.replace("9b01", "9\\u00620\\u0031");
        assert_eq!(hashes(format!("{plain}\n{escaped}\n").as_bytes()), [named(&plain), named(&escaped)].concat());
        assert_eq!(named(&escaped), named(&plain));
        assert_eq!(hashes(&b"a".repeat(1000)), [], "no such run");
    }

    proptest! {
        /// However lines are cut, spaced and spelled: what a reading names is met.
        #[test]
        fn no_hash_that_a_reading_names_is_missed(
            blobs in proptest::collection::vec("[0-9a-f]{64}", 1..4),
            notes in proptest::collection::vec("([a-f]|\\\\u0061|\\\\n| |[0-9]|\\{){0,130}", 4),
            spaced in any::<bool>(),
        ) {
            let mut text = String::new();
            for (blob, note) in blobs.iter().zip(&notes) {
                text.push_str(&line(blob, "", note).replace(r#""scenarioHash":"","#, ""));
                text.push('\n');
            }
            let text = if spaced { text.replace("\":\"", "\" :  \"") } else { text };
            let found = hashes(text.as_bytes());
            let named = named(&text);
            prop_assert_eq!(named.len(), blobs.len());
            for hash in named {
                prop_assert!(found.contains(&hash), "{}", text);
            }
        }
    }
}
