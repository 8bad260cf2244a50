//! The lines that this program's commands write, with the fields as typed: `FIELD=VALUE` for a text, `FIELD:=JSON` for
//! anything else. Pure; the judge decides whether a log may have the line.

use super::moment::Moment;
use super::profile::PHASE;
use crate::text::escape::echo;
use crate::text::json::{self, Json, JsonValue};

/// The fields that every line gets automatically.
const OURS: [&str; 2] = ["event", "ts"];
/// Longest name of a field in bytes.
const MAX_NAME: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewField {
    pub name: String,
    /// Its value, JSON on one line: a line break would end the line of the log.
    pub json: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    pub name: String,
    /// Its fields in order, besides name and time.
    pub fields: Vec<NewField>,
}

impl NewField {
    pub fn text(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), json: quoted(value) }
    }

    pub fn texts<'t>(name: &str, values: impl IntoIterator<Item = &'t str>) -> Self {
        let items: Vec<String> = values.into_iter().map(quoted).collect();
        Self { name: name.to_owned(), json: format!("[{}]", items.join(",")) }
    }

    pub fn number(name: &str, value: u64) -> Self {
        Self { name: name.to_owned(), json: value.to_string() }
    }

    pub fn boolean(name: &str, value: bool) -> Self {
        Self { name: name.to_owned(), json: value.to_string() }
    }

    pub fn object(name: &str, fields: &[Self]) -> Self {
        Self { name: name.to_owned(), json: object(fields) }
    }

    /// Parses `FIELD=VALUE` or `FIELD:=JSON`; an error is the end of a sentence.
    ///
    /// # Errors
    /// Any other form, and a field that is set automatically.
    pub fn parse(typed: &str) -> Result<Self, String> {
        let Some((name, value)) = typed.split_once('=') else {
            return Err(format!("`{}` is no FIELD=VALUE", echo(typed)));
        };
        let (name, is_json) = name.strip_suffix(':').map_or((name, false), |name| (name, true));
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(format!("`{}` names no field", echo(typed)));
        }
        if OURS.contains(&name) {
            return Err(format!("{name} is not typed: every line gets it when it is written"));
        }
        if !is_json {
            return Ok(Self::text(name, value));
        }
        let json = json::parse(value).map_err(|fault| format!("{}: the value {}", echo(name), fault.message))?;
        Ok(Self { name: name.to_owned(), json: compact(&json) })
    }

    /// The same for a count of a phase; the number of the phase precedes it. A text that reads as a number becomes a
    /// number.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_count(typed: &str) -> Result<Self, String> {
        let field = Self::parse(typed)?;
        if field.name == PHASE {
            return Err(format!("{PHASE} is not typed: the number before the counts says which one ends"));
        }
        let number = typed.split_once('=').and_then(|(_, value)| json::parse(value).ok());
        match number.map(|number| number.value) {
            Some(JsonValue::Number(text)) => Ok(Self { json: text.to_owned(), ..field }),
            _ => Ok(field),
        }
    }
}

impl NewEvent {
    /// An event with that name and without fields.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), fields: Vec::new() }
    }

    #[must_use]
    pub fn with(mut self, field: NewField) -> Self {
        self.fields.push(field);
        self
    }

    /// The line for that time, without its line end.
    pub fn line(&self, at: Moment) -> String {
        let ours = [NewField::text("event", &self.name), NewField::text("ts", &at.to_string())];
        object(&[&ours[..], &self.fields].concat())
    }
}

fn object(fields: &[NewField]) -> String {
    let members: Vec<String> = fields.iter().map(|field| format!("{}:{}", quoted(&field.name), field.json)).collect();
    format!("{{{}}}", members.join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value on one line; numbers keep their spelling.
fn compact(json: &Json<'_>) -> String {
    match &json.value {
        JsonValue::Null => "null".to_owned(),
        JsonValue::Bool(value) => value.to_string(),
        JsonValue::Number(text) => (*text).to_owned(),
        JsonValue::String(text) => quoted(text),
        JsonValue::Array(items) => format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(",")),
        JsonValue::Object(members) => {
            let member = |(key, value): &json::Member<'_>| format!("{}:{}", quoted(key), compact(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_text_unless_it_is_typed_as_json() {
        for (typed, json) in [
            ("a=1", "\"1\""),
            ("a:=1", "1"),
            ("a:=1.50", "1.50"),
            ("a=x=y", "\"x=y\""),
            ("a=", "\"\""),
            ("a=\u{2028}\n\"", "\"\u{2028}\\n\\\"\""),
            ("a:={\"b\" : [ 1,\n null, true ]}", "{\"b\":[1,null,true]}"),
        ] {
            assert_eq!(NewField::parse(typed).unwrap(), NewField { name: "a".into(), json: json.into() }, "{typed}");
        }
    }

    #[test]
    fn what_is_no_field_is_refused() {
        for typed in ["a", "=1", ":=1", "ts=2026", "event:=1", "a:=NaN", "a:={\"b\":1,\"b\":2}", "a:=", "\n=1"] {
            assert!(NewField::parse(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn a_count_that_reads_as_a_number_is_one() {
        let json = |typed| NewField::parse_count(typed).unwrap().json;
        assert_eq!((json("n=12"), json("n=1.5"), json("n=-1")), ("12".into(), "1.5".into(), "-1".into()));
        assert_eq!(
            (json("n=pass"), json("n=012"), json("n=true")),
            ("\"pass\"".into(), "\"012\"".into(), "\"true\"".into())
        );
        assert_eq!(json("n:=\"12\""), "\"12\"");
    }

    #[test]
    fn a_line_says_its_event_and_time_first() {
        let at = Moment { seconds: 1, nanos: 0 };
        let event = NewEvent::new("note").with(NewField::text("text", "a\"b")).with(NewField::boolean("b", true));
        assert_eq!(event.line(at), r#"{"event":"note","ts":"1970-01-01T00:00:01Z","text":"a\"b","b":true}"#);
        let list = NewField::texts("l", ["a", "b"]);
        assert_eq!(NewField::object("o", &[NewField::number("n", 3), list]).json, r#"{"n":3,"l":["a","b"]}"#);
    }
}
