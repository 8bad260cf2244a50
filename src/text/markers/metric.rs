//! A metric from the command line, beside the output: `NAME=NUMBER[unit]`.

use super::names::metric_name;
use super::value::{Quantity, quantity};
use crate::text::escape::echo;
use crate::text::number::Finite;

/// A metric as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidMetric {
    /// Spelled as in readings.
    pub name: String,
    /// The measured value, in its unit.
    pub value: Finite,
    /// Its unit, if any.
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
