//! JSON with a position on every value, for files with violations that are reported by line and column. Input: text that
//! fits in memory, its size capped by the caller. Output: a [`Json`] tree, or the first fault. The grammar is
//! `serde_json`'s (so `NaN`, `1e999` and lone surrogates are faults). Two equal keys in one object are always a fault,
//! never a silent choice. Nesting is limited before parsing.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// Deepest accepted nesting of objects and arrays.
pub(crate) const MAX_NESTING: usize = 16;

/// White space between the parts of a text.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

pub(crate) type Member<'t> = (Cow<'t, str>, Json<'t>);

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json<'t> {
    /// Byte offset of its first character in the text.
    pub offset: usize,
    /// The value itself.
    pub value: JsonValue<'t>,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonValue<'t> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as written; finite.
    Number(&'t str),
    /// A string, escapes resolved.
    String(Cow<'t, str>),
    /// Its elements in order.
    Array(Vec<Json<'t>>),
    /// An object: its members in order, keys unique.
    Object(Vec<Member<'t>>),
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It ends inside a value.
    Unfinished,
    /// It is not JSON.
    Syntax,
    /// More text follows a whole value.
    Trailing,
    /// One object has the same key twice.
    DuplicateKey,
    /// Deeper than [`MAX_NESTING`].
    Nesting,
}

/// The first fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The first wrong byte, from 0.
    pub offset: usize,
    /// The end of a sentence that begins with "the text".
    pub message: String,
}

impl<'t> Json<'t> {
    /// The value of a key; `None` if the object has no such key, or if this is no object.
    pub(crate) fn get(&self, key: &str) -> Option<&Json<'t>> {
        let JsonValue::Object(members) = &self.value else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        let JsonValue::String(text) = &self.value else { return None };
        Some(text)
    }

    /// The number, if its spelling is one of this type.
    pub(crate) fn number<N: FromStr>(&self) -> Option<N> {
        let JsonValue::Number(text) = self.value else { return None };
        text.parse().ok()
    }

    /// The same value with all offsets increased by `by`, for an object that is not the first one of its line.
    pub(crate) fn moved(self, by: usize) -> Self {
        let value = match self.value {
            JsonValue::Array(items) => JsonValue::Array(items.into_iter().map(|item| item.moved(by)).collect()),
            JsonValue::Object(members) => {
                JsonValue::Object(members.into_iter().map(|(key, value)| (key, value.moved(by))).collect())
            }
            value => value,
        };
        Self { offset: self.offset + by, value }
    }

    /// Its type with an article, for a message.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.value {
            JsonValue::Null => "null",
            JsonValue::Bool(_) => "a boolean",
            JsonValue::Number(_) => "a number",
            JsonValue::String(_) => "a string",
            JsonValue::Array(_) => "a list",
            JsonValue::Object(_) => "an object",
        }
    }
}

impl Json<'_> {
    /// The value for a message about the expected one. A number is printed itself, because another number may be right.
    pub(crate) fn found(&self) -> Cow<'static, str> {
        match self.value {
            JsonValue::Number(text) => format!("the number {}", text.chars().take(40).collect::<String>()).into(),
            _ => self.type_name().into(),
        }
    }
}

/// The only value of `text`. White space may surround it.
pub fn parse(text: &str) -> Result<Json<'_>, JsonFault> {
    parse_within(text, MAX_NESTING)
}

