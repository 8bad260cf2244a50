//! The fast gate for pushed branches: judges only the nodes that they concern, found through the memo of a commit. The
//! judgement and the report are the same as of the full check. In doubt it returns `None`, and the full check runs. A node
//! that no change between memo, bases and tip concerns is the same in all of them.

use super::Push;
use super::commits::Graph;
use super::row::Row;
use super::walk::Walk;
use crate::app::doors::fast_commit;
use crate::app::judge::snapshot::known_tree;
use crate::app::judge::stray::KnownEvidence;
use crate::app::judge::{self, Answer, Judged};
use crate::app::memo::PathsMemo;
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace;
use crate::rules::Between;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// A push, and the facts that all of its rows need.
pub(super) struct Brief<'a> {
    pub(super) push: &'a Push<'a>,
    pub(super) graph: &'a Graph,
    pub(super) memo: &'a PathsMemo<'a>,
    /// Further commits with readings that name evidence: the commit of the judging repository, and commits that refs lead
    /// to without bringing anything new.
    pub(super) naming: Vec<Oid>,
}

impl Brief<'_> {
    /// The results of all `rows`; `None` if only the full check can decide one of them. After a read error the full check
    /// runs too, and reports the error.
    pub(super) fn judged(&self, rows: &[Row<'_>]) -> Option<Vec<Judged>> {
        // at a new protected branch every contract is evaluated, whether its node is concerned or not
        let asks_all = |row: &Row<'_>| row.snapshot.target.is_some_and(|target| target.is_protected && target.is_new);
        if rows.iter().any(|row| !row.rest.is_empty() || asks_all(row)) || !self.naming_is_known().ok()? {
            return None;
        }
        let mut all = Vec::new();
        for row in rows {
            all.push(self.end(row).ok()??);
        }
        // one walk for all rows: a commit that several tips need is checked once, for the first tip
        let mut walk = Walk::new(self.push.repo, self.push.how.progress);
        let mut found = Vec::new();
        for (row, judged) in rows.iter().zip(&all) {
            let between = self.between(row, judged, &all, &mut walk).ok()??;
            found.push(row.found(self.push, judged, &between));
        }
        all.iter_mut().zip(found).for_each(|(judged, found)| judged.findings.extend(found));
        Some(all)
    }

    /// The result at the tip of a row.
    fn end(&self, row: &Row<'_>) -> Result<Option<Judged>> {
        let (push, snapshot) = (self.push, &row.snapshot);
        // A changed configuration concerns every node, so here it is the same in memo, bases and tip.
        let config = workspace::read_config(&*snapshot.view)?;
        let is_judge = push.config.as_ref().is_none_or(|judge| *judge == config);
        let Some(dirs) = self.dirs(row)?.filter(|_| is_judge) else { return Ok(None) };
        let mut changed = row.snapshot.bases.iter().flat_map(|base| &base.changed);
        let others = changed.any(|path| judge::judges_file(path, Some(&config)));
        let is_ours = !self.memo.is_empty() || !dirs.is_empty() || others;
        // asked without nodes, too: a policy about approvals needs none
        match fast_commit::judged(push.repo, self.memo, snapshot, &dirs, &config, push.how.options, &|| ())? {
            Answer::Judged(judged) => Ok(Some(*judged)),
            Answer::Nothing if !is_ours => Ok(Some(Judged::of_nothing(config))),
            // neither result covers the nodes that were left out
            Answer::Nothing | Answer::TooNarrow => Ok(None),
        }
    }

    /// The directories that a change between memo, bases and tip concerns.
    fn dirs(&self, row: &Row<'_>) -> Result<Option<BTreeSet<RepoPath>>> {
        let (repo, memo) = (self.push.repo, self.memo);
        let tip = known_tree(repo, &row.tip.commit)?;
        let mut all = BTreeSet::new();
        for base in row.snapshot.bases.iter().chain(row.snapshot.others()) {
            // without a base everything is new; a rewritten branch may lose lines that no change shows
            let Some(commit) = base.commit.filter(|_| !base.rewritten) else { return Ok(None) };
            let tree = known_tree(repo, &commit)?;
            let since = repo.tree_diff(Some(memo.tree), Some(tree))?;
            let changes = repo.tree_diff(Some(tree), Some(tip))?;
            let Some(dirs) = fast_commit::dirs(memo, &since, &changes) else { return Ok(None) };
            all.extend(dirs);
        }
        Ok(Some(all).filter(|_| !row.snapshot.bases.is_empty()))
    }

    /// The effects of the new commits one by one; `None` if one adds possible evidence, which needs the full check.
    fn between(&self, row: &Row<'_>, judged: &Judged, all: &[Judged], walk: &mut Walk<'_>) -> Result<Option<Between>> {
        let (cache, memo) = (self.push.cache(), self.memo);
        // This may be more than the tips name, because a memo may know lines that are gone. Unconcerned nodes name the same
        // evidence in the tips and in the memo.
        let named = |hash: &EvidenceHash| memo.names(hash) || all.iter().any(|judged| judged.named.contains(hash));
        let known = KnownEvidence {
            cache: &cache,
            named: &named,
            any: memo.names_any() || all.iter().any(|judged| !judged.named.is_empty()) || !cache.is_empty()?,
            allowed: &|path| judged.states.allow(path),
            held: &|_| Ok(false),
        };
        walk.judged_by(vec![judged.states.view.workspace.config.clone()]);
        let between = walk.over(self.graph, &row.commits, &known)?;
        Ok(Some(between).filter(|between| between.strays.is_empty()))
    }

    /// Whether the memo knows all evidence that the commits in `naming` name.
    fn naming_is_known(&self) -> Result<bool> {
        for commit in &self.naming {
            let tree = known_tree(self.push.repo, commit)?;
            let since = self.push.repo.tree_diff(Some(self.memo.tree), Some(tree))?;
            if since.iter().any(|change| workspace::has_our_name(&change.path)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
