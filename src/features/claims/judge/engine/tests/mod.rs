mod oracle;

use super::compact::compact_to;
use super::decide::TagsOf;
use super::*;
use crate::features::claims::model::key::ClaimKey;
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::model::{ClaimPath, ClaimedScenario, encode, parse};
use crate::model::config::FeatureConfig;
use crate::model::labels::RunId;
use crate::model::session::SessionHash;
use crate::tree::path::RepoPath;
use oracle::Oracle;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

const GRACE: i64 = 60_000;
const UNTIL: i64 = 1_800_000;

fn at(millis: i64) -> Timestamp {
    Timestamp { millis }
}

fn series(name: &str) -> ClaimSeries {
    ClaimSeries::new(&RepoPath::from_git("n"), name).unwrap()
}

fn key(name: &str) -> ClaimSeries {
    ClaimSeries::Key(ClaimKey::parse(name).unwrap())
}

fn path(text: &str) -> ClaimSeries {
    ClaimSeries::Path(ClaimPath::new(RepoPath::from_git(text)).unwrap())
}

fn token(number: u8) -> ClaimToken {
    ClaimToken([number; 16])
}

fn terms(now: i64) -> ClaimTerms {
    ClaimTerms { now: at(now), limits: ClaimLimits { grace: GRACE, ..ClaimLimits::DEFAULT.clone() } }
}

/// The terms at `now` with these limits.
fn limited(now: i64, change: impl FnOnce(&mut ClaimLimits)) -> ClaimTerms {
    let mut terms = terms(now);
    change(&mut terms.limits);
    terms
}

/// The tracked files.
const FILES: [&str; 3] = ["src/a.rs", "src/b.md", "docs/a.md"];

/// A command as a value, to be chosen at random.
#[derive(Clone, Debug)]
enum ClaimCommand {
    Take(Claim, bool),
    Renew { token: ClaimToken, until: Timestamp },
    Release { token: ClaimToken },
    Force { series: ClaimSeries },
    File { series: ClaimSeries, token: Option<ClaimToken>, keep: bool },
}

impl Claims {
    fn decide(
        &self,
        command: &ClaimCommand,
        terms: &ClaimTerms,
        tags: &TagsOf<'_>,
    ) -> Result<FilingDecision, ClaimRefusal> {
        let event = match command.clone() {
            ClaimCommand::Take(claim, force) => {
                if let ClaimSeries::Path(wanted) = &claim.series {
                    let files = FILES.map(RepoPath::from_git).into_iter().filter(|file| wanted.covers(file));
                    self.refuse_collision(wanted, &files.collect::<Vec<_>>(), terms)?;
                }
                self.take(&claim, force, terms, tags)?
            }
            ClaimCommand::Renew { token, until } => self.renew(token, until, terms)?,
            ClaimCommand::Release { token } => self.release(token, None, terms)?,
            ClaimCommand::Force { series } => self.force(&series, "gone".into(), terms)?,
            ClaimCommand::File { series, token, keep } => return self.file(&series, token, keep, terms),
        };
        Ok(FilingDecision { event: Some(event), late: false })
    }
}

fn taking(number: u8, until: i64) -> Claim {
    let owner = format!("owner {number}");
    let (series, token, until) = (series("s"), token(number), at(until));
    Claim { series, owner, token, attempt: 1, run: None, until, text: None, remote: None, session: None }
}

fn take(number: u8, until: i64) -> ClaimCommand {
    ClaimCommand::Take(taking(number, until), false)
}

fn file(token: Option<ClaimToken>) -> ClaimCommand {
    ClaimCommand::File { series: series("s"), token, keep: false }
}

fn untagged(_: &ClaimSeries) -> Vec<String> {
    Vec::new()
}

fn decided(claims: &Claims, now: i64, command: &ClaimCommand) -> Result<FilingDecision, ClaimRefusal> {
    claims.decide(command, &terms(now), &untagged)
}

