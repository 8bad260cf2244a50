//! A decision: a conclusion about a goal, a patch, a budget or a scenario that cannot be measured here (formats.md, "A decision"). Lines are matched with this kind
//! last, so that a program without decisions reads the same readings from the same bytes. An unknown kind of decision is
//! kept and ignored. A decision with a missing part counts for nothing, and is reported if a change adds it.

use super::approved::{self, ApprovedContent, ContentKeys};
use super::blocked::{self, BLOCKED};
use super::fields::{Field, compact, hash, present, text, time, wrong_type};
use super::{EvidenceHash, Reading, Timestamp};
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::text::spelled::spelled;
use crate::tree::oid::Oid;
use serde::Serialize;
use std::collections::BTreeSet;

/// The kind that makes recorded verdicts count again after a breach of a budget.
const WAIVE_BUDGET: &str = "waive-budget";

const MAX_SCORE: u8 = 100;

spelled! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum GoalDecisionKind {
        /// The claim that the goal is reached.
        Complete = "complete",
        /// Another approach begins: the next attempt.
        Pivot = "pivot",
        /// The evidence must be improved; a claim of completion is withdrawn.
        Rework = "rework",
        /// No attempt is allowed until it is unblocked.
        Block = "block",
        /// The end of a block; attempts start again with the first.
        Unblock = "unblock",
        Review = "review",
    }
}

spelled! {
    /// The kinds of decisions about a patch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PatchDecisionKind {
        /// The patch is accepted.
        Approve = "approve",
        /// The patch is rejected.
        Reject = "reject",
    }
}

/// One decision with the readable parts of its line. The faults are in `wrong`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Its kind as spelled, known or not.
    pub kind: String,
    pub scenario: Option<String>,
    pub contract: Option<EvidenceHash>,
    /// The digest of its readings.
    pub readings: Option<EvidenceHash>,
    pub patch: Option<String>,
    pub commit: Option<Oid>,
    /// The commit that `content` was compared with.
    pub base: Option<Oid>,
    /// What a decision about a patch is about; `None` in lines of older programs.
    pub content: Option<ApprovedContent>,
    /// The addresses of the authors of that content.
    pub authors: BTreeSet<String>,
    /// A review's score, 0 to 100.
    pub score: Option<u8>,
    /// The reason; required for every known kind but `complete`.
    pub reason: Option<String>,
    /// The person who decided, for information; never verified.
    pub by: Option<String>,
    /// Its time; `None` if the line has no valid one.
    pub ts: Option<Timestamp>,
    /// What stood there when a blocked scenario could not be measured.
    pub(crate) attempt: Option<Box<Reading>>,
    /// Its faults, for example missing required parts; one sentence each.
    pub wrong: Vec<String>,
}

impl Decision {
    /// A waiver of the breaches of a scenario's budget so far.
    pub fn waive_budget(scenario: &str, reason: &str, by: &str, ts: Timestamp) -> Self {
        Self {
            kind: WAIVE_BUDGET.to_owned(),
            scenario: Some(scenario.to_owned()),
            reason: Some(reason.to_owned()),
            by: Some(by.to_owned()),
            ts: Some(ts),
            ..Self::default()
        }
    }

    /// The decision that a scenario could not be measured, for this reason. `attempt` is a reading without a verdict.
    pub(crate) fn blocked(attempt: Reading, reason: &str, by: &str) -> Self {
        Self {
            kind: BLOCKED.to_owned(),
            scenario: Some(attempt.scenario.clone()),
            commit: attempt.code_sha,
            reason: Some(reason.to_owned()),
            by: Some(by.to_owned()),
            ts: Some(attempt.ts),
            attempt: Some(Box::new(attempt)),
            ..Self::default()
        }
    }

    /// What stood there when measuring was tried in vain, and why it failed; `None` for another decision, and for one with a
    /// fault.
    pub(crate) fn attempt(&self) -> Option<(&Reading, &str)> {
        let counts = self.kind == BLOCKED && self.wrong.is_empty();
        counts.then_some(())?;
        Some((self.attempt.as_deref()?, self.reason.as_deref()?))
    }

