//! A map from cases to scenarios, for reports with names that cannot be changed: `{"v":1,"map":[{"file"?, "classname"?,
//! "name", "node", "scenario"}]}`. Unknown keys are refused, because a line with a misspelt key would match too much.

use super::{ReportFault, text_of};
use crate::text::json::{self, Json, JsonValue};

const KEYS: [&str; 5] = ["file", "classname", "name", "node", "scenario"];

/// One line of a map; `*` in a pattern matches any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapLine {
    /// The file of the case; without it any file matches.
    pub file: Option<String>,
    /// Its class; without it any class matches.
    pub classname: Option<String>,
    /// Its name.
    pub name: String,
    /// The node of the scenario, by its display name.
    pub node: String,
    /// The scenario.
    pub scenario: String,
}

/// Reads a map; the error is the first thing that is wrong with it.
pub fn parse(bytes: &[u8]) -> Result<Vec<MapLine>, ReportFault> {
    let text = text_of(bytes)?;
    let map =
        json::parse(text).map_err(|fault| ReportFault::at(text, fault.offset, format!("the map {}", fault.message)))?;
    let wrong = |at: &Json<'_>, message: &str| ReportFault::at(text, at.offset, message);
    refuse_others(&map, &["v", "map"]).map_err(|message| wrong(&map, &message))?;
    if !matches!(map.get("v"), Some(Json { value: JsonValue::Number("1"), .. })) {
        return Err(wrong(&map, "`v` is not 1"));
    }
    let Some(Json { value: JsonValue::Array(lines), .. }) = map.get("map") else {
        return Err(wrong(&map, "`map` is no list"));
    };
    lines.iter().map(|item| line(item).map_err(|message| wrong(item, &message))).collect()
}

fn line(item: &Json<'_>) -> Result<MapLine, String> {
    refuse_others(item, &KEYS)?;
    let text = |key: &str| match item.get(key) {
        None => Ok(None),
        Some(value) => value.as_str().map(|text| Some(text.to_owned())).ok_or_else(|| format!("`{key}` is no text")),
    };
    let needed =
        |key: &str| text(key)?.filter(|text| !text.trim().is_empty()).ok_or_else(|| format!("`{key}` is missing"));
    Ok(MapLine {
        file: text("file")?,
        classname: text("classname")?,
        name: needed("name")?,
        node: needed("node")?,
        scenario: needed("scenario")?,
    })
}

fn refuse_others(object: &Json<'_>, known: &[&str]) -> Result<(), String> {
    let JsonValue::Object(members) = &object.value else {
        return Err(format!("it is {}, not an object", object.type_name()));
    };
    match members.iter().find(|(key, _)| !known.contains(&&**key)) {
        None => Ok(()),
        Some((key, _)) => Err(format!("`{key}` is no key here; the keys are {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_names_cases_and_their_scenarios() {
        let text = r#"{"v":1,"map":[{"name":"adds*","node":"n","scenario":"s"},{"file":"a","classname":"b","name":"c","node":"n","scenario":"t"}]}"#;
        let lines = parse(text.as_bytes()).unwrap();
        assert_eq!((lines.len(), lines[0].file.as_deref(), lines[1].classname.as_deref()), (2, None, Some("b")));
    }

    #[test]
    fn what_is_not_meant_is_refused_with_its_place() {
        for (text, part) in [
            ("[]", "not an object"),
            (r#"{"v":2,"map":[]}"#, "`v` is not 1"),
            (r#"{"v":1}"#, "`map` is no list"),
            (r#"{"v":1,"map":[],"more":1}"#, "`more` is no key here"),
            (r#"{"v":1,"map":[{"name":"a","node":"n"}]}"#, "`scenario` is missing"),
            (r#"{"v":1,"map":[{"name":"a","node":"n","scenario":"s","clasname":"x"}]}"#, "`clasname` is no key here"),
            (r#"{"v":1,"map":[{"name":1,"node":"n","scenario":"s"}]}"#, "`name` is no text"),
            (r#"{"v":1,"v":1,"map":[]}"#, "twice"),
        ] {
            let said = parse(text.as_bytes()).expect_err(text).message;
            assert!(said.contains(part), "{text}: {said}");
        }
        let fault = parse(b"{\"v\":1,\"map\":[\n{\"name\":\"a\"}]}").unwrap_err();
        assert_eq!((fault.line, fault.column), (2, 1));
    }
}
