//! The values of a graph: JSON in one canonical spelling, so that equal graphs are equal bytes. Keys are sorted, there are
//! no blanks, and a number is kept in its shortest spelling.

use crate::text::json::{Json, JsonValue};
use crate::text::number::Finite;
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropValue {
    /// `null`, a value like any other.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number in its shortest spelling.
    Number(Box<str>),
    Text(Box<str>),
    List(Vec<PropValue>),
    Object(Props),
}

/// The members of an object, sorted by key, each key once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Props(Vec<(Cow<'static, str>, PropValue)>);

impl Props {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<PropValue>) -> Self {
        self.set(Cow::Borrowed(key), value.into());
        self
    }

    /// The same with `key` set if there is a value.
    #[must_use]
    pub fn with_some(self, key: &'static str, value: Option<impl Into<PropValue>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    pub fn set(&mut self, key: Cow<'static, str>, value: PropValue) {
        match self.0.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    pub fn get(&self, key: &str) -> Option<&PropValue> {
        let at = self.0.binary_search_by(|(known, _)| (**known).cmp(key)).ok()?;
        Some(&self.0[at].1)
    }

    /// The text of a key; `None` if it holds no text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            PropValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_true(&self, key: &str) -> bool {
        self.get(key) == Some(&PropValue::Bool(true))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every key with its value, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PropValue)> {
        self.0.iter().map(|(key, value)| (&**key, value))
    }

    /// Merges `update` into it: objects are merged recursively, any other value, `null` included, replaces the old one.
    pub fn merge(&mut self, update: Props) {
        for (key, value) in update.0 {
            match self.0.binary_search_by(|(known, _)| known.cmp(&key)) {
                Ok(at) => self.0[at].1.merge(value),
                Err(at) => self.0.insert(at, (key, value)),
            }
        }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (at, (key, value)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_text(key, out);
            out.push(b':');
            value.write(out);
        }
        out.push(b'}');
    }
}

impl PropValue {
    /// The value in `json`. Equal numbers get equal spellings.
    pub fn of(json: &Json<'_>) -> Self {
        match &json.value {
            JsonValue::Null => Self::Null,
            JsonValue::Bool(value) => Self::Bool(*value),
            JsonValue::Number(text) => Self::Number(shortest(text)),
            JsonValue::String(text) => Self::Text((**text).into()),
            JsonValue::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            JsonValue::Object(_) => Self::Object(Props::of(json).unwrap_or_default()),
        }
    }

    fn merge(&mut self, update: Self) {
        match (self, update) {
            (Self::Object(known), Self::Object(update)) => known.merge(update),
            (place, update) => *place = update,
        }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Self::Number(text) => out.extend_from_slice(text.as_bytes()),
            Self::Text(text) => write_text(text, out),
            Self::List(items) => {
                out.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Self::Object(props) => props.write(out),
        }
    }
}

impl Props {
    /// The members of an object; `None` for anything else.
    pub fn of(json: &Json<'_>) -> Option<Self> {
        let JsonValue::Object(members) = &json.value else { return None };
        let mut props: Vec<(Cow<'static, str>, PropValue)> =
            members.iter().map(|(key, value)| (Cow::Owned(key.to_string()), PropValue::of(value))).collect();
        props.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(Self(props))
    }
}

pub fn write_text(text: &str, out: &mut Vec<u8>) {
    let is_plain = text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
    if is_plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // a text always serialises, and writing to memory cannot fail
        let _ = serde_json::to_writer(out, text);
    }
}

/// The shortest spelling of a JSON number. Whole numbers of 64 bits keep all digits. Any other number is rounded to the
/// nearest double.
fn shortest(text: &str) -> Box<str> {
    let whole = text.parse::<i128>().ok().filter(|value| value.unsigned_abs() <= u128::from(u64::MAX));
    if let Some(value) = whole {
        return value.to_string().into();
    }
    Finite::parse(text).map_or_else(|| "0".into(), |number| number.to_string().into())
}

impl From<&str> for PropValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for PropValue {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<bool> for PropValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u32> for PropValue {
    fn from(value: u32) -> Self {
        Self::Number(value.to_string().into())
    }
}

impl From<Vec<String>> for PropValue {
    fn from(texts: Vec<String>) -> Self {
        Self::List(texts.into_iter().map(Self::from).collect())
    }
}

impl From<Props> for PropValue {
    fn from(props: Props) -> Self {
        Self::Object(props)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;

    fn spelled(text: &str) -> String {
        let mut out = Vec::new();
        PropValue::of(&json::parse(text).unwrap()).write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_values_have_one_spelling() {
        for (one, other) in [
            ("{ \"b\": 1, \"a\": [ ] }", "{\"a\":[],\"b\":1.0}"),
            ("1e2", "100"),
            ("-0", "0.0"),
            ("0.50", "5e-1"),
            ("\"\\u0041\\u00e9\"", "\"A\u{e9}\""),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(spelled(one), spelled(other), "{one}");
        }
        assert_eq!(spelled("{\"b\":null,\"a\":\"\\n\\u2028\"}"), "{\"a\":\"\\n\u{2028}\",\"b\":null}");
        assert_eq!(spelled("18446744073709551615"), "18446744073709551615", "to the last digit");
        assert_eq!(spelled("1e-999"), "0");
        assert_eq!(spelled(&spelled("1e300")), spelled("1e300"));
    }

    #[test]
    fn objects_merge_at_every_depth_and_null_is_a_value() {
        let props = |text: &str| Props::of(&json::parse(text).unwrap()).unwrap();
        let mut known = props("{\"a\":{\"x\":1},\"s\":[1,2],\"n\":1}");
        known.merge(props("{\"a\":{\"y\":{\"z\":2}},\"s\":[3],\"n\":null,\"new\":{}}"));
        assert_eq!(known, props("{\"a\":{\"x\":1,\"y\":{\"z\":2}},\"n\":null,\"new\":{},\"s\":[3]}"));
    }
}
