//! Finds and starts `yatsu-hook-cloud`, beside our own program or in an absolute entry of `PATH`. Nothing in a repository
//! can name another program. It gets the user's environment, which holds its credentials.

use super::session::CloudPipes;
use crate::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program's file name.
const NAME: &str = "yatsu-hook-cloud";

/// The program that talks to object storage.
#[derive(Clone, Debug)]
pub struct CloudProgram {
    path: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl CloudProgram {
    /// Looks in the directory of `ours`, our own program, and then in the absolute entries of `PATH` in `environment`. The
    /// program will get this whole environment.
    ///
    /// # Errors
    /// Unchecked if it is not installed.
    pub fn locate(ours: Option<&Path>, environment: Vec<(OsString, OsString)>) -> Result<Self> {
        let beside = ours.filter(|ours| ours.is_absolute()).and_then(Path::parent).map(Path::to_owned);
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_bytes());
        let entries = path.unwrap_or_default().split(|byte| *byte == b':');
        let entries = entries.map(|entry| PathBuf::from(OsStr::from_bytes(entry))).filter(|entry| entry.is_absolute());
        let found = beside.into_iter().chain(entries).map(|dir| dir.join(NAME)).find(|file| can_run(file));
        let path = found.ok_or_else(|| {
            Error::unchecked(format!("{NAME}, the program that talks to object storage, is not installed")).hint(
                "in the checkout of yatsu-hook: \
                 `cargo install --locked --path . --features cloud --bin yatsu-hook-cloud`",
            )
        })?;
        Ok(Self { path, environment })
    }

    /// Starts the program.
    ///
    /// # Errors
    /// Unchecked if the system refuses.
    pub(super) fn start(&self) -> Result<CloudPipes> {
        let cannot = |why: &str| {
            Error::unchecked(format!("{} cannot be started: {why}", self.path.display()))
                .hint("look whether it is the right program for this machine, and whether you may run it")
        };
        let mut command = Command::new(&self.path);
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| cannot(&error.to_string()))?;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(questions), Some(answers), Some(complaints)) => Ok(CloudPipes {
                questions: Box::new(questions),
                answers: Box::new(answers),
                complaints: Box::new(complaints),
                child: Some(child),
            }),
            _ => Err(cannot("it has no pipes")),
        }
    }
}

fn can_run(file: &Path) -> bool {
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}
