//! The spine of every check: a [`Snapshot`] and what it is compared with become facts, facts a change, rules look at it,
//! levels follow. Every door asks here, the fast path before a commit with a narrower [`Focus`]. Prints nothing, writes
//! nothing: memos are left by doors, reports are made of what is [`Judged`] by [`verdict`].

pub(crate) mod added;
pub(crate) mod branch;
pub(crate) mod change;
pub(crate) mod consequences;
pub(crate) mod counting;
pub(crate) mod evidence;
pub(crate) mod excerpts;
pub(crate) mod gates;
pub(crate) mod goals;
pub(crate) mod levels;
pub(crate) mod log_target;
pub(crate) mod losses;
pub(crate) mod order;
pub(crate) mod patches;
pub(crate) mod places;
mod promotions;
pub(crate) mod protection;
pub(crate) mod remember;
pub(crate) mod reused;
pub(crate) mod runlogs;
mod selectors;
pub mod snapshot;
pub(crate) mod states;
pub(crate) mod stray;
pub(crate) mod suggestion;
pub(crate) mod unseen;
pub mod verdict;

use crate::engine::anchors::Anchors;
use crate::error::{Error, Result};
use crate::finding::{Finding, Level, Origin, RuleId};
use crate::model::config::Config;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::workspace::ParsedBefore;
use crate::repo::Repo;
use crate::rules;
use crate::tree::path::RepoPath;
use branch::TouchedPaths;
use bstr::BStr;
use evidence::Evidence;
use goals::AskedGoals;
use snapshot::{MadeBy, Snapshot};
use states::{LastBases, Loaded, NotJudged, States};
use std::collections::{BTreeSet, HashSet};
use verdict::Reader;

/// How a check is made.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Warnings become errors.
    pub strict: bool,
    /// The clock, for time stamps from the future.
    pub now: Timestamp,
    /// Who reads the report.
    pub reader: Reader,
    /// Whether the files of a state without a base are read to look for evidence among them; else only their names are
    /// looked at. Reading every tracked file costs a large repository more than everything else together.
    pub reads_files: bool,
    /// Whether goals are asked after where nobody claims anything of them: a score does, also one of what changed.
    pub scores_goals: bool,
}

/// One question to the gate.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    /// The repository, of which states and histories are read.
    pub repo: &'a Repo,
    /// What is judged, and what it is compared with.
    pub snapshot: &'a Snapshot,
    /// What is known of the commits that readings name.
    pub anchors: &'a Anchors,
    /// Who remembers what files of the judged state said.
    pub before: &'a dyn ParsedBefore,
    /// Who reads the answer, at what time, and how strictly.
    pub options: Options,
    /// How much of the snapshot is looked at.
    pub focus: Focus<'a>,
}

/// How much of the judged state and its bases is looked at.
#[derive(Clone, Copy)]
pub(crate) enum Focus<'a> {
    /// All of it.
    Everything,
    /// Some nodes: the change concerns no other one, and not the configuration.
    Nodes(Concerned<'a>),
}

/// The nodes that a change concerns, and what must be known of all others.
#[derive(Clone, Copy)]
pub(crate) struct Concerned<'a> {
    /// What the judged state and its base are judged by, which are configured alike.
    pub config: &'a Config,
    /// The directories of those nodes.
    pub dirs: &'a BTreeSet<RepoPath>,
    /// The directories of all other nodes, which are the same in the judged state and its base.
    pub others: &'a [&'a BStr],
    /// Whether a reading of any node in the base names these bytes.
    pub names: &'a dyn Fn(&EvidenceHash) -> bool,
    /// Called before anything that may take long.
    pub busy: &'a dyn Fn(),
}

/// What the gate says.
pub(crate) enum Answer {
    /// Nothing there is ours, or nothing changed: there is nothing to judge.
    Nothing,
    /// What was found.
    Judged(Box<Judged>),
    /// Only who looks at everything can tell; never the answer to [`Focus::Everything`].
    TooNarrow,
}

/// What was found in a snapshot, at its levels.
pub(crate) struct Judged {
    /// Everything that was found.
    pub findings: Vec<Finding>,
    /// The scenarios about which advice could not be given.
    pub not_judged: Vec<NotJudged>,
    /// What it was found in.
    pub states: States,
    /// The evidence that the readings of the judged state name.
    pub named: HashSet<EvidenceHash>,
    /// Whether there is evidence with which the files were not compared by their content.
    pub unread: bool,
}

impl Answer {
    /// What was found, where everything was looked at; `None` where there is nothing to judge.
    ///
    /// # Errors
    /// Unchecked when it was looked at too narrowly: what nobody judged does not pass.
    pub(crate) fn judged(self) -> Result<Option<Judged>> {
        match self {
            Self::Nothing => Ok(None),
            Self::Judged(judged) => Ok(Some(*judged)),
            Self::TooNarrow => Err(Error::fault("only a part of the change was judged")),
        }
    }
}

