//! One tip of a push against its bases, and the new commits that lead to it: what they bring one by one, although the tip
//! says nothing of it.

use super::Push;
use super::commits::Graph;
use super::tips::Tip;
use super::walk::Walk;
use crate::app::judge::Judged;
use crate::app::judge::evidence::Held;
use crate::app::judge::levels;
use crate::app::judge::losses;
use crate::app::judge::losses::{Losses, SeenState};
use crate::app::judge::protection::PushTarget;
use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::stray::KnownEvidence;
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace;
use crate::model::workspace::Select;
use crate::repo::Repo;
use crate::rules;
use crate::rules::Between;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::HashSet;

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

impl Row<'_> {
    /// Refuses a tip that lacks ledger lines of a state that it is not compared with in full.
    pub(super) fn refuse_losses(&self, repo: &Repo, judged: &Judged) -> Result<()> {
        let workspace = &judged.states.view.workspace;
        let new = SeenState { tree: &*self.snapshot.view, workspace };
        for base in &self.rest {
            let view = repo.commit_view(base)?;
            let before = workspace::load(&*view, workspace::read_config(&*view).unwrap_or_default(), &Select::All)?;
            let Losses { lost, hidden } = losses::of(new, SeenState { tree: &*view, workspace: &before })?;
            let first = lost.first().map(|lost| &lost.ledger).or(hidden.keys().next());
            if let Some(ledger) = first {
                return Err(unseen_loss(self.tip, base, ledger, lost.len().max(1)));
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
        // Before the walk: a commit that it looked at for another tip was let pass by that one's gates.
        walk.judged_by([config.clone()].into_iter().chain(states.gates.iter().cloned()).collect());
        let between = walk.over(graph, &self.commits, &known)?;
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
        levels::apply_since(found, config, &states.gates, push.how.options.strict)
    }
}

fn unseen_loss(tip: &Tip, base: &Oid, ledger: &RepoPath, count: usize) -> Error {
    let lines = if count == 1 { "a ledger line".into() } else { format!("{count} ledger lines") };
    Error::unchecked(format!(
        "{} lacks {lines} of commit {base}, the first of {ledger}; it merges so many states that it was not fully \
         compared with this commit",
        tip.name
    ))
    .hint(format!("put them back: yatsu-hook repair --restore {}", base.short()))
    .hint("or push the joined branches in parts, fewer merges at once")
}