/// Decides a command and applies it: the step with its attempt, or the refusal.
fn done(claims: &mut Claims, now: i64, command: &ClaimCommand) -> Result<Option<(ClaimStep, u32)>, ClaimRefusal> {
    let decision = decided(claims, now, command)?;
    if let Some(event) = &decision.event {
        claims.apply(event).unwrap();
    }
    Ok(decision.event.map(|event| (event.step, event.claim.attempt)))
}

/// A state in which token 1 was given at time 0, until [`UNTIL`], and then had this step.
fn after_step(step: Option<ClaimStep>) -> Claims {
    let mut claims = Claims::default();
    done(&mut claims, 0, &take(1, UNTIL)).unwrap();
    let command = match step {
        None | Some(ClaimStep::Taken | ClaimStep::Intended | ClaimStep::Missed) => return claims,
        Some(ClaimStep::Renewed) => ClaimCommand::Renew { token: token(1), until: at(UNTIL) },
        Some(ClaimStep::Released) => ClaimCommand::Release { token: token(1) },
        Some(ClaimStep::Filed) => file(Some(token(1))),
        Some(ClaimStep::Forced) => ClaimCommand::Force { series: series("s") },
        Some(ClaimStep::Reclaimed) => take(2, 3 * UNTIL),
    };
    let now = if step == Some(ClaimStep::Reclaimed) { UNTIL + GRACE + 1 } else { 1 };
    done(&mut claims, now, &command).unwrap();
    claims
}

fn name(refusal: &ClaimRefusal) -> &'static str {
    match refusal {
        ClaimRefusal::Held { .. } => "held",
        ClaimRefusal::InGrace { .. } => "in grace",
        ClaimRefusal::NotHeld(_) => "not held",
        ClaimRefusal::Attempts { .. } => "attempts",
        ClaimRefusal::Capped(_) => "capped",
        ClaimRefusal::UnknownToken => "unknown",
        ClaimRefusal::OtherScenario { .. } => "other",
        ClaimRefusal::Lost(_) => "lost",
        ClaimRefusal::Ended { .. } => "ended",
        ClaimRefusal::Expired { .. } => "expired",
    }
}

fn told(claims: &mut Claims, now: i64, command: &ClaimCommand) -> String {
    match done(claims, now, command) {
        Ok(Some((step, attempt))) => format!("{} {attempt}", step.as_str()),
        Ok(None) => "nothing".into(),
        Err(refusal) => name(&refusal).into(),
    }
}

#[test]
fn every_command_in_every_state() {
    let commands: [(&str, ClaimCommand); 8] = [
        ("take", take(9, 9 * UNTIL)),
        ("renew", ClaimCommand::Renew { token: token(1), until: at(9 * UNTIL) }),
        ("release", ClaimCommand::Release { token: token(1) }),
        ("force", ClaimCommand::Force { series: series("s") }),
        ("file", file(Some(token(1)))),
        ("file without", file(None)),
        ("file unknown", file(Some(token(8)))),
        ("renew unknown", ClaimCommand::Renew { token: token(8), until: at(UNTIL) }),
    ];
    let free = ["taken 1", "unknown", "unknown", "not held", "unknown", "nothing", "unknown", "unknown"];
    let live = ["held", "renewed 1", "released 1", "forced 1", "filed 1", "held", "unknown", "unknown"];
    let grace = ["in grace", "expired", "released 1", "forced 1", "filed 1", "nothing", "unknown", "unknown"];
    let lapsed = ["reclaimed 2", "expired", "released 1", "forced 1", "filed 1", "nothing", "unknown", "unknown"];
    let ended = ["taken 1", "ended", "ended", "not held", "ended", "nothing", "unknown", "unknown"];
    let lost = ["held", "lost", "lost", "forced 2", "lost", "held", "unknown", "unknown"];
    let states: [(Claims, i64, [&str; 8]); 12] = [
        (Claims::default(), 0, free),
        (after_step(None), 1, live),
        (after_step(None), UNTIL, live),
        (after_step(Some(ClaimStep::Renewed)), UNTIL, live),
        (after_step(None), UNTIL + 1, grace),
        (after_step(None), UNTIL + GRACE, grace),
        (after_step(None), UNTIL + GRACE + 1, lapsed),
        (after_step(None), i64::MAX, lapsed),
        (after_step(Some(ClaimStep::Released)), 2, ended),
        (after_step(Some(ClaimStep::Filed)), 2, ended),
        (after_step(Some(ClaimStep::Forced)), 2, ended),
        (after_step(Some(ClaimStep::Reclaimed)), 2 * UNTIL, lost),
    ];
    for (index, (state, now, expected)) in states.iter().enumerate() {
        for ((what, command), expected) in commands.iter().zip(expected) {
            assert_eq!(told(&mut state.clone(), *now, command), *expected, "state {index}, {what}");
        }
    }
}

