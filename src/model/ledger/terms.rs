//! The terms of a reading: its key, attempt, run, cost, what speaks for it, what its run went through, its environment and its
//! counted runs (formats.md, "A reading"). These keys were added after the first ledgers. So a wrong value never makes an old line unreadable: it counts
//! for nothing, and is reported if a change adds it.

use super::coverage::{self, CoverageOf, CoverageValue};
use super::fields::{Field, bad, present, string, wrong_type};
use super::how::{self, Grade, HowValue, Observed};
use super::runs::{self, RunCounts, RunsValue};
use crate::model::labels::{EnvName, ReadingKey, RunId};
use crate::model::usage::{self, Usage};
use crate::text::escape::echo;
use crate::text::json::Json;
use serde::Serialize;
use std::collections::BTreeMap;

/// The key, attempt, run and cost of a reading, what speaks for it, and what its run went through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilingTerms {
    /// The idempotency key: filing twice with one key files once.
    pub key: Option<ReadingKey>,
    /// The attempt of its claim, from 1.
    pub attempt: Option<u32>,
    pub(crate) run: Option<RunId>,
    pub(crate) usage: Option<Usage>,
    pub(crate) how: Option<Observed>,
    pub(crate) coverage: Option<CoverageOf>,
    /// The environment that was measured.
    pub env: Option<EnvName>,
    /// Its runs; `None` is one run.
    pub runs: Option<RunCounts>,
    /// The faults of present values that count for nothing; one sentence each.
    pub wrong: Vec<String>,
}

/// The keys, in writing order.
const KEYS: [&str; 4] = ["key", "attempt", "run", "usage"];

/// The key of the environment.
const ENV: &str = "env";

impl FilingTerms {
    /// What speaks for the reading.
    pub(crate) fn grade(&self) -> Grade {
        if self.how.is_some() { Grade::Observed } else { Grade::Claimed }
    }
}

/// The terms in `object`; never fails.
pub(super) fn read(object: &Json<'_>) -> FilingTerms {
    let mut terms = FilingTerms::default();
    let mut wrong = Vec::new();
    terms.key = counted(label(object, KEYS[0], ReadingKey::parse, ReadingKey::FORM), &mut wrong);
    terms.attempt = counted(attempt(object), &mut wrong);
    terms.run = counted(label(object, KEYS[2], RunId::parse, RunId::FORM), &mut wrong);
    terms.usage = counted(cost(object), &mut wrong);
    terms.how = counted(how::read(object), &mut wrong);
    terms.coverage = counted(coverage::read(object), &mut wrong);
    terms.env = counted(label(object, ENV, EnvName::parse, EnvName::FORM), &mut wrong);
    terms.runs = counted(runs::read(object), &mut wrong);
    terms.wrong = wrong;
    terms
}

fn counted<T>(found: Field<Option<T>>, wrong: &mut Vec<String>) -> Option<T> {
    found.unwrap_or_else(|bad| {
        wrong.push(bad.message);
        None
    })
}

fn label<T>(object: &Json<'_>, key: &'static str, parse: fn(&str) -> Option<T>, form: &str) -> Field<Option<T>> {
    let Some(value) = present(object, key) else { return Ok(None) };
    let text = string(key, value)?;
    parse(text)
        .map(Some)
        .ok_or_else(|| bad("label", value, format!("\"{key}\" must be {form}, not \"{}\"", echo(text))))
}

fn attempt(object: &Json<'_>) -> Field<Option<u32>> {
    let Some(value) = present(object, KEYS[1]) else { return Ok(None) };
    let number = value.number().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| wrong_type(KEYS[1], "a whole number from 1", value))
}

fn cost(object: &Json<'_>) -> Field<Option<Usage>> {
    let Some(value) = present(object, KEYS[3]) else { return Ok(None) };
    usage::parse(value).map(Some).map_err(|fault| bad("usage", value, fault.message))
}

/// The keys of the terms as written in a line.
#[derive(Serialize)]
pub(super) struct TermsValue<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageValue<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<HowValue<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) coverage: Option<CoverageValue<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<RunsValue>,
}

#[derive(Serialize)]
struct UsageValue<'r> {
    #[serde(flatten)]
    amounts: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r str>,
}

