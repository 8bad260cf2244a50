//! Several tips judged together: each against its bases, then its new commits one by one, then one report of all.

use super::How;
use super::commits::{Graph, Part};
use super::resurfaced;
use super::resurfaced::Look;
use super::returned;
use super::returned::Before;
use super::tips;
use super::tips::{Bases, Guard, Tip};
use super::walk::{End, Walk};
use crate::app::doors::{check, remember};
use crate::app::judge;
use crate::app::judge::evidence;
use crate::app::judge::levels;
use crate::app::judge::losses;
use crate::app::judge::losses::SeenState;
use crate::app::judge::snapshot;
use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::states::{LastBases, NotJudged};
use crate::app::judge::stray::KnownEvidence;
use crate::app::judge::verdict;
use crate::app::judge::{Focus, Judged, Options, Question};
use crate::app::progress::ProgressStep;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::config::{CONFIG_FILE, Config};
use crate::model::ledger::EvidenceHash;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::repo::Repo;
use crate::repo::program::NewCommits;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::rules;
use crate::rules::{Door, Resurfaced, Returned};
use crate::store::evidence::Cache;
use crate::text::escape::echo;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BString;
use std::collections::{BTreeSet, HashSet};

/// Tips that are judged together.
pub(super) struct Push<'a> {
    /// Where.
    pub(super) repo: &'a Repo,
    /// How.
    pub(super) how: How<'a>,
    /// How the report calls it.
    pub(super) mode: ScopeMode,
    /// What is judged by, in place of each tip's own configuration.
    pub(super) config: Option<Config>,
    /// The default branch of the side that is pushed to, where that is known here.
    pub(super) default: Option<BString>,
    /// The side that is pushed to.
    pub(super) side: Side,
    /// What every tip is compared with, where that is settled beforehand.
    pub(super) base: Option<Oid>,
}

/// The side that is pushed to.
pub(super) enum Side {
    /// This repository.
    Here,
    /// The remote whose tracking branches say what it has, if there is one.
    There(Option<String>),
}

/// What a push brings, and what was found already.
pub(super) struct Brings<'a> {
    /// Where its commits end.
    pub(super) tips: &'a [Tip],
    /// The question for its commits.
    pub(super) wanted: &'a NewCommits,
    /// What it does to refs beside bringing commits.
    pub(super) findings: Vec<Finding>,
    /// The commit that stands for the judging repository: what its readings name is evidence wherever it is brought,
    /// also by a ref that has nothing of ours and is merged later.
    pub(super) standing: Option<Oid>,
}

/// What all tips have in sum.
struct Sum {
    scope: Scope,
    findings: Vec<Finding>,
    not_judged: Vec<NotJudged>,
    other_config: bool,
}

