//! A piece of evidence for programs: `yatsu-hook/evidence/v1` (schema/evidence.v1.schema.json).

use crate::text::base64::base64;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/evidence/v1")]
struct EvidenceJson<'a> {
    hash: &'a str,
    size: usize,
    /// The bytes, if they are UTF-8.
    text: Option<&'a str>,
    /// Any other bytes.
    base64: Option<String>,
}

pub(crate) fn write_json(hash: &str, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let text = std::str::from_utf8(bytes).ok();
    let base64 = text.is_none().then(|| base64(bytes));
    super::write_json(&EvidenceJson { hash, size: bytes.len(), text, base64 }, out)
}
