//! Compares passes with the policy of the base: how many persons signed them, in which roles, and whether they wrote what
//! was measured. A scenario in, the reason why it lacks trust out.

use crate::app::judge::snapshot::TrustFrom;
use crate::engine::effective::{Effective, FiledEvent, line_of};
use crate::engine::facts::Score;
use crate::error::Result;
use crate::features::trust::judge::base::TrustBase;
use crate::features::trust::judge::grades::{self, PASS, is_same_content, speaks_for};
use crate::features::trust::judge::held::{HeldSignature, SignedState};
use crate::features::trust::judge::holding::signatures;
use crate::features::trust::judge::logs::LogBook;
use crate::features::trust::judge::verify::Verifier;
use crate::features::trust::judge::window::AuthorWindow;
use crate::features::trust::model::keys::Person;
use crate::features::trust::model::settings::ReadingNeed;
use crate::model::config::Config;
use crate::model::ids::same_name;
use crate::model::ledger::{Event, Grade, Line, LineHash, Reading, ReadingVerdict, Status};
use crate::model::node::Declared;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};

/// How many earlier passes in a row may end the window of the next one.
const MOST_ENDS: usize = 32;

/// The reason for a pass that a later signed reading may contradict.
const TAKEN_AWAY: &str =
    "an unsigned line took a signed fail of this content away, or a signed reading that could be one";

/// The keys and the policy of one base, read at the first question, and the answers of this run.
pub(crate) struct TrustDesk<'r> {
    repo: &'r Repo,
    from: TrustFrom,
    /// The configuration of the judged state.
    own: &'r Config,
    /// The judged commit; HEAD for content that is not committed.
    tip: Option<Oid>,
    verifier: OnceCell<Verifier<'r>>,
    logs: LogBook<'r>,
    /// By the ledger and the line of a reading.
    independence: RefCell<HashMap<(RepoPath, u32), Independence>>,
}

/// Which signers of a reading wrote none of what it measured; `None` if git cannot tell.
type Independence = Option<Vec<bool>>;

impl<'r> TrustDesk<'r> {
    /// The desk of a state with the configuration `own`, judged at the commit `tip`.
    pub(crate) fn new(repo: &'r Repo, from: TrustFrom, own: &'r Config, tip: Option<Oid>) -> Self {
        let (verifier, logs) = (OnceCell::new(), LogBook::new(repo));
        Self { repo, from, own, tip, verifier, logs, independence: RefCell::default() }
    }

