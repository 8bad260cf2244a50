//! The content of the page of a score, in its order. `app` fills it and decides which evidence is shown.

use super::goal::GoalRow;
use super::graph::GraphLine;
use super::score::ScenarioRow;
use super::tally::ScoreTally;
use bstr::BString;
use std::collections::BTreeMap;

/// Everything on a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageContent {
    /// The commit or work tree that it was made from.
    pub source: PageSource,
    /// The score of the shown scenarios.
    pub score: ScoreTally,
    /// The nodes. Each is followed by the nodes below it.
    pub nodes: Vec<PageNode>,
    /// The evidence that readings name, by hash.
    pub pieces: BTreeMap<String, PagePiece>,
    /// The goals with the results of both gates.
    pub goals: Vec<GoalRow>,
    /// The runs, the open ones first.
    pub runs: Vec<PageRun>,
    /// The governed files, by path.
    pub coverage: Vec<CoverRow>,
    /// How many more governed files there are.
    pub uncounted: usize,
    pub lineage: Vec<PageLineage>,
}

impl PageContent {
    /// Every scenario of the page, in order.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &PageScenario> {
        self.nodes.iter().flat_map(|node| &node.scenarios)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct PageSource {
    /// The full id of the commit: the requested one, otherwise the work tree's HEAD.
    pub commit: Option<String>,
    /// Whether the page shows the work tree, which may differ from that commit.
    pub is_work_tree: bool,
    /// Whether the page is for publication: without evidence, notes and names of persons.
    pub is_bare: bool,
    /// How many secrets were masked.
    pub masked: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct PageNode {
    pub dir: BString,
    pub id: String,
    pub title: Option<String>,
    /// How many of the shown nodes contain it.
    pub depth: usize,
    /// Its scenarios, in the order of its file.
    pub scenarios: Vec<PageScenario>,
}

#[derive(Clone, Debug)]
pub(crate) struct PageScenario {
    /// Its id in links.
    pub anchor: String,
    /// Its row as in `show`, with its last readings.
    pub row: ScenarioRow,
    /// What to measure.
    pub description: String,
    /// How many older readings are not listed.
    pub older: usize,
    /// Whether it is unfolded at first.
    pub is_open: bool,
    pub has_lineage: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct PagePiece {
    /// Its size in bytes, if it is in this clone.
    pub size: Option<u64>,
    pub shown: PieceShown,
    /// The anchor of the scenario and the time of the reading where the piece is shown. Other readings link there.
    pub home: [String; 2],
}

/// The way in which a piece of evidence is shown.
#[derive(Clone, Debug)]
pub(crate) enum PieceShown {
    Picture {
        /// Its media type.
        mime: &'static str,
        /// Its width and height in pixels.
        size: [u32; 2],
        bytes: Vec<u8>,
    },
    Film {
        /// Its media type.
        mime: &'static str,
        bytes: Vec<u8>,
    },
    Text {
        /// The whole text, or its beginning.
        head: String,
        /// How many bytes are left out, and the end of the text after them.
        tail: Option<(u64, String)>,
    },
    /// The steps of a timeline: place and text.
    Steps(Vec<[String; 2]>),
    /// It is in this clone but not shown, for this reason.
    LeftOut(&'static str),
    /// It is missing, for this reason.
    Missing(&'static str),
    /// It is not in this clone; this is known of its place.
    Away(String),
}

#[derive(Clone, Debug)]
pub(crate) struct PageRun {
    /// Its log.
    pub file: String,
    pub profile: String,
    /// `open`, `newer`, `ended`, or how it ended.
    pub state: String,
    /// When it began, as its log spells it.
    pub began: Option<String>,
    /// When its last event happened.
    pub last: Option<String>,
    pub phases: Vec<PagePhase>,
    /// Its last events, the newest first: time, name and content.
    pub events: Vec<[String; 3]>,
    /// How many errors it logged.
    pub errors: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct PagePhase {
    pub number: u32,
    pub name: String,
    /// `done`, `open`, `reopened` or `to do`.
    pub state: &'static str,
    /// The counts in its end event.
    pub counts: Vec<[String; 2]>,
}

/// A governed file.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoverRow {
    /// Its path, followed by `#symbol` if one unit of the file is governed.
    pub path: BString,
    /// The score of the scenarios that govern it; zero if only nodes without scenarios do.
    pub score: ScoreTally,
    /// The anchor and name of the first of these scenarios.
    pub first: Vec<[String; 2]>,
}

/// The lineage of a scenario's readings.
#[derive(Clone, Debug)]
pub(crate) struct PageLineage {
    /// The scenario, by its anchor.
    pub anchor: String,
    /// Its node and name.
    pub name: String,
    /// Its nodes, each below its parent and indented by depth.
    pub lines: Vec<GraphLine>,
}
