//! The authors of the commits of a change. A commit of records alone has no author here: an approver commits his own
//! decision.

use super::records::BaseRecords;
use crate::error::{Error, Result};
use crate::features::patches::judge::engine::approval::Giver;
use crate::features::trust::Mailmap;
use crate::repo::commit::Author;
use crate::repo::program::{NewCommit, NewCommits};
use crate::repo::{FETCH_ALL, Repo};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The names of the people behind commits, by the mailmap of the base: the one that a change brings could rename its author.
pub(crate) struct People(pub(crate) Mailmap);

impl People {
    /// The address that stands for an author, in lower case.
    pub(crate) fn address(&self, author: &Author) -> String {
        self.0.proper(&author.name, &author.address)
    }

    /// All names of an author.
    pub(crate) fn giver(&self, author: &Author) -> Giver {
        let addresses = self.0.addresses(&author.name, &author.address);
        Giver::of(addresses.iter().chain([&author.name]).map(String::as_str))
    }

    /// The person in a text, for example `Bob <bob@example.org>`, `Bob` or `bob@example.org`.
    pub(crate) fn named(&self, text: &str) -> Giver {
        let author = Author::parse(text);
        let bare = Author { address: text.trim().to_owned(), ..author.clone() };
        if author.address.is_empty() { self.giver(&bare) } else { self.giver(&author) }
    }
}

/// The authors and co-authors of the commits that lead to `tip` and to none of `known`.
///
/// # Errors
/// When a commit cannot be read.
pub(crate) fn authors(repo: &Repo, tip: Oid, known: &[Oid], records: &[BaseRecords]) -> Result<Vec<Author>> {
    let wanted = NewCommits { tips: vec![tip], known: known.to_vec(), ..NewCommits::default() };
    let mut found = Vec::new();
    for commit in repo.new_commits(&wanted)? {
        if brings_content(repo, &commit, records)? {
            found.extend(repo.authors(&commit.id)?);
        }
    }
    Ok(found)
}

/// Whether a commit changes content itself. A merge does so only at paths that differ from every parent, because the authors
/// of the merged commits wrote all other paths.
fn brings_content(repo: &Repo, commit: &NewCommit, records: &[BaseRecords]) -> Result<bool> {
    let tree = repo.tree_of(&commit.id)?;
    let after = repo.tree_view(tree);
    let mut own: Option<BTreeSet<RepoPath>> = None;
    let parents: Vec<Option<Oid>> = match repo.parents(&commit.id)? {
        // the commits behind the cut may be by any author
        none if none.is_empty() && repo.shallow => {
            let message =
                format!("the authors of the change are unknown: its history is cut off at {}", commit.id.short());
            return Err(Error::unchecked(message).hint(FETCH_ALL));
        }
        none if none.is_empty() => vec![None],
        parents => parents.into_iter().map(Some).collect(),
    };
    for parent in parents {
        let before = parent.map_or(Ok(None), |parent| repo.tree_of(&parent))?;
        let mut changed = BTreeSet::new();
        for change in repo.tree_diff(before, tree)? {
            let mut is_record = !records.is_empty();
            for base in records {
                is_record = is_record && base.has(&change, &*after)?;
            }
            if !is_record {
                changed.insert(change.path);
            }
        }
        own = Some(match own {
            None => changed,
            Some(before) => before.intersection(&changed).cloned().collect(),
        });
    }
    Ok(own.is_some_and(|own| !own.is_empty()))
}
