//! `config show` and `config check`, for people and programs.
//!
//! Machine form of both: `yatsu-hook/config/v1`, one JSON object, published as schema/config.v1.schema.json.

use super::view::Style;
use super::view::config::{Origin, Setting, Settings, Value};
use crate::text::escape::terminal;
use owo_colors::OwoColorize;
use serde::Serialize;
use std::io::{self, Write};

/// The `schema` of the machine form.
pub const CONFIG: &str = "yatsu-hook/config/v1";

/// `config show`: one line per setting, with where its value comes from.
pub fn write_settings(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let width = settings.settings.iter().map(|setting| setting.key.chars().count()).max().unwrap_or(0);
    for setting in &settings.settings {
        let gap = " ".repeat(width - setting.key.chars().count());
        let (key, value) = (terminal(&setting.key), text(&setting.value));
        writeln!(out, "{key}{gap}  {}  ({})", terminal(&value), terminal(&origin(setting)))?;
    }
    Ok(())
}

/// `config check`: one line per warning, nothing at all without one.
pub fn write_warnings(settings: &Settings, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let level = if style.color { "warning".yellow().bold().to_string() } else { "warning".to_owned() };
    settings.warnings.iter().try_for_each(|warning| writeln!(out, "spexcode.json: {level}: {}", terminal(warning)))
}

fn text(value: &Value) -> String {
    match value {
        Value::Unset => "-".into(),
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Switch(on) => on.to_string(),
        Value::List(items) if items.is_empty() => "-".into(),
        Value::List(items) => items.join(", "),
    }
}

fn origin(setting: &Setting) -> String {
    match &setting.origin {
        Origin::File => "spexcode.json".into(),
        Origin::Default(None) => "default".into(),
        Origin::Default(Some(source)) => format!("default: {source}"),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: Option<&'static str>,
    settings: Vec<SettingDto<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct SettingDto<'a> {
    key: &'a str,
    value: ValueDto<'a>,
    origin: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueDto<'a> {
    Unset,
    Text(&'a str),
    Number(usize),
    Switch(bool),
    List(&'a [String]),
}

/// The machine form of both verbs.
pub fn write_json(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: CONFIG,
        file: settings.has_file.then_some("spexcode.json"),
        settings: settings.settings.iter().map(SettingDto::of).collect(),
        warnings: &settings.warnings,
    };
    let json = serde_json::to_string(&document).map_err(io::Error::from)?;
    writeln!(out, "{}", super::inert_json(json))
}

impl<'a> SettingDto<'a> {
    fn of(setting: &'a Setting) -> Self {
        let value = match &setting.value {
            Value::Unset => ValueDto::Unset,
            Value::Text(text) => ValueDto::Text(text),
            Value::Number(number) => ValueDto::Number(*number),
            Value::Switch(on) => ValueDto::Switch(*on),
            Value::List(items) => ValueDto::List(items),
        };
        let origin = match setting.origin {
            Origin::File => "file",
            Origin::Default(_) => "default",
        };
        Self { key: &setting.key, value, origin }
    }
}
