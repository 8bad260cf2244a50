//! Looks up the symbol of a selector in a source file (docs/selectors.md). The name of a file, which determines the
//! language, and the id of its content in; the id of the unit's bytes out, or the reason why there is none. Each content is
//! parsed once for all selectors. An answer follows from the content and the grammar alone, so it may be kept for the next
//! run. Knows nothing of readings.

mod parse_batch;

use crate::error::{Error, Result, remedy};
use crate::text::units::{Found, Language, MAX_SOURCE, Units, UnreadUnits, language};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, History, Kind, Tree};
use foldhash::HashMap;
use parse_batch::Waiting;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The meaning of a symbol in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolFound {
    /// A unit: the object id of its bytes.
    Unit(Oid),
    /// No unit of the file, which was read without errors.
    Dead,
    /// The end of several names, and no complete name.
    Ambiguous(Vec<String>),
    /// Unknown; holds the reason why the file, or that part of it, cannot be read.
    Unread(UnreadUnits),
}

/// The key of an answer: a symbol in one content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolOf {
    pub(crate) language: Language,
    /// The id of the file's content.
    pub blob: Oid,
    /// The name of the unit, as a selector spells it.
    pub symbol: String,
}

/// Answers of earlier runs.
pub trait SymbolMemo {
    /// The answer, if it is known.
    fn known(&self, of: &SymbolOf) -> Option<SymbolFound>;
}

/// The bytes of parsed files that are kept in memory; above this limit all of them are dropped.
const MAX_KEPT: usize = 32 << 20;

struct ParsedSource {
    bytes: Vec<u8>,
    units: std::result::Result<Units, UnreadUnits>,
}

/// All units found in one run.
pub struct UnitBook {
    history: Rc<dyn History>,
    memo: Option<Rc<dyn SymbolMemo>>,
    found: RefCell<HashMap<SymbolOf, SymbolFound>>,
    parsed: RefCell<HashMap<(Language, Oid), Rc<ParsedSource>>>,
    /// The number of bytes in `parsed`.
    kept: Cell<usize>,
    learned: Cell<bool>,
    /// The sources to parse together, while lookups run in rounds.
    waiting: RefCell<Option<Waiting>>,
}

/// A content to look up: its id, and a view with the file at this path, for content that the object database may lack.
#[derive(Clone, Copy)]
struct SourceContent<'c> {
    path: &'c RepoPath,
    id: Oid,
    view: Option<&'c dyn Tree>,
}

impl UnitBook {
    /// An empty book, with earlier answers from `memo`. Reads and parses contents through `history`.
    pub fn new(history: Rc<dyn History>, memo: Option<Rc<dyn SymbolMemo>>) -> Self {
        Self {
            history,
            memo,
            found: RefCell::default(),
            parsed: RefCell::default(),
            kept: Cell::new(0),
            learned: Cell::new(false),
            waiting: RefCell::default(),
        }
    }

    /// The meaning of `symbol` in the file at `path` of `view`, without following links; `None` if there is no file.
    ///
    /// # Errors
    /// The view cannot be read, or the file may not be parsed here or not in time. The selector is then not judged.
    pub fn in_view(&self, view: &dyn Tree, path: &RepoPath, symbol: &str) -> Result<Option<SymbolFound>> {
        let Some(id) = file_id(view, path)? else { return Ok(None) };
        self.find(SourceContent { path, id, view: Some(view) }, symbol)
    }

    /// The meaning of `symbol` in the content `id` of a file called `path`; `None` if the object database lacks the
    /// content.
    ///
    /// # Errors
    /// As [`Self::in_view`].
    pub fn in_content(&self, path: &RepoPath, id: Oid, symbol: &str) -> Result<Option<SymbolFound>> {
        self.find(SourceContent { path, id, view: None }, symbol)
    }

    /// Up to three similar unit names to `symbol` in the file at `path` of `view`, the nearest first.
    ///
    /// # Errors
    /// As [`Self::in_view`].
    pub fn near(&self, view: &dyn Tree, path: &RepoPath, symbol: &str) -> Result<Vec<String>> {
        let (Some(id), Ok(language)) = (file_id(view, path)?, language(&path.to_string())) else {
            return Ok(Vec::new());
        };
        let parsed = self.parsed(language, SourceContent { path, id, view: Some(view) })?;
        let units = parsed.as_ref().and_then(|parsed| parsed.units.as_ref().ok());
        Ok(units.map(|units| owned(&units.near(symbol))).unwrap_or_default())
    }

