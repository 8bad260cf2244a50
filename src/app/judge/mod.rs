//! The spine of every check. A [`Snapshot`] and its bases are loaded as facts, the facts give a change, rules examine the
//! change, and levels are set. Every door calls [`judge`]; the fast path before a commit uses a narrower [`Focus`]. Prints
//! and writes nothing: doors store memos, and [`verdict`] makes a report of [`Judged`].

pub(crate) mod absent;
pub(crate) mod added;
pub(crate) mod branch;
pub(crate) mod change;
pub(crate) mod consequences;
pub(crate) mod counting;
pub(crate) mod evidence;
pub(crate) mod excerpts;
pub(crate) mod gates;
pub(crate) mod levels;
pub(crate) mod losses;
pub(crate) mod order;
pub(crate) mod places;
pub(crate) mod protection;
pub(crate) mod remember;
pub(crate) mod reused;
pub(crate) mod rows;
mod selectors;
pub mod snapshot;
pub(crate) mod states;
pub(crate) mod stray;
pub(crate) mod suggestion;
pub(crate) mod touched;
pub(crate) mod unseen;
pub mod verdict;

use crate::engine::anchors::Anchors;
use crate::engine::facts::Facts;
use crate::engine::unowned;
use crate::error::{Error, Result};
use crate::features;
use crate::finding::{Finding, Level, Origin, RuleId};
use crate::model::config::Config;
use crate::model::ledger::{EvidenceHash, Reading, Timestamp};
use crate::model::workspace::ParsedBefore;
use crate::repo::Repo;
use crate::report::view::ApprovalRow;
use crate::rules::{self, Change, LostLine};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use branch::TouchedPaths;
use bstr::BStr;
use evidence::Evidence;
use rows::RowColumn;
use snapshot::{MadeBy, Snapshot};
use states::{LastBases, Loaded, NotJudged, States};
use std::collections::{BTreeSet, HashSet};
use std::mem;
use std::rc::Rc;
use verdict::Reader;

/// The settings of a check.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Warnings become errors.
    pub strict: bool,
    /// The current time, to find time stamps from the future.
    pub now: Timestamp,
    /// The reader of the report.
    pub reader: Reader,
    /// Whether a state without a base is searched for evidence by content. Otherwise only file names are compared, because
    /// reading every tracked file costs a large repository more than the rest of the check.
    pub reads_files: bool,
    /// Whether goals are evaluated even without a claim that they are reached. A score does so.
    pub scores_goals: bool,
    /// Whether the change must be approved.
    pub approval: ApprovalCheck,
}

/// When a change must be approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApprovalCheck {
    /// As the policy before the change says.
    #[default]
    ByPolicy,
    /// The same, and the answer is shown without a policy, too.
    Shown,
    /// Always: any other answer than `covered` is an error.
    Required,
}

/// One request to judge.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    /// The repository with states and histories.
    pub repo: &'a Repo,
    /// The judged state and its bases.
    pub snapshot: &'a Snapshot,
    /// The known facts about commits that readings name.
    pub anchors: &'a Anchors,
    /// Parsed files of an earlier check.
    pub before: &'a dyn ParsedBefore,
    /// The reader, the time and the strictness.
    pub options: Options,
    /// The part of the snapshot that is examined.
    pub focus: Focus<'a>,
}