/// The written form of `terms`.
pub(super) fn value(terms: &FilingTerms) -> TermsValue<'_> {
    let of_usage = |usage: &'_ Usage| -> BTreeMap<&'static str, u64> { usage.named().into_iter().collect() };
    TermsValue {
        key: terms.key.as_ref().map(ReadingKey::as_str),
        attempt: terms.attempt,
        run: terms.run.as_ref().map(RunId::as_str),
        usage: terms.usage.as_ref().map(|usage| UsageValue {
            amounts: of_usage(usage),
            source: usage.tokens.as_ref().map(|tokens| tokens.source.as_str()),
        }),
        how: terms.how.as_ref().map(how::value),
        coverage: terms.coverage.as_ref().map(coverage::value),
        env: terms.env.as_ref().map(EnvName::as_str),
        runs: terms.runs.as_ref().map(runs::value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::{encode_reading, parse};
    use crate::tree::path::RepoPath;

    const LINE: &str = r#"{"scenario":"s","codeSha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904","blob":null,"verdict":{"status":"pass"},"key":"k:1","attempt":2,"run":"r","usage":{"completionTokens":1,"maxRssBytes":5,"promptTokens":2,"totalTokens":3,"source":"s"},"how":{"kind":"observed","harness":"claude","command":"make test","exit":0,"output":"9b01f58abd6b88d720829d7ec45e313449c1516f4a88e8dee0e8dc06795b805e","at":"2026-01-01T00:00:00.000Z"},"ts":"2026-01-01T00:00:00.000Z"}"#;

    fn reading(line: &str) -> crate::model::ledger::Reading {
        let ledger = parse(&RepoPath::root(), line.as_bytes());
        assert!(ledger.problems.is_empty(), "{:?}", ledger.problems);
        let Some(reading) = ledger.lines[0].event.reading() else { panic!("a reading") };
        reading.clone()
    }

    #[test]
    fn what_is_written_of_the_terms_is_what_was_read() {
        let read = reading(LINE);
        assert_eq!(read.terms.wrong, [""; 0]);
        assert_eq!((read.terms.key.as_ref().map(ReadingKey::as_str), read.terms.attempt), (Some("k:1"), Some(2)));
        assert_eq!((read.terms.grade(), read.terms.how.as_ref().map(|how| how.exit)), (Grade::Observed, Some(0)));
        assert_eq!(encode_reading(&read), LINE);
    }

    #[test]
    fn a_kind_that_is_not_known_is_a_claim_and_no_fault() {
        let read = reading(&LINE.replace("\"kind\":\"observed\"", "\"kind\":\"notarised\""));
        assert_eq!((read.terms.grade(), read.terms.wrong.len()), (Grade::Claimed, 0));
    }

    #[test]
    fn a_wrong_term_counts_for_nothing_and_leaves_the_reading_as_it_is() {
        for (from, to, said) in [
            ("\"k:1\"", "\"a b\"", "\"key\" must be"),
            ("\"k:1\"", "5", "\"key\" must be a string"),
            ("\"attempt\":2", "\"attempt\":0", "\"attempt\" must be a whole number from 1, not the number 0"),
            ("\"attempt\":2", "\"attempt\":1.5", "\"attempt\" must be"),
            ("\"r\"", "\"r/r\"", "\"run\" must be"),
            ("\"totalTokens\":3", "\"totalTokens\":4", "2 + 1 tokens"),
            ("\"maxRssBytes\":5", "\"maxRssBytes\":-5", "\"maxRssBytes\" must be"),
            ("\"kind\":\"observed\",", "", "\"kind\" is missing"),
            ("\"claude\"", "\" \"", "\"harness\" is blank"),
            ("\"command\":\"make test\",", "", "\"command\" is missing"),
            ("\"exit\":0", "\"exit\":0.0", "\"exit\" must be a whole number"),
            ("\"exit\":0", "\"exit\":1", "\"how\" says exit 1, which contradicts the verdict"),
            ("\"pass\"", "\"fail\"", "\"how\" says exit 0, which contradicts the verdict"),
            ("9b01f58", "9B01F58", "\"output\" must be a sha256"),
            ("\"at\":\"2026", "\"at\":\"26", "\"at\" must be a time"),
        ] {
            let read = reading(&LINE.replace(from, to));
            assert_eq!(read.terms.wrong.len(), 1, "{to}");
            assert!(read.terms.wrong[0].contains(said), "{:?}", read.terms.wrong);
            assert_eq!(read.scenario, "s");
        }
        assert_eq!(reading(&LINE.replace("\"k:1\"", "null")).terms.wrong, [""; 0]);
    }
}