impl Push<'_> {
    /// One report about all that is brought; about `paths` alone unless there are none.
    pub(super) fn judge(&self, brings: Brings<'_>, paths: &[RepoPath]) -> Result<Report> {
        let Brings { tips, wanted, findings, mut standing } = brings;
        let cached = !self.cache().ls()?.is_empty();
        (self.how.progress)(ProgressStep::Work("reading the list of new commits"));
        let mut graph = Graph::of(self.repo, wanted)?;
        let mut walk = Walk::new(self.repo, self.how.progress);
        let mut sum = Sum { findings, ..Sum::new(self.repo, self.mode) };
        let mut done = HashSet::new();
        let mut last = LastBases::default();
        let several: Vec<Oid> = tips.iter().filter(|_| tips.len() > 1).map(|tip| tip.commit).collect();
        let mut shared = self.named(&several)?;
        for (at, tip) in tips.iter().enumerate() {
            (self.how.progress)(ProgressStep::Count { what: "judging ref", done: at + 1, of: tips.len() });
            let part = graph.part(&tip.commit);
            let stacked = stacked(tips, tip, (&graph, &part));
            let Some((snapshot, rest)) = self.snapshot(tip, &part, &stacked)? else { continue };
            // what is built on it holds its readings, or is judged for their loss
            if let Some(commit) = standing.take_if(|id| snapshot.bases.iter().all(|base| base.commit != Some(*id))) {
                shared.extend(self.named(&[commit])?);
            }
            let bases: Vec<_> = snapshot.bases.iter().map(|base| (base.commit, base.rewritten)).collect();
            if !done.insert((tip.commit, bases)) {
                continue;
            }
            let mut judged = match self.judged(&snapshot, &mut last)? {
                Some(judged) => {
                    self.refuse_losses(tip, &rest, (&*snapshot.view, &judged))?;
                    sum.other_config |= self.brings_other_config(&snapshot)?;
                    judged
                }
                // evidence is none of anybody's tree, whether or not anything there is ours
                None => Judged::of_nothing(self.config_for(&*snapshot.view)),
            };
            self.walk(&mut walk, (&graph, &part), (cached, &shared), (&snapshot, &rest, &mut judged))?;
            let scope = verdict::scope(self.repo, &snapshot, Some(&judged.states));
            sum.add(scope, &mut judged, (tips.len() > 1).then_some(tip));
            last = LastBases::of(&snapshot, judged.states);
        }
        check::keep_about(&mut sum.findings, paths);
        sum.not_judged.retain(|scenario| scenario.is_about(paths));
        Ok(sum.report(self.how.options))
    }

    fn judged(&self, snapshot: &Snapshot, last: &mut LastBases) -> Result<Option<Judged>> {
        let anchors = remember::anchors(self.repo, snapshot);
        let options = self.how.options;
        let question = Question { repo: self.repo, snapshot, anchors: &anchors, options, focus: Focus::Everything };
        judge::judge(&question, last)?.judged()
    }

    /// Every hash that a reading of any of these commits names: a commit that several tips need is looked at once, for all
    /// of them.
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

    /// What a state is judged by. One that cannot be used is for the judgement to name, or nothing there is ours.
    pub(super) fn config_for(&self, view: &dyn Tree) -> Config {
        self.config.clone().unwrap_or_else(|| workspace::read_config(view).unwrap_or_default())
    }

    /// Refuses a tip that lacks ledger lines of a state that it is not compared with in full.
    fn refuse_losses(&self, tip: &Tip, rest: &[Oid], (tree, judged): (&dyn Tree, &Judged)) -> Result<()> {
        for base in rest {
            let view = self.repo.commit_view(base)?;
            let before = workspace::load(&*view, judged.states.view.workspace.config.clone(), &Select::All)?;
            let new = SeenState { tree, workspace: &judged.states.view.workspace };
            let lost = losses::of(new, SeenState { tree: &*view, workspace: &before })?;
            if let Some(first) = lost.first() {
                return Err(unseen_loss(tip, base, (lost.len(), &first.line.ledger)));
            }
        }
        Ok(())
    }

    /// The tip against its bases, and the states that it is not compared with in full; `None` where the other side has
    /// it already, as it is or under another name.
    fn snapshot(&self, tip: &Tip, part: &Part, stacked: &[Oid]) -> Result<Option<(Snapshot, Vec<Oid>)>> {
        let known = part.commits.is_empty() && tip.old.is_none() && self.base.is_none();
        if known || tip.old == Some(tip.commit) {
            return Ok(None);
        }
        let Bases { compared, rest } = match self.base {
            Some(base) => Bases { compared: vec![Some(base)], rest: Vec::new() },
            None => tips::bases(self.repo, tip, part, stacked)?,
        };
        let mut snapshot = snapshot::commit(self.repo, self.mode, tip.commit, &compared)?;
        snapshot.config = self.config.clone();
        snapshot.door = Door::Commits;
        if let Some(base) = snapshot.bases.first_mut().filter(|base| base.commit.is_some() && base.commit == tip.old) {
            let guard = Guard { judge: self.config.as_ref(), default: self.default.as_ref() };
            base.rewritten = tips::is_free_rewrite(self.repo, tip, part, &guard)?;
        }
        Ok(Some((snapshot, rest)))
    }

    pub(super) fn cache(&self) -> Cache {
        Cache::new(&self.repo.common_dir)
    }

    /// Looks at every new commit, and adds what it finds to what was found at the tip; `cached` says whether the cache
    /// holds anything, `shared` what the readings of all tips name.
    fn walk(
        &self,
        walk: &mut Walk<'_>,
        (graph, part): (&Graph, &Part),
        (cached, shared): (bool, &HashSet<EvidenceHash>),
        (snapshot, rest, judged): (&Snapshot, &[Oid], &mut Judged),
    ) -> Result<()> {
        let cache = self.cache();
        let named = &judged.named;
        let held = |id: &Oid| evidence::held(snapshot, id);
        let config = &judged.states.view.workspace.config;
        let allowed = |path: &RepoPath| judged.states.allow(path);
        let any = cached || !named.is_empty() || !shared.is_empty();
        let is_named = |hash: &EvidenceHash| named.contains(hash) || shared.contains(hash);
        let known = KnownEvidence { cache: &cache, named: &is_named, any, allowed: &allowed, held: &held };
        let before = judged.states.bases.iter().flat_map(|base| ledger_lines(&base.workspace)).collect();
        let (ours, lines) = (!judged.states.bases.is_empty(), ledger_lines(&judged.states.view.workspace).collect());
        let end = End { known, config, ours, lines, before };
        walk.judged_by([config.clone()].into_iter().chain(judged.states.gates.iter().cloned()).collect());
        let mut between = walk.over(graph, &part.commits, &end)?;
        between.returned = self.returned((snapshot, rest), judged)?;
        let reconfigured = walk.reconfigured(graph, &part.commits);
        between.resurfaced = self.resurfaced(snapshot, rest, judged, reconfigured)?;
        let findings = rules::of_between(&between);
        let mut findings = levels::apply_since(findings, config, &judged.states.gates, self.how.options.strict);
        // what the tip's own change does to what it shows was found at the tip
        let known = |new: &Finding| {
            judged.findings.iter().any(|old| old.identity() == new.identity() && old.level >= new.level)
        };
        findings.retain(|finding| !known(finding));
        judged.findings.extend(findings);
        Ok(())
    }

    /// What the configurations that these new commits bring show again.
    fn resurfaced(
        &self,
        snapshot: &Snapshot,
        rest: &[Oid],
        judged: &Judged,
        mut reconfigured: Vec<Oid>,
    ) -> Result<Option<Resurfaced>> {
        // a branch that is rewritten may have another configuration although no new commit brings one
        let differs = |base: &snapshot::Base| base.changed.iter().any(|path| *path.as_bstr() == CONFIG_FILE);
        reconfigured.extend(snapshot.tip.filter(|_| snapshot.bases.iter().any(differs)));
        let base = |base: &snapshot::Base| Some(resurfaced::Base { commit: base.commit?, rewritten: base.rewritten });
        let rest = rest.iter().map(|commit| resurfaced::Base { commit: *commit, rewritten: false });
        let mut bases: Vec<_> = snapshot.bases.iter().filter_map(base).chain(rest).collect();
        if reconfigured.is_empty() || bases.is_empty() {
            return Ok(None);
        }
        // a line is found once, and as an error where it is one
        bases.sort_by_key(|base| base.rewritten);
        let looking = || (self.how.progress)(ProgressStep::Work("looking through the history of ledgers"));
        let redact = judged.states.gates.iter().chain([&judged.states.view.workspace.config]).all(|gate| gate.redact);
        let own = workspace::read_config(&*snapshot.view).unwrap_or_default();
        let mut found = Resurfaced::new(redact, self.how.options.now, own);
        Look::new(self.repo, &*snapshot.view, &looking)?.over(&reconfigured, &bases, &mut found)?;
        Ok(Some(found))
    }

    /// The lines that come back as other ones, by what the tip is judged by and by what it says itself: from then on the
    /// ledgers that a changed configuration shows are those of every base.
    fn returned(&self, (snapshot, rest): (&Snapshot, &[Oid]), judged: &Judged) -> Result<Vec<Returned>> {
        let is_telling = |path: &RepoPath| *path.as_bstr() == CONFIG_FILE || workspace::has_our_name(path);
        if !snapshot.bases.iter().any(|base| base.changed.iter().any(is_telling)) {
            return Ok(Vec::new());
        }
        let commits: Vec<Oid> =
            snapshot.bases.iter().filter_map(|base| base.commit).chain(rest.iter().copied()).collect();
        let before = judged.states.bases.iter().map(|base| Before::of(&base.workspace, self.config.as_ref()));
        let mut appeared = returned::appeared(&judged.states.view.workspace, &before.collect::<Vec<_>>());
        let own = self.own_views(snapshot)?;
        if let Some((new, before)) = &own {
            let before = before.iter().map(|workspace| Before::of(workspace, None));
            appeared.extend(returned::appeared(new, &before.collect::<Vec<_>>()));
        }
        let looking = || (self.how.progress)(ProgressStep::Work("looking through the history of ledgers"));
        returned::altered(self.repo, &commits, (&judged.states.view.workspace, appeared), &looking)
    }

    /// The tip and its bases, each by its own configuration, where they are judged by another one.
    fn own_views(&self, snapshot: &Snapshot) -> Result<Option<(Workspace, Vec<Workspace>)>> {
        let own = |tree: &dyn Tree| {
            let config = workspace::read_config(tree).unwrap_or_default();
            workspace::load(tree, config, &Select::All)
        };
        if self.config.is_none() || !self.brings_other_config(snapshot)? {
            return Ok(None);
        }
        let before = snapshot.bases.iter().map(|base| own(&*base.tree)).collect::<Result<_>>()?;
        Ok(Some((own(&*snapshot.view)?, before)))
    }

    fn brings_other_config(&self, snapshot: &Snapshot) -> Result<bool> {
        match &self.config {
            Some(config) => Ok(workspace::read_config(&*snapshot.view)? != *config),
            None => Ok(false),
        }
    }
}

