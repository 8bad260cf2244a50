//! Finds the state that decides what a branch newly takes: goal claims and promotions. This is the branch's own past, not
//! the start of its new commits. Otherwise an ordinary merge of an already pushed branch would bring claims that were never
//! judged for this branch. All doors that know the branch use it.

use super::tips::Tip;
use super::{Push, Side};
use crate::app::judge::protection::{MAIN, PushTarget, is_main, protects};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::workspace;
use crate::tree::oid::Oid;
use bstr::{BStr, BString, ByteSlice};

impl Push<'_> {
    /// The protection of the tip's branch by all relevant configurations: the judging one, the old branch, the tip, and the
    /// main branch at `main`. One of them is enough: a push that removes a protection is still bound by it.
    pub(super) fn target(&self, tip: &Tip, main: Option<Oid>) -> Result<Option<PushTarget>> {
        let Some(branch) = &tip.branch else { return Ok(None) };
        let mut configs: Vec<Config> = self.config.iter().cloned().collect();
        for commit in [Some(tip.commit), tip.old, main].into_iter().flatten() {
            // an unusable configuration protects nothing; where it judges a state, it is an error
            configs.extend(workspace::read_config(&*self.repo.commit_view(&commit)?).ok());
        }
        // a branch with an old value that this clone lacks is not new
        let is_new = tip.old.is_none() && self.held_there(branch.as_bstr())?.is_none();
        let names = self.aliases.names(branch.as_bstr());
        let any = |is: fn(&Config, &BStr, Option<&BString>) -> bool| {
            configs.iter().any(|config| names.iter().any(|name| is(config, name.as_bstr(), self.default.as_ref())))
        };
        Ok(Some(PushTarget { is_main: any(is_main), is_protected: any(protects), is_new }))
    }

    /// The states that decide what the tip's branch newly takes; `None` in the list is the empty tree. An empty list means
    /// the bases of the tip, for a push without a known branch or main branch.
    pub(super) fn earlier_states(
        &self,
        tip: &Tip,
        target: Option<PushTarget>,
        main: Option<Oid>,
    ) -> Result<Vec<Option<Oid>>> {
        let Some(PushTarget { is_protected, .. }) = target else {
            // for a range: compared with its start and with the fork, so that only its own work counts
            return Ok(self
                .from
                .into_iter()
                .chain(self.base.filter(|base| Some(*base) != self.from))
                .map(Some)
                .collect());
        };
        Ok(match (tip.old, main) {
            // only the old value: content of another branch was never judged for this one
            (Some(old), _) if is_protected => vec![Some(old)],
            // commits of the main branch must not block a merge of main
            (Some(old), main) => [Some(old)].into_iter().chain(main.filter(|main| *main != old).map(Some)).collect(),
            (None, Some(main)) => {
                let forks = self.repo.merge_bases(&main, &tip.commit)?;
                let apart = forks.is_empty().then_some(main);
                forks.into_iter().chain(apart).map(Some).collect()
            }
            (None, None) if is_protected => vec![None],
            (None, None) => Vec::new(),
        })
    }

    /// The tip of the receiving side's main branch after the push of `tips`, so that the order of refs does not matter. For
    /// `tip` itself the value before the push; a new main branch has none.
    pub(super) fn main_beside(&self, tips: &[Tip], tip: &Tip) -> Result<Option<Oid>> {
        if tip.branch.is_none() {
            return Ok(None);
        }
        let config = self.config_for(&*self.repo.commit_view(&tip.commit)?);
        let configured = config.main_branch.iter().map(|name| BString::from(name.as_str()));
        for name in configured.chain(self.default.clone()).chain(MAIN.map(BString::from)) {
            let is_called = |branch: &BString| self.aliases.names(branch.as_bstr()).contains(&name);
            let mut others = tips.iter().filter(|other| other.branch != tip.branch);
            let moved = others.find(|other| other.branch.as_ref().is_some_and(is_called));
            let found = moved.map_or_else(|| self.held_there(name.as_bstr()), |other| Ok(Some(other.commit)))?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The known value of a branch of the receiving side before the push.
    fn held_there(&self, branch: &BStr) -> Result<Option<Oid>> {
        let name = match &self.side {
            Side::Here => [b"refs/heads/", branch.as_bytes()].concat(),
            Side::There(Some(remote)) => [b"refs/remotes/", remote.as_bytes(), b"/", branch.as_bytes()].concat(),
            Side::There(None) => return Ok(None),
        };
        self.repo.find_ref(&name)?.map_or(Ok(None), |id| self.repo.peel(id).map(|peeled| peeled.commit()))
    }
}
