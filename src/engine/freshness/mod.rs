//! Computes whether a reading is fresh in a view, and on which axes it is stale (freshness.md). A node, one of its
//! scenarios and a reading in; the stale axes and the moved paths out. Computed from content at every question and never
//! stored. The readings of one run share facts about anchors and trees.

mod code;
mod counting;
mod left;
mod listed;
mod narrow;
mod renames;
mod stamped;
mod tested;
mod text;

pub use counting::CountingReading;

use crate::engine::anchors::{Anchors, Testimony};
use crate::engine::content::Contents;
use crate::engine::units::UnitBook;
use crate::error::Result;
use crate::finding::{Axis, DriftWhy};
use crate::model::governed::Governed;
use crate::model::ledger::{Reading, Stamped, StampedTest, StampedUnit, TestAtCommit};
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{MissingAnchor, Tree};
use bstr::BString;
use narrow::UnitTestimony;
use renames::GoneSince;
use std::collections::BTreeMap;
use std::rc::Rc;
use text::OldScenarios;

/// The freshness of a reading in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// The stale axes, in the order of [`Axis`]; empty means fresh.
    pub axes: Vec<Axis>,
    /// The measured content that moved, sorted: the path itself for a file, link or directory, the files for a glob, and what
    /// left the list.
    pub moved: Vec<MovedContent>,
    /// The files of the stamped test that moved, or the named test in them, sorted. [`Axis::Evaluator`] is stale if there is
    /// one.
    pub test: Vec<MovedContent>,
    /// With [`Axis::Anchor`]: the reason why the commit is missing. `None` means that the reading names no commit.
    pub missing: Option<MissingAnchor>,
    /// With [`Axis::Anchor`]: files differed from the commit at the measurement, and no stamp records their content.
    pub unstamped_edit: bool,
    /// With [`Axis::Anchor`], and only at a gate: the list is another one than at the commit, and no stamp says what was
    /// measured.
    pub other_list: bool,
    /// Whether the list gained content since the measurement, or may have (the commit is missing here). Then changes at
    /// other paths matter too, because the content may have come by a rename.
    pub appeared: bool,
}

/// Governed content that differs from the measured content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MovedContent {
    pub(crate) path: RepoPath,
    /// The one governed unit; `None` for the whole path.
    pub symbol: Option<String>,
    /// Why it is named although no entry of the list names it so.
    pub why: Option<DriftWhy>,
}

/// The content that one measurement recorded: the files of its stamp, or of the stamp of its test, and its commit.
#[derive(Clone, Copy)]
struct MeasuredContent<'r> {
    files: Option<&'r BTreeMap<RepoPath, Stamped>>,
    /// The units of these files that the list named.
    units: &'r BTreeMap<StampedUnit, Oid>,
    commit: Option<Oid>,
    /// Whether the files differed from the commit.
    dirty: bool,
}

impl<'r> MeasuredContent<'r> {
    fn of(reading: &'r Reading) -> Self {
        let (files, units) = (reading.governed.as_ref(), &reading.units);
        Self { files, units, commit: reading.code_sha, dirty: reading.dirty }
    }

    /// The test; `None` if the reading has no stamp of one. The stamp alone testifies, as for files that differ from the commit:
    /// a test that stood at the commit, too, did not make the reading.
    fn of_test(reading: &'r Reading) -> Option<Self> {
        let test = reading.test.as_ref().filter(|test| !test.files.is_empty())?;
        Some(Self { files: Some(&test.files), units: &test.units, commit: None, dirty: true })
    }
}

impl MovedContent {
    /// Its name in a report: the path, then the unit, for example `src/cart.py#total`.
    pub(crate) fn named(&self) -> BString {
        let mut name = self.path.to_bstring();
        self.symbol.iter().for_each(|symbol| name.extend_from_slice(format!("#{symbol}").as_bytes()));
        name
    }

    fn whole(path: RepoPath) -> Self {
        Self { path, symbol: None, why: None }
    }
}

