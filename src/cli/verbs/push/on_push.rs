//! `yatsu.share.onPush`: where the user's git configuration asks for it, evidence of what is pushed goes along. Nothing in a
//! tree can ask for it. It never stops a push of code: what was not sent is said, and so is how it is sent later.

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

/// So long it may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Sends evidence of what `updates` push to `remote`, where that was asked for.
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

/// How many pieces stay here.
fn send(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote) -> Result<usize> {
    let config = repo.config()?;
    if !config.boolean(ON_PUSH)?.unwrap_or(false) {
        return Ok(0);
    }
    let place = SharePlace::required(config)?;
    let is_branch = |update: &&Update| update.name.starts_with(b"refs/heads/");
    let tips: BTreeSet<Oid> = updates.iter().filter(is_branch).filter_map(|update| update.new).collect();
    // what goes to another remote is not published on this one
    let goes_there = |name: &String| remote.name.as_ref() == Some(name);
    if tips.is_empty() || matches!(&place, SharePlace::Remote(name) if !goes_there(name)) {
        return Ok(0);
    }
    signals::install()?;
    let late = || {
        // said first: once its child is gone, the work itself ends with an error that says less
        say(&format!("evidence was not sent within {} s", LIMIT.as_secs()));
        program::end_children();
        signals::clear();
        #[allow(clippy::exit)] // the work that does not end is not asked, and the verdict was printed
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
