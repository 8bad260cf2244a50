//! Finds the tracked file of a test case from the fields of its report. Each runner fills other fields. A case of the same
//! name elsewhere must not count for a file: if a report leaves two files open, neither is chosen.

use super::names::node_id;
use crate::features::imports::model::test_report::{TestCase, TestReport, TestSuite};
use crate::tree::path::RepoPath;
use std::collections::{HashMap, HashSet};

mod rust;

/// The files that may contain cases, and the packages of the repository.
#[derive(Debug, Default)]
pub(crate) struct TestGround {
    /// The top of the repository on this machine, with `/` as separator and none at its end.
    pub(crate) top: String,
    /// Its files, tracked or not, sorted.
    pub(crate) files: Vec<RepoPath>,
    /// The directory of every `go.mod`, with the declared module.
    pub(crate) modules: Vec<(RepoPath, String)>,
    /// The directory of every `Cargo.toml`, with the declared package.
    pub(crate) crates: Vec<(RepoPath, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CasePlace {
    /// In this file. Several files mean that it is in one of them, but it is unknown in which.
    Files(Vec<RepoPath>),
    /// In some file of this Go package.
    Package(RepoPath),
    /// The report has no place.
    Unsaid,
    /// In a file that is not here.
    Elsewhere,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedCase {
    pub(super) place: CasePlace,
    /// The class in its file, with dots; empty if the name is complete without it.
    pub(super) class: String,
    /// Its name in that class: `test_adds` for the case `tests/test_sums.py::TestSums::test_adds`.
    pub(super) name: String,
}

impl CasePlace {
    /// Whether it is a place in this repository.
    pub(super) fn is_here(&self) -> bool {
        matches!(self, Self::Files(_) | Self::Package(_))
    }

    fn is_python(&self) -> bool {
        matches!(self, Self::Files(files) if files.iter().all(|file| file.as_bstr().ends_with(b".py")))
    }
}

/// Finds places; built once for all cases.
pub(super) struct Places<'g> {
    ground: &'g TestGround,
    /// The files by their last name, without its extension.
    by_stem: HashMap<&'g str, Vec<(&'g str, &'g RepoPath)>>,
    /// The directories by their last name.
    dirs: HashMap<&'g str, Vec<&'g str>>,
    rust: rust::Crates<'g>,
}

/// Most directories of one name in which a file is looked for that is not here. With more of them its place is not known.
const MOST_DIRS: usize = 8;

impl<'g> Places<'g> {
    pub(super) fn new(ground: &'g TestGround) -> Self {
        let mut by_stem: HashMap<&str, Vec<(&str, &RepoPath)>> = HashMap::new();
        for file in &ground.files {
            if let Ok(text) = std::str::from_utf8(file.as_bstr()) {
                by_stem.entry(stem(last(text))).or_default().push((text, file));
            }
        }
        let (mut dirs, mut seen) = (HashMap::<&str, Vec<&str>>::new(), HashSet::new());
        for (text, _) in by_stem.values().flatten() {
            let around = text.rmatch_indices('/').map(|(at, _)| &text[..at]);
            for dir in around.take_while(|dir| seen.insert(*dir)) {
                dirs.entry(last(dir)).or_default().push(dir);
            }
        }
        Self { ground, by_stem, dirs, rust: rust::Crates::new(ground) }
    }

    /// The place of a case: from the first field that determines it.
    pub(super) fn of(&self, report: &TestReport, case: &TestCase) -> PlacedCase {
        let id = node_id(&case.name).and_then(|id| Some((self.named(id.file)?, id)));
        let Some((place, id)) = id else {
            let (place, class) = self.by_fields(report, case);
            return PlacedCase { place, class, name: case.name.clone() };
        };
        let place = case.file.as_ref().map_or(place, |file| self.file(file));
        PlacedCase { place, class: id.class.replace("::", "."), name: id.name.to_owned() }
    }

    /// The place of a case with an ordinary name, and its class there.
    fn by_fields(&self, report: &TestReport, case: &TestCase) -> (CasePlace, String) {
        let classname = case.classname.trim();
        if let Some(file) = &case.file {
            let place = self.file(file);
            let class = self.class_in(&place, classname);
            return (place, class);
        }
        let nowhere = |place| (place, String::new());
        let suites = || report.suite_names(case.suite);
        if let Some(place) = self.named(classname) {
            return nowhere(place);
        }
        if let Some(place) = suites().find_map(|suite| self.named(suite)) {
            return (place, classname.to_owned());
        }
        // gotestsum names the package of a failed TestMain only in the suite
        let package = || suites().filter(|_| classname.is_empty()).find_map(|suite| self.package(suite));
        if let Some(dir) = self.package(classname).or_else(package) {
            return nowhere(CasePlace::Package(dir));
        }
        if let Some(place) = self.rust.of(classname, &case.name) {
            return nowhere(place);
        }
        let dotted = self.dotted(classname);
        if is_no_place(classname, case, suites().next().unwrap_or_default(), dotted.as_ref()) {
            return self.by_name(&case.name).unwrap_or_else(|| nowhere(CasePlace::Unsaid));
        }
        dotted.unwrap_or((CasePlace::Elsewhere, classname.to_owned()))
    }

    /// The place that a name stands for: pytest and node:test name a file that they could not load.
    pub(super) fn by_name(&self, name: &str) -> Option<(CasePlace, String)> {
        let name = name.trim();
        let is_module = |(place, _): &(CasePlace, String)| name.contains('.') || place.is_python();
        self.named(name).map(|place| (place, String::new())).or_else(|| self.dotted(name).filter(is_module))
    }

    /// The place of a suite with all its cases, if it names one.
    pub(super) fn of_suite(&self, suite: &TestSuite) -> Option<CasePlace> {
        let name = suite.name.trim();
        let file = suite.file.as_ref().map(|file| self.file(file)).filter(CasePlace::is_here);
        let package = || self.package(name).map(CasePlace::Package);
        let dotted = || self.dotted(name).filter(|_| name.contains('.')).map(|(place, _)| place);
        file.or_else(|| self.named(name)).or_else(package).or_else(dotted)
    }

    /// The file or class that a case names, as the report spells it, and where the file may lie although it is not here: a
    /// test that is ignored by git, for example. No paths if it may lie anywhere; `None` if the case names neither.
    pub(super) fn missing<'c>(&self, case: &'c TestCase, place: &CasePlace) -> Option<(&'c str, Vec<RepoPath>)> {
        let of_id = || node_id(&case.name).map(|id| id.file).filter(|file| file.contains('/'));
        if let Some(file) = case.file.as_deref().or_else(of_id) {
            return Some((file.trim(), self.missing_file(file)));
        }
        let class = Some(case.classname.trim()).filter(|_| *place == CasePlace::Elsewhere)?;
        let path = if class.contains('/') { class.to_owned() } else { class.replace(['.', '$'], "/") };
        // a class without a package or a module may be one of a runner, with no file
        path.contains('/').then(|| (class, self.missing_file(&path)))
    }

    /// Where a file may lie that is not here: below each directory with the name that its path begins with. Empty if it may
    /// lie anywhere.
    pub(super) fn missing_file(&self, said: &str) -> Vec<RepoPath> {
        let said = said.trim().replace('\\', "/");
        let paths: Vec<String> = match self.inside(&said) {
            Some(here) => vec![here.to_owned()],
            None if is_absolute(&said) => {
                // from another machine: what follows a directory at the top
                let below = said.match_indices('/').map(|(at, _)| &said[at + 1..]);
                let is_here = |path: &&str| {
                    let first = path.split_once('/').map(|(first, _)| first);
                    first.is_some_and(|first| self.dirs.get(first).is_some_and(|dirs| dirs.contains(&first)))
                };
                below.filter(is_here).take(MOST_DIRS).map(str::to_owned).collect()
            }
            None => {
                let path = said.trim_start_matches("./").trim_start_matches("../");
                let Some((first, rest)) = path.split_once('/') else { return Vec::new() };
                let dirs = self.dirs.get(first).map_or(&[][..], Vec::as_slice);
                if dirs.len() > MOST_DIRS {
                    return Vec::new();
                }
                let below = dirs.iter().filter(|dir| **dir != first).map(|dir| format!("{dir}/{rest}"));
                below.chain([path.to_owned()]).collect()
            }
        };
        paths.iter().filter_map(|path| RepoPath::parse(path.as_bytes()).ok()).collect()
    }

    /// The path below the top of the repository, if the path begins with the top.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        let inside = path.strip_prefix(&self.ground.top).and_then(|rest| rest.strip_prefix('/'));
        inside.filter(|_| !self.ground.top.is_empty())
    }

