//! `share on`, `share off` and `share` alone: where evidence is shared, and what that means.

use super::known::KnownThere;
use super::place::{KEY, SharePlace};
use super::push::{PushWish, send};
use super::{Asked, Sharing};
use crate::app::setup::install::git::SetupGit;
use crate::error::{Error, Result};
use crate::repo::program::GitConfig;
use crate::report::view::share::{ShareReceipt, ShareStep};

/// Turns sharing on: the place is tried, then written down. Says what would go, and sends nothing of it.
///
/// # Errors
/// Unchecked where the place cannot be used.
pub(crate) fn on(sharing: &Sharing<'_>, git: &dyn SetupGit, place: SharePlace, dry_run: bool) -> Result<ShareReceipt> {
    let mut asked = Asked::of(sharing, place);
    if !dry_run {
        asked.remote.probe().map_err(|error| {
            error.context(format!("{} cannot be shared through", asked.place)).hint("nothing was changed here")
        })?;
    }
    let receipt = ShareReceipt::new(ShareStep::On, Some(asked.place.to_string()));
    let wish = PushWish { dry_run: true, ..PushWish::default() };
    let mut receipt = send(sharing, &mut asked, &sharing.named(false)?, &wish, receipt)?;
    receipt.dry_run = dry_run;
    receipt.notes.push(asked.place.readers().to_owned());
    if !dry_run {
        git.run(&["config", "--local", "--replace-all", KEY, &asked.place.to_string()])?;
        asked.known.remember(sharing.store)?;
    }
    Ok(receipt)
}

/// Turns sharing off. What is on the remote stays there.
///
/// # Errors
/// When git's configuration cannot be written.
pub(crate) fn off(sharing: &Sharing<'_>, git: &dyn SetupGit) -> Result<ShareReceipt> {
    let config = sharing.repo.config()?;
    let is_on = |config: &GitConfig| config.get(KEY).is_some_and(|value| !value.is_empty());
    let mut receipt = ShareReceipt::new(ShareStep::Off, None);
    if is_on(&config) {
        let was = SharePlace::configured(&config).ok().flatten();
        let was = was.map_or_else(|| "the remote".to_owned(), |place| place.to_string());
        receipt.notes.push(format!("what is on {was} stays there, for whoever could read it"));
        let local = GitConfig::parse(&git.run(&["config", "--local", "-z", "--list"])?);
        if local.get(KEY).is_some() {
            git.run(&["config", "--local", "--unset-all", KEY])?;
        }
        if is_on(&sharing.repo.config()?) {
            return Err(Error::config(format!("{KEY} is set outside of this repository, too: sharing is still on"))
                .hint(format!("git config --show-origin {KEY} says where")));
        }
    } else {
        receipt.notes.push("it was off before".to_owned());
    }
    KnownThere::forget(sharing.store)?;
    Ok(receipt)
}

/// How sharing stands, without a connection.
///
/// # Errors
/// Configuration where it is configured wrong; when what readings name cannot be read.
pub(crate) fn state(sharing: &Sharing<'_>) -> Result<ShareReceipt> {
    let place = SharePlace::configured(&sharing.repo.config()?)?;
    let mut receipt = ShareReceipt::new(ShareStep::State, place.as_ref().map(ToString::to_string));
    let Some(place) = place else { return Ok(receipt) };
    let (named, sizes) = (sharing.named(false)?, sharing.sizes()?);
    let known = KnownThere::of(sharing.store.common_dir(), &place);
    receipt.named = named.len();
    receipt.here = named.keys().filter(|hash| sizes.contains_key(hash)).count();
    receipt.there = named.keys().filter(|hash| known.pieces.contains(hash)).count();
    receipt.notes.push(place.readers().to_owned());
    Ok(receipt)
}
