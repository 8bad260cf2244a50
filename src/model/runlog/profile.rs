//! A profile: which events a kind of run log has, their fields, the phases of a run and what each must leave behind. Plain
//! values; `profiles/*.json` and a project's own files are their text (schema/profile.v1.schema.json).

use crate::text::json::{Json, JsonValue};
use globset::GlobMatcher;
use regex::Regex;

/// The event that opens every log.
pub const INDEX: &str = "_index";
/// The event that begins a phase, where a profile has phases.
pub const PHASE_START: &str = "phase_start";
/// The event that ends one.
pub const PHASE_END: &str = "phase_end";
/// The legal way to widen the vocabulary, since the first line may not be edited: known to every profile, always declared.
pub const TYPES_ADDED: &str = "event_types_added";
/// After it one more start and end of a phase is allowed: known to every profile that has phases.
pub const PHASE_REOPENED: &str = "phase_reopened";
/// The field in which the markers of phases name theirs.
pub const PHASE: &str = "phase";
/// The field of `phase_end` that holds a phase's counts.
pub const COUNTS: &str = "key_counts";

/// One kind of run log.
#[derive(Clone, Debug)]
pub struct Profile {
    /// By which configuration and verbs call it.
    pub name: String,
    /// The version of the format that it describes; the number before the first dot is the major one.
    pub schema_version: String,
    /// Its events, in the order of the file.
    pub events: Vec<EventSpec>,
    /// Its phases, by number, ascending.
    pub phases: Vec<PhaseSpec>,
    /// What a run that ends with success must have left behind.
    pub end: Vec<ArtifactRule>,
    /// The name of the page beside the log; `{id}` stands for the log's name without its extension. `None`: it has no page.
    pub page: Option<String>,
}

/// One event of a profile.
#[derive(Clone, Debug, Default)]
pub struct EventSpec {
    /// Its name.
    pub name: String,
    /// The place in the log that it must have.
    pub position: Option<LogPosition>,
    /// Whether it may stand there once only.
    pub once: bool,
    /// Whether it may stand there once only for each phase.
    pub per_phase: bool,
    /// Its fields beside `ts` and `event`.
    pub fields: Vec<FieldSpec>,
    /// An event that may not stand in the same log.
    pub excludes: Option<Exclusion>,
}

/// A place in a log that only one event can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogPosition {
    /// The first line.
    First,
    /// The second.
    Second,
    /// The last, where it is there.
    Last,
}

impl LogPosition {
    /// Where that is, for a sentence.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
            Self::Last => "last",
        }
    }
}

/// An event that another one excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// Its name.
    pub event: String,
    /// The field that tells whether it is the excluded one.
    pub field: String,
    /// The value of that field.
    pub value: String,
}

/// One field of an event, or one count of a phase.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: FieldType,
    /// What each item of an array holds.
    pub items: Option<FieldType>,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// The values that it may have; any where the list is empty.
    pub one_of: Vec<String>,
    /// The least number.
    pub min: Option<f64>,
    /// The greatest number.
    pub max: Option<f64>,
    /// What a text must match.
    pub pattern: Option<Regex>,
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
    /// Its number.
    pub n: u32,
    /// Its name for people.
    pub name: String,
    /// What its end may count; a count may lack.
    pub counts: Vec<FieldSpec>,
    /// What it must leave behind.
    pub requires: Vec<ArtifactRule>,
}

/// What must hold of the files in a run's target directory: a closed set. Paths are relative to that directory; one that
/// leaves it is not there.
#[derive(Clone, Debug)]
pub enum ArtifactRule {
    /// A file that must be there.
    File {
        /// Its path.
        path: String,
        /// Whether it must not be empty.
        non_empty: bool,
        /// So many lines it must have.
        min_lines: Option<u64>,
        /// What one of its lines must match.
        heading: Option<Regex>,
    },
    /// How many files match a pattern.
    Glob {
        /// The pattern as written.
        pattern: String,
        /// The same, compiled.
        matcher: GlobMatcher,
        /// At least so many.
        min: u64,
        /// At most so many.
        max: Option<u64>,
        /// Whether empty ones do not count.
        non_empty: bool,
    },
    /// One of these.
    AnyOf(Vec<ArtifactRule>),
    /// All of these.
    AllOf(Vec<ArtifactRule>),
    /// Others, where a line of a file matches.
    WhenHeading {
        /// The file.
        headings: Headings,
        /// What must hold then.
        then: Vec<ArtifactRule>,
    },
    /// Files for each line of a file that matches.
    ForEachHeading {
        /// The file; the expression has one group.
        headings: Headings,
        /// Their paths; `{1}` stands for what the group matched.
        files: Vec<String>,
    },
    /// A number that the log names is that of the lines of a file that match; a file that is not there has none.
    Count {
        /// The event whose last one names it.
        event: String,
        /// The field that does, dots between the levels.
        field: String,
        /// What is counted.
        headings: Headings,
    },
    /// So many readings of the run are filed.
    Reading {
        /// At least so many.
        min: u64,
    },
    /// The goals of the nodes of the run's readings have this status; a node without a contract is fine.
    Goal {
        /// The status.
        status: String,
    },
}

