//! The form in which a session's memory keeps a name: a short hash, so that the file has no text of the repository.

use crate::model::ids::composed;
use crate::tree::path::RepoPath;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The first 8 bytes of a SHA-256, in JSON 16 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShortHash(pub(super) [u8; 8]);

impl ShortHash {
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let mut whole = Sha256::new();
        for part in parts {
            whole.update((part.len() as u64).to_be_bytes());
            whole.update(part);
        }
        let mut short = [0; 8];
        short.copy_from_slice(&whole.finalize()[..8]);
        Self(short)
    }

    pub(super) fn of_path(path: &RepoPath) -> Self {
        Self::of(&[path.as_bstr()])
    }

    pub(super) fn of_scenario(node: &RepoPath, name: &str) -> Self {
        Self::of(&[node.as_bstr(), composed(name).as_bytes()])
    }

    pub(super) fn hex(self) -> String {
        format!("{:016x}", u64::from_be_bytes(self.0))
    }
}

impl Serialize for ShortHash {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for ShortHash {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let number = u64::from_str_radix(&text, 16).map_err(serde::de::Error::custom)?;
        Ok(Self(number.to_be_bytes()))
    }
}
