//! Counts the scenarios of a range by what the range did to them.

use super::row::is_other_verdict;
use crate::features::page::model::range_review::{RangeNumbers, RangeRow, VerdictCounts};
use crate::report::view::score::ReadingState;
use crate::report::view::verdict::ShownVerdict;

/// The numbers of all scenarios of a range.
pub(super) fn count(rows: &[RangeRow]) -> RangeNumbers {
    let mut numbers = RangeNumbers::default();
    rows.iter().for_each(|row| add(&mut numbers, row));
    numbers
}

/// Adds one scenario: to one bucket, and to the numbers that count across them.
fn add(numbers: &mut RangeNumbers, row: &RangeRow) {
    numbers.made_stale += usize::from(row.is_made_stale);
    numbers.withdrawn += usize::from(row.is_withdrawn);
    numbers.failing += usize::from(is_new_fail(row));
    match bucket(numbers, row) {
        RangeBucket::Measured(verdicts) => verdicts.add(row.after.verdict),
        RangeBucket::Other(number) => *number += 1,
    }
}

enum RangeBucket<'n> {
    Measured(&'n mut VerdictCounts),
    Other(&'n mut usize),
}

/// The one bucket of a scenario. There is no arm for the rest: a scenario without a bucket would be missing in the comment,
/// which could then say that nothing was touched.
fn bucket<'n>(numbers: &'n mut RangeNumbers, row: &RangeRow) -> RangeBucket<'n> {
    use ReadingState::{Fresh, NotJudged, Stale, Unmeasured};
    let was = row.before.as_ref().map(|before| &before.state);
    RangeBucket::Other(match (was, &row.after.state) {
        _ if row.is_measured && row.is_made_stale => return RangeBucket::Measured(&mut numbers.again),
        _ if row.is_measured => return RangeBucket::Measured(&mut numbers.others),
        _ if row.unknown.is_some() => &mut numbers.not_judged,
        (Some(NotJudged(_)), _) | (_, NotJudged(_)) => &mut numbers.not_judged,
        (_, Fresh) if row.is_made_stale => &mut numbers.speaks_again,
        (None | Some(Unmeasured | Stale(_)), Fresh) => &mut numbers.fresh_again,
        (Some(Fresh), Fresh) if row.is_withdrawn => &mut numbers.only_withdrawn,
        (Some(Fresh), Fresh) if is_other_verdict(row) => &mut numbers.other_verdict,
        (_, Unmeasured | Stale(_)) if row.is_made_stale => &mut numbers.not_again,
        (None, Unmeasured) => &mut numbers.new_unmeasured,
        (None, Stale(_)) => &mut numbers.new_stale,
        (Some(Stale(_)), Stale(_)) => &mut numbers.stale_before,
        (Some(Unmeasured), Stale(_)) => &mut numbers.stale_again,
        // a later reading counts now, for example one by an evaluator that is out of date
        (Some(Fresh), Stale(_)) if !row.is_withdrawn => &mut numbers.stale_again,
        // a reading that counted and is not stale is gone
        (Some(Fresh | Stale(_)), Unmeasured) | (Some(Fresh), Stale(_)) => &mut numbers.only_withdrawn,
        (Some(Fresh), Fresh) | (Some(Unmeasured), Unmeasured) if row.is_reworded => &mut numbers.reworded,
        (Some(Fresh), Fresh) | (Some(Unmeasured), Unmeasured) => &mut numbers.untouched,
    })
}

/// Whether the scenario is a fresh fail by this range: by a reading of it, or it was none before.
fn is_new_fail(row: &RangeRow) -> bool {
    let is_fail = |verdict| verdict == Some(ShownVerdict::Fail);
    let was_fail = row.was_fresh() && is_fail(row.before.as_ref().and_then(|before| before.verdict));
    row.is_fresh() && is_fail(row.after.verdict) && (row.is_measured || !was_fail)
}
