//! `share on`, `share off` and plain `share`: configures the place of shared evidence, and shows its state.

use super::push::{PushWish, send, unfetched};
use super::{AskedPlace, SharingDesk, published};
use crate::app::memo::shared_pieces::KnownThere;
use crate::app::progress::ProgressStep;
use crate::app::site::setup_git::{GitScope, GitSettings, SetupGit};
use crate::error::{Error, Result};
use crate::features::sharing::model::place::{BRANCHES, KEY, SharePlace};
use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep};
use crate::remote::RefSpace;
use crate::repo::program::GitConfig;
use std::path::PathBuf;

/// The request of `share on`.
#[derive(Clone, Debug)]
pub(crate) struct OnWish {
    /// The typed place; `None` for the default git remote.
    pub place: Option<String>,
    /// The user's current directory.
    pub here: PathBuf,
    /// Whether to keep evidence in branches on a git server.
    pub branches: bool,
    /// List the pieces to send, and change nothing.
    pub dry_run: bool,
}

/// Turns sharing on: tests the place, then writes the configuration. Lists the pieces to send, but sends none.
///
/// # Errors
/// Unchecked when the place cannot be used; then nothing is changed.
pub(crate) fn on(sharing: &SharingDesk<'_>, git: &dyn SetupGit, wish: &OnWish) -> Result<ShareReceipt> {
    let place = match &wish.place {
        Some(text) => SharePlace::parse(text, &wish.here)?.settled(),
        None => SharePlace::usual(sharing.repo.config()?)?,
    };
    if wish.branches && !matches!(place, SharePlace::Remote(_)) {
        return Err(Error::usage("--branches is for a git remote").hint("leave it out"));
    }
    let space = if wish.branches { RefSpace::Branches } else { RefSpace::Hidden };
    let mut asked = AskedPlace::within(sharing, place, space)?;
    if !wish.dry_run {
        (sharing.tell)(ProgressStep::Work("trying the place"));
        asked.remote.probe().map_err(|error| error.hint("nothing was changed here"))?;
    }
    let place = asked.place.to_string();
    let mut receipt = ShareReceipt::new(ShareStep::On, Some(place.clone()));
    let tips = asked.tips(sharing)?;
    receipt.notes.extend(unfetched(&tips, &asked));
    let of = PushWish { dry_run: true, ..PushWish::default() };
    send(sharing, &mut asked, &sharing.named(&tips.here)?, &of, &mut receipt)?;
    receipt.dry_run = wish.dry_run;
    receipt.notes.push(asked.place.readers());
    receipt.notes.push("pictures and video cannot be searched for secrets".to_owned());
    if !wish.dry_run {
        set(git, KEY, &place)?;
        if wish.branches {
            set(git, BRANCHES, "true")?;
        } else {
            unset(git, BRANCHES)?;
        }
        asked.close(sharing, &mut receipt);
    }
    Ok(receipt)
}

/// Turns sharing off. Pieces on the remote stay there.
///
/// # Errors
/// When git's configuration cannot be written, or sharing is also set outside the repository.
pub(crate) fn off(sharing: &SharingDesk<'_>, git: &dyn SetupGit) -> Result<ShareReceipt> {
    let config = sharing.repo.config()?;
    let is_on = |config: &GitConfig| config.get(KEY).is_some_and(|value| !value.is_empty());
    let mut receipt = ShareReceipt::new(ShareStep::Off, None);
    if is_on(config) {
        let was = SharePlace::configured(config).ok().flatten();
        let was = was.map_or_else(|| "the remote".to_owned(), |place| place.to_string());
        receipt.notes.push(format!("the evidence on {was} stays there, for everyone who could read it"));
        unset(git, KEY)?;
        unset(git, BRANCHES)?;
        if is_on(&sharing.repo.config_now()?) {
            return Err(Error::config(format!("{KEY} is set outside of this repository, too: sharing is still on"))
                .hint(format!("git config --show-origin {KEY} says where")));
        }
    } else {
        receipt.notes.push("it was off before".to_owned());
    }
    KnownThere::forget(sharing.store)?;
    Ok(receipt)
}

/// Gives a key one value in the file that decides here.
fn set(git: &dyn SetupGit, key: &str, value: &str) -> Result<()> {
    let settings = GitSettings::read(git, None)?;
    let file = settings.deciding_file(key).flag();
    if let (Some(included), Some(unset)) = (settings.included(key), settings.unset_included(key)) {
        let name = included.display();
        let message = format!("{name} sets {key}, and git's configuration includes that file: a new value would lose");
        return Err(Error::config(message).hint(format!("{unset}, then the same command")));
    }
    git.run(&["config", &file, "--replace-all", key, value]).map(drop)
}

/// Removes a key from the repository's own configuration and from the worktree's, if it is there.
fn unset(git: &dyn SetupGit, key: &str) -> Result<()> {
    let settings = GitSettings::read(git, None)?;
    for file in [GitScope::Local, GitScope::Worktree] {
        // git takes nothing out of a file that this one includes
        if settings.lines().any(|line| line.scope == file && line.key == key && line.included.is_none()) {
            git.run(&["config", &file.flag(), "--unset-all", key])?;
        }
    }
    Ok(())
}

/// The state of sharing, without a connection.
///
/// # Errors
/// Configuration when sharing is configured wrongly; also when the named pieces cannot be read.
pub(crate) fn state(sharing: &SharingDesk<'_>) -> Result<ShareReceipt> {
    let place = SharePlace::configured(sharing.repo.config()?)?;
    let mut receipt = ShareReceipt::new(ShareStep::State, place.as_ref().map(ToString::to_string));
    let Some(place) = place else { return Ok(receipt) };
    let (named, sizes) = (sharing.named(&published::tracked(sharing.repo)?)?, sharing.sizes()?);
    let known = KnownThere::of(sharing.store.common_dir(), &place.to_string());
    receipt.named = named.len();
    receipt.here = named.keys().filter(|hash| sizes.contains_key(hash)).count();
    receipt.there = named.keys().filter(|hash| known.pieces.contains(hash)).count();
    receipt.notes.push(place.readers());
    Ok(receipt)
}
