//! `yatsu.runlogs`: which files are run logs, and their profiles.

use crate::features::runlogs::model::builtin;
use crate::finding::SettingValue;
use crate::model::config::values::{Read, bad, bad_key, members, word, wrong_type};
use crate::model::config::{Config, FeatureConfig, ShownSetting};
use crate::model::glob::Globs;
use crate::text::escape::echo;
use crate::text::json::{Json, JsonValue};
use crate::tree::path::RepoPath;

/// The patterns for run logs, in the order of matching.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunLogSettings {
    pub(crate) entries: Vec<RunLogEntry>,
}

/// A pattern for run logs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLogEntry {
    pub(crate) path: Globs,
    /// The profile that their lines must follow.
    pub profile: ProfileName,
}

/// The name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProfileName {
    /// A profile that comes with the program.
    BuiltIn(&'static str),
    /// A file in the judged view.
    File(RepoPath),
}

impl ProfileName {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::BuiltIn(name) => (*name).to_owned(),
            Self::File(path) => path.to_string(),
        }
    }
}

/// How many entries there may be: each is matched against every changed path.
const MAX_ENTRIES: usize = 64;

impl FeatureConfig for RunLogSettings {
    const KEY: &'static str = "runlogs";
    const RANK: u16 = 150;
    const DEFAULT: &'static Self = &Self { entries: Vec::new() };
    const SAYS_WHERE: bool = true;

    fn read(value: &Json<'_>) -> Read<Self> {
        const KEY: &str = "yatsu.runlogs";
        let JsonValue::Array(items) = &value.value else { return Err(wrong_type(KEY, "a list of objects", value)) };
        if items.len() > MAX_ENTRIES {
            return Err(bad(value, format!("{KEY} holds more than {MAX_ENTRIES} entries")));
        }
        Ok(Self { entries: items.iter().map(|item| entry(KEY, item)).collect::<Read<_>>()? })
    }

    fn lowered(&self, new: &Self) -> Vec<String> {
        let lost = self.entries.iter().filter(|entry| !new.entries.contains(entry));
        lost.map(|entry| {
            let text = entry.path.text().join(", ");
            format!("yatsu.runlogs loses \"{}\": such logs may be judged otherwise, or not at all", echo(&text))
        })
        .collect()
    }

    fn shown(&self, _: &Config) -> Vec<ShownSetting> {
        let entry = |entry: &RunLogEntry| format!("{} {}", entry.path.text().join(", "), entry.profile.text());
        vec![ShownSetting::of("yatsu.runlogs", SettingValue::List(self.entries.iter().map(entry).collect()))]
    }
}

fn entry(key: &str, item: &Json<'_>) -> Read<RunLogEntry> {
    for (name, value) in members(key, item)? {
        if !["path", "profile"].contains(&&**name) {
            return Err(bad_key(value, format!("{key}: \"{}\" is no key; there are path and profile", echo(name))));
        }
    }
    let lacks = |name: &str| bad(item, format!("{key}: an entry lacks \"{name}\""));
    let path = item.get("path").ok_or_else(|| lacks("path"))?;
    let profile = item.get("profile").ok_or_else(|| lacks("profile"))?;
    let text = word("yatsu.runlogs.path", path)?;
    let spelled = text.trim_start_matches("./").to_owned();
    let compiled = Globs::compile(vec![spelled])
        .map_err(|(_, problem)| bad(path, format!("{key}: \"{}\" {problem}", echo(&text))))?;
    Ok(RunLogEntry { path: compiled, profile: profile_name(profile)? })
}

fn profile_name(value: &Json<'_>) -> Read<ProfileName> {
    let text = word("yatsu.runlogs.profile", value)?;
    if let Some(name) = builtin::names().into_iter().find(|name| *name == text) {
        return Ok(ProfileName::BuiltIn(name));
    }
    let known = builtin::names().join(", ");
    if !text.ends_with(".json") {
        let message = format!("\"{}\" is no profile; there are {known}, or the path of a .json file", echo(&text));
        return Err(bad(value, format!("yatsu.runlogs.profile: {message}")));
    }
    let path = RepoPath::parse(text.as_bytes());
    path.map(ProfileName::File)
        .map_err(|problem| bad(value, format!("yatsu.runlogs.profile: \"{}\" {}", echo(&text), problem.as_str())))
}