#[test]
fn a_second_taker_is_told_who_holds_it_and_until_when_whatever_the_name() {
    let mut claims = after_step(None);
    let before = claims.clone();
    let held = ClaimRefusal::Held { series: series("s"), owner: "owner 1".into(), until: at(UNTIL) };
    assert_eq!(done(&mut claims, 5, &take(2, UNTIL)).unwrap_err(), held);
    let same_name = ClaimCommand::Take(Claim { owner: "owner 1".into(), ..taking(2, UNTIL) }, false);
    assert_eq!(done(&mut claims, 5, &same_name).unwrap_err(), held);
    assert_eq!(claims, before);
    assert!(held.error(&NodeNames::default()).hints[0].contains("renew"));
}

/// To the millisecond.
#[test]
fn the_end_of_a_claim_and_of_its_grace_belong_to_it() {
    let renew = ClaimCommand::Renew { token: token(1), until: at(9 * UNTIL) };
    assert_eq!(told(&mut after_step(None), UNTIL, &renew), "renewed 1");
    assert_eq!(told(&mut after_step(None), UNTIL + 1, &renew), "expired");
    assert_eq!(told(&mut after_step(None), UNTIL + GRACE, &take(2, 9 * UNTIL)), "in grace");
    assert_eq!(told(&mut after_step(None), UNTIL + GRACE + 1, &take(2, 9 * UNTIL)), "reclaimed 2");
}

#[test]
fn in_grace_the_seconds_left_are_named() {
    let refusal = |now| decided(&after_step(None), now, &take(2, UNTIL)).unwrap_err().message(&NodeNames::default());
    assert!(refusal(UNTIL + 1).ends_with("in 60 s"), "{}", refusal(UNTIL + 1));
    assert!(refusal(UNTIL + GRACE).ends_with("in 1 s"), "{}", refusal(UNTIL + GRACE));
}

#[test]
fn without_grace_a_claim_can_be_taken_over_a_millisecond_after_its_end() {
    let no_grace = |now| limited(now, |limits| limits.grace = 0);
    let decide = |now| after_step(None).decide(&take(2, 9 * UNTIL), &no_grace(now), &untagged);
    assert_eq!(name(&decide(UNTIL).unwrap_err()), "held");
    assert_eq!(decide(UNTIL + 1).unwrap().event.unwrap().step, ClaimStep::Reclaimed);
}

#[test]
fn an_expired_token_that_nobody_took_over_files_late() {
    let decision = |now| decided(&after_step(None), now, &file(Some(token(1)))).unwrap();
    assert_eq!([UNTIL, UNTIL + 1, i64::MAX].map(|now| decision(now).late), [false, true, true]);
}

#[test]
fn a_kept_claim_goes_on_after_a_reading() {
    let keeping = ClaimCommand::File { series: series("s"), token: Some(token(1)), keep: true };
    let decision = decided(&after_step(None), 1, &keeping).unwrap();
    assert_eq!(decision, FilingDecision::default());
}

