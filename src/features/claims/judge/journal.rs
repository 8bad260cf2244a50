//! The journal of claims as events, and the state after them.

use crate::error::{Error, Result};
use crate::features::claims::judge::engine::{Claims, compact};
use crate::features::claims::model::{ClaimEvent, ClaimFault, encode, parse};
use crate::store::Store;
use crate::store::journal::{self, Journal};
use crate::store::lock::LedgerLock;
use std::path::Path;

/// Most bytes of the journal beside what is open: every verb that asks for claims reads the whole journal.
const MOST_CLOSED: usize = 128 << 10;
/// What a compaction leaves of them, so that the next one is far.
const KEPT_CLOSED: usize = 64 << 10;

/// All events of the journal in order. Takes no lock, so an event that is being written may be missing.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn history(common_dir: &Path) -> Result<Vec<ClaimEvent>> {
    events(common_dir, &journal::read(common_dir)?)
}

/// The state of every claim after the last complete line of the journal.
pub(crate) fn state(common_dir: &Path) -> Result<Claims> {
    replayed(common_dir, &history(common_dir)?)
}

fn events(common_dir: &Path, bytes: &[u8]) -> Result<Vec<ClaimEvent>> {
    parse(bytes).map_err(|fault| wrong(common_dir, "read: line", &fault))
}

/// The state after these events.
///
/// # Errors
/// When the events contradict each other.
pub(crate) fn replayed(common_dir: &Path, events: &[ClaimEvent]) -> Result<Claims> {
    Claims::replay(events).map_err(|fault| wrong(common_dir, "followed: event", &fault))
}

fn wrong(common_dir: &Path, how: &str, fault: &ClaimFault) -> Error {
    journal::unreadable(&journal::path(common_dir), &format!("cannot be {how} {} {}", fault.line, fault.message))
}

/// The journal under the lock, with the state after its events.
pub(crate) struct OpenJournal<'l> {
    journal: Journal<'l>,
    events: Vec<ClaimEvent>,
    /// The state of the claims after all events.
    pub(crate) claims: Claims,
}

impl<'l> OpenJournal<'l> {
    pub(crate) fn open(store: &Store, lock: &'l LedgerLock) -> Result<Self> {
        let journal = Journal::open(lock, store.common_dir())?;
        let events = events(store.common_dir(), journal.bytes())?;
        let claims = replayed(store.common_dir(), &events)?;
        Ok(Self { journal, events, claims })
    }

    /// Writes an event durably. An event that does not fit the earlier ones is refused and never written.
    pub(crate) fn write(&mut self, event: &ClaimEvent) -> Result<()> {
        self.claims
            .apply(event)
            .map_err(|why| Error::fault(format!("the journal of claims would be inconsistent: it {why}")))?;
        let line = encode(event);
        self.events.push(event.clone());
        self.shorten(line.len() + 1)?;
        self.journal.append(&line)?;
        Ok(())
    }

    /// Bytes of a torn last line that were removed.
    pub(super) fn cut(&self) -> usize {
        self.journal.cut()
    }

    /// Compacts the journal if with its newest event, a line of `more` bytes that is not written yet, it would be too long
    /// beside what is open.
    fn shorten(&mut self, more: usize) -> Result<()> {
        let length = self.journal.bytes().len() + more;
        if length <= MOST_CLOSED {
            return Ok(());
        }
        let lines = |events, most| compact(events, most).into_iter().map(encode).collect::<Vec<String>>();
        let open: usize = lines(&self.events, 0).iter().map(|line| line.len() + 1).sum();
        // without the newest event: what it ends is open until its line is durable
        let [written @ .., _newest] = &self.events[..] else { return Ok(()) };
        if length > MOST_CLOSED + open { self.journal.replace(&lines(written, KEPT_CLOSED)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::claims::judge::engine::ClaimTerms;
    use crate::features::claims::model::settings::ClaimLimits;
    use crate::features::claims::model::{Claim, ClaimSeries, ClaimStep, ClaimToken};
    use crate::model::config::FeatureConfig;
    use crate::model::ledger::Timestamp;
    use crate::tree::path::RepoPath;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const SERIES: usize = 40;

    /// What may be done to a series next: the time that passes, the series, and the number of the deed.
    type Step = (i64, usize, u8);

    fn series(number: usize) -> ClaimSeries {
        ClaimSeries::new(&RepoPath::from_git("n"), &format!("s{number}")).unwrap()
    }

    fn event(claims: &Claims, now: i64, (_, of, deed): Step, fresh: u128) -> Option<ClaimEvent> {
        let limits = ClaimLimits { grace: 0, max_attempts: u32::MAX, ..ClaimLimits::DEFAULT.clone() };
        let terms = ClaimTerms { now: Timestamp { millis: now }, limits };
        let until = Timestamp { millis: now + 60_000 };
        let Some(held) = claims.holder(&series(of)) else {
            let owner = "x".repeat(1 + 40 * usize::from(deed));
            let (run, text, remote, session) = Default::default();
            let token = ClaimToken(fresh.to_be_bytes());
            let wanted = Claim { series: series(of), owner, token, attempt: 1, run, until, text, remote, session };
            return claims.take(&wanted, false, &terms, &|_| Vec::new()).ok();
        };
        match deed {
            0 => claims.renew(held.token, until, &terms).ok(),
            1..3 => claims.release(held.token, Some("r".repeat(900)), &terms).ok(),
            3 => claims.file(&series(of), Some(held.token), false, &terms).ok()?.event,
            _ => claims
                .take(&Claim { token: ClaimToken(fresh.to_be_bytes()), ..held.clone() }, false, &terms, &|_| Vec::new())
                .ok(),
        }
    }

    /// Whether an event, the last one of its series, says something that a journal without it would not say.
    fn matters(event: &ClaimEvent) -> bool {
        match event.step {
            ClaimStep::Filed => false,
            ClaimStep::Released => event.claim.attempt > 1,
            _ => true,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4) })]

        #[test]
        fn a_journal_is_never_longer_than_what_is_open_and_128_kib_and_says_what_all_events_said(
            steps in prop::collection::vec((0..3000_i64, 0..SERIES, 0..6_u8), 500),
        ) {
            let scratch = tempfile::tempdir().unwrap();
            let store = Store::new(scratch.path());
            let lock = store.lock_ledger().unwrap();
            let mut journal = OpenJournal::open(&store, &lock).unwrap();
            let (mut all, mut last) = (Claims::default(), BTreeMap::new());
            let (mut now, mut shortened) = (1, 0);
            for (fresh, step) in steps.into_iter().enumerate() {
                now += step.0;
                let Some(event) = event(&all, now, step, fresh as u128) else { continue };
                let before = journal.journal.bytes().len();
                journal.write(&event).unwrap();
                all.apply(&event).unwrap();
                last.insert(step.1, event);
                let after = journal.journal.bytes().len();
                let open: usize = last.values().filter(|event| matters(event)).map(|event| encode(event).len() + 1).sum();
                prop_assert!(after <= open + MOST_CLOSED, "{after} bytes, {open} of them open");
                if after < before {
                    let read = state(store.common_dir()).unwrap();
                    (0..SERIES).for_each(|of| assert_eq!(read.state(&series(of)), all.state(&series(of)), "{of}"));
                    shortened += 1;
                }
            }
            prop_assert!(shortened > 0);
        }
    }
}
