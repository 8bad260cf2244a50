//! The document of a refused write: the reason and the repairs. Machine form: `yatsu-hook/refusal/v1`
//! (schema/refusal.v1.schema.json).

use crate::error::{Error, Refusal};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/refusal/v1")]
struct RefusalJson<'a> {
    reason: &'static str,
    message: &'a str,
    hints: &'a [String],
    argv: Option<&'a [String]>,
}

pub(crate) fn write_json(error: &Error, reason: Refusal, out: &mut dyn Write) -> io::Result<()> {
    let argv = Some(error.argv.as_slice()).filter(|argv| !argv.is_empty());
    let (message, hints) = (&error.message, &error.hints);
    let document = RefusalJson { reason: reason.as_str(), message, hints, argv };
    super::write_json(&document, out)
}
