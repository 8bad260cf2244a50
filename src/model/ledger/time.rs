//! The one spelling of time in a ledger.

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};
use std::fmt;

/// A moment as ledgers write it: UTC, milliseconds, `Z`. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub millis: i64,
}

/// How far ahead of the clock a time may be and still be believed, in milliseconds: ten minutes, as far as honest clocks are
/// apart. A pass that is dated further ahead would count above every later fail until then.
const CLOCK_SLACK: i64 = 10 * 60 * 1000;

/// The positions of the digits in `YYYY-MM-DDTHH:MM:SS.mmmZ`; every other character is literal.
const FORM: &[u8; 24] = b"dddd-dd-ddTdd:dd:dd.dddZ";

impl Timestamp {
    /// The moment of `YYYY-MM-DDTHH:MM:SS.mmmZ`, years 0000 to 9999, only valid calendar dates; `None` for any other
    /// spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let fits = |(byte, form): (&u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form };
        if bytes.len() != FORM.len() || !bytes.iter().zip(FORM).all(fits) {
            return None;
        }
        // fast, because every ledger line has a time: the digits are checked already, and the calendar checks the rest
        let number = |from: usize, len: usize| {
            bytes[from..from + len].iter().fold(0, |sum, byte| sum * 10 + i16::from(byte - b'0'))
        };
        let two = |from: usize| number(from, 2) as i8;
        let millis = i32::from(number(20, 3));
        let moment = DateTime::new(number(0, 4), two(5), two(8), two(11), two(14), two(17), millis * 1_000_000).ok()?;
        i64::try_from(moment.duration_since(epoch()).as_millis()).ok().map(|millis| Self { millis })
    }

    /// The moment `millis` milliseconds after 1970-01-01T00:00:00Z; `None` outside the years 0000 to 9999, which have no
    /// spelling.
    pub(crate) fn from_millis(millis: i64) -> Option<Self> {
        let moment = epoch().checked_add(SignedDuration::from_millis(millis)).ok()?;
        (0..=9999).contains(&moment.year()).then_some(Self { millis })
    }

    /// The first moment after this one.
    pub(crate) fn next(self) -> Self {
        Self { millis: self.millis.saturating_add(1) }
    }

    /// Whether it lies more than ten minutes ahead of the clock `now`, so that a gate takes no line of this time.
    pub(crate) fn is_far_ahead(self, now: Self) -> bool {
        self.believed_from().millis > now.millis
    }

    /// When a gate begins to take a line of this time: ten minutes before.
    pub(crate) fn believed_from(self) -> Self {
        Self { millis: self.millis.saturating_sub(CLOCK_SLACK) }
    }
}

pub(crate) fn epoch() -> DateTime {
    date(1970, 1, 1).at(0, 0, 0, 0)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = epoch().saturating_add(SignedDuration::from_millis(self.millis));
        write!(f, "{:04}-{:02}-{:02}T", at.year(), at.month(), at.day())?;
        write!(f, "{:02}:{:02}:{:02}.{:03}Z", at.hour(), at.minute(), at.second(), at.subsec_nanosecond() / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_spelling_is_read() {
        for text in ["1970-01-01T00:00:00.000Z", "2026-06-28T12:59:39.268Z", "9999-12-31T23:59:59.999Z"] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Timestamp::parse("1970-01-01T00:00:01.002Z"), Timestamp::from_millis(1002));
        assert!(Timestamp::parse("2024-02-29T00:00:00.000Z").is_some());
    }

    #[test]
    fn ten_minutes_ahead_of_the_clock_are_believed_and_no_millisecond_more() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let (now, edge) = (at("2026-01-01T23:55:00.000Z"), at("2026-01-02T00:05:00.000Z"));
        assert!(!edge.is_far_ahead(now) && edge.next().is_far_ahead(now));
        assert_eq!(edge.believed_from(), now);
        assert!(
            Timestamp { millis: i64::MAX }.next().is_far_ahead(now)
                && !Timestamp { millis: i64::MIN }.is_far_ahead(now)
        );
    }

    #[test]
    fn every_other_spelling_is_not() {
        let others = [
            "2026-06-28T12:59:39.268",
            "2026-06-28T12:59:39.268+00:00",
            "2026-06-28T12:59:39Z",
            "2026-06-28 12:59:39.268Z",
            "2026-06-28t12:59:39.268Z",
            "2026-06-28T12:59:39.2680Z",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-06-28T24:00:00.000Z",
            "2026-06-28T23:59:60.000Z",
            "+026-06-28T12:59:39.268Z",
            "",
        ];
        for text in others {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in -62_167_219_200_000_i64..=253_402_300_799_999) {
            let ts = Timestamp::from_millis(millis).unwrap();
            prop_assert_eq!(Timestamp::parse(&ts.to_string()), Some(ts));
        }

        #[test]
        fn any_number_has_a_spelling_or_is_refused(millis: i64) {
            let _ = Timestamp { millis }.to_string();
            let _ = Timestamp::from_millis(millis);
        }
    }
}
