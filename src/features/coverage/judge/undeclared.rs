//! Finds the files that the measured run of a scenario went through and that the scenario does not declare. Input: the view
//! and the reading that counts. Output: paths, for advice alone.

use crate::engine::effective::Effective;
use crate::engine::facts::Facts;
use crate::engine::freshness::governed;
use crate::engine::touched::PatchSide;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::governed::Governed;
use crate::model::ledger::{CoverageOf, Reading, Stamped};
use crate::model::node::{Declared, Node};
use crate::model::resolve::matches;
use crate::text::plural;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::{BTreeMap, BTreeSet};

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

/// A state before the change. Where the rule is raised, a file may stay undeclared only as far as such a state lets it, too: then
/// no change excuses itself. A new declaration under `code:` counts at once.
#[derive(Clone, Copy)]
pub(crate) struct EarlierRules<'b> {
    pub(crate) side: PatchSide<'b>,
    pub(crate) config: &'b Config,
    /// The nodes of the judged state.
    pub(crate) judged: &'b [Node],
}

impl<'b> EarlierRules<'b> {
    /// Whether the state lets `path` run undeclared in the scenario. A scenario that is new since brings its own `related`; under
    /// another name it is not new.
    fn excuse(&self, one: Declared<'_>, path: &RepoPath) -> bool {
        let before = self.side.predecessors(one, self.judged);
        let is_related_before = if before.is_empty() {
            is_related(one, path)
        } else {
            before.into_iter().all(|then| is_related(then, path))
        };
        is_related_before || is_ignored(self.config, path)
    }

    /// The readings of the scenario in the state, under the name that it had there.
    fn readings(&self, one: Declared<'_>) -> Vec<&'b Reading> {
        let before = self.side.predecessors(one, self.judged).into_iter();
        let of = |then: Declared<'b>| {
            let effective = Effective::of(then.node);
            effective.newest_first(&then.scenario.name).map(|filed| filed.event).collect::<Vec<_>>()
        };
        before.flat_map(of).collect()
    }
}

/// Every scenario of `facts`, which were collected from `tree`, with such files. `config` is the judging configuration. With
/// states before the change, all readings of the content that counts are examined, so that a later one without coverage hides
/// nothing.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn undeclared(
    tree: &dyn Tree,
    config: &Config,
    facts: &Facts,
    before: &[EarlierRules<'_>],
) -> Result<Vec<Undeclared>> {
    let mut found = Vec::new();
    for (node, scenario, score) in facts.scenarios() {
        let Some(reading) = score.reading.as_ref() else { continue };
        let one = Declared { node, scenario };
        let effective = (!before.is_empty()).then(|| Effective::of(node));
        let here = effective.iter().flat_map(|effective| effective.newest_first(&scenario.name));
        let earlier = before.iter().flat_map(|before| before.readings(one));
        let others = here.map(|filed| filed.event).chain(earlier);
        let others = others.filter(|other| *other != reading && is_same_run(other, reading));
        let covered: Vec<(&Reading, &CoverageOf)> = std::iter::once(reading)
            .chain(others)
            .filter_map(|one| Some((one, one.terms.coverage.as_ref()?)))
            .collect();
        let ran: Vec<RepoPath> = covered.iter().flat_map(|(_, coverage)| &coverage.ran).cloned().collect();
        let paths = undeclared_of(tree, config, one, &ran, before)?;
        let is_governed = |path: &RepoPath| governed(node, scenario).iter().any(|entry| entry.covers(path));
        let more = |(reading, coverage): &(&Reading, &CoverageOf)| {
            // a file that is related or ignored stands behind the undeclared ones, so that those are all in the line
            let is_cut = coverage.ran.iter().all(|path| paths.contains(path) || is_governed(path));
            if is_cut && !scenario.unread.code { not_named(reading, coverage) } else { 0 }
        };
        let more = covered.iter().map(more).max().unwrap_or_default();
        if !paths.is_empty() || more > 0 {
            found.push(Undeclared { dir: node.dir.clone(), name: scenario.name.clone(), paths, more });
        }
    }
    Ok(found)
}

/// Whether two readings measured the same content and the same text. Without stamps the commit testifies.
fn is_same_run(one: &Reading, other: &Reading) -> bool {
    let is_same = match (&one.governed, &other.governed) {
        (None, None) => one.code_sha == other.code_sha,
        (one, other) => one == other,
    };
    is_same && one.scenario_hash == other.scenario_hash
}

/// How many of the files that the line of the reading does not name the scenario may not have governed. A line names those
/// files first, so that one governed file in it shows that it names them all. Without a stamp this is not known.
fn not_named(reading: &Reading, coverage: &CoverageOf) -> u32 {
    let is_whole = |stamp: &BTreeMap<RepoPath, Stamped>| coverage.ran.iter().any(|path| stamp.contains_key(path));
    if reading.governed.as_ref().is_none_or(is_whole) { 0 } else { coverage.more }
}

/// Whether the scenario or its node names the file without governing it, or the file is its test.
fn is_related(Declared { node, scenario }: Declared<'_>, path: &RepoPath) -> bool {
    let mut related = scenario.related.iter().chain(node.spec.iter().flat_map(|spec| &spec.related));
    let is_test = || scenario.test.iter().any(|test| test.literals().any(|literal| literal == path));
    related.any(|entry: &Governed| entry.covers(path)) || is_test()
}

fn is_ignored(config: &Config, path: &RepoPath) -> bool {
    config.coverage_ignore.covers(path) || config.exclude.covers(path)
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
    before: &[EarlierRules<'_>],
) -> Result<Vec<RepoPath>> {
    // a part of the list may be unreadable, and the file may stand there
    if scenario.unread.code {
        return Ok(Vec::new());
    }
    let one = Declared { node, scenario };
    let is_governed = |path: &RepoPath| governed(node, scenario).iter().any(|entry| entry.covers(path));
    let is_excused = |path: &RepoPath| {
        let is_here = is_related(one, path) || is_ignored(config, path);
        is_here && (before.is_empty() || before.iter().any(|before| before.excuse(one, path)))
    };
    let mut found = BTreeSet::new();
    for path in ran.iter().filter(|path| !is_governed(path) && !is_excused(path)) {
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

/// What the run went through, for example `the measured run went through 2 files that its code list does not name: a, b`.
/// `further` files are counted by the reading and named by none.
pub(crate) fn sentence(paths: &[RepoPath], further: u32) -> String {
    if paths.is_empty() {
        let files = plural(further as usize, "further file");
        return format!("the measured run went through {files}, and the reading does not say which: measure again");
    }
    let named: Vec<String> = paths.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = match paths.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let least = if further > 0 { "at least " } else { "" };
    let files = format!("{least}{}", plural(paths.len(), "file"));
    format!("the measured run went through {files} that its code list does not name: {}{more}", named.join(", "))
}
