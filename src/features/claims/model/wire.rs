//! The lines of the journal. Strict: a line with anything that this version does not write is unreadable, so that a reader
//! takes over no claim by mistake.

use super::{Claim, ClaimEvent, ClaimPath, ClaimSeries, ClaimStep, ClaimToken};
use crate::features::claims::model::key::ClaimKey;
use crate::features::claims::model::rows::ClaimedRow;
use crate::model::labels::RunId;
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::session::SessionHash;
use crate::text::escape::echo;
use crate::text::json::{self, Json, JsonValue};
use crate::text::ndjson;
use crate::tree::path::RepoPath;
use serde::Serialize;

/// The keys of a line of version 1, a closed set. A line with another key has another version.
const KEYS: [&str; 13] =
    ["v", "ts", "event", "node", "scenario", "owner", "token", "attempt", "run", "until", "text", "remote", "reason"];

/// The keys that version 2 adds. A line that has none of them is of version 1, so that older programs read it.
const KEYS_2: [&str; 3] = ["key", "path", "session"];

/// Longest accepted line in bytes.
const MAX_CLAIM_LINE: usize = 64 << 10;

/// A line of the journal that cannot be read, or that contradicts the lines before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimFault {
    /// The physical line, from 1.
    pub line: u32,
    /// The fault, one sentence.
    pub message: String,
}

/// The order of the fields is the order of the keys.
#[derive(Serialize)]
struct ClaimLine<'e> {
    v: u32,
    ts: String,
    event: &'static str,
    #[serde(flatten)]
    on: ClaimedRow,
    owner: &'e str,
    token: String,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'e str>,
    until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'e str>,
}

/// The version of the lines of a claim.
fn version(claim: &Claim) -> u32 {
    if claim.series.scenario().is_some() && claim.session.is_none() { 1 } else { 2 }
}

/// The line of an event, without its line end.
pub fn encode(event: &ClaimEvent) -> String {
    let claim = &event.claim;
    let line = ClaimLine {
        v: version(claim),
        ts: event.ts.to_string(),
        event: event.step.as_str(),
        on: ClaimedRow::of(&claim.series),
        owner: &claim.owner,
        token: claim.token.to_hex(),
        attempt: claim.attempt,
        run: claim.run.as_ref().map(RunId::as_str),
        until: claim.until.to_string(),
        text: claim.text.map(|hash| hash.to_string()),
        remote: claim.remote.as_deref(),
        session: claim.session.as_ref().map(SessionHash::as_str),
        reason: event.reason.as_deref(),
    };
    // a struct of strings and numbers always serialises
    serde_json::to_string(&line).unwrap_or_default()
}

/// The events of a journal, in the order of its lines; blank lines are skipped.
///
/// # Errors
/// The first line that is no event of this version.
pub fn parse(bytes: &[u8]) -> Result<Vec<ClaimEvent>, ClaimFault> {
    let filled = ndjson::lines(bytes).filter(|line| !line.is_blank());
    filled.map(|line| event(line.bytes).map_err(|message| ClaimFault { line: line.number, message })).collect()
}

pub(super) type Field<T> = Result<T, String>;

fn event(line: &[u8]) -> Field<ClaimEvent> {
    if line.len() > MAX_CLAIM_LINE {
        return Err(format!("is {} bytes long; the limit is {MAX_CLAIM_LINE}", line.len()));
    }
    let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    let json = json::parse(text).map_err(|fault| fault.message)?;
    let JsonValue::Object(members) = &json.value else { return Err(format!("is {}, no event", json.type_name())) };
    let is_second = match number(&json, "v")? {
        "1" => false,
        "2" => true,
        _ => return Err("is of another version".to_owned()),
    };
    let is_known = |key: &str| KEYS.contains(&key) || is_second && KEYS_2.contains(&key);
    if let Some((key, _)) = members.iter().find(|(key, _)| !is_known(key)) {
        return Err(format!("has the unknown key \"{}\"", echo(key)));
    }
    if is_second && KEYS_2.iter().all(|key| json.get(key).is_none()) {
        return Err("is of version 2 and says nothing that is new in it".to_owned());
    }
    let step = string(&json, "event")?;
    Ok(ClaimEvent {
        ts: time(&json, "ts")?,
        step: ClaimStep::parse(step).ok_or_else(|| format!("has the unknown event \"{}\"", echo(step)))?,
        claim: Claim {
            token: ClaimToken::from_hex(string(&json, "token")?).ok_or("has a \"token\" that is none")?,
            remote: json.get("remote").map(|_| string(&json, "remote").map(str::to_owned)).transpose()?,
            session: session(&json)?,
            ..claim(&json)?
        },
        reason: json.get("reason").map(|_| string(&json, "reason").map(str::to_owned)).transpose()?,
    })
}

