//! Durations as people write them: a whole number with its unit.

pub(crate) const FORM: &str = "a whole number with s, m or h, from 1s to 24h";

/// Longest duration in milliseconds.
const LONGEST: i64 = 24 * 3_600_000;

/// The milliseconds of `30m`, `90s` or `2h`; `None` for any other spelling, and outside of one second to one day.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let unit = match unit {
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = plain.then(|| digits.parse().ok()).flatten()?;
    number.checked_mul(unit).filter(|millis| (1000..=LONGEST).contains(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_second_to_one_day_in_one_unit() {
        assert_eq!(
            ["1s", "30m", "24h", "86400s", "007s"].map(parse),
            [1, 1800, 86_400, 86_400, 7].map(|s| Some(s * 1000))
        );
        for text in [
            "",
            "s",
            "0s",
            "25h",
            "86401s",
            "1",
            "1d",
            "-1s",
            "+1s",
            "1.5m",
            "1m30s",
            " 1s",
            "1 s",
            "9223372036854775807h",
            "1\u{e9}",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
