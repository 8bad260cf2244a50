//! The same reader in the simplest form: splits the whole text at once and recomputes everything line by line.

use super::*;

pub(super) fn read(text: &[u8]) -> Shown {
    let lines = lines(text);
    let markers: Vec<_> = lines.iter().map(|line| marker(line)).collect();
    let mut shown = Shown::default();
    let utf16 = text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]);
    if utf16 && !lines.is_empty() {
        say(&mut shown, 0, "the text is UTF-16, and markers are only read in UTF-8: save it as UTF-8".into());
    }
    for (at, found) in markers.iter().enumerate() {
        match found {
            None => {}
            Some(Err(why)) => say(&mut shown, at, why.clone()),
            Some(Ok((name, ..))) if name == "METRIC" && subtype(found).is_none() => {
                say(&mut shown, at, "[METRIC] names no metric: write [METRIC:name]".into());
            }
            Some(Ok((name, parts, content))) => {
                let subtype = subtype(found);
                if name == "METRIC" {
                    metric(&mut shown, at, &subtype.clone().unwrap(), value(parts, content));
                }
                shown.marked.markers.insert(MarkerName { name: name.replace('-', "_"), subtype });
            }
        }
    }
    findings(&markers, &mut shown.marked.findings);
    shown
}

type Found = Option<Result<(String, Vec<String>, Vec<u8>), String>>;

fn say(shown: &mut Shown, at: usize, message: String) {
    shown.malformed_lines += 1;
    if shown.malformed.len() < 20 {
        shown.malformed.push(Malformed { line: at as u64 + 1, message });
    }
}

/// The visible text of every line.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let mut seen = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        let line = if at == 0 { line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line) } else { line };
        seen.push(seen_of(line.strip_suffix(b"\r").unwrap_or(line)));
    }
    seen
}

/// One state for each expected byte.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Text,
    Escape,
    C1,
    Parameters,
    Between,
    Charset,
    String,
    StringEscape,
    StringC1,
}

fn seen_of(line: &[u8]) -> Vec<u8> {
    let mut seen = Vec::new();
    let mut state = State::Text;
    for byte in line.iter().copied() {
        state = match (state, byte) {
            (State::Escape, b'[') | (State::C1, 0x9b) => State::Parameters,
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') | (State::C1, 0x9d | 0x90 | 0x98 | 0x9e | 0x9f) => {
                State::String
            }
            (State::Escape, 0x20..=0x2f) | (State::Charset, 0x20..=0x2f) => State::Charset,
            (State::Escape | State::Charset, 0x30..=0x7e) | (State::C1, 0x80..=0x9f) => State::Text,
            (State::Parameters, 0x30..=0x3f) => State::Parameters,
            (State::Parameters | State::Between, 0x20..=0x2f) => State::Between,
            (State::Parameters | State::Between, 0x40..=0x7e) => State::Text,
            (State::String | State::StringEscape | State::StringC1, 7) => State::Text,
            (State::StringEscape, b'\\') | (State::StringC1, 0x9c) => State::Text,
            (State::String | State::StringEscape | State::StringC1, 0x1b) => State::StringEscape,
            (State::String | State::StringEscape | State::StringC1, 0xc2) => State::StringC1,
            (State::String | State::StringEscape | State::StringC1, _) => State::String,
            (before, byte) => {
                if before == State::C1 {
                    seen.push(0xc2);
                }
                match byte {
                    0x1b => State::Escape,
                    0xc2 => State::C1,
                    byte => {
                        seen.push(byte);
                        State::Text
                    }
                }
            }
        };
    }
    if state == State::C1 {
        seen.push(0xc2);
    }
    seen
}

/// Name, parts and content.
fn marker(line: &[u8]) -> Found {
    let text: String = line.iter().map(|byte| char::from(*byte)).collect();
    let inside = text.trim_start_matches([' ', '\t']).strip_prefix('[')?.to_owned();
    let (head, content) = inside.split_once(']')?;
    let (name, parts) = head.split_once(':').unwrap_or((head, ""));
    let begins = name.chars().next().is_some_and(|c| c.is_ascii_uppercase());
    if !begins
        || name.len() > 128
        || !name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-".contains(c))
    {
        return None;
    }
    let bytes = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let spelled = name.replace('-', "_");
    let parts = match String::from_utf8(bytes(parts)) {
        Ok(parts) => parts,
        Err(_) => return Some(Err(format!("what stands behind [{spelled}: is not UTF-8"))),
    };
    let parts: Vec<String> =
        parts.split(':').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    if let Some(part) = parts.iter().find(|part| !part.contains('=')).filter(|part| metric_name(part).is_none()) {
        let shown = crate::text::escape::echo(part);
        return Some(Err(format!("what stands behind [{spelled}: is no name: `{shown}`")));
    }
    Some(Ok((spelled, parts, bytes(content))))
}

