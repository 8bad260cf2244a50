//! Finds the unit that a symbol names.

use super::{Unit, Units};
use crate::text::nearest;
use std::collections::HashMap;

/// The meaning of a symbol in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// This unit, with a reliable extent.
    Unit(&'a Unit),
    /// Unknown, because of a syntax error at this line, in or near the unit.
    Broken(usize),
    /// Several units: each of these names ends with the symbol, and none equals it.
    Ambiguous(Vec<String>),
    /// No unit.
    Absent,
}

impl Units {
    /// Indexes these units, which have distinct names. A file may have very many units, and so many selectors.
    pub(super) fn new(all: Vec<Unit>) -> Self {
        let mut ends: Vec<usize> = (0..all.len()).collect();
        ends.sort_unstable_by(|one, other| all[*one].name.bytes().rev().cmp(all[*other].name.bytes().rev()));
        let mut broken = HashMap::new();
        for unit in &all {
            if let Some(line) = unit.broken {
                broken.entry(last(&unit.name).to_owned()).or_insert(line);
            }
        }
        let first_broken = all.iter().find_map(|unit| unit.broken);
        Self { all, ends, broken, first_broken }
    }

    /// The unit with exactly this name, otherwise the one unit with a name that ends in `.symbol`.
    pub fn find(&self, symbol: &str) -> Found<'_> {
        // Rust's `r#type` is the name `type`. In names `#` occurs only at the beginning of a private one.
        let symbol =
            &*symbol.split('.').map(|part| part.strip_prefix("r#").unwrap_or(part)).collect::<Vec<_>>().join(".");
        // An error in a unit may have swallowed a following declaration. A unit with the same last name in there may be a
        // piece of the wanted unit, which would then be compared without that piece.
        if let Some(line) = self.broken.get(last(symbol)) {
            return Found::Broken(*line);
        }
        if let Some(unit) = self.ending(symbol).first().map(|unit| &self.all[*unit]).filter(|unit| unit.name == symbol)
        {
            return Found::Unit(unit);
        }
        let mut inner = self.ending(&format!(".{symbol}")).to_vec();
        inner.sort_unstable();
        match (inner.as_slice(), self.first_broken) {
            ([], Some(line)) | ([_], Some(line)) => Found::Broken(line),
            ([], None) => Found::Absent,
            ([only], None) => Found::Unit(&self.all[*only]),
            (several, _) => Found::Ambiguous(several.iter().map(|unit| self.all[*unit].name.clone()).collect()),
        }
    }

    /// The indexes of the units with a name that ends so, the shortest name first.
    fn ending(&self, end: &str) -> &[usize] {
        let backwards = |unit: &usize| self.all[*unit].name.bytes().rev();
        let start = self.ends.partition_point(|unit| backwards(unit).lt(end.bytes().rev()));
        let behind = &self.ends[start..];
        &behind[..behind.partition_point(|unit| self.all[*unit].name.ends_with(end))]
    }

    /// Up to three names that an unknown symbol probably misspells, the nearest first.
    pub(crate) fn near(&self, symbol: &str) -> Vec<&str> {
        let symbol_end = last(symbol);
        let mut known: Vec<&str> = self.all.iter().map(|unit| unit.name.as_str()).collect();
        let mut near = Vec::new();
        while near.len() < 3 {
            let whole = nearest::nearest(symbol, known.iter().copied());
            let by_last = || {
                let end = nearest::nearest(symbol_end, known.iter().copied().map(last))?;
                known.iter().copied().find(|name| last(name) == end)
            };
            let Some(name) = whole.or_else(by_last) else { break };
            near.push(name);
            known.retain(|other| *other != name);
        }
        near
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