/// What a feature judges, beside its rules. It keeps its facts as parts of the states and of the change.
pub(crate) struct Judging {
    /// Whether by this configuration files may matter that belong to no node. The memo of a tree says so
    /// ([`crate::app::memo::Notes::names_files`]): without it a commit that concerns no node is not judged.
    pub names_files: fn(&Config) -> bool,
    /// Whether everything must be judged if this file changes. Asked on the fast path, before the configuration is read.
    pub concerns_file: fn(&RepoPath) -> bool,
    /// Whether it judges a file at this path by itself, whether a node names it or not; without a configuration, whether it may.
    pub judges_file: fn(&RepoPath, Option<&Config>) -> bool,
    /// Whether everything must be judged, for example because the change touches a file that belongs to no node. Asked on the
    /// fast path, of a commit that concerns no node only if [`Self::names_files`] says so.
    pub concerns_all: fn(&Question<'_>, &Config) -> Result<bool>,
    /// Adds to the facts of the judged state and its bases. The lines are those that the state lost since the bases.
    pub states: fn(&Question<'_>, &mut States, &[LostLine]) -> Result<()>,
    /// Adds to the facts of the change.
    pub change: fn(&Question<'_>, &States, &mut Change<'_>) -> Result<Option<Ruling>>,
    /// Adds to the facts of files that are judged on their own: `validate`.
    pub files: fn(&dyn Tree, &[RepoPath], &mut Facts) -> Result<()>,
    /// The files of its own that a branch takes along when it is deleted.
    pub taken: Option<TakenFiles>,
    /// What it adds to the rows of a score.
    pub rows: Option<RowColumn>,
}

/// The files of a feature that go with a deleted branch.
pub(crate) struct TakenFiles {
    /// The rule that keeps them.
    pub rule: RuleId,
    /// Those of the state with this configuration that none of the kept states has. The latter are asked for once a file must
    /// be kept.
    pub find: FindTaken,
}

/// See [`TakenFiles::find`].
pub(crate) type FindTaken = fn(&dyn Tree, &Config, &dyn Fn() -> Result<Vec<Rc<dyn Tree>>>) -> Result<Vec<RepoPath>>;

impl Judging {
    /// A feature that judges nothing.
    pub(crate) const NONE: Self = Self {
        names_files: |_| false,
        concerns_file: |_| false,
        judges_file: |_, _| false,
        concerns_all: |_, _| Ok(false),
        states: |_, _, _| Ok(()),
        change: |_, _, _| Ok(None),
        files: |_, _, _| Ok(()),
        taken: None,
        rows: None,
    };
}

/// What a feature says about a change as a whole.
#[derive(Default)]
pub(crate) struct Ruling {
    /// Whether only all nodes can decide. A judgement of some nodes has no answer then.
    pub needs_all: bool,
    /// A configuration that sets levels, too: no change lowers the level of the feature's rule for itself.
    pub gate: Option<Config>,
    /// The answer that a report about a range shows; one feature gives it.
    pub approval: Option<ApprovalRow>,
    /// The scenarios that the feature could not judge.
    pub not_judged: Vec<NotJudged>,
}

/// The part of the judged state and its bases that is examined.
#[derive(Clone, Copy)]
pub(crate) enum Focus<'a> {
    Everything,
    /// Some nodes: the change concerns no other node and not the configuration.
    Nodes(Concerned<'a>),
}

/// The nodes that a change concerns, and the necessary facts about all other nodes.
#[derive(Clone, Copy)]
pub(crate) struct Concerned<'a> {
    /// The configuration of the judged state and of its base, which is the same.
    pub config: &'a Config,
    pub dirs: &'a BTreeSet<RepoPath>,
    /// The directories of all other nodes, which are the same in the judged state and its base.
    pub others: &'a [&'a BStr],
    /// Whether a reading of any node in the base names these bytes.
    pub names: &'a dyn Fn(&EvidenceHash) -> bool,
    /// The directories of other nodes with a ledger that holds a decision about a patch.
    pub deciding: &'a dyn Fn() -> BTreeSet<RepoPath>,
    /// Called before anything that may take long.
    pub busy: &'a dyn Fn(),
}

/// The result of a check.
pub(crate) enum Answer {
    /// Nothing to judge: no yatsu-hook file exists, or nothing changed.
    Nothing,
    /// The findings.
    Judged(Box<Judged>),
    /// Only a check of everything can decide. Never returned for [`Focus::Everything`].
    TooNarrow,
}

/// The findings of a snapshot with their levels.
pub(crate) struct Judged {
    /// All findings.
    pub findings: Vec<Finding>,
    /// The scenarios that could not be judged, so that advice is missing.
    pub not_judged: Vec<NotJudged>,
    /// The examined states.
    pub states: States,
    /// The evidence that the readings of the judged state name.
    pub named: HashSet<EvidenceHash>,
    /// Whether evidence exists but the content of the files was not compared with it.
    pub unread: bool,
    /// Whether the change is approved; `None` if that was not asked.
    pub approval: Option<ApprovalRow>,
}

