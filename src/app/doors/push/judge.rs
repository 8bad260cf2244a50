//! Judges several tips together: each against its bases, then its new commits one by one. One report covers all tips.

use super::commits::Graph;
use super::fast_push::Brief;
use super::row::{Known, Row};
use super::tips::{self, Tip};
use super::walk::Walk;
use super::{Push, Side};
use crate::app::doors::check;
use crate::app::judge::snapshot::{self, TrustFrom};
use crate::app::judge::states::{LastBases, NotJudged};
use crate::app::judge::{Focus, Judged, Options, evidence, excerpts, remember, verdict};
use crate::app::progress::ProgressStep;
use crate::app::query::stands;
use crate::error::Result;
use crate::finding::Finding;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::repo::program::NewCommits;
use crate::report::view::tally::ScenarioStand;
use crate::report::view::{ApprovalRow, Report, Scope, ScopeMode};
use crate::rules::Door;
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashSet};

/// The maximal number of tips for the fast gate. Each tip is compared with its bases before it is known whether the fast
/// gate can decide.
const FEW_TIPS: usize = 32;

/// The combined results of all tips.
struct Sum {
    scope: Scope,
    findings: Vec<Finding>,
    not_judged: Vec<NotJudged>,
    other_config: bool,
    /// Whether there is more than one tip.
    several: bool,
    /// The number of older findings about concerned nodes.
    older: usize,
    /// The state of the scenarios at the end of a range, which has one tip.
    stands: Option<Vec<ScenarioStand>>,
    /// Whether a range is approved.
    approval: Option<ApprovalRow>,
}

impl Push<'_> {
    /// Judges everything that a push brings, in one report; for `paths` only if there are any. `findings` are about ref
    /// updates beyond commits. `standing` is the commit of the judging repository's default branch: evidence named by its
    /// readings counts in every ref, also in a ref without nodes that is merged later.
    pub(super) fn judge(
        &self,
        tips: &[Tip],
        wanted: &NewCommits,
        findings: Vec<Finding>,
        mut standing: Option<Oid>,
        paths: &[RepoPath],
    ) -> Result<Report> {
        (self.how.progress)(ProgressStep::Work("reading the list of new commits"));
        let mut graph = Graph::of(self.repo, wanted)?;
        let several_tips = tips.len() > 1;
        // ref updates beyond commits, and a check of some paths, need the full check
        if findings.is_empty() && paths.is_empty() && self.how.briefly && tips.len() <= FEW_TIPS {
            let sum = Sum { several: several_tips, ..Sum::new(self.repo, self.mode) };
            if let Some(sum) = self.briefly(tips, standing, &mut graph, sum) {
                return Ok(sum.report(self.how.options));
            }
        }
        let mut walk = Walk::new(self.repo, self.how.progress);
        let mut sum = Sum { findings, several: several_tips, ..Sum::new(self.repo, self.mode) };
        let mut done = HashSet::new();
        let mut last = LastBases::default();
        // Evidence named by one tip counts in every other tip. Otherwise the order of refs would decide about strays.
        let several: Vec<Oid> = tips.iter().filter(|_| tips.len() > 1).map(|tip| tip.commit).collect();
        let mut known = Known { cached: !self.cache().is_empty()?, named: self.named(&several)? };
        for (at, tip) in tips.iter().enumerate() {
            let Some(row) = self.row(tips, tip, &mut graph)? else { continue };
            (self.how.progress)(ProgressStep::Count { what: "judging ref", done: at + 1, of: tips.len() });
            // a tip based on this commit holds its readings, or is judged for their loss
            if let Some(commit) = standing.take_if(|id| !row.has_base(id)) {
                known.named.extend(self.named(&[commit])?);
            }
            if !done.insert(row.question()) {
                continue;
            }
            let answer = check::answer(self.repo, &row.snapshot, self.how.options, Focus::Everything, &mut last)?;
            let mut judged = match answer.judged()? {
                Some(judged) => {
                    row.refuse_losses(self.repo, &judged)?;
                    sum.other_config |= self.brings_other_config(&row.snapshot)?;
                    judged
                }
                // evidence must stay out of every tree, also of one without nodes
                None => Judged::of_nothing(self.config_for(&*row.snapshot.view)),
            };
            let found = row.look(self, &judged, &graph, &mut walk, &known)?;
            judged.findings.extend(found);
            check::keep_about(&mut judged.findings, paths);
            let scope = verdict::scope(self.repo, &row.snapshot, Some(&judged.states));
            sum.add(scope, &row, &mut judged);
            if self.mode == ScopeMode::Range {
                sum.stands = Some(check::stands_about(&judged.states.view, paths));
                sum.approval = judged.approval.take();
            }
            last = LastBases::of(&row.snapshot, judged.states);
        }
        check::keep_about(&mut sum.findings, paths);
        sum.not_judged.retain(|scenario| scenario.is_about(paths));
        Ok(sum.report(self.how.options))
    }

    /// The same for the concerned nodes only; `None` if the full check must decide a tip.
    fn briefly(&self, tips: &[Tip], standing: Option<Oid>, graph: &mut Graph, mut sum: Sum) -> Option<Sum> {
        let file = remember::paths_file(self.repo)?;
        let memo = remember::recall(self.repo, &file)?;
        let (mut rows, mut done) = (Vec::new(), HashSet::new());
        for tip in tips {
            rows.extend(self.row(tips, tip, graph).ok()?.filter(|row| done.insert(row.question())));
        }
        // a tip based on this commit holds its readings
        let standing = standing.filter(|id| rows.iter().any(|row| !row.has_base(id)));
        // evidence named by any of these commits counts in every tip
        let naming = tips.iter().map(|tip| tip.commit).chain(standing);
        let naming = naming.filter(|commit| rows.iter().all(|row| row.tip.commit != *commit)).collect();
        let brief = Brief { push: self, graph, memo: &memo, naming };
        for (row, mut judged) in rows.iter().zip(brief.judged(&rows)?) {
            sum.add(verdict::scope(self.repo, &row.snapshot, Some(&judged.states)), row, &mut judged);
        }
        Some(sum)
    }

    /// Every hash that a reading of these commits names. A commit that several tips need is read once.
    fn named(&self, commits: &[Oid]) -> Result<HashSet<EvidenceHash>> {
        let mut named = HashSet::new();
        let commits: BTreeSet<&Oid> = commits.iter().collect();
        for commit in commits {
            let view = self.repo.commit_view(commit)?;
            let nodes = workspace::load(&*view, self.config_for(&*view), &Select::All)?;
            named.extend(evidence::named(&nodes));
        }
        Ok(named)
    }

    /// The tip with its bases; `None` if the receiving side already has it: unchanged, or under a name that is no branch.
    fn row<'t>(&self, tips: &[Tip], tip: &'t Tip, graph: &mut Graph) -> Result<Option<Row<'t>>> {
        let part = graph.part(&tip.commit);
        // A branch with an old value may lose lines without any new commit. A new name of known commits loses and adds
        // nothing. But a new branch is still checked for promotions and goal claims, even if another branch holds them.
        let known = part.commits.is_empty() && tip.old.is_none() && self.base.is_none();
        if known && tip.branch.is_none() || tip.old == Some(tip.commit) {
            return Ok(None);
        }
        let new = graph.ids(&part);
        let (compared, rest) = match self.base.or(known.then_some(tip.commit)) {
            Some(base) => (vec![Some(base)], Vec::new()),
            None => tips::bases(self.repo, tip, &part, &stacked(tips, tip, &new))?,
        };
        let mut snapshot = snapshot::commit(self.repo, self.mode, tip.commit, &compared)?;
        snapshot.new_commits = new.into_iter().collect();
        snapshot.config = self.config.clone();
        snapshot.door = Door::Commits;
        snapshot.trust = match self.side {
            // a push must not choose its judges, on whatever branch
            Side::Here => TrustFrom::Commit(self.standing),
            // of a range the start itself and not the fork: a key that was taken out since is out
            Side::There(_) => self.from.or(tip.old).map_or(TrustFrom::Main, |old| TrustFrom::Commit(Some(old))),
        };
        let main = self.main_beside(tips, tip)?;
        snapshot.target = self.target(tip, main)?;
        snapshot.set_earlier(self.repo, &self.earlier_states(tip, snapshot.target, main)?)?;
        // only the first base can be the old value of the branch: see `tips::bases`
        let held = snapshot.bases.first_mut().filter(|base| tip.old.is_some() && base.commit == tip.old);
        if let Some(base) = held.filter(|_| snapshot.target.is_some_and(|target| !target.is_protected)) {
            base.rewritten = tips::leaves(self.repo, tip, &part)?;
            base.main = main;
        }
        Ok(Some(Row { tip, commits: part.commits, snapshot, rest }))
    }
}

