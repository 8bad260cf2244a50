//! Finds well-known kinds of secrets in a text. Stored, shown or sent text must hold no token that a failing program
//! happened to print. Input: a text, or bytes. Output: the places and kinds of the secrets, or the same text with each
//! secret replaced by `[masked: KIND]`. Pure, linear in the text.
//!
//! Only patterns that a vendor defined are known ([`SHAPES`]); randomness is not measured. So some secrets are missed: a
//! password that is an ordinary word stays, and pictures cannot be searched.

use regex::bytes::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

#[cfg(test)]
mod tests;

/// One kind of secret.
struct SecretShape {
    /// The name in the mask, for example `[masked: github token]`.
    kind: &'static str,
    /// The pattern. If it has a group, the secret is the group, otherwise the whole match. The match begins and ends with
    /// ASCII, so that the masked text stays valid UTF-8.
    pattern: &'static str,
}

/// Every known kind except blocks of private keys, which end at another line ([`private_keys`]).
///
/// Each pattern begins with fixed letters, as far as its vendor allows, and repeats one class of characters. So one pass
/// finds each kind.
const SHAPES: [SecretShape; 13] = [
    SecretShape { kind: "aws key", pattern: r"\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}\b" },
    SecretShape {
        kind: "aws key",
        pattern: r#"(?i)\baws_?(?:secret_?access_?key|session_?token|secret_?key)\\?["']?\s*[:=]\s*\\?["']?([a-z0-9/+=]{20,})"#,
    },
    SecretShape {
        kind: "github token",
        pattern: r"gh[pousr]_[A-Za-z0-9_.-]{19,}[A-Za-z0-9]|github_pat_[A-Za-z0-9_]{20,}",
    },
    SecretShape {
        kind: "gitlab token",
        pattern: r"gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-[A-Za-z0-9_.-]{19,}[A-Za-z0-9_-]|\bGR1348941[A-Za-z0-9_-]{20,}",
    },
    SecretShape { kind: "google key", pattern: r"\bAIza[A-Za-z0-9_-]{35}" },
    SecretShape { kind: "jwt", pattern: r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*" },
    SecretShape { kind: "npm token", pattern: r"npm_[A-Za-z0-9]{36,}" },
    SecretShape { kind: "pypi token", pattern: r"pypi-Ag[A-Za-z0-9_-]{40,}" },
    SecretShape { kind: "slack token", pattern: r"xox[abceoprs]-[A-Za-z0-9.-]{9,}[A-Za-z0-9]|xapp-[A-Za-z0-9-]{10,}" },
    SecretShape { kind: "slack token", pattern: r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{20,})" },
    SecretShape { kind: "stripe key", pattern: r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}" },
    // The scheme is masked with the value, because text after an unknown scheme may be secret. `[` begins no value, so that
    // masked text is not masked again.
    SecretShape {
        kind: "authorization",
        pattern: r#"(?i)\bauthorization\\?["']?\s{0,4}[:=]>?[ \t]*(?:b?\\?["'])?((?:aws4-hmac-sha256|digest|hawk|oauth)[ \t]+[\x21-\x7e \t]*[\x21-\x7e]|(?:[a-z][a-z0-9-]*[ \t]+)?[^\s"'\\\[\x00-\x20\x7f-\xff][^\s"'\\\x00-\x20\x7f-\xff]{3,})"#,
    },
    SecretShape {
        kind: "url password",
        pattern: r#"://[^\s/?#:@"'<>\x00-\x20\x7f-\xff]*:([^\s/?#"'<>\x00-\x20\x7f-\xff]+)@"#,
    },
];

/// The compiled patterns, in the order of the table.
static SEARCHED: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let searched = |shape: &SecretShape| {
        let pattern = Regex::new(&format!("(?-u){}", shape.pattern));
        pattern.ok().map(|pattern| (shape.kind, pattern))
    };
    SHAPES.iter().filter_map(searched).collect()
});

/// The first and the last line of a private key block.
static KEY_EDGES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----").ok());

/// The longest block of a private key, in bytes. A longer one is other text between two such lines.
const MAX_KEY: usize = 32 << 10;

const PRIVATE_KEY: &str = "private key";

/// A secret and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    /// The range of its bytes. In a text both ends are character boundaries.
    pub bytes: Range<usize>,
    /// The kind of secret, in words.
    pub kind: &'static str,
}

/// A text without known secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedText<'t> {
    /// The text, borrowed if there was nothing to mask.
    pub text: Cow<'t, str>,
    /// How many secrets were masked.
    pub count: usize,
}

/// `text` with every known secret replaced by `[masked: KIND]`. Deterministic.
pub fn mask(text: &str) -> MaskedText<'_> {
    let found = find(text.as_bytes());
    if found.is_empty() {
        return MaskedText { text: Cow::Borrowed(text), count: 0 };
    }
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for secret in &found {
        out.push_str(&text[end..secret.bytes.start]);
        out.push_str("[masked: ");
        out.push_str(secret.kind);
        out.push(']');
        end = secret.bytes.end;
    }
    out.push_str(&text[end..]);
    MaskedText { text: Cow::Owned(out), count: found.len() }
}

/// Every known secret in `bytes`, in order and without overlap: overlapping secrets become one, with the kind of the first.
pub fn find(bytes: &[u8]) -> Vec<FoundSecret> {
    let mut found = private_keys(bytes);
    for (kind, pattern) in SEARCHED.iter() {
        for groups in pattern.captures_iter(bytes) {
            let part = groups.get(1).or_else(|| groups.get(0));
            found.extend(part.map(|part| FoundSecret { bytes: part.range(), kind }));
        }
    }
    found.sort_by_key(|secret| (secret.bytes.start, std::cmp::Reverse(secret.bytes.end)));
    let mut apart: Vec<FoundSecret> = Vec::with_capacity(found.len());
    for secret in found {
        match apart.last_mut().filter(|last| secret.bytes.start < last.bytes.end) {
            Some(last) => last.bytes.end = last.bytes.end.max(secret.bytes.end),
            None => apart.push(secret),
        }
    }
    apart
}

/// The blocks of private keys. A block ends at its last line, or, in a truncated text, where the key characters end.
fn private_keys(bytes: &[u8]) -> Vec<FoundSecret> {
    let Some(edges) = KEY_EDGES.as_ref() else { return Vec::new() };
    let edges: Vec<_> = edges.captures_iter(bytes).filter_map(|edge| edge.get(0).zip(edge.get(1))).collect();
    let mut found = Vec::new();
    for (at, (whole, word)) in edges.iter().enumerate() {
        if word.as_bytes() != b"BEGIN" {
            continue;
        }
        let next = edges.get(at + 1).filter(|(_, word)| word.as_bytes() == b"END").map(|(edge, _)| edge.end());
        let end = next.filter(|end| end - whole.start() <= MAX_KEY).unwrap_or_else(|| key_end(bytes, whole.end()));
        found.push(FoundSecret { bytes: whole.start()..end, kind: PRIVATE_KEY });
    }
    found
}

/// The end of the key characters from `from` on, including white space and the characters that armour and quoting add.
fn key_end(bytes: &[u8], from: usize) -> usize {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\\ \t\r\n".contains(byte);
    let rest = &bytes[from..bytes.len().min(from + MAX_KEY)];
    let key = &rest[..rest.iter().position(|byte| !is_key(byte)).unwrap_or(rest.len())];
    from + key.trim_ascii_end().len()
}
