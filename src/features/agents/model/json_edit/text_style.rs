//! The layout of a JSON text, and new values written in it.

use super::{JsoncText, NewJson};
use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::Value;

/// How the text is laid out.
pub(super) struct TextStyle<'t> {
    pub(super) newline: &'static str,
    /// One step of the indentation.
    pub(super) unit: &'t str,
    /// Whether the object of the text stands on one line.
    pub(super) minified: bool,
    /// Whether a blank follows a colon.
    pub(super) spaced: bool,
}

impl<'t> TextStyle<'t> {
    pub(super) fn of(document: &JsoncText<'t>) -> Self {
        let text = document.text;
        let newline = text.find('\n').map_or("\n", |at| if text[..at].ends_with('\r') { "\r\n" } else { "\n" });
        let root = document.root.as_ref().and_then(Node::as_object);
        let first = root.and_then(|root| root.properties.first());
        let minified = first.is_some() && root.is_some_and(|root| !root.text(text).contains('\n'));
        let unit = first
            .filter(|first| document.is_first_on_line(first.range.start))
            .map(|first| document.indent(first.range.start))
            .filter(|unit| !unit.is_empty());
        let spaced = first.is_none_or(|first| first.text(text).contains("\": "));
        Self { newline, unit: unit.unwrap_or("  "), minified, spaced }
    }

    /// Writes `"key": value`, or an element of a list.
    pub(super) fn write_member(&self, key: Option<&str>, value: &NewJson, indent: Option<&str>, text: &mut String) {
        if let Some(key) = key {
            let colon = if self.spaced || indent.is_some() { ": " } else { ":" };
            text.push_str(&format!("{}{colon}", Value::from(key)));
        }
        self.write(value, indent, text);
    }

    /// Writes a value whose line begins with `indent`; on one line without it.
    pub(super) fn write(&self, value: &NewJson, indent: Option<&str>, text: &mut String) {
        match value {
            NewJson::Text(content) => text.push_str(&Value::from(content.as_str()).to_string()),
            NewJson::Number(number) => text.push_str(&number.to_string()),
            NewJson::List(elements) => {
                self.write_all('[', elements.iter().map(|element| (None, element)), indent, ']', text);
            }
            NewJson::Object(members) => {
                self.write_all('{', members.iter().map(|(key, value)| (Some(*key), value)), indent, '}', text);
            }
        }
    }

    fn write_all<'n>(
        &self,
        open: char,
        members: impl Iterator<Item = (Option<&'n str>, &'n NewJson)>,
        indent: Option<&str>,
        close: char,
        text: &mut String,
    ) {
        let deeper = indent.map(|indent| format!("{indent}{}", self.unit));
        let break_line = |indent: Option<&str>, text: &mut String| {
            if let Some(indent) = indent {
                text.push_str(self.newline);
                text.push_str(indent);
            }
        };
        text.push(open);
        for (at, (key, value)) in members.enumerate() {
            if at > 0 {
                text.push_str(if indent.is_none() && self.spaced { ", " } else { "," });
            }
            break_line(deeper.as_deref(), text);
            self.write_member(key, value, deeper.as_deref(), text);
        }
        break_line(indent, text);
        text.push(close);
    }
}
