//! Reads every run log of a view at once.

use super::{Content, content, held};
use crate::engine::graph::run_log::RunLogText;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::runlog::profile::Profile;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::borrow::Cow;

/// A run log of a whole state, with its bytes.
pub(crate) struct ReadLog {
    path: RepoPath,
    bytes: Vec<u8>,
    profile: Cow<'static, Profile>,
}

impl ReadLog {
    /// The text and the kind of the log.
    pub(crate) fn text(&self) -> RunLogText<'_> {
        RunLogText { path: &self.path, bytes: &self.bytes, profile: &self.profile }
    }
}

/// Every run log of `view`.
///
/// # Errors
/// When one of them cannot be read.
pub(crate) fn read(view: &dyn Tree, config: &Config) -> Result<Vec<ReadLog>> {
    let mut found = Vec::new();
    for log in held(view, config)? {
        if let Some(Content::Bytes(bytes)) = content(view, &log.path)? {
            found.push(ReadLog { path: log.path, bytes, profile: log.profile });
        }
    }
    Ok(found)
}
