//! The data that a reporter prints. `app` fills it; neither this module nor a reporter computes anything.

pub(crate) mod budget;
pub(crate) mod config;
pub(crate) mod measures;
pub(crate) mod receipt;
pub(crate) mod score;
pub(crate) mod tally;
pub(crate) mod terms;
pub(crate) mod units;
pub(crate) mod usage;
pub(crate) mod verdict;

use crate::error::Error;
use crate::finding::{Backend, Finding, RuleId, Verdict, json};
use crate::text::spelled::spelled;
use bstr::BString;
use serde::{Serialize, Serializer};
use tally::{ScenarioStand, ScoreTally};

/// What was examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scope {
    /// The content that was judged.
    pub mode: ScopeMode,
    /// The full id of the commit that it was compared with.
    pub base: Option<String>,
    /// The judged commit: a full id.
    pub tip: Option<String>,
    /// The backend that read the repository; `None` if nothing was read.
    #[serde(serialize_with = "backend")]
    pub backend: Option<Backend>,
    /// How many files were examined.
    pub files: usize,
    /// How many nodes were examined.
    pub nodes: usize,
}

impl Scope {
    /// The scope of a check that failed before it could read anything.
    pub fn unread(mode: ScopeMode) -> Self {
        Self { mode, base: None, tip: None, backend: None, files: 0, nodes: 0 }
    }

    /// The backend that read the repository, in the public spelling.
    pub(crate) fn read_by(&self) -> &'static str {
        spelled_backend(self.backend)
    }
}

fn backend<S: Serializer>(backend: &Option<Backend>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(spelled_backend(*backend))
}

/// The public spelling; `none` if nothing was read.
fn spelled_backend(backend: Option<Backend>) -> &'static str {
    backend.map_or("none", Backend::as_str)
}

spelled! {
    /// Which content a check judges.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ScopeMode {
        /// The index against HEAD.
        Staged = "staged",
        /// The working tree, or HEAD in a bare repository.
        All = "all",
        /// The tree of one commit.
        Rev = "rev",
        /// What the commits from one to another change.
        Range = "range",
        /// The tips of a push and the commits that it sends.
        Push = "push",
        /// The same on the server, in quarantine.
        Receive = "receive",
        /// The named files alone.
        Files = "files",
        /// Nothing: the check failed before it chose the content.
        None = "none",
    }
}

/// The counts of all findings, whether they are listed or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Findings at error level.
    pub errors: usize,
    /// Findings at warning level.
    pub warnings: usize,
    /// Findings at info level.
    pub infos: usize,
    /// Findings that were there before.
    pub inherited: usize,
    /// Nodes with at least one finding.
    pub nodes_flagged: usize,
    /// Findings of `yatsu-schema`.
    pub malformed: usize,
    /// Findings of `yatsu-drift`.
    pub stale: usize,
    /// Findings of `yatsu-missing`.
    pub missing: usize,
    /// Findings of `yatsu-uncovered`.
    pub uncovered: usize,
    /// Findings of `yatsu-owners`.
    pub over_owned: usize,
    /// Findings that follow from another one. No format lists them.
    pub suppressed: usize,
    /// The score of the judged scenarios, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreTally>,
}

/// How many single findings of a level people see, unless a score is asked for more.
pub const SINGLES_LISTED: usize = 20;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was examined.
    pub scope: Scope,
    /// The findings to list, filtered and in order.
    pub findings: Vec<Finding>,
    /// The warnings beyond those that a hook lists. Programs get their number; people see them in the blocks that they
    /// belong to.
    pub beyond: Vec<Finding>,
    /// The state of each judged scenario; empty if [`Summary::score`] is `None`.
    pub scenarios: Vec<ScenarioStand>,
    /// For a score: people see at most this many single findings of a level; 0 shows all. Other reports have
    /// [`SINGLES_LISTED`].
    pub score_limit: Option<usize>,
    /// Whole lines besides the findings.
    pub notes: Vec<String>,
    /// A sentence with the number of older findings and the command that lists them, if they are only counted.
    pub older: Option<String>,
    /// The number of findings of each level, and of older ones.
    pub summary: Summary,
    /// The verdict, from which the exit code follows.
    pub verdict: Verdict,
    /// Whether a range is approved; `None` if that was not asked.
    pub approval: Option<ApprovalRow>,
    /// Why the check could not be made, and the repairs, best first.
    pub unchecked: Option<(String, Vec<String>)>,
}

/// Whether a range is approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApprovalRow {
    /// `covered`, `rejected`, `short`, `lost` or `never`.
    pub status: &'static str,
    /// How many givers are needed.
    pub need: usize,
    /// The givers of the decisions that the status rests on.
    pub by: Vec<String>,
    /// The files that no approval covers.
    pub files: Vec<UnapprovedRow>,
}

/// A file that no approval covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnapprovedRow {
    /// Its path.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// The reason, for example `changed`.
    pub why: &'static str,
}

