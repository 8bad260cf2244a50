//! Who signed readings, and what the policy of the main branch asks for, as rows to print. Without keys on the main branch
//! there is nothing to add.

use crate::app::judge::rows::{RowColumn, RowStep, ScoredState};
use crate::app::judge::snapshot::TrustFrom;
use crate::engine::effective::{Effective, FiledEvent, line_of};
use crate::engine::facts::{Score, at_gate};
use crate::engine::freshness::Judge;
use crate::error::{ErrorKind, Result};
use crate::features::trust::judge::base::TrustBase;
use crate::features::trust::judge::base_scenarios::BaseScenarios;
use crate::features::trust::judge::desk::TrustDesk;
use crate::features::trust::judge::held::{HeldSignature, SignedState};
use crate::features::trust::judge::holding::signatures;
use crate::features::trust::judge::runs::GatedRuns;
use crate::features::trust::model::settings::TrustSettings;
use crate::model::ledger::{Grade, Line, Reading, Timestamp};
use crate::model::node::Declared;
use crate::report::view::score::ScenarioRow;
use crate::report::view::terms::{PolicyRow, SignerRow};
use std::cell::OnceCell;

/// What trust adds to rows.
pub(crate) const ROWS: RowColumn = RowColumn {
    // what the main branch says of trust goes by where a scenario was before
    needs_others: |repo, config| {
        Ok(TrustBase::load(repo, TrustFrom::Main, config)?.settings != TrustSettings::default())
    },
    begin: |state| Box::new(SignerRows::of(state)),
};

/// Adds signers, grades and the policy to rows.
pub(crate) struct SignerRows<'s> {
    scored: ScoredState<'s>,
    desk: TrustDesk<'s>,
    before: OnceCell<BaseScenarios>,
}

impl RowStep for SignerRows<'_> {
    /// Adds to the row of a scenario what is known about its readings.
    ///
    /// # Errors
    /// When the keys of the main branch cannot be used.
    fn add(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        row: &mut ScenarioRow,
    ) -> Result<()> {
        let Declared { node, scenario } = asked;
        let policy = &self.desk.verifier()?.base.settings;
        let (before, nodes) = (self.before()?, &self.scored.workspace.nodes);
        let needs: Vec<_> = before.tags(asked, nodes).flat_map(|tags| policy.needs(tags)).collect();
        if !needs.is_empty() {
            let score = Score::judged(judge, self.scored.budgets, asked, effective);
            let commands = before.commands(self.scored.view, asked, nodes)?;
            let lacks = match scenario.is_repeated() {
                false => at_gate(judge, node, scenario, &score)
                    .and_then(|score| self.desk.lacks(self.state(), asked, effective, &score, &needs, &commands)),
                true => {
                    let runs = GatedRuns { judge, budgets: self.scored.budgets, asked, effective };
                    self.desk.runs_lack(self.state(), &runs, &needs, &commands)
                }
            };
            let lacks = told(lacks)?;
            let strictest = needs.iter().max().map(|need| need.words()).unwrap_or_default();
            row.trust = Some(match lacks {
                None => PolicyRow {
                    met: None,
                    need: strictest,
                    why: Some("the signatures could not be verified".to_owned()),
                },
                Some(None) => PolicyRow { met: Some(true), need: strictest, why: None },
                Some(Some((need, why))) => PolicyRow { met: Some(false), need: need.words(), why: Some(why) },
            });
        }
        if signatures(node).next().is_none() {
            return Ok(());
        }
        let timeline = effective.timeline(&scenario.name);
        for reading in &mut row.readings {
            let filed = timeline.iter().find(|filed| filed.event.ts.millis == reading.filed);
            if let Some(filed) = filed
                && let Some(held) = told(self.held(asked, filed))?
            {
                let free = told(self.desk.independent(self.state(), asked, effective, filed, &held, 0))?.flatten();
                reading.signers = signer_rows(&held, free.as_deref());
                reading.terms.grade = grade(filed.event, &reading.signers).as_str();
            }
        }
        Ok(())
    }
}

impl<'s> SignerRows<'s> {
    pub(crate) fn of(scored: ScoredState<'s>) -> Self {
        let desk = TrustDesk::new(scored.repo, TrustFrom::Main, &scored.workspace.config, scored.tip);
        Self { scored, desk, before: OnceCell::new() }
    }

    /// The owners of the keys that signed a reading, by the time of their signatures.
    ///
    /// # Errors
    /// When the signatures cannot be verified, or the history cannot be read.
    pub(crate) fn signers(
        &self,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        filed: &FiledEvent<'_, Reading>,
    ) -> Result<Vec<SignerRow>> {
        let held = self.held(asked, filed)?;
        let free = self.desk.independent(self.state(), asked, effective, filed, &held, 0)?;
        Ok(signer_rows(&held, free.as_deref()))
    }

    /// The signatures that hold for a reading.
    fn held(&self, asked: Declared<'_>, filed: &FiledEvent<'_, Reading>) -> Result<Vec<HeldSignature>> {
        let lines: Vec<&Line> = line_of(&asked.node.ledgers, filed).into_iter().collect();
        Ok(self.desk.verifier()?.holding(self.state(), asked.node, &lines)?.concat())
    }

    fn before(&self) -> Result<&BaseScenarios> {
        if self.before.get().is_none() {
            let base = &self.desk.verifier()?.base;
            let _ = self.before.set(BaseScenarios::load(
                self.scored.repo,
                base,
                self.scored.view,
                &self.scored.workspace.nodes,
            )?);
        }
        Ok(self.before.get_or_init(BaseScenarios::default))
    }

    fn state(&self) -> SignedState<'_> {
        // without a change nothing is added, so the time of this run does not matter
        SignedState { view: self.scored.workspace, adds: &|_| false, now: Timestamp { millis: 0 } }
    }
}

/// What speaks for a reading with these signers.
pub(crate) fn grade(reading: &Reading, signers: &[SignerRow]) -> Grade {
    match signers {
        [] => reading.terms.grade(),
        _ if signers.iter().any(|one| one.independent == Some(true)) => Grade::Independent,
        _ => Grade::Signed,
    }
}

/// `free` says which of the signers wrote nothing that was measured; `None` if git cannot tell.
fn signer_rows(held: &[HeldSignature], free: Option<&[bool]>) -> Vec<SignerRow> {
    let row = |(at, held): (usize, &HeldSignature)| SignerRow {
        principal: held.signer.principals.join(","),
        role: held.role.map(|role| role.as_str()),
        key: held.signer.key.fingerprint(),
        ts: held.ts.to_string(),
        independent: free.map(|free| free[at]),
    };
    held.iter().enumerate().map(row).collect()
}

/// The answer; `None` if `ssh-keygen` or git could not tell, because the other rows are still worth printing.
fn told<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind == ErrorKind::Unchecked => Ok(None),
        Err(error) => Err(error),
    }
}
