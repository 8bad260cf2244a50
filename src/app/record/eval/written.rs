//! What the ledger holds of a reading.

use crate::error::{Error, Refusal, Result};
use crate::model::ledger::{Event, Reading, encode_reading, parse};
use crate::tree::path::RepoPath;
use std::rc::Rc;

/// The reading as its line is parsed again, because the encoder leaves out a stamp that is too long.
pub(crate) fn as_written(reading: &Reading) -> Result<Reading> {
    let ledger = parse(&RepoPath::root(), encode_reading(reading).as_bytes());
    match ledger.lines.into_iter().next().map(|line| line.event) {
        Some(Event::Reading(reading)) => Ok(Rc::unwrap_or_clone(reading)),
        _ => Err(ledger.problems.first().map_or_else(
            || Error::fault("the reading cannot be written as a ledger line"),
            |problem| {
                Error::refused(format!("the reading would be no valid ledger line: {}", problem.message))
                    .because(Refusal::Invalid)
                    .hint("say less, or in other words: of what was typed, this stands in the way")
            },
        )),
    }
}
