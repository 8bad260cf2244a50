//! Suggests the nearest known name for an unknown one.

use strsim::levenshtein;

/// Longer names are not compared: they are hardly typed, and a comparison costs the product of the lengths.
const MAX_CHARS: usize = 64;
/// With more edits it is a different word.
const MOST_EDITS: usize = 2;

/// The name among `known` that `wanted` most probably misspells, ignoring case; `None` if none is near.
pub(crate) fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let is_short = |text: &str| text.chars().count() <= MAX_CHARS;
    if !is_short(wanted) {
        return None;
    }
    let lower = wanted.to_lowercase();
    let candidates = known.into_iter().filter(|candidate| is_short(candidate));
    let near = candidates.filter_map(|candidate| {
        let other = candidate.to_lowercase();
        (cut_off(&lower, &other) || is_as_long(&lower, &other)).then(|| (distance(&lower, &other), candidate))
    });
    near.min()
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).clamp(1, MOST_EDITS))
        .map(|(_, best)| best)
}

fn cut_off(wanted: &str, candidate: &str) -> bool {
    wanted.len() >= 3 && candidate.starts_with(wanted)
}

/// Whether a few edits can be enough: each edit changes the length by one letter at most.
fn is_as_long(wanted: &str, candidate: &str) -> bool {
    wanted.chars().count().abs_diff(candidate.chars().count()) <= MOST_EDITS
}

/// The number of edits between the two; reordered letters and a truncated word count as one.
fn distance(wanted: &str, candidate: &str) -> usize {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let slip = cut_off(wanted, candidate) || sorted(wanted) == sorted(candidate);
    if slip { levenshtein(wanted, candidate).min(1) } else { levenshtein(wanted, candidate) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let known = ["board", "list", "Caf\u{e9}"];
        for (wanted, meant) in
            [("baord", Some("board")), ("BORD", Some("board")), ("boa", Some("board")), ("cafe", Some("Caf\u{e9}"))]
        {
            assert_eq!(nearest(wanted, known), meant, "{wanted}");
        }
        for wanted in ["", "x", "window", &"board".repeat(20)] {
            assert_eq!(nearest(wanted, known), None, "{wanted}");
        }
    }
}
