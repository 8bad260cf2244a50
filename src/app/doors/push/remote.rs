//! The target of a push, and the update to judge if git's standard input is missing.

use super::refs::Update;
use crate::error::Result;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};

/// The receiving side of a push, as git names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remote {
    /// Its name; for a push by URL, the URL.
    pub name: Option<String>,
    /// Its URL.
    pub url: Option<String>,
}

impl Remote {
    /// The remote with tracking branches that show the commits of the receiving side: the named remote, or for a URL the
    /// remote configured with it.
    pub(super) fn tracked(&self, repo: &Repo) -> Result<Option<String>> {
        let Some(name) = &self.name else { return Ok(None) };
        // for a push by URL, git gives the URL as the name
        if self.url.as_ref() != Some(name) {
            return Ok(Some(name.clone()));
        }
        let config = repo.config()?;
        let keys = ["url", "pushurl"];
        let has_url = |remote: &&BString| {
            let values = keys.map(|key| config.get(&format!("remote.{}.{key}", remote.to_str_lossy())));
            values.iter().flatten().any(|value| value.as_bytes() == name.as_bytes())
        };
        Ok(config.subsections("remote", &keys).iter().find(has_url).map(|remote| remote.to_string()))
    }
}

/// The default branch of the receiving side, without `refs/heads/`, as the last `git clone` or `git remote set-head` found
/// it. Looks at the remote with these tracking branches, then at `origin`.
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

/// The data about a push in the environment of a hook framework that keeps standard input to itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameworkPush {
    /// The old value of the branch on the receiving side; absent for a new one.
    pub from: Option<String>,
    /// The new value.
    pub to: Option<String>,
    /// The local branch.
    pub local_branch: Option<String>,
    /// The branch on the receiving side.
    pub remote_branch: Option<String>,
}

impl FrameworkPush {
    /// Whether the pushed commit is known.
    pub(crate) fn is_enough(&self) -> bool {
        self.to.is_some() || self.local_branch.is_some()
    }

    /// The one update in this data. An old id that is unknown here counts as none.
    ///
    /// # Errors
    /// When the pushed commit cannot be found.
    pub(crate) fn updates(&self, repo: &Repo) -> Result<Vec<Update>> {
        let Some(pushed) = self.to.as_ref().or(self.local_branch.as_ref()) else { return Ok(Vec::new()) };
        // a deletion: frameworks use the zero id for it, as git does
        if Oid::from_hex(pushed.as_bytes()).is_some_and(|id| id.is_zero()) {
            return Ok(Vec::new());
        }
        let new = Some(repo.resolve(pushed)?);
        let old = self.from.as_ref().and_then(|from| repo.resolve(from).ok());
        let branch = self.remote_branch.as_ref().or(self.local_branch.as_ref());
        let name = branch.map_or("HEAD".into(), |branch| full_name(branch));
        Ok(vec![Update { name, old, new }])
    }
}

fn full_name(branch: &str) -> BString {
    if branch.starts_with("refs/") { branch.into() } else { format!("refs/heads/{branch}").into() }
}

/// The update of HEAD's branch to the same name, for a hook that is run by hand. Empty before the first commit.
pub fn head(repo: &Repo, remote: &Remote) -> Result<Vec<Update>> {
    let Some(head) = repo.head()? else { return Ok(Vec::new()) };
    let name = repo.head_branch()?.unwrap_or_else(|| "HEAD".into());
    let old = match (name.strip_prefix(b"refs/heads/"), &remote.name) {
        (Some(branch), Some(remote)) => {
            let tracking = [b"refs/remotes/", remote.as_bytes(), b"/", branch].concat();
            repo.find_ref(&tracking)?
        }
        _ => None,
    };
    Ok(vec![Update { name, old, new: Some(head) }])
}