    /// The keys, the revocations and the policy.
    ///
    /// # Errors
    /// As [`TrustBase::load`].
    pub(crate) fn verifier(&self) -> Result<&Verifier<'r>> {
        if self.verifier.get().is_none() {
            let _ =
                self.verifier.set(Verifier::new(self.repo, TrustBase::load(self.repo, self.from, self.own)?, self.tip));
        }
        Ok(self.verifier.get_or_init(|| Verifier::new(self.repo, TrustBase::default(), self.tip)))
    }

    /// The strictest of `needs` that a scenario does not meet, and the reason. `effective` is the view of its node, and an
    /// observed reading counts for one of `commands`.
    ///
    /// # Errors
    /// When signatures cannot be verified, or the history cannot be read.
    pub(crate) fn lacks<'p>(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        score: &Score,
        needs: &[&'p ReadingNeed],
        commands: &BTreeSet<String>,
    ) -> Result<Option<(&'p ReadingNeed, String)>> {
        let mut strictest_first = needs.to_vec();
        strictest_first.sort_by(|one, other| other.cmp(one));
        for need in strictest_first {
            let why = if need.asks_for_keys() {
                self.unsigned(state, asked, effective, score, need)?
            } else {
                let why = grades::lacks(effective, commands, score, need.grade);
                let is_signed =
                    why == Some(grades::ONLY_CLAIMED) && self.has_signature(state, asked, effective, score)?;
                why.filter(|_| !is_signed).map(str::to_owned)
            };
            if let Some(why) = why {
                return Ok(Some((need, why)));
            }
        }
        Ok(None)
    }

    /// Whether a known key signed the pass that counts.
    fn has_signature(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        score: &Score,
    ) -> Result<bool> {
        let line = score.filed(effective).and_then(|filed| line_of(&asked.node.ledgers, &filed));
        if line.is_none() || signatures(asked.node).next().is_none() {
            return Ok(false);
        }
        let lines: Vec<&Line> = line.into_iter().collect();
        Ok(!self.verifier()?.holding(state, asked.node, &lines)?.concat().is_empty())
    }

    /// Why too few persons signed the pass that counts, or other passes of the same content.
    fn unsigned(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        score: &Score,
        need: &ReadingNeed,
    ) -> Result<Option<String>> {
        let pass = match grades::fresh_pass(score) {
            Ok(Some(pass)) => pass,
            Ok(None) => return Ok(None),
            Err(why) => return Ok(Some(why.to_owned())),
        };
        let Some(counting) = score.filed(effective) else { return Ok(None) };
        let speaks = |filed: &&FiledEvent<'_, Reading>| **filed != counting && speaks_for(filed.event, pass);
        let others = effective.newest_first(&pass.scenario).filter(speaks);
        let passes: Vec<FiledEvent<'_, Reading>> = std::iter::once(counting).chain(others.copied()).collect();
        if let Some(why) = self.withdrawn_fail(state, asked, effective, pass)? {
            return Ok(Some(why));
        }
        let lines: Vec<&Line> = passes.iter().filter_map(|filed| line_of(&asked.node.ledgers, filed)).collect();
        let held = self.verifier()?.holding(state, asked.node, &lines)?;
        let (mut persons, mut in_role) = (BTreeSet::<Person>::new(), 0);
        for (filed, held) in passes.iter().zip(&held) {
            let allowed: Vec<&HeldSignature> = held.iter().filter(|one| is_allowed(need, one)).collect();
            in_role += allowed.len();
            let independent = if need.grade == Grade::Independent {
                self.independent(state, asked, effective, filed, held, 0)?
            } else {
                Some(vec![true; held.len()])
            };
            let speaks = held.iter().zip(independent.into_iter().flatten());
            persons
                .extend(speaks.filter(|(one, free)| *free && is_allowed(need, one)).map(|(one, _)| one.person.clone()));
        }
        if persons.len() >= need.keys {
            return Ok(None);
        }
        let is_signed = held.iter().any(|held| !held.is_empty());
        Ok(Some(match (is_signed, in_role, persons.len()) {
            (false, ..) => "no known key signed the pass".to_owned(),
            (true, 0, _) => "no key of a needed role signed the pass".to_owned(),
            (true, _, 0) => {
                "the owners of the keys that signed the pass wrote some of what it measured, or git cannot tell"
                    .to_owned()
            }
            (true, _, count) => format!("{count} of {} persons signed the pass", need.keys),
        }))
    }

    /// Whether an unsigned line took a signed fail away that is newer than the pass: a retracted one of the same content, or
    /// a redacted reading, which could have been one. Otherwise a person who may append to the ledger could silence a judge.
    pub(super) fn withdrawn_fail(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        pass: &Reading,
    ) -> Result<Option<String>> {
        let is_of = |name: &str| same_name(name, &pass.scenario);
        let is_fail = |fail: &Reading| {
            is_of(&fail.scenario)
                && fail.verdict == ReadingVerdict::Measured(Status::Fail)
                && fail.ts > pass.ts
                && is_same_content(fail, pass)
        };
        let retracted =
            effective.withdrawn.iter().filter(|(filed, _)| is_fail(filed.event)).filter_map(|(filed, by)| {
                let fail = line_of(&asked.node.ledgers, filed)?;
                Some((fail, LineHash::of_object(&fail.bytes), line_of(&asked.node.ledgers, by)))
            });
        let lines = asked.node.ledgers.iter().flat_map(|ledger| &ledger.lines);
        let redacted = lines.filter_map(|line| match &line.event {
            Event::Redaction(gone) if is_of(&gone.scenario) && gone.ts > pass.ts => {
                Some((line, gone.redacted.line, Some(line)))
            }
            _ => None,
        });
        for (fail, hash, by) in retracted.chain(redacted) {
            let held = self.verifier()?.holding_of(state, asked.node, &[fail], &[hash])?;
            let taken = by.map_or(Ok(Vec::new()), |by| self.verifier()?.holding(state, asked.node, &[by]))?;
            if !held.concat().is_empty() && taken.concat().is_empty() {
                return Ok(Some(TAKEN_AWAY.to_owned()));
            }
        }
        Ok(None)
    }

    /// Which of the signers in `held` wrote nothing of what `filed` measured; `None` if git cannot tell.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub(crate) fn independent(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        filed: &FiledEvent<'_, Reading>,
        held: &[HeldSignature],
        depth: usize,
    ) -> Result<Option<Vec<bool>>> {
        let Some(tip) = self.tip.filter(|_| !held.is_empty() && depth < MOST_ENDS) else { return Ok(None) };
        let at = (filed.ledger.clone(), filed.line);
        if let Some(known) = self.independence.borrow().get(&at) {
            return Ok(known.clone());
        }
        let ended_by = self.last_independent(state, asked, effective, filed, depth)?;
        let window = AuthorWindow::new(self.repo, &self.logs, &self.verifier()?.base, self.own, tip, asked);
        let persons: Vec<&Person> = held.iter().map(|one| &one.person).collect();
        let found = window.independent(&persons, filed.event, ended_by)?;
        // commits name addresses: an owner without one could have written anything
        let found = found.map(|free| {
            let with_address = held.iter().map(|one| one.signer.principals.iter().all(|name| name.contains('@')));
            free.into_iter().zip(with_address).map(|(free, has)| free && has).collect::<Vec<bool>>()
        });
        self.independence.borrow_mut().insert(at, found.clone());
        Ok(found)
    }

    /// The latest pass before `filed` that measured other content and that an independent judge signed.
    fn last_independent<'n>(
        &self,
        state: SignedState<'_>,
        asked: Declared<'_>,
        effective: &Effective<'n>,
        filed: &FiledEvent<'_, Reading>,
        depth: usize,
    ) -> Result<Option<&'n Reading>> {
        let before = effective.newest_first(&filed.event.scenario).filter(|earlier| {
            let stamp = |one: &Reading| (one.governed.clone(), one.scenario_hash);
            earlier.event.ts < filed.event.ts
                && earlier.event.verdict == PASS
                && stamp(earlier.event) != stamp(filed.event)
        });
        for earlier in before {
            let lines: Vec<&Line> = line_of(&asked.node.ledgers, earlier).into_iter().collect();
            let held = self.verifier()?.holding(state, asked.node, &lines)?.concat();
            let free = self.independent(state, asked, effective, earlier, &held, depth + 1)?;
            if free.is_some_and(|free| free.contains(&true)) {
                return Ok(Some(earlier.event));
            }
        }
        Ok(None)
    }
}

pub(super) fn is_allowed(need: &ReadingNeed, held: &HeldSignature) -> bool {
    need.roles.is_empty() || held.role.is_some_and(|role| need.roles.contains(&role))
}
