//! The strict reader of profiles. Input: text. Output: a [`Profile`], or the first fault with line and column. A profile
//! may come from an untrusted repository, so expressions run in linear time with a limited size, and globs have the usual
//! limits.

use super::profile::{
    ArtifactRule, EventSpec, Exclusion, FieldSpec, FieldType, Headings, INDEX, LogPosition, PHASE, PHASE_END,
    PHASE_REOPENED, PHASE_START, PhaseSpec, Profile, TYPES_ADDED, major,
};
use crate::error::{Error, Result};
use crate::model::config::values::{
    BadValue, Read, bad, bad_key, boolean, document, members, string, word, wrong_type,
};
use crate::model::glob;
use crate::text::escape::echo;
use crate::text::json::{self, Json, JsonValue, Member};
use regex::{Regex, RegexBuilder};

/// Longest accepted profile in bytes.
pub(crate) const MAX_PROFILE: usize = 256 << 10;
/// How many events, fields of one event, phases, and rules in one place there may be.
const MAX_ITEMS: usize = 256;
/// Longest accepted expression in bytes.
const MAX_REGEX: usize = 1024;
/// Largest compiled expression in bytes. Without a limit nested repetitions would fill the memory.
const MAX_COMPILED: usize = 1 << 20;
/// Deepest nesting of an expression.
const MAX_REGEX_NESTING: u32 = 32;
/// The highest number of a phase.
const MAX_PHASE: u32 = 999;

/// The profile in `bytes`; `file` is its name in messages.
///
/// # Errors
/// Configuration, for anything that is no valid profile: `FILE:line:col: what`.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Profile> {
    let fail = |text: &str, offset: usize, message: &str| {
        let (line, column) = json::line_column(text, offset);
        Error::config(format!("{file}:{line}:{column}: {message}"))
            .hint("correct the profile; schema/profile.v1.schema.json says what may stand in one")
            .quoting(text.as_bytes(), line, column)
    };
    document("the profile", MAX_PROFILE, bytes, profile, fail)
}

fn profile(json: &Json<'_>) -> Read<Profile> {
    closed("the profile", json, &["name", "schemaVersion", "events", "phases", "end", "page"])?;
    let mut read = Profile {
        name: name("name", required("the profile", json, "name")?)?,
        schema_version: version(required("the profile", json, "schemaVersion")?)?,
        events: events(required("the profile", json, "events")?)?,
        phases: json.get("phases").map_or(Ok(Vec::new()), phases)?,
        end: Vec::new(),
        page: json.get("page").map(page).transpose()?,
    };
    if let Some(end) = json.get("end") {
        closed("end", end, &["requires"])?;
        read.end = end.get("requires").map_or(Ok(Vec::new()), |rules| artifact_rules("end.requires", rules))?;
    }
    let events = required("the profile", json, "events")?;
    for (position, what) in [(LogPosition::First, "\"first\""), (LogPosition::Second, "\"second\"")] {
        if read.at(position).is_none() {
            return Err(bad(events, format!("events: none has \"position\": {what}; every log begins with two")));
        }
    }
    if read.at(LogPosition::First).is_some_and(|event| event.name != INDEX) {
        return Err(bad(events, format!("events: the first event must be {INDEX}")));
    }
    let lacks = |name: &&str| read.event(name).is_none();
    match [PHASE_START, PHASE_END].into_iter().find(lacks).filter(|_| !read.phases.is_empty()) {
        Some(marker) => Err(bad(events, format!("events: there are phases and no {marker}"))),
        None => Ok(read),
    }
}

fn name(key: &str, value: &Json<'_>) -> Read<String> {
    let text = word(key, value)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if text.len() <= 64 && text.chars().all(plain) {
        return Ok(text);
    }
    Err(bad(value, format!("{key} must be 1 to 64 letters, digits, dots, underscores and hyphens")))
}

