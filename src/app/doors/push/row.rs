//! One tip with the row of new commits that leads to it: what they do one by one, although the tip says nothing of it.

use super::Push;
use super::came_back::{Before as BeforePush, SeenTree, Step, came_back};
use super::commits::Graph;
use super::end::End;
use super::resurfaced;
use super::resurfaced::Look;
use super::returned;
use super::returned::{Before, Since};
use super::tips::Tip;
use super::walk::Walk;
use crate::app::judge::Judged;
use crate::app::judge::evidence::Held;
use crate::app::judge::levels;
use crate::app::judge::losses;
use crate::app::judge::losses::{Loss, SeenState};
use crate::app::judge::protection::PushTarget;
use crate::app::judge::snapshot::{Base, Snapshot};
use crate::app::judge::stray::KnownEvidence;
use crate::app::progress::ProgressStep;
use crate::error::{Error, Result};
use crate::finding::{Finding, RuleId};
use crate::model::config::Config;
use crate::model::ledger::EvidenceHash;
use crate::model::runlog::place::place;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::names::CONFIG_FILE;
use crate::repo::Repo;
use crate::rules;
use crate::rules::{Between, LostLog, Resurfaced, Returned};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// A tip and its new commits.
pub(super) struct Row<'t> {
    /// Where they end.
    pub(super) tip: &'t Tip,
    /// Their places in the graph of the push, parents after children.
    pub(super) commits: Vec<usize>,
    /// The tip against its bases.
    pub(super) snapshot: Snapshot,
    /// The states that it is not compared with in full.
    pub(super) rest: Vec<Oid>,
}

/// What is asked of a tip: two tips with the same one have the same answer.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct RowQuestion {
    commit: Oid,
    bases: Vec<(Option<Oid>, bool)>,
    others: Vec<Option<Oid>>,
    target: Option<PushTarget>,
}

/// What is known of evidence beside what a tip itself names.
pub(super) struct Known {
    /// Whether the cache holds anything.
    pub(super) cached: bool,
    /// What the readings of all tips name.
    pub(super) named: HashSet<EvidenceHash>,
}

/// The push that a row belongs to.
pub(super) struct Within<'a, 'r> {
    /// Its new commits.
    pub(super) graph: &'a Graph,
    /// The walk over them, which looks at each once.
    pub(super) walk: &'a mut Walk<'r>,
    /// What is known of evidence.
    pub(super) known: &'a Known,
}

/// The tip and its bases, each by its own configuration.
struct OwnViews {
    new: Workspace,
    bases: Vec<Workspace>,
}

