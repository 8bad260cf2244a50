//! Finds the repository: environment and current directory in, directories out, by git's rules (setup.c): `GIT_DIR`, else
//! upwards from the current directory. It never uses a directory of another user without trust, or a bare repository inside
//! another one's work tree.

use super::env::Env;
use super::format::{self, RepoFormat};
use crate::error::{Error, Result};
use crate::sys;
use crate::sys::MetadataExt;
use bstr::ByteSlice;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// This work tree's git directory: HEAD, index.
    pub git_dir: PathBuf,
    /// The directory all its work trees share: refs, objects, config.
    pub common_dir: PathBuf,
    /// The top of the work tree; `None` in a bare repository.
    pub work_dir: Option<PathBuf>,
    pub format: RepoFormat,
    /// A directory that another user owns. Only the git program can say if it is trusted.
    pub foreign: Option<PathBuf>,
}

struct SearchEnd {
    git_dir: PathBuf,
    /// The directory that holds `.git`; `None` when the git directory itself was found.
    top: Option<PathBuf>,
    /// The `.git` file, if `.git` is a file.
    gitfile: Option<PathBuf>,
    /// Whether the directory came from `GIT_DIR`.
    explicit: bool,
}

/// Finds the repository that git would use in `cwd` (absolute).
pub(crate) fn discover(env: &Env, cwd: &Path) -> Result<Layout> {
    let place = match &env.git_dir {
        Some(dir) => explicit(env, &cwd.join(dir))?,
        None => search(env, cwd)?,
    };
    let common_dir = common_dir(env, cwd, &place.git_dir)?;
    let format = read_format(&place.git_dir, &common_dir)?;
    let work_dir = work_dir(env, cwd, &place, &format);
    let foreign = foreign(env, &place);
    Ok(Layout { git_dir: place.git_dir, common_dir, work_dir, format, foreign })
}

/// The repair of a `.git` file that leads nowhere.
const REPAIRED: &str = "repair it with `git worktree repair` or `git submodule absorbgitdirs`";

fn no_repository() -> Error {
    Error::unchecked("not inside a git repository")
        .hint("run it where `git status` works, or begin a repository: git init")
}

fn explicit(env: &Env, path: &Path) -> Result<SearchEnd> {
    let gitfile = path.is_file().then(|| path.to_owned());
    let git_dir = match &gitfile {
        Some(file) => follow(file)?,
        None => path.to_owned(),
    };
    if !is_git_dir(env, &git_dir)? {
        return Err(Error::unchecked(format!("GIT_DIR names {}, which is no git directory", path.display()))
            .hint("unset GIT_DIR, or let it name a repository"));
    }
    Ok(SearchEnd { git_dir, top: None, gitfile, explicit: true })
}

fn search(env: &Env, cwd: &Path) -> Result<SearchEnd> {
    let ceilings: Vec<PathBuf> = env.ceilings.iter().filter_map(|dir| sys::canonical(dir).ok()).collect();
    for dir in cwd.ancestors() {
        if dir != cwd && (ceilings.iter().any(|ceiling| ceiling == dir) || is_elsewhere(env, dir, cwd)?) {
            break;
        }
        if let Some(place) = look_in(env, dir)? {
            return Ok(place);
        }
        if is_git_dir(env, dir)? {
            refuse_embedded(env, dir)?;
            return Ok(SearchEnd { git_dir: dir.to_owned(), top: None, gitfile: None, explicit: false });
        }
    }
    Err(no_repository())
}

fn is_elsewhere(env: &Env, dir: &Path, cwd: &Path) -> Result<bool> {
    if env.across_filesystems {
        return Ok(false);
    }
    let device = fs::metadata(cwd).map_err(|error| Error::unread(cwd.display(), &error))?.dev();
    Ok(fs::metadata(dir).is_ok_and(|about| about.dev() != device))
}

/// The repository with a work tree at `dir`, if there is one.
fn look_in(env: &Env, dir: &Path) -> Result<Option<SearchEnd>> {
    let dot_git = dir.join(".git");
    let Ok(about) = fs::metadata(&dot_git) else { return Ok(None) };
    if about.is_file() {
        let git_dir = follow(&dot_git)?;
        if !is_git_dir(env, &git_dir)? {
            return Err(Error::unchecked(format!("{} names no git directory", dot_git.display())).hint(REPAIRED));
        }
        return Ok(Some(SearchEnd { git_dir, top: Some(dir.to_owned()), gitfile: Some(dot_git), explicit: false }));
    }
    if !is_git_dir(env, &dot_git)? {
        return Ok(None);
    }
    Ok(Some(SearchEnd { git_dir: dot_git, top: Some(dir.to_owned()), gitfile: None, explicit: false }))
}

