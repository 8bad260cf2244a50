//! The page of a score, as plain data: everything that it tells, in its order. `app` fills it; what is decided about evidence
//! is decided there.

use super::goal::GoalRow;
use super::graph::GraphLine;
use super::score::ScenarioRow;
use super::tally::ScoreTally;
use bstr::BString;
use std::collections::BTreeMap;

/// Everything on a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageContent {
    /// What it was made of.
    pub source: PageSource,
    /// The score of what is shown.
    pub score: ScoreTally,
    /// The nodes, each followed by those below it.
    pub nodes: Vec<PageNode>,
    /// The evidence that readings name, by hash.
    pub pieces: BTreeMap<String, PagePiece>,
    /// The goals with what both gates say.
    pub goals: Vec<GoalRow>,
    /// The runs, the open ones first.
    pub runs: Vec<PageRun>,
    /// The files that are governed, by path.
    pub coverage: Vec<CoverRow>,
    /// How many more files there are.
    pub uncounted: usize,
    /// Where failures come from and what became of them.
    pub lineage: Vec<PageLineage>,
}

/// What a page was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageSource {
    /// The commit, full hex: the one that was asked for, else the one that the work tree stands on.
    pub commit: Option<String>,
    /// Whether it shows the work tree, which may differ from that commit.
    pub is_work_tree: bool,
    /// Whether it was made to be published: no bytes, no notes, nobody's name.
    pub is_bare: bool,
    /// How many secrets were masked.
    pub masked: usize,
}

/// One node.
#[derive(Clone, Debug)]
pub(crate) struct PageNode {
    /// Its directory.
    pub dir: BString,
    /// Its name for people.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// How many shown nodes it lies below.
    pub depth: usize,
    /// Its scenarios, in the order of its file.
    pub scenarios: Vec<PageScenario>,
}

/// One scenario.
#[derive(Clone, Debug)]
pub(crate) struct PageScenario {
    /// What it is called in links.
    pub anchor: String,
    /// What `show` says of it, its last readings.
    pub row: ScenarioRow,
    /// What to measure.
    pub description: String,
    /// How many older readings are not listed.
    pub older: usize,
    /// Whether it is unfolded to begin with.
    pub is_open: bool,
    /// Whether there is a lineage of it.
    pub has_lineage: bool,
}

/// One piece of evidence.
#[derive(Clone, Debug)]
pub(crate) struct PagePiece {
    /// Its size in bytes, where it is here.
    pub size: Option<u64>,
    /// What is shown of it.
    pub shown: PieceShown,
    /// The scenario, by its anchor, and the time of the reading at which it is shown; others refer to it.
    pub home: [String; 2],
}

/// What is shown of a piece of evidence.
#[derive(Clone, Debug)]
pub(crate) enum PieceShown {
    /// A picture.
    Picture {
        /// Its media type.
        mime: &'static str,
        /// Its width and height in pixels.
        size: [u32; 2],
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A film.
    Film {
        /// Its media type.
        mime: &'static str,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A text.
    Text {
        /// All of it, or its beginning.
        head: String,
        /// What it ends with, behind so many bytes that are left out.
        tail: Option<(u64, String)>,
    },
    /// The steps of a timeline: where, and what.
    Steps(Vec<[String; 2]>),
    /// Nothing, although it is here: why.
    LeftOut(&'static str),
    /// Nothing: why.
    Missing(&'static str),
    /// It is not here, and this is known of where it is.
    Away(String),
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct PageRun {
    /// Its log.
    pub file: String,
    /// Its profile.
    pub profile: String,
    /// `open`, `newer`, `ended`, or how it ended.
    pub state: String,
    /// When it began, as its log spells it.
    pub began: Option<String>,
    /// When its last event happened.
    pub last: Option<String>,
    /// Its phases.
    pub phases: Vec<PagePhase>,
    /// Its last events, the newest first: when, which, and what it says.
    pub events: Vec<[String; 3]>,
    /// How many errors are in it.
    pub errors: u64,
}

/// A phase of a run.
#[derive(Clone, Debug)]
pub(crate) struct PagePhase {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// `done`, `open`, `reopened` or `to do`.
    pub state: &'static str,
    /// What its end counted.
    pub counts: Vec<[String; 2]>,
}

/// A file with what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoverRow {
    /// Its path, with `#symbol` behind it where one unit of the file is governed.
    pub path: BString,
    /// The scores of the scenarios that govern it; of a file that only a node without scenarios governs there are none.
    pub score: ScoreTally,
    /// The first of them: by anchor and name.
    pub first: Vec<[String; 2]>,
}

/// The lineage of a scenario's readings.
#[derive(Clone, Debug)]
pub(crate) struct PageLineage {
    /// The scenario, by its anchor.
    pub anchor: String,
    /// Its node and name.
    pub name: String,
    /// Its nodes, each set in below what it hangs on.
    pub lines: Vec<GraphLine>,
}