impl Row<'_> {
    /// Refuses a tip that lacks ledger lines of a state that it is not compared with in full.
    pub(super) fn refuse_losses(&self, repo: &Repo, judged: &Judged) -> Result<()> {
        let workspace = &judged.states.view.workspace;
        let new = SeenState { tree: &*self.snapshot.view, workspace };
        for base in &self.rest {
            let view = repo.commit_view(base)?;
            // by what the tip is judged by: this state's own configuration may put the ledger out of sight
            let before = workspace::load(&*view, workspace.config.clone(), &Select::All)?;
            let lost = losses::of(new, SeenState { tree: &*view, workspace: &before })?;
            if let Some(first) = lost.first() {
                return Err(unseen_loss(self.tip, base, first, lost.len()));
            }
        }
        Ok(())
    }

    /// What the new commits do one by one, beside what was `judged` of their end.
    pub(super) fn look(&self, push: &Push<'_>, judged: &Judged, within: Within<'_, '_>) -> Result<Vec<Finding>> {
        let Within { graph, walk, known } = within;
        let (states, cache) = (&judged.states, push.cache());
        let config = &states.view.workspace.config;
        let is_named = |hash: &EvidenceHash| judged.named.contains(hash) || known.named.contains(hash);
        let held = Held::of(&self.snapshot);
        let known = KnownEvidence {
            cache: &cache,
            named: &is_named,
            any: known.cached || !judged.named.is_empty() || !known.named.is_empty(),
            allowed: &|path| states.allow(path),
            held: &|id| held.has(id),
        };
        let logs_back = self.logs_back(push, judged, &self.commits.iter().map(|at| graph.get(*at).id).collect())?;
        let is_whole = |path: &RepoPath| logs_back.iter().all(|lost| lost.path != *path);
        let is_loss = |finding: &&Finding| finding.rule == RuleId::LedgerHistory;
        let end = End {
            tree: &*self.snapshot.view,
            known,
            config,
            own: &states.own,
            ours: !states.bases.is_empty(),
            lines: ledger_lines(&states.view.workspace).collect(),
            before: states.bases.iter().flat_map(|base| ledger_lines(&base.workspace)).collect(),
            told: judged.findings.iter().filter(is_loss).map(|finding| finding.key.as_str()).collect(),
            unseen: &|path, id| Ok(push.config.is_none() && is_whole(path) && self.hid_log(path, id, config)?),
        };
        // Before the walk: a commit that it looked at for another tip was let pass by that one's gates.
        walk.judged_by([config.clone()].into_iter().chain(states.gates.iter().cloned()).collect(), &states.own);
        let mut between = walk.over(graph, &self.commits, &end)?;
        between.returned = self.returned(push, judged)?;
        // of an edit the commit that made it says more
        let is_told = |lost: &LostLog| between.logs.iter().any(|one| one.lost.path == lost.path && !one.healed);
        between.logs_back = logs_back.iter().filter(|lost| !is_told(lost)).cloned().collect();
        between.resurfaced = self.resurfaced(push, judged, walk.reconfigured(graph, &self.commits))?;
        Ok(self.found(push, judged, &between))
    }

    /// Whether it is compared with this commit in full.
    pub(super) fn has_base(&self, commit: &Oid) -> bool {
        self.snapshot.bases.iter().any(|base| base.commit == Some(*commit))
    }

    /// What is asked: the commit alone would not do, since compared with other states it may lack other lines.
    pub(super) fn question(&self) -> RowQuestion {
        let bases = self.snapshot.bases.iter().map(|base| (base.commit, base.rewritten));
        // nor would one branch answer for another that takes more, or is guarded more
        let others = self.snapshot.others().map(|base| base.commit).collect();
        RowQuestion { commit: self.tip.commit, bases: bases.collect(), others, target: self.snapshot.target }
    }

    /// The findings about the new commits, beside what was `judged` of their end.
    pub(super) fn found(&self, push: &Push<'_>, judged: &Judged, between: &Between) -> Vec<Finding> {
        let states = &judged.states;
        let found = rules::of_between(between);
        let config = &states.view.workspace.config;
        let mut found = levels::apply_since(found, config, &states.gates, push.how.options.strict);
        // what the tip's own change does to what it shows was found at the tip
        let is_known = |new: &Finding| {
            judged.findings.iter().any(|old| old.identity() == new.identity() && old.level >= new.level)
        };
        found.retain(|finding| !is_known(finding));
        found
    }

    /// Whether a file with one of our names differs from a base, or the configuration does.
    pub(super) fn changes_ours(&self) -> bool {
        let is_telling = |path: &RepoPath| *path.as_bstr() == CONFIG_FILE || workspace::has_our_name(path);
        self.snapshot.bases.iter().any(|base| base.changed.iter().any(is_telling))
    }

    /// What the configurations that these new commits bring show again.
    pub(super) fn resurfaced(
        &self,
        push: &Push<'_>,
        judged: &Judged,
        mut reconfigured: Vec<Oid>,
    ) -> Result<Option<Resurfaced>> {
        let (snapshot, states) = (&self.snapshot, &judged.states);
        // a branch that is rewritten may have another configuration although no new commit brings one
        let differs = |base: &Base| base.changed.iter().any(|path| *path.as_bstr() == CONFIG_FILE);
        reconfigured.extend(snapshot.tip.filter(|_| snapshot.bases.iter().any(differs)));
        let base = |base: &Base| Some(resurfaced::Base { commit: base.commit?, rewritten: base.rewritten });
        let rest = self.rest.iter().map(|commit| resurfaced::Base { commit: *commit, rewritten: false });
        let mut bases: Vec<_> = snapshot.bases.iter().filter_map(base).chain(rest).collect();
        let left: BTreeSet<&RepoPath> =
            snapshot.bases.iter().flat_map(|base| &base.changed).filter(|path| resurfaced::declares(path)).collect();
        if reconfigured.is_empty() && left.is_empty() || bases.is_empty() {
            return Ok(None);
        }
        // a line is found once, and as an error where it is one
        bases.sort_by_key(|base| base.rewritten);
        let looking = || (push.how.progress)(ProgressStep::Work("looking through the history of ledgers"));
        let redact = states.gates.iter().chain([&states.view.workspace.config]).all(|gate| gate.redact);
        let own = workspace::read_config(&*snapshot.view).unwrap_or_default();
        let mut found = Resurfaced::new(redact, push.how.options.now, own);
        let mut look = Look::new(push.repo, &*snapshot.view, &looking)?;
        look.over(&reconfigured, &bases, &mut found)?;
        if let Some(tip) = snapshot.tip.filter(|_| !left.is_empty()) {
            look.left_behind(&tip, &left, &bases, &mut found)?;
        }
        Ok(Some(found))
    }

    /// The lines that come back as other ones, by what the tip is judged by and by what it says itself: from then on the
    /// ledgers that a changed configuration shows are those of every base.
    fn returned(&self, push: &Push<'_>, judged: &Judged) -> Result<Vec<Returned>> {
        let states = &judged.states;
        if !self.changes_ours() {
            return Ok(Vec::new());
        }
        let commits: Vec<Oid> = self.bases().collect();
        // The workspace of a base may hold more than its gate looked at: lines that nobody judged there must appear.
        let before = states.bases.iter().map(|base| Before::of(&base.workspace, push.config.as_ref()));
        let mut appeared = returned::appeared(&states.view.workspace, &before.collect::<Vec<_>>());
        let own = self.own_views(push)?;
        if let Some(OwnViews { new, bases }) = &own {
            let before = bases.iter().map(|workspace| Before::of(workspace, None));
            appeared.extend(returned::appeared(new, &before.collect::<Vec<_>>()));
        }
        let looking = || (push.how.progress)(ProgressStep::Work("looking through the history of ledgers"));
        let since = Since { bases: &commits, looking: &looking };
        returned::altered(push.repo, &states.view.workspace, appeared, &since)
    }

    /// The run logs that come back as other ones, by what the tip is judged by and by what it says itself.
    fn logs_back(&self, push: &Push<'_>, judged: &Judged, new: &HashSet<Oid>) -> Result<Vec<LostLog>> {
        let looking = || (push.how.progress)(ProgressStep::Work("looking through the history of run logs"));
        let bases: Vec<Oid> = self.bases().collect();
        let since = BeforePush { bases: &bases, new, looking: &looking };
        let mut found = Vec::new();
        for step in self.log_steps(push, judged)? {
            for lost in came_back(push.repo, &step, &since)? {
                if !found.contains(&lost) {
                    found.push(lost);
                }
            }
        }
        Ok(found)
    }

    /// Whether a base held this version of a log where its own configuration hid it, and the tip is judged by `now`, which
    /// shows it.
    fn hid_log(&self, path: &RepoPath, id: &Oid, now: &Config) -> Result<bool> {
        for base in &self.snapshot.bases {
            let own = workspace::read_config(&*base.tree).unwrap_or_default();
            let was_hidden = place(path, now).is_some() && place(path, &own).is_none();
            if was_hidden && base.tree.entry(path)?.is_some_and(|entry| entry.id == Some(*id)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The tip and what it is compared with by what judges run logs: the gate of the push, and what each state says itself
    /// where that is another one.
    pub(super) fn log_steps(&self, push: &Push<'_>, judged: &Judged) -> Result<Vec<Step>> {
        let snapshot = &self.snapshot;
        let changed: BTreeSet<RepoPath> = snapshot.bases.iter().flat_map(|base| &base.changed).cloned().collect();
        let mut trees: Vec<_> = snapshot.bases.iter().map(|base| (Rc::clone(&base.tree), base.walked)).collect();
        for commit in &self.rest {
            trees.push((push.repo.commit_view(commit)?, true));
        }
        let step = |now: Config, judge: Option<&Config>| {
            let own = |tree: &Rc<dyn Tree>| workspace::read_config(&**tree).unwrap_or_default();
            let seen = |(tree, walked): &(Rc<dyn Tree>, bool)| SeenTree {
                tree: Rc::clone(tree),
                config: judge.cloned().unwrap_or_else(|| own(tree)),
                walked: *walked,
            };
            let now = SeenTree { tree: Rc::clone(&snapshot.view), config: now, walked: true };
            Step { now, before: trees.iter().map(seen).collect(), changed: changed.clone() }
        };
        let config = &judged.states.view.workspace.config;
        let mut steps = vec![step(config.clone(), push.config.as_ref())];
        if push.config.is_some() {
            steps.push(step(workspace::read_config(&*snapshot.view).unwrap_or_default(), None));
        }
        Ok(steps)
    }

    /// The commits that it is compared with.
    fn bases(&self) -> impl Iterator<Item = Oid> + '_ {
        self.snapshot.bases.iter().filter_map(|base| base.commit).chain(self.rest.iter().copied())
    }

    /// The tip and its bases, each by its own configuration, where they are judged by another one.
    fn own_views(&self, push: &Push<'_>) -> Result<Option<OwnViews>> {
        let snapshot = &self.snapshot;
        let own = |tree: &dyn Tree| {
            let config = workspace::read_config(tree).unwrap_or_default();
            workspace::load(tree, config, &Select::All)
        };
        if push.config.is_none() || !push.brings_other_config(snapshot)? {
            return Ok(None);
        }
        let bases = snapshot.bases.iter().map(|base| own(&*base.tree)).collect::<Result<_>>()?;
        Ok(Some(OwnViews { new: own(&*snapshot.view)?, bases }))
    }
}

fn unseen_loss(tip: &Tip, base: &Oid, first: &Loss, count: usize) -> Error {
    let lines = if count == 1 { "a ledger line".into() } else { format!("{count} ledger lines") };
    let ledger = &first.line.ledger;
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
    ledgers.flat_map(|ledger| ledger.raw.iter().map(|line| &**line))
}