fn version(value: &Json<'_>) -> Read<String> {
    let text = word("schemaVersion", value)?;
    match major(&text) {
        Some(_) => Ok(text),
        None => Err(bad(value, "schemaVersion must begin with a number, as 1.2.0 does".into())),
    }
}

fn page(value: &Json<'_>) -> Read<String> {
    let text = word("page", value)?;
    if text.contains(['/', '\\']) || text.starts_with('.') || text.len() > 128 || text.chars().any(char::is_control) {
        return Err(bad(value, "page must be the name of a file beside the log".into()));
    }
    // a file with another ending is a log or unrelated data, and writing the page would overwrite it
    if !text.ends_with(".md") {
        return Err(bad(value, "page must end in .md, as PROGRESS.md does".into()));
    }
    Ok(text)
}

fn events(value: &Json<'_>) -> Read<Vec<EventSpec>> {
    let all = few("events", members("events", value)?, value)?;
    let read: Vec<EventSpec> = all.iter().map(|(key, value)| event(key, value)).collect::<Read<_>>()?;
    for position in LogPosition::ALL {
        let mut at = all.iter().zip(&read).filter(|(_, event)| event.position == Some(position));
        if let (Some(_), Some(((key, value), _))) = (at.next(), at.next()) {
            return Err(bad(value, format!("events.{}: another event has this position", echo(key))));
        }
    }
    Ok(read)
}

fn event(key: &str, value: &Json<'_>) -> Read<EventSpec> {
    if [TYPES_ADDED, PHASE_REOPENED].contains(&key) {
        return Err(bad(value, format!("events.{key} is known to every profile and described in none")));
    }
    let at = format!("events.{}", echo(key));
    if key.is_empty() || key.len() > 128 || key.chars().any(char::is_control) {
        return Err(bad(value, format!("{at}: an event's name is 1 to 128 bytes of plain text")));
    }
    closed(&at, value, &["position", "once", "perPhase", "fields", "excludes"])?;
    let flag = |key: &str| value.get(key).map_or(Ok(false), |flag| boolean(&format!("{at}.{key}"), flag));
    let read = EventSpec {
        name: key.to_owned(),
        position: value.get("position").map(|position| log_position(&at, position)).transpose()?,
        once: flag("once")?,
        per_phase: flag("perPhase")?,
        fields: value.get("fields").map_or(Ok(Vec::new()), |all| fields(&format!("{at}.fields"), all))?,
        excludes: value.get("excludes").map(|excludes| exclusion(&at, excludes)).transpose()?,
    };
    let has_phase = read.fields.iter().any(|field| field.name == PHASE && field.kind == FieldType::Integer);
    match read.per_phase && !has_phase {
        true => Err(bad(value, format!("{at}: an event once per phase needs a field {PHASE} of type integer"))),
        false => Ok(read),
    }
}

fn log_position(at: &str, value: &Json<'_>) -> Read<LogPosition> {
    let text = string(&format!("{at}.position"), value)?;
    let wrong = || bad(value, format!("{at}.position must be first, second or last, not \"{}\"", echo(text)));
    LogPosition::parse(text).ok_or_else(wrong)
}

fn exclusion(at: &str, value: &Json<'_>) -> Read<Exclusion> {
    let at = format!("{at}.excludes");
    closed(&at, value, &["event", "field", "value"])?;
    let text = |key: &str| word(&format!("{at}.{key}"), required(&at, value, key)?);
    Ok(Exclusion { event: text("event")?, field: text("field")?, value: text("value")? })
}

fn fields(at: &str, value: &Json<'_>) -> Read<Vec<FieldSpec>> {
    let all = few(at, members(at, value)?, value)?;
    all.iter().map(|(key, value)| field(&format!("{at}.{}", echo(key)), key, value)).collect()
}

