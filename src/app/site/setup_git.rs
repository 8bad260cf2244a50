//! The git program, as commands that change configuration ask it.

use crate::error::Result;

/// The git program for an installation.
///
/// It must run in [`InstallRequest::here`] and must **not** override `core.hooksPath`, because the setup asks for the real
/// place of the hooks.
pub trait SetupGit {
    /// Runs git with `args` and returns its standard output. Fails unless git exits 0, with git's message in the error.
    fn run(&self, args: &[&str]) -> Result<Vec<u8>>;
}

impl SetupGit for crate::repo::program::Git {
    fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        self.as_user(args)
    }
}
