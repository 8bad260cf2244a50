//! Bytes in, spanned values out. Purpose: reading the texts we own, with positions. No I/O, no knowledge of nodes or
//! scenarios, no judgement.

pub(crate) mod base64;
pub mod escape;
pub(crate) mod frontmatter;
pub mod json;
pub mod markers;
pub(crate) mod ndjson;
pub(crate) mod nearest;
pub mod number;
pub(crate) mod picture;
pub(crate) mod pretty;
pub mod secrets;
pub(crate) mod shell;
pub(crate) mod source;
pub mod test_report;
pub mod units;
pub(crate) mod yaml;

/// A count with its noun: `1 file`, `2 files`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