fn field(at: &str, key: &str, value: &Json<'_>) -> Read<FieldSpec> {
    if matches!(key, "ts" | "event") {
        return Err(bad(value, format!("{at}: every event has this field; no profile describes it")));
    }
    closed(at, value, &["type", "items", "required", "nullable", "enum", "min", "max", "pattern"])?;
    let kind = field_type(&format!("{at}.type"), required(at, value, "type")?)?;
    let flag = |key: &str| value.get(key).map_or(Ok(false), |flag| boolean(&format!("{at}.{key}"), flag));
    let bound = |key: &str| value.get(key).map(|bound| number(&format!("{at}.{key}"), bound)).transpose();
    let one_of = |list: &Json<'_>| {
        let at = format!("{at}.enum");
        few(&at, array(&at, list)?, list)?
            .iter()
            .map(|item| Ok(string(&at, item)?.to_owned()))
            .collect::<Read<Vec<_>>>()
    };
    let read = FieldSpec {
        kind,
        items: value.get("items").map(|items| field_type(&format!("{at}.items"), items)).transpose()?,
        required: flag("required")?,
        nullable: flag("nullable")?,
        one_of: value.get("enum").map_or(Ok(Vec::new()), one_of)?,
        min: bound("min")?,
        max: bound("max")?,
        pattern: value.get("pattern").map(|text| regex(&format!("{at}.pattern"), text)).transpose()?,
        ..FieldSpec::plain(key, kind)
    };
    fits_its_type(at, value, &read)?;
    Ok(read)
}

/// Constraints that do not fit the type, for example `min` for a text, would never be checked.
fn fits_its_type(at: &str, value: &Json<'_>, field: &FieldSpec) -> Read<()> {
    let is_number = matches!(field.kind, FieldType::Integer | FieldType::Number);
    let wrong = [
        ((field.min.is_some() || field.max.is_some()) && !is_number, "min and max are for numbers"),
        (!field.one_of.is_empty() && field.kind != FieldType::Text, "enum is for strings"),
        (field.pattern.is_some() && field.kind != FieldType::Text, "pattern is for strings"),
        (field.items.is_some() && field.kind != FieldType::Array, "items is for arrays"),
    ];
    match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, message)) => Err(bad(value, format!("{at}: {message}"))),
        None => Ok(()),
    }
}

fn field_type(at: &str, value: &Json<'_>) -> Read<FieldType> {
    let text = string(at, value)?;
    FieldType::parse(text)
        .ok_or_else(|| bad(value, format!("{at} must be one of {}, not \"{}\"", FieldType::words(), echo(text))))
}

fn number(at: &str, value: &Json<'_>) -> Read<f64> {
    let JsonValue::Number(text) = value.value else { return Err(wrong_type(at, "a number", value)) };
    text.parse().map_err(|_| wrong_type(at, "a number", value))
}

fn phases(value: &Json<'_>) -> Read<Vec<PhaseSpec>> {
    let items = few("phases", array("phases", value)?, value)?;
    let mut read: Vec<PhaseSpec> = Vec::new();
    for item in items {
        let phase = phase(item)?;
        if read.last().is_some_and(|before| before.n >= phase.n) {
            return Err(bad(item, format!("phases: {} does not follow the one before it", phase.n)));
        }
        read.push(phase);
    }
    Ok(read)
}

fn phase(value: &Json<'_>) -> Read<PhaseSpec> {
    closed("phases", value, &["n", "name", "end", "requires"])?;
    let n = whole("phases.n", required("phases", value, "n")?)?;
    let n = u32::try_from(n).ok().filter(|n| (1..=MAX_PHASE).contains(n));
    let n = n.ok_or_else(|| bad(value, format!("phases.n must be from 1 to {MAX_PHASE}")))?;
    let mut counts = Vec::new();
    if let Some(end) = value.get("end") {
        closed("phases.end", end, &["counts"])?;
        counts = end.get("counts").map_or(Ok(Vec::new()), |all| fields("phases.end.counts", all))?;
    }
    let requires = value.get("requires").map_or(Ok(Vec::new()), |rules| artifact_rules("phases.requires", rules))?;
    Ok(PhaseSpec { n, name: word("phases.name", required("phases", value, "name")?)?, counts, requires })
}

