//! The values of a contract's keys: each is a valid value, or a fault with a hint how to write it.

use crate::model::scenario::fields::{self, MAX_FIELD};
use crate::model::source::{Fault, Position};
use crate::text::escape::echo;
use crate::text::markers;
use crate::text::nearest::nearest;
use crate::text::number::{Finite, leading};
use crate::text::yaml::{Resolved, Scalar, YamlEntry, YamlKind};
use std::ops::RangeInclusive;

/// A parsed value; the fault is `None` if the value was refused already.
pub(in crate::model) type Valued<T> = Result<T, Option<Fault>>;

/// The scenarios of the file with the contract.
pub(in crate::model) struct Declared<'a> {
    pub(in crate::model) names: Vec<&'a str>,
    pub(in crate::model) are_all: bool,
}

/// The keys of one map, read one by one.
pub(in crate::model) struct Fields<'v> {
    /// The beginning of the map, which is the place of faults about missing keys.
    pub(in crate::model) at: Position,
    /// Every key of the map with its value, in the order of the file.
    pub(super) entries: &'v [YamlEntry],
    pub(in crate::model) faults: Vec<Fault>,
    /// Whether there was no fault so far, and no refused value.
    pub(super) is_whole: bool,
}

impl<'v> Fields<'v> {
    pub(in crate::model) fn new(at: Position, entries: &'v [YamlEntry]) -> Self {
        Self { at, entries, faults: Vec::new(), is_whole: true }
    }

    pub(in crate::model) fn entry(&self, key: &str) -> Option<&'v YamlEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a required key; `example` is a valid value.
    pub(in crate::model) fn needed<T>(
        &mut self,
        key: &str,
        example: &str,
        read: impl Fn(&'v YamlEntry) -> Valued<T>,
    ) -> Option<T> {
        match self.entry(key) {
            Some(entry) => self.taken(read(entry)),
            None => self.taken(Err(Some(missing(self.at, key, example)))),
        }
    }

    pub(super) fn optional<T>(&mut self, key: &str, read: impl Fn(&'v YamlEntry) -> Valued<T>) -> Option<T> {
        self.entry(key).and_then(|entry| self.taken(read(entry)))
    }

    pub(in crate::model) fn fault(&mut self, fault: Option<Fault>) {
        self.is_whole = false;
        self.faults.extend(fault);
    }

    fn taken<T>(&mut self, value: Valued<T>) -> Option<T> {
        value.map_err(|fault| self.fault(fault)).ok()
    }
}

fn missing(at: Position, key: &str, example: &str) -> Fault {
    Fault::new(at, "missing", format!("no `{key}`"), format!("add `{key}: {example}`")).about(key)
}

/// The text of a key, at most `limit` bytes long.
pub(super) fn text(entry: &YamlEntry, limit: usize) -> Valued<String> {
    match fields::text(entry, limit) {
        (Some(text), None) => Ok(text),
        (_, fault) => Err(fault),
    }
}

/// The text of a key that is a name: on one line, without surrounding blanks.
pub(super) fn word(entry: &YamlEntry) -> Valued<String> {
    let text = text(entry, MAX_FIELD)?;
    if text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        let message = format!("`{}` holds a line break, a tab or another control character", entry.key);
        return Err(wrong(entry, message, "write it on one line"));
    }
    Ok(text.trim().to_owned())
}

pub(super) fn wrong(entry: &YamlEntry, message: String, help: impl Into<String>) -> Option<Fault> {
    Some(Fault::new(entry.value.at, "value", message, help).about(&entry.key))
}

/// The value of a key as a finite number.
pub(super) fn number(entry: &YamlEntry) -> Valued<Finite> {
    let scalar = scalar(entry, "a number")?;
    match (leading(&scalar.text), scalar.quoted) {
        (Some((Some(_), "")), true) => Err(quoted(entry, scalar)),
        (Some((Some(number), "")), false) => Ok(number),
        (found, _) => Err(no_number(entry, scalar, found.map(|(_, rest)| rest))),
    }
}

fn no_number(entry: &YamlEntry, scalar: &Scalar, behind: Option<&str>) -> Option<Fault> {
    let (key, shown) = (&entry.key, echo(&scalar.text));
    if behind == Some("") {
        let message = format!("`{key}` is {shown}, which no finite number stands for");
        return wrong(entry, message, "write a number between 1e-307 and 1e308, or 0");
    }
    if matches!(scalar.text.to_ascii_lowercase().trim_start_matches(['-', '+', '.']), "nan" | "inf" | "infinity") {
        let message = format!("`{key}` must be a finite number, not {shown}");
        return wrong(entry, message, "write the number that is enough");
    }
    let help = match behind.and_then(|rest| markers::unit(rest.trim_start())) {
        Some(unit) => format!("write the number alone; the unit of a metric goes into `unit: \"{}\"`", echo(unit)),
        None => "write digits, with a point and an exponent where needed: 0.9, 1200, 1e-3".to_owned(),
    };
    wrong(entry, format!("`{key}` needs a number, not `{shown}`"), help)
}

/// The value of a key as a whole number in `range`.
pub(in crate::model) fn whole(entry: &YamlEntry, range: &RangeInclusive<u64>) -> Valued<u64> {
    let scalar = scalar(entry, "a whole number")?;
    let is_digits = !scalar.text.is_empty() && scalar.text.bytes().all(|byte| byte.is_ascii_digit());
    let number = scalar.text.parse().ok().filter(|number| is_digits && range.contains(number));
    match number {
        Some(_) if scalar.quoted => Err(quoted(entry, scalar)),
        Some(number) => Ok(number),
        None => Err(not_in(entry, scalar, range)),
    }
}

fn not_in(entry: &YamlEntry, scalar: &Scalar, range: &RangeInclusive<u64>) -> Option<Fault> {
    let (key, shown) = (&entry.key, echo(&scalar.text));
    let (first, last) = (*range.start(), *range.end());
    let is_number = !scalar.text.is_empty() && scalar.text.bytes().all(|byte| byte.is_ascii_digit());
    let help = if is_number { "write one of these numbers" } else { "write digits alone" };
    let (form, help) = match (first, last) {
        _ if first == last => (format!("be {first}"), format!("write `{key}: {first}`")),
        (_, u64::MAX) => (format!("be a whole number from {first}"), help.to_owned()),
        _ => (format!("be a whole number from {first} to {last}"), help.to_owned()),
    };
    wrong(entry, format!("`{key}` must {form}, not `{shown}`"), help)
}

/// The value of a key as a scalar; `needed` is the expected type with its article.
fn scalar<'v>(entry: &'v YamlEntry, needed: &str) -> Valued<&'v Scalar> {
    let key = &entry.key;
    match &entry.value.kind {
        YamlKind::Scalar(scalar) if scalar.resolved == Resolved::Null && !scalar.quoted => {
            let fault = Fault::new(entry.at, "blank", format!("`{key}` is empty"), format!("write {needed}"));
            Err(Some(fault.about(key)))
        }
        YamlKind::Scalar(scalar) => Ok(scalar),
        YamlKind::Refused => Err(None),
        _ => Err(wrong(
            entry,
            format!("`{key}` needs {needed}, not {}", entry.value.describe()),
            format!("write {needed}"),
        )),
    }
}

