//! The functions of one record: calls are counted by name or by number, and the place of that name stands elsewhere.

use super::super::has_run;
use super::super::record::Record;
use foldhash::fast::RandomState;
use std::hash::BuildHasher;

/// How many functions a record may have. They are kept twice until the record ends, beside all names.
const MAX_FUNCTIONS: usize = 1 << 18;

#[derive(Default)]
pub(super) struct Functions {
    hasher: RandomState,
    /// The hash of a name, or a number, with the line of the function.
    places: Vec<(u64, u32)>,
    /// The same key, with whether it was called.
    calls: Vec<(u64, bool)>,
}

impl Functions {
    /// Reads `3,name`, and `3,7,name` with the last line.
    pub(super) fn begin(&mut self, value: &str) -> Option<()> {
        let (line, rest) = value.split_once(',')?;
        let name = match rest.split_once(',') {
            Some((end, name)) if end.parse::<u32>().is_ok() => name,
            _ => rest,
        };
        self.places.push((self.hasher.hash_one(name), line.parse().ok()?));
        Some(())
    }

    /// Reads `1,name`.
    pub(super) fn calls(&mut self, value: &str) -> Option<()> {
        let (count, name) = value.split_once(',')?;
        self.calls.push((self.hasher.hash_one(name), has_run(count)?));
        Some(())
    }

    /// Reads `0,3` and `0,3,7`: the number of a function, its first and its last line.
    pub(super) fn place(&mut self, value: &str) -> Option<()> {
        let mut fields = value.split(',').map(str::parse::<u32>);
        let number = fields.next()?.ok()?;
        self.places.push((number.into(), fields.next()?.ok()?));
        Some(())
    }

    /// Reads `0,1,name`: the number of a function, its calls, one of its names.
    pub(super) fn alias_calls(&mut self, value: &str) -> Option<()> {
        let mut fields = value.splitn(3, ',');
        let number: u32 = fields.next()?.parse().ok()?;
        self.calls.push((number.into(), has_run(fields.next()?)?));
        Some(())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.places.len().max(self.calls.len()) {
            0..=MAX_FUNCTIONS => Ok(()),
            _ => Err(format!("the record has more than {MAX_FUNCTIONS} functions")),
        }
    }

    /// Adds the functions to the record; none is left. Methods of two classes may have one name: the first count with it
    /// belongs to the first place, and so on.
    pub(super) fn settle(&mut self, record: &mut Record) {
        self.places.iter().for_each(|(_, line)| record.functions.add(*line));
        self.places.sort_by_key(|(key, _)| *key);
        self.calls.sort_by_key(|(key, _)| *key);
        let mut before = 0;
        for group in self.calls.chunk_by(|one, other| one.0 == other.0) {
            let key = group[0].0;
            before += self.places[before..].partition_point(|(place, _)| *place < key);
            let same = self.places[before..].partition_point(|(place, _)| *place == key);
            for (index, (_, is_called)) in group.iter().enumerate() {
                let place = same.checked_sub(1).map(|last| before + index.min(last));
                let line = place.map_or(0, |place| self.places[place].1);
                record.functions.add(line);
                if *is_called {
                    record.ran.add(line);
                }
            }
        }
        self.places.clear();
        self.calls.clear();
    }
}
