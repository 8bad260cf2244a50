//! The result of `install` and `uninstall`, for people and programs.
//!
//! Machine form: `yatsu-hook/install/v1` (schema/install.v1.schema.json), one JSON object on one line.

use super::view::InstallReceipt;
use crate::finding::Verdict;
use crate::text::escape::terminal;
use crate::text::plural;
use std::io::{self, Write};

/// Writes the changes and the notes, one line each. Fails only when `out` does.
pub fn write_steps(receipt: &InstallReceipt, out: &mut dyn Write) -> io::Result<()> {
    let would = if receipt.dry_run { "would " } else { "" };
    receipt.steps.iter().try_for_each(|step| writeln!(out, "{would}{}", terminal(step)))?;
    receipt.notes.iter().try_for_each(|note| writeln!(out, "note: {}", terminal(note)))
}

/// Writes the last line: how the repository stands now. Fails only when `out` does.
pub fn write_outcome(receipt: &InstallReceipt, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}{}", done(receipt), standing(receipt))
}

fn done(receipt: &InstallReceipt) -> String {
    let verb = receipt.verb.as_str();
    match (receipt.dry_run, receipt.steps.is_empty()) {
        (true, true) => format!("dry run: already {verb}ed, nothing to change"),
        (true, false) => format!("dry run: nothing was changed; {verb} without --dry-run makes the changes above"),
        (false, true) => format!("already {verb}ed: nothing to change"),
        (false, false) => format!("{verb}ed"),
    }
}

/// How the repository stands. Installing succeeds even with errors in the repository, because the hooks only stop new
/// errors.
fn standing(receipt: &InstallReceipt) -> String {
    match (receipt.verdict, receipt.uncommitted) {
        (None, _) => String::new(),
        (Some(Verdict::Pass), _) if receipt.is_unguarded => {
            "; nothing is guarded yet: yatsu-hook new NODE --code PATH".to_owned()
        }
        (Some(Verdict::Pass), _) => "; the repository has no errors".to_owned(),
        (Some(Verdict::Fail), 0) => "; the errors above were there before: the hooks stop only new ones".to_owned(),
        (Some(Verdict::Fail), count) => {
            let (is, them) = if count == 1 { ("is", "it") } else { ("are", "them") };
            format!("; {} above {is} not committed yet: the hooks stop the commit with {them}", plural(count, "error"))
        }
        (Some(Verdict::Unchecked), _) => "; the repository could not be judged: yatsu-hook doctor".to_owned(),
    }
}
