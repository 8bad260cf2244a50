//! Approvals of content: whether a range, or a push to the main branch, brings only what was approved. The state before
//! the change says what is needed; the decisions are read before and after it. A range is covered whole, or in each
//! first-parent step of it.

pub(crate) mod authors;
pub(crate) mod records;
mod signers;
pub(crate) mod spent;

use crate::app::judge::branch::TouchedPaths;
use crate::app::judge::snapshot::{EarlierBase, Snapshot, known_tree};
use crate::app::judge::states::States;
use crate::app::judge::{ApprovalCheck, Question};
use crate::engine::watched::watched;
use crate::error::{Error, Result};
use crate::features::patches::judge::engine::approval::{
    Approval, ApprovalStatus, ContentDecision, Fit, GivenWord, Giver, JudgedDecision, Misfit, Outcome, UnapprovedFile,
    approval, fit,
};
use crate::features::patches::judge::promotions::is_to_main;
use crate::features::patches::model::settings::PatchSettings;
use crate::features::trust::{HeldSignature, TrustBase, Verifier, policy};
use crate::model::config::Config;
use crate::model::ledger::{ApprovedContent, ContentMap, LineHash, Timestamp};
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::commit::Author;
use crate::repo::program::NewCommits;
use crate::repo::{FETCH_ALL, Repo};
use crate::report::view::{ApprovalRow, UnapprovedRow};
use crate::rules::Door;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use authors::{People, authors};
use records::BaseRecords;
use signers::{FiledLines, is_allowed, word_of};
use spent::{is_spent, version_at};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The answer about a change.
pub(crate) struct Answered {
    pub(crate) approval: Approval,
    /// Whether the policy or the command asks for approval. Otherwise the answer is only shown.
    pub(crate) is_asked: bool,
    /// The configuration with the policy: no change lowers the level of the rule for itself.
    pub(crate) gate: Config,
}

/// Whether the change needs an approval, by the policy before it or by the command.
///
/// # Errors
/// When the policy cannot be read.
pub(crate) fn is_asked(question: &Question<'_>, own: &Config) -> Result<bool> {
    let is_required = question.options.approval == ApprovalCheck::Required;
    Ok(start(question).is_some() && (is_required || policy(question, own)?.approvals.is_some()))
}

/// The approval of the change; `None` for a change that needs none and shows none.
///
/// # Errors
/// When it is asked for and cannot be judged.
pub(crate) fn look(question: &Question<'_>, states: &States) -> Result<Option<Answered>> {
    let (Some(start), Some(tip)) = (start(question), question.snapshot.tip) else { return Ok(None) };
    let is_asked = is_asked(question, &states.own)?;
    let answer = || {
        let range = ApprovalRange::load(question, states, start, tip)?;
        Ok(Some(Answered { approval: range.approval()?, is_asked, gate: range.gate }))
    };
    match question.options.approval {
        _ if is_asked => answer(),
        // an answer that was not asked for blocks nothing
        ApprovalCheck::Shown => Ok(answer().unwrap_or_else(|_: Error| None)),
        ApprovalCheck::ByPolicy | ApprovalCheck::Required => Ok(None),
    }
}

/// The commit before a range or before a push to the main branch.
fn start(question: &Question<'_>) -> Option<Oid> {
    let snapshot: &Snapshot = question.snapshot;
    let is_row = snapshot.door == Door::Commits && is_to_main(question);
    let first = match snapshot.earlier.first() {
        Some(EarlierBase::Base(at)) => snapshot.bases.get(*at),
        Some(EarlierBase::Other(base)) => Some(base),
        None => snapshot.bases.first(),
    };
    first.filter(|_| is_row)?.commit
}

/// A change with the decisions about it.
struct ApprovalRange<'q> {
    repo: &'q Repo,
    states: &'q States,
    /// The policy and the keys before the change.
    trust: Verifier<'q>,
    /// The configuration before the change.
    gate: Config,
    /// Whether filers of readings may not decide, before the change or after it.
    requires_other: bool,
    start: Oid,
    tip: Oid,
    /// The nodes before the change.
    old: Workspace,
    decisions: Vec<ContentDecision>,
    people: People,
    now: Timestamp,
    /// The lines of the ledgers of commits.
    lines: RefCell<HashMap<Oid, Rc<HashSet<LineHash>>>>,
}

/// A part of a range that is covered as a whole, or not: all of it, or one first-parent step.
struct RangePart {
    /// The commits that the tip is compared with.
    bases: Vec<Oid>,
    /// The commits that hold what is not this part's own.
    known: Vec<Oid>,
    tip: Oid,
}

