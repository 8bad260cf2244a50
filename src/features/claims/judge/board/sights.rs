//! When this machine first saw a note with an implausible time of its own: a memo in the common git directory, one line per
//! note. Notes that are gone are removed from it.

use crate::model::ledger::Timestamp;
use crate::store::Store;
use crate::store::memo::MemoKind;
use crate::tree::oid::Oid;
use std::collections::HashMap;
use std::fs;

const GENERATION: &str = "1";
/// A larger file is not read, because this program never writes one.
const MOST: u64 = 4 << 20;

/// The remembered times of the notes in `present`. Notes in `wanted` that are not remembered get the time `now`.
pub(super) fn first_seen(store: &Store, wanted: &[Oid], present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
    let path = MemoKind::Sights.path(store.common_dir(), GENERATION);
    let is_sane = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MOST);
    let text = is_sane.then(|| fs::read_to_string(&path).ok()).flatten().unwrap_or_default();
    // a time in the future is ignored, because the clock was wrong then
    let known = text.lines().filter_map(parse).filter(|(id, at)| present.contains(id) && *at <= now);
    let mut sights: HashMap<Oid, Timestamp> = known.collect();
    for id in wanted {
        sights.entry(*id).or_insert(now);
    }
    let mut lines: Vec<String> = sights.iter().map(|(id, at)| format!("{id} {at}\n")).collect();
    lines.sort();
    let after = lines.concat();
    if after != text {
        // only a memo: if it cannot be written, the time counts from the next look
        let _ = MemoKind::Sights.replace(store.common_dir(), GENERATION, after.as_bytes(), store.shared());
    }
    sights
}

fn parse(line: &str) -> Option<(Oid, Timestamp)> {
    let (id, at) = line.split_once(' ')?;
    Some((Oid::from_hex(id.as_bytes())?, Timestamp::parse(at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: u8) -> Oid {
        Oid::from_hex(&[digit; 40]).unwrap()
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp { millis: 1_767_225_600_000 + millis }
    }

    #[test]
    fn the_first_sight_is_kept_as_long_as_the_note_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::new(scratch.path());
        let look = |wanted: &[Oid], present: &[Oid], now| {
            let mut seen: Vec<_> = first_seen(&store, wanted, present, now).into_iter().collect();
            seen.sort();
            seen
        };
        assert_eq!(look(&[], &[id(b'1')], at(0)), []);
        assert!(!MemoKind::Sights.path(scratch.path(), GENERATION).exists(), "there is nothing to remember");
        assert_eq!(look(&[id(b'1')], &[id(b'1'), id(b'2')], at(1)), [(id(b'1'), at(1))]);
        assert_eq!(look(&[id(b'1'), id(b'2')], &[id(b'1'), id(b'2')], at(5)), [(id(b'1'), at(1)), (id(b'2'), at(5))]);
        // a note that is no longer wanted stays remembered while it is present
        assert_eq!(look(&[], &[id(b'1'), id(b'2')], at(9)), [(id(b'1'), at(1)), (id(b'2'), at(5))]);
        assert_eq!(look(&[], &[id(b'2')], at(9)), [(id(b'2'), at(5))]);
        assert_eq!(look(&[id(b'1')], &[id(b'1'), id(b'2')], at(9)), [(id(b'1'), at(9)), (id(b'2'), at(5))]);
        // the clock was set back: times that are now in the future count from now
        assert_eq!(look(&[id(b'1')], &[id(b'1')], at(2)), [(id(b'1'), at(2))]);
        let path = MemoKind::Sights.path(scratch.path(), GENERATION);
        fs::write(&path, "nonsense\n\0 x\n").unwrap();
        assert_eq!(look(&[id(b'1')], &[id(b'1')], at(3)), [(id(b'1'), at(3))]);
    }
}
