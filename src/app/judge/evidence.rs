//! Finds the evidence that a snapshot names, and the evidence files that it wrongly holds.

use super::snapshot::{AddedBlob, Snapshot};
use super::states::States;
use super::stray::{self, Blobs, KnownEvidence};
use super::{Focus, Question};
use crate::error::Result;
use crate::model::ledger::{EvidenceHash, Ledger};
use crate::model::workspace::Workspace;
use crate::repo::Repo;
use crate::rules::{Door, Stray};
use crate::store::evidence::Cache;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::collections::HashSet;

/// Reading a blob above this size, in bytes, may take long.
const LARGE: u64 = 1 << 20;

pub(super) struct Evidence {
    /// The hashes that its readings name.
    pub(super) named: HashSet<EvidenceHash>,
    /// The evidence that it adds to the tree; for a state without a base, all evidence in the tree.
    pub(super) strays: Vec<Stray>,
    /// Whether the files were compared by name only, although evidence exists and their content could be compared.
    pub(super) unread: bool,
}

/// Looks for evidence. Skips [`Door::Commits`], because those commits are checked for evidence one by one elsewhere.
pub(super) fn look(question: &Question<'_>, states: &States) -> Result<Evidence> {
    let Question { repo, snapshot, focus, .. } = *question;
    let cache = Cache::new(&repo.common_dir);
    let named = named(&states.view.workspace);
    let elsewhere = |hash: &EvidenceHash| match focus {
        Focus::Everything => false,
        Focus::Nodes(concerned) => (concerned.names)(hash),
    };
    let any = matches!(focus, Focus::Nodes(_)) || !named.is_empty() || cache.exists()?;
    let reads = question.options.reads_files || !snapshot.bases.is_empty();
    let held = Held::of(snapshot);
    let known = KnownEvidence {
        cache: &cache,
        named: &|hash| named.contains(hash) || elsewhere(hash),
        any: any && reads,
        allowed: &|path| states.allow(path),
        // a check of some nodes is repeated for everything as soon as a file looks stray
        held: &|id| if matches!(focus, Focus::Nodes(_)) { Ok(false) } else { held.has(id) },
    };
    let strays = if snapshot.door == Door::Commits { Vec::new() } else { strays(question, &known)? };
    Ok(Evidence { named, strays, unread: any && !reads })
}

/// The added blobs that are evidence; for a state without a base, all of its blobs are checked. If neither the cache nor a
/// reading knows any evidence, only files named like evidence are read.
fn strays(question: &Question<'_>, known: &KnownEvidence<'_>) -> Result<Vec<Stray>> {
    let Question { repo, snapshot, focus, .. } = *question;
    if snapshot.bases.is_empty() {
        return stray::strays(&&*snapshot.view, &every_blob(snapshot, known.any)?, known);
    }
    match focus {
        Focus::Everything => stray::strays(repo, &snapshot.added(), known),
        Focus::Nodes(concerned) => stray::strays(&Announced { repo, busy: concerned.busy }, &snapshot.added(), known),
    }
}

/// Whether evidence may be among `added`, at any path. `named` says whether a reading names given bytes.
///
/// # Errors
/// When the cache or a blob cannot be read.
pub(crate) fn may_be_among(added: &[AddedBlob], blobs: &Announced<'_>, named: Option<Named<'_>>) -> Result<bool> {
    let cache = Cache::new(&blobs.repo.common_dir);
    let known = KnownEvidence {
        cache: &cache,
        named: &|hash| named.is_some_and(|named| named(hash)),
        any: named.is_some() || cache.exists()?,
        allowed: &|_| false,
        held: &|_| Ok(false),
    };
    Ok(!stray::strays(blobs, added, &known)?.is_empty())
}

/// Whether a reading names these bytes.
pub(crate) type Named<'a> = &'a dyn Fn(&EvidenceHash) -> bool;

/// The blobs of a repository, with a call of `busy` before a large one is read.
pub(crate) struct Announced<'a> {
    /// The repository that is read.
    pub repo: &'a Repo,
    /// Shows the user that the check is still working.
    pub busy: &'a dyn Fn(),
}

