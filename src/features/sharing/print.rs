//! The results of the verbs of sharing, for people and programs. Machine form: `yatsu-hook/share/v1`
//! (schema/share.v1.schema.json), one JSON object for every verb.

use crate::features::sharing::model::receipts::{ShareReceipt, ShareStep, SharedPieceRow};
use crate::report::receipt::{amount, readings};
use crate::report::shown;
use crate::text::escape::terminal;
use crate::text::plural;
use std::io::{self, Write};

/// How many characters of a hash people see.
const SHORT: usize = 12;

/// The lines for people: each piece that was not sent or was taken away, the notes, and the result last. Fails only when
/// `out` does.
pub(crate) fn write_human(receipt: &ShareReceipt, out: &mut dyn Write) -> io::Result<()> {
    for piece in receipt.left.iter().chain(&receipt.gone) {
        writeln!(out, "{}", piece_line(piece))?;
        if let Some(help) = &piece.help {
            writeln!(out, "  help: {}", terminal(help))?;
        }
    }
    for note in &receipt.notes {
        writeln!(out, "note: {}", terminal(note))?;
    }
    writeln!(out, "{}", last(receipt))
}

fn piece_line(piece: &SharedPieceRow) -> String {
    let hash = piece.hash.get(..SHORT).unwrap_or(&piece.hash);
    let size = piece.size.map(|size| format!(" {}", amount(size))).unwrap_or_default();
    let why = piece.why.iter().map(|why| format!(": {}", terminal(why))).collect::<String>();
    format!("{hash}…{size}{why}{}", readings("named by", &piece.readings))
}

fn last(receipt: &ShareReceipt) -> String {
    let place = receipt.place.as_deref().map(shown);
    let place = place.as_deref().unwrap_or("nowhere");
    let moved = |word: &str| format!("{word} {} ({})", receipt.moved, amount(receipt.bytes));
    let left = receipt.left.len();
    let stays = match left {
        0 => String::new(),
        1 => ", 1 stays".to_owned(),
        _ => format!(", {left} stay"),
    };
    match (receipt.verb, receipt.dry_run) {
        (ShareStep::State, _) if receipt.place.is_none() => {
            "sharing is off: evidence stays in this clone; turn it on: yatsu-hook share on".to_owned()
        }
        (ShareStep::State, _) => format!(
            "sharing through {place}: {} named by published readings, {} here, {} known to be there",
            plural(receipt.named, "piece"),
            receipt.here,
            receipt.there
        ),
        (ShareStep::On, false) => {
            format!("sharing through {place} is on; {}{stays}: yatsu-hook share push", moved("would send"))
        }
        (ShareStep::On, true) => {
            format!("would share through {place}: {}{stays}; nothing was changed", moved("would send"))
        }
        (ShareStep::Off, _) => "sharing is off".to_owned(),
        (ShareStep::Push, false) => format!("{}, {} there{stays}", moved("pushed"), receipt.there),
        (ShareStep::Push, true) => {
            format!("{}, {} there{stays}; nothing was sent", moved("would push"), receipt.there)
        }
        (ShareStep::Get, _) => {
            let missing = if left == 0 { String::new() } else { format!(", {left} missing") };
            format!("{}, {} here already{missing}", moved("got"), receipt.here)
        }
        (ShareStep::Check, _) => {
            let healed = if receipt.moved == 0 { String::new() } else { format!("; {}", moved("pushed")) };
            match left {
                0 => format!("all {} there{healed}", receipt.there),
                _ => format!("{left} missing, {} there{healed}", receipt.there),
            }
        }
        (ShareStep::Prune, false) => format!("{} from {place}, {} needed", moved("pruned"), receipt.there),
        (ShareStep::Prune, true) => {
            format!("{} from {place}, {} needed; nothing was deleted", moved("would prune"), receipt.there)
        }
        (ShareStep::Drop, _) => format!("{} from {place}", moved("dropped")),
    }
}