fn quoted(entry: &YamlEntry, scalar: &Scalar) -> Option<Fault> {
    let (key, text) = (&entry.key, echo(&scalar.text));
    wrong(entry, format!("`{key}` is the text \"{text}\", not a number"), format!("remove the quotes: {key}: {text}"))
}

/// The fault for a key outside the closed set `known`. `habits` maps words of other programs to known keys.
pub(super) fn unknown_key(entry: &YamlEntry, known: &[&str], habits: &[(&str, &str)]) -> Fault {
    let meant = habits.iter().find(|(habit, ours)| entry.key.eq_ignore_ascii_case(habit) && known.contains(ours));
    let fault = fields::unknown_key(entry, "", known);
    match meant {
        Some((_, ours)) => Fault { help: format!("did you mean `{ours}`?"), ..fault },
        None => fault,
    }
}

/// The meaning of the value of `entry`, one of `words`. For a near miss, or a word of another program, the help names the
/// right word.
pub(super) fn one_of<T: Copy>(entry: &YamlEntry, words: &[(&'static str, T)], habits: &[(&str, &str)]) -> Valued<T> {
    let text = word(entry)?;
    if let Some((_, meaning)) = words.iter().find(|(spelling, _)| *spelling == text) {
        return Ok(*meaning);
    }
    let known: Vec<&str> = words.iter().map(|(spelling, _)| *spelling).collect();
    let habit = habits.iter().find(|(habit, _)| text.eq_ignore_ascii_case(habit)).map(|(_, meant)| *meant);
    let help = match habit.or_else(|| nearest(&text, known.iter().copied())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("write one of {}", known.join(", ")),
    };
    Err(wrong(entry, format!("`{}` is `{}`, which is none of {}", entry.key, echo(&text), known.join(", ")), help))
}
