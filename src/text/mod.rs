//! Bytes in, spanned values out. Purpose: reading the texts we own, with positions. No I/O, no knowledge of nodes or
//! scenarios, no judgement.

pub mod escape;
pub mod frontmatter;
pub mod json;
pub mod ndjson;
pub mod nearest;
pub mod shell;
pub mod source;
pub mod yaml;

/// A count with its noun: `1 file`, `2 files`.
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
