//! The hooks of a push. They read standard input (but never a terminal), the remote and the frameworks' variables, and
//! print a line of progress. No other hooks read standard input.
//!
//! If standard input does not say what is pushed, `pre-push` judges the range in a framework's environment; otherwise,
//! at a terminal, HEAD against its branch on the remote. An empty standard input without a framework means that the push
//! is up to date.

use crate::app::doors::check as app_check;
use crate::app::doors::push;
use crate::app::doors::push::refs;
use crate::app::doors::push::refs::{MAX_INPUT, Update};
use crate::app::doors::push::{How, Remote};
use crate::app::judge::Options;
use crate::app::judge::snapshot;
use crate::app::progress::ProgressStep;
use crate::cli::Exit;
use crate::cli::call::Call;
use crate::cli::extra::{self, Extra};
use crate::cli::framework::{self, PushedRange};
use crate::cli::progress::Progress;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::report::Report;
use crate::tree::path::RepoPath;
use std::ffi::OsStr;
use std::io::{IsTerminal, Read};

pub(super) fn pre_push(
    call: Call<'_>,
    repo: &Repo,
    remote: Option<&OsStr>,
    url: Option<&OsStr>,
    options: Options,
) -> Result<Exit> {
    let text = |word: &OsStr| word.to_string_lossy().into_owned();
    let remote = Remote { name: remote.map(text), url: url.map(text) };
    let range = framework::pushed_range(&|name| std::env::var_os(name))?;
    let input = read_input()?;
    let untold = input.as_ref().is_none_or(Vec::is_empty);
    if untold && range.push.is_enough() {
        return pushed_range(call, repo, &range, options);
    }
    let updates = match input {
        Some(input) => refs::pushed(&input, repo.hash)?,
        None => return by_hand(call, repo, remote, options),
    };
    let exit = judge_push(call, repo, &updates, &remote, options)?;
    if exit == Exit::CLEAN {
        complete(call, repo, &updates, &remote);
    }
    Ok(exit)
}

/// Judges the push that a framework names. Without a named range a user runs the stage by hand, and HEAD is judged. If
/// the remote has all of HEAD, the staged changes or the whole index are judged, because a gate that looks at nothing
/// would pass.
pub(super) fn pushed_range(call: Call<'_>, repo: &Repo, range: &PushedRange, options: Options) -> Result<Exit> {
    if range.push.is_enough() {
        let updates = range.push.updates(repo, &range.remote)?;
        let exit = judge_push(call, repo, &updates, &range.remote, options)?;
        if exit == Exit::CLEAN {
            complete(call, repo, &updates, &range.remote);
        }
        return Ok(exit);
    }
    let remote = or_origin(range.remote.clone());
    let updates = push::head(repo, &remote)?;
    if push::brings_nothing(repo, &updates, &remote)? {
        let report = call.patiently(|| app_check::check(repo, &snapshot::staged_or_index(repo)?, options))?;
        return Ok(call.emit(report));
    }
    judge_push(call, repo, &updates, &remote, options)
}

/// Judges HEAD, if the pushed refs are not known.
fn by_hand(call: Call<'_>, repo: &Repo, remote: Remote, options: Options) -> Result<Exit> {
    let remote = or_origin(remote);
    judge_push(call, repo, &push::head(repo, &remote)?, &remote, options)
}

fn or_origin(remote: Remote) -> Remote {
    Remote { name: remote.name.or_else(|| Some("origin".into())), ..remote }
}

pub(super) fn pre_receive(call: Call<'_>, repo: &Repo, options: Options) -> Result<Exit> {
    let Some(input) = read_input()? else {
        return Err(Error::unchecked("pre-receive judges the refs that git writes to its standard input")
            .hint("by hand: yatsu-hook check --from A --to B"));
    };
    let updates = refs::received(&input, repo.hash)?;
    Ok(call.emit(with_progress(call, options, |how| push::receive(repo, &updates, how))?))
}

/// `check --from A --to B`.
pub(crate) fn range(
    call: Call<'_>,
    repo: &Repo,
    ends: (&str, &str),
    options: Options,
    paths: &[RepoPath],
) -> Result<Report> {
    with_progress(call, options, |how| push::range(repo, ends, paths, how))
}

/// Has features do what follows on a clean push.
fn complete(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote) {
    for follow in extra::all(|extra| if let Extra::FollowsPush(follow) = extra { Some(follow) } else { None }) {
        follow(call, repo, updates, remote);
    }
}

fn judge_push(call: Call<'_>, repo: &Repo, updates: &[Update], remote: &Remote, options: Options) -> Result<Exit> {
    Ok(call.emit(with_progress(call, options, |how| push::push(repo, updates, remote, how))?))
}

/// The whole standard input; `None` if it is a terminal.
fn read_input() -> Result<Option<Vec<u8>>> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let most = MAX_INPUT as u64 + 2;
    let read = input.lock().take(most).read_to_end(&mut bytes);
    read.map_err(|error| Error::unread("standard input", &error))?;
    Ok(Some(bytes))
}

/// Calls `work`, and shows progress if it takes long.
fn with_progress(call: Call<'_>, options: Options, work: impl FnOnce(How<'_>) -> Result<Report>) -> Result<Report> {
    let progress = Progress::start(call.global, ProgressStep::Work("looking at what is judged"));
    let tell = |step| progress.iter().for_each(|progress| progress.step(step));
    work(How { options, progress: &tell, briefly: call.is_brief(options.reader) })
}
