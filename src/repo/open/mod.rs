//! Opens a repository: environment and current directory in, a [`Repo`] out. It decides before anything is read whether the
//! native readers are right for it, or the git program is needed.

pub(crate) mod discover;
pub mod env;
pub(crate) mod format;

use super::configured::ConfigReads;
use super::native::objects::{Git2Store, ObjectStore};
use super::native::refs::Refs;
use super::native::trees::Trees;
use super::program::{Git, ProgramStore};
use super::views::CommitHistory;
use super::{Backend, Repo};
use crate::error::{Error, Result};
use crate::text::shell;
use crate::tree::oid::HashKind;
use discover::{Layout, discover};
use env::Env;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The git program for the repository that `env` and `cwd` lead to. `reason` says why it is needed; it ends the sentence
/// "this repository cannot be read natively: ...".
fn with_program(env: &Env, cwd: &Path, reason: &str) -> Result<Rc<Git>> {
    needed(Git::locate(&env.all, cwd), reason)
}

/// The git program that was `found`, for the same reason.
pub(super) fn needed(found: Result<Git>, reason: &str) -> Result<Rc<Git>> {
    let because = |error: Error| error.context(format!("this repository cannot be read natively: {reason}"));
    found.map(Rc::new).map_err(because)
}

/// The git program for the repository that was found. git uses a bare repository only if it is named. Naming it is safe
/// here: the search refused bare repositories inside a work tree, and trust was checked.
pub(super) fn named(program: Rc<Git>, env: &Env, work_dir: Option<&Path>, git_dir: &Path) -> Rc<Git> {
    let is_unnamed = work_dir.is_none() && env.git_dir.is_none();
    if is_unnamed { Rc::new(Git::clone(&program).with_git_dir(git_dir)) } else { program }
}

/// Opens the repository that git would use in `cwd`.
pub(crate) fn open(env: &Env, cwd: &Path) -> Result<Repo> {
    let layout = discover(env, cwd)?;
    trust(env, cwd, &layout)?;
    let hash = if layout.format.sha256 { HashKind::Sha256 } else { HashKind::Sha1 };
    let program = OnceCell::new();
    let (objects, backend) = match unreadable_natively(env, cwd, &layout) {
        None => {
            let dirs = object_dirs(env, cwd, &layout);
            let store = Git2Store::open(&dirs[0], &dirs[1..])?;
            (asking_git(store, Rc::clone(&env.all), cwd, &layout.git_dir), Backend::Native)
        }
        Some(reason) => {
            let found = named(with_program(env, cwd, &reason)?, env, layout.work_dir.as_deref(), &layout.git_dir);
            let objects = Rc::new(ProgramStore::new((*found).clone()));
            let _ = program.set(found);
            (objects as Rc<dyn ObjectStore>, Backend::Program)
        }
    };
    let shallow_file = env.shallow_file.as_ref().map_or(layout.common_dir.join("shallow"), |file| cwd.join(file));
    let shallow = fs::metadata(&shallow_file).is_ok_and(|about| about.len() > 0);
    let trees = Rc::new(Trees::new(Rc::clone(&objects), hash));
    Ok(Repo {
        index_path: index_path(env, cwd, &layout),
        refs: Refs::new(&layout.git_dir, &layout.common_dir),
        history: Rc::new(CommitHistory::new(Rc::clone(&trees), shallow)),
        git_dir: layout.git_dir,
        common_dir: layout.common_dir,
        work_dir: layout.work_dir,
        hash,
        objects,
        backend,
        shallow,
        shared: layout.format.shared,
        shallow_file,
        trees,
        program,
        configured: ConfigReads::default(),
        listing: OnceCell::new(),
        asked: Cell::new(false),
        commits: RefCell::default(),
        env: env.clone(),
        cwd: cwd.to_owned(),
    })
}

/// Refuses a repository of another user, unless the git program accepts it: only git knows every `safe.directory`.
fn trust(env: &Env, cwd: &Path, layout: &Layout) -> Result<()> {
    let Some(dir) = &layout.foreign else { return Ok(()) };
    let accepted = with_program(env, cwd, "it belongs to another user").and_then(|program| program.check_trust());
    accepted.map_err(|_| {
        Error::unchecked(format!("the repository {} belongs to another user", dir.display())).hint(format!(
            "if you trust it: git config --global --add safe.directory {}",
            shell::word(&dir.to_string_lossy())
        ))
    })
}

/// The judged index file. git resolves a relative `GIT_INDEX_FILE` after it changed to the top of the work tree.
fn index_path(env: &Env, cwd: &Path, layout: &Layout) -> PathBuf {
    match &env.index_file {
        Some(file) => layout.work_dir.as_deref().unwrap_or(cwd).join(file),
        None => layout.git_dir.join("index"),
    }
}

/// The reason why libgit2's object database or the native readers would fail or answer wrongly, if there is one.
fn unreadable_natively(env: &Env, cwd: &Path, layout: &Layout) -> Option<String> {
    if let Some(reason) = &layout.format.unsupported {
        return Some(reason.clone());
    }
    let dirs = object_dirs(env, cwd, layout);
    dirs.iter().any(|dir| dir.to_str().is_none()).then(|| "its object directory's name is not UTF-8".into())
}

/// The object directory, then the alternates in the environment.
fn object_dirs(env: &Env, cwd: &Path, layout: &Layout) -> Vec<PathBuf> {
    let first = env.object_dir.as_ref().map_or(layout.common_dir.join("objects"), |dir| cwd.join(dir));
    std::iter::once(first).chain(env.alternates.iter().map(|dir| cwd.join(dir))).collect()
}

/// The objects from before a push in quarantine, which git names as alternates; `None` without quarantine.
pub(super) fn kept_objects(env: &Env, cwd: &Path, git_dir: &Path) -> Result<Option<Rc<dyn ObjectStore>>> {
    let dirs: Vec<PathBuf> = env.alternates.iter().map(|dir| cwd.join(dir)).collect();
    let Some((first, more)) = dirs.split_first().filter(|_| env.quarantine && env.object_dir.is_some()) else {
        return Ok(None);
    };
    let store = Git2Store::open(first, more)?;
    // the git program must not look into the quarantine either
    let stays = |(name, _): &&(OsString, OsString)| name != "GIT_OBJECT_DIRECTORY" && name != "GIT_QUARANTINE_PATH";
    let mut vars: Vec<_> = env.all.iter().filter(stays).cloned().collect();
    vars.push(("GIT_OBJECT_DIRECTORY".into(), first.into()));
    Ok(Some(asking_git(store, vars.into(), cwd, git_dir)))
}

/// The store, which asks the git program for objects with damaged files.
fn asking_git(store: Git2Store, vars: Rc<[(OsString, OsString)]>, cwd: &Path, git_dir: &Path) -> Rc<dyn ObjectStore> {
    let (cwd, git_dir) = (cwd.to_owned(), git_dir.to_owned());
    let second = OnceCell::<Rc<dyn ObjectStore>>::new();
    Rc::new(store.asking(move || {
        if let Some(second) = second.get() {
            return Ok(Rc::clone(second));
        }
        let git = Git::locate(&vars, &cwd).map_err(|error| error.context("an object's file is damaged"))?;
        Ok(Rc::clone(second.get_or_init(|| Rc::new(ProgramStore::new(git.with_git_dir(&git_dir))))))
    }))
}