    /// The scenario and the time of a valid waiver.
    pub fn waiver(&self) -> Option<(&str, Timestamp)> {
        let counts = self.kind == WAIVE_BUDGET && self.wrong.is_empty();
        counts.then_some(())?;
        Some((self.scenario.as_deref()?, self.ts?))
    }
}

/// The decision in `object`. Faults never make it fail, because its kind is known already.
pub(super) fn read(object: &Json<'_>) -> Field<Decision> {
    let kind = object.get("decision").and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut wrong = Vec::new();
    let mut word = |key: &'static str, is_needed: bool| {
        let found = text(object, key).unwrap_or_else(|bad| {
            wrong.push(bad.message);
            None
        });
        let blank = found.as_ref().is_some_and(|text| text.trim().is_empty());
        if blank || (is_needed && found.is_none() && object.get(key).is_none()) {
            wrong.push(needs(&kind, key));
        }
        found.filter(|_| !blank)
    };
    let is_blocked = kind == BLOCKED;
    let scenario = word("scenario", kind == WAIVE_BUDGET || is_blocked);
    let reason = word("reason", kind != "complete");
    let by = word("by", true);
    let of_patch = PatchDecisionKind::parse(&kind).is_some();
    let patch = word("patch", of_patch);
    let ts = time(object, "ts").map_err(|bad| wrong.push(bad.message)).ok();
    let of_goal = GoalDecisionKind::parse(&kind).is_some();
    let mut about = |key: &'static str| {
        let found = hash(object, key).unwrap_or_else(|bad| {
            wrong.push(bad.message);
            None
        });
        if of_goal && found.is_none() && present(object, key).is_none() {
            wrong.push(needs(&kind, key));
        }
        found
    };
    let (contract, readings) = (about("contract"), about("readings"));
    let commit = sound(commit(object, "commit", (of_patch || is_blocked).then_some(&*kind)), &mut wrong);
    let (base, content, authors) = if of_patch { about_content(object, &kind, &mut wrong) } else { Default::default() };
    let score = sound(score(object, &kind), &mut wrong);
    let bare = || Some(Reading { ts: ts?, ..Reading::nothing_but(scenario.as_deref()?, commit?) });
    let attempt = bare().filter(|_| is_blocked).map(|bare| blocked::read(object, bare, &mut wrong));
    if !(of_goal || of_patch || is_blocked || kind == WAIVE_BUDGET) {
        wrong.clear();
    }
    Ok(Decision {
        kind,
        scenario,
        contract,
        readings,
        patch,
        commit,
        base,
        content,
        authors,
        score,
        reason,
        by,
        ts,
        attempt,
        wrong,
    })
}

/// The value, or nothing and its fault.
fn sound<T>(found: Result<Option<T>, String>, wrong: &mut Vec<String>) -> Option<T> {
    found.unwrap_or_else(|message| {
        wrong.push(message);
        None
    })
}

fn needs(kind: &str, key: &str) -> String {
    format!("a decision `{}` needs \"{key}\"", echo(kind))
}

/// The base, the content and the authors of a decision about content; none of them in a line of an older program.
fn about_content(
    object: &Json<'_>,
    kind: &str,
    wrong: &mut Vec<String>,
) -> (Option<Oid>, Option<ApprovedContent>, BTreeSet<String>) {
    if ["content", "contentDigest"].iter().all(|key| present(object, key).is_none()) {
        return Default::default();
    }
    let base = commit(object, "base", Some(kind)).map_err(|message| wrong.push(message)).unwrap_or_default();
    let content = approved::read(object).map_err(|bad| wrong.push(bad.message)).unwrap_or_default();
    let authors = addresses(object).map_err(|message| wrong.push(message)).unwrap_or_default();
    (base, content, authors)
}

/// The commit under `key`; `needed_by` is a kind that requires one.
fn commit(object: &Json<'_>, key: &'static str, needed_by: Option<&str>) -> Result<Option<Oid>, String> {
    let Some(value) = present(object, key) else {
        return needed_by.map_or(Ok(None), |kind| Err(needs(kind, key)));
    };
    let id = value.as_str().filter(|text| !text.bytes().any(|byte| byte.is_ascii_uppercase()));
    let id = id.and_then(|text| Oid::from_hex(text.as_bytes()));
    id.map(Some).ok_or_else(|| wrong_type(key, "a full commit id in lower-case hex", value).message)
}

