//! The words every part speaks: what a rule found, how bad it is, and whether this change caused it.
//!
//! A finding is data. Rules make it, `app` sets its level and origin, `report` prints it; nothing here does I/O.

mod grounds;
mod overspent;
pub use grounds::Grounds;
pub use overspent::{Overspent, PassedLimit, Spent};

use crate::text::excerpt::Excerpt;
use bstr::BString;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// A rule's name, as configuration and output spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleId {
    /// Malformed scenario file; ghost, escaping or untracked path.
    YatsuSchema,
    /// Evidence bytes in the tree.
    StrayBlob,
    /// Malformed ledger line.
    LedgerSchema,
    /// A committed ledger line edited or removed.
    LedgerHistory,
    /// Two nodes with one id.
    NodeId,
    /// A stale reading.
    YatsuDrift,
    /// A declared scenario without an effective reading.
    YatsuMissing,
    /// A node that governs a source file and has no scenario file.
    YatsuUncovered,
    /// A file governed by too many scenarios.
    YatsuOwners,
    /// The latest effective reading is a fresh fail.
    YatsuFailing,
    /// A scenario that no change of code can make stale.
    YatsuUngoverned,
    /// The change weakens the gate's own configuration.
    GateLowered,
    /// Readings of a scenario that is no longer declared.
    YatsuOrphan,
    /// A pass without the evidence its tag asks for.
    EvidenceKind,
    /// A failing scenario was removed, renamed, reworded or narrowed.
    ScenarioDropped,
    /// A fail that counted and was taken back.
    FailWithdrawn,
    /// New readings with old bytes.
    EvidenceReused,
    /// A new reading names bytes that this cache does not hold.
    EvidenceMissing,
    /// The same ledger line twice.
    LedgerDuplicate,
    /// A line that was replaced by its redaction.
    LedgerRedacted,
    /// A push of `refs/replace/`.
    ReplaceRef,
    /// A root or a file of ours that git ignores.
    SpecIgnored,
    /// A file whose units nobody can tell, so that its selectors narrow nothing.
    SelectorUnread,
    /// One idempotency key for two different readings.
    KeyConflict,
    /// A reading cost more than a budget allows, and nothing has ended that yet.
    BudgetExceeded,
    /// A run log that is not what its profile says.
    RunlogSchema,
    /// A committed line of a run log edited or removed.
    RunlogHistory,
    /// A phase or a run that ends without what it must leave behind.
    RunlogArtifacts,
    /// The page of a run is not what its log says.
    RunlogProgress,
    /// A claim of completion that does not hold where it is pushed.
    GoalGate,
    /// A goal that is not reached yet.
    GoalUnmet,
    /// A goal that was claimed complete and is not any more.
    GoalRegressed,
    /// A place that says nothing to the event graph.
    GraphPartial,
    /// A relation of the event graph to what is not there.
    GraphDangling,
    /// Something comes into the main branch for which nothing speaks.
    PromotedUnproven,
}

