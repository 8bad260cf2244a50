//! `fold`: moves the lines of committed segments into trunk files.

use crate::app::record::fold as recording;
use crate::app::record::fold::FoldRequest;
use crate::cli::args::record::FoldArgs;
use crate::cli::call::Call;
use crate::cli::{Exit, receipt};
use crate::error::Result;
use crate::names::LEDGER_GLOB;
use crate::store::signals;
use crate::text::shell;
use crate::tree::path::RepoPath;

/// How many homes the command for git names. More are named by a pattern.
const MAX_NAMED: usize = 10;

/// `fold`. Exit code 1 means that a home was left to a person.
pub(super) fn fold(call: Call<'_>, args: FoldArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let request = FoldRequest { nodes: args.nodes, dry_run: args.dry_run, here: args.here };
    let done = call.patiently(|| recording::fold(&repo, &site, &call.store(&repo), &request))?;
    let exit = if done.left.is_empty() { Exit::CLEAN } else { Exit::BLOCKED };
    let exit = call.hand_over(&receipt::folded(&done, request.dry_run), true, exit);
    if !request.dry_run {
        super::tell_next(call, command(done.homes.iter().map(|home| &home.dir)));
    }
    Ok(exit)
}

/// The command that commits a fold of the homes in these directories; `None` without one.
fn command<'d>(dirs: impl ExactSizeIterator<Item = &'d RepoPath>) -> Option<String> {
    let words: Vec<String> = match dirs.len() {
        0 => return None,
        1..=MAX_NAMED => dirs.map(|dir| shell::word(&dir.child(LEDGER_GLOB.as_bytes()).to_string())).collect(),
        _ => vec![format!("':(top,glob)**/{LEDGER_GLOB}'")],
    };
    Some(format!("git add -A {} && git commit -m 'Fold the ledgers'", words.join(" ")))
}