#[test]
fn a_release_leaves_the_attempt_and_a_reading_ends_the_series() {
    let mut claims = after_step(Some(ClaimStep::Reclaimed));
    let now = UNTIL + GRACE + 2;
    assert_eq!(told(&mut claims, now, &ClaimCommand::Release { token: token(2) }), "released 2");
    assert_eq!(told(&mut claims, now, &take(3, 9 * UNTIL)), "taken 2");
    assert_eq!(told(&mut claims, now, &ClaimCommand::Force { series: series("s") }), "forced 2");
    assert_eq!(told(&mut claims, now, &take(4, 9 * UNTIL)), "taken 2");
    assert_eq!(told(&mut claims, now, &file(Some(token(4)))), "filed 2");
    assert_eq!(told(&mut claims, now, &take(5, 9 * UNTIL)), "taken 1");
}

#[test]
fn past_the_last_attempt_only_force_takes() {
    let mut claims = Claims::default();
    for number in 1..=3 {
        let now = i64::from(number) * (UNTIL + GRACE + 1);
        assert!(done(&mut claims, now, &take(number, now + UNTIL)).is_ok(), "attempt {number}");
    }
    let now = 4 * (UNTIL + GRACE + 1);
    assert_eq!(told(&mut claims, now, &take(4, now + UNTIL)), "attempts");
    let forced = ClaimCommand::Take(taking(4, now + UNTIL), true);
    assert_eq!(told(&mut claims, now, &forced), "reclaimed 4");
}

#[test]
fn a_token_of_another_scenario_files_nothing() {
    let other = ClaimCommand::File { series: series("t"), token: Some(token(1)), keep: false };
    assert_eq!(told(&mut after_step(None), 1, &other), "other");
    assert_eq!(told(&mut after_step(Some(ClaimStep::Released)), 1, &other), "other");
}

#[test]
fn caps_count_what_is_held_and_not_what_has_lapsed() {
    let claims = after_step(None);
    let run = RunId::parse("r");
    let wanted = |owner: &str| Claim { series: series("t"), owner: owner.into(), run: run.clone(), ..taking(2, UNTIL) };
    let decide = |claim: Claim, terms: ClaimTerms, tags: &TagsOf<'_>| {
        let decided = claims.take(&claim, false, &terms, tags);
        decided.map(|_| ()).map_err(|refusal| refusal.message(&NodeNames::default()))
    };
    let owner = |now| limited(now, |limits| limits.max_per_owner = Some(1));
    assert!(decide(wanted("owner 1"), owner(UNTIL + GRACE), &untagged).unwrap_err().contains("maxPerOwner"));
    assert_eq!(decide(wanted("owner 1"), owner(UNTIL + GRACE + 1), &untagged), Ok(()));
    assert_eq!(decide(wanted("owner 2"), owner(1), &untagged), Ok(()));
    let tagged = |_: &ClaimSeries| vec!["cli".to_owned(), "desktop".to_owned()];
    let per_tag = |most| limited(1, |limits| limits.per_tag = BTreeMap::from([("desktop".to_owned(), most)]));
    assert!(decide(wanted("x"), per_tag(1), &tagged).unwrap_err().contains("the tag desktop"));
    assert_eq!(decide(wanted("x"), per_tag(2), &tagged), Ok(()));
    assert_eq!(decide(wanted("x"), per_tag(0), &untagged), Ok(()));
    let no_run = limited(1, |limits| limits.max_per_run = 0);
    assert!(decide(wanted("x"), no_run.clone(), &untagged).unwrap_err().contains("run r holds 0"));
    assert_eq!(decide(Claim { run: None, ..wanted("x") }, no_run, &untagged), Ok(()));
}

fn on(series: ClaimSeries, number: u8) -> ClaimCommand {
    ClaimCommand::Take(Claim { series, ..taking(number, 9 * UNTIL) }, false)
}

