//! The spending and the waivers in the ledgers of a node. Every reading counts, also a retracted one. A line that stands
//! there twice counts once, and so do two equal readings under one key.

use super::{FiledAt, SpendingSeries};
use crate::engine::keys::is_same_payload;
use crate::engine::redaction::Redactions;
use crate::model::ids::composed;
use crate::model::labels::{ReadingKey, RunId};
use crate::model::ledger::{Event, Ledger, Reading, Timestamp};
use crate::model::usage::{Amounts, Usage};
use crate::tree::path::RepoPath;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The cost of one reading, retracted or not.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    /// When and where it was filed.
    pub at: FiledAt,
    /// Its scenario; a breach belongs to the scenario.
    pub series: SpendingSeries,
    pub run: Option<RunId>,
    pub amounts: Amounts,
    /// It repeats an earlier reading under the same key, so it costs nothing.
    pub repeats: bool,
    /// The same line stands in another node's ledger and was counted there: a copied ledger does not spend again.
    pub is_copy: bool,
}

/// A `waive-budget` decision.
#[derive(Clone, Debug)]
pub(crate) struct Waiver {
    /// When and where it was filed.
    pub at: FiledAt,
    pub series: SpendingSeries,
}

type Placed<'l> = (FiledAt, &'l Reading);

/// The use of one key: the scenario in NFC, the attempt, the key.
type KeyedAs<'l> = (Cow<'l, str>, Option<u32>, &'l ReadingKey);

/// A reading that cost something, with its line.
pub(super) type SpentBy<'l> = (Spending, &'l [u8]);

/// Marks copies: if several nodes hold a line, the first one counts.
pub(super) fn without_copies(mut found: Vec<SpentBy<'_>>) -> Vec<Spending> {
    found.sort_by(|one, other| one.0.at.cmp(&other.0.at));
    let mut told = HashSet::new();
    found.into_iter().map(|(spending, line)| Spending { is_copy: !told.insert(line), ..spending }).collect()
}

/// Adds the spending and waivers of the ledgers of `node`, read as one.
pub(super) fn gather<'l>(
    node: &RepoPath,
    ledgers: &'l [Ledger],
    spendings: &mut Vec<SpentBy<'l>>,
    waivers: &mut Vec<Waiver>,
) {
    let (redactions, mut seen) = (Redactions::of(ledgers), HashSet::new());
    let mut readings: Vec<(Placed<'_>, &'l [u8])> = Vec::new();
    for ledger in ledgers {
        for line in ledger.lines.iter().filter(|line| seen.insert(&line.bytes[..]) && !redactions.cover(&line.bytes)) {
            let at = |ts: Timestamp| FiledAt { ts, ledger: ledger.path.clone(), line: line.number };
            match &line.event {
                Event::Reading(reading) => readings.push(((at(reading.ts), &**reading), &line.bytes)),
                Event::Decision(decision) => waivers.extend(
                    decision
                        .waiver()
                        .map(|(scenario, ts)| Waiver { at: at(ts), series: SpendingSeries::new(node, scenario) }),
                ),
                Event::Retraction(_) | Event::Redaction(_) | Event::Signature(_) | Event::Other | Event::Unknown(_) => {
                }
            }
        }
    }
    // of readings that repeat each other the first one counts, whichever ledger holds it
    readings.sort_by(|one, other| one.0.0.cmp(&other.0.0));
    let mut keyed: HashMap<KeyedAs<'_>, Vec<&Reading>> = HashMap::new();
    for ((at, reading), line) in readings {
        let spending = Spending {
            at,
            series: SpendingSeries::new(node, &reading.scenario),
            run: reading.terms.run.clone(),
            amounts: reading.terms.usage.as_ref().map(Usage::amounts).unwrap_or_default(),
            repeats: repeats(reading, &mut keyed),
            is_copy: false,
        };
        spendings.push((spending, line));
    }
}

fn repeats<'l>(reading: &'l Reading, keyed: &mut HashMap<KeyedAs<'l>, Vec<&'l Reading>>) -> bool {
    let Some(key) = &reading.terms.key else { return false };
    let users = keyed.entry((composed(&reading.scenario), reading.terms.attempt, key)).or_default();
    let is_said = users.iter().any(|before| is_same_payload(before, reading));
    users.push(reading);
    is_said
}
