//! The memo of verified signatures. Each answer depends only on the signature's line, the keys and the revocations of a base,
//! which are part of its name. Who can write this file is believed, as for `.git/config`.
//!
//! Layout of the body ([`wire`]): a count of answers; for each the three hashes of its name, then 0 and a reason (broken), 1,
//! a key and a reason (unknown), or 2, a key and a list of principals (known).

use crate::app::memo::record;
use crate::app::memo::wire::{self, Magic, Remaining};
use crate::features::trust::judge::testimony::{Signer, Testimony};
use crate::features::trust::model::keys::PublicKey;
use crate::repo::native::map::Map;
use foldhash::HashMap;
use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::rc::Rc;

/// The format and its version.
pub(crate) const MAGIC: Magic = *b"yatsu\0s1";

/// The name of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TestimonyOf {
    /// The hash of the signature's line.
    pub(crate) line: [u8; 32],
    /// The id of the base's keys.
    pub(crate) judges: [u8; 32],
    /// The id of the base's revocations.
    pub(crate) revoked: [u8; 32],
}

impl Hash for TestimonyOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // the ids of the keys and the revocations are the same for nearly all answers
        self.line.hash(state);
    }
}

/// The memo in a file, which is opened at the first query. Without signatures there is no query.
pub(crate) struct SignaturesFile {
    path: PathBuf,
    known: OnceCell<HashMap<TestimonyOf, Testimony>>,
}

impl SignaturesFile {
    /// The memo at `path`; the file may be missing.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, known: OnceCell::new() }
    }

    /// The stored answer.
    pub(crate) fn get(&self, of: &TestimonyOf) -> Option<&Testimony> {
        self.all().get(of)
    }

    /// All stored answers.
    pub(crate) fn all(&self) -> &HashMap<TestimonyOf, Testimony> {
        self.known.get_or_init(|| {
            let file = Map::open(&self.path).ok().flatten();
            file.and_then(|bytes| decode(&bytes)).unwrap_or_default()
        })
    }
}

/// The bytes of these answers; `None` if they are too many to be of use.
pub(crate) fn encode(answers: &[(&TestimonyOf, &Testimony)]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    wire::put_count(&mut body, answers.len())?;
    for (of, found) in answers {
        [of.line, of.judges, of.revoked].iter().for_each(|hash| body.extend_from_slice(hash));
        match found {
            Testimony::Broken(why) => {
                body.push(0);
                wire::put_bytes(&mut body, why.as_bytes())?;
            }
            Testimony::Unknown(key, why) => {
                body.push(1);
                wire::put_bytes(&mut body, key.bytes())?;
                wire::put_bytes(&mut body, why.as_bytes())?;
            }
            Testimony::Known(signer) => {
                let Signer { principals, key } = &**signer;
                body.push(2);
                wire::put_bytes(&mut body, key.bytes())?;
                record::put_texts(&mut body, principals)?;
            }
        }
    }
    wire::seal(&MAGIC, &body)
}

/// The answers in these bytes; `None` unless all bytes are as [`encode`] writes them.
pub(crate) fn decode(bytes: &[u8]) -> Option<HashMap<TestimonyOf, Testimony>> {
    let mut cursor = Remaining::new(wire::open(&MAGIC, bytes)?);
    let answers = cursor.count()?;
    let known = (0..answers).map(|_| answer(&mut cursor)).collect::<Option<HashMap<_, _>>>()?;
    (cursor.is_at_end() && known.len() == answers).then_some(known)
}

fn answer(cursor: &mut Remaining<'_>) -> Option<(TestimonyOf, Testimony)> {
    let [line, judges, revoked] = *cursor.hashes(3)? else { return None };
    let found = match cursor.byte()? {
        0 => Testimony::Broken(cursor.text()?),
        1 => Testimony::Unknown(PublicKey::of_bytes(cursor.bytes()?), cursor.text()?),
        2 => {
            let key = PublicKey::of_bytes(cursor.bytes()?);
            Testimony::Known(Rc::new(Signer { principals: record::texts(cursor)?, key }))
        }
        _ => return None,
    };
    Some((TestimonyOf { line, judges, revoked }, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Vec<(TestimonyOf, Testimony)> {
        let key = PublicKey::of_bytes(b"key");
        let found = [
            Testimony::Broken("why".into()),
            Testimony::Unknown(key.clone(), "why".into()),
            Testimony::Known(Rc::new(Signer { principals: vec!["ann@x".into(), "*@x".into()], key })),
        ];
        let of = |number: u8| TestimonyOf { line: [number; 32], judges: [9; 32], revoked: [8; 32] };
        (1..).zip(found).map(|(number, found)| (of(number), found)).collect()
    }

    fn bytes() -> Vec<u8> {
        let answers = answers();
        encode(&answers.iter().map(|(of, found)| (of, found)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(decode(&bytes()).unwrap(), answers().into_iter().collect::<HashMap<_, _>>());
    }

    #[test]
    fn damaged_bytes_are_ignored() {
        wire::damaged(&bytes(), |bytes| decode(bytes).is_none());
    }
}