/// The lines of a file that match.
#[derive(Clone, Debug)]
pub struct Headings {
    /// Its path.
    pub file: String,
    /// What they match.
    pub regex: Regex,
}

impl Profile {
    /// The event of that name.
    pub fn event(&self, name: &str) -> Option<&EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The event at a place: the first and the second one are always there.
    pub fn at(&self, position: LogPosition) -> Option<&EventSpec> {
        self.events.iter().find(|event| event.position == Some(position))
    }

    /// The phase of that number.
    pub fn phase(&self, n: u32) -> Option<&PhaseSpec> {
        self.phases.iter().find(|phase| phase.n == n)
    }

    /// The major number of its schema version.
    pub fn major(&self) -> Option<u64> {
        major(&self.schema_version)
    }

    /// Every event that a log which is started now may use, the markers that every profile knows included.
    pub fn vocabulary(&self) -> Vec<&str> {
        let own = self.events.iter().map(|event| event.name.as_str());
        let ours = [TYPES_ADDED, PHASE_REOPENED].into_iter();
        own.chain(ours.filter(|name| *name == TYPES_ADDED || !self.phases.is_empty())).collect()
    }
}

/// The number before the first dot of a version; `None` for what is no version.
pub fn major(version: &str) -> Option<u64> {
    let number = version.split('.').next().unwrap_or_default();
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok()).flatten()
}

impl FieldType {
    /// All of them with their words.
    const ALL: [(&'static str, Self); 6] = [
        ("string", Self::Text),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("object", Self::Object),
        ("array", Self::Array),
    ];

    /// The words, for a message.
    pub(crate) fn words() -> String {
        Self::ALL.map(|(word, _)| word).join(", ")
    }

    /// The type of that word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == word).map(|(_, kind)| kind)
    }

    /// The word with its article.
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

    /// Whether `value` is of this type. `1.0` and `1e0` are no integers: a reader that compares texts would take them for
    /// another phase than `1`.
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

/// The integer that a JSON number is as written.
pub fn integer(text: &str) -> Option<i64> {
    (!text.contains(['.', 'e', 'E'])).then(|| text.parse().ok()).flatten()
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldFault {
    /// Byte offset of its value; `None` where there is none.
    pub offset: Option<usize>,
    /// What the field must be, as the end of a sentence that begins with its name.
    pub message: String,
}

impl FieldSpec {
    /// A field of that name and type of which nothing else is asked.
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

    /// What is wrong with `value`, which is `None` where the field is not there.
    pub(crate) fn fault(&self, value: Option<&Json<'_>>) -> Option<FieldFault> {
        let Some(value) = value else {
            return self.required.then(|| FieldFault { offset: None, message: "is missing".into() });
        };
        if self.nullable && value.value == JsonValue::Null {
            return None;
        }
        let message = match self.kind.holds(&value.value) {
            false => format!("must be {}, not {}", self.kind.article(), found(value)),
            true => self.breach(value)?,
        };
        Some(FieldFault { offset: Some(value.offset), message })
    }

    /// What is wrong with a value of the right type.
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
                Some(format!("must hold {} in every item, not {}", kind.article(), found(wrong)))
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

/// What a value is, for a message.
pub(crate) fn found(value: &Json<'_>) -> String {
    match value.value {
        JsonValue::Number(text) => format!("the number {}", text.chars().take(40).collect::<String>()),
        _ => value.type_name().to_owned(),
    }
}
