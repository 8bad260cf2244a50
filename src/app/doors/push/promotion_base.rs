//! What a branch is compared with where it is asked what it takes: claims of goals, promotions. That is the branch's own past, not
//! where its new commits begin: else an ordinary merge of a branch that was pushed before would bring along what nobody asked.
//! One mechanism for every door that knows the branch.

use super::tips::Tip;
use super::{Push, Side};
use crate::app::judge::protection::{MAIN, PushTarget, is_main, protects};
use crate::error::Result;
use crate::model::config::Config;
use crate::model::workspace;
use crate::tree::oid::Oid;
use bstr::{BStr, BString, ByteSlice};

impl Push<'_> {
    /// What the branch of `tip` is to the configurations that have a say: the judging one, and what the branch, the main branch
    /// at `main` and the tip say. Any of them is enough: what a push takes away still holds for that push.
    pub(super) fn target(&self, tip: &Tip, main: Option<Oid>) -> Result<Option<PushTarget>> {
        let Some(branch) = &tip.branch else { return Ok(None) };
        let mut configs: Vec<Config> = self.config.iter().cloned().collect();
        for commit in [Some(tip.commit), tip.old, main].into_iter().flatten() {
            // what cannot be used protects nothing more; where it is judged by it is an error
            configs.extend(workspace::read_config(&*self.repo.commit_view(&commit)?).ok());
        }
        // a value that is there and that this clone lacks is no new branch
        let is_new = tip.old.is_none() && self.held_there(branch.as_bstr())?.is_none();
        let names = self.aliases.names(branch.as_bstr());
        let any = |is: fn(&Config, &BStr, Option<&BString>) -> bool| {
            configs.iter().any(|config| names.iter().any(|name| is(config, name.as_bstr(), self.default.as_ref())))
        };
        Ok(Some(PushTarget { is_main: any(is_main), is_protected: any(protects), is_new }))
    }

    /// The states that what the branch of `tip` takes is compared with, `None` for nothing at all. No state: where no branch is
    /// known, or no main one, that is asked of what the new commits begin from.
    pub(super) fn takes_from(
        &self,
        tip: &Tip,
        target: Option<PushTarget>,
        main: Option<Oid>,
    ) -> Result<Vec<Option<Oid>>> {
        let Some(PushTarget { is_protected, .. }) = target else {
            // of what the start of a range went past its end is not asked, and of what it lacks of the start neither
            return Ok(self
                .from
                .into_iter()
                .chain(self.base.filter(|base| Some(*base) != self.from))
                .map(Some)
                .collect());
        };
        Ok(match (tip.old, main) {
            // alone: what another branch holds nobody asked this one
            (Some(old), _) if is_protected => vec![Some(old)],
            // what the main branch holds stops nobody who merges it
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

    /// The tip of the other side's main branch as it stands after the push of `tips`, so that the order of refs decides nothing.
    /// Of `tip` itself only what it was: a new main branch has none.
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

    /// What a branch of the other side is known to hold before the push.
    fn held_there(&self, branch: &BStr) -> Result<Option<Oid>> {
        let name = match &self.side {
            Side::Here => [b"refs/heads/", branch.as_bytes()].concat(),
            Side::There(Some(remote)) => [b"refs/remotes/", remote.as_bytes(), b"/", branch.as_bytes()].concat(),
            Side::There(None) => return Ok(None),
        };
        self.repo.find_ref(&name)?.map_or(Ok(None), |id| self.repo.peel(id).map(|peeled| peeled.commit()))
    }
}