impl Freshness {
    /// Whether the reading is fresh on every axis.
    pub(crate) fn is_fresh(&self) -> bool {
        self.axes.is_empty()
    }

    /// Everything that moved: the measured content, then the test.
    pub(crate) fn drift(&self) -> impl Iterator<Item = &MovedContent> {
        self.moved.iter().chain(&self.test)
    }
}

impl std::fmt::Display for MovedContent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.named(), out)
    }
}

/// The freshness of a reading, and its grounds.
struct Judgement {
    freshness: Freshness,
    /// Whether the stamp proves that the reading is stale: then every clone gives this answer, whatever commits it has.
    is_disproved: bool,
    /// Whether a unit was compared by its stamped id alone and is the same.
    by_stamped_id: bool,
}

/// What judges read of old trees. Those of several commits may share it.
#[derive(Default)]
pub(crate) struct OldTrees {
    scenarios: OldScenarios,
    gone: GoneSince,
}

impl OldTrees {
    /// Takes note that the judged tree `tree` has files at the same paths as the judged tree `like`, whatever they contain.
    pub(crate) fn has_paths_of(&self, tree: Oid, like: Oid) {
        self.gone.has_paths_of(tree, like);
    }
}

/// Judges readings against one view.
pub struct Judge<'a> {
    anchors: &'a Anchors,
    evaluators: &'a BTreeMap<String, String>,
    contents: Contents<'a>,
    old: Rc<OldTrees>,
    arrived: renames::ArrivedSince,
    narrows: bool,
    counts_all: bool,
}

impl<'a> Judge<'a> {
    /// Judges against `view`; `evaluators` maps a name to its current version.
    pub fn new(view: &'a dyn Tree, anchors: &'a Anchors, evaluators: &'a BTreeMap<String, String>) -> Self {
        Self {
            anchors,
            evaluators,
            contents: Contents::new(view),
            old: Rc::default(),
            arrived: renames::ArrivedSince::default(),
            narrows: true,
            counts_all: false,
        }
    }

    /// The same with what judges of other commits have read of old trees.
    #[must_use]
    pub(crate) fn sharing(self, old: Rc<OldTrees>) -> Self {
        Self { old, ..self }
    }

    /// The same without selectors: a file that a list names in part is compared as a whole, and no file is parsed.
    #[must_use]
    pub fn of_whole_files(self) -> Self {
        Self { narrows: false, ..self }
    }

    /// The same, and all runs of a content are counted, also those behind the window that decides.
    #[must_use]
    pub(crate) fn of_all_runs(self) -> Self {
        Self { counts_all: true, ..self }
    }

    pub(crate) fn counts_all(&self) -> bool {
        self.counts_all
    }

