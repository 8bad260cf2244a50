//! The hooks of git, called by git or by a framework: the content that each one judges, and its time limit.

use super::push;
use crate::app::doors::Commit;
use crate::app::doors::{check, commit};
use crate::app::judge::snapshot;
use crate::app::judge::snapshot::MadeBy;
use crate::app::judge::verdict::Reader;
use crate::cli::Exit;
use crate::cli::call::Call;
use crate::cli::deadline::Deadline;
use crate::cli::framework::PushedRange;
use crate::cli::parsing;
use crate::error::Result;
use std::ffi::OsString;

/// A hook, called by git or by a framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hook {
    /// The index, before a commit.
    PreCommit,
    /// The index, before a merge commit.
    PreMergeCommit,
    /// The refs on git's standard input, before a push.
    PrePush {
        /// The remote's name, or its URL if it has no name.
        remote: Option<OsString>,
        url: Option<OsString>,
    },
    /// The refs on git's standard input, in quarantine.
    PreReceive,
    /// The range in a framework's environment, in place of standard input.
    PushedRange(PushedRange),
    /// A range that a user typed and a framework passes on.
    Range {
        /// The commit to compare with.
        from: String,
        /// The judged commit.
        to: String,
    },
    /// The framework does not name the stage. Judges the staged changes, or the whole index if nothing is staged.
    Untold,
}

/// Judges the content of a hook. With `strict` warnings count as errors.
pub(super) fn hook(call: Call<'_>, hook: &Hook, strict: bool) -> Result<Exit> {
    let repo = call.repo()?;
    match hook {
        Hook::PreReceive => repo.read_units_by(parsing::never()),
        // a user who typed a range waits for the answer
        Hook::Range { .. } => {}
        _ => repo.read_units_by(parsing::brief()),
    }
    let options = call.options(strict, Reader::Hook);
    let briefly = call.is_brief(options.reader);
    let deadline = Deadline::new();
    let busy = || deadline.watch(call);
    let before_commit = |made_by| commit::judge(&repo, options, Commit { made_by, briefly, busy: &busy });
    let report = match hook {
        Hook::PreCommit => before_commit(MadeBy::Person)?,
        Hook::PreMergeCommit => before_commit(MadeBy::CleanMerge)?,
        Hook::Untold => call.patiently(|| check::check(&repo, &snapshot::staged_or_index(&repo)?, options))?,
        Hook::PrePush { remote, url } => {
            return push::pre_push(call, &repo, remote.as_deref(), url.as_deref(), options);
        }
        Hook::PushedRange(range) => return push::pushed_range(call, &repo, range, options),
        Hook::Range { from, to } => push::range(call, &repo, (from, to), options, &[])?,
        Hook::PreReceive => return push::pre_receive(call, &repo, options),
    };
    let exit = call.emit(report);
    deadline.met();
    Ok(exit)
}
