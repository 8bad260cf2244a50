//! The names that the receiving side has for its refs. git moves the ref that a pushed symbolic one stands for, so a pushed name
//! is resolved before anything is asked about it: else `stable`, which stands for `main`, would be a way past what protects `main`.

use super::refs::Update;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::non_code_refs::BesideCode;
use bstr::{BStr, BString, ByteSlice};
use std::collections::HashSet;

/// git reads so many refs in a row.
const MAX_CHAIN: usize = 5;
const HEADS: &[u8] = b"refs/heads/";

/// The symbolic refs of the receiving side, each with the ref that git moves for it. Of the other side of a push none is known.
#[derive(Default)]
pub(super) struct Aliases(Vec<Alias>);

/// A symbolic ref.
struct Alias {
    name: BString,
    /// The ref that git moves for it.
    end: BString,
}

impl Aliases {
    /// Those of `repo`. A loop stands for nothing; only a push to it is an error.
    pub(super) fn of(repo: &Repo) -> Result<Self> {
        let mut names = repo.symbolic_refs()?;
        names.sort_unstable();
        let alias = |name: BString| Some(Alias { end: end(repo, name.as_bstr()).ok()?, name });
        Ok(Self(names.into_iter().filter_map(alias).collect()))
    }

    /// The ref that is judged for the one that is called `name`: what git moves, or the first branch that stands for that where
    /// it is none itself. Else `main`, where it stands for a ref elsewhere, would be no branch.
    pub(super) fn resolve(&self, repo: &Repo, name: &BStr) -> Result<BString> {
        Ok(self.judged(end(repo, name)?))
    }

    fn judged(&self, end: BString) -> BString {
        let is_plain = end.starts_with(HEADS) || BesideCode::of(&end).is_some();
        let mut branches = self.0.iter().filter(|alias| !is_plain && alias.end == end && alias.name.starts_with(HEADS));
        branches.next().map(|alias| alias.name.clone()).unwrap_or(end)
    }

    /// Whether a ref of this name is only another name of the one that is judged.
    pub(super) fn has(&self, name: &BStr) -> bool {
        self.0.iter().any(|alias| alias.name == name && self.judged(alias.end.clone()) != name)
    }

    /// The names of the ref that is judged as `branch`: that one, and the aliases that stand for it. Each may be the one that a
    /// configuration protects.
    pub(super) fn names(&self, branch: &BStr) -> Vec<BString> {
        let full = [HEADS, branch].concat();
        let aliases = self.0.iter().filter(|alias| alias.name != full && self.judged(alias.end.clone()) == full);
        let others = aliases.filter_map(|alias| alias.name.strip_prefix(HEADS)).map(BString::from);
        std::iter::once(branch.to_owned()).chain(others).collect()
    }

    /// What `updates` do to the refs that git will move, each once, and a sentence for every name that stands for another one.
    pub(super) fn resolved(&self, repo: &Repo, updates: &[Update]) -> Result<(Vec<Update>, Vec<String>)> {
        let (mut seen, mut moved, mut notes) = (HashSet::new(), Vec::new(), Vec::new());
        for update in updates {
            let name = self.resolve(repo, update.name.as_bstr())?;
            if name != update.name {
                notes.push(format!("{} stands for {name} here", update.name));
            }
            // git takes a ref and its alias in one push where both say the same, and moves it once
            if seen.insert((name.clone(), update.old, update.new)) {
                moved.push(Update { name, ..update.clone() });
            }
        }
        Ok((moved, notes))
    }
}

/// The ref that git moves when it is told to move `name`; it need not be there.
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
