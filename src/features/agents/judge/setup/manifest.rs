//! What was inserted into the files of harnesses, so that `uninstall` can give back the bytes of before:
//! `<common dir>/yatsu/agents.json`, for a user `$XDG_STATE_HOME/yatsu-hook/agents.json`. A manifest that is lost or cannot
//! be read costs only that: then entries are recognised by their command.

use super::places::{HookScope, Surroundings};
use crate::error::{Error, Result};
use crate::features::agents::model::json_edit::Insertion;
use crate::store::lock::DIRECTORY;
use crate::store::replace_all::{FileChange, content};
use crate::tree::shared::SharedMode;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const NAME: &str = "agents.json";

/// What was done to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EditRecord {
    /// The file, absolute, its links followed.
    pub(super) path: String,
    /// Whether the installation created the file.
    pub(super) created: bool,
    /// How many of the folders above the file the installation created.
    pub(super) folders: usize,
    /// The sha256 of the content before.
    pub(super) before: String,
    /// The sha256 of the content after.
    pub(super) after: String,
    pub(super) inserted: Vec<Insertion>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct EditRecords {
    v: u32,
    /// How many of the folders above the manifest were created with it.
    folders: usize,
    files: Vec<EditRecord>,
}

/// The records of one scope.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    /// The bytes on disk.
    bytes: Option<Vec<u8>>,
    /// Whether the records differ from those on disk.
    is_changed: bool,
    folders: usize,
    records: Vec<EditRecord>,
}

impl Manifest {
    pub(super) fn read(scope: HookScope, around: &Surroundings) -> Result<Self> {
        let path = match scope {
            HookScope::Project => {
                let common = around.common.as_ref().ok_or_else(|| Error::fault("a project without a repository"))?;
                common.join(DIRECTORY).join(NAME)
            }
            HookScope::User => state_home(around)?.join("yatsu-hook").join(NAME),
        };
        let bytes = content(&path)?;
        let records = bytes.as_ref().and_then(|bytes| serde_json::from_slice::<EditRecords>(bytes).ok());
        let (folders, records) =
            records.filter(|known| known.v == 1).map_or_else(|| (0, Vec::new()), |known| (known.folders, known.files));
        Ok(Self { path, bytes, is_changed: false, folders, records })
    }

    pub(super) fn of(&self, path: &Path) -> Option<&EditRecord> {
        self.records.iter().find(|record| record.path == path.to_string_lossy())
    }

    /// Replaces the record of the file at `path`.
    pub(super) fn set(&mut self, path: &Path, record: Option<EditRecord>) {
        if self.of(path) != record.as_ref() {
            self.records.retain(|known| known.path != path.to_string_lossy());
            self.records.extend(record);
            self.is_changed = true;
        }
    }

    pub(super) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// The folders that go with the manifest, innermost first: none if it stays.
    pub(super) fn leaving(&self) -> Vec<PathBuf> {
        let count = if self.records.is_empty() { self.folders } else { 0 };
        self.path.ancestors().skip(1).take(count).map(Path::to_owned).collect()
    }

    /// The change of the manifest on disk. Without a record it goes.
    pub(super) fn change(self, shared: Option<SharedMode>) -> Result<FileChange> {
        let after = if self.records.is_empty() {
            None
        } else {
            let folders = if self.bytes.is_none() { missing_folders(&self.path) } else { self.folders };
            let text = serde_json::to_vec(&EditRecords { v: 1, folders, files: self.records });
            Some(text.map_err(|error| Error::fault(format!("the manifest cannot be written: {error}")))?)
        };
        Ok(FileChange { path: self.path, before: self.bytes, after, shared })
    }
}

fn state_home(around: &Surroundings) -> Result<PathBuf> {
    let named = around.var("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.map_or_else(|| Ok(around.home()?.join(".local/state")), Ok)
}

/// How many folders above `path` are missing.
pub(super) fn missing_folders(path: &Path) -> usize {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).count()
}

/// The sha256 of `bytes` in hex.
pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