impl Report {
    /// The report of a check that found nothing.
    pub(crate) fn clean(scope: Scope) -> Self {
        Self {
            scope,
            findings: Vec::new(),
            beyond: Vec::new(),
            scenarios: Vec::new(),
            score_limit: None,
            notes: Vec::new(),
            older: None,
            summary: Summary::default(),
            verdict: Verdict::Pass,
            approval: None,
            unchecked: None,
        }
    }

    /// The report of a check that could not be made.
    pub fn unchecked(scope: Scope, error: &Error) -> Self {
        let reason = (error.message.clone(), error.hints.clone());
        Self { verdict: Verdict::Unchecked, unchecked: Some(reason), ..Self::clean(scope) }
    }

    /// The same report with only the blocking findings, for `-q`.
    #[must_use]
    pub fn only_blocking(mut self) -> Self {
        self.findings.retain(Finding::blocks);
        self.beyond.clear();
        self.notes.clear();
        self.older = None;
        self
    }

    /// All notes; the number of older findings comes last.
    pub(crate) fn all_notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(&self.older)
    }

    /// How many findings a machine format does not list, and the command that lists them. Only hooks leave findings out.
    /// The command is `scan`, because the commit may exist by the time a person asks, and then only the whole score names
    /// these findings.
    pub(crate) fn rest(&self) -> Option<String> {
        let count = self.beyond.len();
        (count > 0).then(|| format!("and {count} more: yatsu-hook scan"))
    }

    /// Whether the report has nothing to say to a person.
    pub fn is_silent(&self) -> bool {
        self.findings.is_empty() && self.all_notes().next().is_none() && self.unchecked.is_none()
    }
}

spelled! {
    /// The state of one thing that the doctor looked at.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Health {
        /// As it should be.
        Ok = "ok",
        /// Works, with a loss that the user should know about.
        Advice = "advice",
        /// The gate was never installed here: nothing is damaged, and nothing is checked.
        Absent = "absent",
        /// The gate does not do its work.
        Broken = "broken",
        /// Could not be looked at.
        Unknown = "unknown",
    }
}

impl Health {
    /// Whether the gate is not known to work.
    pub(crate) fn blocks(self) -> bool {
        matches!(self, Self::Absent | Self::Broken | Self::Unknown)
    }
}

/// The doctor's finding about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// How it stands.
    pub health: Health,
    /// What was examined and in which state it is, unescaped.
    pub what: String,
    /// What to do about it; always set unless the health is [`Health::Ok`].
    pub repair: Option<String>,
}

spelled! {
    /// The two verbs that change how git calls the gate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum InstallVerb {
        /// Have git call the gate.
        Install = "install",
        /// Make git call the gate no more.
        Uninstall = "uninstall",
    }
}

/// The result of installing or uninstalling, or of its dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "yatsu-hook/install/v1", rename_all = "camelCase")]
pub struct InstallReceipt {
    /// What was asked for.
    pub verb: InstallVerb,
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// The changes in order, one sentence each, unescaped.
    pub steps: Vec<String>,
    /// What the user should know, unescaped.
    pub notes: Vec<String>,
    /// The verdict on the repository, if it was judged.
    pub verdict: Option<Verdict>,
    /// How many of its errors are in no commit yet: the hook stops the commit that contains them.
    #[serde(skip)]
    pub uncommitted: usize,
    /// Whether it declares no scenario, so that the hooks have nothing to guard.
    #[serde(skip)]
    pub is_unguarded: bool,
}

/// The description of a rule, for formats that include it.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// What the rule finds, in one sentence.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// How to mend it.
    pub mend: &'static str,
}

/// How to print a report.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Colour by level; human format only.
    pub color: bool,
    /// Say what was examined; human format only.
    pub verbose: bool,
    /// Say nothing that does not block; human format only.
    pub quiet: bool,
    /// Draw with ASCII alone, because it was asked for or the output is no terminal; human format only.
    pub ascii: bool,
    /// The width of the terminal in columns; `None` in a pipe, where no list is cut.
    pub width: Option<usize>,
    /// The table of rule descriptions.
    pub describe: fn(RuleId) -> RuleText,
}

impl Style {
    /// A line of this program in the characters that may be drawn.
    pub(crate) fn in_its_characters(&self, line: &str) -> String {
        if self.ascii { line.replace(" · ", "; ") } else { line.to_owned() }
    }
}

spelled! {
    /// The output formats.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Format {
        /// Lines for people; empty if there is nothing to say.
        #[default]
        Human = "human",
        /// `yatsu-hook/findings/v1`, one line.
        Json = "json",
        /// SARIF 2.1.0.
        Sarif = "sarif",
        /// Workflow commands of GitHub Actions.
        Github = "github",
        /// A graph in the DOT language of Graphviz.
        Dot = "dot",
        /// A graph in the language of Mermaid.
        Mermaid = "mermaid",
        /// Markdown for a comment or a summary.
        Markdown = "markdown",
        /// Scenarios as test cases, in the XML of JUnit.
        Junit = "junit",
    }
}
