//! Sources that are parsed together. Whoever is in no hurry asks everything once without an answer, then all that was asked
//! about is parsed at once, on every core, and he asks again what was not answered. An answer is the same as if it had been
//! parsed when it was asked for.

use super::{ParsedSource, SymbolOf, UnitBook};
use crate::error::Error;
use crate::text::units::{Language, read_together};
use crate::tree::oid::Oid;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The unit of the view first, then that of the measured file, then those where it may have come from; what a list of many
/// entries asks beyond is parsed one by one.
const ROUNDS: usize = 4;

/// Bytes that wait at most before they are parsed.
const MAX_WAITING: usize = 32 << 20;

/// What was asked about in a round.
#[derive(Default)]
pub(super) struct Waiting {
    /// What is not parsed yet.
    sources: Sources,
    /// How many bytes all of it has.
    bytes: usize,
    /// Whether a question went without its answer.
    has_put_off: bool,
}

type Sources = BTreeMap<(Language, Oid), WaitingSource>;

struct WaitingSource {
    bytes: Vec<u8>,
    symbols: BTreeSet<String>,
}

/// That a source is parsed with others, which nobody sees who asks in rounds.
pub(super) fn put_off() -> Error {
    Error::unparsed("it is parsed with others")
}

impl UnitBook {
    /// Has `ask` ask what it has no answer to yet, until there is nothing left that could be parsed together. In between its
    /// questions fail as unparsed.
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

    /// Whether the source waits already: then the symbol is noted.
    pub(super) fn waits(&self, of: &SymbolOf) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let source = waiting.as_mut().and_then(|waiting| waiting.sources.get_mut(&(of.language, of.blob)));
        source.map(|source| source.symbols.insert(of.symbol.clone())).is_some()
    }

    /// Puts the parsing of `bytes` off, and says so.
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

    /// Parses what waits and answers what was asked about it.
    fn catch_up(&self, waiting: Sources) {
        let Some(read) = self.history.units_together() else { return };
        let sources: Vec<_> = waiting.iter().map(|((language, _), source)| (*language, &*source.bytes)).collect();
        let all = read_together(&sources, read);
        for (((language, blob), source), units) in waiting.into_iter().zip(all) {
            let parsed = Rc::new(ParsedSource { bytes: source.bytes, units });
            for symbol in source.symbols {
                // what cannot be answered is asked again, and then says why
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

    /// Parses nothing but many at once, and says of a source that an error is in the line of its length.
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

    /// Asks about sources of these lengths in rounds, and says how often everything was asked.
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