/// The same with another nesting limit, at most 64, because parsers recurse.
pub(crate) fn parse_within(text: &str, nesting: usize) -> Result<Json<'_>, JsonFault> {
    refuse_deep_nesting(text, nesting)?;
    // valid text is parsed once; invalid text is parsed again to describe the fault
    let object = text.trim_matches(BLANKS);
    if object.starts_with('{')
        && let Ok(json) = build(text, object)
    {
        return Ok(json);
    }
    let mut stream = Deserializer::from_str(text).into_iter::<&RawValue>();
    let raw = match stream.next() {
        Some(raw) => raw.map_err(|error| fault(text, text, &error))?,
        None => return Err(JsonFault { kind: FaultKind::Unfinished, offset: 0, message: "is empty".into() }),
    };
    let end = stream.byte_offset();
    let rest = text[end..].trim_start_matches(BLANKS);
    if !rest.is_empty() {
        let message = "goes on after the end of a value".into();
        return Err(JsonFault { kind: FaultKind::Trailing, offset: text.len() - rest.len(), message });
    }
    build(text, raw.get())
}

/// The same value parsed in one pass, for callers that need no positions: every offset is 0. `None` for a text with a
/// fault, and for a text with a number; only [`parse`] handles these.
pub fn parse_unplaced(text: &str) -> Option<Json<'_>> {
    refuse_deep_nesting(text, MAX_NESTING).ok()?;
    let mut source = Deserializer::from_str(text);
    let json = Unplaced.deserialize(&mut source).ok()?;
    source.end().ok().map(|()| json)
}

/// The JSON objects of `text`, one after the other; `None` if the text contains anything else.
pub(crate) fn objects(text: &str) -> Option<Vec<&str>> {
    let (found, rest) = leading_objects(text);
    (!found.is_empty() && rest.is_empty()).then_some(found)
}

/// The JSON objects at the beginning of `text`, one after the other, and the rest of the text without leading white space.
pub(crate) fn leading_objects(text: &str) -> (Vec<&str>, &str) {
    let mut stream = Deserializer::from_str(text).into_iter::<&RawValue>();
    let (mut found, mut end) = (Vec::new(), 0);
    while let Some(Ok(raw)) = stream.next() {
        if !raw.get().starts_with('{') {
            break;
        }
        found.push(raw.get());
        end = stream.byte_offset();
    }
    (found, text[end..].trim_start_matches(BLANKS))
}

/// Line and column of a byte offset. Both count from 1; columns count characters.
pub(crate) fn line_column(text: &str, offset: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// Parsers recurse; this scan does not, so that no text can exhaust the stack.
fn refuse_deep_nesting(text: &str, nesting: usize) -> Result<(), JsonFault> {
    if text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() <= nesting {
        return Ok(());
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > nesting {
            let message = format!("is nested deeper than {nesting} levels");
            return Err(JsonFault { kind: FaultKind::Nesting, offset, message });
        }
    }
    Ok(())
}

/// The offset of the key of the value at `value`, in a parsed text: 1 for the value at 6 of `{"key": 1}`.
pub(crate) fn key_offset(text: &str, value: usize) -> usize {
    let before = &text.as_bytes()[..value];
    // between a key and its value are only blanks and a colon; a quote inside a key is escaped
    let is_escaped = |at: usize| before[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let mut quotes = (0..value).rev().filter(|at| before[*at] == b'"' && !is_escaped(*at));
    quotes.nth(1).unwrap_or(value)
}

/// `raw` is a part of `text`: the distance between their addresses is the position.
fn build<'t>(text: &'t str, raw: &'t str) -> Result<Json<'t>, JsonFault> {
    let offset = raw.as_ptr() as usize - text.as_ptr() as usize;
    let value = match raw.as_bytes().first() {
        Some(b'{') => JsonValue::Object(build_members(text, raw)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = read(text, raw)?;
            JsonValue::Array(items.into_iter().map(|item| build(text, item.get())).collect::<Result<_, _>>()?)
        }
        Some(b'"') => JsonValue::String(string(text, raw)?),
        Some(b't' | b'f') => JsonValue::Bool(read(text, raw)?),
        Some(b'n') => JsonValue::Null,
        _ => {
            read::<f64>(text, raw)?;
            JsonValue::Number(raw)
        }
    };
    Ok(Json { offset, value })
}

/// The text of a string with valid syntax. Without escapes it is borrowed.
fn string<'t>(text: &str, raw: &'t str) -> Result<Cow<'t, str>, JsonFault> {
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => read::<String>(text, raw).map(Cow::Owned),
    }
}

