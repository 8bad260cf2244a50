//! The receiving side of a push: the remote, its tracking branches and its default branch. Without git's standard input
//! this file also makes the updates to judge: from the variables of a hook framework, or from HEAD for a run by hand.
//! Reads only this clone, and asks no server.

use super::refs::Update;
use crate::error::Result;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};

/// The receiving side of a push, as in git's arguments for `pre-push`, for example `origin` and `git@host:a/b.git`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remote {
    /// The name of the remote; for a push by URL, the URL; `None` if the hook got no arguments.
    pub name: Option<String>,
    /// The URL to which git pushes.
    pub url: Option<String>,
}

impl Remote {
    /// The name of the remote with tracking branches: `refs/remotes/NAME/` shows commits that the receiving side has.
    /// For a push by URL this is the first remote that is configured with the same URL; `None` if there is none.
    pub(super) fn tracked(&self, repo: &Repo) -> Result<Option<String>> {
        let Some(name) = &self.name else { return Ok(None) };
        // for a push by URL, git gives the URL as the name, and as the URL what `insteadOf` makes of it
        let by_url = self.url.as_ref() == Some(name) || name.starts_with(['/', '.']) || name.contains(':');
        if !by_url {
            return Ok(Some(name.clone()));
        }
        let config = repo.config()?;
        let is_pushed_to =
            |url: &BString| [Some(name), self.url.as_ref()].iter().flatten().any(|pushed| *url == ***pushed);
        let is_at_url = |remote: &&BString| {
            let keys = ["url", "pushurl"].map(|key| format!("remote.{}.{key}", remote.to_str_lossy()));
            keys.iter().any(|key| config.all(key).any(is_pushed_to))
        };
        Ok(config.subsections("remote", &["url", "pushurl"]).iter().find(is_at_url).map(|remote| remote.to_string()))
    }

    /// The branch of the receiving side as this clone last saw it, for example `refs/remotes/origin/main` for `main`.
    fn tracking_branch(name: &str, branch: &[u8]) -> Vec<u8> {
        [b"refs/remotes/", name.as_bytes(), b"/", branch].concat()
    }
}

/// The default branch of the receiving side without `refs/heads/`, for example `main`. Reads `refs/remotes/NAME/HEAD`,
/// which `git clone` and `git remote set-head` write: first of the remote `tracked`, then of `origin`.
pub(super) fn default_branch(repo: &Repo, tracked: Option<&str>) -> Result<Option<BString>> {
    for remote in tracked.into_iter().chain(["origin"]) {
        let prefix = format!("refs/remotes/{remote}/");
        let head = repo.symbolic_ref(format!("{prefix}HEAD").as_bytes())?;
        if let Some(branch) = head.as_ref().and_then(|name| name.strip_prefix(prefix.as_bytes())) {
            return Ok(Some(branch.into()));
        }
    }
    Ok(None)
}

/// The variables of pre-commit and prek about a push. These frameworks read git's standard input themselves, and hand
/// over the first pushed ref only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameworkPush {
    /// The old value of the branch on the receiving side, or another commit: for a new branch, and for one with an old
    /// value that this clone lacks, pre-commit gives the parent of the first new commit, and nothing if that commit is a
    /// root.
    pub from: Option<String>,
    /// The pushed commit: the new value of the branch.
    pub to: Option<String>,
    /// The local branch.
    pub local_branch: Option<String>,
    /// The branch on the receiving side.
    pub remote_branch: Option<String>,
}

impl FrameworkPush {
    /// Whether the variables name the pushed commit, by its id or by the local branch.
    pub(crate) fn is_enough(&self) -> bool {
        self.to.is_some() || self.local_branch.is_some()
    }

    /// The update that the variables describe; empty for a deleted branch. The old value is the tracking branch of
    /// `remote`, so that a new branch is judged as a new one. Only if the remote or the branch is not named, the old value
    /// is `from`; one that this clone lacks becomes `None`.
    ///
    /// # Errors
    /// When the pushed commit is not in this clone.
    pub(crate) fn updates(&self, repo: &Repo, remote: &Remote) -> Result<Vec<Update>> {
        let Some(pushed) = self.to.as_ref().or(self.local_branch.as_ref()) else { return Ok(Vec::new()) };
        // the zero id means a deleted branch, as in git's standard input
        if Oid::from_hex(pushed.as_bytes()).is_some_and(|id| id.is_zero()) {
            return Ok(Vec::new());
        }
        let new = Some(repo.resolve(pushed)?);
        let branch = self.remote_branch.as_ref().or(self.local_branch.as_ref());
        let name = branch.map_or("HEAD".into(), |branch| full_name(branch));
        let old = match (remote.tracked(repo)?, name.strip_prefix(b"refs/heads/")) {
            (Some(tracked), Some(branch)) => repo.find_ref(&Remote::tracking_branch(&tracked, branch))?,
            _ => self.from.as_ref().and_then(|from| repo.resolve(from).ok()),
        };
        Ok(vec![Update { name, old, new }])
    }
}

fn full_name(branch: &str) -> BString {
    if branch.starts_with("refs/") { branch.into() } else { format!("refs/heads/{branch}").into() }
}

/// The update of a push of HEAD to the branch with the same name, for a hook that is run by hand. Its old value is the
/// tracking branch, for example `refs/remotes/origin/main`. Empty before the first commit.
pub fn head(repo: &Repo, remote: &Remote) -> Result<Vec<Update>> {
    let Some(head) = repo.head()? else { return Ok(Vec::new()) };
    let name = repo.head_branch()?.unwrap_or_else(|| "HEAD".into());
    let old = match (name.strip_prefix(b"refs/heads/"), &remote.name) {
        (Some(branch), Some(remote)) => repo.find_ref(&Remote::tracking_branch(remote, branch))?,
        _ => None,
    };
    Ok(vec![Update { name, old, new: Some(head) }])
}
