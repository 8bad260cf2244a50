//! The document of a refused command: the reason and the repairs. Machine form: `yatsu-hook/refusal/v1`
//! (schema/refusal.v1.schema.json).

use crate::error::Error;
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

/// `reason` is the word for the kind of `error`.
pub(crate) fn write_json(error: &Error, reason: &'static str, out: &mut dyn Write) -> io::Result<()> {
    let argv = Some(error.argv.as_slice()).filter(|argv| !argv.is_empty());
    let (message, hints) = (&error.message, &error.hints);
    let document = RefusalJson { reason, message, hints, argv };
    super::write_json(&document, out)
}
