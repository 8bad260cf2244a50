//! `eval --observed`: chooses the observation to file, and refuses one that does not speak for the scenario as it is now.

use crate::app::record::eval::stamped_now;
use crate::app::record::filing::{AskedReading, FilingStep};
use crate::engine::effective::Effective;
use crate::error::{Error, Refusal, Result};
use crate::features::agents::model::observation::{Observation, ObservedScenario, observed_test};
use crate::model::ledger::{Reading, ReadingVerdict, RunCounts, Stamped, StampedTest, Status, stamp_value};
use crate::model::node::Declared;
use crate::model::reference::{BY_HAND, BY_REPORT, scenario_word};
use crate::store::Store;
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::store::observations;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;

/// How many observations a hint lists.
const LISTED: usize = 3;

/// `--observed`: the observation with this id, or the latest one of the scenario.
pub(crate) struct GivenObservation(pub(crate) Option<String>);

impl FilingStep for GivenObservation {
    fn verdict(&self, asked: &AskedReading<'_>, draft: &mut Reading) -> Result<Option<(Expect, Source)>> {
        if draft.terms.runs.is_some() {
            return Err(Error::usage("the runs were observed: how many passed is not typed").hint("leave --runs out"));
        }
        if asked.one.scenario.runs.is_some() {
            return observed_runs(asked, self.0.as_deref(), draft);
        }
        let seen = observation(asked, self.0.as_deref(), draft)?;
        if let Some((status, how)) = seen.status().zip(seen.how()) {
            draft.verdict = ReadingVerdict::Measured(status);
            draft.terms.how = Some(how);
        }
        kept_output(asked.store, &seen)
    }
}

/// Fills the draft with every observation of this content since the latest reading: each is a run of its own, and those that
/// ended otherwise are fails. None is picked, so none can be named.
fn observed_runs(asked: &AskedReading<'_>, id: Option<&str>, draft: &mut Reading) -> Result<Option<(Expect, Source)>> {
    let one = asked.one;
    if let Some(id) = id {
        return Err(Error::usage(format!(
            "{} counts all its runs, so the observation {id} cannot be picked",
            called(one)
        ))
        .hint("write --observed without an id: all runs since the latest reading are filed"));
    }
    let all = Observation::read_all(&observations::read(asked.store.common_dir())?);
    let in_env = |reading: &Reading| one.scenario.env.is_empty() || reading.terms.env == draft.terms.env;
    let effective = Effective::of(one.node);
    let since = effective.newest_first(&one.scenario.name).find(|filed| in_env(filed.event));
    let since = since.map(|filed| filed.event.ts);
    let now = (draft.governed.as_ref(), draft.test.as_ref());
    let is_counted = |seen: &&Observation| {
        let part = about(seen, one).filter(|_| seen.is_genuine && since.is_none_or(|since| seen.ts > since));
        part.is_some_and(|part| refuse_unproven(seen, one).is_ok() && other_state(one, seen, part, now).is_none())
    };
    let seen: Vec<&Observation> = all.iter().filter(is_counted).collect();
    let passed = seen.iter().filter(|seen| seen.status() == Some(Status::Pass)).count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let Some(runs) = RunCounts::new(number(passed), number(seen.len())) else { return Err(none(one)) };
    let status = match one.scenario.runs.is_some_and(|rule| rule.is_met(runs.pass, runs.of)) {
        true => Status::Pass,
        false => Status::Fail,
    };
    draft.verdict = ReadingVerdict::Measured(status);
    draft.terms.runs = Some(runs);
    // the last one that ended as the runs together did speaks for them
    let Some(last) = seen.iter().rfind(|seen| seen.status() == Some(status)) else { return Ok(None) };
    draft.terms.how = last.how();
    kept_output(asked.store, last)
}

/// The output of the observed command, if the evidence cache has it.
fn kept_output(store: &Store, seen: &Observation) -> Result<Option<(Expect, Source)>> {
    let Some(output) = seen.output.as_ref().filter(|output| output.kept) else { return Ok(None) };
    let found = store.evidence().verified(&output.sha256)?;
    found.map(|(path, _)| Ok((Expect::Result, Source::file(&path)?))).transpose()
}

/// The observation with this id, by default the latest one of the scenario, with the content of `draft`.
///
/// # Errors
/// Refused if there is none, or if it proves nothing about the scenario as it is now; unchecked if it cannot be read.
fn observation(asked: &AskedReading<'_>, id: Option<&str>, draft: &Reading) -> Result<Observation> {
    let one = asked.one;
    let all = Observation::read_all(&observations::read(asked.store.common_dir())?);
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
    let unstamped = draft.code_sha.filter(|_| draft.governed.is_none());
    let what = if let Some(head) = unstamped {
        let now = stamped_now(asked.site, &head, one.node, one.scenario)?;
        other_state(one, seen, part, (now.stamp.as_ref(), now.test.as_ref()))
    } else {
        other_state(one, seen, part, (draft.governed.as_ref(), draft.test.as_ref()))
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
        let node = scenario_word(&one.node.argument(), &one.scenario.name);
        let rest = if one.scenario.test.is_some() { BY_REPORT } else { BY_HAND };
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

/// The stamps of the governed files and of the test.
type Stamps<'s> = (Option<&'s BTreeMap<RepoPath, Stamped>>, Option<&'s StampedTest>);

/// What the observation saw otherwise: the command, the text, or the path of a governed file or of the test. `now` has their
/// present content.
fn other_state(one: Declared<'_>, seen: &Observation, part: &ObservedScenario, now: Stamps<'_>) -> Option<String> {
    if one.scenario.test_command.as_deref() != Some(&*seen.command) {
        return Some(format!("the scenario no longer declares its command `{}`", seen.command));
    }
    if one.scenario.text_hash != part.text {
        return Some("the text of the scenario changed".to_owned());
    }
    let (governed, test) = now;
    let governed = governed.and_then(stamp_value).unwrap_or_default();
    let governed = governed.into_iter().map(|(path, id)| (path.to_owned(), id)).collect();
    if let Some(path) = differing(&governed, &part.governed) {
        return Some(format!("{path} changed"));
    }
    let test = test.and_then(observed_test).unwrap_or_default();
    let Some(then) = &part.test else { return Some("an older program recorded it, without the test".to_owned()) };
    differing(&test, then).map(|path| format!("the test changed: {path}"))
}

/// The first key with other values in the two stamps.
fn differing<'s>(now: &'s BTreeMap<String, String>, then: &'s BTreeMap<String, String>) -> Option<&'s String> {
    now.keys().chain(then.keys()).find(|path| now.get(*path) != then.get(*path))
}