#[test]
fn a_path_is_refused_while_a_colliding_one_is_held_and_a_key_never_collides() {
    let mut claims = Claims::default();
    assert_eq!(told(&mut claims, 0, &on(path("src/*.rs"), 1)), "taken 1");
    let before = claims.clone();
    for (held, number) in [("src", 2), ("src/a.rs", 3), ("src/*.rs", 4), ("*/a.rs", 5)] {
        assert_eq!(told(&mut claims, 5, &on(path(held), number)), "held", "{held}");
    }
    assert_eq!(claims, before);
    assert_eq!(told(&mut claims, 5, &on(path("src/*.md"), 6)), "taken 1");
    assert_eq!(told(&mut claims, 5, &on(key("src/a.rs"), 7)), "taken 1");
    assert_eq!(told(&mut claims, 5, &on(key("src/a.rs"), 8)), "held");
    let end = 9 * UNTIL;
    assert_eq!(told(&mut claims, end + 1, &on(path("src"), 9)), "in grace");
    let long = ClaimCommand::Take(Claim { series: path("src"), ..taking(10, 99 * UNTIL) }, false);
    assert_eq!(told(&mut claims, end + GRACE + 1, &long), "taken 1", "the lapsed ones are not in its way");
    assert_eq!(told(&mut claims, end + GRACE + 1, &on(path("src/*.rs"), 11)), "held");
}

#[test]
fn no_reading_is_filed_under_a_claim_on_a_key_or_a_path() {
    for series in [key("k"), path("src/a.rs")] {
        let mut claims = Claims::default();
        done(&mut claims, 0, &on(series.clone(), 1)).unwrap();
        assert_eq!(told(&mut claims, 1, &file(Some(token(1)))), "other");
        assert_eq!(told(&mut claims, 1, &file(None)), "nothing", "{series}");
        assert_eq!(told(&mut claims, 1, &ClaimCommand::Release { token: token(1) }), "released 1");
    }
}

#[test]
fn no_sentence_spells_a_token() {
    let hex = token(0x5a).to_hex();
    let mut claims = Claims::default();
    done(&mut claims, 0, &take(0x5a, UNTIL)).unwrap();
    let commands = [take(2, UNTIL), file(Some(token(0x5a))), file(None)];
    for command in &commands {
        if let Err(refusal) = decided(&claims, 5, command) {
            let error = refusal.error(&NodeNames::default());
            let said = [error.message, format!("{refusal:?}"), error.hints.concat()].concat();
            assert!(!said.contains(&hex));
        }
    }
    assert!(!format!("{claims:?}").contains(&hex));
}

#[test]
fn an_event_that_cannot_follow_is_refused_and_changes_nothing() {
    let of = |step, number, until| ClaimEvent { ts: at(1), step, claim: taking(number, until), reason: None };
    use ClaimStep::{Filed, Forced, Reclaimed, Released, Renewed, Taken};
    let wrong: [(ClaimStep, ClaimStep, u8); 9] = [
        (Taken, Taken, 2),
        (Taken, Taken, 1),
        (Taken, Renewed, 2),
        (Taken, Released, 2),
        (Taken, Filed, 2),
        (Taken, Forced, 2),
        (Taken, Reclaimed, 1),
        (Released, Reclaimed, 2),
        (Released, Taken, 1),
    ];
    for (before, step, number) in wrong {
        let mut claims = after_step(Some(before));
        let untouched = claims.clone();
        assert!(claims.apply(&of(step, number, UNTIL)).unwrap_err().contains(step.as_str()), "{before:?} {step:?}");
        assert_eq!(claims, untouched);
    }
    let fault = Claims::replay(&[of(Taken, 1, UNTIL), of(Taken, 2, UNTIL)]).unwrap_err();
    assert_eq!(fault.line, 2);
    for step in ClaimStep::ALL {
        assert!(Claims::replay(&[of(step, 1, UNTIL)]).is_ok(), "what came before {step:?} may be compacted away");
    }
}

