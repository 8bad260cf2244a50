//! Repair of run logs: a torn end, and several objects glued into one line. Nothing else is mended. A line that HEAD
//! holds is only touched if it is a torn end, because no reader counts a torn end.

use crate::app::record::transaction::Transaction;
use crate::app::site::Site;
use crate::error::Result;
use crate::features::runlogs::judge::find_runlog;
use crate::features::runlogs::model::event::take_apart;
use crate::features::runlogs::model::line::LogLines;
use crate::report::view::receipt::{EditReason, EditReceipt, Left, Mended};
use crate::text::json;
use crate::text::ndjson::{self, RawLine};
use crate::tree::Tree;
use std::collections::HashSet;

/// Most problems of one log that are reported at once.
const MOST_LEFT: usize = 100;

/// Mends the run logs of the work tree, and returns the logs that were changed or still need a person.
///
/// # Errors
/// When a log cannot be read or written.
pub(crate) fn mend_logs(
    site: &dyn Site,
    transaction: &Transaction<'_>,
    committed: Option<&dyn Tree>,
    dry_run: bool,
) -> Result<Vec<Mended>> {
    let mut mended = Vec::new();
    for path in find_runlog::logs(site)? {
        let before = transaction.read_unsound(&path)?;
        let head = committed.map(|tree| tree.read(&path)).transpose()?.flatten().unwrap_or_default();
        let (bytes, changes) = mend(&before, &head);
        let left = left(&bytes);
        if !changes.is_empty() && !dry_run {
            transaction.mend(&path, &bytes)?;
        }
        if !changes.is_empty() || !left.is_empty() {
            mended.push(Mended { ledger: path.to_string(), changes, left, is_gone: false });
        }
    }
    Ok(mended)
}

/// The mended bytes, and the changes.
fn mend(bytes: &[u8], head: &[u8]) -> (Vec<u8>, Vec<EditReceipt>) {
    let kept: HashSet<&[u8]> = ndjson::lines(head).filter(|line| line.ended).map(|line| line.bytes).collect();
    let (mut out, mut changes) = (Vec::with_capacity(bytes.len()), Vec::new());
    for (line, whole) in ndjson::lines(bytes).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let fault = if line.is_blank() || line.ended && kept.contains(line.bytes) { None } else { fault(&line) };
        let Some((reason, parts)) = fault else {
            out.extend_from_slice(whole);
            continue;
        };
        for part in &parts {
            out.extend_from_slice(part);
            out.push(b'\n');
        }
        changes.push(EditReceipt::new(reason, line.number, Some(line.bytes), &parts));
    }
    (out, changes)
}

/// What is wrong with a line, and its replacement.
fn fault(line: &RawLine<'_>) -> Option<(EditReason, Vec<Vec<u8>>)> {
    let owned = |parts: Vec<&str>| parts.into_iter().map(|part| part.as_bytes().to_vec()).collect::<Vec<_>>();
    match ndjson::objects(line.bytes) {
        Some(parts) if parts.len() > 1 => Some((EditReason::Glued, owned(parts))),
        Some(_) => None,
        // a torn line may end within a character
        None if !line.ended => {
            let text = line.bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            Some((EditReason::Torn, owned(json::leading_objects(text).0)))
        }
        None => None,
    }
}

/// The lines that are no valid JSON, which only a person can correct.
fn left(bytes: &[u8]) -> Vec<Left> {
    let mut found = Vec::new();
    let mut lines = LogLines::new(bytes);
    while let Ok(Some(line)) = lines.next_line() {
        if line.is_blank() {
            continue;
        }
        for violation in take_apart(&line, 0).violations {
            if violation.code.at_most().is_some() || found.len() == MOST_LEFT {
                continue;
            }
            found.push(Left { line: violation.line, message: violation.message, help: violation.help });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(bytes: &str, head: &str) -> String {
        String::from_utf8(mend(bytes.as_bytes(), head.as_bytes()).0).unwrap()
    }

    #[test]
    fn a_torn_end_goes_and_whole_objects_before_it_stay() {
        for (torn, whole) in [
            ("{\"a\":1}\n{\"b\"", "{\"a\":1}\n"),
            ("{\"a\":1}\n{\"b\":2} {\"c\":\"\u{e9}", "{\"a\":1}\n{\"b\":2}\n"),
            ("{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}"),
            ("{\"a\"", ""),
        ] {
            assert_eq!(mended(torn, ""), whole, "{torn}");
            assert_eq!(mended(torn, torn), whole, "committed or not: {torn}");
            assert_eq!(mended(whole, ""), whole, "twice is once");
        }
        assert_eq!(mend(b"{\"a\":1}\n{\"b\":\"\xc3", b"").0, b"{\"a\":1}\n");
    }

    #[test]
    fn glued_objects_are_taken_apart_unless_they_are_committed() {
        let glued = "{\"a\":1}{\"b\":2} {\"c\":3}\r\n{\"d\":4}\n";
        assert_eq!(mended(glued, ""), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n{\"d\":4}\n");
        assert_eq!(mended(glued, glued), glued);
        assert_eq!(left(glued.as_bytes()).len(), 1);
    }

    #[test]
    fn what_only_a_person_can_mend_is_left() {
        let text = "garbage\n[1]\n<<<<<<< HEAD\n{\"a\":1} x\n\n{\"a\":1,\"a\":2}\n";
        assert_eq!(mended(text, ""), text);
        assert_eq!(left(text.as_bytes()).iter().map(|left| left.line).collect::<Vec<_>>(), [1, 2, 3, 4, 6]);
    }
}
