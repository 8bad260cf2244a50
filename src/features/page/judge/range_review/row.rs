//! One scenario of a range: its state before and after, and whether the range made it stale or measured it.

use super::{Former, Range, pictures};
use crate::app::query::stands;
use crate::app::query::view::node_ref;
use crate::engine::effective::{Effective, FiledEvent};
use crate::engine::facts::Score;
use crate::engine::freshness::Freshness;
use crate::error::Result;
use crate::features::page::judge::page::anchor;
use crate::features::page::model::range_review::RangeRow;
use crate::model::ledger::Reading;
use crate::model::node::Declared;
use crate::model::scenario::Scenario;
use crate::report::view::score::ReadingState;
use crate::report::view::tally::ScenarioStand;
use crate::report::view::verdict::ShownVerdict;
use crate::text::secrets;

/// A scenario after the range.
pub(super) struct Now<'a> {
    pub(super) declared: Declared<'a>,
    pub(super) score: &'a Score,
    pub(super) effective: &'a Effective<'a>,
}

impl Range<'_> {
    pub(super) fn row(&self, former: Option<Former<'_>>, now: Now<'_>) -> Result<RangeRow> {
        let Declared { node, scenario } = now.declared;
        let before = former.map(|was| stands::stand(was.node, was.scenario, was.score));
        let after = stands::stand(node, scenario, now.score);
        let counted = former.and_then(|was| was.score.reading.as_ref());
        let was_fresh = before.as_ref().is_some_and(|before| before.state == ReadingState::Fresh);
        // the reading that counted before, judged for the content after the range
        let since = counted.filter(|_| was_fresh).map(|reading| self.judge.freshness(node, scenario, reading));
        let is_made_stale = matches!(&since, Some(Ok(since)) if !since.is_fresh());
        let unknown = [before.as_ref().and_then(|before| before.state.reason()), after.state.reason()];
        let unknown = unknown.into_iter().flatten().next().map(str::to_owned);
        let unknown = unknown.or_else(|| since?.err().map(|error| error.message));
        let filed: Vec<_> =
            now.effective.newest_first(&scenario.name).filter(|filed| !self.had(filed.event)).copied().collect();
        let is_measured = after.state == ReadingState::Fresh && self.is_answered(&now, &filed);
        let pictures = match is_measured {
            true => pictures::pair(self.cache, counted, now.score.reading.as_ref())?,
            false => None,
        };
        let is_failing = after.state == ReadingState::Fresh && after.verdict == Some(ShownVerdict::Fail);
        let note = now.score.reading.as_ref().filter(|_| is_failing).and_then(|reading| reading.note.as_deref());
        Ok(RangeRow {
            node: node_ref(node),
            scenario: scenario.name.clone(),
            article: anchor(node, scenario),
            before,
            after,
            filed: filed.len(),
            is_measured,
            is_made_stale,
            is_withdrawn: counted.is_some_and(|reading| is_withdrawn(reading, &now)),
            is_reworded: former.is_some_and(|was| is_reworded(was.scenario, scenario)),
            unknown,
            note: note.map(|note| secrets::mask(note).text.into_owned()),
            pictures,
        })
    }

    /// Whether one of the readings that the range `filed` is fresh.
    fn is_answered(&self, now: &Now<'_>, filed: &[FiledEvent<'_, Reading>]) -> bool {
        let Declared { node, scenario } = now.declared;
        let counts = |one: &FiledEvent<'_, Reading>| Some(one.event) == now.score.reading.as_ref();
        let is_fresh = |one: &FiledEvent<'_, Reading>| {
            self.judge.freshness(node, scenario, one.event).is_ok_and(|found: Freshness| found.is_fresh())
        };
        // the reading that counts is fresh here, so it is not judged again
        filed.iter().any(counts) || filed.iter().any(is_fresh)
    }
}

/// A scenario that stood in a file of which a part can no longer be read.
pub(super) fn unreadable(was: Former<'_>) -> RangeRow {
    let before = stands::stand(was.node, was.scenario, was.score);
    let reason = "a part of its file cannot be read";
    RangeRow {
        node: node_ref(was.node),
        scenario: was.scenario.name.clone(),
        article: anchor(was.node, was.scenario),
        after: ScenarioStand {
            state: ReadingState::NotJudged(reason.to_owned()),
            verdict: None,
            moved: Vec::new(),
            test: Vec::new(),
            environments: Vec::new(),
            ..before.clone()
        },
        before: Some(before),
        filed: 0,
        is_measured: false,
        is_made_stale: false,
        is_withdrawn: false,
        is_reworded: false,
        unknown: Some(reason.to_owned()),
        note: None,
        pictures: None,
    }
}

/// Whether the text differs. An unreadable text may be the same.
fn is_reworded(was: &Scenario, now: &Scenario) -> bool {
    was.text_hash != now.text_hash && !was.unread.text && !now.unread.text
}

/// Whether `reading` counts no longer: a retraction withdraws it, or its line is gone.
fn is_withdrawn(reading: &Reading, now: &Now<'_>) -> bool {
    let is_retracted = now.effective.withdrawn.iter().any(|(withdrawn, _)| withdrawn.event == reading);
    is_retracted || !now.declared.node.readings().any(|filed| filed == reading)
}

/// Whether the range did anything to the scenario, or that is unknown.
pub(super) fn is_touched(row: &RangeRow) -> bool {
    let is_new = row.before.is_none();
    let is_other = row.is_fresh() && (!row.was_fresh() || is_other_verdict(row));
    let is_stale_again = row.filed > 0 && !row.is_fresh();
    let is_done = row.is_made_stale || row.is_measured || row.is_withdrawn || row.is_reworded || is_stale_again;
    is_done || is_new || is_other || row.unknown.is_some()
}

/// Whether the scenario is fresh as before and has another verdict, for example after a change of budgets.
pub(super) fn is_other_verdict(row: &RangeRow) -> bool {
    let verdict = row.before.as_ref().map(|before| before.verdict);
    row.was_fresh() && row.is_fresh() && !row.is_measured && verdict != Some(row.after.verdict)
}
