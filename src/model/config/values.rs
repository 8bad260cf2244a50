//! Typed values of the configuration, with the expected type and the place if a value is wrong.

use crate::text::escape::echo;
use crate::text::json::{self, Json, JsonValue, Member};
use crate::tree::path::RepoPath;

/// A wrong value: the expected type and the place.
pub(crate) struct BadValue {
    /// Byte offset of the value in the text.
    pub(crate) offset: usize,
    /// Whether the fault is in the key of the value: `rotos` in `{"rotos": [".spec"]}`.
    pub(crate) is_key: bool,
    /// The whole sentence: the key, the expected type, the actual value.
    pub(crate) message: String,
}

/// Reads `what`, a JSON file of at most `most` bytes with a closed set of keys, with `read`. `fail` gets the first fault:
/// the text up to where it is readable, and the byte offset in it.
pub(crate) fn document<T, E>(
    what: &str,
    most: usize,
    bytes: &[u8],
    read: impl FnOnce(&Json<'_>) -> Read<T>,
    fail: impl Fn(&str, usize, &str) -> E,
) -> Result<T, E> {
    if bytes.len() > most {
        return Err(fail("", 0, &format!("{what} is {} bytes long; the limit is {most}", bytes.len())));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        fail(&valid, valid.len(), "the text is not UTF-8 from here on")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let json = json::parse(text).map_err(|fault| fail(text, fault.offset, &format!("the text {}", fault.message)))?;
    read(&json).map_err(|BadValue { offset, is_key, message }| {
        fail(text, if is_key { json::key_offset(text, offset) } else { offset }, &message)
    })
}

pub(crate) type Read<T> = Result<T, BadValue>;

pub(crate) fn whole_number(key: &str, value: &Json<'_>) -> Read<usize> {
    let number = value.number().filter(|number| *number > 0);
    number.ok_or_else(|| wrong_type(key, "a whole number of at least 1", value))
}

pub(crate) fn string<'j>(key: &str, value: &'j Json<'_>) -> Read<&'j str> {
    value.as_str().ok_or_else(|| wrong_type(key, "a string", value))
}

pub(crate) fn optional_members<'j, 't>(key: &str, value: Option<&'j Json<'t>>) -> Read<&'j [Member<'t>]> {
    value.map_or(Ok(&[]), |value| members(key, value))
}

pub(crate) fn wrong_type(key: &str, expected: &str, value: &Json<'_>) -> BadValue {
    bad(value, format!("{key} must be {expected}, not {}", value.found()))
}

pub(crate) fn bad(at: &Json<'_>, message: String) -> BadValue {
    BadValue { offset: at.offset, is_key: false, message }
}

/// A fault in the key of this value.
pub(crate) fn bad_key(value: &Json<'_>, message: String) -> BadValue {
    BadValue { is_key: true, ..bad(value, message) }
}

pub(crate) fn members<'j, 't>(key: &str, value: &'j Json<'t>) -> Read<&'j [Member<'t>]> {
    let JsonValue::Object(members) = &value.value else { return Err(wrong_type(key, "an object", value)) };
    Ok(members)
}

pub(crate) fn list<'j, 't>(key: &str, value: &'j Json<'t>) -> Read<&'j [Json<'t>]> {
    let JsonValue::Array(items) = &value.value else { return Err(wrong_type(key, "a list of strings", value)) };
    Ok(items)
}

pub(crate) fn word(key: &str, value: &Json<'_>) -> Read<String> {
    let text = string(key, value)?;
    if text.trim().is_empty() { Err(bad(value, format!("{key} must not be blank"))) } else { Ok(text.to_owned()) }
}

/// A directory of the repository; the top directory for `.`.
pub(crate) fn directory(key: &str, value: &Json<'_>) -> Read<RepoPath> {
    let text = word(key, value)?;
    RepoPath::parse(text.as_bytes())
        .map_err(|problem| bad(value, format!("{key}: \"{}\" {}", echo(&text), problem.as_str())))
}

pub(crate) fn boolean(key: &str, value: &Json<'_>) -> Read<bool> {
    match value.value {
        JsonValue::Bool(boolean) => Ok(boolean),
        _ => Err(wrong_type(key, "true or false", value)),
    }
}

pub(crate) fn words(key: &str, value: &Json<'_>) -> Read<Vec<String>> {
    list(key, value)?.iter().map(|item| word(key, item)).collect()
}

/// One of a few words; `all` lists them for the message, for example `block, say or off`.
pub(crate) fn choice<T>(key: &str, value: &Json<'_>, parse: fn(&str) -> Option<T>, all: &str) -> Read<T> {
    let text = string(key, value)?;
    parse(text).ok_or_else(|| bad(value, format!("{key} must be {all}, not \"{}\"", echo(text))))
}
