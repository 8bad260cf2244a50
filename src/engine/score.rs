//! The score of a scenario in a view: the reading that counts, or what the runs of each environment say (docs/evals.md, "What
//! counts"). A declared scenario and the effective readings of its node in; nothing is stored.

use super::budget::{BudgetOverlay, FiledAt, Judged};
use super::effective::{Effective, FiledEvent};
use super::freshness::{CountingReading, Freshness, Judge};
use super::runs::Tally;
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Axis;
use crate::model::labels::EnvName;
use crate::model::ledger::{Reading, ReadingVerdict, Status};
use crate::model::node::{Declared, Node};
use crate::model::scenario::{RunsRule, Scenario};
use std::borrow::Cow;
use std::collections::HashSet;

/// The state of the reading that counts for a scenario.
#[derive(Clone, Debug)]
pub enum Standing {
    /// No reading of the scenario counts, or fewer runs than decide.
    Unmeasured,
    /// It was measured; the freshness of the reading.
    Judged(Freshness),
    /// It was measured, and git could not compute the freshness: the reason.
    NotJudged(Error),
}

#[derive(Clone, Debug)]
pub struct Score {
    /// The reading that counts. With runs or environments, the one that the state of the scenario is about.
    pub reading: Option<Reading>,
    /// The time and place of that reading.
    pub at: Option<FiledAt>,
    /// Whether a later reading measured other content.
    pub is_earlier: bool,
    pub standing: Standing,
    /// The result of the view's budgets for that reading; `None` without limits.
    pub budget: Option<Judged>,
    /// What the runs decide, whatever that reading says; `None` without the key `runs`, and if they decide nothing.
    pub(crate) decided: Option<Status>,
    /// The score in each environment; empty without the keys `runs` and `env`.
    pub(crate) environments: Vec<EnvironmentScore>,
}

/// The score of a scenario in one environment.
#[derive(Clone, Debug)]
pub struct EnvironmentScore {
    /// `None` if the scenario lists no environment.
    pub(crate) name: Option<EnvName>,
    pub(crate) score: Score,
    /// The window of runs; `None` without the key `runs`.
    pub(crate) tally: Option<Tally>,
    /// The fresh readings that count, newest first.
    pub(crate) counted: Vec<FiledAt>,
    /// Whether a path that appears may change the answer.
    appeared: bool,
}

/// The states of a scenario, the one that stands for it before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    FreshFail,
    NotJudged,
    Unmeasured,
    Stale,
    Legacy,
    FreshPass,
}

impl Score {
    /// The score of a scenario with this reading that counts.
    pub(crate) fn of(budgets: &BudgetOverlay, counting: Option<CountingReading<'_>>) -> Self {
        let Some(CountingReading { filed, is_earlier, freshness }) = counting else { return Self::unmeasured() };
        Self {
            reading: Some(filed.event.clone()),
            at: Some(FiledAt::of(&filed)),
            is_earlier,
            standing: freshness.map_or_else(Standing::NotJudged, Standing::Judged),
            budget: budgets.judged(&filed).cloned(),
            decided: None,
            environments: Vec::new(),
        }
    }

    fn unmeasured() -> Self {
        Self {
            reading: None,
            at: None,
            is_earlier: false,
            standing: Standing::Unmeasured,
            budget: None,
            decided: None,
            environments: Vec::new(),
        }
    }

    /// The score of a declared scenario.
    pub(crate) fn judged(
        judge: &Judge<'_>,
        budgets: &BudgetOverlay,
        asked: Declared<'_>,
        effective: &Effective<'_>,
    ) -> Self {
        let Declared { node, scenario } = asked;
        if !scenario.is_repeated() {
            return Self::of(budgets, judge.counting(node, scenario, effective));
        }
        Self::repeated(judge, budgets, asked, effective, &|_| Ok(true))
            .unwrap_or_else(|error| Self { standing: Standing::NotJudged(error), ..Self::unmeasured() })
    }