/// Refuses a bare repository inside a work tree. It may have come with a clone, and its configuration would be a stranger's.
fn refuse_embedded(env: &Env, bare: &Path) -> Result<()> {
    if bare.components().any(|part| part.as_os_str() == ".git") {
        return Ok(());
    }
    let around = bare.ancestors().skip(1).find(|dir| matches!(look_in(env, dir), Ok(Some(_)) | Err(_)));
    match around {
        None => Ok(()),
        Some(dir) => Err(Error::unchecked(format!(
            "{} is a bare repository inside the work tree {}: it is not trusted",
            bare.display(),
            dir.display()
        ))
        .hint(format!("if you mean it, say so: GIT_DIR={}", bare.display()))),
    }
}

/// The directory that a `.git` file names.
fn follow(file: &Path) -> Result<PathBuf> {
    let text = fs::read(file).map_err(|error| Error::unread(file.display(), &error))?;
    let Some(target) = text.strip_prefix(b"gitdir:") else {
        return Err(Error::unchecked(format!("{} is no git directory and names none", file.display())).hint(REPAIRED));
    };
    let target = sys::native(target.trim_with(char::is_whitespace));
    Ok(file.parent().unwrap_or(Path::new("")).join(target))
}

/// Whether `dir` is a git directory: a plausible HEAD, an object directory, refs.
fn is_git_dir(env: &Env, dir: &Path) -> Result<bool> {
    if !has_head(dir) {
        return Ok(false);
    }
    let common = common_dir(env, dir, dir)?;
    let has_objects = env.object_dir.is_some() || common.join("objects").is_dir();
    Ok(has_objects && common.join("refs").exists())
}

fn has_head(dir: &Path) -> bool {
    let head = dir.join("HEAD");
    if let Ok(target) = fs::read_link(&head) {
        return target.starts_with("refs");
    }
    let Ok(text) = fs::read(head) else { return false };
    let text = text.trim_end_with(char::is_whitespace);
    text.strip_prefix(b"ref:").is_some_and(|name| name.trim_start_with(char::is_whitespace).starts_with(b"refs/"))
        || crate::tree::oid::Oid::from_hex(&text.to_ascii_lowercase()).is_some()
}

fn common_dir(env: &Env, cwd: &Path, git_dir: &Path) -> Result<PathBuf> {
    if let Some(dir) = &env.common_dir {
        return Ok(cwd.join(dir));
    }
    let file = git_dir.join("commondir");
    match fs::read(&file) {
        Ok(text) => Ok(git_dir.join(sys::native(text.trim_end_with(|c| c == '\n' || c == '\r')))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(git_dir.to_owned()),
        Err(error) => Err(Error::unread(file.display(), &error)),
    }
}

/// The configuration of the repository. A linked work tree has `core.bare` and `core.worktree` only from its own file.
fn read_format(git_dir: &Path, common_dir: &Path) -> Result<RepoFormat> {
    let mut format = read_config(&common_dir.join("config"))?;
    if format.worktree_config {
        let own = read_config(&git_dir.join("config.worktree"))?;
        format.bare = own.bare.or(format.bare);
        format.worktree = own.worktree.or(format.worktree);
        format.unsupported = format.unsupported.or(own.unsupported);
    } else if git_dir != common_dir {
        (format.bare, format.worktree) = (None, None);
    }
    Ok(format)
}

fn read_config(file: &Path) -> Result<RepoFormat> {
    match fs::read(file) {
        Ok(text) => Ok(format::parse(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(RepoFormat::default()),
        Err(error) => Err(Error::unread(file.display(), &error)),
    }
}

fn work_dir(env: &Env, cwd: &Path, place: &SearchEnd, format: &RepoFormat) -> Option<PathBuf> {
    if let Some(dir) = &env.work_tree {
        return Some(cwd.join(dir));
    }
    if let Some(dir) = &format.worktree {
        return Some(place.git_dir.join(dir));
    }
    let bare = format.bare == Some(true);
    match &place.top {
        _ if bare => None,
        Some(top) => Some(top.clone()),
        // inside a git directory there is no work tree, even if GIT_DIR is set (receive-pack sets it to `.`)
        None if place.explicit && !env.no_implicit_work_tree && !is_same(cwd, &place.git_dir) => Some(cwd.to_owned()),
        None => None,
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((sys::canonical(a), sys::canonical(b)), (Ok(a), Ok(b)) if a == b)
}

/// The directory to report if the repository was found by searching and belongs to another user.
fn foreign(env: &Env, place: &SearchEnd) -> Option<PathBuf> {
    if place.explicit {
        return None;
    }
    let parts = [place.gitfile.as_deref(), place.top.as_deref(), Some(&*place.git_dir)];
    let ours = parts.into_iter().flatten().all(|path| is_ours(env, path));
    (!ours).then(|| place.top.clone().unwrap_or_else(|| place.git_dir.clone()))
}

fn is_ours(env: &Env, path: &Path) -> bool {
    let Ok(owner) = sys::owner(path) else { return false };
    let by_sudo = env.euid == 0 && env.sudo_uid == Some(owner);
    !env.assume_different_owner && (owner == env.euid || by_sudo)
}
