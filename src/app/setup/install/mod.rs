//! Installs and uninstalls the gate in a repository. Input: an [`InstallRequest`] and git's setup. Output: an
//! [`InstallPlan`], which [`apply`] carries out. `--dry-run` prints the plan and stops. Only this code and `store` write
//! files.
//!
//! Guarantees: a second install or uninstall changes nothing. An existing hook continues to work, and uninstall restores it
//! byte for byte with its mode. Only files with our marker are removed. No file that git tracks is written, and no file in a
//! hook directory that git tracks.

pub mod git;
pub mod shim;

mod callers;
mod chosen;
mod config_hooks;
mod framework_file;
mod hook_file;
pub(super) mod merge_driver;
mod plan;

use crate::app::site::setup_git::{GitScope, SetupGit};
use crate::error::{Error, Result};
use crate::report::view::{InstallReceipt, InstallVerb};
use crate::sys;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

pub(super) use callers::{Owner, WaitingFramework, caller, framework};
pub(super) use chosen::of as chosen;
pub(super) use config_hooks::{any_in as is_configured, command as configured, is_older, switched_off};
pub(crate) use hook_file::is_executable;
pub(super) use hook_file::{calls, is_blank, kept_path, run_aside};
pub use plan::{install, uninstall};
pub(super) use plan::{own_hooks_command, waiting};
pub use shim::HookEvent;

/// Whether to set up the merge driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverWish {
    /// Do not touch it.
    Leave,
    /// In every work tree, unless the repository already configures how ledgers merge.
    Usual,
    /// In any case, whatever the repository configures.
    Asked,
}

/// The user's request.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// The user's current directory, absolute; git runs there.
    pub here: PathBuf,
    /// The absolute path of the program; it is written into the hooks.
    pub program: PathBuf,
    /// The hooks to install; `None` means all usual ones for this kind of repository.
    pub events: Option<Vec<HookEvent>>,
    /// Whether to set up the merge driver for ledgers.
    pub merge_driver: DriverWish,
    /// Whether to install for every repository of the user, in the user's git configuration.
    pub global: bool,
}

/// One change of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallStep {
    /// Keep the existing hook under another name.
    Keep {
        /// The existing hook file.
        hook: PathBuf,
        /// Its new name.
        kept: PathBuf,
    },
    /// Write a whole file in one rename.
    Write {
        /// The file, replaced in one rename.
        path: PathBuf,
        /// The whole new content.
        content: Vec<u8>,
        /// Its permission bits.
        mode: u32,
    },
    /// Put the kept hook back in place of the program's hook.
    Restore {
        /// The path of the kept hook.
        kept: PathBuf,
        /// The original path.
        hook: PathBuf,
    },
    /// Remove a file that the program wrote.
    Remove(PathBuf),
    /// Change git's configuration, for example `git config --local --unset-all hook.yatsu-hook.event`.
    Config {
        /// The configuration file.
        scope: GitScope,
        /// The option of `git config` for the change.
        action: &'static str,
        /// The key as git spells it, with dots: `hook.yatsu-hook.command`; for `--remove-section` the section.
        key: String,
        /// The value as git will read it, unquoted; `None` if the key goes.
        value: Option<String>,
    },
}

/// The option that gives a key one value in place of all of its values.
const SET: &str = "--replace-all";

impl InstallStep {
    /// Gives a key of git's configuration this one value.
    fn set(scope: GitScope, key: &str, value: String) -> Self {
        Self::Config { scope, action: SET, key: key.to_owned(), value: Some(value) }
    }

    /// Removes a key with all of its values (`--unset-all`), or a section (`--remove-section`).
    fn remove(scope: GitScope, action: &'static str, key: &str) -> Self {
        Self::Config { scope, action, key: key.to_owned(), value: None }
    }
}

impl fmt::Display for InstallStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keep { hook, kept } => write!(f, "keep {} as {}", hook.display(), kept.display()),
            Self::Write { path, .. } => write!(f, "write {}", path.display()),
            Self::Restore { kept, hook } => write!(f, "put {} back as {}", kept.display(), hook.display()),
            Self::Remove(path) => write!(f, "remove {}", path.display()),
            Self::Config { scope, action, key, value } => {
                let action = if *action == SET { String::new() } else { format!("{action} ") };
                let value = value.as_ref().map(|value| format!(" {}", shim::quote(value))).unwrap_or_default();
                write!(f, "git config {} {action}{key}{value}", scope.flag())
            }
        }
    }
}

/// The changes in order, and notes for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallPlan {
    /// The changes; empty if everything is already installed.
    pub steps: Vec<InstallStep>,
    /// Sentences for the user, unescaped.
    pub notes: Vec<String>,
}

impl InstallPlan {
    /// The summary of the plan for a person.
    pub(crate) fn receipt(&self, verb: InstallVerb, dry_run: bool) -> InstallReceipt {
        let steps = self.steps.iter().map(ToString::to_string).collect();
        InstallReceipt {
            verb,
            dry_run,
            steps,
            notes: self.notes.clone(),
            verdict: None,
            uncommitted: 0,
            is_unguarded: false,
        }
    }
}

/// Carries out `plan`. Stops at the first failing change and names it; a second run continues there.
pub fn apply(git: &dyn SetupGit, plan: &InstallPlan) -> Result<()> {
    plan.steps.iter().try_for_each(|step| apply_step(git, step))
}

fn apply_step(git: &dyn SetupGit, step: &InstallStep) -> Result<()> {
    match step {
        InstallStep::Keep { hook, kept } => keep(hook, kept).map_err(|error| unwritable(step, hook, &error)),
        InstallStep::Write { path, content, mode } => {
            write_atomic(path, content, *mode).map_err(|error| unwritable(step, path, &error))
        }
        InstallStep::Restore { kept, hook } => fs::rename(kept, hook).map_err(|error| unwritable(step, hook, &error)),
        InstallStep::Remove(path) => fs::remove_file(path).map_err(|error| unwritable(step, path, &error)),
        InstallStep::Config { scope, action, key, value } => {
            config(git, &[&*scope.flag(), *action, key], value.as_deref())
        }
    }
}

fn config(git: &dyn SetupGit, args: &[&str], value: Option<&str>) -> Result<()> {
    git.run(&[&["config"], args, value.as_slice()].concat()).map(drop).map_err(|error| {
        Error::refused(format!("git's configuration cannot be changed: {}", error.message)).hint(
            "check who owns the configuration file and its directory, whether a .lock file was left there, and \
             whether the disk is full",
        )
    })
}

/// Gives the hook a second name, so that it never disappears: the new hook then replaces the first name in one rename.
/// Without hard links in the file system, the hook is renamed.
fn keep(hook: &Path, kept: &Path) -> io::Result<()> {
    fs::hard_link(hook, kept).or_else(|_| fs::rename(hook, kept))
}

fn write_atomic(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(dir)?;
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".yatsu-{}", std::process::id()));
    let temporary = PathBuf::from(name);
    let written = write_new(&temporary, content, mode).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The error of the write is reported, not a failed removal of the temporary file.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    sys::set_mode(&file, mode)?;
    file.sync_all()
}

fn unwritable(step: &InstallStep, path: &Path, error: &io::Error) -> Error {
    let dir = path.parent().unwrap_or(path).display();
    Error::refused(format!("cannot {step}: {error}"))
        .hint(format!("make {dir} a directory that you may write to, then run the same command again"))
}
