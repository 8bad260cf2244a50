//! Reads one physical line of a run log: its events, and every fault of its text. Pure.

use super::code::{LogCode, Violation};
use super::line::{LogLine, MAX_LINE};
use crate::text::json::{self, FaultKind, Json, JsonFault, JsonValue};
use crate::text::ndjson::RawLine;

/// One event of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEvent<'t> {
    /// The physical line, from 1.
    pub line: u32,
    /// The text of the line, for positions in it.
    pub text: &'t str,
    /// The object, with offsets from the beginning of the line.
    pub json: Json<'t>,
    /// The number of objects and non-blank lines before it.
    pub place: u64,
}

/// The parts of a line.
#[derive(Debug, Default)]
pub struct TakenApart<'t> {
    /// The objects in it, with their places in the log.
    pub events: Vec<LogEvent<'t>>,
    pub(crate) violations: Vec<Violation>,
    /// How many places it takes: one, or the number of objects that were glued together in it.
    pub places: u64,
}

impl LogEvent<'_> {
    pub(crate) fn get(&self, field: &str) -> Option<&Json<'_>> {
        self.json.get(field)
    }

    pub(crate) fn text_of(&self, field: &str) -> Option<&str> {
        self.get(field)?.as_str()
    }

    /// The name of the event, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.text_of("event")
    }

    /// A violation at a byte of its line.
    pub(crate) fn wrong(&self, code: LogCode, offset: Option<usize>, message: impl Into<String>) -> Violation {
        let (_, column) = json::line_column(self.text, offset.unwrap_or(self.json.offset));
        violation(code, self.line, column, message)
    }
}

fn violation(code: LogCode, line: u32, column: u32, message: impl Into<String>) -> Violation {
    Violation { code, line, column, detail: String::new(), message: message.into(), help: help(code).to_owned() }
}

/// A violation of a line without a position in it.
pub(crate) fn of_line(code: LogCode, line: u32, message: impl Into<String>) -> Violation {
    violation(code, line, 1, message)
}

fn help(code: LogCode) -> &'static str {
    match code {
        LogCode::TornLine | LogCode::Concatenated => "`yatsu-hook repair --dry-run` shows how it can be mended",
        LogCode::NoFinalNewline => "end the file with a line feed; the next line that runlog appends brings it",
        LogCode::ConflictMarker => "a run log has one writer: keep one side, and the other one under a name of its own",
        LogCode::UndeclaredEvent => {
            "declare it in a line of its own before it: yatsu-hook runlog add event_types_added types:='[\"NAME\"]'"
        }
        LogCode::Empty => "`yatsu-hook runlog start` writes the first lines",
        LogCode::SchemaNewer => "a newer yatsu-hook may know it; this one only keeps it append-only",
        LogCode::LineTooLong => "write long texts to files of their own and name these",
        LogCode::BlankLine | LogCode::Crlf | LogCode::TsRegression => {
            "nothing has to be done; write it right from now on"
        }
        LogCode::RunEndIncomplete => "end the phases first, or end the run as aborted or failed",
        LogCode::AfterRunEnd => "an ended run is over: start another log",
        _ => "if it is not committed yet, correct the line; a committed line stays, and the run goes on in a new log",
    }
}