const NAMES: [&str; 3] = ["s", "t", "u"];

/// Three scenarios, a key, and three paths. The folder `src` holds `src/*.rs`.
fn all_series() -> Vec<ClaimSeries> {
    let others = [key("s"), path("src"), path("src/*.rs"), path("docs/a.md")];
    NAMES.map(series).into_iter().chain(others).collect()
}

/// One random command: its kind, series, owner, one of the tokens given so far, and the time that passes before it.
#[derive(Clone, Debug)]
struct Deed {
    kind: u8,
    scenario: u8,
    owner: u8,
    token: usize,
    wait: i64,
    flag: bool,
}

fn deed() -> impl Strategy<Value = Deed> {
    let parts = (0u8..9, 0u8..10, 0u8..2, 0usize..8, -3i64..14, any::<bool>());
    parts.prop_map(|(kind, scenario, owner, token, wait, flag)| Deed { kind, scenario, owner, token, wait, flag })
}

const TTL: i64 = 6;

fn command(deed: &Deed, now: i64, given: &[ClaimToken], fresh: ClaimToken) -> ClaimCommand {
    let known = given.get(given.len().wrapping_sub(1 + deed.token)).copied().unwrap_or(ClaimToken([0xff; 16]));
    let scenario = || series(NAMES[usize::from(deed.scenario) % 3]);
    // a scenario in six of ten deeds
    let series = all_series().swap_remove(usize::from(deed.scenario).checked_sub(3).unwrap_or(deed.scenario.into()));
    let until = at(now + TTL);
    match deed.kind {
        0..=2 => {
            let run = deed.flag.then(|| RunId::parse("r")).flatten();
            let owner = format!("owner {}", deed.owner);
            let session = deed.flag.then(|| SessionHash::of(owner.as_bytes()));
            let claim =
                Claim { series, owner, token: fresh, attempt: 1, run, until, text: None, remote: None, session };
            ClaimCommand::Take(claim, deed.token == 0)
        }
        3 | 4 => ClaimCommand::Renew { token: known, until },
        5 => ClaimCommand::Release { token: known },
        6 => ClaimCommand::Force { series },
        7 => ClaimCommand::File { series: scenario(), token: Some(known), keep: deed.flag },
        _ => ClaimCommand::File { series: scenario(), token: None, keep: false },
    }
}

fn tight(now: i64) -> ClaimTerms {
    let per_tag = BTreeMap::from([("t".to_owned(), 1)]);
    let limits = ClaimLimits { grace: 4, max_attempts: 2, max_per_owner: Some(2), max_per_run: 1, per_tag };
    ClaimTerms { now: at(now), limits }
}

/// Scenarios t and u share a tag.
fn tags(series: &ClaimSeries) -> Vec<String> {
    let name = series.scenario().map(ClaimedScenario::name);
    if matches!(name, Some("t" | "u")) { vec!["t".to_owned()] } else { Vec::new() }
}

fn outcome(decision: &Result<FilingDecision, ClaimRefusal>) -> String {
    match decision {
        Err(refusal) => name(refusal).to_owned(),
        Ok(FilingDecision { event: None, late }) => format!("nothing {late}"),
        Ok(FilingDecision { event: Some(event), late }) => {
            let claim = &event.claim;
            format!("{} {} {} {} {late}", event.step.as_str(), claim.owner, claim.attempt, claim.until.millis)
        }
    }
}

/// A command with the phase of its scenario or of its token.
type Met = (&'static str, &'static str);

