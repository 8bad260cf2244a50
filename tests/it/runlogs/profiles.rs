//! The published schema of profiles and the reader of profiles agree on the three bundled ones and on invalid ones.

use serde_json::{Value, json};
use std::path::PathBuf;
use yatsu_hook::features::runlogs::model::parse_profile;

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../../../schema/profile.v1.schema.json")).expect("JSON");
    jsonschema::validator_for(&schema).expect("a valid schema")
}

fn profile(name: &str) -> (String, Value) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("profiles/{name}.json"));
    let text = std::fs::read_to_string(path).expect("a profile");
    let value = serde_json::from_str(&text).expect("JSON");
    (text, value)
}

#[test]
fn the_profiles_that_come_along_are_of_the_published_schema() {
    for name in ["quality-playbook", "calibration-cycle", "measure"] {
        let (text, value) = profile(name);
        let errors: Vec<String> = schema().iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        parse_profile(name, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn what_the_schema_refuses_the_reader_refuses() {
    let schema = schema();
    let edits: [(&str, Value); 15] = [
        ("/name", json!("a b")),
        ("/schemaVersion", json!("one")),
        ("/events/run_start/position", json!("third")),
        ("/events/run_start/fields/runner/type", json!("text")),
        ("/events/run_start/once", json!("yes")),
        ("/phases/0/n", json!(0)),
        ("/phases/0/requires/0", json!({"fil": "x"})),
        ("/phases/0/requires/0", json!({"file": "x", "glob": "y"})),
        ("/phases/0/requires/0/minLines", json!(-1)),
        ("/end/requires", json!({})),
        ("/page", json!("../PROGRESS.md")),
        ("/page", json!("{id}.jsonl")),
        ("/page", json!("PROGRESS")),
        ("/page", json!("yatsu.evals.ndjson")),
        ("/events/error/fields/phase/min", json!("1")),
    ];
    let (_, whole) = profile("quality-playbook");
    for (place, value) in edits {
        let mut edited = whole.clone();
        *edited.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
        let text = edited.to_string();
        assert!(!schema.is_valid(&edited), "the schema takes {place}");
        let error = parse_profile("p.json", text.as_bytes()).expect_err(place);
        assert!(error.message.starts_with("p.json:1:"), "{place}: {}", error.message);
    }
}
