//! The values of an entry's keys.

use super::{MAX_TAG, MAX_TAGS};
use crate::model::governed::{Governed, parse_item};
use crate::model::source::{Fault, Position};
use crate::text::escape::{ECHO, clip, echo, is_blank};
use crate::text::nearest::nearest;
use crate::text::yaml::{Resolved, Value, YamlEntry, YamlKind};
use crate::tree::path::RepoPath;

/// Longest text of most keys, in bytes.
pub(in crate::model) const MAX_FIELD: usize = 4 * 1024;
/// Longest command of a `test`, in characters.
const MAX_COMMAND: usize = 1000;
/// Longest text of a description, in bytes.
pub(in crate::model) const MAX_PROSE: usize = 16 * 1024;

/// The text of a key that requires one. A text that is too long is returned together with its fault.
pub(in crate::model) fn text(entry: &YamlEntry, limit: usize) -> (Option<String>, Option<Fault>) {
    let YamlKind::Scalar(scalar) = &entry.value.kind else {
        return (None, not_text(&entry.key, &entry.value));
    };
    if scalar.resolved != Resolved::Text {
        return (None, not_text(&entry.key, &entry.value).map(|fault| at_key_if_empty(fault, entry)));
    }
    if is_blank(&scalar.text) {
        return (None, Some(at_key_if_empty(blank(&entry.key, entry.value.at), entry)));
    }
    if entry.key == "name" && scalar.text.contains(is_line_break) {
        return (Some(scalar.text.clone()), Some(broken(entry.value.at)));
    }
    let fault = (scalar.text.len() > limit).then(|| too_long(&entry.key, &entry.value, scalar.text.len(), limit));
    (Some(scalar.text.clone()), fault)
}

/// For an empty value, the fault points at the key.
fn at_key_if_empty(mut fault: Fault, entry: &YamlEntry) -> Fault {
    if matches!(&entry.value.kind, YamlKind::Scalar(scalar) if scalar.text.is_empty() && !scalar.quoted) {
        fault.at = entry.at;
    }
    fault
}

/// The fault of a value that is not text; `None` if the value was refused already.
fn not_text(key: &str, value: &Value) -> Option<Fault> {
    let scalar = match &value.kind {
        YamlKind::Refused => return None,
        YamlKind::Scalar(scalar) => scalar,
        _ => {
            let message = format!("`{key}` needs text, not {}", value.describe());
            return Some(
                Fault::new(value.at, "type", message, "write one text; quote it when its brackets are text").about(key),
            );
        }
    };
    if scalar.text.is_empty() {
        return Some(blank(key, value.at));
    }
    let shown = echo(&scalar.text);
    let message = match scalar.resolved {
        Resolved::Null => format!("`{key}` needs text: YAML reads `{shown}` as nothing"),
        other => format!("`{key}` needs text: YAML reads `{shown}` as {}", other.describe()),
    };
    Some(Fault::new(value.at, "type", message, format!("quote it: {key}: \"{shown}\"")).about(key))
}

fn blank(key: &str, at: Position) -> Fault {
    Fault::new(at, "blank", format!("`{key}` is blank"), format!("write what `{key}` is")).about(key)
}

/// Not allowed in a name, because a name is typed on command lines and takes one line of every report.
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\t' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn broken(at: Position) -> Fault {
    let help = "write it on one line, without `|`, `>` or an escape for a line break or a tab";
    Fault::new(at, "broken-name", "`name` holds a line break or a tab", help)
}

fn too_long(what: &str, value: &Value, bytes: usize, limit: usize) -> Fault {
    let message = format!("`{what}` has {bytes} bytes; the limit is {limit}");
    Fault::new(value.at, "limit", message, "shorten it, or move the rest to the body of the file").about(what)
}

