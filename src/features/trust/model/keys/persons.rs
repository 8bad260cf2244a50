//! The persons behind keys: two keys or two names of one person must not count as two.

use super::judges::Judges;
use super::ssh::PublicKey;
use crate::features::trust::model::wildcard;
use std::collections::{BTreeSet, HashMap};

/// The names and keys of one person.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Person {
    /// Names, in lower case; patterns of the signer's own lines are among them.
    pub(crate) names: BTreeSet<String>,
}

impl Person {
    /// Whether an author with this address in lower case is this person.
    pub(crate) fn is(&self, address: &str) -> bool {
        self.names.iter().any(|name| wildcard::matches(name, address))
    }
}

/// Which names belong to one person: names that sign with one key, and names that one line of the judges lists. A pattern
/// makes no person, and neither does an authority of certificates.
#[derive(Default)]
pub(crate) struct Persons {
    /// The places of names and keys in `parents`.
    names: HashMap<String, usize>,
    keys: HashMap<PublicKey, usize>,
    /// Another name or key of the same person, found through [`root`]; itself where there is none.
    parents: Vec<usize>,
    /// The names of each person, by the root of the person.
    members: HashMap<usize, Vec<String>>,
}

impl Persons {
    /// The persons of these judges, with the names and keys of signatures: a certificate's own key is in no judge's line.
    pub(crate) fn of<'s>(judges: &Judges, signed: impl IntoIterator<Item = (&'s [String], &'s PublicKey)>) -> Self {
        let mut persons = Self::default();
        for line in &judges.lines {
            let key = Some(&line.key).filter(|_| !line.is_authority);
            persons.join(&line.principals, key);
        }
        for (names, key) in signed {
            persons.join(names, Some(key));
        }
        // one step from each place to its root: a file of keys could make the way as long as the file
        for at in 0..persons.parents.len() {
            persons.parents[at] = shortened(&mut persons.parents, at);
        }
        for (name, at) in &persons.names {
            persons.members.entry(root(&persons.parents, *at)).or_default().push(name.clone());
        }
        persons
    }

    /// Whether these persons know already that `names` sign with `key`, so that a signature by it makes no other persons.
    pub(crate) fn know(&self, names: &[String], key: &PublicKey) -> bool {
        let Some(person) = self.root_of(key) else { return false };
        literal(names).all(|name| self.names.get(&name).is_some_and(|at| root(&self.parents, *at) == person))
    }

    /// The person who signed as `names` with `key`.
    pub(crate) fn person(&self, names: &[String], key: &PublicKey) -> Person {
        let mut all: BTreeSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let known = self.root_of(key).and_then(|root| self.members.get(&root));
        all.extend(known.into_iter().flatten().cloned());
        Person { names: all }
    }

    fn root_of(&self, key: &PublicKey) -> Option<usize> {
        self.keys.get(key).map(|at| root(&self.parents, *at))
    }

    fn join(&mut self, names: &[String], key: Option<&PublicKey>) {
        let Self { names: places, keys, parents, .. } = self;
        let mut place = || {
            parents.push(parents.len());
            parents.len() - 1
        };
        let mut joined: Vec<usize> =
            literal(names).map(|name| *places.entry(name).or_insert_with(&mut place)).collect();
        joined.extend(key.map(|key| *keys.entry(key.clone()).or_insert_with(&mut place)));
        for pair in joined.windows(2) {
            let (one, other) = (shortened(parents, pair[0]), shortened(parents, pair[1]));
            parents[one] = other;
        }
    }
}

/// The place that stands for all names and keys of one person.
fn root(parents: &[usize], mut place: usize) -> usize {
    while parents[place] != place {
        place = parents[place];
    }
    place
}

/// The same; the way there is halved, or a file of keys could make it as long as the file.
fn shortened(parents: &mut [usize], mut place: usize) -> usize {
    while parents[place] != place {
        parents[place] = parents[parents[place]];
        place = parents[place];
    }
    place
}

/// The names in lower case that name one person each: a pattern names none, and one with `!` keeps others out.
fn literal(names: &[String]) -> impl Iterator<Item = String> {
    let names = names.iter().filter(|name| !wildcard::is_pattern(name) && !name.starts_with('!'));
    names.map(|name| name.to_lowercase())
}