impl RuleId {
    /// Every rule, in the order of the documentation.
    pub const ALL: [Self; 35] = [
        Self::YatsuSchema,
        Self::StrayBlob,
        Self::LedgerSchema,
        Self::LedgerHistory,
        Self::NodeId,
        Self::YatsuDrift,
        Self::YatsuMissing,
        Self::YatsuUncovered,
        Self::YatsuOwners,
        Self::YatsuFailing,
        Self::YatsuUngoverned,
        Self::GateLowered,
        Self::YatsuOrphan,
        Self::EvidenceKind,
        Self::ScenarioDropped,
        Self::FailWithdrawn,
        Self::EvidenceReused,
        Self::EvidenceMissing,
        Self::LedgerDuplicate,
        Self::LedgerRedacted,
        Self::ReplaceRef,
        Self::SpecIgnored,
        Self::SelectorUnread,
        Self::KeyConflict,
        Self::BudgetExceeded,
        Self::RunlogSchema,
        Self::RunlogHistory,
        Self::RunlogArtifacts,
        Self::RunlogProgress,
        Self::GoalGate,
        Self::GoalUnmet,
        Self::GoalRegressed,
        Self::GraphPartial,
        Self::GraphDangling,
        Self::PromotedUnproven,
    ];

    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::YatsuSchema => "yatsu-schema",
            Self::StrayBlob => "stray-blob",
            Self::LedgerSchema => "ledger-schema",
            Self::LedgerHistory => "ledger-history",
            Self::NodeId => "node-id",
            Self::YatsuDrift => "yatsu-drift",
            Self::YatsuMissing => "yatsu-missing",
            Self::YatsuUncovered => "yatsu-uncovered",
            Self::YatsuOwners => "yatsu-owners",
            Self::YatsuFailing => "yatsu-failing",
            Self::YatsuUngoverned => "yatsu-ungoverned",
            Self::GateLowered => "gate-lowered",
            Self::YatsuOrphan => "yatsu-orphan",
            Self::EvidenceKind => "evidence-kind",
            Self::ScenarioDropped => "scenario-dropped",
            Self::FailWithdrawn => "fail-withdrawn",
            Self::EvidenceReused => "evidence-reused",
            Self::EvidenceMissing => "evidence-missing",
            Self::LedgerDuplicate => "ledger-duplicate",
            Self::LedgerRedacted => "ledger-redacted",
            Self::ReplaceRef => "replace-ref",
            Self::SpecIgnored => "spec-ignored",
            Self::SelectorUnread => "selector-unread",
            Self::KeyConflict => "key-conflict",
            Self::BudgetExceeded => "budget-exceeded",
            Self::RunlogSchema => "runlog-schema",
            Self::RunlogHistory => "runlog-history",
            Self::RunlogArtifacts => "runlog-artifacts",
            Self::RunlogProgress => "runlog-progress",
            Self::GoalGate => "goal-gate",
            Self::GoalUnmet => "goal-unmet",
            Self::GoalRegressed => "goal-regressed",
            Self::GraphPartial => "graph-partial",
            Self::GraphDangling => "graph-dangling",
            Self::PromotedUnproven => "promoted-unproven",
        }
    }

    /// The level that a rule has where the configuration says nothing.
    pub(crate) fn default_level(self) -> Level {
        match self {
            Self::YatsuSchema
            | Self::StrayBlob
            | Self::LedgerSchema
            | Self::LedgerHistory
            | Self::NodeId
            | Self::ReplaceRef
            | Self::KeyConflict
            | Self::RunlogSchema
            | Self::RunlogHistory
            | Self::GoalGate
            | Self::GraphPartial => Level::Error,
            Self::YatsuFailing
            | Self::YatsuOrphan
            | Self::EvidenceMissing
            | Self::LedgerDuplicate
            | Self::LedgerRedacted
            | Self::RunlogProgress
            | Self::GoalUnmet
            | Self::GraphDangling => Level::Info,
            _ => Level::Warning,
        }
    }

    /// The rule of that public spelling.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == text)
    }
}

/// How bad a finding is. Only `Error` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; nothing to mend.
    Info,
    /// Should be mended; blocks under `--strict` only.
    Warning,
    /// Must be mended: blocks.
    Error,
}

impl Level {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The level of that public spelling.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Info, Self::Warning, Self::Error].into_iter().find(|level| level.as_str() == text)
    }
}

/// Whether the judged change causes a finding. Only known where there is a base to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// In the view and in no base.
    Introduced,
    /// In the view and in a base.
    Inherited,
    /// In a base and no longer in the view: a measurement or a repair ended it.
    Fixed,
    /// In a base and no longer in the view: what it was about was deleted.
    Deleted,
    /// In a base and no longer in the view: its scenario was reworded, or governs something else.
    Reworded,
    /// In a base and no longer in the view: its reading was retracted or redacted.
    Withdrawn,
}

impl Origin {
    /// Whether the view has the finding no longer.
    pub(crate) fn is_ended(self) -> bool {
        matches!(self, Self::Fixed | Self::Deleted | Self::Reworded | Self::Withdrawn)
    }

    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Introduced => "introduced",
            Self::Inherited => "inherited",
            Self::Fixed => "fixed",
            Self::Deleted => "deleted",
            Self::Reworded => "reworded",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A reason why a reading is stale, in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// The commit it was measured at is gone and nothing else testifies.
    Anchor,
    /// A governed path has other content.
    Code,
    /// Description or expected was reworded.
    Scenario,
    /// The evaluator moved to another version.
    Evaluator,
}

impl Axis {
    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Code => "code",
            Self::Scenario => "scenario",
            Self::Evaluator => "evaluator",
        }
    }
}

/// A place in a file of the repository. Lines and columns start at 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Repository-relative path.
    pub path: BString,
    /// Line, where one is meant.
    pub line: Option<u32>,
    /// Column, where one is meant.
    pub column: Option<u32>,
}

/// The node a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeRef {
    /// Repository-relative directory; the key.
    pub dir: BString,
    /// The name for people.
    pub id: String,
}

/// A governed path that moved away from what was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftPath {
    /// Repository-relative path.
    pub path: BString,
    /// The one unit of the file that is governed; `None` for all of it.
    pub symbol: Option<String>,
    /// Why the whole file was compared although one unit of it is governed, as the end of a sentence.
    pub why: Option<String>,
    /// How many commits touched it since; only `show` and `scan -v` count.
    pub commits: Option<u32>,
}

