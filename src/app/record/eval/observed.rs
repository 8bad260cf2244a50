//! `eval --observed`: chooses the observation to file, and refuses one that does not speak for the scenario as it is now.

use super::WorkTree;
use super::measured::{MeasuredNow, stamped_now};
use crate::app::site::Site;
use crate::engine::effective::Effective;
use crate::error::{Error, Refusal, Result};
use crate::model::ids::same_name;
use crate::model::ledger::{Observed, Reading, stamp_value, test_value};
use crate::model::node::Declared;
use crate::model::observation::{Observation, ObservedScenario};
use crate::model::reference::{scenario_word, verdict_words};
use crate::store::observations;
use std::collections::BTreeMap;

/// How many observations a hint lists.
const LISTED: usize = 3;

/// The observation with this id, by default the latest one of the scenario, with the content of `measured`.
///
/// # Errors
/// Refused if there is none, or if it proves nothing about the scenario as it is now; unchecked if it cannot be read.
pub(super) fn observation(
    work: &WorkTree,
    site: &dyn Site,
    one: Declared<'_>,
    id: Option<&str>,
    measured: &MeasuredNow,
) -> Result<Observation> {
    let all = Observation::read_all(&observations::read(work.store.common_dir())?);
    let at = match id {
        Some(id) => all.iter().rposition(|seen| seen.id == id).ok_or_else(|| unknown(&all, one, id))?,
        None => all.iter().rposition(|seen| about(seen, one).is_some()).ok_or_else(|| none(one))?,
    };
    let (seen, later) = (&all[at], &all[at + 1..]);
    let named = format!("the observation {}", seen.id);
    if !seen.is_genuine {
        return Err(Error::refused(format!("{named} was edited: its id is not the hash of the rest of its line"))
            .because(Refusal::Invalid)
            .hint(again(one)));
    }
    let Some(part) = about(seen, one) else { return Err(of_another(seen, one)) };
    refuse_unproven(seen, one)?;
    // the stamps that go into the line, so that nothing can change in between
    let what = match &measured.stamp {
        Some(_) => other_state(one, seen, part, measured),
        None => other_state(one, seen, part, &stamped_now(site, &work.head, one.node, one.scenario)?),
    };
    if let Some(what) = what {
        let message = format!("{named} is of another state: {what}");
        return Err(Error::refused(message).because(Refusal::Stale).hint(again(one)));
    }
    let otherwise = |other: &&Observation| {
        let content = |of: &ObservedScenario| (of.text, of.governed.clone(), of.test.clone());
        let is_same = |other: &ObservedScenario| content(other) == content(part);
        other.is_genuine && about(other, one).is_some_and(is_same) && other.status() != seen.status()
    };
    if let Some(other) = later.iter().find(otherwise) {
        let ended = ended(other);
        let message = format!("{named} is not the last of this content: later, {} {ended}", other.id);
        return Err(Error::refused(message).because(Refusal::Stale).hint(again(one)));
    }
    Ok(seen.clone())
}

/// Refuses what was observed before the latest reading measured. The latest reading itself may be filed again.
///
/// # Errors
/// Refused as stale, with the time of that reading.
pub(super) fn refuse_older(effective: &Effective<'_>, draft: &Reading, how: &Observed) -> Result<()> {
    let is_withdrawn = effective.withdrawn.iter().any(|(gone, _)| {
        same_name(&gone.event.scenario, &draft.scenario) && gone.event.terms.how.as_ref() == Some(how)
    });
    if is_withdrawn {
        return Err(Error::refused("the reading of this observation was withdrawn")
            .because(Refusal::Stale)
            .hint("run the command again, and file its observation"));
    }
    let measured_at = |reading: &Reading| reading.terms.how.as_ref().map_or(reading.ts, |how| how.at);
    match effective.latest(&draft.scenario).filter(|latest| measured_at(latest) > how.at) {
        None => Ok(()),
        Some(latest) => {
            let message = format!("the observation of {} is older than the reading of {}", how.at, latest.ts);
            let hint = "run the command again, and file its observation";
            Err(Error::refused(message).because(Refusal::Stale).hint(hint))
        }
    }
}

fn about<'o>(seen: &'o Observation, one: Declared<'_>) -> Option<&'o ObservedScenario> {
    seen.about(&one.node.dir, &one.scenario.name)
}