fn artifact_rules(at: &str, value: &Json<'_>) -> Read<Vec<ArtifactRule>> {
    few(at, array(at, value)?, value)?.iter().map(|rule| artifact_rule(at, rule)).collect()
}

/// The key that identifies each rule, and the keys that it may have.
const RULE_KEYS: [(&str, &[&str]); 9] = [
    ("file", &["file", "nonEmpty", "minLines", "heading"]),
    ("glob", &["glob", "min", "max", "nonEmpty"]),
    ("anyOf", &["anyOf"]),
    ("allOf", &["allOf"]),
    ("whenHeading", &["whenHeading", "then"]),
    ("forEachHeading", &["forEachHeading", "files"]),
    ("count", &["count", "equals"]),
    ("reading", &["reading"]),
    ("goal", &["goal"]),
];

fn artifact_rule(at: &str, rule: &Json<'_>) -> Read<ArtifactRule> {
    members(at, rule)?;
    let Some((key, keys)) = RULE_KEYS.into_iter().find(|(key, _)| rule.get(key).is_some()) else {
        let known = RULE_KEYS.map(|(key, _)| key).join(", ");
        return Err(bad(rule, format!("{at}: this is no rule; a rule has one of {known}")));
    };
    closed(at, rule, keys)?;
    let at = format!("{at}.{key}");
    let value = required(&at, rule, key)?;
    match key {
        "file" => file_rule(&at, rule, value),
        "glob" => glob_rule(&at, rule, value),
        "anyOf" => some_rules(&at, value).map(ArtifactRule::AnyOf),
        "allOf" => some_rules(&at, value).map(ArtifactRule::AllOf),
        "whenHeading" => {
            let then = artifact_rules(&at, required(&at, rule, "then")?)?;
            Ok(ArtifactRule::WhenHeading { headings: headings(&at, value, "regex")?, then })
        }
        "forEachHeading" => for_each_rule(&at, rule, value),
        "count" => count_rule(&at, rule, value),
        "reading" => {
            closed(&at, value, &["min"])?;
            Ok(ArtifactRule::Reading { min: whole(&format!("{at}.min"), required(&at, value, "min")?)? })
        }
        _ => Ok(ArtifactRule::Goal { status: word(&at, value)? }),
    }
}

fn some_rules(at: &str, value: &Json<'_>) -> Read<Vec<ArtifactRule>> {
    let rules = artifact_rules(at, value)?;
    if rules.is_empty() { Err(bad(value, format!("{at} must hold at least one rule"))) } else { Ok(rules) }
}

fn file_rule(at: &str, rule: &Json<'_>, path: &Json<'_>) -> Read<ArtifactRule> {
    Ok(ArtifactRule::File {
        path: word(at, path)?,
        non_empty: rule.get("nonEmpty").map_or(Ok(false), |flag| boolean("nonEmpty", flag))?,
        min_lines: rule.get("minLines").map(|least| whole("minLines", least)).transpose()?,
        heading: rule.get("heading").map(|text| regex("heading", text)).transpose()?,
    })
}

fn glob_rule(at: &str, rule: &Json<'_>, value: &Json<'_>) -> Read<ArtifactRule> {
    let pattern = word(at, value)?;
    let matcher =
        glob::compile(&pattern).map_err(|problem| bad(value, format!("{at}: \"{}\" {problem}", echo(&pattern))))?;
    let max = rule.get("max").map(|most| whole("max", most)).transpose()?;
    // a maximum alone requires no file
    let least = u64::from(max.is_none());
    Ok(ArtifactRule::Glob {
        pattern,
        matcher,
        min: rule.get("min").map_or(Ok(least), |least| whole("min", least))?,
        max,
        non_empty: rule.get("nonEmpty").map_or(Ok(false), |flag| boolean("nonEmpty", flag))?,
    })
}