    /// The score of a scenario with runs or environments, by the readings that `counts` accepts.
    ///
    /// # Errors
    /// When `counts` fails.
    pub(crate) fn repeated<'n>(
        judge: &Judge<'_>,
        budgets: &BudgetOverlay,
        asked: Declared<'_>,
        effective: &Effective<'n>,
        counts: &dyn Fn(&FiledEvent<'n, Reading>) -> Result<bool>,
    ) -> Result<Self> {
        let names = asked.scenario.env.iter().map(Some);
        let names: Vec<Option<&EnvName>> = if asked.scenario.env.is_empty() { vec![None] } else { names.collect() };
        let mut all = Vec::new();
        for name in names {
            let mut filed = Vec::new();
            for one in of_environment(effective, asked.scenario, name) {
                if counts(&one)? {
                    filed.push(one);
                }
            }
            let found = match asked.scenario.runs {
                None => EnvironmentScore::of_reading(judge, budgets, asked, &filed),
                Some(rule) => EnvironmentScore::of_runs(judge, budgets, asked, &filed, rule),
            };
            all.push(EnvironmentScore { name: name.cloned(), ..found });
        }
        Ok(Self::of_environments(all))
    }

    /// The score of a scenario with these environments. Nothing that is missing in one hides a fail that is known in another.
    fn of_environments(environments: Vec<EnvironmentScore>) -> Self {
        // among equal states a fail stands for the scenario: a stale fail is not hidden by a stale pass
        let rank = |one: &&EnvironmentScore| (one.score.state(), one.score.verdict() != Some(FAIL));
        let Some(first) = environments.iter().min_by_key(rank) else { return Self::unmeasured() };
        let mut score = first.score.clone();
        if let Standing::Judged(freshness) = &mut score.standing {
            for one in environments.iter().filter(|one| one.score.state() == State::Stale) {
                if let Standing::Judged(other) = &one.score.standing
                    && !freshness.is_fresh()
                {
                    unite(freshness, other);
                }
            }
        }
        Self { environments, ..score }
    }

    fn state(&self) -> State {
        match (&self.standing, self.verdict()) {
            (Standing::NotJudged(_), _) => State::NotJudged,
            (Standing::Unmeasured, _) => State::Unmeasured,
            (Standing::Judged(freshness), _) if !freshness.is_fresh() => State::Stale,
            (_, Some(ReadingVerdict::Measured(Status::Fail))) => State::FreshFail,
            (_, Some(ReadingVerdict::Measured(Status::Pass))) => State::FreshPass,
            (_, Some(ReadingVerdict::Legacy) | None) => State::Legacy,
        }
    }

    /// Whether a reading counts and is fresh.
    pub fn is_fresh(&self) -> bool {
        matches!(&self.standing, Standing::Judged(freshness) if freshness.is_fresh())
    }

    /// Itself, or its score in each environment, with the name of the environment.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Option<&EnvironmentScore>, &Self)> {
        let whole = self.environments.is_empty().then_some((None, self));
        whole.into_iter().chain(self.environments.iter().map(|one| (Some(one), &one.score)))
    }

    /// Its score in the environment of this name, if it lists that; else itself.
    pub(crate) fn in_env(&self, name: Option<&str>) -> (Option<&EnvironmentScore>, &Self) {
        let is_it = |one: &&EnvironmentScore| one.name.as_ref().map(EnvName::as_str) == name;
        self.environments.iter().find(is_it).map_or((None, self), |one| (Some(one), &one.score))
    }

    /// Whether it depends on a source file that is still to be parsed.
    pub(crate) fn is_unparsed(&self) -> bool {
        self.parts()
            .any(|(_, one)| matches!(&one.standing, Standing::NotJudged(why) if why.kind == ErrorKind::Unparsed))
    }

    /// Whether something about it could not be judged.
    pub(crate) fn is_unknown(&self) -> bool {
        self.parts().any(|(_, one)| matches!(one.standing, Standing::NotJudged(_)))
    }

    /// Whether a path that appears may change the answer.
    pub(crate) fn has_appeared(&self) -> bool {
        matches!(&self.standing, Standing::Judged(freshness) if freshness.appeared)
            || self.environments.iter().any(|one| one.appeared)
    }

    /// The lines of the readings that count: with runs or environments those that are counted in them.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &FiledAt> {
        let is_counted = self.environments.iter().any(|one| !one.counted.is_empty());
        let alone = self.at.iter().filter(move |_| !is_counted);
        alone.chain(self.environments.iter().flat_map(|one| &one.counted))
    }

    /// The phrase for its reading in messages.
    pub(crate) fn called(&self) -> &'static str {
        if self.is_earlier { "the reading that counts" } else { "the latest reading" }
    }

    /// The reading that counts, with its line, from the effective readings of its node.
    pub(crate) fn filed<'n>(&self, effective: &Effective<'n>) -> Option<FiledEvent<'n, Reading>> {
        let at = self.at.as_ref()?;
        effective.newest_first(&self.reading.as_ref()?.scenario).find(|filed| FiledAt::of(filed) == *at).copied()
    }

    /// The verdict that counts: what the runs decide, else the recorded one, or a fail if a breach of a budget stands against
    /// the scenario (claims.md, "Budgets"). All code asks for verdicts here; the recorded verdict stays in
    /// [`Self::reading`].
    pub fn verdict(&self) -> Option<ReadingVerdict> {
        if let Some(decided) = self.decided {
            return Some(ReadingVerdict::Measured(decided));
        }
        let recorded = &self.reading.as_ref()?.verdict;
        Some(self.budget.as_ref().map_or_else(|| recorded.clone(), |judged| judged.effective(recorded)))
    }
}

