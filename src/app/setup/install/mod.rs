//! Wiring the gate into a repository, and taking it out again. An [`InstallRequest`] and what git says in, an [`InstallPlan`] out, which
//! [`apply`] then carries out: `--dry-run` prints the plan and stops. The only code beside `store` that writes files.
//!
//! Guarantees: a second install or uninstall changes nothing; a hook that was there first goes on working and comes back
//! byte for byte with its mode; only what carries our marker is removed; nothing tracked is written unless
//! `core.hooksPath` says that hooks live in the work tree, and then the plan says so.

pub mod git;
pub mod shim;

mod chosen;
mod config_hooks;
mod hook_file;
mod husky;
mod merge_driver;
mod plan;

use crate::app::site::setup_git::SetupGit;
use crate::error::{Error, Result};
use crate::report::view::{InstallReceipt, InstallVerb};
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub(super) use chosen::of as chosen;
pub(super) use config_hooks::{any as is_configured, covers as configured, is_switched_off, switch_on};
pub(super) use hook_file::{calls_us, is_blank, is_executable, kept_path, run_aside};
pub(super) use husky::manages as run_by_husky;
pub use plan::{install, uninstall};
pub(super) use plan::{is_outside, own_hooks_command};
pub use shim::HookEvent;

/// Whether the merge driver is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverWish {
    /// It is left as it is.
    Leave,
    /// Wherever there is a work tree, unless the repository says otherwise how ledgers merge.
    Usual,
    /// Whatever the repository says.
    Asked,
}

/// What the user asked to be installed.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// The directory in which the user stands and git runs, absolute.
    pub here: PathBuf,
    /// The program to be run by the hooks, absolute; it is written into them.
    pub program: PathBuf,
    /// The hooks to wire; `None` means all that such a repository has.
    pub events: Option<Vec<HookEvent>>,
    /// Whether to set up the merge driver for ledgers.
    pub merge_driver: DriverWish,
    /// For every repository of the user, through the user's configuration.
    pub global: bool,
}

/// Which configuration file of git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitScope {
    /// The repository's.
    Local,
    /// The user's.
    Global,
}

impl GitScope {
    fn flag(self) -> &'static str {
        match self {
            Self::Local => "--local",
            Self::Global => "--global",
        }
    }
}

/// One change to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallStep {
    /// Keep the hook that was there first under another name.
    Keep {
        /// The hook file that was there first.
        hook: PathBuf,
        /// Its new name.
        kept: PathBuf,
    },
    /// Write a file whole, in one rename.
    Write {
        /// The file, replaced in one rename.
        path: PathBuf,
        /// The whole content that it will have.
        content: Vec<u8>,
        /// Its permission bits.
        mode: u32,
    },
    /// Put the kept hook back in place of ours.
    Restore {
        /// Where it is kept.
        kept: PathBuf,
        /// Where it belongs.
        hook: PathBuf,
    },
    /// Remove a file of ours.
    Remove(PathBuf),
    /// Give a key of git's configuration this one value.
    Set {
        /// In which file.
        scope: GitScope,
        /// The key as git spells it, with dots: `hook.yatsu-hook.command`.
        key: String,
        /// The value as git will read it, unquoted.
        value: String,
    },
    /// Give a key of git's configuration one more value.
    Add {
        /// In which file.
        scope: GitScope,
        /// The key as git spells it, with dots: `hook.yatsu-hook.command`.
        key: String,
        /// The value as git will read it, unquoted.
        value: String,
    },
    /// Remove every value of a key.
    Unset {
        /// In which file.
        scope: GitScope,
        /// The key as git spells it, with dots: `hook.yatsu-hook.command`.
        key: String,
    },
    /// Remove a section of git's configuration.
    RemoveSection {
        /// In which file.
        scope: GitScope,
        /// The section as git spells it, with dots: `hook.yatsu-hook`.
        section: String,
    },
}

impl fmt::Display for InstallStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keep { hook, kept } => write!(f, "keep {} as {}", hook.display(), kept.display()),
            Self::Write { path, .. } => write!(f, "write {}", path.display()),
            Self::Restore { kept, hook } => write!(f, "put {} back as {}", kept.display(), hook.display()),
            Self::Remove(path) => write!(f, "remove {}", path.display()),
            Self::Set { scope, key, value } => write!(f, "git config {} {key} {}", scope.flag(), shim::quote(value)),
            Self::Add { scope, key, value } => {
                write!(f, "git config {} --add {key} {}", scope.flag(), shim::quote(value))
            }
            Self::Unset { scope, key } => write!(f, "git config {} --unset-all {key}", scope.flag()),
            Self::RemoveSection { scope, section } => {
                write!(f, "git config {} --remove-section {section}", scope.flag())
            }
        }
    }
}

/// What will be done, in order, and what the user should know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallPlan {
    /// The changes; empty when everything is as it should be.
    pub steps: Vec<InstallStep>,
    /// Sentences for the user, unescaped.
    pub notes: Vec<String>,
}

impl InstallPlan {
    /// What a person is told about it.
    pub(crate) fn receipt(&self, verb: InstallVerb, dry_run: bool) -> InstallReceipt {
        let steps = self.steps.iter().map(ToString::to_string).collect();
        InstallReceipt { verb, dry_run, steps, notes: self.notes.clone(), verdict: None, uncommitted: 0 }
    }
}

/// Carries out `plan`. Stops at the first change that fails and names it; running it again goes on from there.
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
        InstallStep::Set { scope, key, value } => config(git, *scope, &["--replace-all", key, value]),
        InstallStep::Add { scope, key, value } => config(git, *scope, &["--add", key, value]),
        InstallStep::Unset { scope, key } => config(git, *scope, &["--unset-all", key]),
        InstallStep::RemoveSection { scope, section } => config(git, *scope, &["--remove-section", section]),
    }
}

fn config(git: &dyn SetupGit, scope: GitScope, args: &[&str]) -> Result<()> {
    let args = [&["config", scope.flag()], args].concat();
    git.run(&args).map(drop).map_err(|error| {
        Error::refused(format!("git's configuration cannot be changed: {}", error.message)).hint(
            "check who owns the configuration file and its directory, whether a .lock file was left there, and \
             whether the disk is full",
        )
    })
}

/// Gives the hook a second name, so that it is never gone: ours then replaces the first name in one rename. Where the
/// file system has no hard links it is renamed.
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
        // Whatever stopped the write is what the user must hear about, not a leftover that is not there.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()
}

fn unwritable(step: &InstallStep, path: &Path, error: &io::Error) -> Error {
    let dir = path.parent().unwrap_or(path).display();
    Error::refused(format!("cannot {step}: {error}"))
        .hint(format!("make {dir} a directory that you may write to, then run the same command again"))
}