impl DriftPath {
    /// Its name in every report, for example `src/a.ts`, or `src/a.ts#pack` where one unit of the file is governed.
    pub(crate) fn named(&self) -> BString {
        let mut name = self.path.clone();
        self.symbol.iter().for_each(|symbol| name.extend_from_slice(format!("#{symbol}").as_bytes()));
        name
    }
}

/// One thing a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: RuleId,
    /// How bad it is, after configuration.
    pub level: Level,
    /// Whether the change caused it; `None` without a base.
    pub origin: Option<Origin>,
    /// The node concerned.
    pub node: Option<NodeRef>,
    /// The scenario concerned.
    pub scenario: Option<String>,
    /// The place in a file; `None` where it is about no single one.
    pub location: Option<Location>,
    /// Where CI shows it, where that is another place: a file of the change that is to blame.
    pub place: Option<Location>,
    /// What stands at its location in the judged state, where people are shown it.
    pub excerpt: Option<Box<Excerpt>>,
    /// For drift: the stale axes.
    pub axes: Vec<Axis>,
    /// For drift: the commit the reading was measured at, full hex.
    pub since: Option<String>,
    /// For drift: the paths that moved.
    pub drift: Vec<DriftPath>,
    /// For a budget: what was spent beyond it.
    pub overspent: Option<Box<Overspent>>,
    /// The scenario's tags.
    pub tags: Vec<String>,
    /// Whether the judged change itself did it, and its view does not merely show it: then the stricter of the levels
    /// before and after counts, so that no change lowers the gate that it must pass.
    pub by_change: bool,
    /// Which of the violations that its rule tells apart it is, in one word for machines.
    pub code: Option<&'static str>,
    /// What is wrong, one sentence, unescaped.
    pub message: String,
    /// What to do about it, ideally a command.
    pub help: String,
    /// Other paths that it speaks of, beside its place: what a scenario names and nobody finds, say. Never printed.
    pub about: Vec<BString>,
    /// What it is about that is neither a path nor a scenario: hashes of evidence, an idempotency key. Never printed.
    pub names: Vec<String>,
    /// The name that its scenario had before, where it was renamed and nothing else.
    pub renamed_from: Option<String>,
    /// What it rests on, by which it is told what follows from it and from what it follows. Never printed.
    pub grounds: Grounds,
    /// The level that configuration may not exceed: what is never more than advice, whatever its rule. `--strict` counts
    /// a warning of this sort like any other.
    pub at_most: Option<Level>,
    /// Tells two findings of one rule, node and scenario apart, and survives a shift of lines: a path, the hash of a
    /// ledger line, the kind of a violation with its entry. Never printed.
    pub key: String,
}

impl Finding {
    /// A finding of `rule` with nothing known but its message; the level is set when configuration is applied.
    pub fn new(rule: RuleId, message: impl Into<String>) -> Self {
        Self {
            rule,
            level: Level::Info,
            origin: None,
            node: None,
            scenario: None,
            location: None,
            place: None,
            excerpt: None,
            axes: Vec::new(),
            since: None,
            drift: Vec::new(),
            overspent: None,
            tags: Vec::new(),
            by_change: false,
            code: None,
            message: message.into(),
            help: String::new(),
            about: Vec::new(),
            names: Vec::new(),
            renamed_from: None,
            grounds: Grounds::default(),
            at_most: None,
            key: String::new(),
        }
    }

    /// Whether it stops the change: an error, unless it was there before. Where nothing is compared every error does.
    pub(crate) fn blocks(&self) -> bool {
        self.level == Level::Error && self.origin != Some(Origin::Inherited) && !self.is_ended()
    }

    /// Whether the view has it no longer.
    pub(crate) fn is_ended(&self) -> bool {
        self.origin.is_some_and(Origin::is_ended)
    }

    /// What makes this the same finding in another view: rule, node directory, scenario (in NFC) and key. A redaction is
    /// the same one wherever its ledger moves, and is not told again.
    pub(crate) fn identity(&self) -> (RuleId, Option<&BString>, Option<Cow<'_, str>>, &str) {
        let scenario = self.scenario.as_deref().map(|name| match name.is_ascii() {
            true => Cow::Borrowed(name),
            false => name.nfc().collect(),
        });
        let node = self.node.as_ref().filter(|_| self.rule != RuleId::LedgerRedacted);
        (self.rule, node.map(|node| &node.dir), scenario, &self.key)
    }
}

/// Who reads the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Our readers over libgit2's object database.
    Native,
    /// The git program.
    Program,
}

impl Backend {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Program => "git",
        }
    }
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing at error level: exit 0.
    Pass,
    /// At least one error: exit 1.
    Fail,
    /// Could not check: exit 3.
    Unchecked,
}

impl Verdict {
    /// The public spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unchecked => "unchecked",
        }
    }

    /// The process exit code.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Unchecked => 3,
        }
    }
}