/// The other branches of the push that `tip` is built on. After the push their lines are on the receiving side, as if they
/// had been pushed before. So the order of pushing must not decide whether these lines may be lost.
fn stacked(tips: &[Tip], tip: &Tip, new: &HashSet<Oid>) -> Vec<Oid> {
    let others = tips.iter().filter(|other| other.branch.is_some() && other.commit != tip.commit);
    others.map(|other| other.commit).filter(|commit| new.contains(commit)).collect()
}

impl Sum {
    fn new(repo: &Repo, mode: ScopeMode) -> Self {
        let scope = Scope { backend: Some(repo.answered_by()), ..Scope::unread(mode) };
        let (findings, not_judged) = (Vec::new(), Vec::new());
        Self {
            scope,
            findings,
            not_judged,
            other_config: false,
            several: false,
            older: 0,
            stands: None,
            approval: None,
        }
    }

    /// Adds the results of one tip. Its name is put into the messages if there are several tips.
    fn add(&mut self, scope: Scope, row: &Row<'_>, judged: &mut Judged) {
        self.older += verdict::older_beside(&judged.findings, &judged.states, &row.snapshot.changed_paths());
        let mut findings = std::mem::take(&mut judged.findings);
        // only one tip gets excerpts, to keep a hook's output short
        if self.findings.iter().all(|finding| finding.excerpt.is_none()) {
            excerpts::of_view(&mut findings, &*row.snapshot.view);
        }
        if self.several {
            findings.iter_mut().for_each(|finding| {
                finding.message = format!("{}: {}", echo(&row.tip.name.to_string()), finding.message)
            });
            self.scope.files += scope.files;
            // the maximum and not the sum, because most tips show the same nodes
            self.scope.nodes = self.scope.nodes.max(scope.nodes);
            self.scope.backend = scope.backend;
        } else {
            self.scope = scope;
        }
        self.findings.extend(findings);
        self.not_judged.append(&mut judged.not_judged);
    }

    fn report(self, options: Options) -> Report {
        let older = Some(self.older);
        let mut report = verdict::report_beside(self.scope, self.findings, &self.not_judged, older, options.reader);
        report.approval = self.approval;
        if let Some(stands) = self.stands {
            report = stands::scored(report, stands, None);
        }
        if self.other_config && !report.is_silent() {
            report.notes.push(
                "judged by spexcode.json of the default branch, and by the pushed one where that is stricter".into(),
            );
        }
        report
    }
}
