//! Suggestions for an unknown id: the known ids that differ least from it.

/// The number of suggestions.
const MOST: usize = 3;

/// The short spellings of the known ids that differ least from `wanted`, the nearest first. Each id comes as (whole,
/// short), and the nearer spelling counts. Ids are long, similar and numerous, so the distance is cheap: the length between
/// the common beginning and the common end.
pub fn near<'i>(wanted: &str, known: impl Iterator<Item = (&'i str, &'i str)>) -> Vec<&'i str> {
    let most = (wanted.chars().count() / 2).max(3);
    let mut best: Vec<(usize, &str)> = Vec::new();
    for (whole, short) in known {
        let distance = distance(wanted, whole).min(distance(wanted, short));
        if distance > most || best.len() == MOST && best.last().is_some_and(|last| (distance, short) >= *last) {
            continue;
        }
        let at = best.partition_point(|other| *other < (distance, short));
        best.insert(at, (distance, short));
        best.truncate(MOST);
    }
    best.into_iter().map(|(_, short)| short).collect()
}

/// The length of the longer differing part.
fn distance(one: &str, other: &str) -> usize {
    let same = |(a, b): &(u8, u8)| a.eq_ignore_ascii_case(b);
    let front = one.bytes().zip(other.bytes()).take_while(same).count();
    let rest = one.len().min(other.len()) - front;
    let back = one.bytes().rev().zip(other.bytes().rev()).take(rest).take_while(same).count();
    one.len().max(other.len()) - front - back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_what_was_meant_and_nonsense_nothing() {
        let known = ["goal:.spec/board", "goal:.spec/list", "goal:.spec/boards/a", "failure:x", "goal:.spec/bord"];
        let known = || known.into_iter().map(|id| (id, id));
        assert_eq!(near("goal:.spec/baord", known())[..2], ["goal:.spec/bord", "goal:.spec/board"]);
        assert_eq!(near("GOAL:.spec/list", known())[0], "goal:.spec/list");
        assert_eq!(near("zzzzzzzzzzzzzzzzzzzzzzzz", known()), [""; 0]);
        assert_eq!(near("goal:.spec/", (0..9).map(|_| ("goal:.spec/a", "goal:a"))).len(), 3);
        let short = [("goal:.spec/ui/board", "goal:board"), ("goal:.spec/ui/list", "goal:list")];
        assert_eq!(near("goal:bord", short.into_iter())[0], "goal:board");
    }
}