/// Splits a non-blank line into its parts; `place` is the number of objects and lines before it.
pub fn take_apart<'t>(line: &LogLine<'t>, place: u64) -> TakenApart<'t> {
    let mut apart = TakenApart { places: 1, ..TakenApart::default() };
    if line.too_long {
        apart.violations.push(of_line(
            LogCode::LineTooLong,
            line.number,
            format!("the line is longer than {MAX_LINE} bytes"),
        ));
        return apart;
    }
    let raw = RawLine { number: line.number, bytes: line.bytes, ended: line.ended };
    if raw.is_conflict_marker() {
        apart.violations.push(of_line(
            LogCode::ConflictMarker,
            line.number,
            "the line is a marker of a merge conflict",
        ));
        return apart;
    }
    let found = match std::str::from_utf8(line.bytes) {
        Ok(text) => objects(line, text, place, &mut apart),
        Err(error) => {
            let column = String::from_utf8_lossy(&line.bytes[..error.valid_up_to()]).chars().count() + 1;
            Err(violation(LogCode::BadBytes, line.number, number(column), "the text is not UTF-8 from here on"))
        }
    };
    match found {
        Err(_) if !line.ended => {
            let message = "the last line was cut short: it has no end and is no JSON";
            apart.violations.push(of_line(LogCode::TornLine, line.number, message));
        }
        Err(violation) => apart.violations.push(violation),
        Ok(()) if !line.ended => {
            let message = "the last line has no line feed at its end";
            apart.violations.push(of_line(LogCode::NoFinalNewline, line.number, message));
        }
        Ok(()) => {}
    }
    if line.crlf {
        apart.violations.push(of_line(LogCode::Crlf, line.number, "the line ends in CRLF"));
    }
    apart
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Reads the objects of a line's text into `apart`. A fault that prevents reading is the error; other faults become
/// violations in `apart`.
fn objects<'t>(line: &LogLine<'t>, text: &'t str, place: u64, apart: &mut TakenApart<'t>) -> Result<(), Violation> {
    let at = |code, offset: usize, message: String| {
        let (_, column) = json::line_column(text, offset);
        violation(code, line.number, column, message)
    };
    let control = text.find(|c: char| matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}'));
    if let Some(offset) = control.or_else(|| mark_outside_strings(text)) {
        let c = text[offset..].chars().next().unwrap_or_default();
        return Err(at(
            LogCode::BadBytes,
            offset,
            format!("U+{:04X} may not stand in the text as it is", u32::from(c)),
        ));
    }
    let fault = match json::parse(text) {
        Ok(json) => return take(line, text, json, place, apart).map_err(|json| not_object(line, text, &json)),
        Err(fault) => fault,
    };
    if fault.kind != FaultKind::Trailing {
        let code = code_of(&fault, text);
        return Err(at(code, fault.offset, format!("the line {}", fault.message)));
    }
    let (parts, rest) = json::leading_objects(text);
    apart.places = parts.len().max(1) as u64;
    for (nth, part) in parts.iter().enumerate() {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        match json::parse(part) {
            Ok(json) => {
                let json = json.moved(start);
                let _ = take(line, text, json, place + nth as u64, apart);
            }
            Err(fault) => {
                let message = format!("the line {}", fault.message);
                apart.violations.push(at(code_of(&fault, text), start + fault.offset, message));
            }
        }
    }
    if !rest.is_empty() {
        return Err(at(LogCode::MalformedJson, text.len() - rest.len(), format!("the line {}", fault.message)));
    }
    let message = format!("{} objects stand in one line", parts.len());
    apart.violations.push(at(LogCode::Concatenated, 0, message));
    Ok(())
}

/// The offset of a byte order mark outside the strings of a line. Inside a string U+FEFF is text, as in JSON. A line with
/// such a string must stay valid, because a committed line can never be corrected.
fn mark_outside_strings(text: &str) -> Option<usize> {
    const MARK: char = '\u{feff}';
    let (mut in_string, mut is_escaped) = (false, false);
    // a quick check, because most lines have none
    text.find(MARK)?;
    text.char_indices().find_map(|(offset, c)| {
        let found = c == MARK && !in_string;
        in_string ^= c == '"' && !is_escaped;
        is_escaped = in_string && c == '\\' && !is_escaped;
        found.then_some(offset)
    })
}

/// Stores an object as an event; returns any other value.
fn take<'t>(
    line: &LogLine<'t>,
    text: &'t str,
    json: Json<'t>,
    place: u64,
    apart: &mut TakenApart<'t>,
) -> Result<(), Json<'t>> {
    if !matches!(json.value, JsonValue::Object(_)) {
        return Err(json);
    }
    apart.events.push(LogEvent { line: line.number, text, json, place });
    Ok(())
}

fn not_object(line: &LogLine<'_>, text: &str, json: &Json<'_>) -> Violation {
    let (_, column) = json::line_column(text, json.offset);
    violation(LogCode::NotObject, line.number, column, format!("the line is {}, not an object", json.type_name()))
}