    /// The first line of the unit `symbol` in the file at `path` of `view`; `None` if it is no unit.
    ///
    /// # Errors
    /// As [`Self::in_view`].
    pub fn line(&self, view: &dyn Tree, path: &RepoPath, symbol: &str) -> Result<Option<u32>> {
        let (Some(id), Ok(language)) = (file_id(view, path)?, language(&path.to_string())) else { return Ok(None) };
        let content = SourceContent { path, id, view: Some(view) };
        if self.size(content)?.is_none_or(|size| size > MAX_SOURCE as u64) {
            return Ok(None);
        }
        let parsed = self.parsed(language, content)?;
        let found = parsed.as_ref().and_then(|parsed| parsed.units.as_ref().ok()).map(|units| units.find(symbol));
        Ok(match found {
            Some(Found::Unit(unit)) => u32::try_from(unit.lines.0).ok(),
            _ => None,
        })
    }

    /// The answer of `look` about the units of the file at `path` of `view` and its content; `None` if its units cannot be read.
    ///
    /// # Errors
    /// As [`Self::in_view`].
    pub(crate) fn look<T>(
        &self,
        view: &dyn Tree,
        path: &RepoPath,
        look: impl FnOnce(Language, &Units, &[u8]) -> T,
    ) -> Result<Option<T>> {
        let (Some(id), Ok(language)) = (file_id(view, path)?, language(&path.to_string())) else { return Ok(None) };
        let content = SourceContent { path, id, view: Some(view) };
        if self.size(content)?.is_none_or(|size| size > MAX_SOURCE as u64) {
            return Ok(None);
        }
        let parsed = self.parsed(language, content)?;
        let units = parsed.as_ref().and_then(|parsed| Some((parsed, parsed.units.as_ref().ok()?)));
        Ok(units.map(|(parsed, units)| look(language, units, &parsed.bytes)))
    }

    /// All answers to keep for the next run, sorted; `None` if there is none new since the last call.
    pub fn learned(&self) -> Option<Vec<(SymbolOf, SymbolFound)>> {
        if !self.learned.take() {
            return None;
        }
        let found = self.found.borrow();
        let mut all: Vec<_> = found.iter().filter(|(_, found)| found.is_lasting()).collect();
        all.sort_by_key(|(of, _)| *of);
        Some(all.into_iter().map(|(of, found)| (of.clone(), found.clone())).collect())
    }

    fn find(&self, content: SourceContent<'_>, symbol: &str) -> Result<Option<SymbolFound>> {
        let language = match language(&content.path.to_string()) {
            Ok(language) => language,
            Err(unread) => return Ok(self.is_here(content)?.then_some(SymbolFound::Unread(unread))),
        };
        let of = SymbolOf { language, blob: content.id, symbol: symbol.to_owned() };
        if let Some(known) = self.known(&of) {
            // A remembered answer must not hide that the content is gone: without the memo it could not be given. Only
            // existence is checked, because asking for the size too would cost more than everything else.
            return Ok(self.is_here(content)?.then_some(known));
        }
        let Some(size) = self.size(content)? else { return Ok(None) };
        if size > MAX_SOURCE as u64 {
            return Ok(Some(SymbolFound::Unread(UnreadUnits::Large)));
        }
        let is_parsed = self.parsed.borrow().contains_key(&(language, content.id));
        if self.waiting.borrow().is_some() && !is_parsed {
            if self.waits(&of) {
                return Err(parse_batch::put_off());
            }
            return self.bytes(content)?.map_or(Ok(None), |bytes| Err(self.wait(&of, bytes)));
        }
        let Some(parsed) = self.parsed(language, content)? else { return Ok(None) };
        let found = self.look_up(&parsed, symbol)?;
        self.learn(of, &found);
        Ok(Some(found))
    }

    /// The answer of this run or of an earlier one.
    fn known(&self, of: &SymbolOf) -> Option<SymbolFound> {
        if let Some(known) = self.found.borrow().get(of) {
            return Some(known.clone());
        }
        let known = self.memo.as_ref()?.known(of)?;
        self.found.borrow_mut().insert(of.clone(), known.clone());
        Some(known)
    }

    fn learn(&self, of: SymbolOf, found: &SymbolFound) {
        self.learned.set(self.learned.get() | found.is_lasting());
        self.found.borrow_mut().insert(of, found.clone());
    }

    fn look_up(&self, parsed: &ParsedSource, symbol: &str) -> Result<SymbolFound> {
        let units = match &parsed.units {
            Ok(units) => units,
            Err(unread) => return Ok(SymbolFound::Unread(unread.clone())),
        };
        Ok(match units.find(symbol) {
            Found::Unit(unit) => SymbolFound::Unit(self.history.content_id(&unit.bytes(&parsed.bytes))?),
            Found::Absent => SymbolFound::Dead,
            Found::Ambiguous(names) => SymbolFound::Ambiguous(names),
            Found::Broken(line) => SymbolFound::Unread(UnreadUnits::Syntax(line)),
        })
    }

