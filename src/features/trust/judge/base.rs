//! Reads the keys, the revocations and the policy that a change is judged by. They come from the state before the change,
//! because otherwise a change could admit its own key.

use crate::app::judge::snapshot::{Base, TrustFrom};
use crate::app::judge::states::States;
use crate::app::judge::{Question, branch};
use crate::error::Result;
use crate::features::trust::model::keys::{Judges, Mailmap, Revoked, keys_file};
use crate::features::trust::model::settings::TrustSettings;
use crate::model::config::Config;
use crate::model::workspace;
use crate::names::CONFIG_FILE;
use crate::repo::Repo;
use crate::text::escape::echo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::borrow::Cow;

/// The keys, the revocations and the policy of a base.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrustBase {
    /// The commit that holds them; `None` if there is none.
    pub(crate) commit: Option<Oid>,
    pub(crate) settings: TrustSettings,
    pub(crate) judges: Judges,
    pub(crate) revoked: Revoked,
}

impl TrustBase {
    /// The base that `from` names. `own` is the configuration of the judged state, which only names the main branch. Without
    /// a base no key is known.
    ///
    /// # Errors
    /// When the file of keys is no regular file, or is too large: then no key can be checked.
    pub(crate) fn load(repo: &Repo, from: TrustFrom, own: &Config) -> Result<Self> {
        let commit = match from {
            TrustFrom::Main => branch::find_main(repo, own)?.map(|(_, tip)| tip),
            TrustFrom::Head => repo.head()?,
            TrustFrom::Commit(commit) => commit,
        };
        let Some(commit) = commit else { return Ok(Self::default()) };
        let view = repo.commit_view(&commit)?;
        // an unusable configuration judged nothing, and the change that mends it must be possible
        let settings =
            workspace::read_config(&*view).map(|config| config.of::<TrustSettings>().clone()).unwrap_or_default();
        let (judges, revoked) = keys(&*view, &settings)?;
        Ok(Self { commit: Some(commit), settings, judges, revoked })
    }

    /// The mailmap of the base: the addresses of one person.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn mailmap(&self, repo: &Repo) -> Result<Mailmap> {
        let Some(commit) = self.commit else { return Ok(Mailmap::default()) };
        let (view, path) = (repo.commit_view(&commit)?, RepoPath::from_git(".mailmap"));
        // git follows no link here, either
        let is_file = matches!(view.kind(&path)?, Some(Kind::File | Kind::Exec));
        let content = if is_file { view.read(&path)? } else { None };
        Ok(Mailmap::parse(&content.unwrap_or_default()))
    }
}

/// The keys and the revocations that `settings` name in `view`.
fn keys(view: &dyn Tree, settings: &TrustSettings) -> Result<(Judges, Revoked)> {
    let signers = settings.signers.as_ref().map(|path| keys_file(view, "signers", path)).transpose()?;
    let revoked = settings.revoked.as_ref().map(|path| keys_file(view, "revoked", path)).transpose()?;
    let judges = signers.map(|bytes| Judges::parse(&bytes).0).unwrap_or_default();
    Ok((judges, revoked.map(|bytes| Revoked::parse(&bytes).0).unwrap_or_default()))
}

/// The policy that a change is judged by. A change that leaves the configuration alone has the same policy before and after it,
/// and `own`, the one after it, is read already.
///
/// # Errors
/// As [`TrustBase::load`].
pub(crate) fn policy<'c>(question: &Question<'_>, own: &'c Config) -> Result<Cow<'c, TrustSettings>> {
    let (snapshot, file) = (question.snapshot, RepoPath::from_git(CONFIG_FILE));
    let is_same = |base: &Base| snapshot.trust == TrustFrom::Commit(base.commit) && !base.changed.contains(&file);
    if snapshot.bases.iter().any(is_same) {
        return Ok(Cow::Borrowed(own.of()));
    }
    Ok(Cow::Owned(TrustBase::load(question.repo, snapshot.trust, own)?.settings))
}

/// How the change lets more keys sign, one sentence each: a new judge, a revocation that is gone. A change of the paths is a
/// change of the configuration, which names it.
///
/// # Errors
/// As [`TrustBase::load`].
pub(crate) fn lowered(question: &Question<'_>, states: &States) -> Result<Vec<String>> {
    let Some(base) = question.snapshot.bases.first() else { return Ok(Vec::new()) };
    let now: &TrustSettings = states.own.of();
    let then = states.bases.first().map_or(now, |base| base.workspace.config.of());
    let is_touched = |path: &Option<RepoPath>| path.as_ref().is_some_and(|path| base.changed.contains(path));
    // a state with unusable keys would block every later change
    if now != then || is_touched(&now.signers) || is_touched(&now.revoked) {
        keys(&*question.snapshot.view, now)?;
    }
    if then.signers.is_none() || !(is_touched(&then.signers) || is_touched(&then.revoked)) {
        return Ok(Vec::new());
    }
    let ((judges, revoked), (new_judges, new_revoked)) =
        (keys(&*base.tree, then)?, keys(&*question.snapshot.view, now)?);
    let joined = new_judges.missing_from(&judges).filter(|_| then.signers == now.signers);
    let joined = joined.map(|line| format!("yatsu.trust.signers gains the line `{}`", echo(line)));
    let left = revoked.missing_from(&new_revoked).into_iter().filter(|_| then.revoked == now.revoked);
    Ok(joined.chain(left.map(|what| format!("yatsu.trust.revoked loses {what}"))).collect())
}
