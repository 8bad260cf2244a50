//! `coverage suggest`: the files that a measured run went through and that a scenario does not govern yet. Writes nothing.

use crate::app::site::{Site, find_scenario, pick_named};
use crate::engine::freshness::governed;
use crate::error::{Error, Result};
use crate::features::coverage::judge::ground::CoverageGround;
use crate::features::coverage::judge::measured::{Measured, RanFile, RunFiles, measured, same_test, without_phase};
use crate::features::coverage::model::answer::{CoverageAnswer, LeftRow, RanRow};
use crate::features::coverage::model::reports::Coverage;
use crate::model::glob::Globs;
use crate::model::governed::{Governed, MAX_PATHS};
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::Scenario;
use crate::model::source::Position;
use crate::text::escape::echo;
use crate::text::nearest::nearest;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// How many near names of a context are shown.
const MOST_NEAR: usize = 3;

/// Proposes files for the list of the scenario that `reference` names. `test` chooses the contexts of one test.
///
/// # Errors
/// Usage for an unknown scenario or context; refused if a report names no tracked file.
pub(crate) fn suggest(
    site: &dyn Site,
    reference: &str,
    reports: &[Coverage],
    test: Option<&str>,
) -> Result<CoverageAnswer> {
    let nodes = site.nodes()?;
    let (node, only) = pick_named(&nodes, Some(reference), &site.here(), || site.touched())?;
    let scenario = match only {
        Some(scenario) => scenario,
        None => find_scenario(&nodes, node, None)?,
    };
    let ground = CoverageGround::of(site, &nodes)?;
    let measured = measured(reports, &ground, &site.here())?;
    let run = match test {
        Some(test) => measured.of(&contexts(&measured, test)?),
        None => measured.whole(),
    };
    let list = CodeList::of(site, node, scenario)?;
    Ok(answer(&list, reports, &measured, run))
}

/// The files that a run went through, for the list of a new scenario.
///
/// # Errors
/// As [`suggest`]; usage if none of them may be proposed.
pub(crate) fn ran_files(site: &dyn Site, reports: &[Coverage]) -> Result<Vec<RepoPath>> {
    let ground = CoverageGround::of(site, &site.nodes()?)?;
    let mut ran = measured(reports, &ground, &site.here())?.whole().ran;
    let ignored = site.config()?.coverage_ignore;
    ran.retain(|file| !ignored.covers(&file.path));
    if ran.is_empty() {
        return Err(Error::usage("the measured run went through no file that a scenario can govern")
            .hint("tests, generated and untracked files are left out; name the code yourself: --code PATH"));
    }
    Ok(ran.into_iter().map(|file| file.path).collect())
}

/// The contexts that the user means: one by its whole name, or all phases of one test.
fn contexts(measured: &Measured<'_>, test: &str) -> Result<BTreeSet<usize>> {
    let names = || measured.contexts.iter().map(|context| context.name.as_str());
    let chosen = |is_meant: &dyn Fn(&str) -> bool| -> BTreeSet<usize> {
        names().enumerate().filter(|(_, name)| is_meant(name)).map(|(index, _)| index).collect()
    };
    let exact = chosen(&|name| name == test);
    let found = if exact.is_empty() { chosen(&|name| same_test(name, test)) } else { exact };
    if !found.is_empty() {
        return Ok(found);
    }
    let unknown = Error::usage(format!("the coverage names no test `{}`", echo(test)));
    let ends_so = names().filter(|name| name.contains(test));
    let mut near: Vec<&str> =
        nearest(without_phase(test), names().map(without_phase)).into_iter().chain(ends_so).collect();
    near.dedup();
    let near: Vec<_> = near.into_iter().take(MOST_NEAR).map(|name| echo(name).into_owned()).collect();
    Err(match (measured.contexts.len(), near.is_empty()) {
        (0, _) => unknown.hint("it has no names of tests; coverage.py writes them with --show-contexts"),
        (_, false) => unknown.hint(format!("did you mean {}?", near.join(", "))),
        (count, true) => unknown.hint(format!("it names {count}, for example {}", echo(&measured.contexts[0].name))),
    })
}

