//! Coverage reports against one view: which tracked files a measured run went through, which it only loaded, and which were
//! named and never ran. In: read coverage files and a [`Ground`]. Out: [`Measured`], for the whole run or for some contexts.
//! Pure; reads the view through the ground alone. Decides no freshness and no verdict.
//!
//! Every doubt is decided for silence: a name that may be two files is no file.

mod contexts;
mod functions;
mod left_out;
mod paths;

#[cfg(test)]
mod tests;

pub(crate) use contexts::{CaseOwner, context_owners, names_no_tests, same_test, without_phase};
pub(crate) use functions::{FunctionBody, function_bodies};
pub(crate) use left_out::is_test_file;

use crate::error::{Error, Refusal, Result};
use crate::features::coverage::model::reports::{Activity, Coverage, Format, Lines, MeasuredFile};
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
pub(crate) use paths::dir_before;
use paths::{MeasuredName, Resolver};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a repository that the judgement needs.
pub(crate) trait Ground {
    /// The top of the work tree on this machine: absolute, with `/` between its parts; empty in a bare repository.
    fn top(&self) -> &str;

    /// Whether the view holds a tracked regular file at `path`.
    fn is_tracked(&self, path: &RepoPath) -> bool;

    /// The directories from which a tracked file lies at `path`: `packages/shop` for `src/cart.js`.
    fn dirs_of(&self, path: &RepoPath) -> Vec<RepoPath>;

    /// Whether a tracked symbolic link leads to a part of the view.
    fn has_links(&self) -> bool;

    /// The tracked regular file to which `path` leads through a tracked symbolic link.
    fn behind_link(&self, path: &RepoPath) -> Option<RepoPath>;

    /// The directory of every `go.mod`, with the declared module.
    fn modules(&self) -> &[(RepoPath, String)];

    /// Why a tracked file is never proposed; `None` if it may be.
    fn left_out(&self, path: &RepoPath) -> Result<Option<LeftOutReason>>;

    /// The functions of a tracked file; `None` if its units cannot be read.
    fn functions(&self, path: &RepoPath) -> Result<Option<Vec<FunctionBody>>>;
}

/// Why a tracked file is never proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOutReason {
    /// `linguist-generated`, `linguist-vendored`, `yatsu.exclude`, or a file of yatsu-hook.
    Generated,
    /// A test, by a scenario or by its name.
    Test,
}

/// A name that the reports give to a part of a run, for example `tests/test_cart.py::test_sum|run`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunContext {
    pub(crate) name: String,
    /// Whether it is an lcov `TN:`, which spells every other character as `_`.
    pub(crate) is_folded: bool,
}

/// How many of the named files are not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftCounts {
    pub(crate) untracked: usize,
    pub(crate) generated: usize,
    pub(crate) tests: usize,
}

/// What the reports say about the tracked files of a view.
#[derive(Debug)]
pub(crate) struct Measured<'r> {
    /// The contexts of all reports, sorted.
    pub(crate) contexts: Vec<RunContext>,
    pub(crate) left: LeftCounts,
    /// By report, the index in `contexts` of each of its own contexts.
    context_numbers: Vec<Vec<usize>>,
    files: BTreeMap<RepoPath, FileRuns<'r>>,
}

/// The judged files of one run, each list sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunFiles {
    /// A function of it ran.
    pub(crate) ran: Vec<RanFile>,
    /// Only lines outside of its functions ran.
    pub(crate) loaded: Vec<RepoPath>,
    /// Named, and nothing of it ran in the whole run.
    pub(crate) idle: Vec<RepoPath>,
}

/// A file that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RanFile {
    pub(crate) path: RepoPath,
    /// How many functions it has; `None` if neither the tool nor the grammar says so.
    pub(crate) functions: Option<u32>,
    /// How many of them ran.
    pub(crate) ran_functions: u32,
}

/// One file in all reports.
#[derive(Debug, Default)]
struct FileRuns<'r> {
    named: Vec<NamedRuns<'r>>,
    /// Its functions by the grammar, where a report has no counters of them and its units can be read.
    bodies: Option<Vec<FunctionBody>>,
}

/// What one report says of a file under one name.
#[derive(Debug)]
struct NamedRuns<'r> {
    /// The index of the report.
    report: usize,
    format: Format,
    file: &'r MeasuredFile,
}

/// How far one run went into a file. A later one includes an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileState {
    Idle,
    Loaded,
    Ran,
}

/// Judges the reports of one run together. `place` is the directory that names may be relative to besides the top.
///
/// # Errors
/// Refused if no name of one report is a tracked file; unchecked if the view cannot be read.
pub(crate) fn measured<'r>(reports: &'r [Coverage], ground: &dyn Ground, place: &RepoPath) -> Result<Measured<'r>> {
    let contexts: BTreeSet<RunContext> = reports.iter().flat_map(contexts_in).collect();
    let contexts: Vec<RunContext> = contexts.into_iter().collect();
    let number = |context| contexts.binary_search(&context).unwrap_or(usize::MAX);
    let context_numbers = reports.iter().map(|report| contexts_in(report).map(number).collect()).collect();
    let mut files: BTreeMap<RepoPath, FileRuns<'r>> = BTreeMap::new();
    let mut left: BTreeMap<RepoPath, LeftOutReason> = BTreeMap::new();
    let mut untracked: BTreeSet<&str> = BTreeSet::new();
    for (at, report) in reports.iter().enumerate() {
        let mut is_about_other_files = true;
        for (file, name) in report.files.iter().zip(Resolver::new(report, ground, place).names()) {
            let path = match name {
                MeasuredName::Dropped => continue,
                MeasuredName::Untracked => {
                    let below_top = file.name.strip_prefix(ground.top()).and_then(|rest| rest.strip_prefix('/'));
                    untracked.insert(below_top.unwrap_or(&file.name));
                    continue;
                }
                MeasuredName::Tracked(path) => path,
            };
            is_about_other_files = false;
            if let Some(why) = ground.left_out(&path)? {
                left.insert(path, why);
            } else if file.statements {
                let named = NamedRuns { report: at, format: report.format, file };
                let bodies = if named.needs_bodies() { ground.functions(&path)? } else { None };
                let known = files.entry(path).or_default();
                known.bodies = known.bodies.take().or(bodies);
                known.named.push(named);
            }
        }
        if is_about_other_files {
            return Err(no_path(report));
        }
    }
    let tests = left.values().filter(|why| **why == LeftOutReason::Test).count();
    let left = LeftCounts { untracked: untracked.len(), generated: left.len() - tests, tests };
    Ok(Measured { contexts, left, context_numbers, files })
}

