//! Bytes in, values with positions out. Reads the formats of this program. No I/O, no knowledge of nodes or scenarios, no
//! judgement.

pub(crate) mod base64;
pub mod escape;
pub mod excerpt;
pub mod found_scenario;
pub(crate) mod frontmatter;
pub mod json;
pub mod markers;
pub(crate) mod ndjson;
pub(crate) mod nearest;
pub mod number;
pub(crate) mod picture;
pub mod scrub;
pub mod secrets;
pub(crate) mod shell;
pub(crate) mod source;
pub(crate) mod spelled;
pub mod units;
pub(crate) mod uri;
pub mod withheld;
pub(crate) mod xml;
pub(crate) mod yaml;

/// A count with its noun: `1 file`, `2 files`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The first `most` names and how many more there are: `a, b and 3 more`.
pub(crate) fn first_of<T: ToString>(names: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(most).map(|name| name.to_string()).collect();
    let more = match names.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    first.join(", ") + &more
}

/// The age of something in one unit: `now 5m 3h 12d 8w 2y`.
pub(crate) fn age(millis: i64) -> String {
    let minutes = millis / 60_000;
    let (hours, days) = (minutes / 60, minutes / 60 / 24);
    match (minutes, hours, days) {
        (..=0, ..) => "now".to_owned(),
        (..=59, ..) => format!("{minutes}m"),
        (_, ..=23, _) => format!("{hours}h"),
        (.., ..=13) => format!("{days}d"),
        (.., ..=729) => format!("{}w", days / 7),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::{age, first_of};

    #[test]
    fn a_long_list_is_cut_and_its_rest_is_counted() {
        let told = |count: usize| first_of(["a", "b", "c", "d"].iter().take(count), 2);
        assert_eq!(
            [told(0), told(1), told(2), told(3), told(4)],
            ["", "a", "a, b", "a, b and 1 more", "a, b and 2 more"]
        );
    }

    #[test]
    fn an_age_is_told_in_the_unit_that_says_most() {
        let minute = 60_000;
        for (millis, expected) in [
            (-5, "now"),
            (minute - 1, "now"),
            (5 * minute, "5m"),
            (3 * 60 * minute, "3h"),
            (12 * 1440 * minute, "12d"),
            (60 * 1440 * minute, "8w"),
            (800 * 1440 * minute, "2y"),
        ] {
            assert_eq!(age(millis), expected);
        }
    }
}
