//! The data of a comment on a pull request: what the commits of a range did to the scenarios.

use crate::error::Error;
use crate::finding::{Finding, NodeRef, Verdict, json};
use crate::report::view::score::ReadingState;
use crate::report::view::tally::{ScenarioStand, ScoreTally};
use crate::report::view::verdict::ShownVerdict;
use bstr::BString;
use serde::Serialize;

/// What a range did, and the verdict of its check.
#[derive(Clone, Debug)]
pub(crate) struct RangeReview {
    pub verdict: Verdict,
    /// The full id of the commit that the range is compared with; `None` if it is unknown.
    pub from: Option<String>,
    /// The full id of the last commit; `None` if it is unknown.
    pub to: Option<String>,
    /// `None` if the range could not be judged.
    pub numbers: Option<RangeNumbers>,
    /// The score of the last commit.
    pub score: Option<ScoreTally>,
    /// The scenarios that the range touches: fails first, then by node and name.
    pub rows: Vec<RangeRow>,
    /// The scenarios that the last commit no longer declares.
    pub dropped: Vec<DroppedScenario>,
    /// How many of the introduced findings are about a scenario, or errors.
    pub findings: usize,
    /// The errors that the range introduced.
    pub errors: Vec<Finding>,
    /// Why the range could not be judged, and the repairs, best first.
    pub unchecked: Option<(String, Vec<String>)>,
    /// The comparison with another commit, if it was asked for.
    pub checked: Option<CheckedContent>,
}

impl RangeReview {
    /// The review of a range that could not be judged.
    pub(crate) fn unchecked(error: &Error) -> Self {
        Self {
            verdict: Verdict::Unchecked,
            from: None,
            to: None,
            numbers: None,
            score: None,
            rows: Vec::new(),
            dropped: Vec::new(),
            findings: 0,
            errors: Vec::new(),
            unchecked: Some((error.message.clone(), error.hints.clone())),
            checked: None,
        }
    }
}

/// The numbers of a range. Each scenario after it is in exactly one bucket; all numbers are buckets except `made_stale`,
/// `withdrawn` and `failing`. *Made stale*: fresh before the range, and that reading is stale for the content after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RangeNumbers {
    pub made_stale: usize,
    /// Of `made_stale`, the scenarios with a fresh reading that the range filed.
    pub again: VerdictCounts,
    /// The other scenarios with a fresh reading that the range filed.
    pub others: VerdictCounts,
    /// Of `made_stale`, the scenarios that an earlier reading of the same content answers, for example after a revert.
    pub speaks_again: usize,
    /// Of `made_stale`, the scenarios without a fresh reading.
    pub not_again: usize,
    pub new_unmeasured: usize,
    pub new_stale: usize,
    /// Not fresh before the range, and answered by a reading from before the range.
    pub fresh_again: usize,
    /// Fresh before and after, with another verdict and without a new reading.
    pub other_verdict: usize,
    /// Of `withdrawn`, the scenarios that no other bucket has.
    pub only_withdrawn: usize,
    /// Stale before the range, and stale still.
    pub stale_before: usize,
    /// Neither stale before the range nor made stale, and stale: the range measured it and changed it once more.
    pub stale_again: usize,
    /// With another text, and unmeasured before and after.
    pub reworded: usize,
    /// Fresh by the same reading, or unmeasured, before and after.
    pub untouched: usize,
    /// One of both states is not known, or a part of the file can no longer be read.
    pub not_judged: usize,
    /// Across the buckets: the scenarios with a reading that counted before the range and that the range withdrew.
    pub withdrawn: usize,
    /// Across the buckets: fresh fails that the range brought.
    pub failing: usize,
}

impl RangeNumbers {
    /// All scenarios with a fresh reading that the range filed.
    pub(crate) fn measured_again(&self) -> usize {
        self.again.all() + self.others.all()
    }

    /// Made stale or new, and not fresh.
    pub(crate) fn not_measured(&self) -> usize {
        self.not_again + self.new_unmeasured + self.new_stale
    }
}

/// The number of scenarios with each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VerdictCounts {
    pub pass: usize,
    pub fail: usize,
    pub legacy: usize,
}

impl VerdictCounts {
    pub(crate) fn add(&mut self, verdict: Option<ShownVerdict>) {
        match verdict {
            Some(ShownVerdict::Pass) => self.pass += 1,
            Some(ShownVerdict::Fail) => self.fail += 1,
            Some(ShownVerdict::Legacy) | None => self.legacy += 1,
        }
    }

    pub(crate) fn all(&self) -> usize {
        self.pass + self.fail + self.legacy
    }
}

/// One scenario after the range, and before it.
#[derive(Clone, Debug)]
pub(crate) struct RangeRow {
    pub node: NodeRef,
    pub scenario: String,
    /// The id of its article on the page.
    pub article: String,
    /// `None` for a new scenario.
    pub before: Option<ScenarioStand>,
    pub after: ScenarioStand,
    /// How many of its readings the range filed.
    pub filed: usize,
    /// Whether one of these is fresh and so is the scenario.
    pub is_measured: bool,
    pub is_made_stale: bool,
    /// Whether the range withdrew the reading that counted before it.
    pub is_withdrawn: bool,
    /// Whether the range changed its text.
    pub is_reworded: bool,
    /// Why the states cannot be compared.
    pub unknown: Option<String>,
    /// The note of the reading that counts, if it is a fresh fail.
    pub note: Option<String>,
    /// The pictures of its readings, if the range measured it.
    pub pictures: Option<PicturePair>,
}

impl RangeRow {
    pub(crate) fn is_fresh(&self) -> bool {
        self.after.state == ReadingState::Fresh
    }

    pub(crate) fn was_fresh(&self) -> bool {
        self.before.as_ref().is_some_and(|before| before.state == ReadingState::Fresh)
    }
}

/// A scenario that the range removed or renamed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct DroppedScenario {
    #[serde(flatten, serialize_with = "json::id_and_path")]
    pub node: NodeRef,
    pub scenario: String,
}

/// The first picture of the reading that counts, before and after the range.
#[derive(Clone, Debug)]
pub(crate) struct PicturePair {
    pub before: Option<Picture>,
    pub after: Picture,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// Its sha256.
    pub hash: String,
    /// Its size in bytes; `None` if this clone does not have it.
    pub size: Option<u64>,
    /// The end of its file name, if it can be shown: a forge shows this kind of picture and this size.
    pub extension: Option<&'static str>,
}

/// The scenarios after the range, compared with the content of another commit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CheckedContent {
    /// The full id of the other commit.
    pub rev: String,
    /// Whether every scenario has the same text and governs the same content there.
    pub same: bool,
    /// How many scenarios were compared.
    pub scenarios: usize,
    pub differ: Vec<DifferingScenario>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct DifferingScenario {
    #[serde(flatten, serialize_with = "json::id_and_path")]
    pub node: NodeRef,
    pub scenario: String,
    /// The governed paths with other content; none if only the text of the scenario differs.
    #[serde(serialize_with = "json::texts")]
    pub paths: Vec<BString>,
}
