//! The git queries of an installation as a trait, and the facts gathered through it. Only the adapter at the end knows the
//! runner.

use super::{HookEvent, InstallRequest};
use crate::app::site::setup_git::{GitSettings, SetupGit};
use crate::error::{Error, Result};
use crate::repo::program::Version;
use crate::sys;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The version of the git program.
pub(crate) fn version(git: &dyn SetupGit) -> Result<Version> {
    Version::parse(&git.run(&["version"])?)
}

/// The directory in which git looks for the hooks of a worktree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HooksDir {
    /// In the repository's git directory.
    Repository,
    /// In a work tree of the repository, with the names of the files in it that git tracks.
    WorkTree(BTreeSet<Vec<u8>>),
    /// Elsewhere, so that it may serve other repositories.
    Outside,
}

/// One worktree, as git finds its hooks. A bare repository has one, its git directory.
#[derive(Clone, Debug)]
pub(crate) struct Worktree {
    /// The top of the work tree; the git directory of a bare repository.
    pub top: PathBuf,
    /// The directory in which git looks for hooks (`core.hooksPath` applied).
    pub hooks: PathBuf,
    /// Where that directory lies.
    pub dir: HooksDir,
    /// The configuration that git uses here.
    pub settings: GitSettings,
}

impl Worktree {
    /// Looks at the worktree `top`, one of `tops`. git runs in `dir`, or where it is if that is `None`; a relative answer is
    /// below `base`.
    fn look(
        git: &dyn SetupGit,
        dir: Option<&Path>,
        base: &Path,
        top: &Path,
        tops: &[PathBuf],
        common: &Path,
    ) -> Result<Self> {
        let inside = dir.map(Path::to_string_lossy);
        let place: Vec<&str> = inside.iter().flat_map(|dir| ["-C", dir]).collect();
        let hooks = path(git, &[&place[..], &["rev-parse", "--git-path", "hooks"]].concat(), base)?;
        let (dir_of_hooks, settings) = (hooks_dir(git, &hooks, tops, common)?, GitSettings::read(git, dir)?);
        Ok(Self { top: top.to_owned(), hooks, dir: dir_of_hooks, settings })
    }

    /// Whether git tracks any hook here: the directory belongs to a team.
    pub(crate) fn is_tracked(&self) -> bool {
        matches!(&self.dir, HooksDir::WorkTree(tracked) if !tracked.is_empty())
    }

    /// Whether git tracks the file of this hook.
    pub(crate) fn tracks(&self, event: HookEvent) -> bool {
        matches!(&self.dir, HooksDir::WorkTree(tracked) if tracked.contains(event.as_str().as_bytes()))
    }
}

/// The facts about a repository for an installation.
#[derive(Clone, Debug)]
pub(crate) struct GitSetup {
    pub version: Version,
    /// The top of the work tree; `None` in a bare repository.
    pub top: Option<PathBuf>,
    /// The directory that all worktrees share.
    pub common: PathBuf,
    /// The worktree of the user's current directory.
    pub here: Worktree,
    /// The tops of all worktrees, the current one first; empty in a bare repository.
    tops: Vec<PathBuf>,
}

impl GitSetup {
    /// Reads the facts from git. Fails outside a repository.
    pub(crate) fn gather(git: &dyn SetupGit, request: &InstallRequest) -> Result<Self> {
        let version = version(git)?;
        let bare = text(git.run(&["rev-parse", "--is-bare-repository"])?)? == "true";
        let top = if bare { None } else { Some(path(git, &["rev-parse", "--show-toplevel"], &request.here)?) };
        let common = path(git, &["rev-parse", "--git-common-dir"], &request.here)?;
        let tops = match &top {
            Some(top) => worktrees(git, top)?,
            None => Vec::new(),
        };
        let here = Worktree::look(git, None, &request.here, top.as_deref().unwrap_or(&common), &tops, &common)?;
        Ok(Self { version, top, common, here, tops })
    }