fn for_each_rule(at: &str, rule: &Json<'_>, value: &Json<'_>) -> Read<ArtifactRule> {
    let headings = headings(at, value, "regex")?;
    // the whole match counts as a group, too
    if headings.regex.captures_len() != 2 {
        return Err(bad(value, format!("{at}.regex must have exactly one group")));
    }
    let files = required(at, rule, "files")?;
    let paths = few(at, array("files", files)?, files)?;
    let files = paths.iter().map(|path| word("files", path)).collect::<Read<_>>()?;
    Ok(ArtifactRule::ForEachHeading { headings, files })
}

fn count_rule(at: &str, rule: &Json<'_>, value: &Json<'_>) -> Read<ArtifactRule> {
    closed(at, value, &["event", "field"])?;
    Ok(ArtifactRule::Count {
        event: word("count.event", required(at, value, "event")?)?,
        field: word("count.field", required(at, value, "field")?)?,
        headings: headings("equals", required(at, rule, "equals")?, "heading")?,
    })
}

fn headings(at: &str, value: &Json<'_>, key: &str) -> Read<Headings> {
    closed(at, value, &["file", key])?;
    let file = word(&format!("{at}.file"), required(at, value, "file")?)?;
    Ok(Headings { file, regex: regex(&format!("{at}.{key}"), required(at, value, key)?)? })
}

fn regex(at: &str, value: &Json<'_>) -> Read<Regex> {
    let text = word(at, value)?;
    if text.len() > MAX_REGEX {
        return Err(bad(value, format!("{at} is longer than {MAX_REGEX} bytes")));
    }
    let mut builder = RegexBuilder::new(&text);
    let built = builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).nest_limit(MAX_REGEX_NESTING).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            bad(value, format!("{at} takes more than {MAX_COMPILED} bytes once compiled"))
        }
        // its last line is the reason; the lines before it show the expression
        error => {
            let words = error.to_string();
            let said = words.lines().last().unwrap_or_default().trim_start_matches("error: ");
            bad(value, format!("{at} is no expression: {said}"))
        }
    })
}

fn whole(at: &str, value: &Json<'_>) -> Read<u64> {
    let number = value.number();
    number.ok_or_else(|| wrong_type(at, "a whole number from 0", value))
}

fn array<'j, 't>(at: &str, value: &'j Json<'t>) -> Read<&'j [Json<'t>]> {
    let JsonValue::Array(items) = &value.value else { return Err(wrong_type(at, "a list", value)) };
    Ok(items)
}

/// The same items, unless there are too many.
fn few<'j, T>(at: &str, items: &'j [T], value: &Json<'_>) -> Read<&'j [T]> {
    if items.len() > MAX_ITEMS { Err(bad(value, format!("{at} holds more than {MAX_ITEMS} items"))) } else { Ok(items) }
}

fn required<'j, 't>(at: &str, value: &'j Json<'t>, key: &str) -> Read<&'j Json<'t>> {
    members(at, value)?;
    value.get(key).ok_or_else(|| bad(value, format!("{at} lacks \"{key}\"")))
}

/// An unknown key would be a requirement that is never checked.
fn closed(at: &str, value: &Json<'_>, keys: &[&str]) -> Read<()> {
    let unknown = |(key, _): &&Member<'_>| !keys.contains(&&**key);
    match members(at, value)?.iter().find(unknown) {
        Some((key, value)) => Err(unknown_key(at, key, value, keys)),
        None => Ok(()),
    }
}

fn unknown_key(at: &str, key: &str, value: &Json<'_>, keys: &[&str]) -> BadValue {
    bad_key(value, format!("{at}: \"{}\" is no key; there are {}", echo(key), keys.join(", ")))
}

#[cfg(test)]
mod tests;