fn met(claims: &Claims, command: &ClaimCommand, now: i64) -> Met {
    let held = |claim: &Claim| match tight(now).phase(claim) {
        HeldPhase::Live => "live",
        HeldPhase::Grace => "in grace",
        HeldPhase::Lapsed => "lapsed",
    };
    let of_series = |series: &ClaimSeries| claims.holder(series).map_or("free", held);
    let of_token = |token: ClaimToken| match claims.token(token) {
        None => "unknown",
        Some(TokenState::Holds(series)) => of_series(series),
        Some(TokenState::Ended(_, step)) => step.as_str(),
    };
    match command {
        ClaimCommand::Take(claim, _) => ("take", of_series(&claim.series)),
        ClaimCommand::Renew { token, .. } => ("renew", of_token(*token)),
        ClaimCommand::Release { token } => ("release", of_token(*token)),
        ClaimCommand::Force { series } => ("force", of_series(series)),
        ClaimCommand::File { series, token: None, .. } => ("file", of_series(series)),
        ClaimCommand::File { token: Some(token), keep, .. } => {
            (if *keep { "file and keep" } else { "file and end" }, of_token(*token))
        }
    }
}

/// Every command in every state that it can meet.
fn everything() -> BTreeSet<Met> {
    let phases = ["live", "in grace", "lapsed"];
    let ends = ["unknown", "released", "filed", "forced", "reclaimed"];
    let of_series = ["take", "force", "file"]
        .map(|command| ["free"].iter().chain(&phases).map(move |state| (command, *state)).collect());
    let of_token = ["renew", "release", "file and keep", "file and end"]
        .map(|command| phases.iter().chain(&ends).map(move |state| (command, *state)).collect());
    of_series.into_iter().chain(of_token).flat_map(|all: Vec<Met>| all).collect()
}

fn compare(deeds: &[Deed], seen: &RefCell<BTreeSet<Met>>) -> Result<(), TestCaseError> {
    let (mut claims, mut oracle) = (Claims::default(), Oracle::default());
    let (mut events, mut given): (Vec<ClaimEvent>, Vec<ClaimToken>) = (Vec::new(), Vec::new());
    let mut now = 100;
    for (index, deed) in deeds.iter().enumerate() {
        now += deed.wait;
        let fresh = token(u8::try_from(index).unwrap());
        let command = command(deed, now, &given, fresh);
        seen.borrow_mut().insert(met(&claims, &command, now));
        let decision = claims.decide(&command, &tight(now), &tags);
        prop_assert_eq!(outcome(&decision), oracle.meet(&command, &tight(now)), "deed {} at {}", index, now);
        if let Ok(FilingDecision { event: Some(event), .. }) = decision {
            claims.apply(&event).map_err(TestCaseError::fail)?;
            if event.claim.token == fresh {
                given.push(fresh);
            }
            events.push(event);
        }
    }
    let lines: Vec<String> = events.iter().map(encode).collect();
    let read = parse(lines.join("\n").as_bytes()).unwrap();
    prop_assert_eq!(&Claims::replay(&read).unwrap(), &claims, "the replay is the state");
    for most in 0..events.len() {
        let kept: Vec<ClaimEvent> = compact_to(&events, most).into_iter().cloned().collect();
        let replayed = Claims::replay(&kept).map_err(|fault| TestCaseError::fail(fault.message))?;
        for series in all_series() {
            prop_assert_eq!(replayed.state(&series), claims.state(&series), "compacted to {}", most);
        }
        for (token, state) in &replayed.tokens {
            prop_assert_eq!(Some(state), claims.token(*token), "what is still known is known right");
        }
    }
    Ok(())
}

/// Hundreds of sequences, the same at every run; `YATSU_FULL=1` runs 100,000.
#[test]
fn random_sequences_go_as_the_obvious_model_says() {
    let cases = if std::env::var_os("YATSU_FULL").is_some() { 100_000 } else { 600 };
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let seen = RefCell::default();
    let sequences = prop::collection::vec(deed(), 1..40);
    TestRunner::new_with_rng(config, rng).run(&sequences, |deeds| compare(&deeds, &seen)).unwrap();
    assert_eq!(seen.into_inner(), everything(), "a command was never tried in a state");
}