/// The tags of an entry, and their faults. With an empty `library` every tag is allowed.
pub(super) fn tags(value: &Value, library: &[String]) -> (Vec<String>, Vec<Fault>) {
    let (mut written, mut faults) = named_list("tags", value);
    if written.is_empty() && faults.is_empty() && value.kind != YamlKind::Refused {
        faults.push(no_tags(value.at, library));
    }
    if written.len() > MAX_TAGS {
        faults.push(too_many_tags(value.at, written.len()));
        written.truncate(MAX_TAGS);
    }
    let mut tags: Vec<String> = Vec::new();
    for (tag, item) in written {
        faults.extend(tag_fault(tag, item, library));
        if tag.len() <= MAX_TAG && !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    (tags, faults)
}

/// Every name under `key` with its value: a list, one text, or one text with commas.
pub(super) fn named_list<'v>(key: &str, value: &'v Value) -> (Vec<(&'v str, &'v Value)>, Vec<Fault>) {
    let (mut written, mut faults) = (Vec::new(), Vec::new());
    match &value.kind {
        YamlKind::Sequence(items) => items.iter().for_each(|item| match name_text(key, item) {
            Ok(name) => written.push((name, item)),
            Err(fault) => faults.extend(fault),
        }),
        _ => match name_text(key, value) {
            Ok(text) => {
                let names = text.split(',').map(str::trim).filter(|name| !is_blank(name));
                written.extend(names.map(|name| (name, value)));
            }
            Err(fault) => faults.extend(fault),
        },
    }
    (written, faults)
}

fn name_text<'v>(key: &str, item: &'v Value) -> Result<&'v str, Option<Fault>> {
    match &item.kind {
        YamlKind::Scalar(scalar) if scalar.resolved == Resolved::Text && !is_blank(&scalar.text) => {
            Ok(scalar.text.trim())
        }
        YamlKind::Scalar(scalar) if scalar.resolved == Resolved::Text => Err(Some(blank(key, item.at))),
        _ => Err(not_text(key, item)),
    }
}

fn tag_fault(tag: &str, item: &Value, library: &[String]) -> Option<Fault> {
    if tag.len() > MAX_TAG {
        return Some(too_long(&format!("tags: {}", echo(tag)), item, tag.len(), MAX_TAG));
    }
    if library.is_empty() || library.iter().any(|known| known == tag) {
        return None;
    }
    let message = format!("tag `{tag}` is not in the library lint.scenarioTags ({})", shown(library));
    let help = "use one of those, or add it to lint.scenarioTags in spexcode.json";
    Some(Fault::new(item.at, "tag-library", message, help).about(tag))
}

/// The fault of an entry without a tag.
pub(super) fn no_tags(at: Position, library: &[String]) -> Fault {
    let help = match library {
        [] => "give it at least one: tags: [name]".to_owned(),
        _ => format!("give it at least one of {}, or extend lint.scenarioTags in spexcode.json", shown(library)),
    };
    Fault::new(at, "no-tags", "the scenario has no tags", help)
}

fn too_many_tags(at: Position, count: usize) -> Fault {
    Fault::new(at, "limit", format!("{count} tags; the limit is {MAX_TAGS}"), "keep the tags that you select by")
        .about("tags")
}

fn shown(library: &[String]) -> String {
    let tags: Vec<_> = library.iter().map(|tag| echo(tag)).collect();
    clip(&tags.join(", "), 4 * ECHO).into_owned()
}

/// The name of a `test` value, if it is a map with one.
pub(super) fn test_name(value: &Value) -> Option<String> {
    let YamlKind::Mapping(entries) = &value.kind else { return None };
    entries.iter().find(|entry| entry.key == "name").and_then(|entry| text(entry, MAX_FIELD).0)
}

/// The command of a `test` value, if it is a map with a usable one.
pub(super) fn test_command(value: &Value) -> Option<String> {
    let YamlKind::Mapping(entries) = &value.kind else { return None };
    entries.iter().find(|entry| entry.key == "command").and_then(|entry| command(entry).ok())
}

/// Whether a `test` value is a map that allows skipped cases.
pub(super) fn test_skips(value: &Value) -> bool {
    let YamlKind::Mapping(entries) = &value.kind else { return false };
    entries.iter().any(|entry| entry.key == "skips" && skips(entry).is_ok())
}

