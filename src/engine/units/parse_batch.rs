//! Parses many sources together. The first round of lookups gets no answers and collects the sources, then all are parsed
//! at once on every core, and the next round gets the answers. An answer is the same as if its source had been parsed at
//! once.

use super::{ParsedSource, SymbolOf, UnitBook};
use crate::error::Error;
use crate::text::units::{Language, read_together};
use crate::tree::oid::Oid;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The number of rounds: the unit of the view, the unit of the measured file, and its possible origins. Further sources of
/// long lists are parsed one by one.
const ROUNDS: usize = 4;

/// The maximum number of waiting bytes before they are parsed.
const MAX_WAITING: usize = 32 << 20;

/// The sources collected in a round.
#[derive(Default)]
pub(super) struct Waiting {
    /// The sources that are not parsed yet.
    sources: Sources,
    /// The total size of all sources.
    bytes: usize,
    /// Whether a lookup was left without its answer.
    has_put_off: bool,
}

type Sources = BTreeMap<(Language, Oid), WaitingSource>;

struct WaitingSource {
    bytes: Vec<u8>,
    symbols: BTreeSet<String>,
}

/// The error of a lookup that waits for its source to be parsed with others. Callers of `in_rounds` never see it.
pub(super) fn put_off() -> Error {
    Error::unparsed("it is parsed with others")
}

impl UnitBook {
    /// Calls `ask` until its lookups leave nothing to parse together. In the earlier rounds, lookups without an answer fail
    /// as unparsed.
    pub(crate) fn in_rounds(&self, mut ask: impl FnMut()) {
        if self.history.units_together().is_some() {
            for _ in 0..ROUNDS {
                self.waiting.replace(Some(Waiting::default()));
                ask();
                let waiting = self.waiting.take().unwrap_or_default();
                self.catch_up(waiting.sources);
                if !waiting.has_put_off {
                    return;
                }
            }
        }
        ask();
    }

    /// Whether the source already waits; then the symbol is added to it.
    pub(super) fn waits(&self, of: &SymbolOf) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let source = waiting.as_mut().and_then(|waiting| waiting.sources.get_mut(&(of.language, of.blob)));
        source.map(|source| source.symbols.insert(of.symbol.clone())).is_some()
    }

    /// Adds `bytes` to the waiting sources, and returns the error for the lookup.
    pub(super) fn wait(&self, of: &SymbolOf, bytes: Vec<u8>) -> Error {
        let mut full = Sources::new();
        if let Some(waiting) = self.waiting.borrow_mut().as_mut() {
            waiting.has_put_off = true;
            waiting.bytes += bytes.len();
            let symbols = BTreeSet::from([of.symbol.clone()]);
            waiting.sources.insert((of.language, of.blob), WaitingSource { bytes, symbols });
            if waiting.bytes > MAX_WAITING {
                waiting.bytes = 0;
                full = std::mem::take(&mut waiting.sources);
            }
        }
        if !full.is_empty() {
            self.catch_up(full);
        }
        put_off()
    }

    /// Parses the waiting sources and stores the answers.
    fn catch_up(&self, waiting: Sources) {
        let Some(read) = self.history.units_together() else { return };
        let sources: Vec<_> = waiting.iter().map(|((language, _), source)| (*language, &*source.bytes)).collect();
        let all = read_together(&sources, read);
        for (((language, blob), source), units) in waiting.into_iter().zip(all) {
            let parsed = Rc::new(ParsedSource { bytes: source.bytes, units });
            for symbol in source.symbols {
                // a failed lookup is asked again, and then gives its reason
                let Ok(found) = self.look_up(&parsed, &symbol) else { continue };
                self.learn(SymbolOf { language, blob, symbol }, &found);
            }
            self.keep(language, blob, &parsed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::units::SymbolFound;
    use crate::error::{ErrorKind, Result};
    use crate::text::units::{MAX_SOURCE, ReadUnits, UnitsRead, UnreadUnits};
    use crate::tree::memory::{MemoryTree, id_of};
    use crate::tree::path::RepoPath;
    use crate::tree::{Anchor, History, Kind, MissingAnchor};

    /// A history that parses only many sources at once. It reports an error for each, in the line of its length.
    struct Many;

    impl History for Many {
        fn anchor(&self, _: &Oid) -> Result<Anchor> {
            Ok(Anchor::Missing(MissingAnchor::Pruned))
        }

        fn content_id(&self, content: &[u8]) -> Result<Oid> {
            Ok(id_of(content))
        }

        fn units(&self, _: Language, _: &[u8]) -> Result<UnitsRead> {
            panic!("one alone")
        }

        fn units_together(&self) -> Option<ReadUnits> {
            Some(|_, source| Err(UnreadUnits::Syntax(source.len())))
        }
    }

    /// Looks sources of these lengths up in rounds, and returns how often everything was looked up.
    fn asked(lengths: &[usize]) -> usize {
        let mut view = MemoryTree::default();
        let path = |length: usize| format!("f{length}.rs");
        lengths.iter().for_each(|length| view.put(&path(*length), Kind::File, &vec![b' '; *length]));
        let book = UnitBook::new(Rc::new(Many), None);
        let (mut told, mut times) = (vec![None; lengths.len()], 0);
        book.in_rounds(|| {
            times += 1;
            for (answer, length) in told.iter_mut().zip(lengths).filter(|(answer, _)| answer.is_none()) {
                for symbol in ["f", "g"] {
                    match book.in_view(&view, &RepoPath::from_git(path(*length)), symbol) {
                        Ok(found) => *answer = found,
                        Err(error) => assert_eq!(error.kind, ErrorKind::Unparsed),
                    }
                }
            }
        });
        let expected = |length: &usize| Some(SymbolFound::Unread(UnreadUnits::Syntax(*length)));
        assert_eq!(told, lengths.iter().map(expected).collect::<Vec<_>>());
        assert_eq!(book.learned().map(|learned| learned.len()), Some(2 * lengths.len()));
        times
    }

    #[test]
    fn what_is_asked_in_rounds_is_parsed_together_and_answered() {
        assert_eq!(asked(&[1, 2, 3]), 2);
        let many: Vec<usize> = (0..=MAX_WAITING / MAX_SOURCE).map(|less| MAX_SOURCE - less).collect();
        assert_eq!(asked(&many), 2, "what is too much to wait is parsed in between");
        assert_eq!(asked(&many[1..]), 2);
    }
}
