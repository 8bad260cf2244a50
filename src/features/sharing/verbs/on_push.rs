//! `yatsu.share.onPush`: sends the evidence of a push along with it. Only the user's git configuration can switch this on,
//! never the content of a tree. It never stops a push of code: it names the evidence that was not sent, and the command that
//! sends it later.

use crate::app::doors::push::Remote;
use crate::app::doors::push::refs::Update;
use crate::cli::call::Call;
use crate::cli::{Exit, clock, deadline, stdio};
use crate::error::{Error, Result};
use crate::features::sharing::judge as sharing;
use crate::features::sharing::judge::{PushWish, SharingDesk};
use crate::features::sharing::model::place::{ON_PUSH, SharePlace};
use crate::features::sharing::verbs::cloud;
use crate::repo::{Repo, program};
use crate::store::signals;
use crate::sys;
use crate::text::escape::{echo, terminal};
use crate::text::plural;
use crate::tree::oid::Oid;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::time::Duration;

/// The longest time that sending may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Sends the evidence that `updates` push to `remote`, if that is configured.
pub(crate) fn share(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote) {
    match send(call, repo, updates, remote) {
        Ok(()) => {}
        Err(error) => say_unsent(&error),
    }
}

/// Sends the evidence of the readings at `tips`, and says how many pieces were not sent. This is `share push --tip COMMIT`,
/// which a hook without network code runs for a bucket.
pub(crate) fn send_here(call: Call<'_>, repo: &Repo, tips: BTreeSet<Oid>) {
    let store = call.store(repo);
    let (terminal, now) = (false, clock::now());
    let desk = SharingDesk { repo, store: &store, nodes: &[], tell: &|_| {}, terminal, now };
    match sharing::push(&desk, &PushWish { tips: Some(tips), ..PushWish::default() }) {
        Ok(receipt) if receipt.left.is_empty() => {}
        Ok(receipt) => say(&format!("{} of evidence not sent", plural(receipt.left.len(), "piece"))),
        Err(error) => say_unsent(&error),
    }
}

fn say_unsent(error: &Error) {
    say(&format!("evidence was not sent: {}", echo(&error.message)));
}

fn say(what: &str) {
    let line = format!("yatsu-hook: {}; the push goes on; later: yatsu-hook share push\n", terminal(what));
    stdio::tell(line.as_bytes());
}

fn send(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote) -> Result<()> {
    let config = repo.config()?;
    if !config.boolean(ON_PUSH)?.unwrap_or(false) {
        return Ok(());
    }
    let place = SharePlace::required(config)?;
    let is_branch = |update: &&Update| update.name.starts_with(b"refs/heads/");
    let tips: BTreeSet<Oid> = updates.iter().filter(is_branch).filter_map(|update| update.new).collect();
    // a push to another remote publishes nothing on this one
    let goes_there = |name: &String| remote.name.as_ref() == Some(name);
    if tips.is_empty() || matches!(&place, SharePlace::Remote(name) if !goes_there(name)) {
        return Ok(());
    }
    signals::install()?;
    let limit = sys::time_limit(LIMIT);
    let late = move || {
        // printed first, because the work's own error after its child is gone says less
        say(&format!("evidence was not sent within {} s", limit.as_secs()));
        program::end_children();
        signals::clear();
        #[allow(clippy::exit)] // stuck work cannot be asked to stop, and the verdict was printed
        std::process::exit(0);
    };
    let _watch = deadline::watch(limit, late);
    if !cloud::is_needed(Some(&place)) {
        send_here(call, repo, tips);
        return Ok(());
    }
    let mut arguments: Vec<OsString> = vec!["-C".into(), call.dir.into(), "share".into(), "push".into()];
    arguments.extend(tips.iter().flat_map(|tip| ["--tip".into(), tip.to_string().into()]));
    match cloud::run(call, &arguments, false)? {
        Exit::CLEAN => Ok(()),
        _ => Err(Error::unchecked("yatsu-hook-cloud could not be asked").hint("yatsu-hook share push")),
    }
}