impl<'q> ApprovalRange<'q> {
    fn load(question: &Question<'q>, states: &'q States, start: Oid, tip: Oid) -> Result<Self> {
        let repo = question.repo;
        let tree = repo.commit_view(&start)?;
        let config = workspace::read_config(&*tree).unwrap_or_default();
        let judge = question.snapshot.config.iter().chain([&config, &states.own]);
        let requires_other = judge.into_iter().any(|config| config.of::<PatchSettings>().require_other);
        let trust = TrustBase::load(repo, question.snapshot.trust, &states.own)?;
        let people = People(trust.mailmap(repo)?);
        let gate = question.snapshot.config.clone().unwrap_or_else(|| config.clone());
        let old = workspace::load(&*tree, config, &Select::All)?;
        let lines = RefCell::new(HashMap::from([(start, Rc::new(line_hashes(&old)))]));
        let mut seen = HashSet::new();
        // a rejection may stand in main alone
        let nodes = states.view.workspace.nodes.iter().chain(&old.nodes);
        let all = nodes.flat_map(|node| &node.ledgers).flat_map(ContentDecision::of);
        let decisions = all.filter(|one| seen.insert((one.ledger.clone(), one.line))).collect();
        let (trust, now) = (Verifier::new(repo, trust, Some(tip)), question.options.now);
        Ok(Self { repo, states, trust, gate, requires_other, start, tip, old, decisions, people, now, lines })
    }

    fn approval(&self) -> Result<Approval> {
        let bases = bases(self.repo, self.start, self.tip)?;
        let known = bases.iter().copied().chain([self.start]).collect();
        let whole = self.judge(&RangePart { bases: bases.clone(), known, tip: self.tip })?;
        if matches!(whole.status, ApprovalStatus::Covered | ApprovalStatus::Rejected) {
            return Ok(whole);
        }
        let [base] = bases[..] else { return Ok(whole) };
        let steps = self.steps(base)?;
        if steps.len() < 2 {
            return Ok(whole);
        }
        let steps = steps.iter().map(|step| Ok((self.judge(step)?, self.changed(step)?)));
        Ok(in_steps(whole, steps.collect::<Result<Vec<_>>>()?))
    }

    /// The first-parent steps from `base` to the tip; none if the first parents lead elsewhere. A merge that takes main in
    /// as its second parent could drop main's changes in a step that shows none.
    fn steps(&self, base: Oid) -> Result<Vec<RangePart>> {
        let wanted = NewCommits { tips: vec![self.tip], known: vec![base], ..NewCommits::default() };
        let new: HashSet<Oid> = self.repo.new_commits(&wanted)?.into_iter().map(|commit| commit.id).collect();
        let (mut steps, mut tip) = (Vec::new(), self.tip);
        while new.contains(&tip) {
            let Some(parent) = self.repo.parents(&tip)?.first().copied() else { return Ok(Vec::new()) };
            steps.push(RangePart { bases: vec![parent], known: vec![parent], tip });
            tip = parent;
        }
        Ok(if tip == base { steps } else { Vec::new() })
    }

