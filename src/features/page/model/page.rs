//! The content of the page of a score, in its order. `app` fills it and decides which evidence is shown.

use super::links::ForgeLinks;
use crate::features::goals::GoalRow;
use crate::report::view::score::{EvidenceRow, ScenarioRow};
use crate::report::view::tally::ScoreTally;
use bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// Everything on a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageContent {
    /// The commit or work tree that it was made from.
    pub source: PageSource,
    /// The score of the shown scenarios.
    pub score: ScoreTally,
    /// The score over time, the oldest commit first; empty unless it was asked for.
    pub history: Vec<HistoryStep>,
    /// Why the score over time was asked for and is not known.
    pub no_history: Option<String>,
    /// The nodes. Each is followed by the nodes below it.
    pub nodes: Vec<PageNode>,
    /// The evidence that readings name, by hash.
    pub pieces: BTreeMap<String, PagePiece>,
    /// The goals with the results of both gates.
    pub goals: Vec<GoalRow>,
    /// The runs, the open ones first.
    pub runs: Vec<PageRun>,
    /// The governed files, by path.
    pub governed: Vec<GovernedRow>,
    /// How many more governed files there are.
    pub uncounted: usize,
    /// How many governed files, listed or not, have a fresh pass.
    pub proven: usize,
    /// The place of commits and files in the web, if the user named one.
    pub links: Option<PageLinks>,
}

impl PageContent {
    /// Every scenario of the page, in order.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &PageScenario> {
        self.nodes.iter().flat_map(|node| &node.scenarios)
    }

    /// How many pieces of evidence the page shows, leaves out, and lacks because they are not in this clone.
    pub(crate) fn piece_counts(&self) -> PieceCounts {
        let mut counts = PieceCounts::default();
        for piece in self.pieces.values() {
            *match piece.shown {
                PieceShown::Missing(_) | PieceShown::Away(_) => &mut counts.missing,
                PieceShown::LeftOut(_) => &mut counts.left_out,
                PieceShown::Picture { .. }
                | PieceShown::Film { .. }
                | PieceShown::Text { .. }
                | PieceShown::Steps(_) => &mut counts.shown,
            } += 1;
        }
        counts
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PieceCounts {
    pub shown: usize,
    pub left_out: usize,
    pub missing: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct PageSource {
    /// The name of the repository; empty if it has none.
    pub project: BString,
    /// The branch, without `refs/heads/`; `None` off every branch, and on a page for publication.
    pub branch: Option<BString>,
    /// The full id of the commit: the requested one, otherwise the work tree's HEAD.
    pub commit: Option<String>,
    /// Whether the page shows the work tree, which may differ from that commit.
    pub is_work_tree: bool,
    /// Whether the page is for publication: without evidence, notes and names of persons.
    pub is_published: bool,
    /// Whether the user asked for some nodes or tags only.
    pub is_narrowed: bool,
    /// How many secrets were masked.
    pub masked: usize,
}

/// A commit that changed a state, with the score of the page's selection at it.
#[derive(Clone, Debug)]
pub(crate) struct HistoryStep {
    /// The full id of the commit.
    pub commit: String,
    /// When it was committed, as ledgers spell times.
    pub date: String,
    /// The first line of its message; `None` on a page for publication.
    pub subject: Option<String>,
    pub score: ScoreTally,
}

#[derive(Clone, Debug)]
pub(crate) struct PageNode {
    pub dir: BString,
    pub id: String,
    pub title: Option<String>,
    /// How many of the shown nodes contain it.
    pub depth: usize,
    /// Its scenarios, failing and stale ones first, passes last.
    pub scenarios: Vec<PageScenario>,
    /// Whether the lines of its passes are visible at first.
    pub shows_passes: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct PageScenario {
    /// Its id in links.
    pub anchor: String,
    /// Its row as in `show`, with its last readings.
    pub row: ScenarioRow,
    /// What to measure.
    pub description: String,
    /// The command that files another reading, for a shell, without the verdict.
    pub command: String,
    /// The picture of the reading that counts, and of the reading before it.
    pub pair: Option<PicturePair>,
    /// How many older readings are not listed.
    pub older: usize,
    /// Whether it is unfolded at first.
    pub is_open: bool,
    /// The declared test: its path, and the name of a case in it.
    pub test: Option<String>,
    /// Of a fresh fail: the last pass before the fails, if there is one.
    pub last_pass: Option<LastPass>,
}

#[cfg(test)]
impl PageScenario {
    /// A folded scenario with this row.
    pub(crate) fn sample(row: ScenarioRow) -> Self {
        Self {
            anchor: "s-000000000000".to_owned(),
            row,
            description: String::new(),
            command: String::new(),
            pair: None,
            older: 0,
            is_open: false,
            test: None,
            last_pass: None,
        }
    }
}

/// Two pictures of one scenario that differ.
#[derive(Clone, Debug)]
pub(crate) struct PicturePair {
    /// The time of the earlier reading.
    pub ts: String,
    /// The picture of the earlier reading.
    pub before: EvidenceRow,
    /// The picture of the reading that counts.
    pub after: EvidenceRow,
}

impl PicturePair {
    /// Whether this piece of the reading of `ts` is the picture before.
    pub(crate) fn is_before(&self, ts: &str, hash: &str) -> bool {
        self.ts == ts && self.before.hash == hash
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PagePiece {
    /// Its size in bytes, if it is in this clone.
    pub size: Option<u64>,
    pub shown: PieceShown,
    /// The anchor of the scenario and the time of the reading where the piece is shown. Other readings link there.
    pub home: [String; 2],
}

impl PagePiece {
    /// Whether the piece is shown at this reading: the anchor of its scenario and its time.
    pub(crate) fn is_at_home(&self, anchor: &str, ts: &str) -> bool {
        self.home.each_ref().map(String::as_str) == [anchor, ts]
    }
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
pub(crate) struct GovernedRow {
    /// Its path, followed by `#symbol` if one unit of the file is governed.
    pub path: BString,
    /// Its path alone.
    pub file: BString,
    /// The score of the scenarios that govern it; zero if only nodes without scenarios do.
    pub score: ScoreTally,
    /// The anchor and name of the first of these scenarios.
    pub first: Vec<[String; 2]>,
}

/// The last pass before a row of fails, from the readings alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastPass {
    /// The full id of its commit.
    pub commit: String,
    pub ts: String,
    /// The paths that differ between it and the first fail of the row, by their stamps; empty if one has no stamp.
    pub differing: Vec<BString>,
}

/// Links from a page into the web.
#[derive(Clone, Debug)]
pub(crate) struct PageLinks {
    pub forge: ForgeLinks,
    /// The commit of the page, if there is one.
    pub commit: Option<String>,
    /// The files that this commit has. The work tree may have others, and no link could lead to them.
    pub files: BTreeSet<BString>,
}

impl PageLinks {
    /// The address of a file, as the commit of the page has it.
    pub(crate) fn file(&self, path: &BString) -> Option<String> {
        let commit = self.commit.as_ref().filter(|_| self.files.contains(path))?;
        Some(self.forge.file(commit, path))
    }
}
