//! A profile: the events of a kind of run log, their fields, the phases of a run and the artifacts that each must produce.
//! Plain values; their text form is `profiles/*.json` and a project's own files (schema/profile.v1.schema.json).

use crate::text::json::{Json, JsonValue};
use crate::text::spelled::spelled;
use globset::GlobMatcher;
use regex::Regex;

/// The first event of every log.
pub const INDEX: &str = "_index";
/// The event that begins a phase, if a profile has phases.
pub const PHASE_START: &str = "phase_start";
pub(crate) const PHASE_END: &str = "phase_end";
/// Adds events to the vocabulary, because the first line may not be edited. Every profile knows it; it is always declared.
pub const TYPES_ADDED: &str = "event_types_added";
/// Allows one more start and end of a phase. Every profile with phases knows it.
pub const PHASE_REOPENED: &str = "phase_reopened";
/// The field with the number of the phase.
pub const PHASE: &str = "phase";
/// The field of `phase_end` with the counts of a phase.
pub const COUNTS: &str = "key_counts";

/// One kind of run log.
#[derive(Clone, Debug)]
pub struct Profile {
    pub(crate) name: String,
    /// The version of the described format; the number before the first dot is the major version.
    pub schema_version: String,
    /// Its events, in the order of the file.
    pub events: Vec<EventSpec>,
    /// Its phases, by number, ascending.
    pub phases: Vec<PhaseSpec>,
    /// The artifacts that a run must have produced when it ends with success.
    pub end: Vec<ArtifactRule>,
    /// The name of the page beside the log; `{id}` stands for the log's name without its extension. `None`: no page.
    pub page: Option<String>,
}

/// One event of a profile.
#[derive(Clone, Debug, Default)]
pub struct EventSpec {
    pub(crate) name: String,
    /// Its required place in the log.
    pub position: Option<LogPosition>,
    /// Whether it may occur only once.
    pub once: bool,
    /// Whether it may occur only once per phase.
    pub per_phase: bool,
    /// Its fields besides `ts` and `event`.
    pub fields: Vec<FieldSpec>,
    /// An event that may not occur in the same log.
    pub excludes: Option<Exclusion>,
}

spelled! {
    /// A place in a log that only one event can have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LogPosition {
        /// The first line.
        First = "first",
        /// The second line.
        Second = "second",
        /// The last line, if the event occurs.
        Last = "last",
    }
}

/// An event that another one excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    pub(crate) event: String,
    /// The field that identifies the excluded event.
    pub field: String,
    pub(crate) value: String,
}

/// One field of an event, or one count of a phase.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    pub(crate) name: String,
    pub(crate) kind: FieldType,
    /// The type of each item of an array.
    pub items: Option<FieldType>,
    pub(crate) required: bool,
    pub(crate) nullable: bool,
    /// Its allowed values; any value if the list is empty.
    pub one_of: Vec<String>,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) pattern: Option<Regex>,
}

/// The type of a field, in the words of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A text.
    Text,
    /// A number without fraction or exponent.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// An object.
    Object,
    /// A list.
    Array,
}

/// One phase of a run.
#[derive(Clone, Debug)]
pub struct PhaseSpec {
    /// The number of the phase, from 1.
    pub n: u32,
    pub(crate) name: String,
    /// The counts that its end may have; each is optional.
    pub counts: Vec<FieldSpec>,
    pub(crate) requires: Vec<ArtifactRule>,
}

/// A requirement for the files in a run's target directory; a closed set. Paths are relative to that directory. A path that
/// leaves it counts as missing.
#[derive(Clone, Debug)]
pub enum ArtifactRule {
    /// A required file.
    File {
        /// Its path.
        path: String,
        /// Whether it must not be empty.
        non_empty: bool,
        /// Its minimum number of lines.
        min_lines: Option<u64>,
        /// A pattern that one of its lines must match.
        heading: Option<Regex>,
    },
    /// A number of files that match a pattern.
    Glob {
        /// The pattern as written.
        pattern: String,
        /// The compiled pattern.
        matcher: GlobMatcher,
        /// The minimum.
        min: u64,
        /// The maximum.
        max: Option<u64>,
        /// Whether empty files do not count.
        non_empty: bool,
    },
    /// One of these.
    AnyOf(Vec<ArtifactRule>),
    /// All of these.
    AllOf(Vec<ArtifactRule>),
    /// Further rules, if a line of a file matches.
    WhenHeading {
        /// The file and the pattern.
        headings: Headings,
        /// The further rules.
        then: Vec<ArtifactRule>,
    },
    /// Files for each matching line of a file.
    ForEachHeading {
        /// The file and the pattern; the pattern has one group.
        headings: Headings,
        /// The paths of the files; `{1}` stands for the text of the group.
        files: Vec<String>,
    },
    /// A number in the log equals the number of matching lines in a file; a missing file has none.
    Count {
        /// The event with the number; its last occurrence counts.
        event: String,
        /// The field with the number, with dots between the levels.
        field: String,
        /// The lines that are counted.
        headings: Headings,
    },
    /// A minimum number of filed readings of the run.
    Reading {
        /// The minimum.
        min: u64,
    },
    /// The goals of all nodes with readings of the run have this status; a node without a contract passes.
    Goal {
        /// The status.
        status: String,
    },
}