/// The `code` list that counts for a scenario.
struct CodeList<'n> {
    node: &'n Node,
    scenario: &'n Scenario,
    entries: &'n [Governed],
    /// The files that the entries mean through links and globs.
    files: BTreeSet<RepoPath>,
    /// `yatsu.coverageIgnore`.
    ignored: Globs,
}

impl<'n> CodeList<'n> {
    fn of(site: &dyn Site, node: &'n Node, scenario: &'n Scenario) -> Result<Self> {
        let (view, entries) = (site.worktree()?, governed(node, scenario));
        let mut files = BTreeSet::new();
        for entry in entries {
            files.extend(matches(&*view, entry)?.into_iter().map(|(path, _)| path));
        }
        Ok(Self { node, scenario, entries, files, ignored: site.config()?.coverage_ignore })
    }

    fn has(&self, path: &RepoPath) -> bool {
        self.files.contains(path) || self.entries.iter().any(|entry| entry.covers(path))
    }

    /// Whether the scenario, its node or the configuration says that the file does not matter.
    fn is_related(&self, path: &RepoPath) -> bool {
        let of_node = self.node.spec.iter().flat_map(|spec| &spec.related);
        self.ignored.covers(path) || self.scenario.related.iter().chain(of_node).any(|entry| entry.covers(path))
    }

    /// The file that holds the list.
    fn file(&self) -> Option<&RepoPath> {
        match (&self.node.file, &self.node.spec) {
            (_, Some(spec)) if self.scenario.code.is_empty() && !spec.code.is_empty() => Some(&spec.path),
            (file, _) => file.as_ref().map(|file| &file.path),
        }
    }
}

/// The path as an entry of a list that means it; `None` if no entry can: for example, a list keeps no blank at the end and
/// no control character. `?top.py` alone would be an optional `top.py`, and blanks would be cut.
fn as_entry(path: &RepoPath) -> Option<String> {
    let text = path.to_string();
    let is_read_otherwise = text.starts_with(|first: char| first == '?' || first.is_whitespace());
    let entry = if is_read_otherwise { format!("./{text}") } else { text };
    let is_held = !entry.contains(char::is_control) && Governed::parse(&entry, Position::START, None).covers(path);
    is_held.then_some(entry)
}

/// A listed entry as written.
fn listed(entry: &Governed) -> String {
    if entry.optional { format!("?{}", entry.shown()) } else { entry.shown() }
}

fn answer(list: &CodeList<'_>, reports: &[Coverage], measured: &Measured<'_>, run: RunFiles) -> CoverageAnswer {
    let text = |path: &RepoPath| path.to_string();
    let ran = run.ran.iter().map(|ran| &ran.path);
    let undeclared: Vec<&RepoPath> = ran.filter(|path| !list.has(path) && !list.is_related(path)).collect();
    let added: Vec<String> = undeclared.iter().filter_map(|path| as_entry(path)).collect();
    let unlisted = undeclared.iter().filter(|path| as_entry(path).is_none()).map(|path| text(path)).collect();
    let code: BTreeSet<String> = list.entries.iter().map(listed).chain(added.iter().cloned()).collect();
    let formats: BTreeSet<&str> = reports.iter().map(|report| report.format.as_str()).collect();
    let row = |ran: &RanFile| RanRow {
        path: text(&ran.path),
        functions: ran.functions,
        ran_functions: ran.ran_functions,
        governed: list.has(&ran.path),
    };
    CoverageAnswer {
        node: list.node.dir.to_string(),
        scenario: list.scenario.name.clone(),
        format: formats.into_iter().collect::<Vec<_>>().join(","),
        code: code.into_iter().collect(),
        added,
        unlisted,
        ran: run.ran.iter().map(row).collect(),
        loaded: run.loaded.iter().map(text).collect(),
        never_ran: run.idle.iter().filter(|path| list.has(path)).map(text).collect(),
        idle: run.idle.iter().map(text).collect(),
        left: LeftRow {
            untracked: measured.left.untracked,
            generated: measured.left.generated,
            tests: measured.left.tests,
        },
        file: list.file().map(text),
        most: MAX_PATHS,
    }
}
