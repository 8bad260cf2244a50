//! Bytes in, spanned values out. Purpose: reading the texts we own, with positions. No I/O, no knowledge of nodes or
//! scenarios, no judgement.

pub mod escape;
pub mod frontmatter;
pub mod json;
pub mod ndjson;
pub mod source;
pub mod yaml;
