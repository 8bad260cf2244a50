//! Which unit a symbol names.

use super::{Unit, Units};
use crate::text::nearest;

/// What a symbol names in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// This unit, whose extent is certain.
    Unit(&'a Unit),
    /// Nobody can tell: a syntax error, at this line, lies where the unit is or may be.
    Broken(usize),
    /// Several units: the symbol is the end of each of these names, and the whole name of none.
    Ambiguous(Vec<String>),
    /// None.
    Absent,
}

impl Units {
    /// The unit of exactly this name, else the one unit whose name ends with `.symbol`.
    pub fn find(&self, symbol: &str) -> Found<'_> {
        // An error may have swallowed a declaration that follows it into the unit that it lies in: whatever has the same
        // last name in there may be a piece of what is looked for, which would be compared without that piece.
        let last = |name: &'_ str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let wanted = last(symbol);
        if let Some(line) = self.0.iter().filter(|unit| last(&unit.name) == wanted).find_map(|unit| unit.broken) {
            return Found::Broken(line);
        }
        if let Some(unit) = self.0.iter().find(|unit| unit.name == symbol) {
            return Found::Unit(unit);
        }
        let inner: Vec<&Unit> = self.0.iter().filter(|unit| ends_with(&unit.name, symbol)).collect();
        match (inner.as_slice(), self.0.iter().find_map(|unit| unit.broken)) {
            ([], Some(line)) | ([_], Some(line)) => Found::Broken(line),
            ([], None) => Found::Absent,
            ([only], None) => Found::Unit(only),
            (several, _) => Found::Ambiguous(several.iter().map(|unit| unit.name.clone()).collect()),
        }
    }

    /// Up to three names that a symbol that names nothing probably misspells, the nearest first.
    pub fn near(&self, symbol: &str) -> Vec<&str> {
        let last = symbol.rsplit('.').next().unwrap_or(symbol);
        let mut known: Vec<&str> = self.0.iter().map(|unit| unit.name.as_str()).collect();
        let mut near = Vec::new();
        while near.len() < 3 {
            let whole = nearest::nearest(symbol, known.iter().copied());
            let by_last = || {
                let ends = known.iter().copied().filter_map(|name| name.rsplit('.').next());
                let end = nearest::nearest(last, ends)?;
                known.iter().copied().find(|name| name.rsplit('.').next() == Some(end))
            };
            let Some(name) = whole.or_else(by_last) else { break };
            near.push(name);
            known.retain(|other| *other != name);
        }
        near
    }
}

/// Whether `name` ends with `.symbol`.
fn ends_with(name: &str, symbol: &str) -> bool {
    name.strip_suffix(symbol).is_some_and(|rest| rest.ends_with('.'))
}