impl Answer {
    /// The findings of a check of everything; `None` if there is nothing to judge.
    ///
    /// # Errors
    /// A fault for [`Answer::TooNarrow`], because a change that was only partly judged must not pass.
    pub(crate) fn judged(self) -> Result<Option<Judged>> {
        match self {
            Self::Nothing => Ok(None),
            Self::Judged(judged) => Ok(Some(*judged)),
            Self::TooNarrow => Err(Error::fault("only a part of the change was judged")),
        }
    }
}

impl Judged {
    /// The result without findings for a state that contains nothing to judge.
    pub(crate) fn of_nothing(config: Config) -> Self {
        let (states, named) = (States::of_nothing(config), HashSet::new());
        Self { findings: Vec::new(), not_judged: Vec::new(), states, named, unread: false, approval: None }
    }
}

/// Judges a snapshot. `last` holds the bases of the snapshot that was judged before, so that they are not collected again.
///
/// # Errors
/// When necessary content cannot be read, or the configuration cannot be used. Then nothing passes.
pub(crate) fn judge(question: &Question<'_>, last: &mut LastBases) -> Result<Answer> {
    let Question { snapshot, options, .. } = *question;
    if snapshot.changes_nothing() {
        return Ok(Answer::Nothing);
    }
    if let Focus::Nodes(concerned) = question.focus
        && concerns_all(question, concerned.config)?
    {
        return Ok(Answer::TooNarrow);
    }
    let mut states = match states::load(question, last)? {
        Loaded::Ours(states) => *states,
        // evidence must stay out of every tree, also of one without nodes
        Loaded::NothingOfOurs(config) => States::of_nothing(*config),
        Loaded::TooNarrow => return Ok(Answer::TooNarrow),
    };
    [&mut states.view].into_iter().chain(&mut states.bases).for_each(|facts| facts.now = Some(options.now));
    selectors::look(question, &mut states);
    let Some(losses) = change::lost(question, &states)? else { return Ok(Answer::TooNarrow) };
    features::judging().try_for_each(|judging| (judging.states)(question, &mut states, &losses.0))?;
    let Evidence { named, strays, unread } = evidence::look(question, &states)?;
    let mut change = change::of(question, &states, losses, strays)?;
    if !question.focus.knows(&change) {
        return Ok(Answer::TooNarrow);
    }
    let mut rulings = Vec::new();
    for judging in features::judging() {
        let Some(ruling) = (judging.change)(question, &states, &mut change)? else { continue };
        if ruling.needs_all {
            return Ok(Answer::TooNarrow);
        }
        rulings.push(ruling);
    }
    let found = rules::of_change(&change);
    let gates = states.gates.iter().chain(rulings.iter().filter_map(|ruling| ruling.gate.as_ref()));
    let mut findings = levels::apply_since(found, &states.view.workspace.config, gates, options.strict);
    if options.approval == ApprovalCheck::Required {
        levels::require(&mut findings, rules::of_rule(RuleId::ApprovalMissing, &change));
    }
    findings.retain(|finding| is_timely(finding, snapshot));
    // hooks do not print annotations, so they need no places
    if matches!(options.reader, Reader::Person | Reader::Range(_)) {
        places::find(&mut findings, snapshot, question.anchors.units());
    }
    let unjudged: Vec<NotJudged> = rulings.iter_mut().flat_map(|ruling| mem::take(&mut ruling.not_judged)).collect();
    let approval = rulings.into_iter().find_map(|ruling| ruling.approval);
    if !states.ours && findings.is_empty() && approval.is_none() {
        return Ok(Answer::Nothing);
    }
    let mut not_judged = not_judged(question, &states);
    not_judged.extend(unjudged);
    if !question.focus.tells(&findings, &not_judged) {
        return Ok(Answer::TooNarrow);
    }
    Ok(Answer::Judged(Box::new(Judged { findings, not_judged, states, named, unread, approval })))
}

/// Whether by this configuration files may matter to a feature that belong to no node.
pub(crate) fn names_files(config: &Config) -> bool {
    features::judging().any(|judging| (judging.names_files)(config))
}