fn session(json: &Json<'_>) -> Field<Option<SessionHash>> {
    let session = json.get("session").map(|_| string(json, "session").map(SessionHash::from_hex)).transpose()?;
    session.map(|session| session.ok_or_else(|| "has a \"session\" that is no hash of one".to_owned())).transpose()
}

/// What a line is about: a scenario of a node, a key or a path, and only one of them.
fn series(json: &Json<'_>) -> Field<ClaimSeries> {
    let has = |key: &str| json.get(key).is_some();
    match (has("node") || has("scenario"), has("key"), has("path")) {
        (false, true, false) => {
            let key = ClaimKey::parse(string(json, "key")?).ok_or("has a \"key\" that is none")?;
            Ok(ClaimSeries::Key(key))
        }
        (false, false, true) => {
            let path = ClaimPath::parse(string(json, "path")?).map_err(|why| format!("has a \"path\" that {why}"))?;
            Ok(ClaimSeries::Path(path))
        }
        (_, false, false) => {
            let node = node(string(json, "node")?)?;
            Ok(ClaimSeries::new(&node, string(json, "scenario")?).ok_or("has a blank \"scenario\"")?)
        }
        _ => Err("is about more than one thing".to_owned()),
    }
}

/// The claim of a line, without its token, its remote and its session.
pub(super) fn claim(json: &Json<'_>) -> Field<Claim> {
    let owner = string(json, "owner")?;
    let attempt = number(json, "attempt")?.parse().ok().filter(|attempt| *attempt > 0);
    let run = json.get("run").map(|_| string(json, "run").map(RunId::parse)).transpose()?;
    let hash = |text: &str| EvidenceHash::from_hex(text.as_bytes());
    let text = json.get("text").map(|_| string(json, "text").map(hash)).transpose()?;
    Ok(Claim {
        series: series(json)?,
        owner: Some(owner).filter(|owner| !owner.trim().is_empty()).ok_or("has a blank \"owner\"")?.to_owned(),
        token: ClaimToken([0; 16]),
        attempt: attempt.ok_or("has an \"attempt\" that is no whole number from 1")?,
        text: text.map(|text| text.ok_or("has a \"text\" that is no hash")).transpose()?,
        run: run.map(|run| run.ok_or("has a \"run\" that is no name of one")).transpose()?,
        until: time(json, "until")?,
        remote: None,
        session: None,
    })
}

fn node(text: &str) -> Field<RepoPath> {
    if text == "." {
        return Ok(RepoPath::root());
    }
    let path = RepoPath::parse(text.as_bytes()).ok().filter(|path| *path.as_bstr() == *text && !path.is_root());
    path.ok_or_else(|| "has a \"node\" that is no plain path".to_owned())
}

pub(super) fn time(json: &Json<'_>, key: &str) -> Field<Timestamp> {
    Timestamp::parse(string(json, key)?).ok_or_else(|| format!("has a \"{key}\" that is no time"))
}

pub(super) fn string<'j>(json: &'j Json<'_>, key: &str) -> Field<&'j str> {
    json.get(key).and_then(Json::as_str).ok_or_else(|| format!("has no string \"{key}\""))
}

