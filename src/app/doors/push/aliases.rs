//! The names that the receiving side has for its refs. git moves the ref that a pushed symbolic one stands for, so a pushed name
//! is resolved before anything is asked about it: else `stable`, which stands for `main`, would be a way past what protects `main`.

use super::refs::Update;
use crate::error::{Error, Result};
use crate::repo::Repo;
use bstr::{BStr, BString, ByteSlice};
use std::collections::HashSet;

/// git reads so many refs in a row.
const MAX_CHAIN: usize = 5;
const HEADS: &[u8] = b"refs/heads/";

/// The symbolic refs of the receiving side, each with the ref that git moves for it. Of the other side of a push none is known.
#[derive(Default)]
pub(super) struct Aliases(Vec<(BString, BString)>);

impl Aliases {
    /// Those of `repo`. A loop stands for nothing; only a push to it is an error.
    pub(super) fn of(repo: &Repo) -> Result<Self> {
        let names = repo.symbolic_refs()?.into_iter();
        Ok(Self(names.filter_map(|name| Some((name.clone(), end(repo, name.as_bstr()).ok()?))).collect()))
    }

    /// Whether a ref of this name is only another name of one.
    pub(super) fn has(&self, name: &BStr) -> bool {
        self.0.iter().any(|(alias, _)| alias == name)
    }

    /// The branches that are pushed with `branch`: itself, and the aliases that stand for it. Each of the names may be the one
    /// that a configuration protects.
    pub(super) fn names(&self, branch: &BStr) -> Vec<BString> {
        let full = [HEADS, branch].concat();
        let aliases = self.0.iter().filter(|(_, target)| *target == full);
        let others = aliases.filter_map(|(alias, _)| alias.strip_prefix(HEADS)).map(BString::from);
        std::iter::once(branch.to_owned()).chain(others).collect()
    }
}

/// What `updates` do to the refs that git will move, each once, and a sentence for every name that stands for another one.
pub(super) fn resolved(repo: &Repo, updates: &[Update]) -> Result<(Vec<Update>, Vec<String>)> {
    let (mut seen, mut moved, mut notes) = (HashSet::new(), Vec::new(), Vec::new());
    for update in updates {
        let name = end(repo, update.name.as_bstr())?;
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

/// The ref that git moves when it is told to move `name`; it need not be there.
pub(super) fn end(repo: &Repo, name: &BStr) -> Result<BString> {
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