/// The branches of the same push that `tip` is built on. What they bring stands on the other side after the push as if it
/// had been pushed before, so the order of pushing must not decide whether a line of theirs may be lost.
fn stacked(tips: &[Tip], tip: &Tip, (graph, part): (&Graph, &Part)) -> Vec<Oid> {
    if tips.len() == 1 {
        return Vec::new();
    }
    let new: HashSet<Oid> = part.commits.iter().map(|at| graph.get(*at).id).collect();
    let others = tips.iter().filter(|other| other.branch.is_some() && other.commit != tip.commit);
    others.map(|other| other.commit).filter(|commit| new.contains(commit)).collect()
}

fn unseen_loss(tip: &Tip, base: &Oid, (count, ledger): (usize, &RepoPath)) -> Error {
    let lines = if count == 1 { "a ledger line".into() } else { format!("{count} ledger lines") };
    Error::unchecked(format!(
        "{} lacks {lines} of commit {base}, the first of {ledger}; it joins so many states that it is not compared with \
         this one in full",
        tip.name
    ))
    .hint(format!("put them back: yatsu-hook repair --restore {}", base.short()))
    .hint("or push what it joins in parts, fewer merges at once")
}

fn ledger_lines(workspace: &Workspace) -> impl Iterator<Item = &[u8]> {
    let ledgers = workspace.nodes.iter().flat_map(|node| &node.ledgers);
    ledgers.flat_map(|ledger| ledger.raw.iter().map(Vec::as_slice))
}

