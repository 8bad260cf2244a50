//! The trust in a scenario with runs or environments: it is a fresh pass, and so are those of its readings alone that have the
//! grade, the roles and the keys that the policy asks for.

use super::desk::{TrustDesk, is_allowed};
use super::grades::fresh_pass;
use super::held::SignedState;
use crate::engine::budget::BudgetOverlay;
use crate::engine::effective::{Effective, FiledEvent, line_of};
use crate::engine::facts::{Score, at_gate};
use crate::engine::freshness::Judge;
use crate::error::Result;
use crate::features::trust::model::settings::ReadingNeed;
use crate::model::ledger::{Grade, Line, Reading};
use crate::model::node::Declared;
use std::collections::BTreeSet;

/// A scenario with runs or environments, and what judges it at a gate.
pub(crate) struct GatedRuns<'a, 'j, 'n> {
    pub(crate) judge: &'a Judge<'j>,
    pub(crate) budgets: &'a BudgetOverlay,
    pub(crate) asked: Declared<'a>,
    pub(crate) effective: &'a Effective<'n>,
}

impl<'n> GatedRuns<'_, '_, 'n> {
    /// Its score by the readings that are accepted.
    ///
    /// # Errors
    /// When a commit's tree cannot be read, or a signature cannot be verified.
    fn score(&self, accepts: &dyn Fn(&FiledEvent<'n, Reading>) -> Result<bool>) -> Result<Score> {
        let Self { judge, budgets, asked, effective } = self;
        let score = Score::repeated(judge, budgets, *asked, effective, accepts)?;
        Ok(at_gate(judge, asked.node, asked.scenario, &score)?.into_owned())
    }
}

impl TrustDesk<'_> {
    /// The strictest of `needs` that a scenario with runs or environments does not meet, and the reason. An observed reading
    /// counts for one of `commands`.
    ///
    /// # Errors
    /// When signatures cannot be verified, or the history cannot be read.
    pub(crate) fn runs_lack<'p>(
        &self,
        state: SignedState<'_>,
        of: &GatedRuns<'_, '_, '_>,
        needs: &[&'p ReadingNeed],
        commands: &BTreeSet<String>,
    ) -> Result<Option<(&'p ReadingNeed, String)>> {
        let mut strictest_first = needs.to_vec();
        strictest_first.sort_by(|one, other| other.cmp(one));
        let asking = |need: &&&ReadingNeed| need.asks_for_keys() || need.grade > Grade::Claimed;
        let (asked, effective) = (of.asked, of.effective);
        let whole = of.score(&|_| Ok(true))?;
        for need in strictest_first.iter().filter(asking) {
            let pass = match fresh_pass(&whole) {
                Ok(Some(pass)) => pass,
                Ok(None) => return Ok(None),
                Err(why) => return Ok(Some((*need, why.to_owned()))),
            };
            if need.asks_for_keys()
                && let Some(why) = self.withdrawn_fail(state, asked, effective, pass)?
            {
                return Ok(Some((*need, why)));
            }
            let alone = of.score(&|filed| self.has_grade(state, asked, effective, filed, need, commands))?;
            if !matches!(fresh_pass(&alone), Ok(Some(_))) {
                return Ok(Some((*need, "the runs of that grade alone do not pass".to_owned())));
            }
        }
        Ok(None)
    }

    /// Whether one reading has the grade, and enough persons with a needed role signed it.
    fn has_grade(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        filed: &FiledEvent<'_, Reading>,
        need: &ReadingNeed,
        commands: &BTreeSet<String>,
    ) -> Result<bool> {
        let is_observed = filed.event.terms.how.as_ref().is_some_and(|how| commands.contains(&how.command));
        if !need.asks_for_keys() && is_observed {
            return Ok(need.grade <= Grade::Observed);
        }
        let lines: Vec<&Line> = line_of(&asked.node.ledgers, filed).into_iter().collect();
        let held = self.verifier()?.holding(state, asked.node, &lines)?.concat();
        if !need.asks_for_keys() {
            return Ok(!held.is_empty());
        }
        let free = match need.grade {
            Grade::Independent => self.independent(state, asked, effective, filed, &held, 0)?.unwrap_or_default(),
            Grade::Claimed | Grade::Observed | Grade::Signed => vec![true; held.len()],
        };
        let speaks = held.iter().zip(free).filter(|(one, free)| *free && is_allowed(need, one));
        let persons: BTreeSet<_> = speaks.map(|(one, _)| one.person.clone()).collect();
        Ok(persons.len() >= need.keys)
    }
}
