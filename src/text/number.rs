//! Finite decimal numbers as people and programs print them. Reads a [`Finite`] from a text and returns the rest of the
//! text; prints a [`Finite`] in its one shortest spelling, so that equal numbers always have equal bytes.

use serde::Serialize;
use serde::ser::{Error as _, Serializer};
use serde_json::value::RawValue;
use std::cmp::Ordering;
use std::fmt;

/// A number that is neither infinite nor NaN, with a single zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finite(f64);

impl Finite {
    /// `value`, if it is finite.
    pub fn new(value: f64) -> Option<Self> {
        // 0 has one spelling: with -0 equal numbers would have different bytes
        value.is_finite().then_some(Self(if value == 0.0 { 0.0 } else { value }))
    }

    /// The number of a text that holds nothing else: [`leading`] without a rest.
    pub fn parse(text: &str) -> Option<Self> {
        match leading(text)? {
            (Some(number), "") => Some(number),
            _ => None,
        }
    }

    /// The value, which is neither infinite nor NaN.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Finite {}

impl PartialOrd for Finite {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Finite {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The spelling of ECMAScript, which RFC 8785 uses for canonical JSON: the fewest digits that read back as this number, and
/// an exponent only from 1e21 up and below 1e-6.
impl fmt::Display for Finite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spelled = format!("{:e}", self.0.abs());
        let (mantissa, exponent) = spelled.split_once('e').unwrap_or((&spelled, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        if self.0 < 0.0 {
            f.write_str("-")?;
        }
        let digits = mantissa.replace('.', "");
        let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
        match exponent {
            21.. | ..=-7 => write!(f, "{mantissa}e{exponent:+}"),
            ..0 => write!(f, "0.{:0>width$}", digits, width = (count - exponent - 1).unsigned_abs() as usize),
            _ if count <= exponent + 1 => write!(f, "{digits:0<width$}", width = exponent.unsigned_abs() as usize + 1),
            _ => {
                let (whole, rest) = digits.split_at(exponent.unsigned_abs() as usize + 1);
                write!(f, "{whole}.{rest}")
            }
        }
    }
}

impl Serialize for Finite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// The decimal number at the beginning of `text`, and the rest: a sign, digits with a point among, before or after them, an
/// exponent. `None` if the text begins with no number. The number is `None` if no finite value stands for the digits: for
/// `1e999`, and for `1e-999`, which would become zero.
pub fn leading(text: &str) -> Option<(Option<Finite>, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = digits(unsigned);
    let behind = &unsigned[whole..];
    let fraction = behind.strip_prefix('.').map(digits);
    if whole + fraction.unwrap_or_default() == 0 {
        return None;
    }
    let behind = &behind[fraction.map_or(0, |count| count + 1)..];
    let rest = behind_exponent(behind).unwrap_or(behind);
    let spelled = &text[..text.len() - rest.len()];
    let mantissa = &text[..text.len() - behind.len()];
    let number = spelled.parse().ok().and_then(Finite::new);
    let vanished = |number: &Finite| number.0 == 0.0 && mantissa.contains(|c| matches!(c, '1'..='9'));
    Some((number.filter(|number| !vanished(number)), rest))
}

/// The rest after the exponent at the beginning of `text`.
fn behind_exponent(text: &str) -> Option<&str> {
    let power = text.strip_prefix(['e', 'E'])?;
    let power = power.strip_prefix(['+', '-']).unwrap_or(power);
    let count = digits(power);
    (count > 0).then(|| &power[count..])
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_is_read_as_programs_print_it() {
        for (text, value) in [
            ("0.92", 0.92),
            ("+0.9", 0.9),
            (".95", 0.95),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("1e-5", 1e-5),
            ("1.5e-3", 0.0015),
            ("2.2E+05", 220_000.0),
            ("007", 7.0),
            ("-0", 0.0),
            ("0e999", 0.0),
        ] {
            assert_eq!(Finite::parse(text), Finite::new(value), "{text}");
        }
        for text in
            ["", ".", "+", "-.", "e5", "nan", "inf", "1_000", "1,234", "0x10", "1 2", "1e", "--1", "1e999", "1e-999"]
        {
            assert_eq!(Finite::parse(text), None, "{text}");
        }
        assert_eq!(leading("12ms"), Some((Finite::new(12.0), "ms")));
        assert_eq!(leading("5e3e"), Some((Finite::new(5000.0), "e")));
        assert_eq!(leading("5em"), Some((Finite::new(5.0), "em")));
        assert_eq!(leading("1e999 s"), Some((None, " s")));
    }

    /// The expected spellings come from `JSON.stringify` in node 20.
    #[test]
    fn a_number_has_one_shortest_spelling() {
        for (value, spelled) in [
            (0.9, "0.9"),
            (-0.0, "0"),
            (1.0, "1"),
            (100.0, "100"),
            (-12.5, "-12.5"),
            (0.0015, "0.0015"),
            (1e-6, "0.000001"),
            (1.5e-6, "0.0000015"),
            (1e-7, "1e-7"),
            (-1.25e-9, "-1.25e-9"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (0.1 + 0.2, "0.30000000000000004"),
            (123_456_789.012_5, "123456789.0125"),
            (5e-324, "5e-324"),
        ] {
            let number = Finite::new(value).unwrap();
            assert_eq!(number.to_string(), spelled);
            assert_eq!(serde_json::to_string(&number).unwrap(), spelled);
        }
    }

    proptest! {
        #[test]
        fn every_spelling_reads_back_as_its_number(bits in any::<u64>(), small in -1e9..1e9_f64) {
            for value in [f64::from_bits(bits), small].into_iter().filter_map(Finite::new) {
                prop_assert_eq!(Finite::parse(&value.to_string()), Some(value));
                prop_assert_eq!(serde_json::from_str::<f64>(&value.to_string()).is_ok(), true);
            }
        }

        #[test]
        fn nothing_panics(text in "[-+.0-9eE_xn\u{e9} ]{0,20}") {
            let rest = leading(&text).map_or(text.as_str(), |(_, rest)| rest);
            prop_assert!(text.ends_with(rest));
        }
    }
}
