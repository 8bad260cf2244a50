//! Compares the readings of scenarios with the grade that `yatsu.trust` asks for, as far as no signature is needed. Input: a
//! judged scenario and a grade. Output: the reason why it lacks the grade.

use crate::engine::effective::Effective;
use crate::engine::facts::{Score, Standing};
use crate::model::ledger::{Grade, Reading, ReadingVerdict, Status};
use std::collections::BTreeSet;

pub(crate) const PASS: ReadingVerdict = ReadingVerdict::Measured(Status::Pass);

/// The reason for a pass that nothing but its author speaks for.
pub(crate) const ONLY_CLAIMED: &str = "the pass is only claimed";

/// The fresh pass of a scenario, or why it has none. No pass and no reason if git cannot compute the freshness.
pub(crate) fn fresh_pass(score: &Score) -> Result<Option<&Reading>, &'static str> {
    match (&score.standing, &score.reading) {
        (Standing::NotJudged(_), _) => Ok(None),
        (Standing::Unmeasured, _) | (_, None) => Err("there is no reading"),
        (Standing::Judged(freshness), _) if freshness.other_list => {
            Err("the list changed since the reading, and no stamp says what was measured")
        }
        (Standing::Judged(freshness), _) if !freshness.is_fresh() => Err("the reading is stale"),
        _ if score.verdict() != Some(PASS) => Err("the reading is no pass"),
        (_, Some(pass)) => Ok(Some(pass)),
    }
}

/// Why a scenario lacks a fresh pass of the grade `need`, claimed or observed. `None` if it has one, if only a claim is
/// asked for, or if git cannot compute the freshness. An observation counts only for one of `commands`.
pub(crate) fn lacks(
    effective: &Effective<'_>,
    commands: &BTreeSet<String>,
    score: &Score,
    need: Grade,
) -> Option<&'static str> {
    if need == Grade::Claimed {
        return None;
    }
    match fresh_pass(score) {
        Ok(pass) => pass.and_then(|pass| (!has_grade(effective, commands, pass, need)).then_some(ONLY_CLAIMED)),
        Err(why) => Some(why),
    }
}

/// Whether two readings measured the same content, by any evaluator: another one must not hide a fail.
pub(crate) fn is_same_content(one: &Reading, other: &Reading) -> bool {
    one.governed.is_some() && one.governed == other.governed && one.scenario_hash == other.scenario_hash
}

/// Whether the reading `other` is a pass that speaks for `pass`, too. The same test made both: a pass of an emptied test says
/// nothing about the content.
pub(crate) fn speaks_for(other: &Reading, pass: &Reading) -> bool {
    other.verdict == PASS && other.test == pass.test && is_same_content(other, pass)
}

/// Whether the fresh pass has the grade, or the newest other reading of this grade and of the same content is a pass, too.
/// An observation counts only for one of `commands`, and a pass only for the test that made it. So a claim that is filed after
/// an observed pass takes nothing away, and hides no observed fail of any test.
fn has_grade(effective: &Effective<'_>, commands: &BTreeSet<String>, pass: &Reading, need: Grade) -> bool {
    // another command may measure less: `true`, for example
    let grade = |one: &Reading| match &one.terms.how {
        Some(how) if !commands.contains(&how.command) => Grade::Claimed,
        _ => one.terms.grade(),
    };
    let is_heard = |other: &&Reading| {
        let is_contrary = || other.verdict != PASS && is_same_content(other, pass);
        grade(other) >= need && (speaks_for(other, pass) || is_contrary())
    };
    let newest = || {
        let mut readings = effective.newest_first(&pass.scenario).map(|filed| filed.event);
        readings.find(is_heard).is_some_and(|reading| reading.verdict == PASS)
    };
    grade(pass) >= need || newest()
}