    fn file(&self, said: &str) -> CasePlace {
        let said = said.trim().replace('\\', "/");
        let here = self.inside(&said);
        let path = here.unwrap_or(&said).trim_start_matches("./");
        let known = self.by_stem.get(stem(last(path))).map_or(&[][..], Vec::as_slice);
        if let Some((_, file)) = known.iter().find(|(text, _)| *text == path) {
            return CasePlace::Files(vec![(*file).clone()]);
        }
        if here.is_some() {
            return CasePlace::Elsewhere;
        }
        if is_absolute(path) {
            // from another machine: the file with the longest matching path is meant
            let ours = known.iter().filter(|(text, _)| ends_with_path(path, text));
            return files(ours.max_by_key(|(text, _)| text.len()).map(|(_, file)| (*file).clone()));
        }
        let path = path.trim_start_matches("../");
        files(known.iter().filter(|(text, _)| ends_with_path(text, path)).map(|(_, file)| (*file).clone()))
    }

    /// The same for a name that may be a path; `None` if it is not the path of a known file.
    pub(super) fn named(&self, name: &str) -> Option<CasePlace> {
        let is_path = name.contains('/') || name.contains('\\') || stem(last(name)) != last(name);
        let place = is_path.then(|| self.file(name))?;
        matches!(place, CasePlace::Files(_)).then_some(place)
    }