const FAIL: ReadingVerdict = ReadingVerdict::Measured(Status::Fail);

impl EnvironmentScore {
    /// The window, if it has some runs and too few to decide.
    pub(crate) fn partial(&self) -> Option<Tally> {
        let is_open = matches!(self.score.standing, Standing::Unmeasured);
        self.tally.filter(|tally| is_open && tally.counted > 0)
    }

    /// By the reading that counts among `filed`, newest first.
    fn of_reading(
        judge: &Judge<'_>,
        budgets: &BudgetOverlay,
        asked: Declared<'_>,
        filed: &[FiledEvent<'_, Reading>],
    ) -> Self {
        let score = Score::of(budgets, judge.counting_among(asked, filed.iter().copied()));
        let counted = score.at.iter().filter(|_| score.is_fresh()).cloned().collect();
        Self { name: None, appeared: score.has_appeared(), counted, tally: None, score }
    }

    /// By the newest runs of this content among `filed`, newest first.
    fn of_runs(
        judge: &Judge<'_>,
        budgets: &BudgetOverlay,
        asked: Declared<'_>,
        filed: &[FiledEvent<'_, Reading>],
        rule: RunsRule,
    ) -> Self {
        let mut window = RunWindow { tally: Tally::of(rule), in_it: Vec::new(), unknown: None, appeared: false };
        for one in filed.iter().filter(|one| one.event.verdict != ReadingVerdict::Legacy) {
            if window.tally.is_full() && !judge.counts_all() {
                break;
            }
            window.look_at(judge.freshness(asked.node, asked.scenario, one.event), budgets, one);
        }
        let RunWindow { tally, in_it, unknown, mut appeared } = window;
        let decided = tally.verdict();
        let score = match (decided, unknown) {
            // runs that cannot be judged and are newer than the decision: they may take a pass away, and hide no fail
            (Some(verdict), unknown) if verdict == Status::Fail || unknown.is_none() => {
                let speaks = in_it.iter().find(|run| (run.pass == run.of) == (verdict == Status::Pass));
                let speaks = speaks.or(in_it.first()).map(|run| run.filed);
                let counting = speaks.map(|filed| CountingReading {
                    filed,
                    is_earlier: false,
                    freshness: Ok(Freshness::default()),
                });
                Score { decided, ..Score::of(budgets, counting) }
            }
            (_, Some(error)) => {
                let counting = filed.first().map(|filed| CountingReading {
                    filed: *filed,
                    is_earlier: false,
                    freshness: Err(error),
                });
                Score::of(budgets, counting)
            }
            (_, None) if tally.counted > 0 => Score::unmeasured(),
            (_, None) => {
                let score = Score::of(budgets, judge.counting_among(asked, filed.iter().copied()));
                appeared |= score.has_appeared();
                // a fresh reading that is no run, from before verdicts existed
                if score.is_fresh() { Score::unmeasured() } else { score }
            }
        };
        let counted = in_it.iter().map(|run| FiledAt::of(&run.filed)).collect();
        Self { name: None, score, tally: Some(tally), counted, appeared }
    }
}

/// The window of runs while readings are looked at, newest first.
struct RunWindow<'n> {
    tally: Tally,
    in_it: Vec<CountedRuns<'n>>,
    /// Why a reading before the decision could not be judged.
    unknown: Option<Error>,
    appeared: bool,
}

/// A reading in the window with all of its runs.
struct CountedRuns<'n> {
    filed: FiledEvent<'n, Reading>,
    pass: u32,
    of: u32,
}

