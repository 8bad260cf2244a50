//! The branches of a repository: where each left main, and by which merge it came into main.

use super::Patches;
use crate::error::{Error, Result};
use crate::repo::{FETCH_ALL, Repo};
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Local branches.
const HEADS: &[u8] = b"refs/heads/";
/// Branches of the default remote of a clone.
const REMOTE: &[u8] = b"refs/remotes/origin/";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// Its short name, e.g. `topic` for `refs/heads/topic` and for `refs/remotes/origin/topic`.
    pub(crate) name: String,
    /// The full name of its ref.
    pub(crate) full: BString,
    pub(crate) tip: Oid,
}

impl Branch {
    /// Whether it is a remote branch that git calls `name`, e.g. `origin/topic`.
    pub(super) fn is_remote_called(&self, name: &str) -> bool {
        self.full.strip_prefix(b"refs/remotes/").is_some_and(|of_remote| of_remote == name.as_bytes())
    }
}

/// Maps a commit that a merge brought in to the first parent of the earliest such merge.
pub(super) type MergedFrom = HashMap<Oid, Oid>;

/// How a branch relates to main.
pub(super) enum Fork {
    /// It has commits that main lacks. The places where it left main; empty if both share no commit.
    Ahead(Vec<Oid>),
    /// A merge brought its commits into main; the base of that merge.
    Merged(Option<Oid>),
    /// Main has all of its commits, and no merge shows that it ever lacked one.
    Within,
}

/// The short name for a full name.
pub(super) fn short(full: &[u8]) -> String {
    let name = full.strip_prefix(HEADS).or_else(|| full.strip_prefix(REMOTE)).unwrap_or(full);
    name.to_str_lossy().into_owned()
}

/// Whether a repository has at most one branch. Then no branch can be a patch for another.
///
/// # Errors
/// If the branches cannot be listed.
pub(crate) fn is_alone(repo: &Repo) -> Result<bool> {
    let mut names = BTreeSet::new();
    for prefix in [HEADS, REMOTE] {
        names.extend(repo.refs(prefix)?.iter().map(|(full, _)| short(full)));
    }
    names.remove("HEAD");
    Ok(names.len() < 2)
}

impl Patches<'_> {
    /// All branches except main, sorted by name. A remote branch is listed only if there is no local branch of its name.
    pub(super) fn branches(&self) -> Result<Vec<Branch>> {
        let mut found: BTreeMap<String, Branch> = BTreeMap::new();
        for prefix in [HEADS, REMOTE] {
            for (full, id) in self.repo.refs(prefix)? {
                let name = short(&full);
                if name == self.main.name || (prefix == REMOTE && name == "HEAD") || found.contains_key(&name) {
                    continue;
                }
                // a ref that leads to no commit is no branch
                if let Some(tip) = self.repo.peel(id)?.commit() {
                    found.insert(name.clone(), Branch { name, full, tip });
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// How `branch` relates to main.
    ///
    /// # Errors
    /// Unchecked if cut-off history hides where the branch left main.
    pub(super) fn fork(&self, branch: &Branch) -> Result<Fork> {
        let bases = self.repo.merge_bases(&self.main.commit, &branch.tip)?;
        if bases.first() != Some(&branch.tip) {
            if bases.is_empty() && self.repo.shallow {
                let what = format!("where {} left {} is not in this clone", branch.name, self.main.name);
                return Err(Error::unchecked(what).hint(FETCH_ALL));
            }
            return Ok(Fork::Ahead(bases));
        }
        match self.merges()?.get(&branch.tip) {
            Some(first) => Ok(Fork::Merged(self.repo.merge_base(first, &branch.tip)?)),
            None => Ok(Fork::Within),
        }
    }

    fn merges(&self) -> Result<&MergedFrom> {
        if let Some(known) = self.merges.get() {
            return Ok(known);
        }
        let mut found = MergedFrom::new();
        // the newest merge comes first, so the earliest merge of a commit overwrites later ones
        for merge in self.repo.merges(&self.main.commit)? {
            if let Some((first, others)) = merge.parents.split_first() {
                found.extend(others.iter().map(|other| (*other, *first)));
            }
        }
        Ok(self.merges.get_or_init(|| found))
    }
}
