//! The shared vocabulary of all parts: the finding of a rule, its level, and whether this change caused it.
//!
//! A finding is data. Rules make it, `app` sets its level and origin, `report` prints it; nothing here does I/O.

mod grounds;
pub(crate) mod json;
mod overspent;
pub use grounds::Grounds;
pub use overspent::{Overspent, PassedLimit, Spent};

use crate::text::excerpt::Excerpt;
use bstr::BString;
use serde::Serialize;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// A rule's name, as configuration and output spell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// A scenario that no code change can make stale.
    YatsuOrphan,
    /// A pass without the evidence that its tag asks for.
    EvidenceKind,
    /// A failing scenario was removed, renamed, reworded or narrowed.
    ScenarioDropped,
    /// A fail that counted was retracted.
    FailWithdrawn,
    /// New readings with old bytes.
    EvidenceReused,
    /// A new reading names bytes that this cache does not hold.
    EvidenceMissing,
    /// The same ledger line twice.
    LedgerDuplicate,
    /// A line that its redaction replaced.
    LedgerRedacted,
    /// A push of `refs/replace/`.
    ReplaceRef,
    /// A root, or a file of yatsu-hook, that git ignores.
    SpecIgnored,
    /// A file with units that cannot be determined, so that a selector means the whole file.
    SelectorUnread,
    /// One idempotency key for two different readings.
    KeyConflict,
    /// A reading cost more than a budget allows, and nothing has settled that yet.
    BudgetExceeded,
    /// A run log that violates its profile.
    RunlogSchema,
    /// A committed line of a run log edited or removed.
    RunlogHistory,
    /// A phase or a run that ends without an artifact that it must produce.
    RunlogArtifacts,
    /// The rendered page of a run differs from its log.
    RunlogProgress,
    /// A claim of completion that does not hold at a push.
    GoalGate,
    /// A goal that is not reached yet.
    GoalUnmet,
    /// A goal that was claimed complete and is no longer reached.
    GoalRegressed,
    /// A place that the event graph cannot include.
    GraphPartial,
    /// A relation of the event graph to something that does not exist.
    GraphDangling,
    /// A change enters the main branch without a fresh pass, an approval or a reached goal.
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

    /// The level of a rule without configuration.
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

    /// The rule with that public spelling.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == text)
    }
}

/// How bad a finding is. Only `Error` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing; nothing to repair.
    Info,
    /// Should be repaired; blocks under `--strict` only.
    Warning,
    /// Must be repaired: blocks.
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

    /// The level with that public spelling.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Info, Self::Warning, Self::Error].into_iter().find(|level| level.as_str() == text)
    }
}

/// Whether the judged change causes a finding. Known only if there is a base to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// In the view and in no base.
    Introduced,
    /// In the view and in a base.
    Inherited,
    /// In a base and no longer in the view: a measurement or a repair ended it.
    Fixed,
    /// In a base and no longer in the view: its subject was deleted.
    Deleted,
    /// In a base and no longer in the view: its scenario was reworded, or governs something else.
    Reworded,
    /// In a base and no longer in the view: its reading was retracted or redacted.
    Withdrawn,
}

impl Origin {
    /// Whether the finding is no longer in the view.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// The commit of the measurement is gone and nothing else identifies the measured content.
    Anchor,
    /// A governed path has other content.
    Code,
    /// The description or the expected result was reworded.
    Scenario,
    /// The evaluator has another version.
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
    /// Line, if known.
    pub line: Option<u32>,
    /// Column, if known.
    pub column: Option<u32>,
}

/// The node a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NodeRef {
    /// Repository-relative directory; the key.
    #[serde(rename = "node", serialize_with = "json::text")]
    pub dir: BString,
    /// The display name.
    pub id: String,
}

/// A governed path with other content than was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriftPath {
    /// Repository-relative path.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// The governed unit of the file; `None` if the whole file is governed.
    pub symbol: Option<String>,
    /// Why the whole file was compared although only one unit is governed, as the end of a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many commits touched it since; computed only for `show` and `scan -v`.
    pub commits: Option<u32>,
}

