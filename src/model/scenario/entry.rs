//! One entry of the `scenarios` list.

use super::fields::{self, MAX_FIELD, MAX_PROSE};
use super::identity::text_hash;
use super::repeats::{self, RunsRule};
use super::{OldScenario, Scenario, Unread};
use crate::model::governed::{Governed, parse_list};
use crate::model::labels::EnvName;
use crate::model::source::{Fault, Position};
use crate::text::escape::echo;
use crate::text::yaml::{Value, YamlEntry, YamlKind};
use crate::tree::path::RepoPath;

/// The closed set of keys.
const KEYS: [&str; 9] = ["name", "description", "expected", "tags", "test", "code", "related", "runs", "env"];
/// The keys that must be texts.
const TEXTS: [&str; 3] = ["name", "description", "expected"];

pub(super) struct ReadEntry {
    /// The scenario, if it has a name, because readings are filed under the name even if other keys are missing. A missing
    /// text is empty.
    pub(super) scenario: Option<Scenario>,
    /// The name and its place, if readable.
    pub(super) name: Option<(String, Position)>,
    pub(super) faults: Vec<Fault>,
}

/// The context for all entries of a file.
pub(super) struct Context<'a> {
    pub(super) dir: &'a RepoPath,
    /// `lint.scenarioTags`.
    pub(super) library: &'a [String],
}

#[derive(Default)]
struct Draft {
    texts: [Option<String>; 3],
    name_at: Position,
    tags: Vec<String>,
    test: Option<Governed>,
    test_name: Option<String>,
    test_command: Option<String>,
    test_skips: bool,
    code: Vec<Governed>,
    related: Vec<Governed>,
    runs: Option<RunsRule>,
    env: Vec<EnvName>,
    /// Whether part of the governed list could not be read.
    unread_code: bool,
    faults: Vec<Fault>,
}

/// Reads the entry `item`, the `number`th of its file.
pub(super) fn read(item: &Value, number: usize, context: &Context<'_>) -> ReadEntry {
    let mut draft = Draft::default();
    match &item.kind {
        YamlKind::Mapping(entries) => {
            entries.iter().for_each(|entry| draft.key(entry, context));
            draft.missing(item.at, entries, context);
        }
        YamlKind::Refused => {}
        _ => draft.faults.push(not_a_map(item, number)),
    }
    let name = draft.texts[0].clone().map(|name| (name, draft.name_at));
    let faults = std::mem::take(&mut draft.faults);
    ReadEntry { scenario: draft.scenario(item.at), name, faults }
}

/// The texts of the entry `item`, if it has a name: see [`read`].
pub(super) fn texts(item: &Value) -> Option<OldScenario> {
    let YamlKind::Mapping(entries) = &item.kind else { return None };
    let text = |key: &str| {
        let entry = entries.iter().find(|entry| entry.key == key)?;
        fields::text(entry, usize::MAX).0
    };
    let name = text("name")?;
    let code = entries.iter().find(|entry| entry.key == "code");
    Some(OldScenario {
        name,
        description: text("description").unwrap_or_default(),
        expected: text("expected").unwrap_or_default(),
        code: code.map(|entry| parse_list("code", &entry.value).0).unwrap_or_default().into(),
    })
}

/// What one entry of a scenario file names.
#[derive(Default)]
pub(crate) struct NamedByEntry {
    /// The name of the scenario, if it is readable.
    pub(crate) name: Option<String>,
    /// Its own governed list.
    pub(crate) code: Vec<Governed>,
    pub(crate) related: Vec<Governed>,
    pub(crate) test: Option<Governed>,
    /// The command that its `test` declares.
    pub(crate) command: Option<String>,
}

/// What the entry `item` of a file in `dir` names: see [`read`].
pub(super) fn named(item: &Value, dir: &RepoPath) -> NamedByEntry {
    let mut named = NamedByEntry::default();
    let YamlKind::Mapping(entries) = &item.kind else { return named };
    for entry in entries {
        match entry.key.as_str() {
            "name" => named.name = fields::text(entry, usize::MAX).0,
            "code" => named.code.extend(parse_list("code", &entry.value).0),
            "related" => named.related.extend(parse_list("related", &entry.value).0),
            "test" => {
                named.test = fields::test(&entry.value, dir).0;
                named.command = named.command.or_else(|| fields::test_command(&entry.value));
            }
            _ => {}
        }
    }
    named
}

