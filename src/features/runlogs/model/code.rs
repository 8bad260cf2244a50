//! The codes of all violations in a run log (rule `runlog-schema`), by which programs distinguish them.

use crate::finding::Level;
use crate::text::spelled::spelled;

spelled! {
    /// The kind of a violation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum LogCode {
        /// The log has no event.
        Empty = "empty",
        /// A file in the place of a log, with events of a log but without an `_index`.
        IndexMissing = "index-missing",
        /// The first event is not `_index`.
        IndexNotFirst = "index-not-first",
        /// A second `_index`.
        IndexDuplicate = "index-duplicate",
        /// A missing or wrong field of `_index`.
        IndexField = "index-field",
        /// A higher major version than the profile has: not judged further.
        SchemaNewer = "schema-newer",
        /// A line that is not JSON.
        MalformedJson = "malformed-json",
        /// A JSON line that is not an object.
        NotObject = "not-object",
        /// Several objects in one line.
        Concatenated = "concatenated",
        /// An incomplete last line.
        TornLine = "torn-line",
        /// A last line without a line end.
        NoFinalNewline = "no-final-newline",
        /// An empty line.
        BlankLine = "blank-line",
        /// A line that ends in CRLF.
        Crlf = "crlf",
        /// An event without a time.
        MissingTs = "missing-ts",
        /// A time in another spelling.
        BadTs = "bad-ts",
        /// A time earlier than in the event above.
        TsRegression = "ts-regression",
        /// A line without the name of its event.
        MissingEvent = "missing-event",
        /// An event that the vocabulary does not list.
        UndeclaredEvent = "undeclared-event",
        /// The start of the run is not in the second line.
        RunStartPosition = "run-start-position",
        /// No start of the run.
        RunStartMissing = "run-start-missing",
        /// A second start of the run.
        RunStartDuplicate = "run-start-duplicate",
        /// A phase that is no integer of the profile.
        BadPhase = "bad-phase",
        /// A phase that starts again.
        DuplicatePhaseStart = "duplicate-phase-start",
        /// A phase that ends again.
        DuplicatePhaseEnd = "duplicate-phase-end",
        /// The end of a phase that did not start.
        PhaseEndWithoutStart = "phase-end-without-start",
        /// A phase that starts after a phase with a higher number.
        PhaseOrder = "phase-order",
        /// A phase that starts inside another one.
        PhaseOverlap = "phase-overlap",
        /// A run that ends with success although a phase did not end.
        RunEndIncomplete = "run-end-incomplete",
        /// A second end of the run.
        RunEndDuplicate = "run-end-duplicate",
        /// An event after the end of the run.
        AfterRunEnd = "after-run-end",
        /// An event occurs twice although it may occur only once.
        DuplicateEvent = "duplicate-event",
        /// Two events that exclude each other.
        ExcludedEvent = "excluded-event",
        /// A missing or wrong field.
        BadField = "bad-field",
        /// One object has the same key twice.
        DuplicateKey = "duplicate-key",
        /// A number that JSON does not allow.
        BadNumber = "bad-number",
        /// Bytes that are not valid text.
        BadBytes = "bad-bytes",
        /// A line longer than the limit.
        LineTooLong = "line-too-long",
        /// A conflict marker of a textual merge.
        ConflictMarker = "conflict-marker",
    }
}

impl LogCode {
    /// The highest level that configuration can set. Deviations of real writers that harm no reader are only advice. A log
    /// in a newer format is not this program's business.
    pub fn at_most(self) -> Option<Level> {
        match self {
            Self::SchemaNewer | Self::IndexMissing => Some(Level::Info),
            Self::NoFinalNewline | Self::BlankLine | Self::Crlf | Self::TsRegression | Self::BadField => {
                Some(Level::Warning)
            }
            _ => None,
        }
    }
}

/// One violation in a run log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub(crate) code: LogCode,
    /// The physical line, from 1; blank ones count.
    pub line: u32,
    /// The character in that line, from 1.
    pub column: u32,
    /// Distinguishes it from others of its kind in the same line: a field.
    pub detail: String,
    /// What is wrong, one sentence, unescaped.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_code_has_a_spelling_of_its_own() {
        let all: HashSet<&str> = LogCode::ALL.into_iter().map(LogCode::as_str).collect();
        assert_eq!(all.len(), LogCode::ALL.len());
    }

    #[test]
    fn what_real_writers_do_is_advice() {
        let advice: Vec<&str> =
            LogCode::ALL.into_iter().filter(|code| code.at_most().is_some()).map(LogCode::as_str).collect();
        assert_eq!(
            advice,
            ["index-missing", "schema-newer", "no-final-newline", "blank-line", "crlf", "ts-regression", "bad-field"]
        );
    }
}