    /// Every worktree on disk, the current one first.
    pub(crate) fn worktrees(&self, git: &dyn SetupGit) -> Result<Vec<Worktree>> {
        let others = self.tops.iter().skip(1);
        let look = |top: &PathBuf| Worktree::look(git, Some(top), top, top, &self.tops, &self.common);
        std::iter::once(Ok(self.here.clone())).chain(others.map(look)).collect()
    }
}

/// The tops of the worktrees on disk, `top` first; a bare main repository has none. For a submodule or a separate git
/// directory, git lists the git directory in place of the work tree, so the known top is added.
fn worktrees(git: &dyn SetupGit, top: &Path) -> Result<Vec<PathBuf>> {
    let said = git.run(&["worktree", "list", "--porcelain"])?;
    let mut found = vec![top.to_owned()];
    for line in said.split(|&byte| byte == b'\n') {
        let Some(path) = line.strip_prefix(b"worktree ") else { continue };
        let path = PathBuf::from(&*sys::native(path));
        if path.join(".git").exists() && !found.contains(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Where the hook directory `hooks` of a repository with these worktrees lies.
fn hooks_dir(git: &dyn SetupGit, hooks: &Path, tops: &[PathBuf], common: &Path) -> Result<HooksDir> {
    let hooks = real(hooks);
    if hooks.starts_with(real(common)) {
        return Ok(HooksDir::Repository);
    }
    // a linked worktree may lie in the main one, which tracks nothing there
    let around = tops.iter().filter(|top| hooks.starts_with(real(top))).max_by_key(|top| real(top).as_os_str().len());
    let Some(top) = around else { return Ok(HooksDir::Outside) };
    let below = hooks.strip_prefix(real(top)).unwrap_or(&hooks);
    Ok(HooksDir::WorkTree(tracked(git, top, &sys::git_bytes(below))?))
}

/// The names of the tracked files in the directory `dir` of the worktree `top`. The whole listing is compared, because a
/// pathspec must be text and a directory need not be.
fn tracked(git: &dyn SetupGit, top: &Path, dir: &[u8]) -> Result<BTreeSet<Vec<u8>>> {
    let listed = git.run(&["-C", &top.to_string_lossy(), "ls-files", "-z"])?;
    let name = |path: &[u8]| {
        let below = if dir.is_empty() { path } else { path.strip_prefix(dir)?.strip_prefix(b"/")? };
        (!below.contains(&b'/') && !below.is_empty()).then(|| below.to_vec())
    };
    Ok(listed.split(|&byte| byte == 0).filter_map(name).collect())
}

/// The path with symbolic links resolved as far as it exists.
pub(in crate::app) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = sys::canonical(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

fn text(said: Vec<u8>) -> Result<String> {
    let said = String::from_utf8(said).map_err(|_| Error::odd_git("git answered with bytes that are not UTF-8"))?;
    Ok(said.trim_end_matches('\n').to_owned())
}

/// A path that git prints, which may be relative to where it ran.
fn path(git: &dyn SetupGit, args: &[&str], here: &Path) -> Result<PathBuf> {
    let mut said = git.run(args)?;
    if said.last() == Some(&b'\n') {
        said.pop();
    }
    Ok(joined(here, Path::new(&sys::native(&said))))
}

/// `said` as a path from `here`, which is a real directory. Leading `..` are resolved, so that the same place has the same
/// name in every current directory.
fn joined(here: &Path, said: &Path) -> PathBuf {
    let (mut from, mut rest) = (here, said);
    while let (Ok(after), Some(parent)) = (rest.strip_prefix(".."), from.parent()) {
        (from, rest) = (parent, after);
    }
    sys::spelled(from.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_from_below_is_the_place_that_it_says_from_the_top() {
        for (here, said, place) in [
            ("/r", ".git/hooks", "/r/.git/hooks"),
            ("/r/a/b", "../../.git/hooks", "/r/.git/hooks"),
            ("/r/a", "/elsewhere/hooks", "/elsewhere/hooks"),
            ("/r/a", "hooks/../own", "/r/a/hooks/../own"),
            ("/", "../x", "/../x"),
        ] {
            assert_eq!(joined(Path::new(here), Path::new(said)), Path::new(place), "{here} {said}");
        }
    }
}