/// Builds a value without positions.
struct Unplaced;

impl<'de> DeserializeSeed<'de> for Unplaced {
    type Value = Json<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, source: D) -> Result<Json<'de>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unplaced {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything but a number")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(unplaced(JsonValue::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(unplaced(JsonValue::Bool(value)))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(unplaced(JsonValue::String(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(unplaced(JsonValue::String(Cow::Owned(text.to_owned()))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Unplaced)? {
            items.push(item);
        }
        Ok(unplaced(JsonValue::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json<'de>, A::Error> {
        let mut members: Vec<Member<'de>> = Vec::with_capacity(FEW);
        while let Some(JsonKey(key)) = object.next_key()? {
            members.push((key, object.next_value_seed(Unplaced)?));
        }
        if first_repeated(&members, |(key, _)| key).is_some() {
            return Err(A::Error::custom("a key twice"));
        }
        Ok(unplaced(JsonValue::Object(members)))
    }
}

fn unplaced(value: JsonValue<'_>) -> Json<'_> {
    Json { offset: 0, value }
}

fn build_members<'t>(text: &'t str, raw: &'t str) -> Result<Vec<Member<'t>>, JsonFault> {
    let mut source = Deserializer::from_str(raw);
    let pairs = source.deserialize_map(Pairs).and_then(|pairs| source.end().map(|()| pairs));
    let pairs = pairs.map_err(|error| fault(text, raw, &error))?;
    if let Some((key, value)) = first_repeated(&pairs, |(key, _)| &key.0) {
        let offset = value.get().as_ptr() as usize - text.as_ptr() as usize;
        let message = format!("has the key \"{}\" twice in one object", key.0);
        return Err(JsonFault { kind: FaultKind::DuplicateKey, offset, message });
    }
    pairs.into_iter().map(|(key, value)| Ok((key.0, build(text, value.get())?))).collect()
}

fn first_repeated<T>(members: &[T], key: impl Fn(&T) -> &str) -> Option<&T> {
    if members.len() <= FEW {
        let is_repeated = |at: usize| members[..at].iter().any(|member| key(member) == key(&members[at]));
        return (0..members.len()).find(|at| is_repeated(*at)).map(|at| &members[at]);
    }
    let mut seen = HashSet::with_capacity(members.len());
    members.iter().find(|member| !seen.insert(key(member)))
}

/// Up to this number comparing all keys is faster than hashing them.
const FEW: usize = 16;

fn read<'t, T: serde::Deserialize<'t>>(text: &str, raw: &'t str) -> Result<T, JsonFault> {
    serde_json::from_str(raw).map_err(|error| fault(text, raw, &error))
}

/// A key, borrowed from the text if it has no escapes.
#[derive(Deserialize)]
struct JsonKey<'t>(#[serde(borrow)] Cow<'t, str>);

type JsonPair<'t> = (JsonKey<'t>, &'t RawValue);

/// All members of one object in order. A map type would keep only the last of two equal keys.
struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<JsonPair<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