fn contexts_in(report: &Coverage) -> impl Iterator<Item = RunContext> + '_ {
    let is_folded = report.format == Format::Lcov;
    report.contexts.iter().map(move |name| RunContext { name: name.clone(), is_folded })
}

fn no_path(report: &Coverage) -> Error {
    let format = report.format.as_str();
    let what = match report.files.first() {
        Some(first) => format!("no tracked file of this repository; its first name is {}", echo(&first.name)),
        None => "no file".to_owned(),
    };
    Error::refused(format!("the {format} report names {what}"))
        .because(Refusal::Invalid)
        .hint("run this in the repository that was measured, or measure again here")
}

impl Measured<'_> {
    /// The whole run.
    pub(crate) fn whole(&self) -> RunFiles {
        self.chosen(|context| context.is_none())
    }

    /// The part of the run in these contexts, indexes in [`Self::contexts`].
    pub(crate) fn of(&self, contexts: &BTreeSet<usize>) -> RunFiles {
        self.chosen(|context| context.is_some_and(|context| contexts.contains(&context)))
    }

    fn chosen(&self, is_chosen: impl Fn(Option<usize>) -> bool) -> RunFiles {
        let mut all = RunFiles::default();
        for (path, file) in &self.files {
            let chosen: Vec<_> = file
                .activity()
                .filter(|(named, one)| {
                    is_chosen(one.context.map(|own| self.context_numbers[named.report][own as usize]))
                })
                .collect();
            match chosen.iter().map(|(named, one)| file.state(named, one)).max() {
                Some(FileState::Ran) => all.ran.push(RanFile {
                    path: path.clone(),
                    functions: file.functions(),
                    ran_functions: file.ran_functions(&chosen),
                }),
                Some(FileState::Loaded) => all.loaded.push(path.clone()),
                Some(FileState::Idle) | None if file.is_idle() => all.idle.push(path.clone()),
                Some(FileState::Idle) | None => {}
            }
        }
        all
    }
}

impl NamedRuns<'_> {
    /// Whether the tool saw functions and counted them.
    fn has_counters(&self) -> bool {
        self.file.functions.as_ref().is_some_and(|functions| !functions.is_empty())
    }

    fn needs_bodies(&self) -> bool {
        !self.has_counters() && self.file.activity.iter().any(|activity| !activity.lines.is_empty())
    }
}

impl FileRuns<'_> {
    fn activity(&self) -> impl Iterator<Item = (&NamedRuns<'_>, &Activity)> {
        self.named.iter().flat_map(|named| named.file.activity.iter().map(move |activity| (named, activity)))
    }

    /// Whether nothing of it ran in the whole run.
    fn is_idle(&self) -> bool {
        self.activity().all(|(_, activity)| activity.functions.is_empty() && activity.lines.is_empty())
    }

    /// Functions speak first: counters, then bodies, then any line.
    fn state(&self, named: &NamedRuns<'_>, activity: &Activity) -> FileState {
        let has_counters = named.has_counters();
        let bodies = self.bodies.as_deref().filter(|_| !has_counters).unwrap_or_default();
        match () {
            () if has_counters && !activity.functions.is_empty() => FileState::Ran,
            () if activity.lines.is_empty() => FileState::Idle,
            () if named.format.measures_bodies() || !has_counters && bodies.is_empty() => FileState::Ran,
            () if bodies.iter().any(|body| body.ran(&activity.lines)) => FileState::Ran,
            () => FileState::Loaded,
        }
    }

    /// How many functions it has: those that a format counts, or those that the grammar sees.
    fn functions(&self) -> Option<u32> {
        let counted = |format: &Format| {
            let own = self.named.iter().filter(|named| named.format == *format);
            let own: Vec<Lines> = own.filter_map(|named| named.file.functions.clone()).collect();
            (!own.is_empty()).then(|| Lines::union(own).count())
        };
        let seen = self.bodies.as_ref().map(|bodies| u32::try_from(bodies.len()).unwrap_or(u32::MAX));
        Format::ALL.iter().map(counted).chain([seen]).max().flatten()
    }

    /// How many of them ran in one of the activities. Each format has its own lines on which functions begin: Cobertura has
    /// that of the first statement.
    fn ran_functions(&self, chosen: &[(&NamedRuns<'_>, &Activity)]) -> u32 {
        let counted = |format: &Format| {
            let own = chosen.iter().filter(|(named, _)| named.format == *format);
            Lines::union(own.map(|(_, activity)| activity.functions.clone())).count()
        };
        let plain = chosen.iter().filter(|(named, _)| !named.has_counters());
        let lines = Lines::union(plain.map(|(_, activity)| activity.lines.clone()));
        let entered = self.bodies.iter().flatten().filter(|body| body.ran(&lines)).count();
        let entered = u32::try_from(entered).unwrap_or(u32::MAX);
        Format::ALL.iter().map(counted).fold(entered, u32::max)
    }
}
