//! The codes of all violations in a run log (rule `runlog-schema`), by which programs distinguish them.

use crate::finding::Level;

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogCode {
    /// The log has no event.
    Empty,
    /// A file in the place of a log, with events of a log but without an `_index`.
    IndexMissing,
    /// The first event is not `_index`.
    IndexNotFirst,
    /// A second `_index`.
    IndexDuplicate,
    /// A missing or wrong field of `_index`.
    IndexField,
    /// A higher major version than the profile has: not judged further.
    SchemaNewer,
    /// A line that is not JSON.
    MalformedJson,
    /// A JSON line that is not an object.
    NotObject,
    /// Several objects in one line.
    Concatenated,
    /// An incomplete last line.
    TornLine,
    /// A last line without a line end.
    NoFinalNewline,
    /// An empty line.
    BlankLine,
    /// A line that ends in CRLF.
    Crlf,
    /// An event without a time.
    MissingTs,
    /// A time in another spelling.
    BadTs,
    /// A time earlier than in the event above.
    TsRegression,
    /// A line without the name of its event.
    MissingEvent,
    /// An event that the vocabulary does not list.
    UndeclaredEvent,
    /// The start of the run is not in the second line.
    RunStartPosition,
    /// No start of the run.
    RunStartMissing,
    /// A second start of the run.
    RunStartDuplicate,
    /// A phase that is no integer of the profile.
    BadPhase,
    /// A phase that starts again.
    DuplicatePhaseStart,
    /// A phase that ends again.
    DuplicatePhaseEnd,
    /// The end of a phase that did not start.
    PhaseEndWithoutStart,
    /// A phase that starts after a phase with a higher number.
    PhaseOrder,
    /// A phase that starts inside another one.
    PhaseOverlap,
    /// A run that ends with success although a phase did not end.
    RunEndIncomplete,
    /// A second end of the run.
    RunEndDuplicate,
    /// An event after the end of the run.
    AfterRunEnd,
    /// An event occurs twice although it may occur only once.
    DuplicateEvent,
    /// Two events that exclude each other.
    ExcludedEvent,
    /// A missing or wrong field.
    BadField,
    /// One object has the same key twice.
    DuplicateKey,
    /// A number that JSON does not allow.
    BadNumber,
    /// Bytes that are not valid text.
    BadBytes,
    /// A line longer than the limit.
    LineTooLong,
    /// A conflict marker of a textual merge.
    ConflictMarker,
}

impl LogCode {
    /// Every code, in the order of the documentation.
    pub const ALL: [Self; 38] = [
        Self::Empty,
        Self::IndexMissing,
        Self::IndexNotFirst,
        Self::IndexDuplicate,
        Self::IndexField,
        Self::SchemaNewer,
        Self::MalformedJson,
        Self::NotObject,
        Self::Concatenated,
        Self::TornLine,
        Self::NoFinalNewline,
        Self::BlankLine,
        Self::Crlf,
        Self::MissingTs,
        Self::BadTs,
        Self::TsRegression,
        Self::MissingEvent,
        Self::UndeclaredEvent,
        Self::RunStartPosition,
        Self::RunStartMissing,
        Self::RunStartDuplicate,
        Self::BadPhase,
        Self::DuplicatePhaseStart,
        Self::DuplicatePhaseEnd,
        Self::PhaseEndWithoutStart,
        Self::PhaseOrder,
        Self::PhaseOverlap,
        Self::RunEndIncomplete,
        Self::RunEndDuplicate,
        Self::AfterRunEnd,
        Self::DuplicateEvent,
        Self::ExcludedEvent,
        Self::BadField,
        Self::DuplicateKey,
        Self::BadNumber,
        Self::BadBytes,
        Self::LineTooLong,
        Self::ConflictMarker,
    ];

    /// The public spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::IndexMissing => "index-missing",
            Self::IndexNotFirst => "index-not-first",
            Self::IndexDuplicate => "index-duplicate",
            Self::IndexField => "index-field",
            Self::SchemaNewer => "schema-newer",
            Self::MalformedJson => "malformed-json",
            Self::NotObject => "not-object",
            Self::Concatenated => "concatenated",
            Self::TornLine => "torn-line",
            Self::NoFinalNewline => "no-final-newline",
            Self::BlankLine => "blank-line",
            Self::Crlf => "crlf",
            Self::MissingTs => "missing-ts",
            Self::BadTs => "bad-ts",
            Self::TsRegression => "ts-regression",
            Self::MissingEvent => "missing-event",
            Self::UndeclaredEvent => "undeclared-event",
            Self::RunStartPosition => "run-start-position",
            Self::RunStartMissing => "run-start-missing",
            Self::RunStartDuplicate => "run-start-duplicate",
            Self::BadPhase => "bad-phase",
            Self::DuplicatePhaseStart => "duplicate-phase-start",
            Self::DuplicatePhaseEnd => "duplicate-phase-end",
            Self::PhaseEndWithoutStart => "phase-end-without-start",
            Self::PhaseOrder => "phase-order",
            Self::PhaseOverlap => "phase-overlap",
            Self::RunEndIncomplete => "run-end-incomplete",
            Self::RunEndDuplicate => "run-end-duplicate",
            Self::AfterRunEnd => "after-run-end",
            Self::DuplicateEvent => "duplicate-event",
            Self::ExcludedEvent => "excluded-event",
            Self::BadField => "bad-field",
            Self::DuplicateKey => "duplicate-key",
            Self::BadNumber => "bad-number",
            Self::BadBytes => "bad-bytes",
            Self::LineTooLong => "line-too-long",
            Self::ConflictMarker => "conflict-marker",
        }
    }

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
    /// The kind.
    pub code: LogCode,
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
