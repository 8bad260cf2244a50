//! The times of run logs: UTC, `Z`, a valid date, a fraction of any length or none. More tolerant than ledgers, because
//! other programs write these files.

use crate::model::ledger::epoch;
use jiff::SignedDuration;
use jiff::civil::DateTime;

/// Longest accepted fraction in digits, beyond the precision of any clock.
const MAX_FRACTION: usize = 18;

/// The positions of the digits before the fraction.
const FORM: &[u8; 19] = b"dddd-dd-ddTdd:dd:dd";

/// A moment as a run log spells it. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Billionths of a second; more digits are dropped.
    pub nanos: u32,
}

impl Moment {
    /// The moment of `YYYY-MM-DDTHH:MM:SS[.d…]Z`; `None` for any other spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_suffix('Z')?;
        let (whole, fraction) = match body.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (body, None),
        };
        let fits = |(byte, form): (u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == *form };
        if whole.len() != FORM.len() || !whole.bytes().zip(FORM).all(fits) {
            return None;
        }
        let moment: DateTime = whole.parse().ok()?;
        // a leap second would be read as the preceding second
        if moment.second() != whole.get(17..)?.parse::<i8>().ok()? {
            return None;
        }
        Some(Self { seconds: moment.duration_since(epoch()).as_secs(), nanos: nanos(fraction)? })
    }

    /// How many milliseconds later `other` is; negative if it is earlier.
    pub fn millis_until(self, other: Self) -> i64 {
        let seconds = other.seconds.saturating_sub(self.seconds);
        seconds.saturating_mul(1000) + (i64::from(other.nanos) - i64::from(self.nanos)) / 1_000_000
    }
}

/// The spelling with milliseconds, or without a fraction if they are zero. This program's own commands write it so.
impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = epoch().saturating_add(SignedDuration::from_secs(self.seconds));
        write!(f, "{:04}-{:02}-{:02}T", at.year(), at.month(), at.day())?;
        write!(f, "{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())?;
        match self.nanos / 1_000_000 {
            0 => f.write_str("Z"),
            millis => write!(f, ".{millis:03}Z"),
        }
    }
}

fn nanos(fraction: Option<&str>) -> Option<u32> {
    let Some(digits) = fraction else { return Some(0) };
    let fits = (1..=MAX_FRACTION).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| format!("{digits:0<9}")[..9].parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_allowed_and_counts() {
        let at = |text| Moment::parse(text).unwrap();
        assert_eq!(at("1970-01-01T00:00:01Z"), Moment { seconds: 1, nanos: 0 });
        assert_eq!(at("1970-01-01T00:00:01.5Z"), at("1970-01-01T00:00:01.500000Z"));
        assert!(at("2026-05-15T14:32:01Z") < at("2026-05-15T14:32:01.000001Z"));
        assert_eq!(at("2026-05-15T14:32:01.25Z").to_string(), "2026-05-15T14:32:01.250Z");
        assert_eq!(at("2026-05-15T14:32:01Z").millis_until(at("2026-05-15T14:32:00.750Z")), -250);
    }

    #[test]
    fn every_other_spelling_is_none() {
        let others = [
            "2026-05-15 14:00",
            "2026-05-15T14:32:01+02:00",
            "2026-05-15T14:32:01",
            "2026-05-15T14:32Z",
            "2026-05-15t14:32:01z",
            "2026-02-30T14:32:01Z",
            "2026-05-15T24:00:00Z",
            "2026-05-15T23:59:60Z",
            "2026-05-15T14:32:01.Z",
            "2026-05-15T14:32:01,5Z",
            "2026-05-15T14:32:01.1234567890123456789Z",
            "20260515T143201Z",
            "",
        ];
        for text in others {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