    /// The paths that a step changes.
    fn changed(&self, step: &RangePart) -> Result<BTreeSet<RepoPath>> {
        let base = step.bases.first().map(|base| known_tree(self.repo, base)).transpose()?;
        let changes = self.repo.tree_diff(base, Some(known_tree(self.repo, &step.tip)?))?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    fn judge(&self, part: &RangePart) -> Result<Approval> {
        let need = self.trust.base.settings.approvals.as_ref().map_or(1, |policy| policy.need);
        let tree = known_tree(self.repo, &part.tip)?;
        let mut records = Vec::new();
        let mut maps = Vec::new();
        for base in &part.bases {
            let base = Some(known_tree(self.repo, base)?);
            let of_base = BaseRecords::of(self.repo, base)?;
            maps.push(of_base.difference(self.repo, base, Some(tree))?);
            records.push(of_base);
        }
        let (filed, people) = (FiledLines::of(self), OnceCell::new());
        let judge = PartJudge { range: self, part, maps: &maps, tree, records, filed, people };
        if maps.iter().all(ContentMap::is_empty) {
            return Ok(approval(need, &maps, Vec::new()));
        }
        let judged = self.decisions.iter().map(|decision| {
            let outcome = judge.outcome(decision)?;
            Ok(JudgedDecision { decision, outcome })
        });
        Ok(approval(need, &maps, judged.collect::<Result<_>>()?))
    }

    fn lines(&self, commit: Oid) -> Result<Rc<HashSet<LineHash>>> {
        if let Some(known) = self.lines.borrow().get(&commit) {
            return Ok(Rc::clone(known));
        }
        let tree = self.repo.commit_view(&commit)?;
        let config = workspace::read_config(&*tree).unwrap_or_default();
        let found = Rc::new(line_hashes(&workspace::load(&*tree, config, &Select::All)?));
        self.lines.borrow_mut().insert(commit, Rc::clone(&found));
        Ok(found)
    }
}

fn line_hashes(workspace: &Workspace) -> HashSet<LineHash> {
    let ledgers = workspace.nodes.iter().flat_map(|node| &node.ledgers);
    ledgers.flat_map(|ledger| &ledger.lines).map(|line| LineHash::of(&line.bytes)).collect()
}

/// The merge bases of a range; its start for unrelated histories.
///
/// # Errors
/// Unchecked when the clone is too shallow to know them.
fn bases(repo: &Repo, start: Oid, tip: Oid) -> Result<Vec<Oid>> {
    if repo.leads_to(&tip, &start)? {
        return Ok(vec![start]);
    }
    let all = repo.merge_bases(&start, &tip)?;
    if all.is_empty() && repo.shallow {
        let message = format!("where {} left {} is not in this shallow clone", tip.short(), start.short());
        return Err(Error::unchecked(message).hint(FETCH_ALL));
    }
    Ok(if all.is_empty() { vec![start] } else { all })
}

/// The answer for a range by its steps, the newest first, each with its changed paths: covered if each step is. Otherwise
/// the files that only covered steps change are left out. A rejected step does not reject the range: it is about the content
/// of that step alone, and later steps may have changed what was rejected.
fn in_steps(whole: Approval, steps: Vec<(Approval, BTreeSet<RepoPath>)>) -> Approval {
    let (covered, others): (Vec<_>, Vec<_>) =
        steps.into_iter().partition(|(step, _)| step.status == ApprovalStatus::Covered);
    if others.is_empty() {
        let mut by: Vec<String> = Vec::new();
        for name in covered.into_iter().rev().flat_map(|(step, _)| step.by) {
            if !by.contains(&name) {
                by.push(name);
            }
        }
        return Approval { status: ApprovalStatus::Covered, by, files: Vec::new(), ..whole };
    }
    let is_open = |file: &&UnapprovedFile| others.iter().any(|(_, changed)| changed.contains(&file.path));
    let files: Vec<UnapprovedFile> = whole.files.iter().filter(is_open).cloned().collect();
    if files.is_empty() { whole } else { Approval { files, ..whole } }
}

/// Judges decisions about one part of a range.
struct PartJudge<'j, 'q> {
    range: &'j ApprovalRange<'q>,
    part: &'j RangePart,
    /// The differing content against each base.
    maps: &'j [ContentMap],
    /// The tree of the tip.
    tree: Oid,
    records: Vec<BaseRecords>,
    filed: FiledLines<'j>,
    people: OnceCell<PartPeople>,
}

/// The people who made a part of a range.
struct PartPeople {
    authors: Vec<Author>,
    /// The filers of the touched scenarios' readings, where they may not decide; `None` may be anyone.
    filers: Vec<Option<String>>,
}

impl PartJudge<'_, '_> {
    fn outcome(&self, decision: &ContentDecision) -> Result<Outcome> {
        match self.fit(&decision.content, decision.ends)? {
            Fit::Apart { files, shares } => Ok(Outcome::Apart { files, shares }),
            Fit::Whole if self.is_spent(decision)? => {
                Ok(Outcome::Apart { files: self.all_files(Misfit::Spent), shares: true })
            }
            Fit::Whole => self.given(decision),
        }
    }

    fn fit(&self, content: &ApprovedContent, ends: [Oid; 2]) -> Result<Fit> {
        let tree = self.range.repo.tree_view(self.tree);
        let at_tip = |path: &RepoPath| version_at(&*tree, path);
        if let ApprovedContent::Files(map) = content {
            return fit(map, self.maps, &at_tip);
        }
        if self.maps.iter().all(|map| content.is_digest_of(map)) {
            return Ok(Fit::Whole);
        }
        let Some(map) = self.undigested(content, ends)? else {
            return Ok(Fit::Apart { files: Vec::new(), shares: false });
        };
        // a digest speaks for its whole map alone
        Ok(match fit(&map, self.maps, &at_tip)? {
            Fit::Whole => Fit::Apart { files: self.all_files(Misfit::NotApproved), shares: true },
            apart => apart,
        })
    }

