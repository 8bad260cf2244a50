//! The number on the line of a metric, as programs print numbers, and a metric from the command line: `NAME=NUMBER[unit]`.

use super::names::{metric_name, unit as is_unit};
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
pub(crate) fn quantity(text: &str, unit: Option<&str>) -> Quantity {
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaidMetric {
    /// Spelled as in readings.
    pub name: String,
    /// The measured value, in its unit.
    pub value: Finite,
    pub unit: Option<String>,
}

impl SaidMetric {
    /// Parses the metric; an error is one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, said) = text.split_once('=').ok_or("write NAME=NUMBER, accuracy=0.92 say")?;
        let spelled = metric_name(name).ok_or_else(|| format!("`{}` is no name of a metric", echo(name)))?;
        match quantity(said, None) {
            Quantity::Value(value, unit) => Ok(Self { name: spelled, value, unit }),
            Quantity::Absent => Err(format!("`{}` is no finite number", echo(said))),
            Quantity::Malformed(_) if said.trim().is_empty() => Err("write a number behind the `=`".to_owned()),
            Quantity::Malformed(why) => Err(why),
        }
    }

    /// The metric in a form that can be typed again.
    pub fn text(&self) -> String {
        let Self { name, value, unit } = self;
        format!("{name}={value}{}", unit.as_deref().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_typed_as_it_is_printed() {
        for (text, again) in [
            ("accuracy=0.92", "accuracy=0.92"),
            ("CV-Accuracy=.9", "cv_accuracy=0.9"),
            ("latency=12ms", "latency=12ms"),
            ("latency=12 ms", "latency=12ms"),
            ("share=85%", "share=85%"),
            ("p=1e-7", "p=1e-7"),
        ] {
            let said = SaidMetric::parse(text).unwrap();
            assert_eq!(said.text(), again, "{text}");
            assert_eq!(SaidMetric::parse(again).unwrap(), said);
        }
        for (text, why) in [
            ("accuracy", "NAME=NUMBER"),
            ("=1", "is no name"),
            ("a:b=1", "is no name"),
            ("a=", "behind the `=`"),
            ("a=nan", "no finite number"),
            ("a=1e999", "no finite number"),
            ("a=1,234", "more than a number and a unit"),
            ("a=x", "is no number"),
        ] {
            let said = SaidMetric::parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
