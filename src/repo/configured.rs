//! git's configuration as this process finds it, read once: the settings for connections, and the user's name.

use super::Repo;
use super::program::network::NetworkDoor;
use super::program::{GitConfig, ScopedConfig};
use crate::error::Result;
use crate::sys;
use bstr::ByteSlice;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

#[derive(Default)]
pub(super) struct ConfigReads {
    scoped: OnceCell<ScopedConfig>,
    /// The configuration from a git that cannot report scopes.
    plain: OnceCell<GitConfig>,
}

impl Repo {
    /// git's whole configuration, as it was when this process first asked for it.
    pub(crate) fn config(&self) -> Result<&GitConfig> {
        if let Ok(configured) = self.scoped() {
            return Ok(&configured.whole);
        }
        // a git before 2.26 cannot report the file of a value, and only connections need that
        if let Some(known) = self.configured.plain.get() {
            return Ok(known);
        }
        let read = self.config_now()?;
        Ok(self.configured.plain.get_or_init(|| read))
    }

    /// The configuration as it is now, for a caller that changed it.
    pub(crate) fn config_now(&self) -> Result<GitConfig> {
        self.program("its configuration")?.config()
    }

    /// Whether git is configured with a remote.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    pub(crate) fn has_remote(&self) -> Result<bool> {
        Ok(!self.config()?.subsections("remote", &["url"]).is_empty())
    }

    fn scoped(&self) -> Result<&ScopedConfig> {
        if let Some(known) = self.configured.scoped.get() {
            return Ok(known);
        }
        let read = self.program("its configuration")?.scoped_config()?;
        Ok(self.configured.scoped.get_or_init(|| read))
    }

    /// The git program with transports, for the configured remote `remote`, working in this program's bare repository in
    /// `git_dir`. `terminal`: whether git may ask the user for a password.
    pub fn network(&self, git_dir: &Path, remote: &str, terminal: bool) -> Result<NetworkDoor> {
        let config = self.scoped()?;
        let dir = self.work_dir.as_ref().unwrap_or(&self.git_dir);
        NetworkDoor::open(&self.env.all, dir, config, git_dir, remote, terminal)
    }

    /// The user's directory for temporary files.
    pub(crate) fn temporary_dir(&self) -> PathBuf {
        let (variable, otherwise) = sys::TEMPORARY;
        let named = self.env.all.iter().find(|(name, _)| name == variable).map(|(_, value)| PathBuf::from(value));
        named.filter(|dir| dir.is_absolute()).unwrap_or_else(|| PathBuf::from(otherwise))
    }

    /// The author's name: `GIT_AUTHOR_NAME`, else `author.name`, else `user.name`, else git's guess from the account. `None`
    /// if git has no name, or if the name is empty after git's cleaning. Only the guess needs a run of `git var`.
    ///
    /// # Errors
    /// When git's configuration cannot be read.
    pub(crate) fn author_name(&self) -> Result<Option<String>> {
        // for git the empty variable is a name, and an invalid one: the configuration does not count then
        if let Some(name) = self.env.author_name() {
            return Ok(cleaned(name));
        }
        let config = self.config()?;
        let configured = ["author.name", "user.name"].map(|key| config.get(key));
        if let Some(name) = configured.iter().flatten().find(|name| !name.is_empty()) {
            return Ok(cleaned(name));
        }
        let is_given = configured.iter().any(Option::is_some);
        if is_given || config.boolean("user.useconfigonly")? == Some(true) {
            return Ok(None);
        }
        let ident = self.program("who the user is")?.author_ident()?;
        Ok(ident.and_then(|ident| cleaned(ident.rsplit_once_str(" <")?.0)))
    }
}

/// The name as git cleans it: without `<`, `>` and line ends, and without punctuation at both ends.
fn cleaned(name: &[u8]) -> Option<String> {
    let is_crud = |byte: &u8| *byte <= b' ' || b",:;<>\"\\'".contains(byte);
    let start = name.iter().position(|byte| !is_crud(byte))?;
    let end = name.iter().rposition(|byte| !is_crud(byte))?;
    let kept: Vec<u8> = name[start..=end].iter().copied().filter(|byte| !b"\n<>".contains(byte)).collect();
    Some(String::from_utf8_lossy(&kept).into_owned())
}