/// A `serde_json` error about `part` of `text`, with its position in `text`, and with a message without position. Some
/// errors of `serde_json` point at the character before the fault.
fn fault(text: &str, part: &str, error: &serde_json::Error) -> JsonFault {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    let within: usize = part.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = (start + within + error.column().saturating_sub(1)).min(text.len());
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or("");
    if error.is_eof() {
        return JsonFault { kind: FaultKind::Unfinished, offset: text.len(), message: "ends inside a value".into() };
    }
    JsonFault { kind: FaultKind::Syntax, offset, message: format!("is not JSON ({words})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind(text: &str) -> FaultKind {
        parse(text).unwrap_err().kind
    }

    #[test]
    fn values_know_where_they_begin() {
        let text = "{\n  \"é\": [1, {\"b\": \"x\\n\"}],\n \"c\": null}";
        let json = parse(text).unwrap();
        assert_eq!(line_column(text, json.get("c").unwrap().offset), (3, 7));
        let JsonValue::Array(items) = &json.get("é").unwrap().value else { panic!("a list") };
        assert_eq!(items[1].get("b").unwrap().as_str(), Some("x\n"));
        assert_eq!(line_column(text, items[1].offset), (2, 12));
    }

    #[test]
    fn equal_keys_are_refused_at_every_level() {
        assert_eq!(kind(r#"{"a":1,"a":2}"#), FaultKind::DuplicateKey);
        assert_eq!(kind(r#"{"x":[{"a":1,"\u0061":2}]}"#), FaultKind::DuplicateKey);
    }

    #[test]
    fn what_is_no_json_is_told_apart() {
        for text in ["NaN", "1e999", r#""\ud800""#, "{a:1}", "'x'", "{\"a\":}", "\u{feff}{}", "\"\u{1}\""] {
            assert_eq!(kind(text), FaultKind::Syntax, "{text:?}");
        }
        for text in ["", "  ", "{", r#"{"a"#, r#"{"a":1"#, "[1,"] {
            assert_eq!(kind(text), FaultKind::Unfinished, "{text:?}");
        }
        assert_eq!(kind("{} {}"), FaultKind::Trailing);
        assert_eq!(kind("\"a form feed is no blank\"\u{c}"), FaultKind::Trailing);
        assert_eq!(kind(&"[".repeat(100_000)), FaultKind::Nesting);
        assert!(parse(&format!("{}{}", "[".repeat(16), "]".repeat(16))).is_ok());
    }

    #[test]
    fn brackets_in_strings_are_no_nesting() {
        assert!(parse(&format!("\"{}\\\"{}\"", "[".repeat(50), "{".repeat(50))).is_ok());
    }

    #[test]
    fn objects_behind_each_other_are_counted() {
        assert_eq!(objects(r#"{"a":1}{"b":2}"#), Some(vec![r#"{"a":1}"#, r#"{"b":2}"#]));
        assert_eq!(objects(r#"{"a":1}[2]"#), None);
        assert_eq!(objects(r#"{"a":1}{"b"#), None);
    }

    fn without_places(json: Json<'_>) -> Json<'_> {
        let value = match json.value {
            JsonValue::Array(items) => JsonValue::Array(items.into_iter().map(without_places).collect()),
            JsonValue::Object(members) => {
                JsonValue::Object(members.into_iter().map(|(key, value)| (key, without_places(value))).collect())
            }
            value => value,
        };
        unplaced(value)
    }

    #[test]
    fn one_pass_reads_what_a_reading_is_made_of() {
        let text = r#" {"a":"x","b\n":["\u00e9",null,{"c":true}],"d":{}} "#;
        assert_eq!(parse_unplaced(text), Some(without_places(parse(text).unwrap())));
        for text in [r#"{"a":1,"a":1}"#, r#"{"a":"","a":""}"#, "{} {}", r#""\ud800""#, "{", ""] {
            assert_eq!(parse_unplaced(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn one_pass_reads_the_same(text in "[\\[\\]{}\":,a tru\\\\nl]{0,24}") {
            if let Some(json) = parse_unplaced(&text) {
                prop_assert_eq!(Ok(json), parse(&text).map(without_places));
            }
        }

        #[test]
        fn the_grammar_is_that_of_serde_json(text in "[\\[\\]{}\":,0-9ae. tru\\\\nl-]{0,24}") {
            let theirs = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            let ours = parse(&text);
            let repeated = matches!(&ours, Err(fault) if fault.kind == FaultKind::DuplicateKey);
            prop_assert_eq!(theirs, ours.is_ok() || repeated);
        }
    }
}
