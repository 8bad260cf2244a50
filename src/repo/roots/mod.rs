//! Everything that keeps an object alive: refs, reflogs and the state of stopped operations, of the repository and of each
//! worktree, read from the files themselves. Input: a [`GitDirs`]; output: ids with the names of their holders, indexes and
//! work trees. An unreadable file is an error, because a root that was not read would look like an empty one.

mod stopped;

use super::non_code_refs::NAMESPACE;
use crate::error::{Error, Result};
use crate::sys;
use crate::tree::oid::Oid;
use bstr::ByteSlice;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The directories of a repository, as git reports them for the current directory.
#[derive(Clone, Debug)]
pub(crate) struct GitDirs {
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
    /// The top of this work tree; `None` in a bare repository.
    pub work_dir: Option<PathBuf>,
    pub bare: bool,
    /// `core.worktree`, relative to the common directory or absolute.
    pub(crate) core_worktree: Option<PathBuf>,
    /// `GIT_INDEX_FILE`.
    pub index_file: Option<PathBuf>,
}

/// A tip and the name of its holder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RootTip {
    /// The object that must stay, usually a commit.
    pub id: Oid,
    /// A ref, a reflog or a pseudo ref; for messages.
    pub holder: String,
    /// Whether it is a present value, not a past one from a reflog.
    pub current: bool,
}

/// Hex digits in a file of a git directory that may name an object or evidence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    /// 40 or 64 lower-case digits. In a list of steps the id may be shortened to four digits or more.
    pub hex: String,
    /// The file, for messages.
    pub holder: String,
    /// Whether git needs the object to continue, so that it must exist. Otherwise it is plain text, or older than the last
    /// `git gc`.
    pub needed: bool,
}

/// Everything that keeps an object alive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    /// Refs, pseudo refs, and every id of every reflog.
    pub tips: Vec<RootTip>,
    /// The ids in other files of the git directories.
    pub mentions: BTreeSet<Mention>,
    /// Index files that exist.
    pub indexes: Vec<PathBuf>,
    pub(crate) work_trees: Vec<PathBuf>,
}

impl RootTip {
    /// Whether it names a stash: a commit of the work tree. The other parents of a stash hold the index and the untracked
    /// files.
    pub(crate) fn is_stash(&self) -> bool {
        ["refs/stash", "autostash", "AUTOSTASH"].iter().any(|end| self.holder.ends_with(end))
    }
}

/// Reads all of them.
///
/// # Errors
/// Unchecked, naming the root that could not be read.
pub(crate) fn read(layout: &GitDirs) -> Result<Roots> {
    if layout.common_dir.join("reftable").exists() {
        return Err(Error::unchecked("this repository keeps its refs in the reftable format, which is not read here")
            .hint("nothing was collected; evidence can be collected in a clone with the files format"));
    }
    let mut roots = Roots::default();
    let common = &layout.common_dir;
    loose(&common.join("refs"), "refs", &mut roots.tips)?;
    packed(&common.join("packed-refs"), &mut roots.tips)?;
    let main = main_work_tree(layout)?;
    worktree(common, "", main, &mut roots)?;
    for name in names(&common.join("worktrees"))? {
        let dir = common.join("worktrees").join(&name);
        if dir.is_dir() {
            let prefix = format!("worktrees/{}/", name.to_string_lossy());
            let top = linked_work_tree(&dir)?;
            loose(&dir.join("refs"), &format!("{prefix}refs"), &mut roots.tips)?;
            worktree(&dir, &prefix, Some(top), &mut roots)?;
        }
    }
    roots.indexes.extend(layout.index_file.clone().filter(|path| path.exists()));
    Ok(roots)
}

/// The commits with parents that were never fetched.
pub(crate) fn shallow(common_dir: &Path) -> Result<HashSet<Oid>> {
    let path = common_dir.join("shallow");
    let bytes = content(&path)?.unwrap_or_default();
    bytes
        .lines()
        .map(|line| Oid::from_hex(line).ok_or_else(|| unreadable(&path, "holds a line that is no commit id")))
        .collect()
}

fn worktree(dir: &Path, prefix: &str, top: Option<PathBuf>, roots: &mut Roots) -> Result<()> {
    stopped::read(dir, prefix, roots)?;
    logs(&dir.join("logs"), &format!("{prefix}logs"), &mut roots.tips)?;
    roots.indexes.extend(Some(dir.join("index")).filter(|path| path.exists()));
    roots.work_trees.extend(top);
    Ok(())
}

/// The main work tree. A linked worktree cannot always find it; then nothing may be collected.
fn main_work_tree(layout: &GitDirs) -> Result<Option<PathBuf>> {
    if layout.bare {
        return Ok(None);
    }
    if same(&layout.git_dir, &layout.common_dir)
        && let Some(top) = &layout.work_dir
    {
        return Ok(Some(top.clone()));
    }
    let top = match &layout.core_worktree {
        Some(top) => layout.common_dir.join(top),
        None if layout.common_dir.file_name() == Some(OsStr::new(".git")) => layout.common_dir.join(".."),
        None => {
            return Err(Error::unchecked("the main work tree cannot be found from this linked one")
                .hint("run this in the main work tree"));
        }
    };
    exists(&top, "the main work tree").map(|()| Some(top))
}