/// The matching lines of a file.
#[derive(Clone, Debug)]
pub struct Headings {
    pub(crate) file: String,
    pub(crate) regex: Regex,
}

impl Profile {
    pub(crate) fn event(&self, name: &str) -> Option<&EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The event at a place; the first and the second always exist.
    pub fn at(&self, position: LogPosition) -> Option<&EventSpec> {
        self.events.iter().find(|event| event.position == Some(position))
    }

    pub(crate) fn phase(&self, n: u32) -> Option<&PhaseSpec> {
        self.phases.iter().find(|phase| phase.n == n)
    }

    /// The number before the first dot of its version; `None` if that is no version.
    pub fn major(&self) -> Option<u64> {
        major(&self.schema_version)
    }

    /// Every event that a new log may use, including the markers that every profile knows.
    pub fn vocabulary(&self) -> Vec<&str> {
        let own = self.events.iter().map(|event| event.name.as_str());
        let ours = [TYPES_ADDED, PHASE_REOPENED].into_iter();
        own.chain(ours.filter(|name| *name == TYPES_ADDED || !self.phases.is_empty())).collect()
    }
}

/// The number before the first dot of a version; `None` if it is no version.
pub fn major(version: &str) -> Option<u64> {
    let number = version.split('.').next().unwrap_or_default();
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok()).flatten()
}

impl FieldType {
    const ALL: [(&'static str, Self); 6] = [
        ("string", Self::Text),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("object", Self::Object),
        ("array", Self::Array),
    ];

    pub(crate) fn words() -> String {
        Self::ALL.map(|(word, _)| word).join(", ")
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == word).map(|(_, kind)| kind)
    }

    pub(crate) fn article(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Object => "an object",
            Self::Array => "an array",
        }
    }

    /// Whether `value` is of this type. `1.0` and `1e0` are no integers, because a reader that compares texts would take
    /// them for another phase than `1`.
    pub(crate) fn holds(self, value: &JsonValue<'_>) -> bool {
        match (self, value) {
            (Self::Integer, JsonValue::Number(text)) => integer(text).is_some(),
            (Self::Number, JsonValue::Number(_))
            | (Self::Text, JsonValue::String(_))
            | (Self::Boolean, JsonValue::Bool(_))
            | (Self::Object, JsonValue::Object(_))
            | (Self::Array, JsonValue::Array(_)) => true,
            _ => false,
        }
    }
}

/// The integer that a JSON number spells.
pub fn integer(text: &str) -> Option<i64> {
    (!text.contains(['.', 'e', 'E'])).then(|| text.parse().ok()).flatten()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldFault {
    /// Byte offset of its value; `None` if the field is missing.
    pub offset: Option<usize>,
    /// The requirement, as the end of a sentence that begins with the field's name.
    pub message: String,
}

impl FieldSpec {
    /// A field of that name and type without other requirements.
    pub(crate) fn plain(name: &str, kind: FieldType) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            items: None,
            required: false,
            nullable: false,
            one_of: Vec::new(),
            min: None,
            max: None,
            pattern: None,
        }
    }

    /// The fault of `value`, which is `None` if the field is missing.
    pub(crate) fn fault(&self, value: Option<&Json<'_>>) -> Option<FieldFault> {
        let Some(value) = value else {
            return self.required.then(|| FieldFault { offset: None, message: "is missing".into() });
        };
        if self.nullable && value.value == JsonValue::Null {
            return None;
        }
        let message = match self.kind.holds(&value.value) {
            false => format!("must be {}, not {}", self.kind.article(), value.found()),
            true => self.breach(value)?,
        };
        Some(FieldFault { offset: Some(value.offset), message })
    }

    /// The fault of a value of the right type.
    fn breach(&self, value: &Json<'_>) -> Option<String> {
        match &value.value {
            JsonValue::Number(text) => self.out_of_range(text),
            JsonValue::String(text) if !self.one_of.is_empty() && !self.one_of.iter().any(|one| one == text) => {
                Some(format!("must be one of {}", self.one_of.join(", ")))
            }
            JsonValue::String(text) => {
                let pattern = self.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
                Some(format!("must match {pattern}"))
            }
            JsonValue::Array(items) => {
                let kind = self.items?;
                let wrong = items.iter().find(|item| !kind.holds(&item.value))?;
                Some(format!("must hold {} in every item, not {}", kind.article(), wrong.found()))
            }
            _ => None,
        }
    }

    fn out_of_range(&self, text: &str) -> Option<String> {
        let number: f64 = text.parse().ok()?;
        let fits = self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max);
        let range = || match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => format!("must be {min}"),
            (Some(min), Some(max)) => format!("must be from {min} to {max}"),
            (Some(min), None) => format!("must be at least {min}"),
            (None, Some(max)) => format!("must be at most {max}"),
            (None, None) => String::new(),
        };
        (!fits).then(range)
    }
}
