//! Sets of line numbers in a compact form. One range takes about two bytes: 200,000 files with all their executed lines fit
//! into a few MiB.

use std::ops::RangeInclusive;

/// Line numbers from 1, ascending, as ranges that neither touch nor overlap.
///
/// Each range is two LEB128 numbers: its distance to the end of the range before, and its length minus 1. For example 3-5
/// and 9 are `3 2 4 0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(Box<[u8]>);

impl Lines {
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges, ascending.
    pub fn ranges(&self) -> impl Iterator<Item = RangeInclusive<u32>> + '_ {
        Ranges { bytes: &self.0, end: 0 }.map(|(first, last)| first..=last)
    }

    /// Whether a line of `range` is in the set.
    pub fn meet(&self, range: RangeInclusive<u32>) -> bool {
        self.ranges().take_while(|one| one.start() <= range.end()).any(|one| one.end() >= range.start())
    }

    /// How many lines there are.
    pub fn count(&self) -> u32 {
        self.ranges().fold(0, |count, range| count + (range.end() - range.start() + 1))
    }

    /// The lines of all sets. Unions of equally many sets are merged, as in a binary counter: one million small sets take 20
    /// unions in memory and no quadratic time.
    pub(crate) fn union(sets: impl IntoIterator<Item = Self>) -> Self {
        // the union at place n is of 2^n sets
        let mut unions: Vec<Option<Self>> = Vec::new();
        for mut set in sets {
            let free = unions.iter().position(Option::is_none).unwrap_or(unions.len());
            for union in &mut unions[..free] {
                set = set.or(union.take().unwrap_or_default());
            }
            unions.resize_with(unions.len().max(free + 1), || None);
            unions[free] = Some(set);
        }
        unions.into_iter().flatten().fold(Self::default(), Self::or)
    }

    fn or(self, other: Self) -> Self {
        if self.is_empty() || self == other {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let mut writer = Writer::default();
        writer.bytes.reserve_exact(self.0.len() + other.0.len());
        let mut left = Ranges { bytes: &self.0, end: 0 }.peekable();
        let mut right = Ranges { bytes: &other.0, end: 0 }.peekable();
        loop {
            let is_left = match (left.peek(), right.peek()) {
                (Some(one), Some(other)) => one.0 <= other.0,
                (one, _) => one.is_some(),
            };
            match if is_left { left.next() } else { right.next() } {
                Some((first, last)) => writer.add(first, last),
                None => return writer.finish(),
            }
        }
    }

    /// The bytes of the set on the heap.
    pub(super) fn weight(&self) -> usize {
        // an allocation takes 32 bytes at least
        if self.0.is_empty() { 0 } else { (self.0.len() + 8).next_multiple_of(16).max(32) }
    }
}

/// Collects lines in any order.
#[derive(Default)]
pub(super) struct LineSet(Vec<(u32, u32)>);

impl LineSet {
    /// Adds the lines from `first` to `last`. Line 0 does not exist; coverage tools write it for code without a line.
    pub(super) fn add(&mut self, first: u32, last: u32) {
        let first = first.max(1);
        match self.0.last_mut() {
            _ if last < first => {}
            Some(end) if end.1.checked_add(1) == Some(first) => end.1 = last,
            _ => self.0.push((first, last)),
        }
    }

    /// How many ranges are held.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes all lines out.
    pub(super) fn take(&mut self) -> Lines {
        self.0.sort_unstable();
        let mut writer = Writer::default();
        self.0.drain(..).for_each(|(first, last)| writer.add(first, last));
        writer.finish()
    }
}

struct Ranges<'a> {
    bytes: &'a [u8],
    end: u32,
}

impl Ranges<'_> {
    fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in (0..u32::BITS).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    }
}

impl Iterator for Ranges<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let first = self.end + self.number()?;
        self.end = first + self.number()?;
        Some((first, self.end))
    }
}

/// Writes ranges that come in the order of their first lines.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// The end of the last written range.
    end: u32,
    /// The range that may still grow.
    open: Option<(u32, u32)>,
}

impl Writer {
    fn add(&mut self, first: u32, last: u32) {
        match &mut self.open {
            Some(open) if first <= open.1.saturating_add(1) => open.1 = open.1.max(last),
            _ => {
                self.close();
                self.open = Some((first, last));
            }
        }
    }

    fn close(&mut self) {
        if let Some((first, last)) = self.open.take() {
            self.number(first - self.end);
            self.number(last - first);
            self.end = last;
        }
    }

    fn number(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.bytes.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.bytes.push(value.to_le_bytes()[0]);
    }

    fn finish(mut self) -> Lines {
        self.close();
        Lines(self.bytes.into_boxed_slice())
    }
}
