//! `yatsu.needs`: the oldest program that may judge the repository. An older one names it and judges nothing, because what it
//! does not know, for example a key of a later version, would pass it unseen.

use super::values::{Read, bad, string};
use crate::error::Error;
use crate::names::CONFIG_FILE;
use crate::text::escape::echo;
use crate::text::json::Json;
use std::fmt;

/// A version of this program: `0.2` or `0.2.1`. A missing last number is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Needs([u32; 3]);

impl Needs {
    fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
        let numbers: Vec<u32> = text.split('.').map(number).collect::<Option<_>>()?;
        match numbers[..] {
            [major, minor] => Some(Self([major, minor, 0])),
            [major, minor, patch] => Some(Self([major, minor, patch])),
            _ => None,
        }
    }

    /// The version of a program. A release candidate has what its release has.
    fn of_program(version: &str) -> Option<Self> {
        Self::parse(version.split(['-', '+']).next().unwrap_or_default())
    }

    /// The failure of a program that is too old, `program` being its version.
    pub(super) fn refused_by(self, program: &str) -> Option<Error> {
        let is_older = Self::of_program(program).is_none_or(|program| program < self);
        let error = || {
            let wanted = format!("{CONFIG_FILE}: yatsu.needs asks for version {self} or newer of yatsu-hook");
            Error::unchecked(format!("{wanted}, and this is {program}"))
                .hint("install a newer version in the way you installed this one; `yatsu-hook doctor` names the program of each hook")
        };
        is_older.then(error)
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        if *patch == 0 { write!(out, "{major}.{minor}") } else { write!(out, "{major}.{minor}.{patch}") }
    }
}

/// The value of the key in a whole configuration.
pub(super) fn read(json: &Json<'_>) -> Read<Option<Needs>> {
    let Some(value) = json.get("yatsu").and_then(|yatsu| yatsu.get("needs")) else { return Ok(None) };
    let text = string("yatsu.needs", value)?;
    let wrong = || bad(value, format!("yatsu.needs must be a version such as 0.2 or 0.2.1, not \"{}\"", echo(text)));
    Needs::parse(text).map(Some).ok_or_else(wrong)
}

/// How a change of the key weakens the gate.
pub(super) fn lowered(old: Option<Needs>, new: Option<Needs>) -> Option<String> {
    let old = old.filter(|old| new.is_none_or(|new| new < *old))?;
    let now = new.map_or_else(|| "is taken away".to_owned(), |new| format!("is lowered to {new}"));
    Some(format!("yatsu.needs {now}: programs before {old} judge again, and do not know everything that is asked"))
}

#[cfg(test)]
mod tests {
    use super::Needs;

    #[test]
    fn a_program_serves_its_own_version_and_every_earlier_one() {
        for (needs, program, serves) in [
            ("0.2", "0.1.9", false),
            ("0.2", "0.2.0", true),
            ("0.2", "0.2.0-rc.1", true),
            ("0.2", "0.10.0", true),
            ("0.2.1", "0.2.0", false),
            ("0.2.1", "0.2.1+cloud", true),
            ("0.2", "1.0.0", true),
            ("1.0", "0.99.99", false),
        ] {
            let needs = Needs::parse(needs).expect("a version");
            assert_eq!(needs.refused_by(program).is_none(), serves, "{needs} by {program}");
        }
        assert!(
            Needs::parse("0.2")
                .expect("one")
                .refused_by(env!("CARGO_PKG_VERSION"))
                .is_some_and(|error| error.kind.exit_code() == 3)
        );
    }

    #[test]
    fn only_two_or_three_numbers_are_a_version() {
        for text in ["", "1", "0.2.", ".2", "0.2.1.0", "v0.2", "0.2-rc.1", "0.+2", "0. 2", ">=0.2", "0.99999999999"] {
            assert_eq!(Needs::parse(text), None, "{text}");
        }
        for text in ["0.2", "0.2.1", "12.30"] {
            assert_eq!(Needs::parse(text).map(|needs| needs.to_string()).as_deref(), Some(text));
        }
    }
}
