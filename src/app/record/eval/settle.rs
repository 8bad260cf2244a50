//! What the ledger will hold of a draft: the reading as its line says it, or the filed reading that already says the same.

use super::written::as_written;
use super::{Filing, FilingOutcome, advice, keyed};
use crate::app::site;
use crate::engine::effective::Effective;
use crate::engine::freshness::Judge;
use crate::engine::keys::is_same_measurement;
use crate::error::{Error, Refusal, Result};
use crate::model::ids::same_name;
use crate::model::ledger::{Ledger, Observed, Reading};
use crate::store::ledger::next_ts;

impl Filing<'_> {
    /// The reading as the ledger will hold it, or the filed reading that already says the same.
    pub(crate) fn settle(&self, draft: Reading, ledgers: &[Ledger]) -> Result<(FilingOutcome, Reading)> {
        let ts = next_ts(ledgers, self.now);
        site::latest_believable(self.node, ledgers, &draft.scenario, self.now)?;
        if let Some(how) = &draft.terms.how {
            refuse_older(&Effective::over(ledgers), &draft, how)?;
        }
        let reading = as_written(&Reading { ts, ..draft })?;
        if self.strict {
            advice::refuse_uncommitted_test(&reading)?;
        }
        let before = match reading.terms.key {
            Some(_) => keyed::filed_before(ledgers, &reading)?,
            None => self.filed_already(&Effective::over(ledgers), &reading)?,
        };
        Ok(match before {
            Some(before) => (FilingOutcome::AlreadyFiled, before),
            None => (FilingOutcome::WouldFile, reading),
        })
    }

    /// The reading that counts for the measured content, if it says the same as `new`. For example: a pass, an edit with
    /// a fail, the edit undone, the same pass again. Pass, fail and pass of one content are three readings.
    fn filed_already(&self, effective: &Effective<'_>, new: &Reading) -> Result<Option<Reading>> {
        // one observation is one reading, whatever else is said about it
        let latest = effective.latest(&new.scenario).filter(|latest| latest.terms.how.is_some());
        if let Some(same) = latest.filter(|latest| latest.terms.how == new.terms.how) {
            return Ok(Some(same.clone()));
        }
        // Mostly no reading says the same: then nothing needs to be judged.
        let is_same = |before: &Reading| match self.is_note_of_report {
            true => is_same_measurement(before, &Reading { note: before.note.clone(), ..new.clone() }),
            false => is_same_measurement(before, new),
        };
        if !effective.newest_first(&new.scenario).any(|filed| is_same(filed.event)) {
            return Ok(None);
        }
        let (view, anchors) = (self.site.worktree()?, self.site.anchors());
        let judge = Judge::new(&*view, &anchors, &self.work.config.evaluators);
        let counting = judge.counting(self.node, self.scenario, effective).map(|counting| counting.filed.event);
        Ok(counting.filter(|before| is_same(before)).cloned())
    }
}

/// Refuses what was observed before the latest reading measured. The latest reading itself may be filed again. This is a law
/// about lines of a ledger, which say when something was observed whether or not a feature wrote them.
///
/// # Errors
/// Refused as stale, with the time of that reading.
fn refuse_older(effective: &Effective<'_>, draft: &Reading, how: &Observed) -> Result<()> {
    let is_withdrawn = effective.withdrawn.iter().any(|(gone, _)| {
        same_name(&gone.event.scenario, &draft.scenario) && gone.event.terms.how.as_ref() == Some(how)
    });
    if is_withdrawn {
        return Err(Error::refused("the reading of this observation was withdrawn")
            .because(Refusal::Stale)
            .hint("run the command again, and file its observation"));
    }
    let measured_at = |reading: &Reading| reading.terms.how.as_ref().map_or(reading.ts, |how| how.at);
    match effective.latest(&draft.scenario).filter(|latest| measured_at(latest) > how.at) {
        None => Ok(()),
        Some(latest) => {
            let message = format!("the observation of {} is older than the reading of {}", how.at, latest.ts);
            let hint = "run the command again, and file its observation";
            Err(Error::refused(message).because(Refusal::Stale).hint(hint))
        }
    }
}
