//! The token of `begin` for programs: `yatsu-hook/begin/v1` (schema/begin.v1.schema.json).

use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/begin/v1")]
struct BeginJson<'a> {
    token: &'a str,
}

pub(crate) fn write_json(token: &str, out: &mut dyn Write) -> io::Result<()> {
    super::write_json(&BeginJson { token }, out)
}
