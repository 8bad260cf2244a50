//! The shapes of well-known secrets in a text. Purpose: what is stored, shown or sent for others carries no token that
//! a failing program happened to print. In: a text, or bytes. Out: where the secrets stand and of which kind they are, or
//! the same text with each of them replaced by `[masked: KIND]`. Pure, linear in the text.
//!
//! Only shapes that their makers fixed are known ([`SHAPES`]), and nothing is guessed by randomness: the net has holes, a
//! password that is an ordinary word passes through it, and pictures cannot be searched at all.

use regex::bytes::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

#[cfg(test)]
mod tests;

/// One kind of secret.
struct SecretShape {
    /// What it is called where it stood: `[masked: github token]`.
    kind: &'static str,
    /// What it looks like. Where it has a group, the secret is what the group holds; else the whole match. It begins and
    /// ends with ASCII, so that what it cuts out of a text leaves a text.
    pattern: &'static str,
}

/// Every known kind but the blocks of private keys, which end where another line says so ([`private_keys`]).
///
/// Each begins with fixed letters, as far as its makers allow, and repeats one class of characters: so each is looked for
/// in one pass.
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
    // the scheme goes with the value: what follows an unknown one is as secret. `[` begins no value, so that what is masked
    // already is not masked again
    SecretShape {
        kind: "authorization",
        pattern: r#"(?i)\bauthorization\\?["']?\s{0,4}[:=]>?[ \t]*(?:b?\\?["'])?((?:aws4-hmac-sha256|digest|hawk|oauth)[ \t]+[\x21-\x7e \t]*[\x21-\x7e]|(?:[a-z][a-z0-9-]*[ \t]+)?[^\s"'\\\[\x00-\x20\x7f-\xff][^\s"'\\\x00-\x20\x7f-\xff]{3,})"#,
    },
    SecretShape {
        kind: "url password",
        pattern: r#"://[^\s/?#:@"'<>\x00-\x20\x7f-\xff]*:([^\s/?#"'<>\x00-\x20\x7f-\xff]+)@"#,
    },
];

/// The shapes as they are looked for, in the order of the table.
static SEARCHED: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let searched = |shape: &SecretShape| {
        let pattern = Regex::new(&format!("(?-u){}", shape.pattern));
        pattern.ok().map(|pattern| (shape.kind, pattern))
    };
    SHAPES.iter().filter_map(searched).collect()
});

/// Where the block of a private key begins and where it ends.
static KEY_EDGES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----").ok());

/// The longest block of a private key, in bytes; what claims to be longer is other text between two edges.
const MAX_KEY: usize = 32 << 10;

const PRIVATE_KEY: &str = "private key";

/// A secret and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    /// Its first byte and the one behind its last. In a text both are boundaries of characters.
    pub bytes: Range<usize>,
    /// What sort of secret it is, in words.
    pub kind: &'static str,
}

/// A text in which no known secret stands any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedText<'t> {
    /// The text; the very one where there was nothing to mask.
    pub text: Cow<'t, str>,
    /// How many secrets stood in it.
    pub count: usize,
}

/// `text` with every known secret replaced by `[masked: KIND]`. The same text always gives the same.
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

/// Every known secret in `bytes`, in the order in which they stand, none within another: where two meet, they are one, of
/// the kind of the first.
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

/// The blocks of private keys: to the edge that ends them, and where a text was cut off before it, to the end of what can
/// be key.
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

/// Where the letters of a key end that begin at `from`: white space, and what armour and quoting put between them,
/// counted in.
fn key_end(bytes: &[u8], from: usize) -> usize {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\\ \t\r\n".contains(byte);
    let rest = &bytes[from..bytes.len().min(from + MAX_KEY)];
    let key = &rest[..rest.iter().position(|byte| !is_key(byte)).unwrap_or(rest.len())];
    from + key.trim_ascii_end().len()
}
