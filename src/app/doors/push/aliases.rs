//! The symbolic refs of the receiving side. Git moves the target when a symbolic ref is pushed, so every pushed name is
//! resolved first. Otherwise a push to `stable`, a symbolic ref to `main`, would bypass the protection of `main`.

use super::refs::Update;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::non_code_refs::BesideCode;
use bstr::{BStr, BString, ByteSlice};
use std::collections::HashSet;

/// The maximal length of a chain of symbolic refs, as in git.
const MAX_CHAIN: usize = 5;
const HEADS: &[u8] = b"refs/heads/";

/// The symbolic refs of the receiving side, each with the ref that git moves. For a remote none are known.
#[derive(Default)]
pub(super) struct Aliases(Vec<Alias>);

/// A symbolic ref.
struct Alias {
    name: BString,
    /// The ref that git moves for it.
    end: BString,
}

impl Aliases {
    /// The symbolic refs of `repo`. A loop is skipped; only a push to a loop is an error.
    pub(super) fn of(repo: &Repo) -> Result<Self> {
        let mut names = repo.symbolic_refs()?;
        names.sort_unstable();
        let alias = |name: BString| Some(Alias { end: end(repo, name.as_bstr()).ok()?, name });
        Ok(Self(names.into_iter().filter_map(alias).collect()))
    }

    /// The ref that is judged for `name`: the ref that git moves, or, if that is no branch, the first branch that points to
    /// it. Otherwise `main` as a symbolic ref to another place would not count as a branch.
    pub(super) fn resolve(&self, repo: &Repo, name: &BStr) -> Result<BString> {
        Ok(self.judged(end(repo, name)?))
    }

    fn judged(&self, end: BString) -> BString {
        let is_plain = end.starts_with(HEADS) || BesideCode::of(&end).is_some();
        let mut branches = self.0.iter().filter(|alias| !is_plain && alias.end == end && alias.name.starts_with(HEADS));
        branches.next().map(|alias| alias.name.clone()).unwrap_or(end)
    }

    /// Whether `name` is only an alias of another judged ref.
    pub(super) fn has(&self, name: &BStr) -> bool {
        self.0.iter().any(|alias| alias.name == name && self.judged(alias.end.clone()) != name)
    }

    /// The names of the judged `branch`: its own, and the aliases that point to it. A configuration may protect any.
    pub(super) fn names(&self, branch: &BStr) -> Vec<BString> {
        let full = [HEADS, branch].concat();
        let aliases = self.0.iter().filter(|alias| alias.name != full && self.judged(alias.end.clone()) == full);
        let others = aliases.filter_map(|alias| alias.name.strip_prefix(HEADS)).map(BString::from);
        std::iter::once(branch.to_owned()).chain(others).collect()
    }

    /// The updates of the refs that git will move, each once, and a sentence for every resolved alias.
    pub(super) fn resolved(&self, repo: &Repo, updates: &[Update]) -> Result<(Vec<Update>, Vec<String>)> {
        let (mut seen, mut moved, mut notes) = (HashSet::new(), Vec::new(), Vec::new());
        for update in updates {
            let name = self.resolve(repo, update.name.as_bstr())?;
            if name != update.name {
                notes.push(format!("{} stands for {name} here", update.name));
            }
            // Git accepts equal updates of a ref and its alias in one push, and moves the ref once.
            if seen.insert((name.clone(), update.old, update.new)) {
                moved.push(Update { name, ..update.clone() });
            }
        }
        Ok((moved, notes))
    }
}

/// The ref that git moves for `name`; it need not exist.
fn end(repo: &Repo, name: &BStr) -> Result<BString> {
    let mut at = name.to_owned();
    for _ in 0..MAX_CHAIN {
        match repo.symbolic_ref(&at)? {
            None => return Ok(at),
            Some(target) => at = target,
        }
    }
    Err(Error::unchecked(format!("{name} leads through too many symbolic refs"))
        .hint("see what `git symbolic-ref` says of each in the repository that receives"))
}
