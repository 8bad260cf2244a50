//! Replaces a line by an event, and checks such replacements (formats.md, "A retraction and a redaction").

use super::{Event, LineHash, Redacted, Redaction, Retraction, Timestamp, UsedKey, kinds, terms};
use crate::text::json::{self, Json};

/// The parts of a line that its replacement keeps, so that it fits no other line.
#[derive(PartialEq, Eq)]
struct Kept {
    scenario: String,
    ts: Timestamp,
    /// A retraction stays one: otherwise the withdrawn reading would count again.
    retracts: Option<Timestamp>,
    /// A used key stays used up: otherwise another reading could be filed under it.
    used: Option<UsedKey>,
}

impl Event {
    /// Whether the event is a valid replacement of `line`: it has the hash of the line, and keeps the required parts.
    pub(crate) fn stands_for(&self, line: &[u8]) -> bool {
        let kept = match self {
            Self::Redaction(of) => Kept { scenario: of.scenario.clone(), ts: of.ts, retracts: None, used: of.used },
            Self::Retraction(of) => {
                Kept { scenario: of.scenario.clone(), ts: of.ts, retracts: Some(of.retracts), used: None }
            }
            Self::Reading(_) | Self::Decision(_) | Self::Signature(_) | Self::Other | Self::Unknown(_) => return false,
        };
        let names = self.redacted().is_some_and(|redacted| redacted.line == LineHash::of(line));
        names && kept_of(line).is_some_and(|of_line| of_line == kept)
    }
}

/// The replacement of `line`; `None` for a line without scenario or time, and for a line that is a replacement itself,
/// because only that line identifies the line it replaced.
pub fn redact(line: &[u8], reason: &str, by: Option<&str>) -> Option<Event> {
    let Kept { scenario, ts, retracts, used } = kept_of(line)?;
    let redacted = Redacted { line: LineHash::of(line), reason: reason.to_owned() };
    let by = by.map(str::to_owned);
    Some(match retracts {
        Some(retracts) => {
            Event::Retraction(Box::new(Retraction { scenario, retracts, note: None, by, ts, redacted: Some(redacted) }))
        }
        None => Event::Redaction(Box::new(Redaction { redacted, scenario, ts, used, by })),
    })
}

/// Read from the bytes, so that a line with other schema faults can be replaced, too.
fn kept_of(line: &[u8]) -> Option<Kept> {
    let json = json::parse(std::str::from_utf8(line).ok()?).ok()?;
    if kinds::event(&json).is_ok_and(|event| event.redacted().is_some()) {
        return None;
    }
    let text = |key| json.get(key).and_then(Json::as_str);
    let time = |key| text(key).and_then(Timestamp::parse);
    let retracts = time("retracts");
    let used = if retracts.is_none() { UsedKey::of(&terms::read(&json)) } else { None };
    Some(Kept { scenario: text("scenario")?.to_owned(), ts: time("ts")?, retracts, used })
}
