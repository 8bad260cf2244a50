//! git's configuration as this process finds it, read once, and the settings for connections.

use super::Repo;
use super::program::network::NetworkDoor;
use super::program::{GitConfig, ScopedConfig};
use crate::error::Result;
use std::cell::OnceCell;
use std::path::Path;

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
}
