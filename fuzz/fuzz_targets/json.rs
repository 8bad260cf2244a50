//! JSON read in one pass is what the reader that knows positions reads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::text::json::{Json, JsonValue, parse, parse_unplaced};

fn without_places(json: Json<'_>) -> Json<'_> {
    let value = match json.value {
        JsonValue::Array(items) => JsonValue::Array(items.into_iter().map(without_places).collect()),
        JsonValue::Object(members) => {
            JsonValue::Object(members.into_iter().map(|(key, value)| (key, without_places(value))).collect())
        }
        value => value,
    };
    Json { offset: 0, value }
}

fn has_number(json: &Json<'_>) -> bool {
    match &json.value {
        JsonValue::Number(_) => true,
        JsonValue::Array(items) => items.iter().any(has_number),
        JsonValue::Object(members) => members.iter().any(|(_, value)| has_number(value)),
        _ => false,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match (parse(text), parse_unplaced(text)) {
        (Ok(json), None) => assert!(has_number(&json)),
        (Ok(json), Some(unplaced)) => assert_eq!(without_places(json), unplaced),
        (Err(_), None) => {}
        (Err(fault), Some(_)) => panic!("read although {fault:?}"),
    }
});
