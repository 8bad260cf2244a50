//! Names stored once, because a graph repeats each many times. Names in, small numbers out, and back.

use foldhash::{HashMap, HashMapExt};
use std::rc::Rc;

/// Names with their numbers, from 0 in the order of arrival.
#[derive(Debug, Default)]
pub(super) struct Names {
    list: Vec<Rc<str>>,
    known: HashMap<Rc<str>, u32>,
}

impl Names {
    /// An empty table with room for `many` names.
    pub(super) fn with_capacity(many: usize) -> Self {
        Self { list: Vec::with_capacity(many), known: HashMap::with_capacity(many) }
    }

    /// The number of `name`; a new name gets the next number.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.known.get(name) {
            return *number;
        }
        // four billion names do not fit in memory
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let name: Rc<str> = name.into();
        self.list.push(Rc::clone(&name));
        self.known.insert(name, number);
        number
    }

    /// The number of a known name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.known.get(name).copied()
    }

    pub(super) fn name(&self, number: u32) -> &str {
        self.list.get(number as usize).map_or("", |name| name)
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The rank of each number in the sorted order of names.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)).collect();
        order.sort_unstable_by(|one, other| self.name(*one).cmp(self.name(*other)));
        let mut ranks = vec![0; order.len()];
        for (rank, number) in (0_u32..).zip(order) {
            ranks[number as usize] = rank;
        }
        ranks
    }
}
