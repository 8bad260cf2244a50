//! The files of harnesses on this machine: where they are, and whether they may be written.

use crate::error::{Error, Refusal, Result};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::harness::calls::MAX_SETTINGS;
use crate::store::replace_all::content;
use crate::sys;
use crate::text::spelled::spelled;
use crate::tree::shared::SharedMode;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

spelled! {
    /// Where entries are installed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HookScope {
        /// In the files of one project, which a team shares.
        Project = "project",
        /// In the files of one user, for every project.
        User = "user",
    }
}

/// The machine around an installation.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    /// The top of the work tree; `None` outside a repository.
    pub(crate) top: Option<PathBuf>,
    /// The common git directory; `None` outside a repository.
    pub(crate) common: Option<PathBuf>,
    /// The modes of a shared repository.
    pub(crate) shared: Option<SharedMode>,
    /// The absolute path of this program.
    pub(crate) program: PathBuf,
    /// Every environment variable.
    pub(crate) vars: Rc<[(OsString, OsString)]>,
}

impl Surroundings {
    /// A variable; an empty one is as unset.
    pub(in crate::features::agents::judge) fn var(&self, name: &str) -> Option<&OsString> {
        self.vars.iter().find(|(key, _)| key == name).map(|(_, value)| value).filter(|value| !value.is_empty())
    }

    pub(super) fn home(&self) -> Result<PathBuf> {
        self.var(sys::HOME).map(PathBuf::from).filter(|home| home.is_absolute()).ok_or_else(|| {
            Error::usage(format!("the home directory is not known: {} is not set to an absolute path", sys::HOME))
                .hint(format!("set {}, or install for one project: yatsu-hook agent install --project", sys::HOME))
        })
    }

    pub(super) fn top(&self) -> Result<&Path> {
        self.top.as_deref().ok_or_else(|| {
            Error::usage("a bare repository has no work tree for the files of a harness")
                .hint("run it in a clone with a work tree, or for every project: yatsu-hook agent install --user")
        })
    }
}

/// A file in which a harness keeps its hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookFile {
    pub(crate) harness: Harness,
    pub(crate) scope: HookScope,
    /// Its path as the harness spells it, absolute.
    pub(super) path: PathBuf,
    /// The folder that it must not leave through a link.
    root: PathBuf,
    /// Its path in messages: in a project relative to the top.
    pub(crate) shown: String,
}

impl HookFile {
    pub(crate) fn of(harness: Harness, scope: HookScope, around: &Surroundings) -> Result<Self> {
        let settings = harness.settings();
        let (root, path) = match scope {
            HookScope::Project => (around.top()?.to_owned(), around.top()?.join(settings.file)),
            HookScope::User => {
                let own = settings.variable.and_then(|name| around.var(name)).map(PathBuf::from);
                let root = own.clone().map_or_else(|| around.home(), Ok)?;
                (root.clone(), own.unwrap_or_else(|| root.join(settings.home)).join(settings.user_file))
            }
        };
        // one spelling, whether the file is there or not: the manifest knows it by this path
        let path = sys::spelled(path);
        let shown = match scope {
            HookScope::Project => settings.file.to_owned(),
            HookScope::User => path.display().to_string(),
        };
        Ok(Self { harness, scope, path, root, shown })
    }

    /// Another file beside this one, for example `config.toml`, or above, for example `../settings.json`. Folders on the way
    /// need not exist.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        let name_alone = name.trim_start_matches("../");
        let above = (name.len() - name_alone.len()) / "../".len();
        self.path.ancestors().nth(above + 1).unwrap_or(&self.path).join(name_alone)
    }

    /// Whether the folder is there that shows that the harness is used.
    pub(crate) fn is_used(&self, around: &Surroundings) -> bool {
        let settings = self.harness.settings();
        match self.scope {
            HookScope::Project => around.top.as_ref().is_some_and(|top| top.join(settings.folder).is_dir()),
            HookScope::User => {
                let levels = Path::new(settings.user_file).components().count();
                self.path.ancestors().nth(levels).is_some_and(Path::is_dir)
            }
        }
    }

    /// The path with its links followed.
    ///
    /// # Errors
    /// Refused if a link leads out of the project, or of home, or nowhere.
    pub(super) fn real(&self) -> Result<PathBuf> {
        let (real, root) = (real(&self.path), real(&self.root));
        match (real, root) {
            (Some(real), Some(root)) if real.starts_with(&root) => Ok(real),
            _ => Err(Error::refused(format!(
                "{} is or lies behind a symbolic link that leads out of {} or nowhere; no file was changed",
                self.shown,
                self.root.display()
            ))
            .because(Refusal::Invalid)
            .hint("put the real file there, or leave this harness out: --for NAME,NAME")),
        }
    }

    /// Its content; `None` if it is not there.
    ///
    /// # Errors
    /// Refused if it is no file, or too large to be settings; unchecked if it cannot be read.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>> {
        let refuse = |what: String| {
            Err(Error::refused(format!("{} {what}; no file was changed", self.shown))
                .because(Refusal::Invalid)
                .hint("put a file of settings there, or leave this harness out: --for NAME,NAME"))
        };
        match fs::metadata(&self.path) {
            Ok(about) if !about.is_file() => return refuse("is no file".to_owned()),
            Ok(about) if about.len() > MAX_SETTINGS as u64 => {
                return refuse(format!("is larger than {MAX_SETTINGS} bytes"));
            }
            _ => {}
        }
        content(&self.path)
    }
}

/// The path with its links followed as far as it exists; `None` if a link leads nowhere.
fn real(path: &Path) -> Option<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(_) => sys::canonical(path).ok(),
        Err(_) => Some(sys::spelled(real(path.parent()?)?.join(path.file_name()?))),
    }
}
