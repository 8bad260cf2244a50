//! The number that a metric's line says, as programs print numbers.

use super::names::unit as is_unit;
use crate::text::escape::echo;
use crate::text::number::{Finite, leading};

/// What stands behind the marker of a metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number, with its unit where it has one.
    Value(Finite, Option<String>),
    /// That there is no value: `nan`, `NA`, `inf`, or a number beyond all finite ones.
    Absent,
    /// No number; why, as the end of a sentence.
    Malformed(String),
}

/// The words for no value, in lower case.
const ABSENT: [&str; 4] = ["infinity", "inf", "nan", "na"];

/// What `text` says: a number with its unit, also behind `=` or `value =`. `unit` is the one that the marker names.
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

/// What follows the word for no value that `text` begins with; a longer word is another one.
fn absent(text: &str) -> Option<&str> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let word =
        ABSENT.iter().find(|word| unsigned.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))?;
    let rest = &unsigned[word.len()..];
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}
