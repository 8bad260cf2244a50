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
use crate::model::node::Declared;
use crate::store::ledger::next_ts;

impl Filing<'_> {
    /// The reading as the ledger will hold it, or the filed reading that already says the same.
    pub(crate) fn settle(&self, draft: Reading, ledgers: &[Ledger]) -> Result<(FilingOutcome, Reading)> {
        let ts = next_ts(ledgers, self.now);
        site::latest_believable(self.node, ledgers, &draft.scenario, self.now)?;
        if let Some(how) = &draft.terms.how {
            refuse_older(&Effective::over(ledgers), &draft, how)?;
        }
        if let Some(before) = report_before(ledgers, &draft) {
            return Ok((FilingOutcome::AlreadyFiled, before));
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
        let in_env = |reading: &Reading| self.scenario.env.is_empty() || reading.terms.env == new.terms.env;
        let mut in_place = effective.newest_first(&new.scenario).filter(|filed| in_env(filed.event));
        let latest = in_place.next().map(|filed| filed.event).filter(|latest| latest.terms.how.is_some());
        if let Some(same) = latest.filter(|latest| latest.terms.how == new.terms.how) {
            return Ok(Some(same.clone()));
        }
        // each call is a run of its own; a key and a report alone say that it is the same
        if self.scenario.runs.is_some() {
            return Ok(None);
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
        let asked = Declared { node: self.node, scenario: self.scenario };
        let in_place = effective.newest_first(&new.scenario).filter(|filed| in_env(filed.event)).copied();
        let counting = judge.counting_among(asked, in_place).map(|counting| counting.filed.event);
        Ok(counting.filter(|before| is_same(before)).cloned())
    }
}

/// The line of this scenario and environment that says the runs of the same report, withdrawn or not: what was taken back
/// must not come again with the same file.
fn report_before(ledgers: &[Ledger], new: &Reading) -> Option<Reading> {
    let report = |reading: &Reading| reading.terms.runs.and_then(|runs| runs.report);
    let wanted = report(new)?;
    let is_it = |reading: &&Reading| {
        report(reading) == Some(wanted)
            && reading.terms.env == new.terms.env
            && same_name(&reading.scenario, &new.scenario)
    };
    ledgers.iter().flat_map(Ledger::readings).find(is_it).cloned()
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
    let mut in_place = effective
        .newest_first(&draft.scenario)
        .filter(|filed| draft.terms.env.is_none() || filed.event.terms.env == draft.terms.env);
    match in_place.next().map(|filed| filed.event).filter(|latest| measured_at(latest) > how.at) {
        None => Ok(()),
        Some(latest) => {
            let message = format!("the observation of {} is older than the reading of {}", how.at, latest.ts);
            let hint = "run the command again, and file its observation";
            Err(Error::refused(message).because(Refusal::Stale).hint(hint))
        }
    }
}