    fn is_here(&self, content: SourceContent<'_>) -> Result<bool> {
        Ok(self.history.has_content(&content.id)? || content.view.is_some() && self.size(content)?.is_some())
    }

    /// The size of the content; `None` if it does not exist.
    fn size(&self, SourceContent { path, id, view }: SourceContent<'_>) -> Result<Option<u64>> {
        match (self.history.content_size(&id)?, view) {
            (None, Some(view)) => view.size(path),
            (size, _) => Ok(size),
        }
    }

    fn parsed(&self, language: Language, content: SourceContent<'_>) -> Result<Option<Rc<ParsedSource>>> {
        let key = (language, content.id);
        if let Some(known) = self.parsed.borrow().get(&key) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(bytes) = self.bytes(content)? else { return Ok(None) };
        let units = self.history.units(language, &bytes)?;
        let parsed = Rc::new(ParsedSource { bytes, units });
        self.keep(language, content.id, &parsed);
        Ok(Some(parsed))
    }

    fn keep(&self, language: Language, blob: Oid, parsed: &Rc<ParsedSource>) {
        let mut kept = self.parsed.borrow_mut();
        if self.kept.get() > MAX_KEPT {
            kept.clear();
            self.kept.set(0);
        }
        self.kept.set(self.kept.get() + parsed.bytes.len());
        kept.insert((language, blob), Rc::clone(parsed));
    }

    /// The bytes with this id. Prefers the object database, because a view may hold them changed by a filter.
    fn bytes(&self, SourceContent { path, id, view }: SourceContent<'_>) -> Result<Option<Vec<u8>>> {
        let stored = self.history.content(&id)?;
        let (None, Some(view)) = (&stored, view) else { return Ok(stored) };
        let bytes = view.read(path)?;
        if bytes.as_ref().is_some_and(|bytes| self.history.content_id(bytes).ok() != Some(id)) {
            return Err(Error::unchecked(format!("{path} changed while it was read")).hint(remedy::CHANGING));
        }
        Ok(bytes)
    }
}

impl SymbolFound {
    /// Whether the answer never changes. A file that was too costly to parse may be parsed on another day.
    pub fn is_lasting(&self) -> bool {
        !matches!(self, Self::Unread(UnreadUnits::Costly | UnreadUnits::NotBuilt))
    }

    /// The reason why no unit is compared, as the end of a sentence about the selector; `None` for a unit.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::Unit(_) => None,
            Self::Dead => Some("no such unit".into()),
            Self::Ambiguous(names) => Some(format!("ambiguous: {}", names.join(", "))),
            Self::Unread(unread) => Some(unread.to_string()),
        }
    }
}

/// The content id of a regular file; `None` for anything else, and for a file that needs an external filter.
fn file_id(view: &dyn Tree, path: &RepoPath) -> Result<Option<Oid>> {
    let is_file = |entry: &Entry| matches!(entry.kind, Kind::File | Kind::Exec);
    Ok(view.entry(path)?.filter(is_file).and_then(|entry| entry.id))
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(all(test, feature = "units"))]
mod tests {
    use super::*;
    use crate::tree::memory::{MemoryHistory, MemoryTree};
    use crate::tree::{Anchor, MissingAnchor};

    fn path(text: &str) -> RepoPath {
        RepoPath::from_git(text)
    }

    fn book(history: MemoryHistory) -> (Rc<MemoryHistory>, UnitBook) {
        let history = Rc::new(history);
        (Rc::clone(&history), UnitBook::new(history, None))
    }

    const SOURCE: &str = "class A { run() {} }\nclass B { run() {} stop() {} }\nfunction f() {}\n";

