//! `yatsu.share.onPush`: sends the evidence of a push along with it. Only the user's git configuration can switch this on,
//! never the content of a tree. It never stops a push of code: it names the evidence that was not sent, and the command that
//! sends it later.

use crate::app::doors::push::Remote;
use crate::app::doors::push::refs::Update;
use crate::app::site::share_place::{ON_PUSH, SharePlace};
use crate::app::upkeep::share as sharing;
use crate::app::upkeep::share::{PushWish, SharingDesk, SharingMeans};
use crate::cli::call::Call;
use crate::cli::{deadline, stdio};
use crate::error::Result;
use crate::repo::{Repo, program};
use crate::store::signals;
use crate::text::escape::{echo, terminal};
use crate::text::plural;
use crate::tree::oid::Oid;
use std::collections::BTreeSet;
use std::time::Duration;

/// The longest time that sending may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Sends the evidence that `updates` push to `remote`, if that is configured.
pub(super) fn share(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote) {
    match send(call, repo, updates, remote) {
        Ok(0) => {}
        Ok(left) => say(&format!("{} of evidence not sent", plural(left, "piece"))),
        Err(error) => say(&format!("evidence was not sent: {}", echo(&error.message))),
    }
}

fn say(what: &str) {
    let line = format!("yatsu-hook: {}; the push goes on; later: yatsu-hook share push\n", terminal(what));
    stdio::tell(line.as_bytes());
}

/// Sends the evidence, and returns how many pieces were not sent.
fn send(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote) -> Result<usize> {
    let config = repo.config()?;
    if !config.boolean(ON_PUSH)?.unwrap_or(false) {
        return Ok(0);
    }
    let place = SharePlace::required(config)?;
    let is_branch = |update: &&Update| update.name.starts_with(b"refs/heads/");
    let tips: BTreeSet<Oid> = updates.iter().filter(is_branch).filter_map(|update| update.new).collect();
    // a push to another remote publishes nothing on this one
    let goes_there = |name: &String| remote.name.as_ref() == Some(name);
    if tips.is_empty() || matches!(&place, SharePlace::Remote(name) if !goes_there(name)) {
        return Ok(0);
    }
    signals::install()?;
    let late = || {
        // printed first, because the work's own error after its child is gone says less
        say(&format!("evidence was not sent within {} s", LIMIT.as_secs()));
        program::end_children();
        signals::clear();
        #[allow(clippy::exit)] // stuck work cannot be asked to stop, and the verdict was printed
        std::process::exit(0);
    };
    let watch = deadline::watch(LIMIT, late);
    let means = SharingMeans { terminal: false, ..call.surroundings() };
    let store = call.store(repo);
    let desk = SharingDesk { repo, store: &store, nodes: &[], tell: &|_| {}, around: &means };
    let done = sharing::push(&desk, &PushWish { tips: Some(tips), ..PushWish::default() });
    drop(watch);
    Ok(done?.left.len())
}