fn called(one: Declared<'_>) -> String {
    format!("{}/{}", one.node.id, one.scenario.name)
}

/// The next step if an observation cannot be filed.
fn again(one: Declared<'_>) -> String {
    let node = scenario_word(&one.node.argument(), &one.scenario.name);
    let file = format!("yatsu-hook eval {node} --observed");
    match &one.scenario.test_command {
        Some(command) => format!("have a coding agent run `{command}` at the top of the work tree, then: {file}"),
        None => format!("give the scenario `test: {{command: …}}`, have a coding agent run that command, then: {file}"),
    }
}

fn none(one: Declared<'_>) -> Error {
    Error::refused(format!("no harness of a coding agent observed the command of {}", called(one)))
        .because(Refusal::Unknown)
        .hint(again(one))
}

fn unknown(all: &[Observation], one: Declared<'_>, id: &str) -> Error {
    let error = Error::refused(format!("there is no observation {id}")).because(Refusal::Unknown);
    let own: Vec<String> = all.iter().rev().filter(|seen| about(seen, one).is_some()).take(LISTED).map(line).collect();
    match own.is_empty() {
        true => error.hint(again(one)),
        false => error.hint(format!("of {} there are: {}", called(one), own.join("; "))),
    }
}

/// An observation in a list, for example `0c5d1f0b9e2a of 2026-01-01T10:00:00.000Z, exit 0`.
fn line(seen: &Observation) -> String {
    format!("{} of {}, {}", seen.id, seen.ts, ended(seen))
}

fn ended(seen: &Observation) -> String {
    seen.exit.map_or_else(|| "ended without an exit code".to_owned(), |exit| format!("ended with exit {exit}"))
}

fn of_another(seen: &Observation, one: Declared<'_>) -> Error {
    let others: Vec<String> =
        seen.scenarios.iter().take(LISTED).map(|other| format!("{}/{}", other.node, other.scenario)).collect();
    Error::refused(format!("the observation {} is of {}, not of {}", seen.id, others.join(", "), called(one)))
        .because(Refusal::Invalid)
        .hint(again(one))
}

fn refuse_unproven(seen: &Observation, one: Declared<'_>) -> Result<()> {
    let Observation { id, harness, .. } = seen;
    if seen.exit.is_none() {
        let (node, rest) = (scenario_word(&one.node.argument(), &one.scenario.name), verdict_words(one.scenario));
        return Err(Error::refused(format!("the observation {id} has no exit code: {harness} did not prove one"))
            .because(Refusal::NotMet)
            .hint(format!("file what you saw yourself: yatsu-hook eval {node} {rest}")));
    }
    if !seen.steady {
        let what = "a governed file or the test changed while the command ran, or that cannot be ruled out";
        return Err(Error::refused(format!("the observation {id} is not steady: {what}"))
            .because(Refusal::NotMet)
            .hint(again(one)));
    }
    Ok(())
}

/// What the observation saw otherwise: the command, the text, or the path of a governed file or of the test. `now` has their
/// present content.
fn other_state(one: Declared<'_>, seen: &Observation, part: &ObservedScenario, now: &MeasuredNow) -> Option<String> {
    if one.scenario.test_command.as_deref() != Some(&*seen.command) {
        return Some(format!("the scenario no longer declares its command `{}`", seen.command));
    }
    if one.scenario.text_hash != part.text {
        return Some("the text of the scenario changed".to_owned());
    }
    let governed = now.stamp.as_ref().and_then(stamp_value).unwrap_or_default();
    let governed = governed.into_iter().map(|(path, id)| (path.to_owned(), id)).collect();
    if let Some(path) = differing(&governed, &part.governed) {
        return Some(format!("{path} changed"));
    }
    let test = now.test.as_ref().and_then(test_value).unwrap_or_default();
    let Some(then) = &part.test else { return Some("an older program recorded it, without the test".to_owned()) };
    differing(&test, then).map(|path| format!("the test changed: {path}"))
}

/// The first key with other values in the two stamps.
fn differing<'s>(now: &'s BTreeMap<String, String>, then: &'s BTreeMap<String, String>) -> Option<&'s String> {
    now.keys().chain(then.keys()).find(|path| now.get(*path) != then.get(*path))
}