    #[test]
    fn a_symbol_is_a_unit_or_dead_or_ambiguous_or_nobody_can_tell() {
        let (history, book) = book(MemoryHistory::default());
        let broken = format!("{SOURCE}}}}}\n");
        let view = MemoryTree::of_files(&[("a.ts", SOURCE), ("b.ts", &broken), ("c.zig", SOURCE), ("d.ts", "\0")]);
        let told = |file: &str, symbol: &str| book.in_view(&view, &path(file), symbol).unwrap();
        let unit = |bytes: &str| Some(SymbolFound::Unit(history.content_id(bytes.as_bytes()).unwrap()));
        assert_eq!(told("a.ts", "A.run"), unit("run() {}"));
        assert_eq!(told("a.ts", "stop"), unit("stop() {}"));
        assert_eq!(told("a.ts", "f"), unit("function f() {}"));
        assert_eq!(told("a.ts", "g"), Some(SymbolFound::Dead));
        assert_eq!(told("a.ts", "run"), Some(SymbolFound::Ambiguous(vec!["A.run".into(), "B.run".into()])));
        assert_eq!(told("b.ts", "f"), Some(SymbolFound::Unread(UnreadUnits::Syntax(4))));
        assert_eq!(told("c.zig", "f"), Some(SymbolFound::Unread(UnreadUnits::Language(".zig".into()))));
        assert_eq!(told("d.ts", "f"), Some(SymbolFound::Unread(UnreadUnits::Binary)));
        assert_eq!(told("gone.ts", "f"), None);
        assert_eq!(book.near(&view, &path("a.ts"), "B.stp").unwrap(), ["B.stop"]);
        assert_eq!(book.near(&view, &path("c.zig"), "B.stp").unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_larger_than_a_source_file_is_not_even_read() {
        let (history, book) = book(MemoryHistory::default());
        let view = MemoryTree::of_files(&[("a.ts", &" ".repeat(MAX_SOURCE + 1))]);
        let large = Some(SymbolFound::Unread(UnreadUnits::Large));
        assert_eq!(book.in_view(&view, &path("a.ts"), "f").unwrap(), large);
        assert_eq!(history.parsed(), 0);
    }

    #[test]
    fn a_content_is_parsed_once_for_all_selectors() {
        let (history, book) = book(MemoryHistory::default());
        let view = MemoryTree::of_files(&[("a.ts", SOURCE), ("b.ts", SOURCE)]);
        for (file, symbol) in [("a.ts", "f"), ("a.ts", "A"), ("b.ts", "g"), ("a.ts", "f")] {
            book.in_view(&view, &path(file), symbol).unwrap();
        }
        assert_eq!(history.parsed(), 1);
    }

    /// A memo with the same answer to everything.
    struct Always(SymbolFound);

    impl SymbolMemo for Always {
        fn known(&self, _: &SymbolOf) -> Option<SymbolFound> {
            Some(self.0.clone())
        }
    }

    #[test]
    fn an_answer_that_is_kept_is_no_content() {
        let history = Rc::new(MemoryHistory::default());
        let id = history.keep(SOURCE.as_bytes());
        let book = UnitBook::new(Rc::clone(&history) as Rc<dyn History>, Some(Rc::new(Always(SymbolFound::Dead))));
        assert_eq!(book.in_content(&path("a.ts"), id, "f").unwrap(), Some(SymbolFound::Dead));
        assert_eq!((history.parsed(), book.learned()), (0, None), "nothing new");
        let gone = history.content_id(b"gone").unwrap();
        assert_eq!(book.in_content(&path("a.ts"), gone, "f").unwrap(), None);
    }

    /// A history that has everything and panics when asked for a size.
    struct Unweighed;

    impl History for Unweighed {
        fn anchor(&self, _: &Oid) -> Result<Anchor> {
            Ok(Anchor::Missing(MissingAnchor::Pruned))
        }

        fn has_content(&self, _: &Oid) -> Result<bool> {
            Ok(true)
        }

        fn content_size(&self, _: &Oid) -> Result<Option<u64>> {
            panic!("to say how large a packed object is unpacks it")
        }
    }

    #[test]
    fn of_what_is_known_only_whether_it_is_there_is_asked() {
        let book = UnitBook::new(Rc::new(Unweighed), Some(Rc::new(Always(SymbolFound::Dead))));
        let id = Oid::from_bytes(&[7; 20]).unwrap();
        for _ in 0..2 {
            assert_eq!(book.in_content(&path("a.ts"), id, "f").unwrap(), Some(SymbolFound::Dead));
        }
    }

    #[test]
    fn what_was_found_out_is_handed_on() {
        let history = Rc::new(MemoryHistory::default());
        let id = history.keep(SOURCE.as_bytes());
        let book = UnitBook::new(Rc::clone(&history) as Rc<dyn History>, None);
        assert_eq!(book.learned(), None);
        for symbol in ["g", "A.run"] {
            book.in_content(&path("a.ts"), id, symbol).unwrap();
        }
        let learned = book.learned().unwrap();
        let symbols: Vec<_> = learned.iter().map(|(of, _)| (of.language, of.blob, of.symbol.as_str())).collect();
        assert_eq!(symbols, [(Language::TypeScript, id, "A.run"), (Language::TypeScript, id, "g")]);
        assert_eq!(learned[1].1, SymbolFound::Dead);
    }
}
