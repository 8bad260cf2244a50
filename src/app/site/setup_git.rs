//! The git program, as commands that change configuration ask it.

use crate::error::Result;

/// The git program, as installing needs it.
///
/// It must run in the directory that the user named and must **not** override `core.hooksPath`: where hooks really lie is the question.
pub trait SetupGit {
    /// Runs git with `args` and returns its standard output. Fails unless git exits 0, with git's words in the message.
    fn run(&self, args: &[&str]) -> Result<Vec<u8>>;
}

impl SetupGit for crate::repo::program::Git {
    fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        self.as_user(args)
    }
}