/// The name of the entry `item`, and the line of the command that it declares in its `test`.
pub(super) fn command_line(item: &Value) -> Option<(String, u32)> {
    let YamlKind::Mapping(entries) = &item.kind else { return None };
    let of = |key: &str| entries.iter().find(|entry| entry.key == key);
    Some((fields::text(of("name")?, MAX_FIELD).0?, fields::command_at(&of("test")?.value)?.line))
}

/// Whether a value, or an item in it, could not be read.
fn is_refused(value: &Value) -> bool {
    match &value.kind {
        YamlKind::Refused => true,
        YamlKind::Sequence(items) => items.iter().any(is_refused),
        YamlKind::Scalar(_) | YamlKind::Mapping(_) => false,
    }
}

fn not_a_map(item: &Value, number: usize) -> Fault {
    let message = format!("entry {number} of `scenarios` is {}, not a map", item.describe());
    Fault::new(item.at, "entry", message, "begin it with `- name:` and indent its other keys below `name`")
}

impl Draft {
    fn key(&mut self, entry: &YamlEntry, context: &Context<'_>) {
        match entry.key.as_str() {
            "name" => {
                self.name_at = entry.value.at;
                self.text(0, entry, MAX_FIELD);
            }
            "description" => self.text(1, entry, MAX_PROSE),
            "expected" => self.text(2, entry, MAX_PROSE),
            "tags" => {
                let (tags, faults) = fields::tags(&entry.value, context.library);
                self.tags = tags;
                self.faults.extend(faults);
            }
            "test" => {
                let (test, faults) = fields::test(&entry.value, context.dir);
                self.test = test;
                self.test_name = fields::test_name(&entry.value);
                self.test_command = fields::test_command(&entry.value);
                self.test_skips = fields::test_skips(&entry.value);
                self.faults.extend(faults);
            }
            "code" => {
                let (code, faults) = parse_list("code", &entry.value);
                self.unread_code = !faults.is_empty() || is_refused(&entry.value);
                self.code = code;
                self.faults.extend(faults);
            }
            "related" => {
                let (related, faults) = parse_list("related", &entry.value);
                self.related = related;
                self.faults.extend(faults);
            }
            "runs" => {
                let (runs, faults) = repeats::runs(entry);
                self.runs = runs;
                self.faults.extend(faults);
            }
            "env" => {
                let (env, faults) = repeats::env(&entry.value);
                self.env = env;
                self.faults.extend(faults);
            }
            _ => self.faults.push(fields::unknown_key(entry, "", &KEYS)),
        }
    }

    fn text(&mut self, slot: usize, entry: &YamlEntry, limit: usize) {
        let (text, fault) = fields::text(entry, limit);
        self.texts[slot] = text;
        self.faults.extend(fault);
    }

    /// A fault for every missing required key.
    fn missing(&mut self, at: Position, entries: &[YamlEntry], context: &Context<'_>) {
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        let whose = match &self.texts[0] {
            Some(name) => format!("scenario `{}`", echo(name)),
            None => "the scenario".to_owned(),
        };
        for key in TEXTS.iter().filter(|key| !has(key)) {
            let help = format!("add `{key}:` to the entry");
            self.faults.push(Fault::new(at, "missing", format!("{whose} has no `{key}`"), help).about(key));
        }
        if !has("tags") {
            self.faults.push(fields::no_tags(at, context.library));
        }
    }

    fn scenario(self, at: Position) -> Option<Scenario> {
        let [Some(name), description, expected] = self.texts else { return None };
        let unread = Unread { text: description.is_none() || expected.is_none(), code: self.unread_code };
        let (description, expected) = (description.unwrap_or_default(), expected.unwrap_or_default());
        let text_hash = text_hash(&description, &expected);
        let Self { tags, test, test_name, test_command, test_skips, code, related, runs, env, .. } = self;
        Some(Scenario {
            name,
            description,
            expected,
            tags,
            test,
            test_name,
            test_command,
            test_skips,
            code,
            related,
            runs,
            env,
            at,
            text_hash,
            unread,
        })
    }
}
