use super::*;
use proptest::prelude::*;
use serde_json::json;

const OURS: &str = "ours";

/// An entry for the list `Stop`, and a version.
fn addition() -> Vec<(&'static str, NewJson)> {
    let entry = NewJson::Object(vec![("command", NewJson::Text(OURS.into())), ("timeout", NewJson::Number(10))]);
    vec![("version", NewJson::Number(1)), ("hooks", NewJson::Object(vec![("Stop", NewJson::List(vec![entry]))]))]
}

fn is_ours(element: &Value) -> bool {
    element["command"] == OURS
}

fn added(text: &str) -> String {
    let found = insertions(text.as_bytes(), &addition()).expect("insertions");
    let made = inserted(text.as_bytes(), &found);
    assert_eq!(undone(&made, &found).as_deref(), Some(text.as_bytes()));
    String::from_utf8(made).expect("text")
}

fn taken_out(text: &str) -> String {
    String::from_utf8(without(text.as_bytes(), "hooks", &is_ours).expect("edited")).expect("text")
}

#[test]
fn an_addition_takes_the_layout_of_the_text() {
    insta::assert_snapshot!(added("{\n    \"a\": 1 // one\n}\n"), @r#"
    {
        "a": 1, // one
        "version": 1,
        "hooks": {
            "Stop": [
                {
                    "command": "ours",
                    "timeout": 10
                }
            ]
        }
    }
    "#);
    insta::assert_snapshot!(added("{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{},\n\t\t],\n\t},\n\t\"version\": 3\n}"), @r#"
    {
    	"hooks": {
    		"Stop": [
    			{},
    			{
    				"command": "ours",
    				"timeout": 10
    			}
    		],
    	},
    	"version": 3
    }
    "#);
    insta::assert_snapshot!(added("{\n  \"hooks\": {}, \"x\": [] }"), @r#"
    {
      "hooks": {
        "Stop": [
          {
            "command": "ours",
            "timeout": 10
          }
        ]
      }, "x": [],
      "version": 1 }
    "#);
}

#[test]
fn a_text_on_one_line_stays_on_one_line() {
    assert_eq!(
        added(r#"{"a":1,"hooks":{"Stop":[]}}"#),
        r#"{"a":1,"hooks":{"Stop":[{"command":"ours","timeout":10}]},"version":1}"#
    );
    assert_eq!(
        added(r#"{ "hooks": {"Stop": [{}]} }"#),
        r#"{ "hooks": {"Stop": [{}, {"command": "ours", "timeout": 10}]}, "version": 1 }"#
    );
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_stay_and_new_lines_have_them_too() {
    let made = added("\u{feff}{\r\n  \"a\": []\r\n}\r\n");
    assert!(made.starts_with("\u{feff}{\r\n  \"a\": [],\r\n  \"version\": 1,\r\n"), "{made:?}");
    assert_eq!(made.matches('\n').count(), made.matches("\r\n").count());
}

#[test]
fn a_text_without_a_value_gets_the_whole_object() {
    for text in ["", "\n", "\u{feff}", "// nothing yet", "/* a */\n"] {
        let made = added(text);
        assert_eq!(read(made.as_bytes()).expect("json")["hooks"]["Stop"][0]["timeout"], 10, "{made:?}");
        assert!(made.starts_with(text) && made.ends_with("}\n"), "{made:?}");
    }
}

#[test]
fn taken_out_leaves_the_neighbours_and_their_comments() {
    for (text, left) in [
        (
            "{\n  \"a\": 1, // one\n  \"hooks\": {\n    \"Stop\": [{\"command\": \"ours\"}]\n  }\n}\n",
            "{\n  \"a\": 1 // one\n}\n",
        ),
        (
            r#"{"hooks":{"Stop":[{"command":"ours"},1],"Start":[2,{"command":"ours"}, 3]},"b":0}"#,
            r#"{"hooks":{"Stop":[1],"Start":[2, 3]},"b":0}"#,
        ),
        (r#"{"hooks":{"Stop":[{"command":"ours"}]},"b":0}"#, r#"{"b":0}"#),
        (
            "{\"hooks\": {\"Stop\": [ // mine\n {\"command\": \"ours\"}, 7 ]}}",
            "{\"hooks\": {\"Stop\": [ // mine\n 7 ]}}",
        ),
        ("{\"hooks\": {\"Stop\": [1, {\"command\": \"ours\"},]}}", "{\"hooks\": {\"Stop\": [1,]}}"),
        (
            r#"{"hooks":{"Stop":[]},"other":[{"command":"ours"}]}"#,
            r#"{"hooks":{"Stop":[]},"other":[{"command":"ours"}]}"#,
        ),
        (r#"{"hooks":{"Stop":[{"command":"ours"},{"command":"ours"}]}}"#, "{}"),
        (
            "{\"hooks\": {\"Stop\": [ // agreed with the team\n {\"command\": \"ours\"}\n ]}}",
            "{\"hooks\": {\"Stop\": [ // agreed with the team\n ]}}",
        ),
        (
            "{ // mine\r\n  \"hooks\": {\"Stop\": [{\"command\": \"ours\"}]}, \"b\": 1\r\n}",
            "{ // mine\r\n \"b\": 1\r\n}",
        ),
    ] {
        assert_eq!(taken_out(text), left);
    }
}

#[test]
fn a_fault_has_its_place() {
    let fault = |text: &[u8]| {
        let fault = insertions(text, &addition()).expect_err("a fault");
        format!("{}:{} {}", fault.at.line, fault.at.column, fault.message)
    };
    assert_eq!(fault(b"{\n  \"a\": 1\n  \"b\": 2}"), "2:9 is not JSON: expected comma");
    assert_eq!(fault(b"{\"a\": \"\xff\"}"), "1:8 is not UTF-8");
    assert_eq!(fault(b"{\"x\": {\"a\": 1,\n\"\\u0061\": 2}}"), "2:1 has the key `a` twice in one object");
    assert_eq!(fault(b"{\"hooks\": [1]}"), "1:11 has `hooks` that is not an object");
    assert_eq!(fault(b"{\"hooks\": {\"Stop\": {}}}"), "1:20 has `Stop` that is not a list");
    assert_eq!(fault(b"[]"), "1:1 has the whole that is not an object");
    assert_eq!(fault("[".repeat(10_000).as_bytes()), "1:513 is not JSON: maximum nesting depth exceeded");
    for text in ["{'a': 1}", "{a: 1}", "{\"a\": 0x1}", "{\"a\": NaN}", "{\"a\": +1}", "{} {}", "{", "nul"] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
    for text in ["{\"a\": 1 /* c */}", "{\"a\": [1,]}", "\u{feff}{}"] {
        assert!(read(text.as_bytes()).is_ok() && check_plain(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn undoing_an_edited_text_finds_that_it_was_edited() {
    let found = insertions(b"{}", &addition()).expect("insertions");
    let made = String::from_utf8(inserted(b"{}", &found)).expect("text");
    assert_eq!(undone(made.replace("10", "11").as_bytes(), &found), None);
    assert_eq!(undone(b"", &found), None);
}

/// Random blanks and comments. Every comment has a number of its own.
struct Layout {
    random: std::vec::IntoIter<u8>,
    newline: &'static str,
    comments: usize,
}

impl Layout {
    fn next(&mut self) -> u8 {
        self.random.next().unwrap_or(1)
    }

    fn blanks(&mut self, text: &mut String) {
        let newline = self.newline;
        match self.next() % 12 {
            0 | 1 => text.push_str(newline),
            2 => text.push_str(&format!("{newline}    ")),
            3 => text.push_str(&format!("{newline}\t")),
            4 => text.push(' '),
            5 => {
                self.comments += 1;
                text.push_str(&format!(" /* c{}; */", self.comments));
            }
            6 => {
                self.comments += 1;
                text.push_str(&format!("// c{}; ,]}}\"{newline}", self.comments));
            }
            _ => {}
        }
    }

    fn write(&mut self, value: &Value, text: &mut String) {
        self.blanks(text);
        match value {
            Value::Array(list) => self.write_all('[', list.iter().map(|element| (None, element)), ']', text),
            Value::Object(object) => {
                self.write_all('{', object.iter().map(|(key, value)| (Some(key.as_str()), value)), '}', text);
            }
            _ => text.push_str(&value.to_string()),
        }
        self.blanks(text);
    }

    fn write_all<'v>(
        &mut self,
        open: char,
        members: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
        close: char,
        text: &mut String,
    ) {
        let members: Vec<_> = members.collect();
        text.push(open);
        self.blanks(text);
        for (at, (key, value)) in members.iter().enumerate() {
            if let Some(key) = key {
                self.blanks(text);
                text.push_str(&Value::from(*key).to_string());
                self.blanks(text);
                text.push(':');
            }
            self.write(value, text);
            if at + 1 < members.len() || self.next().is_multiple_of(4) {
                text.push(',');
                self.blanks(text);
            }
        }
        text.push(close);
    }
}

fn documents() -> impl Strategy<Value = (Value, Vec<u8>, bool, bool)> {
    let leaf = prop_oneof![Just(json!(null)), Just(json!(1.5)), Just(json!("a \"b\" // \\ é")), Just(json!(true))];
    let whatever = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let lists = prop::collection::btree_map(
        "Stop|Start",
        prop::collection::vec(whatever.clone(), 0..3).prop_map(Value::from),
        0..3,
    );
    let hooks = prop::option::of(lists.prop_map(|map| Value::Object(map.into_iter().collect())));
    let others = prop::collection::btree_map("[a-z]|version", whatever, 0..4);
    let whole = (others, hooks).prop_map(|(others, hooks)| {
        let hooks = hooks.map(|hooks| ("hooks".to_owned(), hooks));
        Value::Object(others.into_iter().chain(hooks).collect())
    });
    (whole, prop::collection::vec(any::<u8>(), 0..60), any::<bool>(), any::<bool>())
}

/// The value with the addition, as any reader sees it.
fn merged(mut value: Value) -> Value {
    let object = value.as_object_mut().expect("an object");
    object.entry("version").or_insert(json!(1));
    let hooks = object.entry("hooks").or_insert(json!({})).as_object_mut().expect("an object");
    let list = hooks.entry("Stop").or_insert(json!([])).as_array_mut().expect("a list");
    list.push(json!({"command": OURS, "timeout": 10}));
    value
}

/// The value without the version and without an empty `Stop`, which an addition may have made.
fn bare(mut value: Value) -> Value {
    let object = value.as_object_mut().expect("an object");
    object.remove("version");
    if let Some(Value::Object(hooks)) = object.get_mut("hooks") {
        hooks.retain(|key, list| key != "Stop" || list != &json!([]));
    }
    if object.get("hooks") == Some(&json!({})) {
        object.remove("hooks");
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_other_byte_stays_whatever_the_layout((value, random, windows, mark) in documents()) {
        let mut layout = Layout { random: random.into_iter(), newline: if windows { "\r\n" } else { "\n" }, comments: 0 };
        let mut text = if mark { BOM.to_owned() } else { String::new() };
        layout.write(&value, &mut text);
        prop_assert_eq!(&read(text.as_bytes()).expect("json"), &value, "{}", text);

        let found = insertions(text.as_bytes(), &addition()).expect("insertions");
        let made = inserted(text.as_bytes(), &found);
        let shown = String::from_utf8_lossy(&made).into_owned();
        prop_assert_eq!(read(&made).expect("still json"), merged(value.clone()), "{}", shown);
        prop_assert_eq!(undone(&made, &found), Some(text.clone().into_bytes()));

        let left = String::from_utf8(without(&made, "hooks", &is_ours).expect("edited")).expect("text");
        prop_assert_eq!(bare(read(left.as_bytes()).expect("still json")), bare(value), "{}\n----\n{}", shown, left);
        for comment in 1..=layout.comments {
            prop_assert!(left.contains(&format!("c{comment};")), "{}\n----\n{}", shown, left);
        }
        prop_assert_eq!(without(left.as_bytes(), "hooks", &is_ours).expect("edited"), left.into_bytes());
    }

    #[test]
    fn no_text_panics(bytes in prop::collection::vec(any::<u8>(), 0..80), text in "[\\[\\]{}\",:/*\n\r a1]{0,40}") {
        for bytes in [&bytes[..], text.as_bytes()] {
            let _ = (insertions(bytes, &addition()), without(bytes, "hooks", &is_ours), check_plain(bytes));
        }
    }
}
