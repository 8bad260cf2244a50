//! What a branch changes, for a decision about its content: the differing paths, the authors, and the place of its line.

use super::Patches;
use crate::app::judge::snapshot::TrustFrom;
use crate::app::judge::snapshot::known_tree;
use crate::error::Result;
use crate::features::patches::judge::approvals::authors::{People, authors};
use crate::features::patches::judge::approvals::records::BaseRecords;
use crate::features::patches::judge::engine::patch::Patch;
use crate::features::trust::TrustBase;
use crate::model::ledger::ContentMap;
use crate::tree::oid::Oid;
use std::collections::BTreeSet;

/// How many authors a decision names.
const MAX_AUTHORS: usize = 32;

/// A branch compared with the commit where it left main.
pub(crate) struct BranchChange {
    pub(crate) base: Oid,
    pub(crate) content: ContentMap,
    /// What is a record, and no content, by the base.
    pub(crate) records: BaseRecords,
}

impl Patches<'_> {
    /// The commit that content is compared with; for an unrelated history the tip of main.
    pub(super) fn compared(&self, base: Option<Oid>) -> Oid {
        base.unwrap_or(self.main.commit)
    }

    /// The change from `base` to `tip`.
    ///
    /// # Errors
    /// When a state cannot be read.
    pub(super) fn change(&self, base: Oid, tip: Oid) -> Result<BranchChange> {
        let [old, new] = [known_tree(self.repo, &base)?, known_tree(self.repo, &tip)?].map(Some);
        let records = BaseRecords::of(self.repo, old)?;
        let content = records.difference(self.repo, old, new)?;
        Ok(BranchChange { base, content, records })
    }

    /// The change of a patch that is not in main yet.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub(crate) fn change_of(&self, patch: &Patch) -> Result<BranchChange> {
        self.change(self.compared(patch.facts.base), patch.facts.tip)
    }

    /// The addresses of the authors of a patch, by the mailmap of main.
    ///
    /// # Errors
    /// When a commit cannot be read.
    pub(crate) fn authors(&self, patch: &Patch, change: &BranchChange) -> Result<BTreeSet<String>> {
        let from = TrustFrom::Commit(Some(self.main.commit));
        let people = People(TrustBase::load(self.repo, from, &self.workspace.config)?.mailmap(self.repo)?);
        let known = [change.base, self.main.commit];
        let found = authors(self.repo, patch.facts.tip, &known, std::slice::from_ref(&change.records))?;
        let addresses: BTreeSet<String> = found.iter().map(|author| people.address(author)).collect();
        Ok(addresses.into_iter().filter(|address| !address.is_empty()).take(MAX_AUTHORS).collect())
    }
}