/// The parser reports for `NaN` and similar words only that no value begins there.
fn code_of(fault: &JsonFault, text: &str) -> LogCode {
    const WORDS: [&str; 5] = ["NaN", "Infinity", "-Infinity", "nan", "inf"];
    let near = text.get(fault.offset.saturating_sub(1)..).or_else(|| text.get(fault.offset..)).unwrap_or_default();
    let value = near.trim_start_matches([':', '[', ',', ' ', '\t']);
    let is_word = WORDS.iter().any(|word| value.starts_with(word));
    match fault.kind {
        FaultKind::DuplicateKey => LogCode::DuplicateKey,
        FaultKind::Syntax if is_word || fault.message.contains("number") => LogCode::BadNumber,
        _ => LogCode::MalformedJson,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::runlogs::model::line::LogLines;

    /// The codes of the one line `text`, and its number of events.
    fn told(text: &[u8]) -> (Vec<&'static str>, usize) {
        let mut lines = LogLines::new(text);
        let line = lines.next_line().unwrap().expect("a line");
        let apart = take_apart(&line, 0);
        (apart.violations.iter().map(|violation| violation.code.as_str()).collect(), apart.events.len())
    }

    #[test]
    fn what_is_wrong_with_a_line_is_told_apart() {
        let cases: [(&[u8], &[&str], usize); 20] = [
            (b"{\"a\":1}\n", &[], 1),
            (b"{\"a\":1}", &["no-final-newline"], 1),
            (b"{\"a\":1}\r\n", &["crlf"], 1),
            (b"{\"a\":", &["torn-line"], 0),
            (b"{\"a\":\xe2\x82", &["torn-line"], 0),
            (b"{\"a\":\n", &["malformed-json"], 0),
            (b"garbage\n", &["malformed-json"], 0),
            (b"[1]\n", &["not-object"], 0),
            (b"42\n", &["not-object"], 0),
            (b"{\"a\":1}{\"b\":2}\n", &["concatenated"], 2),
            (b"{\"a\":1} {\"b\":2", &["torn-line"], 1),
            (b"{\"a\":1} garbage\n", &["malformed-json"], 1),
            (b"{\"a\":1,\"a\":1}\n", &["duplicate-key"], 0),
            (b"{\"a\":1}{\"a\":1,\"a\":1}\n", &["duplicate-key", "concatenated"], 1),
            (b"{\"a\":NaN}\n", &["bad-number"], 0),
            (b"{\"a\":[1,-Infinity]}\n", &["bad-number"], 0),
            (b"{\"a\":1e999}\n", &["bad-number"], 0),
            (b"{\"a\":\"\x00\"}\n", &["bad-bytes"], 0),
            (b"{\"a\":\"\xff\"}\n", &["bad-bytes"], 0),
            (b"<<<<<<< HEAD\n", &["conflict-marker"], 0),
        ];
        for (text, codes, events) in cases {
            assert_eq!(told(text), (codes.to_vec(), events), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn numbers_are_those_of_json() {
        for text in ["01", "+1", ".5", "1.", "0x1", "Infinity"] {
            let (codes, _) = told(format!("{{\"a\":{text}}}\n").as_bytes());
            assert!(matches!(codes.as_slice(), ["bad-number" | "malformed-json"]), "{text}: {codes:?}");
        }
        assert_eq!(told("{\"a\":-0.5e-3}\n".as_bytes()).0, Vec::<&str>::new());
    }

    #[test]
    fn a_line_separator_in_a_string_is_text() {
        assert_eq!(told("{\"a\":\"x\u{2028}\u{85}y\"}\n".as_bytes()), (vec![], 1));
        assert_eq!(told("\u{feff}{\"a\":1}\n".as_bytes()).0, ["bad-bytes"]);
        assert_eq!(told("{\"a\":\"\u{feff}x\\\"\u{feff}\",\"\u{feff}\":\"\\\\\"}\n".as_bytes()), (vec![], 1));
        assert_eq!(told("{\"a\":\"\\\\\"\u{feff}}\n".as_bytes()).0, ["bad-bytes"]);
    }

    #[test]
    fn deep_nesting_and_long_lines_are_refused() {
        assert_eq!(told(&[b'['].repeat(100_000)).0, ["torn-line"]);
        assert_eq!(told(&[&[b'['].repeat(100_000)[..], b"\n"].concat()).0, ["malformed-json"]);
        assert_eq!(told(&[&[b'x'].repeat(MAX_LINE + 1)[..], b"\n"].concat()).0, ["line-too-long"]);
    }

    #[test]
    fn columns_point_into_the_line() {
        let mut lines = LogLines::new("{\"é\":1}{\"b\":\"x\"}\n".as_bytes());
        let line = lines.next_line().unwrap().expect("a line");
        let apart = take_apart(&line, 7);
        let second = &apart.events[1];
        let value = second.get("b").unwrap();
        assert_eq!((second.place, second.wrong(LogCode::BadField, Some(value.offset), "").column), (8, 13));
    }
}