    /// The map behind a digest, if this clone has both commits.
    fn undigested(&self, content: &ApprovedContent, ends: [Oid; 2]) -> Result<Option<ContentMap>> {
        let repo = self.range.repo;
        let [Some(base), Some(tip)] = [repo.tree_of(&ends[0])?, repo.tree_of(&ends[1])?] else { return Ok(None) };
        let map = BaseRecords::of(repo, Some(base))?.difference(repo, Some(base), Some(tip))?;
        Ok(content.is_digest_of(&map).then_some(map))
    }

    fn all_files(&self, why: Misfit) -> Vec<UnapprovedFile> {
        let paths: BTreeSet<&RepoPath> = self.maps.iter().flat_map(ContentMap::keys).collect();
        paths.into_iter().map(|path| UnapprovedFile { path: path.clone(), why }).collect()
    }

    /// Whether a state before this part has the decision already, and had its content before and took it back. The start of
    /// the range counts, too: a branch that began before a squash landed does not know of the squash.
    fn is_spent(&self, decision: &ContentDecision) -> Result<bool> {
        let content = match &decision.content {
            ApprovedContent::Files(map) => map,
            ApprovedContent::Digest { .. } => &self.maps[0],
        };
        let states: BTreeSet<Oid> = self.part.bases.iter().chain([&self.range.start]).copied().collect();
        for state in states {
            if self.range.lines(state)?.contains(&decision.line) && is_spent(self.range.repo, &state, content)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The decision as the word of its givers who may decide.
    fn given(&self, decision: &ContentDecision) -> Result<Outcome> {
        let signers = self.filed.signers(self.range, decision)?;
        let givers = match self.range.trust.base.settings.approvals.as_ref().filter(|policy| policy.asks_for_keys()) {
            None if signers.is_empty() => {
                let giver = self.range.people.named(&decision.by);
                let is_free = self.is_free(decision, |one| one.is(&giver))?;
                Vec::from_iter(is_free.then(|| GivenWord { giver, by: decision.by.clone() }))
            }
            policy => {
                let allowed = signers.iter().filter(|signer| policy.is_none_or(|policy| is_allowed(policy, signer)));
                let word = |signer: &HeldSignature| {
                    Ok(self.is_free(decision, |one| one.is_owner(&signer.person))?.then(|| word_of(signer)))
                };
                allowed.filter_map(|signer| word(signer).transpose()).collect::<Result<_>>()?
            }
        };
        Ok(if givers.is_empty() { Outcome::Unfit } else { Outcome::Holds(givers) })
    }

    /// Whether the giver that `is_giver` recognises neither wrote what the decision is about, nor filed its readings where
    /// filers may not decide.
    fn is_free(&self, decision: &ContentDecision, is_giver: impl Fn(&Giver) -> bool) -> Result<bool> {
        let known = &self.range.people;
        let own = self.people()?;
        let is_author = own.authors.iter().any(|author| is_giver(&known.giver(author)))
            || decision.authors.iter().any(|address| is_giver(&known.named(address)));
        let is_filer = |filer: &Option<String>| filer.as_deref().is_none_or(|filer| is_giver(&known.named(filer)));
        Ok(!is_author && !own.filers.iter().any(is_filer))
    }

    fn people(&self) -> Result<&PartPeople> {
        if let Some(known) = self.people.get() {
            return Ok(known);
        }
        let authors = authors(self.range.repo, self.part.tip, &self.part.known, &self.records)?;
        let people = PartPeople { authors, filers: self.filers() };
        Ok(self.people.get_or_init(|| people))
    }

    /// The filers of the readings that count for touched scenarios, if `requireOther` keeps them from deciding.
    fn filers(&self) -> Vec<Option<String>> {
        if !self.range.requires_other {
            return Vec::new();
        }
        let states = self.range.states;
        let changed = self.maps.iter().flat_map(ContentMap::keys).cloned().collect();
        let paths = TouchedPaths::of(&changed);
        let scenarios = states.view.scenarios();
        let measured = scenarios.filter_map(|(node, scenario, score)| Some((node, scenario, score.reading.as_ref()?)));
        let touched = measured.filter(|(node, scenario, reading)| {
            paths.concern(&node.dir, &watched(node, scenario).cloned().collect::<Vec<_>>(), &reading.stamped_paths())
        });
        touched.map(|(_, _, reading)| reading.by.clone()).collect()
    }
}

/// The answer as a row.
pub(crate) fn row(approval: Approval) -> ApprovalRow {
    let file = |file: UnapprovedFile| UnapprovedRow { path: file.path.to_bstring(), why: file.why.as_str() };
    let Approval { status, need, by, files } = approval;
    ApprovalRow { status: status.as_str(), need, by, files: files.into_iter().map(file).collect() }
}
