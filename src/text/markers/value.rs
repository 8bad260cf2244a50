//! The number on the line of a metric, as programs print numbers.

use super::names::unit as is_unit;
use crate::text::escape::echo;
use crate::text::number::{Finite, leading};

/// The text after the marker of a metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number, with its unit if it has one.
    Value(Finite, Option<String>),
    /// An explicit absence: `nan`, `NA`, `inf`, or a number beyond the finite ones.
    Absent,
    /// Not a number; with the reason, as the end of a sentence.
    Malformed(String),
}

/// The words for an absent value, in lower case.
const ABSENT: [&str; 4] = ["infinity", "inf", "nan", "na"];

/// The value in `text`: a number with its unit, also after `=` or `value =`. `unit` is the unit that the marker names.
pub fn quantity(text: &str, unit: Option<&str>) -> Quantity {
    let text = behind_equals(text.trim());
    if text.is_empty() {
        return Quantity::Malformed("no number stands behind it on this line".to_owned());
    }
    let (number, rest) = match leading(text).or_else(|| absent(text).map(|rest| (None, rest))) {
        Some(found) => found,
        None => return Quantity::Malformed(format!("`{}` is no number", echo(text))),
    };
    let written = rest.trim_start();
    if !written.is_empty() && is_unit(written).is_none() {
        return Quantity::Malformed(format!("`{}` is more than a number and a unit", echo(text)));
    }
    let written = Some(written).filter(|written| !written.is_empty());
    match (written, unit) {
        (_, Some(unit)) if is_unit(unit).is_none() => Quantity::Malformed(format!("`{}` is no unit", echo(unit))),
        (Some(written), Some(unit)) if written != unit => {
            Quantity::Malformed(format!("it has two units, {} and {}", echo(unit), echo(written)))
        }
        _ => number.map_or(Quantity::Absent, |number| Quantity::Value(number, written.or(unit).map(str::to_owned))),
    }
}

fn behind_equals(text: &str) -> &str {
    let bare = text.strip_prefix("value").map_or(text, str::trim_start);
    bare.strip_prefix('=').map_or(text, str::trim_start)
}

/// The rest after the word for an absent value at the beginning of `text`. A longer word is a different word.
fn absent(text: &str) -> Option<&str> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let word =
        ABSENT.iter().find(|word| unsigned.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))?;
    let rest = &unsigned[word.len()..];
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}
