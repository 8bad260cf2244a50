//! The shared vocabulary of all parts: the finding of a rule, its level, and whether this change caused it.
//!
//! A finding is data. Rules make it, `app` sets its level and origin, `report` prints it; nothing here does I/O.

mod grounds;
pub(crate) mod json;
mod overspent;
mod setting;
pub use grounds::Grounds;
pub use overspent::{Overspent, PassedLimit, Spent};
pub(crate) use setting::SettingValue;

use crate::text::excerpt::Excerpt;
use crate::text::spelled::spelled;
use bstr::BString;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

spelled! {
    /// A rule's name, as configuration and output spell it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RuleId {
        /// Malformed scenario file; ghost, escaping or untracked path.
        YatsuSchema = "yatsu-schema",
        /// Evidence bytes in the tree.
        StrayBlob = "stray-blob",
        /// Malformed ledger line.
        LedgerSchema = "ledger-schema",
        /// A committed ledger line edited or removed.
        LedgerHistory = "ledger-history",
        /// Two nodes with one id.
        NodeId = "node-id",
        /// A stale reading.
        YatsuDrift = "yatsu-drift",
        /// A declared scenario without an effective reading.
        YatsuMissing = "yatsu-missing",
        /// A node that governs a source file and has no scenario file.
        YatsuUncovered = "yatsu-uncovered",
        /// A new source file that no scenario governs.
        YatsuUnowned = "yatsu-unowned",
        /// A file governed by too many scenarios.
        YatsuOwners = "yatsu-owners",
        /// The latest effective reading is a fresh fail.
        YatsuFailing = "yatsu-failing",
        /// A scenario that no change of code can make stale.
        YatsuUngoverned = "yatsu-ungoverned",
        /// The change weakens the gate's own configuration.
        GateLowered = "gate-lowered",
        /// A scenario that no code change can make stale.
        YatsuOrphan = "yatsu-orphan",
        /// A pass without the evidence that its tag asks for.
        EvidenceKind = "evidence-kind",
        /// A measured scenario was removed or renamed, or a failing one reworded or narrowed.
        ScenarioDropped = "scenario-dropped",
        /// A fail that counted was retracted.
        FailWithdrawn = "fail-withdrawn",
        /// New readings with old bytes.
        EvidenceReused = "evidence-reused",
        /// A new reading names bytes that this cache does not hold.
        EvidenceMissing = "evidence-missing",
        /// The same ledger line twice.
        LedgerDuplicate = "ledger-duplicate",
        /// A line that its redaction replaced.
        LedgerRedacted = "ledger-redacted",
        /// A push of `refs/replace/`.
        ReplaceRef = "replace-ref",
        /// A root, or a file of yatsu-hook, that git ignores.
        SpecIgnored = "spec-ignored",
        /// A file with units that cannot be determined, so that a selector means the whole file.
        SelectorUnread = "selector-unread",
        /// One idempotency key for two different readings.
        KeyConflict = "key-conflict",
        /// A reading cost more than a budget allows, and nothing has settled that yet.
        BudgetExceeded = "budget-exceeded",
        /// A run log that violates its profile.
        RunlogSchema = "runlog-schema",
        /// A committed line of a run log edited or removed.
        RunlogHistory = "runlog-history",
        /// A phase or a run that ends without an artifact that it must produce.
        RunlogArtifacts = "runlog-artifacts",
        /// The rendered page of a run differs from its log.
        RunlogProgress = "runlog-progress",
        /// A claim of completion that does not hold at a push.
        GoalGate = "goal-gate",
        /// A goal that is not reached yet.
        GoalUnmet = "goal-unmet",
        /// A goal that was claimed complete and is no longer reached.
        GoalRegressed = "goal-regressed",
        /// A place that the event graph cannot include.
        GraphPartial = "graph-partial",
        /// A relation of the event graph to something that does not exist.
        GraphDangling = "graph-dangling",
        /// A change enters the main branch without a fresh pass, an approval or a reached goal.
        PromotedUnproven = "promoted-unproven",
        /// A range or a push to the main branch with content that was not approved.
        ApprovalMissing = "approval-missing",
        /// A scenario without a fresh pass of the grade that the configuration asks for.
        TrustUnmet = "trust-unmet",
        /// An added signature that no key made of its line.
        SignatureBroken = "signature-broken",
        /// An added signature that some key made and that does not hold.
        SignatureUnknown = "signature-unknown",
        /// The measured run went through files that the scenario does not declare.
        UnderDeclared = "under-declared",
    }
}