pub(super) fn number<'t>(json: &Json<'t>, key: &str) -> Field<&'t str> {
    match json.get(key).map(|value| &value.value) {
        Some(JsonValue::Number(text)) => Ok(text),
        _ => Err(format!("has no number \"{key}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = r#"{"v":1,"ts":"2026-01-31T09:30:00.000Z","event":"taken","node":".spec/a","scenario":"s","owner":"Ann","token":"00112233445566778899aabbccddeeff","attempt":1,"run":"r","until":"2026-01-31T10:00:00.000Z"}"#;

    const KEY_LINE: &str = r#"{"v":2,"ts":"2026-01-31T09:30:00.000Z","event":"taken","key":"deploy","owner":"Ann","token":"00112233445566778899aabbccddeeff","attempt":1,"until":"2026-01-31T10:00:00.000Z","session":"00ff00ff00ff00ff00ff00ff00ff00ff"}"#;

    fn one(line: &str) -> Result<ClaimEvent, ClaimFault> {
        parse(line.as_bytes()).map(|events| events[0].clone())
    }

    #[test]
    fn a_line_is_written_as_it_was_read() {
        for line in [
            LINE.to_owned(),
            KEY_LINE.to_owned(),
            KEY_LINE.replace(",\"session\":\"00ff00ff00ff00ff00ff00ff00ff00ff\"", ""),
            KEY_LINE.replace("\"key\":\"deploy\"", "\"path\":\"src/*.rs\""),
            KEY_LINE.replace("\"key\":\"deploy\"", "\"path\":\".\""),
            KEY_LINE.replace("\"key\":\"deploy\"", "\"node\":\".spec/a\",\"scenario\":\"s\""),
            LINE.replace(".spec/a", "."),
            LINE.replace("\"run\":\"r\",", ""),
            LINE.replace("10:00:00.000Z\"", &format!("10:00:00.000Z\",\"text\":\"{}\"", "0a".repeat(32))),
            LINE.replace("10:00:00.000Z\"", "10:00:00.000Z\",\"remote\":\"origin\"").replace("taken", "intended"),
            LINE.replace("00.000Z\"}", "00.000Z\",\"reason\":\"a \\\"b\\\"\\n\u{2028}\"}").replace("taken", "forced"),
        ] {
            assert_eq!(encode(&one(&line).unwrap()), line);
        }
    }

    #[test]
    fn a_line_that_says_anything_else_is_unreadable_and_named() {
        let wrong = [
            (LINE.replace("\"v\":1", "\"v\":3"), "another version"),
            (LINE.replace("\"v\":1", "\"v\":2"), "of version 2 and says nothing"),
            (KEY_LINE.replace("\"v\":2", "\"v\":1"), "unknown key \"key\""),
            (KEY_LINE.replace("\"deploy\"", "\"a b\""), "\"key\" that is none"),
            (KEY_LINE.replace("\"deploy\"", "1"), "no string \"key\""),
            (KEY_LINE.replace("\"key\"", "\"node\":\"a\",\"key\""), "more than one thing"),
            (KEY_LINE.replace("\"key\"", "\"path\":\"a\",\"key\""), "more than one thing"),
            (KEY_LINE.replace("\"key\":\"deploy\"", "\"path\":\"a/[\""), "\"path\" that is no glob"),
            (KEY_LINE.replace("\"key\":\"deploy\"", "\"path\":\"a/\""), "no plain path"),
            (KEY_LINE.replace("00ff\"}", "00fg\"}"), "\"session\" that is no hash"),
            (LINE.replace("\"v\":1", "\"v\":1,\"x\":1"), "unknown key \"x\""),
            (LINE.replace("\"v\":1", "\"v\":1,\"v\":1"), "twice"),
            (LINE.replace("taken", "stolen"), "unknown event"),
            (LINE.replace(".spec/a", "../a"), "no plain path"),
            (LINE.replace(".spec/a", "a/./b"), "no plain path"),
            (LINE.replace(".spec/a", ""), "no plain path"),
            (LINE.replace("\"s\"", "\" \""), "blank \"scenario\""),
            (LINE.replace("Ann", ""), "blank \"owner\""),
            (LINE.replace("eeff", "EEFF"), "\"token\" that is none"),
            (LINE.replace("\"attempt\":1", "\"attempt\":0"), "\"attempt\""),
            (LINE.replace("\"attempt\":1", "\"attempt\":-1"), "\"attempt\""),
            (LINE.replace("\"attempt\":1", "\"attempt\":4294967296"), "\"attempt\""),
            (LINE.replace("\"r\"", "\"r/r\""), "\"run\""),
            (LINE.replace("\"run\":\"r\"", "\"text\":\"0A\""), "\"text\" that is no hash"),
            (LINE.replace("T10", "T25"), "\"until\" that is no time"),
            (LINE.replace("\"ts\":\"", "\"ts\":\" "), "\"ts\" that is no time"),
            ("[1]".into(), "is a list, no event"),
            ("{}".into(), "\"v\""),
            (format!("{LINE}{LINE}"), "goes on after"),
            ("[".repeat(100_000), "the limit is"),
            ("[".repeat(1000), "nested deeper"),
            ("\u{0}".into(), "is not JSON"),
            (LINE[..60].to_owned(), "ends inside"),
        ];
        for (line, expected) in wrong {
            let fault = parse(format!("{LINE}\n\n{line}\n{LINE}\n").as_bytes()).unwrap_err();
            assert_eq!(fault.line, 3, "{line}");
            assert!(fault.message.contains(expected), "{}: {expected}", fault.message);
        }
        assert_eq!(parse(b"\xff\n").unwrap_err().message, "is not UTF-8");
        assert_eq!(parse(b"\n \r\n"), Ok(Vec::new()));
    }

    #[test]
    fn no_fault_spells_a_token() {
        for line in [LINE.replace("\"v\":1", "\"v\":2"), LINE.replace("taken", "x"), LINE[..180].to_owned()] {
            assert!(!one(&line).unwrap_err().message.contains("0011"), "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic_and_what_is_read_is_written_the_same(
            line in prop::sample::select(vec![LINE, KEY_LINE]), cut in 0..LINE.len(),
            with in prop::collection::vec(any::<u8>(), 0..6), rest in 0..LINE.len()
        ) {
            let bytes = [&line.as_bytes()[..cut], &with, &line.as_bytes()[rest..]].concat();
            if let Ok(events) = parse(&bytes) {
                let written: Vec<String> = events.iter().map(encode).collect();
                prop_assert_eq!(parse(written.join("\n").as_bytes()), Ok(events));
            }
        }
    }
}
