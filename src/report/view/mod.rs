//! What a reporter prints, as plain data. `app` fills it; nothing is computed here or after.

pub(crate) mod budget;
pub(crate) mod claim;
pub(crate) mod config;
pub(crate) mod goal;
pub(crate) mod graph;
pub(crate) mod import;
pub(crate) mod measures;
pub(crate) mod next;
pub(crate) mod page;
pub(crate) mod patch;
pub(crate) mod receipt;
pub(crate) mod runlog;
pub(crate) mod score;
pub(crate) mod share;
pub(crate) mod tally;
pub(crate) mod terms;
pub(crate) mod units;
pub(crate) mod usage;
pub(crate) mod verdict;

use crate::error::Error;
use crate::finding::{Backend, Finding, RuleId, Verdict};
use tally::{ScenarioStand, ScoreTally};

/// What was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The content that was judged.
    pub mode: ScopeMode,
    /// What it was compared with: a full commit id.
    pub base: Option<String>,
    /// The judged commit: a full id.
    pub tip: Option<String>,
    /// Who read the repository; `None` when nothing was read.
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

    /// Who read the repository, in the public spelling.
    pub(crate) fn read_by(&self) -> &'static str {
        self.backend.map_or("none", Backend::as_str)
    }
}

/// Which content a check judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeMode {
    /// The index against HEAD.
    Staged,
    /// The working tree, or HEAD in a bare repository.
    All,
    /// The tree of one commit.
    Rev,
    /// What the commits from one to another change.
    Range,
    /// The tips of a push and the commits that it sends.
    Push,
    /// The same on the server, in quarantine.
    Receive,
    /// The named files alone.
    Files,
    /// Nothing: the check failed before it had chosen.
    None,
}

impl ScopeMode {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::All => "all",
            Self::Rev => "rev",
            Self::Range => "range",
            Self::Push => "push",
            Self::Receive => "receive",
            Self::Files => "files",
            Self::None => "none",
        }
    }
}

/// The counts, of everything found and not only of what is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Findings that follow from another one, and are in no format.
    pub suppressed: usize,
    /// How the judged scenarios stand, where that was asked.
    pub score: Option<ScoreTally>,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was examined.
    pub scope: Scope,
    /// What to list, filtered and in order.
    pub findings: Vec<Finding>,
    /// How many more are not listed.
    pub hidden: usize,
    /// How the judged scenarios stand, one by one; nothing where [`Summary::score`] is none.
    pub scenarios: Vec<ScenarioStand>,
    /// How many single findings of a level people are shown, where what moved together stands together; 0 is all.
    pub grouped: Option<usize>,
    /// Whole lines besides the findings.
    pub notes: Vec<String>,
    /// How many findings were there before, where these are only counted, and what lists them.
    pub older: Option<String>,
    /// How many findings there are of each level, and how many of them were there before.
    pub summary: Summary,
    /// What the exit code says.
    pub verdict: Verdict,
    /// Why it could not be checked, and the repairs, best first.
    pub unchecked: Option<(String, Vec<String>)>,
}

impl Report {
    /// The report of a check that found nothing.
    pub(crate) fn clean(scope: Scope) -> Self {
        Self {
            scope,
            findings: Vec::new(),
            hidden: 0,
            scenarios: Vec::new(),
            grouped: None,
            notes: Vec::new(),
            older: None,
            summary: Summary::default(),
            verdict: Verdict::Pass,
            unchecked: None,
        }
    }

    /// The report of a check that could not be made.
    pub fn unchecked(scope: Scope, error: &Error) -> Self {
        let reason = (error.message.clone(), error.hints.clone());
        Self { verdict: Verdict::Unchecked, unchecked: Some(reason), ..Self::clean(scope) }
    }

    /// The same report with nothing listed but what blocks: what `-q` asks for.
    #[must_use]
    pub fn only_blocking(mut self) -> Self {
        self.findings.retain(Finding::blocks);
        self.hidden = 0;
        self.notes.clear();
        self.older = None;
        self
    }

    /// Everything that is said besides findings, how many older ones there are last.
    pub(crate) fn told(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(&self.older)
    }

    /// How many findings are not listed, and what lists them. Only hooks leave some out; when somebody looks for them the
    /// commit may be made, and then only the whole score still names them.
    pub(crate) fn rest(&self) -> Option<String> {
        (self.hidden > 0).then(|| format!("and {} more: yatsu-hook scan", self.hidden))
    }

    /// Whether it has nothing to say to a person.
    pub fn is_silent(&self) -> bool {
        self.findings.is_empty() && self.hidden == 0 && self.told().next().is_none() && self.unchecked.is_none()
    }
}

/// How it stands with one thing that the doctor looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// As it should be.
    Ok,
    /// Works, with a loss that the user should know about.
    Advice,
    /// Nobody installed anything here: nothing is damaged, and nothing is checked.
    Absent,
    /// The gate does not do its work.
    Broken,
    /// Could not be looked at.
    Unknown,
}

impl Health {
    /// Whether the gate does not stand, as far as can be told.
    pub(crate) fn blocks(self) -> bool {
        matches!(self, Self::Absent | Self::Broken | Self::Unknown)
    }

    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Advice => "advice",
            Self::Absent => "absent",
            Self::Broken => "broken",
            Self::Unknown => "unknown",
        }
    }
}

/// What the doctor found about one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// How it stands.
    pub health: Health,
    /// What was looked at and what it is like, unescaped.
    pub what: String,
    /// What to do about it; there is one whenever it is not [`Health::Ok`].
    pub repair: Option<String>,
}

/// The two verbs that change how git calls the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallVerb {
    /// Have git call the gate.
    Install,
    /// Take it out.
    Uninstall,
}

impl InstallVerb {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Uninstall => "uninstall",
        }
    }
}

/// What installing or uninstalling did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallReceipt {
    /// What was asked for.
    pub verb: InstallVerb,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// The changes in order, one sentence each, unescaped.
    pub steps: Vec<String>,
    /// What the user should know, unescaped.
    pub notes: Vec<String>,
    /// How the repository stands, where it was judged.
    pub verdict: Option<Verdict>,
    /// How many of its errors no commit holds yet: the hook stops the commit that brings them.
    pub uncommitted: usize,
}

/// What a rule means, for formats that describe their rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// What it finds, one sentence.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// How to mend it.
    pub mend: &'static str,
}

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Colour by level; human format only.
    pub color: bool,
    /// Say what was examined; human format only.
    pub verbose: bool,
    /// Say nothing that does not block; human format only.
    pub quiet: bool,
    /// Draw with ASCII alone: it was asked for, or nobody watches; human format only.
    pub ascii: bool,
    /// How many columns there are, where somebody watches; no list is cut in a pipe.
    pub width: Option<usize>,
    /// The one table of rules.
    pub describe: fn(RuleId) -> RuleText,
}

/// The output formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Lines to read; nothing where there is nothing to say.
    #[default]
    Human,
    /// `yatsu-hook/findings/v1`, one line.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// A graph as Graphviz draws it.
    Dot,
    /// A graph as Mermaid draws it.
    Mermaid,
    /// Markdown for a comment or a summary.
    Markdown,
    /// Scenarios as test cases, in the XML of JUnit.
    Junit,
}

impl Format {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Markdown => "markdown",
            Self::Junit => "junit",
        }
    }
}
