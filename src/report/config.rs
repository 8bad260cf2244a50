//! `config show` and `config check`, for people and programs.
//!
//! Machine form of both: `yatsu-hook/config/v1`, one JSON object, published as schema/config.v1.schema.json.

use super::human;
use super::view::Style;
use super::view::config::{Setting, Settings, ValueSource};
use crate::finding::Level;
use crate::names::CONFIG_FILE;
use crate::text::escape::terminal;
use std::io::{self, Write};

/// `config show`: one line per setting, with where its value comes from.
pub(crate) fn write_settings(settings: &Settings, out: &mut dyn Write) -> io::Result<()> {
    let width = settings.settings.iter().map(|setting| setting.key.chars().count()).max().unwrap_or(0);
    for setting in &settings.settings {
        let gap = " ".repeat(width - setting.key.chars().count());
        let (key, value) = (terminal(&setting.key), setting.value.words().join(", "));
        writeln!(
            out,
            "{key}{gap}  {}  ({})",
            terminal(if value.is_empty() { "-" } else { &value }),
            terminal(&origin(setting))
        )?;
    }
    Ok(())
}

/// `config check`: one line per warning. Without warnings it prints nothing.
pub(crate) fn write_warnings(settings: &Settings, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let level = human::painted("warning", Level::Warning, style);
    settings.warnings.iter().try_for_each(|warning| writeln!(out, "spexcode.json: {level}: {}", terminal(warning)))
}

fn origin(setting: &Setting) -> String {
    match &setting.origin {
        ValueSource::File => CONFIG_FILE.into(),
        ValueSource::Default(None) => "default".into(),
        ValueSource::Default(Some(source)) => format!("default: {source}"),
    }
}