impl Blobs for Announced<'_> {
    fn size(&self, blob: &AddedBlob) -> Result<u64> {
        self.repo.size(blob)
    }

    fn read(&self, blob: &AddedBlob) -> Result<Vec<u8>> {
        if self.size(blob)? > LARGE {
            (self.busy)();
        }
        self.repo.read(blob)
    }
}

/// The blobs of the whole state; without `any`, only those with a name like evidence.
fn every_blob(snapshot: &Snapshot, any: bool) -> Result<Vec<AddedBlob>> {
    let root = RepoPath::root();
    let mut blobs = Vec::new();
    for (path, _) in snapshot.view.files(&root, &|path| any || stray::is_telling(path))? {
        if snapshot.view.is_untracked(&path)? {
            continue;
        }
        if let Some(id) = snapshot.view.entry(&path)?.and_then(|entry| entry.id) {
            blobs.push(AddedBlob { path, id });
        }
    }
    Ok(blobs)
}

/// Every hash that a reading of the workspace names.
pub(crate) fn named(workspace: &Workspace) -> HashSet<EvidenceHash> {
    workspace.nodes.iter().flat_map(|node| &node.ledgers).flat_map(Ledger::named).collect()
}

/// The ids of all blobs in the bases of a snapshot. They are listed at the first query, because there may be many queries.
pub(crate) struct Held<'s> {
    snapshot: &'s Snapshot,
    ids: OnceCell<HashSet<Oid>>,
}

impl<'s> Held<'s> {
    /// Lists nothing yet.
    pub(crate) fn of(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, ids: OnceCell::new() }
    }

    /// Whether a base already holds this content at some path.
    ///
    /// # Errors
    /// When a base cannot be listed.
    pub(crate) fn has(&self, id: &Oid) -> Result<bool> {
        if let Some(known) = self.ids.get() {
            return Ok(known.contains(id));
        }
        let mut ids = HashSet::new();
        for base in &self.snapshot.bases {
            let files = base.tree.files(&RepoPath::root(), &|_| true)?;
            ids.extend(files.into_iter().filter_map(|(_, entry)| entry.id));
        }
        Ok(self.ids.get_or_init(|| ids).contains(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::judge::snapshot::{self, Base};
    use crate::repo::change::PathChange;
    use crate::tree::memory::MemoryTree;
    use crate::tree::{Entry, Tree};
    use bstr::BString;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A tree that counts how often it is listed.
    struct Counted(MemoryTree, Rc<Cell<usize>>);

    impl Tree for Counted {
        fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
            self.0.entry(path)
        }

        fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
            self.0.children(dir)
        }

        fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
            self.1.set(self.1.get() + 1);
            self.0.files(dir, want)
        }

        fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
            self.0.size(path)
        }

        fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
            self.0.read(path)
        }
    }

    #[test]
    fn what_any_base_holds_under_any_name_is_held_and_each_is_listed_once() {
        let listed = Rc::new(Cell::new(0));
        let base = |files: &[(&str, &str)]| {
            let tree: Rc<dyn Tree> = Rc::new(Counted(MemoryTree::of_files(files), Rc::clone(&listed)));
            Base::of(tree, None, &[] as &[PathChange])
        };
        let view = MemoryTree::of_files(&[("new", "one"), ("again", "two"), ("other", "three")]);
        let id = |path: &str| view.entry(&RepoPath::from_git(path)).unwrap().unwrap().id.unwrap();
        let ids = [id("new"), id("again"), id("other")];
        let bases = vec![base(&[("docs/deep/a", "one"), ("b", "else")]), base(&[("c", "two")])];
        let snapshot = snapshot::steps(Rc::new(view), bases);
        let held = Held::of(&snapshot);
        assert_eq!(listed.get(), 0, "nobody asked");
        for _ in 0..2 {
            assert_eq!(ids.map(|id| held.has(&id).unwrap()), [true, true, false]);
        }
        assert_eq!(listed.get(), 2, "once each");
    }
}
