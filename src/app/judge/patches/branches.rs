//! Which branches there are, where each left the main branch, and by which merge it came into it.

use super::Patches;
use crate::error::{Error, Result};
use crate::repo::{FETCH_ALL, Repo};
use crate::tree::oid::Oid;
use bstr::{BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Local branches.
const HEADS: &[u8] = b"refs/heads/";
/// Those of the remote that a clone begins with.
const REMOTE: &[u8] = b"refs/remotes/origin/";

/// One branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    /// Its short name: of a branch of the remote the one that a local branch would have.
    pub(crate) name: String,
    /// Its full name.
    pub(crate) full: BString,
    /// Its tip.
    pub(crate) tip: Oid,
}

impl Branch {
    /// Whether it is a branch of the remote that git calls so.
    pub(super) fn is_remote_called(&self, name: &str) -> bool {
        self.full.strip_prefix(b"refs/remotes/").is_some_and(|of_remote| of_remote == name.as_bytes())
    }
}

/// By what a merge brought in, the first parent of the earliest merge that did.
pub(super) type MergedFrom = HashMap<Oid, Oid>;

/// How a branch stands to the main one.
pub(super) enum Fork {
    /// It has commits that the main branch lacks since it left it there: the first of several such places, none where both
    /// share no commit.
    Ahead(Vec<Oid>),
    /// The main branch has all of its commits, and lacked some before a merge; the base of that merge.
    Merged(Option<Oid>),
    /// The main branch has all of its commits, and nobody can tell that it ever lacked one.
    Within,
}

/// The short name of a branch by its full one.
pub(super) fn short(full: &[u8]) -> String {
    let name = full.strip_prefix(HEADS).or_else(|| full.strip_prefix(REMOTE)).unwrap_or(full);
    name.to_str_lossy().into_owned()
}

/// Whether a repository has no more than one branch, of which nothing can be meant for another one.
///
/// # Errors
/// Where the branches cannot be listed.
pub(crate) fn is_alone(repo: &Repo) -> Result<bool> {
    let mut names = BTreeSet::new();
    for prefix in [HEADS, REMOTE] {
        names.extend(repo.refs(prefix)?.iter().map(|(full, _)| short(full)));
    }
    names.remove("HEAD");
    Ok(names.len() < 2)
}

impl Patches<'_> {
    /// The branches beside the main one, those of the remote where there is no local one of that name; by name.
    pub(super) fn branches(&self) -> Result<Vec<Branch>> {
        let mut found: BTreeMap<String, Branch> = BTreeMap::new();
        for prefix in [HEADS, REMOTE] {
            for (full, id) in self.repo.refs(prefix)? {
                let name = short(&full);
                if name == self.main.name || (prefix == REMOTE && name == "HEAD") || found.contains_key(&name) {
                    continue;
                }
                // a branch that stands for no commit is none
                if let Some(tip) = self.repo.peel(id)?.commit() {
                    found.insert(name.clone(), Branch { name, full, tip });
                }
            }
        }
        Ok(found.into_values().collect())
    }

    /// How `branch` stands to the main one.
    ///
    /// # Errors
    /// Unchecked where history was cut off, so that nobody can tell where it left.
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
        // the newest comes first: what was merged twice came with the earlier one
        for merge in self.repo.merges(&self.main.commit)? {
            if let Some((first, others)) = merge.parents.split_first() {
                found.extend(others.iter().map(|other| (*other, *first)));
            }
        }
        Ok(self.merges.get_or_init(|| found))
    }
}