/// `gitdir` names the `.git` file in the linked work tree.
fn linked_work_tree(dir: &Path) -> Result<PathBuf> {
    let path = dir.join("gitdir");
    let text = content(&path)?.ok_or_else(|| unreadable(&path, "is missing"))?;
    let link = dir.join(sys::native(text.trim_end()));
    let top = link.parent().ok_or_else(|| unreadable(&path, "names no work tree"))?.to_owned();
    exists(&top, "the linked work tree").map(|()| top)
}

fn exists(top: &Path, what: &str) -> Result<()> {
    match fs::read_dir(top) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::unchecked(format!("{what} {} cannot be read: {error}", top.display()))
            .hint("bring it back, or let git forget it with `git worktree prune`")),
    }
}

fn same(one: &Path, other: &Path) -> bool {
    one == other || matches!((sys::canonical(one), sys::canonical(other)), (Ok(one), Ok(other)) if one == other)
}

/// Every file below `dir` is a ref. Refs without code are skipped: they hold no ledger, and may be larger than all others.
fn loose(dir: &Path, prefix: &str, tips: &mut Vec<RootTip>) -> Result<()> {
    each_file(dir, prefix, &mut |path, name| {
        let passed_over = name.ends_with(".lock") || name.starts_with(NAMESPACE);
        if passed_over { Ok(()) } else { ids_of(path, name, tips) }
    })
}

/// `<id> <ref>` lines, `^<id>` lines for the target of a tag, comments.
fn packed(path: &Path, tips: &mut Vec<RootTip>) -> Result<()> {
    let bytes = content(path)?.unwrap_or_default();
    let mut aside = false;
    for line in bytes.lines().filter(|line| !line.starts_with(b"#") && !line.is_empty()) {
        let hex = line.strip_prefix(b"^").unwrap_or(line);
        let end = hex.find_byte(b' ').unwrap_or(hex.len());
        let id = Oid::from_hex(&hex[..end]).ok_or_else(|| unreadable(path, "holds a line that is no ref"))?;
        let holder = hex[end..].trim().to_str_lossy().into_owned();
        // the target of a tag is on the line after the tag
        if !line.starts_with(b"^") {
            aside = holder.starts_with(NAMESPACE);
        }
        if aside {
            continue;
        }
        tips.push(RootTip { id, holder, current: true });
    }
    Ok(())
}

/// `<old> <new> <who, when, what>` lines.
fn logs(dir: &Path, prefix: &str, tips: &mut Vec<RootTip>) -> Result<()> {
    let aside = format!("{prefix}/{NAMESPACE}");
    each_file(dir, prefix, &mut |path, name| {
        if name.starts_with(&aside) {
            return Ok(());
        }
        let bytes = content(path)?.unwrap_or_default();
        // Older stashes are found only in this reflog.
        let current = name.ends_with("logs/refs/stash");
        for line in bytes.lines() {
            for hex in line.splitn(3, |byte| *byte == b' ').take(2) {
                let id = Oid::from_hex(hex).ok_or_else(|| unreadable(path, "holds a line that is no reflog entry"))?;
                if !id.is_zero() {
                    tips.push(RootTip { id, holder: name.to_owned(), current });
                }
            }
        }
        Ok(())
    })
}

/// A file with an id, with several lines that begin with an id, or with `ref: <name>`, which is a root of its own.
fn ids_of(path: &Path, name: &str, tips: &mut Vec<RootTip>) -> Result<()> {
    let bytes = content(path)?.unwrap_or_default();
    for line in bytes.lines().filter(|line| !line.is_empty()) {
        if let Some(target) = line.strip_prefix(b"ref:") {
            // refs below refs/yatsu are not roots, so nothing would keep the target alive
            if target.trim().starts_with(NAMESPACE.as_bytes()) {
                return Err(unreadable(path, "stands for a ref below refs/yatsu, where no work is kept"));
            }
            continue;
        }
        let end = line.find_byteset(b" \t").unwrap_or(line.len());
        let id = Oid::from_hex(&line[..end]).ok_or_else(|| unreadable(path, "does not begin with an object id"))?;
        if !id.is_zero() {
            tips.push(RootTip { id, holder: name.to_owned(), current: true });
        }
    }
    Ok(())
}

fn each_file(dir: &Path, prefix: &str, see: &mut dyn FnMut(&Path, &str) -> Result<()>) -> Result<()> {
    for name in names(dir)? {
        let (path, shown) = (dir.join(&name), format!("{prefix}/{}", name.to_string_lossy()));
        if path.is_dir() { each_file(&path, &shown, see)? } else { see(&path, &shown)? }
    }
    Ok(())
}

/// The names in a directory, sorted; none if it does not exist.
fn names(dir: &Path) -> Result<Vec<std::ffi::OsString>> {
    let failed = |error: io::Error| unreadable(dir, &error.to_string());
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<Vec<_>>>().map_err(failed)?;
    names.sort();
    Ok(names)
}

fn content(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn unreadable(path: &Path, why: &str) -> Error {
    Error::unchecked(format!("{}: {why}", path.display()))
        .hint("nothing is collected while a root cannot be read; `git fsck` may say more")
}
