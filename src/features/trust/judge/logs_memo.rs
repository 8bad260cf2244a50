//! The memo of git's answers about history: the commits behind a commit that touched some paths. Commits never change, so an
//! answer follows from its question. A clone with cut-off history asks no such question.
//!
//! Layout of the body ([`wire`]): a count of answers; for each the hash of its question, then a count and the ids of the
//! commits.

use crate::app::memo::wire::{self, Magic, Remaining};
use crate::repo::native::map::Map;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::path::PathBuf;

/// The format and its version.
pub(crate) const MAGIC: Magic = *b"yatsu\0l1";

/// The hash of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LogOf([u8; 32]);

impl LogOf {
    /// Which commits behind `tip` and not behind `excluded` touched `paths`?
    pub(crate) fn new(tip: &Oid, excluded: &[Oid], paths: &[RepoPath]) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(tip.as_bytes());
        add(&excluded.len().to_le_bytes());
        excluded.iter().for_each(|id| add(id.as_bytes()));
        paths.iter().for_each(|path| add(path.as_bstr()));
        Self(hash.finalize().into())
    }
}

/// The memo in a file, which is opened at the first query.
pub(crate) struct LogsFile {
    path: PathBuf,
    known: OnceCell<HashMap<LogOf, Vec<Oid>>>,
}

impl LogsFile {
    /// The memo at `path`; the file may be missing.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, known: OnceCell::new() }
    }

    /// All stored answers.
    pub(crate) fn all(&self) -> &HashMap<LogOf, Vec<Oid>> {
        self.known.get_or_init(|| {
            let file = Map::open(&self.path).ok().flatten();
            file.and_then(|bytes| decode(&bytes)).unwrap_or_default()
        })
    }
}

/// The bytes of these answers; `None` if they are too many to be of use.
pub(crate) fn encode(answers: &[(&LogOf, &Vec<Oid>)]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    wire::put_count(&mut body, answers.len())?;
    for (of, commits) in answers {
        body.extend_from_slice(&of.0);
        wire::put_count(&mut body, commits.len())?;
        commits.iter().for_each(|id| wire::put_id(&mut body, id));
    }
    wire::seal(&MAGIC, &body)
}

/// The answers in these bytes; `None` unless all bytes are as [`encode`] writes them.
fn decode(bytes: &[u8]) -> Option<HashMap<LogOf, Vec<Oid>>> {
    let mut cursor = Remaining::new(wire::open(&MAGIC, bytes)?);
    let answers = cursor.count()?;
    let answer = |cursor: &mut Remaining<'_>| {
        let of = LogOf(*cursor.hashes(1)?.first()?);
        let commits: Vec<Oid> = cursor.list(Remaining::id)?;
        Some((of, commits))
    };
    let known = (0..answers).map(|_| answer(&mut cursor)).collect::<Option<HashMap<_, _>>>()?;
    (cursor.is_at_end() && known.len() == answers).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Vec<(LogOf, Vec<Oid>)> {
        let id = |byte: u8| Oid::from_bytes(&[byte; 20]).unwrap();
        let paths = ["a", "b/c"].map(RepoPath::from_git);
        let asked = [
            LogOf::new(&id(1), &[], &paths),
            LogOf::new(&id(1), &[id(2)], &paths),
            LogOf::new(&id(1), &[], &paths[..1]),
            LogOf::new(&id(2), &[], &[]),
        ];
        asked.into_iter().zip([vec![id(3), id(4)], Vec::new(), vec![id(1)], vec![id(9)]]).collect()
    }

    fn bytes() -> Vec<u8> {
        let answers = answers();
        encode(&answers.iter().map(|(of, commits)| (of, commits)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_was_written_is_read_and_each_question_has_its_own_name() {
        assert_eq!(decode(&bytes()).unwrap(), answers().into_iter().collect::<HashMap<_, _>>());
        assert_eq!(decode(&bytes()).unwrap().len(), 4);
    }

    #[test]
    fn damaged_bytes_are_ignored() {
        wire::damaged(&bytes(), |bytes| decode(bytes).is_none());
    }
}
