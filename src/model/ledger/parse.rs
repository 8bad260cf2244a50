//! Reads a ledger, each line by itself, so that one bad line never hides the others.

use super::{Event, Ledger, Line, kinds, signed_bytes};
use crate::model::source::{Position, Problem};
use crate::text::json::{self, FaultKind, Json, JsonFault, JsonValue};
use crate::text::ndjson::{self, RawLine};
use crate::tree::path::RepoPath;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::rc::Rc;

/// Longest accepted line in bytes.
pub const MAX_LINE: usize = 64 << 10;
/// A ledger with more bytes gets advice.
pub const MAX_LEDGER: usize = 64 << 20;
/// A ledger with more lines gets advice.
pub const MAX_LINES: u32 = 200_000;

/// The repair of a line that a person or a tool wrote by hand.
const WITHDRAW: &str = "delete the line; if it was a reading, file it again: yatsu-hook eval NODE/SCENARIO --pass   (or --fail; with a test: --from-junit FILE)";
/// The repair of the rest of an interrupted write.
const REPAIR: &str = "run `yatsu-hook repair`, then git add the ledger";

/// Why a line holds no event.
struct Refusal {
    kind: &'static str,
    column: u32,
    scenario: Option<String>,
    message: String,
    help: &'static str,
}

impl Refusal {
    fn new(kind: &'static str, message: impl Into<String>, help: &'static str) -> Self {
        Self { kind, column: 1, scenario: None, message: message.into(), help }
    }
}

/// The ledger in `bytes`. Never fails: a line without an event is a problem, and all others are read.
pub fn parse(path: &RepoPath, bytes: &[u8]) -> Ledger {
    let mut ledger = Ledger { path: path.clone(), ..Ledger::default() };
    let mut count = 0;
    for line in ndjson::lines(bytes) {
        count = line.number;
        ledger.missing_final_newline = !line.ended;
        if line.is_blank() {
            continue;
        }
        let bytes: Rc<[u8]> = line.bytes.into();
        ledger.raw.push(Rc::clone(&bytes));
        match read_line(&line) {
            Ok(event) => ledger.lines.push(Line { number: line.number, bytes, event }),
            Err(refusal) => {
                ledger.torn = refusal.kind == "torn";
                ledger.problems.push(problem(&line, refusal));
            }
        }
    }
    ledger.problems.extend(advice(bytes.len(), count));
    ledger
}

/// The event of a line that was found well-formed before; `None` if it is not.
pub(crate) fn event(bytes: &[u8]) -> Option<Event> {
    read_line(&RawLine { number: 1, bytes, ended: true }).ok()
}

fn read_line(line: &RawLine<'_>) -> Result<Event, Refusal> {
    if line.bytes.len() > MAX_LINE {
        let message = format!("the line is {} bytes long; the limit is {MAX_LINE}", line.bytes.len());
        return Err(Refusal::new("line-limit", message, WITHDRAW));
    }
    if line.is_conflict_marker() {
        let help = "keep the lines of both sides: `yatsu-hook repair`, then git add the ledger; \
                    `yatsu-hook install --merge-driver` merges ledgers without conflicts";
        return Err(Refusal::new("conflict-marker", "a merge left a conflict marker here", help));
    }
    let text = std::str::from_utf8(line.bytes).map_err(|error| not_utf8(line, error.valid_up_to()))?;
    if let Some(mut event) = json::parse_unplaced(text).and_then(|json| kinds::event(&json).ok()) {
        if let Event::Signature(signature) = &mut event {
            signature.wrong.extend(misspelt_end(line.bytes));
        }
        return Ok(event);
    }
    // the line is wrong or unusual: parsed again for the position
    let json = json::parse(text).map_err(|fault| not_json(line, text, &fault))?;
    read_event(text, &json)
}

/// The fault of a signature that another program could not take apart by its text.
fn misspelt_end(line: &[u8]) -> Option<String> {
    signed_bytes(line)
        .is_none()
        .then(|| "a signature must end with `,\"sig\":\"…\"}`, without white space there".to_owned())
}

fn read_event(text: &str, json: &Json<'_>) -> Result<Event, Refusal> {
    if !matches!(json.value, JsonValue::Object(_)) {
        let message = format!("a line must be a JSON object, not {}", json.type_name());
        return Err(Refusal::new("not-an-object", message, WITHDRAW));
    }
    kinds::event(json).map_err(|bad| Refusal {
        column: json::line_column(text, bad.offset).1,
        scenario: json.get("scenario").and_then(Json::as_str).map(str::to_owned),
        ..Refusal::new(bad.kind, bad.message, WITHDRAW)
    })
}

fn not_utf8(line: &RawLine<'_>, valid: usize) -> Refusal {
    if !line.ended {
        return torn();
    }
    let column = String::from_utf8_lossy(&line.bytes[..valid]).chars().count() + 1;
    let column = u32::try_from(column).unwrap_or(u32::MAX);
    Refusal { column, ..Refusal::new("not-utf8", "the line is not UTF-8 from here on", WITHDRAW) }
}

fn not_json(line: &RawLine<'_>, text: &str, fault: &JsonFault) -> Refusal {
    let column = json::line_column(text, fault.offset).1;
    if let Some(glued) = json::objects(text).filter(|objects| objects.len() > 1) {
        let message = format!("{} events stand on one line; each needs its own", glued.len());
        return Refusal { column, ..Refusal::new("glued", message, REPAIR) };
    }
    let kind = match fault.kind {
        FaultKind::Nesting => "nesting",
        FaultKind::DuplicateKey => "duplicate-key",
        _ if !line.ended => return torn(),
        FaultKind::Unfinished => "unfinished",
        FaultKind::Syntax | FaultKind::Trailing => "syntax",
    };
    Refusal { column, ..Refusal::new(kind, format!("the line {}", fault.message), WITHDRAW) }
}

fn torn() -> Refusal {
    Refusal::new("torn", "the last line is torn: a write was cut short", REPAIR)
}

fn problem(line: &RawLine<'_>, refusal: Refusal) -> Problem {
    Problem {
        at: Position { line: line.number, column: refusal.column },
        scenario: refusal.scenario,
        message: refusal.message,
        help: refusal.help.into(),
        key: line_key(refusal.kind, line.bytes),
        advice: false,
    }
}

/// A key for a violation: its kind and the hash of its line. It does not change when lines shift.
fn line_key(kind: &str, bytes: &[u8]) -> String {
    let mut key = format!("{kind}:");
    for byte in &Sha256::digest(bytes)[..16] {
        // writing to a string cannot fail
        let _ = write!(key, "{byte:02x}");
    }
    key
}

/// The limits of the whole file only give advice, because an append-only file must never block for good.
fn advice(size: usize, lines: u32) -> Vec<Problem> {
    let mut found = Vec::new();
    if size > MAX_LEDGER {
        found
            .push(("ledger-size", format!("the ledger is {size} bytes long; more than {MAX_LEDGER} make checks slow")));
    }
    if lines > MAX_LINES {
        found.push(("ledger-lines", format!("the ledger has {lines} lines; more than {MAX_LINES} make checks slow")));
    }
    let problem = |(kind, message): (&str, String)| Problem {
        at: Position { line: 1, column: 1 },
        scenario: None,
        message,
        help: "split the node, so that new readings go to ledgers of their own".into(),
        key: kind.into(),
        advice: true,
    };
    found.into_iter().map(problem).collect()
}
