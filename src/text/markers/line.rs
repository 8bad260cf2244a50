//! The marker at the beginning of one line, if any.

use super::names::{MarkerName, marker, metric_name};
use crate::text::escape::echo;

/// The beginning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Begin<'l> {
    /// Neither a marker nor similar to one: the line is ignored.
    Text,
    /// A marker.
    Marker(MarkerLine<'l>),
    /// Similar to a marker, but invalid; with the reason.
    Malformed(String),
}

/// A marker and the text after it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkerLine<'l> {
    pub(super) name: MarkerName,
    /// The attribute `unit`.
    pub(super) unit: Option<String>,
    /// The rest of the line.
    pub(super) content: &'l [u8],
}

/// The beginning of `line`, which has no escapes and no line end.
pub(super) fn begin(line: &[u8]) -> Begin<'_> {
    let Some(inside) = opened(line) else { return Begin::Text };
    let length = inside.iter().take_while(|byte| is_name(**byte)).count();
    let (name, behind) = inside.split_at(length);
    let Some(name) = std::str::from_utf8(name).ok().and_then(marker) else { return Begin::Text };
    let (parts, content) = match behind {
        [b']', content @ ..] => (&b""[..], content),
        [b':', behind @ ..] => match behind.iter().position(|byte| *byte == b']') {
            Some(end) => (&behind[..end], &behind[end + 1..]),
            None => return Begin::Text,
        },
        _ => return Begin::Text,
    };
    match std::str::from_utf8(parts).map_err(|_| "is not UTF-8".to_owned()).and_then(attributes) {
        Ok((subtype, unit)) => Begin::Marker(MarkerLine { name: MarkerName { name, subtype }, unit, content }),
        Err(why) => Begin::Malformed(format!("what stands behind [{name}: {why}")),
    }
}

/// The text after the bracket at the beginning of a line; blanks before the bracket are skipped.
fn opened(line: &[u8]) -> Option<&[u8]> {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line[blanks..].strip_prefix(b"[")
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
}

/// The subtype and the unit among `parts`: the first part without `=`, and the value of `unit`.
fn attributes(parts: &str) -> Result<(Option<String>, Option<String>), String> {
    let (mut subtype, mut unit) = (None, None);
    for part in parts.split(':').filter(|part| !part.trim().is_empty()) {
        match part.split_once('=') {
            None if subtype.is_none() => {
                let name = metric_name(part).ok_or_else(|| format!("is no name: `{}`", echo(part.trim())))?;
                subtype = Some(name);
            }
            Some((key, value)) if unit.is_none() && key.trim() == "unit" => unit = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    Ok((subtype, unit))
}
