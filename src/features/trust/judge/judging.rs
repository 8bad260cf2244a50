//! What trust adds to each judgement: scenarios without the needed trust, signatures that do not hold, and how a change lets
//! more count than before.

use crate::app::judge::states::{NotJudged, States};
use crate::app::judge::{Focus, Judging, Question, Ruling};
use crate::error::Result;
use crate::features::trust::judge::added::{is_foreign, wrong};
use crate::features::trust::judge::base::lowered;
use crate::features::trust::judge::base_scenarios::other_tests;
use crate::features::trust::judge::desk::TrustDesk;
use crate::features::trust::judge::facts::{AllUntrusted, LoweredTrust, WrongSignatures};
use crate::features::trust::judge::untrusted::{score, touched};
use crate::features::trust::model::settings::TrustSettings;
use crate::model::config::Config;
use crate::rules::{Change, Door, LostLine};
use crate::tree::oid::Oid;
use std::rc::Rc;

pub(crate) const JUDGING: Judging = Judging {
    names_files: |config| config.of::<TrustSettings>().signers.is_some(),
    concerns_all: touches_keys,
    states: look,
    change: compare,
    ..Judging::NONE
};

/// Whether the change touches a file of keys. Such a file belongs to no node.
fn touches_keys(question: &Question<'_>, config: &Config) -> Result<bool> {
    let settings: &TrustSettings = config.of();
    Ok(question.snapshot.bases.iter().flat_map(|base| &base.changed).any(|path| settings.names(path)))
}

/// The scenarios of a state without a base that could not be judged.
#[derive(PartialEq)]
struct Unverified(Vec<NotJudged>);

/// Finds the scenarios of a state without a base that lack trust.
///
/// # Errors
/// When signatures cannot be verified.
fn look(question: &Question<'_>, states: &mut States, _: &[LostLine]) -> Result<()> {
    if question.snapshot.door != Door::State {
        return Ok(());
    }
    let own = Rc::clone(&states.own);
    let (untrusted, unverified) = score(question, states, &desk(question, &own)?)?;
    if !untrusted.is_empty() {
        states.view.parts.put(AllUntrusted(untrusted));
    }
    if !unverified.is_empty() {
        states.view.parts.put(Unverified(unverified));
    }
    Ok(())
}

/// Adds to the change what it does to trust.
///
/// # Errors
/// When content that must be compared cannot be read, or signatures cannot be verified.
fn compare(question: &Question<'_>, states: &States, change: &mut Change<'_>) -> Result<Option<Ruling>> {
    if question.snapshot.door == Door::State {
        let unverified = states.view.parts.get::<Unverified>();
        return Ok(unverified.map(|Unverified(all)| Ruling { not_judged: all.clone(), ..Ruling::default() }));
    }
    let keys = lowered(question, states)?;
    // only all nodes can tell whether the lines of such a signature moved
    if matches!(question.focus, Focus::Nodes(_)) && is_foreign(&change.added) {
        return Ok(Some(Ruling { needs_all: true, ..Ruling::default() }));
    }
    let desk = desk(question, &states.own)?;
    let signatures = wrong(question, states, &desk, &change.added)?;
    let other_tests = other_tests(question, states)?;
    let (untrusted, not_judged) = touched(question, states, &desk, change)?;
    if !signatures.is_empty() {
        change.parts.put(WrongSignatures(signatures));
    }
    if !other_tests.is_empty() || !keys.is_empty() {
        change.parts.put(LoweredTrust { other_tests, keys });
    }
    if !untrusted.is_empty() {
        change.parts.put(AllUntrusted(untrusted));
    }
    Ok((!not_judged.is_empty()).then(|| Ruling { not_judged, ..Ruling::default() }))
}

/// The keys and the policy that judge the state. Its history is behind the tip; HEAD for content that is not committed.
fn desk<'q>(question: &Question<'q>, own: &'q Config) -> Result<TrustDesk<'q>> {
    let tip: Option<Oid> = question.snapshot.tip.map_or_else(|| question.repo.head(), |tip| Ok(Some(tip)))?;
    Ok(TrustDesk::new(question.repo, question.snapshot.trust, own, tip))
}
