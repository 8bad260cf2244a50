//! `fold`: moves the lines of committed segments into trunk files.

use crate::app::record::fold as recording;
use crate::app::record::fold::FoldRequest;
use crate::cli::Exit;
use crate::cli::args::record::FoldArgs;
use crate::cli::call::Call;
use crate::error::Result;
use crate::names::SEGMENT_PATTERN;
use crate::report::view::receipt::{HomeReceipt, LeftReceipt};
use crate::store::signals;
use crate::text::shell;

/// `fold`. Exit code 1 means that a home was left to a person, 3 that one could not be read.
pub(super) fn fold(call: Call<'_>, args: FoldArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let request = FoldRequest { nodes: args.nodes, dry_run: args.dry_run, here: args.here };
    let mut done = call.patiently(|| recording::fold(&repo, &site, &call.store(&repo), &request))?;
    let left = done.left.into_iter();
    done.left = left.map(|left| LeftReceipt { why: call.global.offered_here(left.why), ..left }).collect();
    let exit = done.left.iter().map(|left| left.why.kind.exit_code()).max().map_or(Exit::CLEAN, Exit);
    let exit = call.hand_over(&done, exit);
    if !request.dry_run {
        super::tell_next(call, command(&done.homes));
    }
    Ok(exit)
}

/// A path for a pattern of git's, in which each of its characters stands for itself.
fn literal(path: &str) -> String {
    let escaped = |c: char| matches!(c, '\\' | '*' | '?' | '[').then_some('\\').into_iter().chain([c]);
    path.chars().flat_map(escaped).collect()
}

/// The command that commits a fold of these homes: their trunk files, and the segments that are gone. `None` without a home.
fn command(homes: &[HomeReceipt]) -> Option<String> {
    let words: Vec<String> = match homes.len() {
        0 => return None,
        1..=super::MAX_NAMED => {
            let words = |home: &HomeReceipt| {
                let segments = format!("{}/{SEGMENT_PATTERN}", literal(&home.directory));
                [shell::place(&home.trunk), shell::place(segments.trim_start_matches('/'))]
            };
            homes.iter().flat_map(words).collect()
        }
        _ => super::patterns(homes.iter().flat_map(|home| home.segments.iter().chain([&home.trunk]))),
    };
    Some(format!("git add -A {} && git commit -m 'Fold the ledgers'", words.join(" ")))
}