impl DriftPath {
    /// Its name in every report, for example `src/a.ts`, or `src/a.ts#pack` if only one unit of the file is governed.
    pub(crate) fn named(&self) -> BString {
        let mut name = self.path.clone();
        self.symbol.iter().for_each(|symbol| name.extend_from_slice(format!("#{symbol}").as_bytes()));
        name
    }
}

/// One thing a rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule that found it.
    pub rule: RuleId,
    /// How bad it is, after configuration.
    pub level: Level,
    /// Whether the change caused it; `None` without a base.
    pub origin: Option<Origin>,
    /// The node concerned.
    #[serde(serialize_with = "json::id")]
    pub node: Option<NodeRef>,
    /// The scenario concerned.
    pub scenario: Option<String>,
    /// The place in a file; `None` if the finding is about no single place.
    #[serde(flatten, serialize_with = "json::location")]
    pub location: Option<Location>,
    /// Another place for CI to show: the file of the change that caused the finding.
    #[serde(skip)]
    pub place: Option<Location>,
    /// The lines at its location in the judged state, if they may be shown.
    #[serde(skip)]
    pub excerpt: Option<Box<Excerpt>>,
    /// For drift: the stale axes.
    pub axes: Vec<Axis>,
    /// For drift: the commit the reading was measured at, full hex.
    pub since: Option<String>,
    /// For drift: the paths that moved.
    pub drift: Vec<DriftPath>,
    /// For a budget: the cost beyond it.
    #[serde(flatten)]
    pub overspent: Option<Box<Overspent>>,
    /// The scenario's tags.
    pub tags: Vec<String>,
    /// Whether the judged change itself did it, and not only its view shows it. Then the stricter level of before and after
    /// counts, because no change may lower the gate that it must pass.
    #[serde(skip)]
    pub by_change: bool,
    /// The kind of violation within its rule, one word for machines, for example `unlisted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The former name of its scenario, if that was renamed and nothing else changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// What is wrong, one sentence, unescaped.
    pub message: String,
    /// What to do about it, ideally a command.
    pub help: String,
    /// Further paths that it is about, for example a missing path that a scenario names. Never printed.
    #[serde(skip)]
    pub about: Vec<BString>,
    /// Other things that it is about: hashes of evidence, an idempotency key. Never printed.
    #[serde(skip)]
    pub names: Vec<String>,
    /// The kind of its cause. The verdict uses it to hide findings that follow from this one. Never printed.
    #[serde(skip)]
    pub grounds: Grounds,
    /// The highest level that configuration may set, for a finding that is never more than advice. `--strict` counts such a
    /// warning like any other.
    #[serde(skip)]
    pub at_most: Option<Level>,
    /// Distinguishes two findings of one rule, node and scenario, and does not depend on line numbers: a path, the hash of
    /// a ledger line, the kind of a violation with its entry. Never printed.
    #[serde(skip)]
    pub key: String,
}

impl Finding {
    /// A finding of `rule` with only a message. The level is set when the configuration is applied.
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

    /// Whether it stops the change: an error that is not inherited. Without a base every error does.
    pub(crate) fn blocks(&self) -> bool {
        self.level == Level::Error && self.origin != Some(Origin::Inherited) && !self.is_ended()
    }

    /// Whether it is no longer in the view.
    pub(crate) fn is_ended(&self) -> bool {
        self.origin.is_some_and(Origin::is_ended)
    }

    /// The key that identifies the same finding in another view: rule, node directory, scenario (in NFC) and key. A
    /// redaction has no directory in its key, so that it is not reported again when its ledger moves.
    pub(crate) fn identity(&self) -> (RuleId, Option<&BString>, Option<Cow<'_, str>>, &str) {
        let scenario = self.scenario.as_deref().map(|name| match name.is_ascii() {
            true => Cow::Borrowed(name),
            false => name.nfc().collect(),
        });
        let node = self.node.as_ref().filter(|_| self.rule != RuleId::LedgerRedacted);
        (self.rule, node.map(|node| &node.dir), scenario, &self.key)
    }
}

/// The code that reads the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The built-in readers, over libgit2's object database.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
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
