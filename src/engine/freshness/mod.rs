//! Whether a reading still speaks for a view, and on which axes it does not (freshness.md). A node, one of its scenarios
//! and a reading in, the stale axes and the paths that moved out. Derived from content at every question, stored
//! nowhere; what was learned about an anchor or a tree is shared between the readings of one run.

mod code;
mod counting;
mod narrow;
mod renames;
mod stamped;
mod text;

pub use counting::CountingReading;

use crate::engine::anchors::{Anchors, Testimony};
use crate::engine::content::Contents;
use crate::engine::units::UnitBook;
use crate::error::Result;
use crate::finding::Axis;
use crate::model::governed::Governed;
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{MissingAnchor, Tree};
use bstr::BString;
use narrow::UnitTestimony;
use std::collections::BTreeMap;

/// How a reading stands to a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// The stale axes, in the order of [`Axis`]; empty means fresh.
    pub axes: Vec<Axis>,
    /// What moved of the governed content, sorted: the path itself for a file, link or directory, the files for a glob.
    pub moved: Vec<MovedContent>,
    /// With [`Axis::Anchor`]: why the commit is missing. `None` there means that the reading names no commit at all.
    pub missing: Option<MissingAnchor>,
    /// With [`Axis::Anchor`]: files differed from the commit when they were measured, and no stamp says what they held.
    pub unstamped_edit: bool,
    /// Whether the list gained something that was not there when it was measured, so that what happens at other paths
    /// decides whether it came by a rename; or may have, as the commit is not here.
    pub appeared: bool,
}

/// Governed content that is not what was measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MovedContent {
    /// Where it lies.
    pub path: RepoPath,
    /// The one unit of it that is governed; `None` for all of it.
    pub symbol: Option<String>,
    /// Why the whole file was compared although one unit of it is governed, as the end of a sentence.
    pub why: Option<String>,
}

impl MovedContent {
    /// What it is called in a report: the path, and the unit behind it.
    pub(crate) fn named(&self) -> BString {
        let mut name = self.path.to_bstring();
        self.symbol.iter().for_each(|symbol| name.extend_from_slice(format!("#{symbol}").as_bytes()));
        name
    }

    /// All that lies at `path`.
    fn whole(path: RepoPath) -> Self {
        Self { path, symbol: None, why: None }
    }
}

impl Freshness {
    /// Whether the reading speaks for the view on every axis.
    pub(crate) fn is_fresh(&self) -> bool {
        self.axes.is_empty()
    }
}

impl std::fmt::Display for MovedContent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.named(), out)
    }
}

/// A scenario as a node declares it in the judged view.
#[derive(Clone, Copy)]
struct JudgedScenario<'m> {
    node: &'m Node,
    scenario: &'m Scenario,
}

/// How a reading stands to a view, and on what that rests.
struct Judgement {
    freshness: Freshness,
    /// Whether the stamp proves that the reading is stale: then every clone says so, whatever commits it has.
    is_disproved: bool,
    /// Whether a unit was compared by its stamped id alone, and is the same by that.
    by_stamped_id: bool,
}

/// Judges readings against one view.
pub struct Judge<'a> {
    anchors: &'a Anchors,
    evaluators: &'a BTreeMap<String, String>,
    contents: Contents<'a>,
    texts: text::OldScenarios,
    gone: renames::GoneSince,
    /// Whether selectors count.
    narrows: bool,
}

impl<'a> Judge<'a> {
    /// Judges against `view`; `evaluators` maps a name to its current version.
    pub fn new(view: &'a dyn Tree, anchors: &'a Anchors, evaluators: &'a BTreeMap<String, String>) -> Self {
        Self {
            anchors,
            evaluators,
            contents: Contents::new(view),
            texts: text::OldScenarios::default(),
            gone: renames::GoneSince::default(),
            narrows: true,
        }
    }

    /// The same without selectors: of a file that a list names in part all is compared, and none is parsed.
    #[must_use]
    pub fn of_whole_files(self) -> Self {
        Self { narrows: false, ..self }
    }

    /// What is known of the units of source files.
    pub(crate) fn units(&self) -> &'a UnitBook {
        self.anchors.units()
    }

    /// How `reading`, of `scenario` as `node` declares it in the view, stands to the view.
    ///
    /// # Errors
    /// What the view or an anchor's tree fails with (a partial clone without the objects, say): not judged, neither
    /// fresh nor stale.
    pub fn freshness(&self, node: &Node, scenario: &Scenario, reading: &Reading) -> Result<Freshness> {
        Ok(self.judgement(JudgedScenario { node, scenario }, reading, UnitTestimony::File)?.freshness)
    }

    fn judgement(&self, asked: JudgedScenario<'_>, reading: &Reading, testifies: UnitTestimony) -> Result<Judgement> {
        let code = self.code(asked, reading, testifies)?;
        let text = self.text(asked, reading)?;
        let mut found = Freshness { appeared: code.appeared || code.unknown, ..Freshness::default() };
        if code.unknown || text.is_none() {
            found.axes.push(Axis::Anchor);
            found.unstamped_edit = code.unknown && reading.dirty;
            if let Testimony::Missing(why) = self.measured(reading)? {
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
        if self.is_other_version(reading) {
            found.axes.push(Axis::Evaluator);
        }
        let is_disproved = code.is_proved || (text == Some(false) && reading.scenario_hash.is_some());
        Ok(Judgement { freshness: found, is_disproved, by_stamped_id: code.by_stamped_id })
    }

    /// What of the content that `scenario` governs is not what `commit` holds: what a reading without a stamp would say that
    /// had been measured there.
    ///
    /// # Errors
    /// As [`Self::freshness`].
    pub(crate) fn moved_since(&self, commit: Oid, node: &Node, scenario: &Scenario) -> Result<Vec<MovedContent>> {
        let reading = Reading::nothing_but(&scenario.name, commit);
        let code = self.code(JudgedScenario { node, scenario }, &reading, UnitTestimony::File)?;
        Ok(code.moved.into_iter().collect())
    }

    fn measured(&self, reading: &Reading) -> Result<Testimony> {
        reading.code_sha.map_or(Ok(Testimony::Missing(None)), |commit| self.anchors.at(&commit))
    }

    /// Whether description and expected are what was measured; `None` when nothing is left that could tell.
    fn text(&self, asked: JudgedScenario<'_>, reading: &Reading) -> Result<Option<bool>> {
        if let Some(hash) = reading.scenario_hash {
            return Ok(Some(hash == asked.scenario.text_hash));
        }
        match self.measured(reading)? {
            Testimony::Tree(anchor) => self.texts.is_same(&anchor, self.contents.view, asked).map(Some),
            Testimony::Missing(_) => Ok(None),
        }
    }

    /// Unknown names, and evaluators without a version, invent no staleness.
    fn is_other_version(&self, reading: &Reading) -> bool {
        let named = reading.evaluator.as_deref().and_then(|text| text.rsplit_once('@'));
        named.is_some_and(|(name, version)| self.evaluators.get(name).is_some_and(|current| current != version))
    }
}

/// The list that decides: the scenario's own, else the node's.
pub fn governed<'m>(node: &'m Node, scenario: &'m Scenario) -> &'m [Governed] {
    if scenario.code.is_empty() { node.spec.as_ref().map_or(&[], |spec| &spec.code) } else { &scenario.code }
}

#[cfg(test)]
mod tests;