/// Whether a feature judges everything if this file changes.
pub(crate) fn concerns_file(path: &RepoPath) -> bool {
    features::judging().any(|judging| (judging.concerns_file)(path))
}

/// Whether a feature judges a file at this path by itself; without a configuration, whether one may.
pub(crate) fn judges_file(path: &RepoPath, config: Option<&Config>) -> bool {
    features::judging().any(|judging| (judging.judges_file)(path, config))
}

/// Has every feature add to the facts of files that are judged on their own.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn add_files(view: &dyn Tree, paths: &[RepoPath], facts: &mut Facts) -> Result<()> {
    features::judging().try_for_each(|judging| (judging.files)(view, paths, facts))
}

/// What features keep when a branch is deleted.
pub(crate) fn taken_files() -> impl Iterator<Item = &'static TakenFiles> {
    features::judging().filter_map(|judging| judging.taken.as_ref())
}

/// What features add to the rows of a score.
fn row_columns() -> impl Iterator<Item = &'static RowColumn> {
    features::judging().filter_map(|judging| judging.rows.as_ref())
}

/// Whether everything must be judged: for a feature, or because a new file has to be governed, which any node may do.
fn concerns_all(question: &Question<'_>, config: &Config) -> Result<bool> {
    for path in change::new_paths(question.snapshot)? {
        if unowned::is_asked(config, &path) {
            return Ok(true);
        }
    }
    for judging in features::judging() {
        if (judging.concerns_all)(question, config)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The scenarios that could not be judged. A hook has no time to parse and a server may not, so they skip an unparsed
/// scenario that the change does not concern.
fn not_judged(question: &Question<'_>, states: &States) -> Vec<NotJudged> {
    let mut all = states.not_judged();
    let (snapshot, reader) = (question.snapshot, question.options.reader);
    let is_brief = !snapshot.bases.is_empty() && reader == Reader::Hook;
    if is_brief && all.iter().any(|one| one.unparsed) {
        let changed = snapshot.bases.iter().flat_map(|base| &base.changed).cloned().collect();
        let touched = TouchedPaths::of(&changed);
        all.retain(|one| !one.unparsed || touched.concern(&one.node, &one.watched, &one.measured));
    }
    all
}

impl Focus<'_> {
    /// Whether the unexamined nodes cannot change the result: no file looks like evidence, and no new reading names bytes
    /// that another node already names.
    fn knows(&self, change: &Change<'_>) -> bool {
        let Self::Nodes(concerned) = self else { return true };
        // `evidence-reused` compares these, and no other evidence, with the readings of all nodes
        let readings = change.added.iter().filter_map(|added| added.line.event.reading());
        let shared = readings.flat_map(Reading::recorded_by_hand).any(|hash| (concerned.names)(&hash));
        change.strays.is_empty() && !shared
    }

    /// Whether a check of everything would give the same text. The advice to declare a first scenario depends on all nodes,
    /// and the count of unjudged scenarios covers all nodes, except for unparsed scenarios.
    fn tells(&self, findings: &[Finding], not_judged: &[NotJudged]) -> bool {
        let depends =
            |finding: &Finding| finding.origin == Some(Origin::Introduced) && finding.rule == RuleId::YatsuUncovered;
        matches!(self, Self::Everything) || not_judged.iter().all(|one| one.unparsed) && !findings.iter().any(depends)
    }
}

/// Whether advice is still useful. In a merge only advice about the merge's own changes is, and none if git already made
/// the merge.
fn is_timely(finding: &Finding, snapshot: &Snapshot) -> bool {
    match snapshot.made_by {
        _ if finding.level == Level::Error => return true,
        MadeBy::CleanMerge => return false,
        MadeBy::Person if snapshot.bases.len() < 2 => return true,
        MadeBy::Person => {}
    }
    let changed = snapshot.changed_paths();
    let place = finding.location.iter().map(|location| &location.path);
    let paths = finding.drift.iter().map(|drift| &drift.path).chain(place);
    paths.into_iter().any(|path| changed.iter().any(|c| c.as_bstr() == path.as_slice() as &[u8]))
}