fn subtype(found: &Found) -> Option<String> {
    let Some(Ok((_, parts, _))) = found else { return None };
    metric_name(parts.iter().find(|part| !part.contains('='))?)
}

fn value(parts: &[String], content: &[u8]) -> Quantity {
    let Ok(content) = String::from_utf8(content.to_vec()) else {
        return Quantity::Malformed("what stands behind it is not UTF-8".into());
    };
    let mut text = content.trim();
    for lead in [&["value", "="][..], &["="]] {
        let mut rest = Some(text);
        for word in lead {
            rest = rest.and_then(|rest| rest.trim_start().strip_prefix(word));
        }
        if let Some(rest) = rest {
            text = rest.trim();
            break;
        }
    }
    let attribute = parts.iter().find_map(|part| {
        let (key, value) = part.split_once('=')?;
        (key.trim() == "unit").then(|| value.trim().to_owned())
    });
    of_text(text, attribute)
}

/// The longest beginning that is a number, or a word for an absent one, and the rest.
fn of_text(text: &str, attribute: Option<String>) -> Quantity {
    if text.is_empty() {
        return Quantity::Malformed("no number stands behind it on this line".into());
    }
    let ends = (0..=text.len()).rev().filter(|end| text.is_char_boundary(*end));
    let is_number = |head: &str| head.chars().all(|c| "+-.eE0123456789".contains(c)) && head.parse::<f64>().is_ok();
    let is_absent =
        |head: &str| ["nan", "na", "inf", "infinity"].contains(&&*head.trim_start_matches(['+', '-']).to_lowercase());
    let Some(end) = ends.into_iter().find(|end| is_number(&text[..*end]) || is_absent(&text[..*end])) else {
        return Quantity::Malformed(format!("`{}` is no number", crate::text::escape::echo(text)));
    };
    let (head, rest) = text.split_at(end);
    if is_absent(head) && rest.starts_with(char::is_alphanumeric) {
        return Quantity::Malformed(format!("`{}` is no number", crate::text::escape::echo(text)));
    }
    let rest = rest.trim();
    if !rest.is_empty() && unit(rest).is_none() {
        return Quantity::Malformed(format!("`{}` is more than a number and a unit", crate::text::escape::echo(text)));
    }
    if let Some(attribute) = &attribute {
        if unit(attribute).is_none() {
            return Quantity::Malformed(format!("`{attribute}` is no unit"));
        }
        if !rest.is_empty() && rest != attribute {
            return Quantity::Malformed(format!("it has two units, {attribute} and {rest}"));
        }
    }
    let unit = Some(rest.to_owned()).filter(|rest| !rest.is_empty()).or(attribute);
    match head.parse::<f64>() {
        Ok(number) if number.is_finite() => Quantity::Value(Finite::new(number).unwrap(), unit),
        _ => Quantity::Absent,
    }
}

fn metric(shown: &mut Shown, at: usize, name: &str, value: Quantity) {
    shown.marked.metrics.remove(name);
    shown.marked.units.remove(name);
    shown.absent.remove(name);
    match value {
        Quantity::Value(number, unit) => {
            shown.marked.metrics.insert(name.to_owned(), number);
            if let Some(unit) = unit {
                shown.marked.units.insert(name.to_owned(), unit);
            }
        }
        Quantity::Absent => {
            shown.absent.insert(name.to_owned(), AbsentMetric { line: at as u64 + 1, malformed: None });
        }
        Quantity::Malformed(why) => {
            say(shown, at, format!("[METRIC:{name}]: {why}"));
            shown.absent.insert(name.to_owned(), AbsentMetric { line: at as u64 + 1, malformed: Some(why) });
        }
    }
}

fn findings(markers: &[Found], counts: &mut FindingCounts) {
    let is_stat = |at: usize, wanted: &str| {
        matches!(&markers[at], Some(Ok((name, ..))) if name == "STAT")
            && subtype(&markers[at]).as_deref() == Some(wanted)
    };
    let mut pairs = Vec::new();
    for (at, marker) in markers.iter().enumerate() {
        if !matches!(marker, Some(Ok((name, ..))) if name == "FINDING") {
            continue;
        }
        let near = |wanted: &str| (at.saturating_sub(10)..at).rev().find(|before| is_stat(*before, wanted));
        let (ci, effect) = (near("ci"), near("effect_size"));
        counts.total += 1;
        counts.without_ci += u64::from(ci.is_none());
        counts.without_effect += u64::from(effect.is_none());
        pairs.extend(ci.zip(effect));
    }
    counts.verified = pairs.len() as u64;
    counts.shared = pairs.iter().filter(|pair| pairs.iter().filter(|other| other == pair).count() > 1).count() as u64;
}