    /// The judged view.
    pub(crate) fn view(&self) -> &'a dyn Tree {
        self.contents.view
    }

    /// The known units of source files.
    pub(crate) fn units(&self) -> &'a UnitBook {
        self.anchors.units()
    }

    /// The freshness of `reading`; `node` declares its `scenario` in the view.
    ///
    /// # Errors
    /// The view or an anchor's tree cannot be read, for example in a partial clone without the objects. The reading is then
    /// neither fresh nor stale, but not judged.
    pub fn freshness(&self, node: &Node, scenario: &Scenario, reading: &Reading) -> Result<Freshness> {
        Ok(self.judgement(Declared { node, scenario }, reading, UnitTestimony::File)?.freshness)
    }

    fn judgement(&self, asked: Declared<'_>, reading: &Reading, testifies: UnitTestimony) -> Result<Judgement> {
        let list = governed(asked.node, asked.scenario);
        let code = self.code(asked, list, MeasuredContent::of(reading), testifies)?;
        let test = self.test(asked, reading, testifies)?;
        let text = self.text(asked, reading)?;
        let appeared = [&code, &test].iter().any(|one| one.appeared || one.unknown);
        let mut found = Freshness { appeared, ..Freshness::default() };
        let is_lost_test = test.unknown && test.moved.is_empty();
        if code.unknown || is_lost_test || text.is_none() {
            found.axes.push(Axis::Anchor);
            found.unstamped_edit = code.unknown && reading.dirty || is_lost_test && has_uncommitted_test(reading);
            if let Testimony::Missing(why) = self.measured(reading.code_sha)? {
                found.missing = why;
            }
        }
        if !code.moved.is_empty() {
            found.axes.push(Axis::Code);
            found.moved = code.moved.into_iter().collect();
        }
        if text == Some(false) {
            found.axes.push(Axis::Scenario);
        }
        found.test = test.moved.into_iter().collect();
        if !found.test.is_empty() || self.is_other_version(reading) {
            found.axes.push(Axis::Evaluator);
        }
        let is_disproved = code.is_proved || test.is_proved || (text == Some(false) && reading.scenario_hash.is_some());
        Ok(Judgement { freshness: found, is_disproved, by_stamped_id: code.by_stamped_id || test.by_stamped_id })
    }

    /// The content that `scenario` governs and that differs from `commit`: the same answer as for a reading at that commit
    /// without a stamp.
    ///
    /// # Errors
    /// As [`Self::freshness`].
    pub(crate) fn moved_since(&self, commit: Oid, node: &Node, scenario: &Scenario) -> Result<Vec<MovedContent>> {
        let reading = Reading::nothing_but(&scenario.name, commit);
        let (asked, list) = (Declared { node, scenario }, governed(node, scenario));
        let code = self.code(asked, list, MeasuredContent::of(&reading), UnitTestimony::File)?;
        Ok(code.moved.into_iter().collect())
    }

    /// What differs from `commit`: the governed content, the text of the scenario, its test. The list is the one of the view.
    ///
    /// # Errors
    /// As [`Self::freshness`].
    pub(crate) fn since(&self, commit: Oid, node: &Node, scenario: &Scenario) -> Result<Freshness> {
        let entry = scenario.test.as_ref().and_then(|test| test.path.clone().ok());
        let at_commit = entry.map(|entry| TestAtCommit { entry, is_same: true });
        let test = at_commit.is_some().then(|| StampedTest { at_commit, ..StampedTest::default() });
        self.freshness(node, scenario, &Reading { test, ..Reading::nothing_but(&scenario.name, commit) })
    }

    fn measured(&self, commit: Option<Oid>) -> Result<Testimony> {
        commit.map_or(Ok(Testimony::Missing(None)), |commit| self.anchors.at(&commit))
    }

    /// Whether description and expected result are the measured ones; `None` if neither stamp nor commit records them.
    fn text(&self, asked: Declared<'_>, reading: &Reading) -> Result<Option<bool>> {
        if let Some(hash) = reading.scenario_hash {
            return Ok(Some(hash == asked.scenario.text_hash));
        }
        match self.measured(reading.code_sha)? {
            Testimony::Tree(anchor) => self.old.scenarios.is_same(&anchor, self.contents.view, asked).map(Some),
            Testimony::Missing(_) => Ok(None),
        }
    }

    /// Unknown evaluators, and evaluators without a version, are never stale.
    fn is_other_version(&self, reading: &Reading) -> bool {
        let named = reading.evaluator.as_deref().and_then(|text| text.rsplit_once('@'));
        named.is_some_and(|(name, version)| self.evaluators.get(name).is_some_and(|current| current != version))
    }
}

/// Whether the test differed from the commit and has no stamp.
fn has_uncommitted_test(reading: &Reading) -> bool {
    let test = reading.test.as_ref().filter(|test| test.files.is_empty());
    test.and_then(|test| test.at_commit.as_ref()).is_some_and(|then| !then.is_same)
}

/// The governed list: the scenario's own, or the node's if the scenario has none.
pub fn governed<'m>(node: &'m Node, scenario: &'m Scenario) -> &'m [Governed] {
    if scenario.code.is_empty() { node.spec.as_ref().map_or(&[], |spec| &spec.code) } else { &scenario.code }
}

#[cfg(test)]
mod tests;
