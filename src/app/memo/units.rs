//! The memo of symbols in source files. Each answer depends only on the file's content and the grammar. Converts answers to
//! bytes and back. It holds no verdict; deleting it only costs time.
//!
//! Layout of the body ([`wire`]): the number of the grammars, a count of answers; for each the number of the language, the
//! id of the content, the symbol, and the answer: 0 and an object id, 1 for no unit, 2 with a count of names, 3 and a line
//! for a syntax error, 4 for binary content.

use super::wire::{self, Magic, Remaining};
use crate::engine::units::{SymbolFound, SymbolMemo, SymbolOf};
use crate::repo::native::map::Map;
use crate::text::units::{GRAMMARS, Language, UnreadUnits};
use foldhash::HashMap;
use std::cell::OnceCell;
use std::path::PathBuf;

/// The format and its version.
pub(crate) const MAGIC: Magic = *b"yatsu\0u1";

/// The stored answers by their query.
type Known = HashMap<SymbolOf, SymbolFound>;

/// The memo in a file, which is opened at the first query. Without selectors there is no query.
pub(crate) struct UnitsFile {
    path: PathBuf,
    known: OnceCell<Known>,
}

impl UnitsFile {
    /// The memo at `path`; the file may be missing.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, known: OnceCell::new() }
    }

    /// All stored answers.
    pub(crate) fn all(&self) -> &Known {
        self.known.get_or_init(|| {
            let file = Map::open(&self.path).ok().flatten();
            file.and_then(|bytes| decode(&bytes)).unwrap_or_default()
        })
    }
}

impl SymbolMemo for UnitsFile {
    fn known(&self, of: &SymbolOf) -> Option<SymbolFound> {
        self.all().get(of).cloned()
    }
}

/// The bytes of these answers; `None` if they are too many to be of use.
pub(crate) fn encode(answers: &[(SymbolOf, SymbolFound)]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    wire::put_count(&mut body, GRAMMARS)?;
    let lasting: Vec<_> = answers.iter().filter_map(|(of, found)| Some((of, put_found(found)?))).collect();
    wire::put_count(&mut body, lasting.len())?;
    for (of, found) in lasting {
        body.push(Language::ALL.iter().position(|known| *known == of.language)? as u8);
        wire::put_id(&mut body, &of.blob);
        wire::put_bytes(&mut body, of.symbol.as_bytes())?;
        body.extend_from_slice(&found);
    }
    wire::seal(&MAGIC, &body)
}

/// The bytes of an answer; `None` if it needs no parser, or may change later.
fn put_found(found: &SymbolFound) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    match found {
        SymbolFound::Unit(id) => {
            body.push(0);
            wire::put_id(&mut body, id);
        }
        SymbolFound::Dead => body.push(1),
        SymbolFound::Ambiguous(names) => {
            body.push(2);
            wire::put_count(&mut body, names.len())?;
            names.iter().try_for_each(|name| wire::put_bytes(&mut body, name.as_bytes()))?;
        }
        SymbolFound::Unread(UnreadUnits::Syntax(line)) => {
            body.push(3);
            wire::put_count(&mut body, *line)?;
        }
        SymbolFound::Unread(UnreadUnits::Binary) => body.push(4),
        SymbolFound::Unread(_) => return None,
    }
    Some(body)
}

/// The answers in these bytes; `None` unless all bytes are as [`encode`] writes them.
pub(crate) fn decode(bytes: &[u8]) -> Option<Known> {
    let mut cursor = Remaining::new(wire::open(&MAGIC, bytes)?);
    cursor.number().filter(|grammars| *grammars == GRAMMARS)?;
    let answers = cursor.count()?;
    let known = (0..answers).map(|_| answer(&mut cursor)).collect::<Option<Known>>()?;
    (cursor.is_at_end() && known.len() == answers).then_some(known)
}

fn answer(cursor: &mut Remaining<'_>) -> Option<(SymbolOf, SymbolFound)> {
    let language = *Language::ALL.get(usize::from(cursor.byte()?))?;
    let (blob, symbol) = (cursor.id()?, cursor.text()?);
    let found = match cursor.byte()? {
        0 => SymbolFound::Unit(cursor.id()?),
        1 => SymbolFound::Dead,
        2 => SymbolFound::Ambiguous(cursor.list(Remaining::text)?),
        3 => SymbolFound::Unread(UnreadUnits::Syntax(cursor.number()?)),
        4 => SymbolFound::Unread(UnreadUnits::Binary),
        _ => return None,
    };
    Some((SymbolOf { language, blob, symbol }, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::oid::Oid;

    fn answers() -> Vec<(SymbolOf, SymbolFound)> {
        let id = |byte| Oid::from_bytes(&[byte; 20]).unwrap();
        let found = [
            SymbolFound::Unit(id(9)),
            SymbolFound::Dead,
            SymbolFound::Ambiguous(vec!["A.f".into(), "B.f".into()]),
            SymbolFound::Unread(UnreadUnits::Syntax(7)),
            SymbolFound::Unread(UnreadUnits::Binary),
        ];
        let of = |number: u8| SymbolOf { language: Language::Ruby, blob: id(number), symbol: format!("f{number}?") };
        (1..).zip(found).map(|(number, found)| (of(number), found)).collect()
    }

    #[test]
    fn what_was_written_is_read() {
        let decoded = decode(&encode(&answers()).unwrap()).unwrap();
        assert_eq!(decoded, answers().into_iter().collect::<Known>());
        let (of, _) = answers().remove(0);
        let costly = (of, SymbolFound::Unread(UnreadUnits::Costly));
        assert!(decode(&encode(&[costly]).unwrap()).unwrap().is_empty(), "it may cost less on another day");
    }

    #[test]
    fn damaged_bytes_are_ignored() {
        wire::damaged(&encode(&answers()).unwrap(), |bytes| decode(bytes).is_none());
    }
}