impl Judged {
    /// That nothing was found where nothing is ours, judged by `config`.
    pub(crate) fn of_nothing(config: Config) -> Self {
        let (states, named) = (States::of_nothing(config), HashSet::new());
        Self { findings: Vec::new(), not_judged: Vec::new(), states, named, unread: false }
    }
}

/// Judges a snapshot; `last` holds the bases of one that was judged before, which are not collected again.
///
/// # Errors
/// When something that must be known cannot be read, or the configuration cannot be used: then nothing passes.
pub(crate) fn judge(question: &Question<'_>, last: &mut LastBases) -> Result<Answer> {
    let Question { snapshot, options, .. } = *question;
    if snapshot.changes_nothing() {
        return Ok(Answer::Nothing);
    }
    let mut states = match states::load(question, last)? {
        Loaded::Ours(states) => *states,
        // evidence is none of anybody's tree, whether or not anything there is ours
        Loaded::NothingOfOurs(config) => States::of_nothing(*config),
        Loaded::TooNarrow => return Ok(Answer::TooNarrow),
    };
    selectors::look(question, &mut states);
    let logs = runlogs::look(question, &mut states)?;
    let Some((lost, hidden)) = change::lost(question, &states)? else { return Ok(Answer::TooNarrow) };
    goals::score(question, &mut states, &lost)?;
    let Evidence { named, strays, unread } = evidence::look(question, &states)?;
    let mut change = change::of(question, &states, change::Moved { lost, hidden, strays, logs })?;
    if !question.focus.knows(&change) {
        return Ok(Answer::TooNarrow);
    }
    let AskedGoals { goals, demands } = goals::asked(question, &states, &change)?;
    (change.goals, change.demands) = (goals, demands);
    change.unproven = promotions::unproven(question, &states, &change)?;
    let found = rules::of_change(&change);
    let mut findings = levels::apply_since(found, &states.view.workspace.config, &states.gates, options.strict);
    findings.retain(|finding| is_timely(finding, snapshot));
    // a hook's report is no annotation of anything
    if matches!(options.reader, Reader::Person | Reader::Range(_)) {
        places::find(&mut findings, snapshot, question.anchors.units());
    }
    if !states.ours && findings.is_empty() {
        return Ok(Answer::Nothing);
    }
    let not_judged = not_judged(question, &states);
    if !question.focus.tells(&findings, &not_judged) {
        return Ok(Answer::TooNarrow);
    }
    Ok(Answer::Judged(Box::new(Judged { findings, not_judged, states, named, unread })))
}

/// The scenarios about which advice could not be given. What merely was not parsed is none of the matter of who changes
/// something else: his hook has no time to parse, and a server may not.
fn not_judged(question: &Question<'_>, states: &States) -> Vec<NotJudged> {
    let mut all = states.not_judged();
    let (snapshot, reader) = (question.snapshot, question.options.reader);
    let is_brief = !snapshot.bases.is_empty() && matches!(reader, Reader::Hook | Reader::VerboseHook);
    if is_brief && all.iter().any(|one| one.unparsed) {
        let changed = snapshot.bases.iter().flat_map(|base| &base.changed).cloned().collect();
        let touched = TouchedPaths::of(&changed);
        all.retain(|one| !one.unparsed || touched.concern(&one.node, &one.governed));
    }
    all
}

impl Focus<'_> {
    /// Whether what lies outside cannot matter: nothing here looks like evidence, which may be known elsewhere, and no
    /// reading brings bytes that somebody else names already.
    fn knows(&self, change: &rules::Change<'_>) -> bool {
        let Self::Nodes(concerned) = self else { return true };
        let mut brought = change.added.iter().flat_map(|added| added::hashes(&added.line));
        let shared = brought.any(|hash| (concerned.names)(&hash));
        change.strays.is_empty() && !shared
    }

    /// Whether who looks at everything would say the same in the same words: where a node is to declare its first scenario
    /// depends on what all others do, and of the scenarios about which nothing can be said all are counted, but for those that
    /// nobody parsed.
    fn tells(&self, findings: &[Finding], not_judged: &[NotJudged]) -> bool {
        let depends =
            |finding: &Finding| finding.origin == Some(Origin::Introduced) && finding.rule == RuleId::YatsuUncovered;
        matches!(self, Self::Everything) || not_judged.iter().all(|one| one.unparsed) && !findings.iter().any(depends)
    }
}

/// Advice in a merge is for what the merge itself did, and comes too late where git made the merge.
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
