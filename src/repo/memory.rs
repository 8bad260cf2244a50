//! An object database in memory, for tests.
#![allow(clippy::unwrap_used)] // helpers of tests

use super::native::objects::{Object, ObjectKind, ObjectStore};
use crate::error::Result;
use crate::tree::oid::Oid;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Objects by id; equal content has equal ids.
#[derive(Default)]
pub(super) struct Memory(pub(super) HashMap<Oid, Object>);

impl ObjectStore for Memory {
    fn read(&self, id: &Oid) -> Result<Option<Object>> {
        Ok(self.0.get(id).cloned())
    }

    fn header(&self, id: &Oid) -> Result<Option<(ObjectKind, u64)>> {
        Ok(self.0.get(id).map(|object| (object.kind, object.data.len() as u64)))
    }
}

impl Memory {
    pub(super) fn put(&mut self, kind: ObjectKind, data: &[u8]) -> Oid {
        let hash = Sha256::new().chain_update([kind as u8]).chain_update(data).finalize();
        let id = Oid::from_bytes(&hash[..20]).unwrap();
        self.0.insert(id, Object { kind, data: data.to_vec() });
        id
    }

    pub(super) fn tree(&mut self, entries: &[(&str, &str, Oid)]) -> Oid {
        let entry =
            |(mode, name, id): &(&str, &str, Oid)| [format!("{mode} {name}\0").as_bytes(), id.as_bytes()].concat();
        self.put(ObjectKind::Tree, &entries.iter().flat_map(entry).collect::<Vec<_>>())
    }

    pub(super) fn commit(&mut self, tree: Oid, parents: &[Oid]) -> Oid {
        self.commit_at(0, tree, parents)
    }

    pub(super) fn commit_at(&mut self, date: i64, tree: Oid, parents: &[Oid]) -> Oid {
        let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
        let people = format!("author A <a> 0 +0000\ncommitter C <c> {date} +0000");
        self.put(ObjectKind::Commit, format!("tree {tree}\n{parents}{people}\n\nm\n").as_bytes())
    }

    pub(super) fn tag(&mut self, target: Oid) -> Oid {
        self.put(ObjectKind::Tag, format!("object {target}\ntype any\n").as_bytes())
    }

    pub(super) fn file(&mut self, number: u8) -> Oid {
        self.put(ObjectKind::Blob, &[number])
    }
}
