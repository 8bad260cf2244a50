//! The spelling of markers, metrics and units: one each, so that names with the same meaning are equal.

use crate::text::escape::{is_bidi, is_invisible};
use std::fmt;

/// Longest name of a marker, a subtype, a metric or a unit, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// The name of a marker: `NAME`, or `NAME:subtype`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkerName {
    /// In upper case, with `_` for `-`.
    pub name: String,
    /// In lower case, with `_` for `-`.
    pub(crate) subtype: Option<String>,
}

impl MarkerName {
    /// The marker that `text` names, in any case; `None` if the name is not possible.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, subtype) = text.split_once(':').map_or((text, None), |(name, subtype)| (name, Some(subtype)));
        let name = name.trim().to_ascii_uppercase();
        Some(Self { name: marker(&name)?, subtype: subtype.map(|text| metric_name(text).ok_or(())).transpose().ok()? })
    }
}

impl fmt::Display for MarkerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.subtype.iter().try_for_each(|subtype| write!(f, ":{subtype}"))
    }
}

/// Whether the name of a marker can hold this byte.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
}

/// The spelling of the marker name `text`: an upper-case letter, then upper-case letters, digits, `_` and `-`.
pub(super) fn marker(text: &str) -> Option<String> {
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase());
    (begins && text.len() <= MAX_NAME && text.bytes().all(is_name)).then(|| text.replace('-', "_"))
}

/// The spelling of the metric or subtype `text`: in lower case, with `_` for `-`. `None` if it is empty or too long, or
/// holds a character that ends a name or is invisible.
pub fn metric_name(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = |c: char| !(c.is_control() || is_bidi(c) || is_invisible(c) || matches!(c, ':' | '=' | '[' | ']'));
    let spelled = || text.to_lowercase().replace('-', "_");
    (!text.is_empty() && text.chars().all(plain)).then(spelled).filter(|name| name.len() <= MAX_NAME)
}

/// `text` if it can be a unit: one word of letters, `%`, `/` and `°`.
pub fn unit(text: &str) -> Option<&str> {
    let of_unit = |c: char| c.is_alphabetic() || matches!(c, '%' | '/' | '\u{b0}');
    (!text.is_empty() && text.len() <= MAX_NAME && text.chars().all(of_unit)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_the_same_are_spelled_the_same() {
        let spelled = |text: &str| MarkerName::parse(text).map(|marker| marker.to_string());
        for (text, name) in [
            ("CONCLUSION", "CONCLUSION"),
            ("stat:CI", "STAT:ci"),
            ("Stat: Effect-Size ", "STAT:effect_size"),
            ("NEXT-STEP", "NEXT_STEP"),
            ("METRIC:x_y", "METRIC:x_y"),
            ("METRIC:F1 Score", "METRIC:f1 score"),
        ] {
            assert_eq!(spelled(text).as_deref(), Some(name), "{text}");
        }
        for text in
            ["", ":x", "1X", "_X", "X Y", "[X]", "X:", "X: ", "X:a:b", "X:a=b", "X:a]", "X:\u{202e}a", "\u{dc}X"]
        {
            assert_eq!(spelled(text), None, "{text}");
        }
        assert_eq!(spelled(&"X".repeat(129)), None);
        assert_eq!(metric_name(&"x".repeat(129)), None);
    }

    #[test]
    fn a_unit_is_one_word() {
        for text in ["ms", "%", "MB/s", "\u{b0}C", "\u{b5}s"] {
            assert_eq!(unit(text), Some(text));
        }
        for text in ["", "m s", "m2", "(ms)", ".", "-"] {
            assert_eq!(unit(text), None, "{text}");
        }
    }
}
