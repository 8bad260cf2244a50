//! Finds the files that the measured run of a scenario went through and that the scenario does not declare. Input: the view
//! and the reading that counts. Output: paths, for advice alone.

use crate::engine::facts::{Facts, Undeclared};
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::{CoverageOf, Reading, Stamped};
use crate::model::node::Declared;
use crate::model::resolve::matches;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Every scenario of `facts`, which were collected from `tree`, with such files. `config` is the judging configuration.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn undeclared(tree: &dyn Tree, config: &Config, facts: &Facts) -> Result<Vec<Undeclared>> {
    let mut found = Vec::new();
    for (node, scenario, score) in facts.scenarios() {
        let Some(reading) = score.reading.as_ref() else { continue };
        let Some(coverage) = reading.terms.coverage.as_ref() else { continue };
        let one = Declared { node, scenario };
        let paths = undeclared_of(tree, config, one, &coverage.ran)?;
        let is_governed = |path: &RepoPath| governed(node, scenario).iter().any(|entry| entry.covers(path));
        // a file that is related or ignored stands behind the undeclared ones, so that those are all in the line
        let is_cut = coverage.ran.iter().all(|path| paths.contains(path) || is_governed(path));
        let more = if is_cut && !scenario.unread.code { not_named(reading, coverage) } else { 0 };
        if !paths.is_empty() || more > 0 {
            found.push(Undeclared { dir: node.dir.clone(), name: scenario.name.clone(), paths, more });
        }
    }
    Ok(found)
}

/// How many of the files that the line of the reading does not name the scenario may not have governed. A line names those
/// files first, so that one governed file in it shows that it names them all. Without a stamp this is not known.
fn not_named(reading: &Reading, coverage: &CoverageOf) -> u32 {
    let is_whole = |stamp: &BTreeMap<RepoPath, Stamped>| coverage.ran.iter().any(|path| stamp.contains_key(path));
    if reading.governed.as_ref().is_none_or(is_whole) { 0 } else { coverage.more }
}

/// The paths in `ran` that are regular files of the view and that the scenario does not declare, each once, sorted.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn undeclared_of(
    tree: &dyn Tree,
    config: &Config,
    Declared { node, scenario }: Declared<'_>,
    ran: &[RepoPath],
) -> Result<Vec<RepoPath>> {
    // a part of the list may be unreadable, and the file may stand there
    if scenario.unread.code {
        return Ok(Vec::new());
    }
    let related = || scenario.related.iter().chain(node.spec.iter().flat_map(|spec| &spec.related));
    let is_test = |path: &RepoPath| scenario.test.iter().any(|test| test.literals().any(|literal| literal == path));
    let is_declared = |path: &RepoPath| {
        let names = |entry: &Governed| entry.covers(path);
        governed(node, scenario).iter().any(names) || related().any(names) || is_test(path)
    };
    let is_ignored = |path: &RepoPath| config.coverage_ignore.covers(path) || config.exclude.covers(path);
    let mut found = BTreeSet::new();
    for path in ran.iter().filter(|path| !is_declared(path) && !is_ignored(path)) {
        // another file may have its name now
        if matches!(tree.kind(path)?, Some(Kind::File | Kind::Exec)) && !tree.is_untracked(path)? {
            found.insert(path.clone());
        }
    }
    let has_found = !found.is_empty();
    // an entry may also mean files behind a link
    for entry in governed(node, scenario).iter().filter(|_| has_found) {
        for (path, _) in matches(tree, entry)? {
            found.remove(&path);
        }
    }
    Ok(found.into_iter().collect())
}
