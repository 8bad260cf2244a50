//! The places of run logs, and the command that starts one. A command in a message must work in the user's directory.

use crate::app::site::Site;
use crate::error::{Error, Result};
use crate::features::runlogs::judge::find_runlog;
use crate::features::runlogs::model::place::{LogPlace, place};
use crate::features::runlogs::model::profile::{EventSpec, FieldSpec, FieldType, LogPosition};
use crate::names::CONFIG_FILE;
use crate::tree::path::RepoPath;

/// The fields of the first line that the user does not type.
pub(super) const OURS: [&str; 3] = ["schema_version", "event_types", "started_at"];

/// The place of a log, by its path.
///
/// # Errors
/// Usage if no log may lie there.
pub(super) fn placed(site: &dyn Site, path: &RepoPath, profile: Option<&str>) -> Result<LogPlace> {
    place(path, &site.config()?).ok_or_else(|| unguarded(path, profile))
}

/// The refusal of a path that no hook checks.
fn unguarded(path: &RepoPath, profile: Option<&str>) -> Error {
    let profile = profile.unwrap_or("PROFILE");
    let entry = format!("{{\"path\": \"{path}\", \"profile\": \"{profile}\"}}");
    Error::usage(format!("{path} is no place of a run log: the hooks would not look at it"))
        .hint(format!("add it to yatsu.runlogs in {CONFIG_FILE}: {entry}"))
        .hint("or use a place that is known: quality/run_state.jsonl, or no FILE at all")
}

/// The fields of an event that the user types.
pub(super) fn askable(spec: &EventSpec) -> impl Iterator<Item = &FieldSpec> {
    spec.fields.iter().filter(|field| !OURS.contains(&field.name.as_str()))
}

/// How a field is typed, e.g. `count:=NUMBER`.
pub(super) fn typing(field: &FieldSpec) -> String {
    let value = match field.kind {
        FieldType::Text if field.one_of.is_empty() => "=VALUE".to_owned(),
        FieldType::Text => format!("={}", field.one_of.join("|")),
        FieldType::Array => ":=[…]".to_owned(),
        FieldType::Object => ":={…}".to_owned(),
        FieldType::Boolean => ":=true|false".to_owned(),
        FieldType::Integer | FieldType::Number => ":=NUMBER".to_owned(),
    };
    format!("{}{value}", field.name)
}

/// The command that appends the start of a run to a log that ends after its `_index`.
pub(super) fn line_of_start(start: &EventSpec, word: &str) -> String {
    let required = askable(start).filter(|field| field.required);
    let fields: String = required.map(|field| format!(" {}", typing(field))).collect();
    format!("yatsu-hook runlog add {}{fields} --log {word}", start.name)
}

/// The command that starts a run in that file.
///
/// # Errors
/// Usage if no log may lie there, because a command in a message must work. Configuration if a profile of the project is
/// missing or invalid.
pub(super) fn line_to_type(site: &dyn Site, path: Option<&RepoPath>) -> Result<String> {
    let Some(path) = path else { return Ok("yatsu-hook runlog start".to_owned()) };
    placed(site, path, None)?;
    let mut line = format!("yatsu-hook runlog start {}", find_runlog::word_of(site, path));
    let profile = find_runlog::profile_of(site, path, b"")?;
    let specs = [LogPosition::First, LogPosition::Second].into_iter().filter_map(|at| profile.at(at));
    for field in specs.flat_map(askable).filter(|field| field.required) {
        line += &format!(" {}", typing(field));
    }
    Ok(line)
}
