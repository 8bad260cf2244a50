//! When this machine first saw notes whose own word on time cannot be meant: a memo in the common git directory, a line a note.
//! It holds no note that is not there any more.

use crate::model::ledger::Timestamp;
use crate::store::Store;
use crate::store::memo::MemoKind;
use crate::tree::oid::Oid;
use std::collections::HashMap;
use std::fs;

/// The generation of its form.
const GENERATION: &str = "1";
/// A larger one is not read: nobody wrote it.
const MOST: u64 = 4 << 20;

/// What is remembered of those that are `present`, and of those that are `wanted` from `now` on.
pub(super) fn first_seen(store: &Store, wanted: &[Oid], present: &[Oid], now: Timestamp) -> HashMap<Oid, Timestamp> {
    let path = MemoKind::Sights.path(store.common_dir(), GENERATION);
    let is_sane = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MOST);
    let text = is_sane.then(|| fs::read_to_string(&path).ok()).flatten().unwrap_or_default();
    // a sight in what is the future here is none: the clock was wrong then
    let known = text.lines().filter_map(parse).filter(|(id, at)| present.contains(id) && *at <= now);
    let mut sights: HashMap<Oid, Timestamp> = known.collect();
    for id in wanted {
        sights.entry(*id).or_insert(now);
    }
    let mut lines: Vec<String> = sights.iter().map(|(id, at)| format!("{id} {at}\n")).collect();
    lines.sort();
    let after = lines.concat();
    if after != text {
        // a memo: what cannot be written counts from the next look
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
        // it need not seem too long any more
        assert_eq!(look(&[], &[id(b'1'), id(b'2')], at(9)), [(id(b'1'), at(1)), (id(b'2'), at(5))]);
        assert_eq!(look(&[], &[id(b'2')], at(9)), [(id(b'2'), at(5))]);
        assert_eq!(look(&[id(b'1')], &[id(b'1'), id(b'2')], at(9)), [(id(b'1'), at(9)), (id(b'2'), at(5))]);
        // a clock that was set back: what was seen in its future counts from now
        assert_eq!(look(&[id(b'1')], &[id(b'1')], at(2)), [(id(b'1'), at(2))]);
        let path = MemoKind::Sights.path(scratch.path(), GENERATION);
        fs::write(&path, "nonsense\n\0 x\n").unwrap();
        assert_eq!(look(&[id(b'1')], &[id(b'1')], at(3)), [(id(b'1'), at(3))]);
    }
}