/// The addresses under `authors`, for example `["ann@example.org"]`.
fn addresses(object: &Json<'_>) -> Result<BTreeSet<String>, String> {
    let value = present(object, "authors").ok_or_else(|| "a decision with content needs \"authors\"".to_owned())?;
    let wrong = || wrong_type("authors", "a list of strings", value).message;
    let JsonValue::Array(items) = &value.value else { return Err(wrong()) };
    let found: Option<BTreeSet<String>> = items.iter().map(|item| item.as_str().map(str::to_lowercase)).collect();
    found.ok_or_else(wrong)
}

fn score(object: &Json<'_>, kind: &str) -> Result<Option<u8>, String> {
    let Some(value) = present(object, "score") else {
        return if kind == GoalDecisionKind::Review.as_str() { Err(needs(kind, "score")) } else { Ok(None) };
    };
    let score = value.number().filter(|score| *score <= MAX_SCORE);
    score.map(Some).ok_or_else(|| wrong_type("score", "a whole number from 0 to 100", value).message)
}

#[derive(Serialize)]
struct DecisionLine<'r> {
    decision: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readings: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    #[serde(flatten)]
    content: ContentKeys<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authors: Option<&'r BTreeSet<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
}

/// The line of a decision, without its line end.
pub(crate) fn encode_decision(decision: &Decision) -> String {
    if let Some(attempt) = &decision.attempt {
        return blocked::encode(attempt, decision.reason.as_deref(), decision.by.as_deref());
    }
    compact(&DecisionLine {
        decision: &decision.kind,
        scenario: decision.scenario.as_deref(),
        contract: decision.contract.map(|hash| hash.to_string()),
        readings: decision.readings.map(|hash| hash.to_string()),
        patch: decision.patch.as_deref(),
        commit: decision.commit.map(|id| id.to_string()),
        base: decision.base.map(|id| id.to_string()),
        content: approved::keys(decision.content.as_ref()),
        authors: decision.content.as_ref().map(|_| &decision.authors),
        score: decision.score,
        reason: decision.reason.as_deref(),
        by: decision.by.as_deref(),
        ts: decision.ts.map(|ts| ts.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{Event, parse};
    use crate::tree::path::RepoPath;

    /// A review with all required parts.
    fn line() -> String {
        let (contract, readings) = ("a".repeat(64), "b".repeat(64));
        format!(
            "{{\"decision\":\"review\",\"contract\":\"{contract}\",\"readings\":\"{readings}\",\"score\":85,\
             \"reason\":\"r\",\"by\":\"b\",\"ts\":\"2026-01-01T00:00:00.000Z\"}}"
        )
    }

    fn decision(line: &str) -> Decision {
        let ledger = parse(&RepoPath::root(), line.as_bytes());
        assert!(ledger.problems.is_empty(), "{:?}", ledger.problems);
        let Event::Decision(decision) = &ledger.lines[0].event else { panic!("a decision") };
        (**decision).clone()
    }

    #[test]
    fn what_is_written_of_a_decision_about_a_goal_is_what_was_read() {
        let read = decision(&line());
        assert_eq!(read.wrong, [""; 0]);
        assert_eq!((read.score, read.reason.as_deref()), (Some(85), Some("r")));
        assert_eq!(encode_decision(&read), line());
    }

    #[test]
    fn a_decision_about_a_goal_that_lacks_something_counts_for_nothing_and_says_what() {
        for (key, value) in [
            ("contract", "\"".to_owned() + &"a".repeat(64) + "\""),
            ("readings", "\"".to_owned() + &"b".repeat(64) + "\""),
            ("score", "85".to_owned()),
            ("reason", "\"r\"".to_owned()),
            ("by", "\"b\"".to_owned()),
        ] {
            let without = line().replace(&format!("\"{key}\":{value},"), "");
            assert_ne!(without, line());
            assert_eq!(decision(&without).wrong, [format!("a decision `review` needs \"{key}\"")]);
            let null = line().replace(&format!("\"{key}\":{value},"), &format!("\"{key}\":{{}},"));
            assert_eq!(decision(&null).wrong.len(), 1, "{key}: {:?}", decision(&null).wrong);
        }
        let complete = line().replace("review", "complete").replace("\"score\":85,\"reason\":\"r\",", "");
        assert_eq!(decision(&complete).wrong, [""; 0], "a completion needs neither score nor reason");
    }

    #[test]
    fn a_decision_about_a_patch_names_the_branch_and_its_tip() {
        let commit = "a".repeat(40);
        let line = format!(
            "{{\"decision\":\"approve\",\"readings\":\"{}\",\"patch\":\"feature\",\"commit\":\"{commit}\",\
             \"reason\":\"r\",\"by\":\"b\",\"ts\":\"2026-01-01T00:00:00.000Z\"}}",
            "b".repeat(64)
        );
        let read = decision(&line);
        assert_eq!((read.wrong.len(), read.patch.as_deref()), (0, Some("feature")));
        assert_eq!(encode_decision(&read), line);
        let bad = |from: &str, to: &str| decision(&line.replace(from, to)).wrong;
        assert_eq!(bad("\"patch\":\"feature\",", ""), ["a decision `approve` needs \"patch\""]);
        assert_eq!(bad(&format!("\"commit\":\"{commit}\","), ""), ["a decision `approve` needs \"commit\""]);
        for other in ["main", "aaaaaaa", &"A".repeat(40), ""] {
            assert_eq!(bad(&commit, other).len(), 1, "{other}: {:?}", bad(&commit, other));
        }
        assert_eq!(bad("approve", "reject"), [""; 0]);
    }

    #[test]
    fn a_decision_about_content_names_its_base_the_versions_and_the_authors() {
        let (tip, base) = ("a".repeat(40), "b".repeat(40));
        let head = format!("{{\"decision\":\"approve\",\"patch\":\"p\",\"commit\":\"{tip}\",\"base\":\"{base}\",");
        let tail = "\"authors\":[\"ann@x\"],\"reason\":\"r\",\"by\":\"b\",\"ts\":\"2026-01-01T00:00:00.000Z\"}";
        let files = format!("\"content\":{{\"a.sh\":[\"{base}\",\"x:{tip}\"],\"new\":[\"-\",\"{tip}\"]}},");
        let digest = format!("\"contentDigest\":{{\"files\":200,\"sha256\":\"{}\"}},", "c".repeat(64));
        for content in [&files, &digest] {
            let line = format!("{head}{content}{tail}");
            let read = decision(&line);
            assert_eq!(read.wrong, [""; 0]);
            assert_eq!(encode_decision(&read), line);
            assert_eq!(decision(&line.replace("\"authors\":[\"ann@x\"],", "")).wrong.len(), 1);
            assert_eq!(decision(&line.replace(&format!("\"base\":\"{base}\","), "")).wrong.len(), 1);
        }
        let wrong = |content: &str| decision(&format!("{head}{content}{tail}")).wrong.join("; ");
        insta::assert_snapshot!(
            [
                wrong(&format!("{files}{digest}")),
                wrong(&files.replace("\"-\",", "")),
                wrong(&files.replace("a.sh", "./a.sh")),
                wrong("\"content\":[],"),
                wrong("\"contentDigest\":{\"files\":1},"),
            ]
            .join("\n"),
            @r#"
        a decision has "content" or "contentDigest", not both
        "content" must give each path two versions, each a full object id, with x:, l: or m: before it, or -
        "./a.sh" in "content" is not a plain path of this repository
        "content" must be an object, not a list
        "contentDigest" must have "files", a number, and "sha256", 64 lower-case hex digits
        "#
        );
    }

    #[test]
    fn a_score_is_a_whole_number_up_to_a_hundred() {
        for (score, is_fine) in
            [("0", true), ("100", true), ("101", false), ("-1", false), ("1.5", false), ("\"8\"", false)]
        {
            let read = decision(&line().replace(":85,", &format!(":{score},")));
            assert_eq!(read.wrong.is_empty(), is_fine, "{score}: {:?}", read.wrong);
        }
    }

    #[test]
    fn of_a_kind_that_nobody_knows_nothing_is_asked() {
        let read = decision("{\"decision\":\"ponder\",\"contract\":5,\"score\":\"x\"}");
        assert_eq!(read.wrong, [""; 0]);
    }
}