impl RuleId {
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
            | Self::SignatureBroken
            | Self::GraphPartial => Level::Error,
            Self::YatsuFailing
            | Self::YatsuOrphan
            | Self::EvidenceMissing
            | Self::LedgerDuplicate
            | Self::LedgerRedacted
            | Self::RunlogProgress
            | Self::GoalUnmet
            | Self::GraphDangling
            | Self::UnderDeclared => Level::Info,
            _ => Level::Warning,
        }
    }
}

spelled! {
    /// How bad a finding is. Only `Error` blocks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// Worth knowing; nothing to repair.
        Info = "info",
        /// Should be repaired; blocks under `--strict` only.
        Warning = "warning",
        /// Must be repaired: blocks.
        Error = "error",
    }
}

spelled! {
    /// Whether the judged change causes a finding. Known only if there is a base to compare with.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Origin {
        /// In the view and in no base.
        Introduced = "introduced",
        /// In the view and in a base.
        Inherited = "inherited",
        /// In a base and no longer in the view: a measurement or a repair ended it.
        Fixed = "fixed",
        /// In a base and no longer in the view: its subject was deleted.
        Deleted = "deleted",
        /// In a base and no longer in the view: its scenario was reworded, or governs something else.
        Reworded = "reworded",
        /// In a base and no longer in the view: its reading was retracted or redacted.
        Withdrawn = "withdrawn",
    }
}

impl Origin {
    /// Whether the finding is no longer in the view.
    pub(crate) fn is_ended(self) -> bool {
        matches!(self, Self::Fixed | Self::Deleted | Self::Reworded | Self::Withdrawn)
    }
}

spelled! {
    /// A reason why a reading is stale, in the order in which they are reported.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Axis {
        /// The commit of the measurement is gone and nothing else identifies the measured content.
        Anchor = "anchor",
        /// A governed path has other content.
        Code = "code",
        /// The description or the expected result was reworded.
        Scenario = "scenario",
        /// The evaluator has another version.
        Evaluator = "evaluator",
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

/// Why moved content is named although no entry of the list names it so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftWhy {
    /// The whole file was compared although only one unit is governed; the reason as the end of a sentence.
    WholeFile(String),
    /// It was measured, and left the list since.
    LeftTheList,
    /// It belongs to the test that measured.
    TestChanged,
}

impl DriftWhy {
    /// The reason in words, as the end of a sentence.
    pub fn as_str(&self) -> &str {
        match self {
            Self::WholeFile(why) => why,
            Self::LeftTheList => "left the list, and moved",
            Self::TestChanged => "the test changed",
        }
    }
}

impl Serialize for DriftWhy {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// A measured path with other content than was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriftPath {
    /// Repository-relative path.
    #[serde(flatten, serialize_with = "json::path")]
    pub path: BString,
    /// The governed unit of the file; `None` if the whole file is governed.
    pub symbol: Option<String>,
    /// Why it is named although no entry of the list names it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<DriftWhy>,
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

    /// Whether it belongs to the test, and not to the governed content.
    pub(crate) fn is_test(&self) -> bool {
        self.why == Some(DriftWhy::TestChanged)
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
    /// The environment concerned, if the scenario lists environments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
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
    /// For an undeclared run: the files that ran, as texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undeclared: Vec<String>,
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
            env: None,
            location: None,
            place: None,
            excerpt: None,
            axes: Vec::new(),
            since: None,
            drift: Vec::new(),
            overspent: None,
            tags: Vec::new(),
            by_change: false,
            undeclared: Vec::new(),
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

spelled! {
    /// The code that reads the repository.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Backend {
        /// The built-in readers, over libgit2's object database.
        Native = "native",
        /// The git program.
        Program = "git",
    }
}

spelled! {
    /// The outcome of a check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        /// Nothing at error level: exit 0.
        Pass = "pass",
        /// At least one error: exit 1.
        Fail = "fail",
        /// Could not check: exit 3.
        Unchecked = "unchecked",
    }
}

impl Verdict {
    /// The process exit code.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
            Self::Unchecked => 3,
        }
    }
}
