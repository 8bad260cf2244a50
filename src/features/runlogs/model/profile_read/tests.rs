use super::*;
use proptest::prelude::*;

const LEAST: &str =
    r#"{"name":"x","schemaVersion":"1","events":{"_index":{"position":"first"},"go":{"position":"second"}}"#;

fn told(rest: &str) -> String {
    match parse("p.json", format!("{LEAST}{rest}}}").as_bytes()) {
        Ok(_) => String::new(),
        Err(error) => {
            assert_eq!(error.kind, crate::error::ErrorKind::Config);
            error.message
        }
    }
}

fn rule(rule: &str) -> String {
    told(&format!(r#","end":{{"requires":[{rule}]}}"#))
}

#[test]
fn the_least_profile_has_two_events() {
    assert_eq!(told(""), "");
    let only = |events: &str| {
        let text = format!(r#"{{"name":"x","schemaVersion":"1","events":{{{events}}}}}"#);
        parse("p.json", text.as_bytes()).map(|_| ()).map_err(|error| error.message).unwrap_err()
    };
    assert!(only(r#""go":{"position":"second"}"#).contains("none has \"position\": \"first\""));
    assert!(only(r#""go":{"position":"first"},"on":{"position":"second"}"#).contains("the first event must be _index"));
    assert!(
        only(r#""_index":{"position":"first"},"a":{"position":"second"},"b":{"position":"second"}"#)
            .contains("events.b")
    );
}

#[test]
fn an_unknown_rule_is_told_with_line_and_column() {
    let text = format!("{LEAST},\n \"end\": {{\"requires\": [\n   {{\"fiel\": \"x\"}}]}}}}");
    let error = parse("mine/p.json", text.as_bytes()).unwrap_err();
    assert!(error.message.starts_with("mine/p.json:3:4: end.requires: this is no rule; a rule has one of file, glob"));
    assert_eq!(error.kind.exit_code(), 2);
}

#[test]
fn rules_are_a_closed_set_of_keys() {
    assert_eq!(rule(r#"{"file":"a","nonEmpty":true,"minLines":2,"heading":"^# "}"#), "");
    assert_eq!(rule(r#"{"glob":"a/*","min":1,"max":2,"nonEmpty":true}"#), "");
    assert_eq!(rule(r#"{"forEachHeading":{"file":"a","regex":"^## (x+)"},"files":["{1}.md"]}"#), "");
    assert_eq!(rule(r#"{"count":{"event":"e","field":"a.b"},"equals":{"file":"a","heading":"^#"}}"#), "");
    assert_eq!(rule(r#"{"anyOf":[{"reading":{"min":1}},{"goal":"SUCCESS"}]}"#), "");
    assert!(rule(r#"{"file":"a","lines":2}"#).contains("\"lines\" is no key; there are file, nonEmpty"));
    assert!(rule(r#"{"file":"a","glob":"b"}"#).contains("\"glob\" is no key"));
    assert!(rule(r#"{"anyOf":[]}"#).contains("at least one rule"));
    assert!(rule(r#"{"forEachHeading":{"file":"a","regex":"^## x"},"files":[]}"#).contains("exactly one group"));
    assert!(rule(r#"{"file":3}"#).contains("must be a string"));
}

#[test]
fn expressions_and_globs_have_limits() {
    let heading = |text: &str| rule(&format!(r#"{{"file":"a","heading":"{text}"}}"#));
    assert!(heading(&"a".repeat(1025)).contains("longer than 1024 bytes"));
    assert!(heading("(a{1000}){1000}").contains("once compiled"), "{}", heading("(a{1000}){1000}"));
    assert!(heading(&"(".repeat(100)).contains("is no expression"));
    assert!(heading("(?=x)").contains("is no expression"), "looking ahead is not of linear time");
    assert_eq!(heading("(a+)+$"), "", "what backtracks elsewhere is read in linear time here");
    assert!(rule(&format!(r#"{{"glob":"{}"}}"#, "**/".repeat(50))).contains("limit for globs"));
    assert!(rule(&format!("{}{}", r#"{"allOf":["#.repeat(20), "]}".repeat(20))).contains("nested deeper"));
}

#[test]
fn fields_are_described_by_what_fits_their_type() {
    let field = |field: &str| {
        let text = format!(
            r#"{{"name":"x","schemaVersion":"1","events":{{"_index":{{"position":"first"}},"go":{{"position":"second","fields":{{"f":{field}}}}}}}}}"#
        );
        parse("p.json", text.as_bytes()).map_or_else(|error| error.message, |_| String::new())
    };
    assert_eq!(field(r#"{"type":"integer","min":1,"max":2.5,"required":true,"nullable":true}"#), "");
    assert_eq!(field(r#"{"type":"string","enum":["a"],"pattern":"^a$"}"#), "");
    assert!(field(r#"{"type":"text"}"#).contains("must be one of string, integer"));
    assert!(field("{}").contains("lacks \"type\""));
    assert!(field(r#"{"type":"string","min":1}"#).contains("min and max are for numbers"));
    assert!(field(r#"{"type":"integer","pattern":"a"}"#).contains("pattern is for strings"));
    assert!(field(r#"{"type":"string","items":"string"}"#).contains("items is for arrays"));
}

#[test]
fn phases_ascend_and_need_their_markers() {
    let phases = |phases: &str| told(&format!(r#","phases":{phases}"#));
    assert!(phases(r#"[{"n":1,"name":"a"}]"#).contains("no phase_start"));
    assert!(phases(r#"[{"n":2,"name":"a"},{"n":2,"name":"b"}]"#).contains("does not follow"));
    assert!(phases(r#"[{"n":0,"name":"a"}]"#).contains("from 1 to 999"));
}

proptest! {
    #[test]
    fn any_text_is_a_profile_or_a_fault(text in "[\\[\\]{}\":,a-z1_ ]{0,64}") {
        if let Err(error) = parse("p", format!("{LEAST}{text}}}").as_bytes()) {
            prop_assert!(error.message.starts_with("p:"));
        }
    }
}
