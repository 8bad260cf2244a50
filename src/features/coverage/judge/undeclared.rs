//! Finds the files that the measured run of a scenario went through and that the scenario does not declare. Input: the view
//! and the reading that counts. Output: paths, for advice alone.

use crate::engine::facts::Facts;
use crate::engine::freshness::governed;
use crate::error::Result;
use crate::features::coverage::judge::earlier::{CoveredRun, Earlier, Fate};
use crate::features::coverage::judge::excused::{is_file, is_ignored, is_related};
use crate::model::config::Config;
use crate::model::ledger::{CoverageOf, Reading, Stamped};
use crate::model::node::Declared;
use crate::model::resolve::matches;
use crate::text::{first_of, plural};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

/// How many files a message names.
const MOST_NAMED: usize = 5;

/// A scenario with files that its measured run went through and that it does not declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undeclared {
    /// The directory of the node.
    pub(crate) dir: RepoPath,
    /// The name of the scenario.
    pub(crate) name: String,
    /// The files, sorted.
    pub(crate) paths: Vec<RepoPath>,
    /// How many further files the reading counts and does not name. The scenario may declare them.
    pub(crate) more: u32,
    /// The names in the reading of files that the change renames, by their names now.
    pub(crate) former: BTreeMap<RepoPath, RepoPath>,
    /// What the change does to the reading.
    pub(crate) fate: Fate,
}

/// All such scenarios of a state.
#[derive(Debug, PartialEq)]
pub(crate) struct AllUndeclared(pub(crate) Vec<Undeclared>);

impl AllUndeclared {
    /// Those of `facts`; none if they were not collected.
    pub(crate) fn of(facts: &Facts) -> &[Undeclared] {
        facts.parts.get::<Self>().map_or(&[], |all| &all.0)
    }
}

/// A line of a `.gitattributes` by which a change marks files as generated or vendored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkingLine {
    pub(crate) file: RepoPath,
    pub(crate) line: String,
    /// Whether the change adds it. A line that it takes away kept files from being marked.
    pub(crate) is_added: bool,
}

/// All such lines of a change.
#[derive(Debug, PartialEq)]
pub(crate) struct MarkingLines(pub(crate) Vec<MarkingLine>);

/// Every scenario of `facts`, which were collected from `tree`, with such files. `config` is the judging configuration.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn undeclared(
    tree: &dyn Tree,
    config: &Config,
    facts: &Facts,
    before: &Earlier<'_>,
) -> Result<Vec<Undeclared>> {
    let mut found = Vec::new();
    for (node, scenario, score) in facts.scenarios() {
        let Some(counting) = score.reading.as_ref() else { continue };
        let one = Declared { node, scenario };
        let Some(CoveredRun { reading, coverage, fate }) = before.run(one, counting) else { continue };
        let files = undeclared_files(tree, config, one, &coverage.ran, before)?;
        let is_governed = |path: &RepoPath| governed(node, scenario).iter().any(|entry| entry.covers(path));
        // a file that is related or ignored stands behind the undeclared ones, so that those are all in the line
        let is_cut = coverage.ran.iter().all(|path| files.values().any(|then| then == path) || is_governed(path));
        let more = if is_cut && !scenario.unread.code { not_named(reading, coverage) } else { 0 };
        if !files.is_empty() || more > 0 {
            let renamed = files.iter().filter(|(now, then)| now != then);
            found.push(Undeclared {
                dir: node.dir.clone(),
                name: scenario.name.clone(),
                former: renamed.map(|(now, then)| (now.clone(), then.clone())).collect(),
                paths: files.into_keys().collect(),
                more,
                fate,
            });
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
    one: Declared<'_>,
    ran: &[RepoPath],
) -> Result<Vec<RepoPath>> {
    Ok(undeclared_files(tree, config, one, ran, &Earlier::default())?.into_keys().collect())
}

/// The same with the name that each file has in `ran`. A file that the change renames counts under its new name, so that no
/// renaming hides it; a file that is gone is not named.
fn undeclared_files(
    tree: &dyn Tree,
    config: &Config,
    one: Declared<'_>,
    ran: &[RepoPath],
    before: &Earlier<'_>,
) -> Result<BTreeMap<RepoPath, RepoPath>> {
    let Declared { node, scenario } = one;
    // a part of the list may be unreadable, and the file may stand there
    if scenario.unread.code {
        return Ok(BTreeMap::new());
    }
    let is_governed = |path: &RepoPath| governed(node, scenario).iter().any(|entry| entry.covers(path));
    let is_excused = |then: &RepoPath, now: &RepoPath| {
        (is_related(one, now) || is_ignored(config, now)) && before.excuse(one, then, now)
    };
    let mut found = BTreeMap::new();
    for path in ran.iter().filter(|path| !is_governed(path)) {
        // another file may have its name now
        if is_file(tree, path)? {
            if !is_excused(path, path) && !tree.is_untracked(path)? {
                found.insert(path.clone(), path.clone());
            }
            continue;
        }
        let names = before.new_names(path)?;
        // of several copies one that is declared is enough
        if let Some(name) = names.first().filter(|_| !names.iter().any(|now| is_governed(now) || is_excused(path, now)))
        {
            found.insert((*name).clone(), path.clone());
        }
    }
    let has_found = !found.is_empty();
    // an entry may also mean files behind a link
    for entry in governed(node, scenario).iter().filter(|_| has_found) {
        for (path, _) in matches(tree, entry)? {
            found.remove(&path);
        }
    }
    Ok(found)
}

/// What the run went through, for example `the measured run went through 2 files that its code list does not name: a, b`.
/// `further` files are counted by the reading and named by none.
pub(crate) fn sentence(paths: &[RepoPath], further: u32) -> String {
    if paths.is_empty() {
        let files = plural(further as usize, "further file");
        return format!("the measured run went through {files}, and the reading does not say which: measure again");
    }
    let least = if further > 0 { "at least " } else { "" };
    let files = format!("{least}{}", plural(paths.len(), "file"));
    format!("the measured run went through {files} that its code list does not name: {}", first_of(paths, MOST_NAMED))
}

/// The same for a finding. The words of a redacted line are repeated nowhere, and the names of files may be such words.
pub(crate) fn sentence_about(one: &Undeclared) -> String {
    match one.fate {
        Fate::Kept => sentence(&one.paths, one.more),
        Fate::Withdrawn => format!(
            "{}; this change withdraws the reading that says so: measure again with coverage",
            sentence(&one.paths, one.more)
        ),
        Fate::Redacted => {
            "the measured run went through files that its code list does not name; this change redacts the \
                           reading that says so: measure again with coverage"
                .to_owned()
        }
    }
}