    /// The directory of a case's Go package.
    fn package(&self, classname: &str) -> Option<RepoPath> {
        let modules = self.ground.modules.iter().filter_map(|(dir, module)| {
            let rest = classname.strip_prefix(module.as_str())?;
            let below = if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }?;
            Some((module.len(), if below.is_empty() { dir.clone() } else { dir.join(below.as_bytes()).ok()? }))
        });
        modules.max_by_key(|(length, _)| *length).map(|(_, dir)| dir)
    }

    /// The file with a dotted path that the dotted name begins with, in whole or from some directory on. The rest of the
    /// name is the class.
    pub(super) fn dotted(&self, name: &str) -> Option<(CasePlace, String)> {
        let parts: Vec<&str> = name.split(['.', '$']).collect();
        let mut best: Option<(usize, bool, Vec<RepoPath>)> = None;
        for (end, part) in parts.iter().enumerate() {
            for (text, file) in self.by_stem.get(part).into_iter().flatten() {
                let Some(is_whole) = begins(&parts[..=end], text) else { continue };
                match &mut best {
                    Some((length, whole, files)) if (*length, *whole) == (end + 1, is_whole) => {
                        files.push((*file).clone());
                    }
                    Some((length, whole, _)) if (*length, *whole) > (end + 1, is_whole) => {}
                    _ => best = Some((end + 1, is_whole, vec![(*file).clone()])),
                }
            }
        }
        let (length, _, found) = best?;
        Some((CasePlace::Files(found), parts[length..].join(".")))
    }

    /// The class of a case in a known file: the rest of its classname after the file.
    fn class_in(&self, place: &CasePlace, classname: &str) -> String {
        match (self.dotted(classname), place) {
            (Some((found, class)), place) if found == *place => class,
            _ => classname.to_owned(),
        }
    }
}

/// Whether a classname stands for no place. `suite` is the nearest suite, `dotted` the file that the classname seems to name.
fn is_no_place(classname: &str, case: &TestCase, suite: &str, dotted: Option<&(CasePlace, String)>) -> bool {
    match classname {
        // a sentence, for example `greet says hello` of jest-junit
        _ if classname.is_empty() || classname == case.name.trim() || classname.contains(char::is_whitespace) => true,
        // node:test writes this word for every case; pytest writes it for a file test.py
        "test" => !dotted.is_some_and(|(place, _)| place.is_python()),
        _ if dotted.is_some() => false,
        // the name of the feature, of cucumber-js
        _ => suite == "Cucumber" || in_program(classname, suite).is_some(),
    }
}

/// The class behind the name of the test program, which Catch2 writes for the suite and before every class: `global` for
/// the classname `sums.global` in the suite `sums`.
pub(super) fn in_program<'c>(classname: &'c str, suite: &str) -> Option<&'c str> {
    let class = classname.strip_prefix(suite)?.strip_prefix('.')?;
    (!suite.is_empty() && !suite.contains(['.', '/']) && !class.contains('.')).then_some(class)
}

/// Whether the leading parts of a dotted name are the path of this file or its end; `true` inside if they are the whole
/// path.
fn begins(parts: &[&str], file: &str) -> Option<bool> {
    let (dirs, name) = file.rsplit_once('/').unwrap_or(("", file));
    let dotted = if dirs.is_empty() { String::new() } else { dirs.replace('/', ".") + "." } + stem(name);
    let wanted = parts.join(".");
    if dotted == wanted {
        return Some(true);
    }
    dotted.strip_suffix(&wanted).filter(|rest| rest.ends_with('.')).map(|_| false)
}

/// The files, or `Elsewhere` if there is none.
fn files(found: impl IntoIterator<Item = RepoPath>) -> CasePlace {
    let found: Vec<_> = found.into_iter().collect();
    if found.is_empty() { CasePlace::Elsewhere } else { CasePlace::Files(found) }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A name without its last extension.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

/// Whether `path` ends with the parts of `end`.
fn ends_with_path(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The package declared in a `Cargo.toml`.
pub(crate) fn cargo_package(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let mut own = lines.by_ref().take_while(|line| !line.starts_with('['));
    let value = own.find_map(|line| line.strip_prefix("name")?.trim_start().strip_prefix('='))?;
    let value = value.split('#').next().unwrap_or_default().trim();
    Some(value.trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