impl<'n> RunWindow<'n> {
    fn look_at(&mut self, freshness: Result<Freshness>, budgets: &BudgetOverlay, one: &FiledEvent<'n, Reading>) {
        match freshness {
            Ok(freshness) => {
                self.appeared |= freshness.appeared;
                if freshness.is_fresh() {
                    let (pass, of) = runs_of(budgets, one);
                    if self.tally.take(pass, of) {
                        self.in_it.push(CountedRuns { filed: *one, pass, of });
                    }
                }
            }
            // what the newer runs decided stands, whatever this one is
            Err(error) if self.tally.verdict().is_none() && self.unknown.is_none() => self.unknown = Some(error),
            Err(_) => {}
        }
    }
}

/// The passed runs of a reading, and all of them. Over a budget none passed.
pub(crate) fn runs_of(budgets: &BudgetOverlay, filed: &FiledEvent<'_, Reading>) -> (u32, u32) {
    let reading = filed.event;
    let is_breach = budgets.judged(filed).is_some_and(|judged| judged.standing.is_some());
    let is_pass = reading.verdict == ReadingVerdict::Measured(Status::Pass);
    let (pass, of) = reading.terms.runs.map_or((u32::from(is_pass), 1), |runs| (runs.pass, runs.of));
    (if is_breach { 0 } else { pass }, of)
}

/// The effective readings of an environment, newest first; all readings without a name. What a report says of one content counts
/// once: two clones may have filed it, and then the earlier line is the one. A line that says something else of the same report is
/// another reading: if it took the place of a later one, a line with an early date would hide a fail.
pub(crate) fn of_environment<'n>(
    effective: &Effective<'n>,
    scenario: &Scenario,
    name: Option<&EnvName>,
) -> Vec<FiledEvent<'n, Reading>> {
    let is_of = |filed: &&FiledEvent<'n, Reading>| name.is_none() || filed.event.terms.env.as_ref() == name;
    let mut found: Vec<_> = effective.newest_first(&scenario.name).filter(is_of).copied().collect();
    let mut seen = HashSet::new();
    found.reverse();
    found.retain(|filed| {
        let Reading { scenario_hash, governed, units, test, terms, .. } = filed.event;
        let runs = terms.runs.filter(|runs| runs.report.is_some());
        runs.is_none_or(|runs| {
            let said = (runs.report, runs.pass, runs.of, terms.env.as_ref());
            seen.insert((said, scenario_hash, governed.as_ref(), units, test.as_ref()))
        })
    });
    found.reverse();
    found
}

/// Adds what is stale elsewhere.
fn unite(all: &mut Freshness, other: &Freshness) {
    all.axes.extend(&other.axes);
    all.moved.extend(other.moved.iter().cloned());
    all.test.extend(other.test.iter().cloned());
    all.axes.sort();
    all.axes.dedup();
    for list in [&mut all.moved, &mut all.test] {
        list.sort();
        list.dedup();
    }
    all.missing = all.missing.or(other.missing);
    all.unstamped_edit |= other.unstamped_edit;
    all.appeared |= other.appeared;
}

/// The score as gates take it. A reading without a stamp proves nothing there if its scenario had another list at its commit:
/// what was measured may have left the list.
///
/// # Errors
/// The commit's tree cannot be read.
pub(crate) fn at_gate<'s>(
    judge: &Judge<'_>,
    node: &Node,
    scenario: &Scenario,
    score: &'s Score,
) -> Result<Cow<'s, Score>> {
    let others = score.counted().filter(|at| Some(*at) != score.at.as_ref()).filter_map(|at| reading_at(node, at));
    let mut counting = score.reading.iter().chain(others).filter(|_| score.is_fresh());
    let knows = |one: &Reading| judge.knows_list(node, scenario, one);
    if counting.try_fold(true, |all, one| if all { knows(one) } else { Ok(false) })? {
        return Ok(Cow::Borrowed(score));
    }
    let freshness = Freshness { axes: vec![Axis::Anchor], other_list: true, ..Freshness::default() };
    Ok(Cow::Owned(Score { standing: Standing::Judged(freshness), ..score.clone() }))
}

/// The reading in this line of a node.
pub(crate) fn reading_at<'n>(node: &'n Node, at: &FiledAt) -> Option<&'n Reading> {
    let ledger = node.ledgers.iter().find(|ledger| ledger.path == at.ledger)?;
    let found = ledger.lines.binary_search_by_key(&at.line, |line| line.number).ok()?;
    ledger.lines[found].event.reading()
}
