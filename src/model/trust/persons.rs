//! The persons behind keys: two keys or two names of one person must not count as two.

use super::judges::Judges;
use super::ssh::PublicKey;
use crate::text::wildcard;
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
pub(crate) struct Persons {
    /// The group of each name and key, found through [`Self::root`].
    parents: HashMap<Identity, Identity>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Identity {
    Name(String),
    Key(PublicKey),
}

impl Persons {
    /// The persons of these judges, with the names and keys of signatures: a certificate's own key is in no judge's line.
    pub(crate) fn of<'s>(judges: &Judges, signed: impl IntoIterator<Item = (&'s [String], &'s PublicKey)>) -> Self {
        let mut persons = Self { parents: HashMap::new() };
        for line in &judges.lines {
            let key = Some(&line.key).filter(|_| !line.is_authority);
            persons.join(&line.principals, key);
        }
        for (names, key) in signed {
            persons.join(names, Some(key));
        }
        persons
    }

    /// Whether these persons know already that `names` sign with `key`, so that a signature by it makes no other persons.
    pub(crate) fn know(&self, names: &[String], key: &PublicKey) -> bool {
        let key = Identity::Key(key.clone());
        let root = self.root(key.clone());
        let mut literal = names.iter().filter(|name| is_literal(name)).map(|name| Identity::Name(name.to_lowercase()));
        self.parents.contains_key(&key) && literal.all(|name| self.root(name) == root)
    }

    /// The person who signed as `names` with `key`.
    pub(crate) fn person(&self, names: &[String], key: &PublicKey) -> Person {
        let root = self.root(Identity::Key(key.clone()));
        let known = self.parents.keys().filter(|node| self.root((*node).clone()) == root);
        let mut all: BTreeSet<String> =
            known.filter_map(|node| if let Identity::Name(name) = node { Some(name.clone()) } else { None }).collect();
        all.extend(names.iter().map(|name| name.to_lowercase()));
        Person { names: all }
    }

    fn join(&mut self, names: &[String], key: Option<&PublicKey>) {
        let literal = names.iter().filter(|name| is_literal(name));
        let nodes = literal.map(|name| Identity::Name(name.to_lowercase())).chain(key.cloned().map(Identity::Key));
        let mut first: Option<Identity> = None;
        for node in nodes {
            self.parents.entry(node.clone()).or_insert_with(|| node.clone());
            match &first {
                None => first = Some(node),
                Some(first) => {
                    let (one, other) = (self.root(first.clone()), self.root(node));
                    self.parents.insert(one, other);
                }
            }
        }
    }

    fn root(&self, mut node: Identity) -> Identity {
        while let Some(parent) = self.parents.get(&node).filter(|parent| **parent != node) {
            node = parent.clone();
        }
        node
    }
}

/// Whether a name in a line of the judges names one person: a pattern makes none, and one with `!` keeps others out.
fn is_literal(name: &str) -> bool {
    !wildcard::is_pattern(name) && !name.starts_with('!')
}
