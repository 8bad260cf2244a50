//! What is being measured, and by which test: the governed files of a scenario and its test as they lie in the work tree, and
//! which governed files differ from the commit that the reading will name.

use crate::app::site::Site;
use crate::engine::anchors::Anchors;
use crate::engine::freshness::governed;
use crate::engine::units::SymbolFound;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::{Stamped, StampedTest, StampedUnit, TestAtCommit};
use crate::model::links::file_at;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::model::stamp::{NamedTree, expand, stamp};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The governed content and the test at the moment of filing.
pub(crate) struct MeasuredNow {
    /// The stamp for the line; `None` if the configuration switches it off, if there are too many files, or if only an
    /// external filter could tell the id of a file.
    pub(crate) stamp: Option<BTreeMap<RepoPath, Stamped>>,
    /// The units that selectors name, as far as they could be read.
    pub(crate) units: BTreeMap<StampedUnit, Oid>,
    /// The test, with its files as far as each has an id; `None` without a test file, and if the configuration switches stamps off.
    pub(crate) test: Option<StampedTest>,
    /// The files that differ from the commit, sorted.
    pub(crate) dirty: Vec<RepoPath>,
    /// The entries that differ, sorted: files or selectors.
    pub(crate) differing: Vec<String>,
}

/// The work tree, and the commit that it is compared with.
struct WorkAndCommit<'v> {
    anchors: Anchors,
    view: &'v dyn Tree,
    commit: &'v dyn Tree,
}

/// Compares the governed files of `scenario` in the work tree and in `head`.
pub(super) fn measure(
    site: &dyn Site,
    head: &Oid,
    node: &Node,
    scenario: &Scenario,
    config: &Config,
) -> Result<MeasuredNow> {
    let list = governed(node, scenario);
    let (view, commit) = (site.worktree()?, site.commit(head)?);
    let both = WorkAndCommit { anchors: site.anchors(), view: &*view, commit: &*commit };
    let met = Cell::new(false);
    // a commit's id is the id of no file: the file differs from every commit, and no stamp can be made
    let nameless = |_: &RepoPath| {
        met.set(true);
        Ok(*head)
    };
    let view = NamedTree { inner: &*view, name: &nameless };
    let (mut dirty, mut differing) = (BTreeSet::new(), BTreeSet::new());
    for entry in list {
        let moved = moved(&view, &*commit, entry)?;
        if !moved.is_empty() && !both.has_same_unit(entry)? {
            differing.extend(moved.iter().map(|path| named(entry, path)));
        }
        dirty.extend(moved);
    }
    let mut edited = BTreeSet::new();
    for entry in list {
        for (path, content) in expand(&view, entry)?.files {
            if matches!(content, Stamped::Submodule(_)) && site.is_submodule_edited(&path)? {
                differing.insert(named(entry, &path));
                edited.insert(path);
            }
        }
    }
    let stamp = if config.stamp_content && !met.get() { stamp(&view, list)? } else { None };
    // An edited submodule: its commit was not measured, and the measured content has no id. Without an entry the reading
    // is never fresh.
    let stamp: Option<BTreeMap<_, _>> =
        stamp.map(|stamp| stamp.into_iter().filter(|(path, _)| !edited.contains(path)).collect());
    dirty.extend(edited);
    let units = if stamp.is_some() { both.units(&view, list)? } else { BTreeMap::new() };
    met.set(false);
    let test = if config.stamp_content { both.test(&view, scenario)? } else { None };
    let test = match test {
        Some(test) if met.get() => Some(test.without_stamp()),
        // its commit was not measured, as with an edited submodule of the list
        Some(test) if has_edited_submodule(site, &test)? => Some(test.never_fresh()),
        other => other,
    };
    site.leave_units(both.anchors.units());
    let (dirty, differing) = (dirty.into_iter().collect(), differing.into_iter().collect());
    Ok(MeasuredNow { stamp, units, test, dirty, differing })
}

fn has_edited_submodule(site: &dyn Site, test: &StampedTest) -> Result<bool> {
    let modules = test.files.iter().filter(|(_, content)| matches!(content, Stamped::Submodule(_)));
    for (path, _) in modules {
        if site.is_submodule_edited(path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The content in the work tree with both stamps, whatever `yatsu.stampContent` says.
pub(crate) fn stamped_now(site: &dyn Site, head: &Oid, node: &Node, scenario: &Scenario) -> Result<MeasuredNow> {
    let config = Config { stamp_content: true, ..Config::default() };
    measure(site, head, node, scenario, &config)
}

/// The files of an entry that differ.
fn moved(view: &dyn Tree, commit: &dyn Tree, entry: &Governed) -> Result<Vec<RepoPath>> {
    let (now, then) = (expand(view, entry)?.files, expand(commit, entry)?.files);
    let paths: BTreeSet<_> = now.keys().chain(then.keys()).collect();
    let absent = |found: Option<&Stamped>| found.copied().unwrap_or(Stamped::Absent);
    let moved = |path: &&RepoPath| absent(now.get(*path)) != absent(then.get(*path));
    Ok(paths.into_iter().filter(moved).cloned().collect())
}

fn named(entry: &Governed, path: &RepoPath) -> String {
    entry.symbol().map_or_else(|| path.to_string(), |symbol| format!("{path}#{symbol}"))
}

impl WorkAndCommit<'_> {
    /// Whether the entry means a unit that is the same in both, in one file of one mode.
    fn has_same_unit(&self, entry: &Governed) -> Result<bool> {
        let (Ok(path), Some(symbol)) = (&entry.path, entry.symbol()) else { return Ok(false) };
        let (Some(file), then) = (file_at(self.view, path)?, file_at(self.commit, path)?) else { return Ok(false) };
        if then.as_ref() != Some(&file) || self.view.kind(&file)? != self.commit.kind(&file)? {
            return Ok(false);
        }
        let now = self.anchors.units().in_view(self.view, &file, symbol)?;
        Ok(matches!(now, Some(SymbolFound::Unit(_)))
            && now == self.anchors.units().in_view(self.commit, &file, symbol)?)
    }

    /// The readable units that the list names, of files that no other entry governs as a whole: a stamped unit says that no
    /// more of the file was measured.
    fn units(&self, view: &dyn Tree, list: &[Governed]) -> Result<BTreeMap<StampedUnit, Oid>> {
        let mut units = BTreeMap::new();
        for entry in list {
            let (Ok(path), Some(symbol)) = (&entry.path, entry.symbol()) else { continue };
            let Some(file) = file_at(view, path)? else { continue };
            if list.iter().any(|other| other.symbol().is_none() && (other.covers(path) || other.covers(&file))) {
                continue;
            }
            if let Some(SymbolFound::Unit(id)) = self.anchors.units().in_view(view, &file, symbol)? {
                units.insert(StampedUnit { path: path.clone(), symbol: symbol.to_owned() }, id);
            }
        }
        Ok(units)
    }

    /// The stamp of the scenario's test, and how the test stands at the commit.
    fn test(&self, view: &dyn Tree, scenario: &Scenario) -> Result<Option<StampedTest>> {
        let (Some(entry), Some(whole)) = (scenario.test_entry(), &scenario.test) else { return Ok(None) };
        let files = expand(view, &entry)?.files;
        if files.is_empty() {
            return Ok(None);
        }
        let units = self.units(view, std::slice::from_ref(&entry))?;
        let is_same = moved(view, self.commit, whole)?.is_empty();
        let at_commit = whole.path.clone().ok().map(|entry| TestAtCommit { entry, is_same });
        Ok(Some(StampedTest { files, units, at_commit }))
    }
}
