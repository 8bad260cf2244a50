//! `config show` and `config check`, for people and programs.
//!
//! Machine form of both: `yatsu-hook/config/v1`, one JSON object, published as schema/config.v1.schema.json.

use super::human;
use super::view::Style;
use super::view::config::{Setting, SettingValue, Settings, ValueSource};
use crate::finding::Level;
use crate::names::CONFIG_FILE;
use crate::text::escape::terminal;
use serde::Serialize;
use std::io::{self, Write};

/// The `schema` of the machine form.
pub(crate) const CONFIG: &str = "yatsu-hook/config/v1";

/// `config show`: one line per setting, with where its value comes from.
pub(crate) fn write_settings(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let width = settings.settings.iter().map(|setting| setting.key.chars().count()).max().unwrap_or(0);
    for setting in &settings.settings {
        let gap = " ".repeat(width - setting.key.chars().count());
        let (key, value) = (terminal(&setting.key), text(&setting.value));
        writeln!(out, "{key}{gap}  {}  ({})", terminal(&value), terminal(&origin(setting)))?;
    }
    Ok(())
}

/// `config check`: one line per warning. Without warnings it prints nothing.
pub(crate) fn write_warnings(settings: &Settings, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let level = human::painted("warning", Level::Warning, style);
    settings.warnings.iter().try_for_each(|warning| writeln!(out, "spexcode.json: {level}: {}", terminal(warning)))
}

fn text(value: &SettingValue) -> String {
    match value {
        SettingValue::Unset => "-".into(),
        SettingValue::Text(text) => text.clone(),
        SettingValue::Number(number) => number.to_string(),
        SettingValue::Switch(on) => on.to_string(),
        SettingValue::List(items) if items.is_empty() => "-".into(),
        SettingValue::List(items) => items.join(", "),
    }
}

fn origin(setting: &Setting) -> String {
    match &setting.origin {
        ValueSource::File => CONFIG_FILE.into(),
        ValueSource::Default(None) => "default".into(),
        ValueSource::Default(Some(source)) => format!("default: {source}"),
    }
}

#[derive(Serialize)]
struct ConfigJson<'a> {
    schema: &'static str,
    file: Option<&'static str>,
    settings: Vec<SettingDto<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct SettingDto<'a> {
    key: &'a str,
    value: ValueDto<'a>,
    origin: &'a ValueSource,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueDto<'a> {
    Unset,
    Text(&'a str),
    Number(u64),
    Switch(bool),
    List(&'a [String]),
}

/// The machine form of both verbs.
pub(crate) fn write_json(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let document = ConfigJson {
        schema: CONFIG,
        file: settings.has_file.then_some(CONFIG_FILE),
        settings: settings.settings.iter().map(SettingDto::of).collect(),
        warnings: &settings.warnings,
    };
    let json = serde_json::to_string(&document).map_err(io::Error::from)?;
    writeln!(out, "{}", super::inert_json(json))
}

impl<'a> SettingDto<'a> {
    fn of(setting: &'a Setting) -> Self {
        let value = match &setting.value {
            SettingValue::Unset => ValueDto::Unset,
            SettingValue::Text(text) => ValueDto::Text(text),
            SettingValue::Number(number) => ValueDto::Number(*number),
            SettingValue::Switch(on) => ValueDto::Switch(*on),
            SettingValue::List(items) => ValueDto::List(items),
        };
        Self { key: &setting.key, value, origin: &setting.origin }
    }
}
