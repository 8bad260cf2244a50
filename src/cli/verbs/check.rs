//! `check`: judges by hand or in CI.

use super::push;
use crate::app::doors::check as judging;
use crate::app::judge::snapshot;
use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::verdict::Reader;
use crate::app::judge::{ApprovalCheck, Options};
use crate::cli::Exit;
use crate::cli::args::check::CheckArgs;
use crate::cli::call::Call;
use crate::error::Result;
use crate::report::{Format, ScopeMode};

pub(super) fn check(call: Call<'_>, args: &CheckArgs) -> Result<Exit> {
    if is_score(args) {
        return super::scan::whole(call);
    }
    let repo = call.repo()?;
    let paths = call.all_in_repository(&repo, &args.paths)?;
    let options = call.options(args.strict, Reader::Person);
    let one = |snapshot: &dyn Fn() -> Result<Snapshot>| {
        call.patiently(|| judging::only(&repo, &snapshot()?, options, &paths))
    };
    // clap allows only one of them
    let report = match (args.staged, &args.rev, &args.from) {
        (true, ..) => one(&|| snapshot::staged(&repo))?,
        (_, Some(rev), _) => one(&|| snapshot::commit(&repo, ScopeMode::Rev, repo.resolve(rev)?, &[]))?,
        (.., Some(from)) => {
            let to = args.to.as_deref().unwrap_or("HEAD");
            let reader = Reader::Range(args.inherited.unwrap_or_default());
            let options = Options { reader, approval: approval(call, args), ..options };
            push::range(call, &repo, (from, to), options, &paths)?
        }
        _ => one(&|| snapshot::all(&repo))?,
    };
    let is_empty = report.scope.nodes == 0 && report.is_silent();
    let exit = call.emit(report);
    super::invite(call, &repo, is_empty);
    Ok(exit)
}

/// Programs get the answer about approval without asking for it.
fn approval(call: Call<'_>, args: &CheckArgs) -> ApprovalCheck {
    match args.require_approval {
        true => ApprovalCheck::Required,
        false if call.global.format == Format::Json => ApprovalCheck::Shown,
        false => ApprovalCheck::ByPolicy,
    }
}

/// Whether the command is plain `yatsu-hook check`: then it prints the score. `check --strict` still lists all findings,
/// because a score also warns of goals that regressed, and a script would block on these.
fn is_score(args: &CheckArgs) -> bool {
    *args == CheckArgs::default()
}
