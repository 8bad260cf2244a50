//! The tips of a push and what each is compared with: what the branch held, where that is known here, and the newest
//! known commits that its new commits begin from, because what somebody merges from elsewhere is not theirs. The empty
//! tree where there is neither.

use super::commits::Part;
use super::refs::Update;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::commit::Peeled;
use crate::repo::program::NewCommits;
use crate::tree::oid::Oid;
use bstr::BString;

/// Most states that one tip is compared with in full. With fewer, more counts as introduced.
const MAX_BASES: usize = 8;
/// How many commits git is asked about at once which of them descend from others.
const ASKED_AT_ONCE: usize = 200;

/// One judged ref.
pub(super) struct Tip {
    /// Its name on the other side.
    pub(super) name: BString,
    /// The branch that it is, if it is one.
    pub(super) branch: Option<BString>,
    /// The commit that it shall hold.
    pub(super) commit: Oid,
    /// The commit that the branch holds there, where that is known here.
    pub(super) old: Option<Oid>,
}

/// What the new values of refs lead to.
#[derive(Default)]
pub(super) struct Brought {
    /// One for every ref that comes to lead to a commit, in the order of the updates.
    pub(super) tips: Vec<Tip>,
    /// Blobs and trees, which come with no commit.
    pub(super) contents: Vec<Content>,
}

/// A blob or a tree, and the ref that leads to it.
pub(super) struct Content {
    /// The ref's name on the other side.
    pub(super) name: BString,
    /// What it leads to.
    pub(super) of: Peeled,
}

/// What `updates` bring; what is only deleted brings nothing.
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
    // a tag or a note that moves has no past that it must keep
    let old = update.old.filter(|_| branch.is_some()).map_or(Ok(None), |old| repo.peel(old).map(Peeled::commit))?;
    Ok(Tip { name: update.name.clone(), branch, commit, old })
}

/// The question for the new commits: all of `tips`, without what any updated ref holds on the other side.
pub(super) fn wanted(repo: &Repo, tips: &[Tip], updates: &[Update]) -> Result<NewCommits> {
    let mut known = Vec::new();
    for old in updates.iter().filter_map(|update| update.old) {
        known.extend(repo.peel(old)?.commit());
    }
    known.sort_unstable();
    known.dedup();
    Ok(NewCommits { tips: tips.iter().map(|tip| tip.commit).collect(), known, ..NewCommits::default() })
}

/// What one tip is compared with.
pub(super) struct Bases {
    /// In full; never empty.
    pub(super) compared: Vec<Option<Oid>>,
    /// The rest, of which only the ledgers are.
    pub(super) rest: Vec<Oid>,
}

/// What the tip with these new commits is compared with, where `stacked` are the branches of the same push below it.
pub(super) fn bases(repo: &Repo, tip: &Tip, part: &Part, stacked: &[Oid]) -> Result<Bases> {
    let mut asked: Vec<Oid> = part.edge.clone();
    asked.extend(tip.old.filter(|old| !part.edge.contains(old)));
    let mut newest = Vec::new();
    // In parts, since an argument list has an end; what is independent so far is asked again with the next part, or a
    // commit of the first could be an ancestor of one in the last.
    for some in asked.chunks(ASKED_AT_ONCE) {
        newest.extend_from_slice(some);
        newest = repo.independent(&newest)?;
    }
    // what the branch held comes first: the list is cut at its end, and a rewriting is looked for at its beginning
    let mut bases: Vec<Oid> = tip.old.into_iter().collect();
    bases.extend(newest.into_iter().filter(|commit| Some(*commit) != tip.old));
    for some in stacked.chunks(ASKED_AT_ONCE) {
        bases.extend(repo.independent(some)?);
    }
    let rest = bases.split_off(bases.len().min(MAX_BASES));
    // with nothing to compare with nothing would be introduced: then the empty tree is the base
    let compared = if bases.is_empty() { vec![None] } else { bases.into_iter().map(Some).collect() };
    Ok(Bases { compared, rest })
}

/// Whether the push takes away what the branch held: its new commits do not lead there.
pub(super) fn leaves(repo: &Repo, tip: &Tip, part: &Part) -> Result<bool> {
    let Some(old) = tip.old else { return Ok(false) };
    Ok(!part.edge.contains(&old) && !repo.leads_to(&tip.commit, &old)?)
}
