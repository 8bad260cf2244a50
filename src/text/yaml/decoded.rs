//! Characters that only escapes in double quotes can produce: the decoded text may hold characters that the file's bytes do
//! not (`"\e["`, `"\u202E"`). Such text is judged like a text with these characters.

use super::screen::is_refused_decoded;
use crate::text::source::{Fault, Position};

/// The fault of a double-quoted scalar with an escape for a refused character. A character that is literally in `source`,
/// the scalar as written, has a fault already.
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
