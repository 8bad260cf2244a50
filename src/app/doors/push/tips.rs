//! The tips of a push and their bases: the old value of the branch, if known here, and the newest known commits that
//! its new commits start from. These count because merged foreign commits are not the branch's own work. Without
//! either, the base is the empty tree.

use super::commits::Part;
use super::refs::Update;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::commit::Peeled;
use crate::repo::program::NewCommits;
use crate::tree::oid::Oid;
use bstr::BString;

/// The maximal number of bases of one tip. With fewer, more findings count as introduced.
const MAX_BASES: usize = 8;
/// The number of commits that one git query compares, to find which descend from others.
const ASKED_AT_ONCE: usize = 200;

/// One judged ref.
pub(super) struct Tip {
    /// Its name on the receiving side.
    pub(super) name: BString,
    pub(super) branch: Option<BString>,
    pub(super) commit: Oid,
    /// The old commit of the branch, if this clone has it.
    pub(super) old: Option<Oid>,
}

/// The targets of the new ref values.
#[derive(Default)]
pub(super) struct Brought {
    /// One for every ref with a new commit, in the order of the updates.
    pub(super) tips: Vec<Tip>,
    /// Blobs and trees that refs lead to without a commit.
    pub(super) contents: Vec<Content>,
}

/// A blob or a tree, and the ref that leads to it.
pub(super) struct Content {
    /// The ref's name on the receiving side.
    pub(super) name: BString,
    pub(super) of: Peeled,
}

/// The targets of `updates`, without deletions.
pub(super) fn of(repo: &Repo, updates: &[Update]) -> Result<Brought> {
    let mut brought = Brought::default();
    for (update, new) in updates.iter().filter_map(|update| Some((update, update.new?))) {
        match repo.peel(new)? {
            Peeled::Commit(commit) => brought.tips.push(tip(repo, update, commit)?),
            of @ (Peeled::Blob(_) | Peeled::Tree(_)) => {
                brought.contents.push(Content { name: update.name.clone(), of });
            }
            Peeled::Unknown => {
                return Err(Error::unchecked(format!("{} leads to {new}, and no commit was found there", update.name))
                    .hint("see what `git fsck` says; of tags of tags, at most 16 in a row are followed"));
            }
        }
    }
    Ok(brought)
}

fn tip(repo: &Repo, update: &Update, commit: Oid) -> Result<Tip> {
    let branch = update.branch().map(BString::from);
    // a moved tag or note has no past to keep
    let old = update.old.filter(|_| branch.is_some()).map_or(Ok(None), |old| repo.peel(old).map(Peeled::commit))?;
    Ok(Tip { name: update.name.clone(), branch, commit, old })
}

/// The query for the new commits: all of `tips`, without the old values of all updated refs.
pub(super) fn wanted(repo: &Repo, tips: &[Tip], updates: &[Update]) -> Result<NewCommits> {
    let mut known = Vec::new();
    for old in updates.iter().filter_map(|update| update.old) {
        known.extend(repo.peel(old)?.commit());
    }
    known.sort_unstable();
    known.dedup();
    Ok(NewCommits { tips: tips.iter().map(|tip| tip.commit).collect(), known, ..NewCommits::default() })
}

/// The bases of a tip for the full comparison, never empty, and further states: only their ledgers are compared. `part` are
/// the new commits of the tip; `stacked` are other branches of the push below it.
pub(super) fn bases(repo: &Repo, tip: &Tip, part: &Part, stacked: &[Oid]) -> Result<(Vec<Option<Oid>>, Vec<Oid>)> {
    let mut asked: Vec<Oid> = part.edge.clone();
    asked.extend(tip.old.filter(|old| !part.edge.contains(old)));
    let mut newest = Vec::new();
    // In parts, because argument lists are limited. The result so far is compared again with the next part, because a
    // commit of the first part may be an ancestor of one in the last.
    for some in asked.chunks(ASKED_AT_ONCE) {
        newest.extend_from_slice(some);
        newest = repo.independent(&newest)?;
    }
    // the old value comes first: the list is cut at its end, and the first base is checked for a rewrite
    let mut bases: Vec<Oid> = tip.old.into_iter().collect();
    bases.extend(newest.into_iter().filter(|commit| Some(*commit) != tip.old));
    for some in stacked.chunks(ASKED_AT_ONCE) {
        bases.extend(repo.independent(some)?);
    }
    let rest = bases.split_off(bases.len().min(MAX_BASES));
    // without any base nothing would count as introduced, so the empty tree is the base
    let compared = if bases.is_empty() { vec![None] } else { bases.into_iter().map(Some).collect() };
    Ok((compared, rest))
}

/// Whether the push rewrites the branch: its new commits do not descend from the old value.
pub(super) fn leaves(repo: &Repo, tip: &Tip, part: &Part) -> Result<bool> {
    let Some(old) = tip.old else { return Ok(false) };
    Ok(!part.edge.contains(&old) && !repo.leads_to(&tip.commit, &old)?)
}
