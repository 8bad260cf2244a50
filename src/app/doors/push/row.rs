//! Judges one tip of a push, and the new commits that lead to it, one by one: a commit may bring evidence that the tip no
//! longer has.

use super::Push;
use super::commits::Graph;
use super::tips::Tip;
use super::walk::Walk;
use crate::app::judge::evidence::Held;
use crate::app::judge::losses::{self, Losses, SeenState};
use crate::app::judge::protection::PushTarget;
use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::stray::KnownEvidence;
use crate::app::judge::{Judged, levels};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::rules::{self, Between};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::HashSet;

/// A tip and its new commits.
pub(super) struct Row<'t> {
    pub(super) tip: &'t Tip,
    /// The positions of the new commits in the graph of the push, parents first.
    pub(super) commits: Vec<usize>,
    /// The tip with its bases.
    pub(super) snapshot: Snapshot,
    /// Further states: only their ledgers are compared.
    pub(super) rest: Vec<Oid>,
}

/// The identity of a row: two tips with the same question get the same answer.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct RowQuestion {
    commit: Oid,
    bases: Vec<(Option<Oid>, bool)>,
    others: Vec<Option<Oid>>,
    target: Option<PushTarget>,
}

/// Known evidence beyond the evidence that the tip itself names.
pub(super) struct Known {
    /// Whether the cache holds anything.
    pub(super) cached: bool,
    /// The evidence that the readings of all tips name.
    pub(super) named: HashSet<EvidenceHash>,
}

impl Row<'_> {
    /// Fails if the tip lacks ledger lines of a state in `rest`.
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

    /// The findings about the new commits one by one; `judged` is the result of the tip. `walk` visits each commit once.
    pub(super) fn look(
        &self,
        push: &Push<'_>,
        judged: &Judged,
        graph: &Graph,
        walk: &mut Walk<'_>,
        known: &Known,
    ) -> Result<Vec<Finding>> {
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
        // Set before the walk, because a commit visited for another tip was allowed by that tip's configurations.
        walk.judged_by([config.clone()].into_iter().chain(states.gates.iter().cloned()).collect());
        let between = walk.over(graph, &self.commits, &known)?;
        Ok(self.found(push, judged, &between))
    }

    /// Whether this commit is one of the bases.
    pub(super) fn has_base(&self, commit: &Oid) -> bool {
        self.snapshot.bases.iter().any(|base| base.commit == Some(*commit))
    }

    /// The question of this row. The commit alone is not enough, because against other bases it may lack other lines.
    pub(super) fn question(&self) -> RowQuestion {
        let bases = self.snapshot.bases.iter().map(|base| (base.commit, base.rewritten));
        // a branch that takes more, or is protected more, needs its own answer
        let others = self.snapshot.others().map(|base| base.commit).collect();
        RowQuestion { commit: self.tip.commit, bases: bases.collect(), others, target: self.snapshot.target }
    }

    /// The findings about the new commits; `judged` is the result of the tip.
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