/// The one value of `skips` is `allow`.
fn skips(entry: &YamlEntry) -> Result<(), Option<Fault>> {
    match text(entry, MAX_FIELD) {
        (Some(word), None) if word == "allow" => Ok(()),
        (Some(word), None) => {
            let message = format!("`skips` is `{}`; its one value is `allow`", echo(&word));
            Err(Some(
                Fault::new(entry.value.at, "type", message, "write `skips: allow`, or leave it out")
                    .about("test.skips"),
            ))
        }
        (_, fault) => Err(fault),
    }
}

/// Where a `test` value has its usable command.
pub(super) fn command_at(value: &Value) -> Option<Position> {
    let YamlKind::Mapping(entries) = &value.kind else { return None };
    entries.iter().find(|entry| entry.key == "command" && command(entry).is_ok()).map(|entry| entry.at)
}

/// A command line as people type it, for example `cargo test --locked`, without white space around it.
fn command(entry: &YamlEntry) -> Result<String, Option<Fault>> {
    let (text, fault) = text(entry, MAX_FIELD);
    let text = text.filter(|_| fault.is_none()).ok_or(fault)?;
    let command = text.trim();
    let at = entry.value.at;
    if command.contains(|c| c != '\t' && is_line_break(c)) {
        let help = "write the command on one line; put several into a script";
        return Err(Some(Fault::new(at, "broken-command", "`command` holds a line break", help)));
    }
    match command.chars().count() {
        0..=MAX_COMMAND => Ok(command.to_owned()),
        count => {
            let message = format!("`command` has {count} characters; the limit is {MAX_COMMAND}");
            Err(Some(Fault::new(at, "limit", message, "put it into a script").about("test.command")))
        }
    }
}

/// The path of a `test` value, and its faults: one path, or a map of `path`, `name`, `command` and `skips`.
pub(super) fn test(value: &Value, dir: &RepoPath) -> (Option<Governed>, Vec<Fault>) {
    match &value.kind {
        YamlKind::Mapping(entries) => test_map(value, entries, dir),
        YamlKind::Sequence(_) => {
            let help = "write one path, or a map of `path`, `name`, `command` and `skips`";
            (None, vec![Fault::new(value.at, "type", "`test` needs one path, not a list", help).about("test")])
        }
        _ => test_path(value, dir),
    }
}

fn test_path(value: &Value, dir: &RepoPath) -> (Option<Governed>, Vec<Fault>) {
    match parse_item("test", value, Some(dir)) {
        Ok(path) => {
            let fault = path.fault("test");
            (Some(path.of_whole_file()), fault.into_iter().collect())
        }
        Err(fault) => (None, fault.into_iter().collect()),
    }
}

fn test_map(map: &Value, entries: &[YamlEntry], dir: &RepoPath) -> (Option<Governed>, Vec<Fault>) {
    let (mut path, mut faults) = (None, Vec::new());
    for entry in entries {
        match entry.key.as_str() {
            "path" => {
                let (found, more) = test_path(&entry.value, dir);
                path = found;
                faults.extend(more);
            }
            "name" => faults.extend(text(entry, MAX_FIELD).1),
            "command" => faults.extend(command(entry).err().flatten()),
            "skips" => faults.extend(skips(entry).err().flatten()),
            _ => faults.push(unknown_key(entry, "test.", &["path", "name", "command", "skips"])),
        }
    }
    if !entries.iter().any(|entry| entry.key == "path" || entry.key == "command") {
        let help = "add `path:` with the file to run, or `command:` with the command line";
        let message = "`test` has no `path` and no `command`";
        faults.push(Fault::new(map.at, "missing", message, help).about("test.path"));
    }
    (path, faults)
}

/// The fault for a key outside the closed set `known`, with the probable known key.
pub(in crate::model) fn unknown_key(entry: &YamlEntry, prefix: &str, known: &[&str]) -> Fault {
    let shown = echo(&entry.key);
    let help = match nearest(&entry.key, known.iter().copied()) {
        Some(key) => format!("did you mean `{key}`?"),
        None => format!("the keys are {}", known.join(", ")),
    };
    Fault::new(entry.at, "unknown-key", format!("unknown key `{shown}`"), help).about(&format!("{prefix}{}", entry.key))
}
