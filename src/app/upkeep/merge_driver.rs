//! `merge-ledger`, git's merge driver for ledgers. Input: three files. The merged ledger replaces the local file. The
//! merge itself is [`crate::engine::merge`]; this module reads and writes the files.

use crate::engine::merge;
use crate::engine::merge::Merged;
use crate::error::{Error, Refusal, Result};
use crate::names;
use crate::store::atomic;
use crate::store::folder::Folder;
use crate::sys;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The arguments that git passes to a merge driver, paths absolute.
#[derive(Clone, Debug)]
pub(crate) struct MergeRequest {
    /// `%O`: the file of the base; empty if the ledger is new on both sides.
    pub base: PathBuf,
    /// `%A`: the file of the local side; the result replaces it in one rename.
    pub ours: PathBuf,
    /// `%B`: the file of the other side.
    pub theirs: PathBuf,
    /// `%P`: the path of the ledger, for messages.
    pub ledger: String,
}

/// Merges the other side into the local file, which git takes as the result.
///
/// # Errors
/// Refused if the other side lost a line of the base; the local file then has ordinary conflict markers. Unchecked when
/// a file cannot be read or written; the local file is then unchanged.
pub(crate) fn merge(request: &MergeRequest) -> Result<()> {
    if !names::is_merged_as_ledger(request.ledger.rsplit('/').next().unwrap_or_default().as_bytes()) {
        let [wide, narrow] = names::LEDGER_PATTERNS;
        return Err(Error::usage(format!("{} is no ledger", request.ledger))
            .hint(format!("the driver is for `{wide}` and `{narrow}` alone: yatsu-hook install --merge-driver")));
    }
    let (base, ours, theirs) = (read(&request.base)?, read(&request.ours)?, read(&request.theirs)?);
    match merge::merge(&base, &ours, &theirs) {
        Merged::Clean(bytes) => put(&request.ours, &bytes),
        Merged::Refused(bytes) => {
            put(&request.ours, &bytes)?;
            Err(refusal(&request.ledger))
        }
    }
}

fn refusal(ledger: &str) -> Error {
    Error::refused(format!("{ledger}: the other side edited or removed lines that both sides started from"))
        .because(Refusal::Invalid)
        .argv(["repair"])
        .hint("`yatsu-hook repair` keeps every line of both sides; then git add the ledger")
        .hint("to withdraw a reading, append a retraction: yatsu-hook retract NODE/SCENARIO")
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| {
        Error::unchecked(format!("cannot read {}: {error}", path.display()))
            .hint("git runs this as a merge driver: yatsu-hook install --merge-driver")
    })
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::usage(format!("{} is no file", path.display()))
            .hint("git runs this as a merge driver: yatsu-hook install --merge-driver"));
    };
    let mode = fs::metadata(path).map_or(0o600, |about| sys::rights(&about));
    atomic::replace_keeping(&Arc::new(Folder::open(dir)?), name, bytes, mode)
}
