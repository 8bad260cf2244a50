//! The one door to the git program.
//!
//! Placeholder until the guarded runner (absolute path, time and output caps, every `GIT_*` decision) lands: it has the
//! signature that `app::install` needs and nothing else.

use crate::error::{Error, Result};
use std::path::PathBuf;
use std::process::Command;

/// The git program, run in one directory.
pub struct Git {
    dir: PathBuf,
}

impl Git {
    /// git as found in `PATH`, to be run in `dir`.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Runs git with `args` and returns what it printed. Fails unless it exits 0, with git's own words.
    pub fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        let output = Command::new("git")
            .current_dir(&self.dir)
            .args(args)
            .output()
            .map_err(|error| Error::unchecked(format!("git cannot be run: {error}")).hint("install git"))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Error::unchecked(format!("git {} failed: {}", args.join(" "), said.trim_end())))
    }
}