impl Sum {
    fn new(repo: &Repo, mode: ScopeMode) -> Self {
        let scope = Scope { backend: Some(repo.answered_by()), ..Scope::unread(mode) };
        Self { scope, findings: Vec::new(), not_judged: Vec::new(), other_config: false }
    }

    /// Adds one tip's; its name goes into the messages where it is one of `several`.
    fn add(&mut self, scope: Scope, judged: &mut Judged, several: Option<&Tip>) {
        let mut findings = std::mem::take(&mut judged.findings);
        if let Some(tip) = several {
            findings
                .iter_mut()
                .for_each(|finding| finding.message = format!("{}: {}", echo(&tip.name.to_string()), finding.message));
            self.scope.files += scope.files;
            self.scope.nodes = self.scope.nodes.max(scope.nodes);
            self.scope.backend = scope.backend;
        } else {
            self.scope = scope;
        }
        self.findings.extend(findings);
        self.not_judged.append(&mut judged.not_judged);
    }

    fn report(self, options: Options) -> Report {
        let mut report = verdict::report(self.scope, self.findings, &self.not_judged, options.reader);
        if self.other_config && !report.is_silent() {
            report.notes.push(
                "judged by spexcode.json of the default branch; a change to it counts from the next push on".into(),
            );
        }
        report
    }
}
