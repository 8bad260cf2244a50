//! What only quotes with escapes can say: the decoded text may hold what the bytes of the file do not (`"\e["`,
//! `"\u202E"`). It is judged as if it had been written as it is.

use super::screen::is_refused_decoded;
use crate::text::source::{Fault, Position};

/// The fault of a double-quoted scalar whose text holds a character that `source`, the scalar as it is written, only
/// spells; what stands there as it is has its fault already.
pub(super) fn fault(text: &str, source: impl Fn() -> String, at: Position) -> Option<Fault> {
    let refused = || text.chars().filter(|c| is_refused_decoded(*c));
    refused().next()?;
    let written = source();
    let spelled = refused().find(|c| !written.contains(*c))?;
    let sort = if spelled.is_control() { "control" } else { "bidirectional control" };
    let code = format!("U+{:04X}", u32::from(spelled));
    Some(Fault {
        at,
        kind: "control",
        message: format!("an escape for the {sort} character {code} is not allowed"),
        detail: code,
        help: "delete it, or describe it in words".into(),
    })
}
