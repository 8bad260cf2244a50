//! Where programs are looked for: in the absolute entries of `PATH` outside of the repository. A checked-out tree must not bring
//! the program that this one runs, so the rule is the same for git, `ssh-keygen`, a viewer and `yatsu-hook-cloud`.

use crate::repo::Repo;
use crate::repo::open::discover::discover;
use crate::repo::open::env::Env;
use crate::repo::work_trees::work_trees;
use crate::sys;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The directories of programs.
#[derive(Clone, Debug)]
pub(crate) struct SearchPath {
    entries: Vec<PathBuf>,
    /// The tops of the repository's work trees and its git directory, with links resolved.
    tops: Vec<PathBuf>,
}

impl SearchPath {
    /// The entries of `path`, the value of `PATH`, that are absolute and outside of `tops`. A relative or empty entry means the
    /// current directory.
    pub(super) fn new(path: &OsStr, tops: Vec<PathBuf>) -> Self {
        let parts = path.as_encoded_bytes().split(|byte| *byte == sys::LIST_SEPARATOR);
        let mut entries: Vec<PathBuf> = parts.map(|part| PathBuf::from(&*sys::native(part))).collect();
        entries.retain(|entry| entry.is_absolute() && is_outside(entry, &tops));
        Self { entries, tops }
    }

    /// The entries of `PATH` in `environment`, outside of the opened repository.
    pub(super) fn of(environment: &[(OsString, OsString)], repo: &Repo) -> Self {
        Self::new(value(environment), tops(repo.work_dir.as_deref(), &repo.common_dir))
    }

    /// The same, outside of the repository that git would use in `dir`, if there is one. A repository that cannot be used may
    /// bring programs, too: then its top is the nearest directory with a `.git`.
    pub(crate) fn around(environment: &[(OsString, OsString)], dir: &Path) -> Self {
        let found = discover(&Env::from_vars(environment.iter().cloned()), dir);
        let tops = found
            .map_or_else(|_| marked_top(dir).into_iter().collect(), |at| tops(at.work_dir.as_deref(), &at.common_dir));
        Self::new(value(environment), tops)
    }

    /// The first program of this name. The target of a link must be outside of the repository, too.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let mut files = self.entries.iter().map(|entry| entry.join(sys::program(name)));
        files.find(|file| sys::runs(file) && is_outside(file, &self.tops))
    }

    /// The entries as the value of `PATH` for a child.
    pub(super) fn variable(&self) -> OsString {
        let parts: Vec<&OsStr> = self.entries.iter().map(|entry| entry.as_os_str()).collect();
        parts.join(&*sys::native(&[sys::LIST_SEPARATOR]))
    }
}

fn value(environment: &[(OsString, OsString)]) -> &OsStr {
    environment.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, value)| value)
}

/// The nearest directory around `dir` with an entry `.git`, with links resolved.
fn marked_top(dir: &Path) -> Option<PathBuf> {
    let dir = sys::canonical(dir).ok()?;
    dir.ancestors().find(|top| top.join(".git").symlink_metadata().is_ok()).map(Path::to_owned)
}

/// Whether `path` exists outside all of `tops`, with links resolved.
fn is_outside(path: &Path, tops: &[PathBuf]) -> bool {
    sys::canonical(path).is_ok_and(|path| !tops.iter().any(|top| path.starts_with(top)))
}

/// The tops of all work trees, and the git directory, with links resolved.
fn tops(work_dir: Option<&Path>, common_dir: &Path) -> Vec<PathBuf> {
    let own =
        work_dir.into_iter().chain([common_dir]).map(|top| sys::canonical(top).unwrap_or_else(|_| top.to_owned()));
    own.chain(work_trees(common_dir).into_iter().map(|tree| tree.top)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A program of this name in `dir`.
    fn program(dir: &Path, name: &str) -> PathBuf {
        fs::create_dir_all(dir).unwrap();
        let path = dir.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_program_inside_of_the_repository_is_never_found() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        let (top, out) = (base.join("repo"), base.join("out"));
        for dir in ["repo/.git/objects", "repo/.git/refs", "repo/.git/worktrees/side", "repo/sub", "side"] {
            fs::create_dir_all(base.join(dir)).unwrap();
        }
        fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(top.join(".git/worktrees/side/gitdir"), format!("{}/side/.git\n", base.display())).unwrap();
        let good = program(&out, "tool");
        for dir in [top.join("bin"), base.join("side/bin"), top.join(".git/bin")] {
            program(&dir, "tool");
        }
        fs::create_dir_all(base.join("links")).unwrap();
        symlink(top.join("bin/tool"), base.join("links/tool")).unwrap();
        symlink(top.join("bin"), base.join("linked")).unwrap();
        let dirs = ["repo/bin", "side/bin", "repo/.git/bin", "links", "linked", "missing", "out"];
        let path = dirs.map(|dir| base.join(dir).display().to_string()).join(":");
        let environment = [("PATH".into(), format!("bin::{path}").into())];
        for dir in [&top, &top.join("sub")] {
            assert_eq!(SearchPath::around(&environment, dir).program("tool"), Some(good.clone()));
        }
        assert_eq!(SearchPath::around(&environment, &out).program("tool"), Some(top.join("bin/tool")), "no repository");
        // a repository that git cannot use, so that its other work trees are not known
        let environment = [("PATH".into(), path.replace("side/bin", "gone").into())];
        fs::rename(top.join(".git"), base.join("away")).unwrap();
        for broken in ["gitdir: /nowhere\n", "", "gitdir: ../away\n"] {
            fs::write(top.join(".git"), broken).unwrap();
            for dir in [&top, &top.join("sub")] {
                assert_eq!(SearchPath::around(&environment, dir).program("tool"), Some(good.clone()), "{broken:?}");
            }
            fs::remove_file(top.join(".git")).unwrap();
        }
        symlink("nowhere", top.join(".git")).unwrap();
        assert_eq!(SearchPath::around(&environment, &top).program("tool"), Some(good.clone()), "a link to nowhere");
        fs::remove_file(top.join(".git")).unwrap();
        fs::rename(base.join("away"), top.join(".git")).unwrap();
        let kept = SearchPath::around(&environment, &top).variable();
        assert_eq!(kept, format!("{}:{}", base.join("links").display(), out.display()).as_str());
    }
}
