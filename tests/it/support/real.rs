//! The repository and its views as the program itself reads them, in the environment of a [`Scratch`].

use super::{Scratch, hermetic};
use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::repo::program::Git;
use yatsu_hook::tree::{History, Tree};

/// The judged content.
pub enum View<'a> {
    /// The index: what would be committed.
    Index,
    /// The files on disk.
    Worktree,
    /// A commit's tree.
    Rev(&'a str),
}

/// The repository of `scratch`.
pub fn repo(scratch: &Scratch) -> Repo {
    repo_with(scratch, &[])
}

/// The repository with more environment variables.
pub fn repo_with(scratch: &Scratch, more: &[(&str, &Path)]) -> Repo {
    repo_at(scratch, &scratch.root, more)
}

/// The repository from another work tree.
pub fn repo_at(scratch: &Scratch, top: &Path, more: &[(&str, &Path)]) -> Repo {
    let home = scratch.home();
    let own = [("HOME", home.as_path()), ("GIT_CONFIG_GLOBAL", Path::new("/dev/null"))];
    let own = own.iter().chain(more).map(|(name, value)| (OsString::from(name), value.as_os_str().to_owned()));
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap_or_default());
    let mut env = Env::from_vars(own.chain([path, ("GIT_CONFIG_NOSYSTEM".into(), "1".into())]));
    env.euid = rustix::process::geteuid().as_raw();
    Repo::open(&env, top).expect("an open repository")
}

/// The view of the repository.
pub fn view(scratch: &Scratch, view: &View<'_>) -> Rc<dyn Tree> {
    let repo = repo(scratch);
    match view {
        View::Index => repo.index_view().expect("an index"),
        View::Worktree => repo.worktree_view().expect("a work tree"),
        View::Rev(rev) => repo.commit_view(&repo.resolve(rev).expect("a revision")).expect("a commit"),
    }
}

/// The history of the repository.
pub fn history(scratch: &Scratch) -> Rc<dyn History> {
    repo(scratch).history()
}

/// The hermetic environment as data.
pub fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let command = hermetic("git", home);
    command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

/// The door to git for a scratch repository.
pub fn door(scratch: &Scratch) -> Git {
    Git::locate(&environment(&scratch.home()), &scratch.root).expect("git")
}
