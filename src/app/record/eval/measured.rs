//! What is being measured: the governed files of a scenario as they lie in the work tree, and which of them differ from
//! the commit that the reading will name.

use crate::app::record::site::Site;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::Stamped;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::stamp::{expand, stamp};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::BString;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The governed content at the moment of filing.
pub(super) struct MeasuredNow {
    /// What goes into the line; `None` when the configuration, the number of files, or a file that only an external
    /// filter could name leaves it out.
    pub(super) stamp: Option<BTreeMap<RepoPath, Stamped>>,
    /// The files that differ from the commit, sorted.
    pub(super) dirty: Vec<RepoPath>,
}

/// Looks at the governed files of `scenario` in the work tree and in `head`.
pub(super) fn measure(
    site: &dyn Site,
    head: &Oid,
    node: &Node,
    scenario: &Scenario,
    config: &Config,
) -> Result<MeasuredNow> {
    let list = governed(node, scenario);
    let (view, commit) = (site.worktree()?, site.commit(head)?);
    let view = Naming { inner: &*view, nameless: *head, met: Cell::new(false) };
    let (now, then) = (files(&view, list)?, files(&*commit, list)?);
    let paths: BTreeSet<_> = now.keys().chain(then.keys()).collect();
    let absent = |found: Option<&Stamped>| found.copied().unwrap_or(Stamped::Absent);
    let moved = |path: &&RepoPath| absent(now.get(*path)) != absent(then.get(*path));
    let dirty = paths.into_iter().filter(moved).cloned().collect();
    let stamp = if config.stamp_content && !view.met.get() { stamp(&view, list)? } else { None };
    Ok(MeasuredNow { stamp, dirty })
}

/// All files that a governed list stands for, however many.
fn files(tree: &dyn Tree, list: &[Governed]) -> Result<BTreeMap<RepoPath, Stamped>> {
    let mut all = BTreeMap::new();
    for entry in list {
        all.extend(expand(tree, entry)?.files);
    }
    Ok(all)
}

/// A view in which a changed file that has an external filter is called by a name that no content has: it differs from
/// whatever the commit holds, and whoever meets it can make no stamp.
struct Naming<'t> {
    inner: &'t dyn Tree,
    /// A commit's id is no file's.
    nameless: Oid,
    met: Cell<bool>,
}

impl Tree for Naming<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Entry>> {
        let found = self.inner.entry(path)?;
        Ok(found.map(|entry| match entry {
            Entry { kind: Kind::Dir, .. } | Entry { id: Some(_), .. } => entry,
            Entry { kind, id: None } => {
                self.met.set(true);
                Entry { kind, id: Some(self.nameless) }
            }
        }))
    }

    fn children(&self, dir: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        self.inner.children(dir)
    }

    fn files(&self, dir: &RepoPath, want: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        self.inner.files(dir, want)
    }

    fn size(&self, path: &RepoPath) -> Result<Option<u64>> {
        self.inner.size(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>> {
        self.inner.read(path)
    }

    fn is_untracked(&self, path: &RepoPath) -> Result<bool> {
        self.inner.is_untracked(path)
    }
}
