//! One line of an event log as yoagent-state writes it: `id, schema_version, ts_ms, actor, kind, payload, causation_id,
//! correlation_id`, unknown keys allowed. Only `state.ops_applied` changes the graph.

use super::op::StateOp;
use crate::text::json::{Json, JsonValue};

/// The only event that changes a graph.
pub const OPS_APPLIED: &str = "state.ops_applied";

/// The newest supported version of the format.
pub const SCHEMA_VERSION: u64 = 1;

/// An event, reduced to the fields that a graph needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    pub id: String,
    pub kind: String,
    /// Its changes of the graph; empty for every other kind.
    pub ops: Vec<StateOp>,
}

impl LoggedEvent {
    /// The event in `json`.
    ///
    /// # Errors
    /// The fault as the end of a sentence that begins with "the event". One invalid op makes the whole event invalid,
    /// because half an event would be a different event.
    pub fn read(json: &Json<'_>) -> Result<Self, String> {
        let text = |key: &str| match json.get(key).map(|value| value.as_str()) {
            Some(Some(text)) if !text.is_empty() => Ok(text.to_owned()),
            Some(_) => Err(format!("has a \"{key}\" that is no text")),
            None => Err(format!("has no \"{key}\"")),
        };
        let (id, kind) = (text("id")?, text("kind")?);
        match json.get("schema_version").map(|value| &value.value) {
            Some(JsonValue::Number(number)) => match number.parse::<u64>() {
                Ok(version) if version <= SCHEMA_VERSION => {}
                Ok(version) => {
                    return Err(format!("is of schema_version {version}; this program knows {SCHEMA_VERSION}"));
                }
                Err(_) => return Err("has a \"schema_version\" that is no whole number".to_owned()),
            },
            Some(_) => return Err("has a \"schema_version\" that is no whole number".to_owned()),
            None => return Err("has no \"schema_version\"".to_owned()),
        }
        let ops = if kind == OPS_APPLIED { ops(json)? } else { Vec::new() };
        Ok(Self { id, kind, ops })
    }
}

fn ops(json: &Json<'_>) -> Result<Vec<StateOp>, String> {
    let payload = json.get("payload").ok_or("has no \"payload\"")?;
    let JsonValue::Array(items) = &payload.value else {
        return Err(format!("has {} as its payload, not a list of ops", payload.type_name()));
    };
    let read = |(at, item): (usize, &Json<'_>)| {
        StateOp::read(item).map_err(|wrong| format!("has an op, number {}, that {wrong}", at + 1))
    };
    items.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;

    fn read(text: &str) -> Result<LoggedEvent, String> {
        LoggedEvent::read(&json::parse(text).unwrap())
    }

    #[test]
    fn an_event_is_read_with_the_keys_that_nobody_knows() {
        let text = r#"{"id":"e1","schema_version":1,"ts_ms":5,"actor":{"kind":"agent","id":"a"},"kind":"state.ops_applied","payload":[{"TombstoneNode":{"id":"n"}}],"causation_id":null,"correlation_id":null,"more":1}"#;
        assert_eq!(read(text).unwrap().ops, [StateOp::TombstoneNode { id: "n".into() }]);
        let other = text.replace("state.ops_applied", "goal.created").replace("[{", "{\"x\":[{").replace("}}]", "}}]}");
        assert_eq!(read(&other).unwrap().ops, []);
    }

    #[test]
    fn a_newer_version_and_what_is_no_event_are_refused() {
        let text = |version: &str| format!("{{\"id\":\"e\",\"schema_version\":{version},\"kind\":\"x\"}}");
        assert!(read(&text("1")).is_ok() && read(&text("0")).is_ok());
        for (version, said) in [("2", "schema_version 2"), ("1.5", "no whole number"), ("\"1\"", "no whole number")] {
            assert!(read(&text(version)).unwrap_err().contains(said), "{version}");
        }
        for (text, said) in [
            ("{}", "no \"id\""),
            (r#"{"id":1}"#, "no text"),
            (r#"{"id":"e"}"#, "no \"kind\""),
            (r#"{"id":"e","kind":"k"}"#, "no \"schema_version\""),
            (r#"{"id":"e","kind":"state.ops_applied","schema_version":1}"#, "no \"payload\""),
            (r#"{"id":"e","kind":"state.ops_applied","schema_version":1,"payload":{}}"#, "not a list"),
            (
                r#"{"id":"e","kind":"state.ops_applied","schema_version":1,"payload":[{"x":{}}]}"#,
                "number 1, that `x` is none",
            ),
        ] {
            assert!(read(text).unwrap_err().contains(said), "{text}");
        }
    }
}
