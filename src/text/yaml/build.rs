//! Builds the tree from the parser's events.

use super::screen;
use super::{MAX_FAULTS, MAX_NESTING, Parsed, Resolved, Scalar, Value, YamlEntry, YamlKind};
use crate::text::source::{Fault, Position};
use saphyr::Scalar as Core;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};
use std::borrow::Cow;
use std::collections::HashMap;

/// How many tabs after a colon are replaced; each one costs another run over the text.
const MAX_MENDED_TABS: usize = 16;

/// Reads `text`. Its first line is line `first_line` of the file.
pub(super) fn tree(text: &str, first_line: u32) -> Parsed {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_MENDED_TABS {
        match attempt(&text, first_line) {
            Err(tab) => text.to_mut().replace_range(tab..=tab, " "),
            Ok(parsed) => return parsed,
        }
    }
    Builder::new(&text, first_line).run().0
}

/// One run over the text, or the offset of a tab between a colon and its value. YAML allows such a tab, the parser does
/// not.
fn attempt(text: &str, first_line: u32) -> Result<Parsed, usize> {
    let (parsed, error) = Builder::new(text, first_line).run();
    match error.and_then(|error| tab_after_colon(text, &error)) {
        Some(tab) => Err(tab),
        None => Ok(parsed),
    }
}

fn tab_after_colon(text: &str, error: &ScanError) -> Option<usize> {
    if error.info() != "':' must be followed by a valid YAML whitespace" {
        return None;
    }
    let (behind, _) = text.char_indices().nth(error.marker().index())?;
    let before = text[..behind].trim_end_matches('\t');
    (before.ends_with(':') && before.len() < behind && !text[behind..].starts_with('-')).then_some(before.len())
}

enum Open {
    List { at: Position, items: Vec<Value> },
    Map { at: Position, entries: Vec<YamlEntry>, lines: HashMap<String, u32>, key: Option<PendingKey> },
}

/// A key without its value yet. `text` is `None` if the key was refused; then its value is refused, too.
struct PendingKey {
    text: Option<String>,
    at: Position,
}

struct Builder<'a> {
    text: &'a str,
    first_line: u32,
    open: Vec<Open>,
    out: Parsed,
    documents: usize,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, first_line: u32) -> Self {
        Self { text, first_line, open: Vec::new(), out: Parsed::default(), documents: 0 }
    }

    fn run(mut self) -> (Parsed, Option<ScanError>) {
        let mut parser = Parser::new_from_str(self.text);
        let mut error = None;
        while let Some(event) = parser.next_event() {
            match event {
                Ok((event, span)) => self.event(event, span),
                Err(scan) => {
                    self.syntax(&scan);
                    error = Some(scan);
                }
            }
            if self.out.cut_short || self.out.faults.len() >= MAX_FAULTS {
                self.abandon();
                break;
            }
        }
        (self.out, error)
    }

    fn event(&mut self, event: Event<'_>, span: Span) {
        let at = self.position(&span.start);
        match event {
            Event::DocumentStart(_) => self.document(at),
            Event::Alias(_) => {
                self.refuse(at, "alias");
                self.add(Value { at, end: at, kind: YamlKind::Refused });
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.decorations(at, anchor, tag.is_some());
                let end = self.position(&span.end);
                if style == ScalarStyle::DoubleQuoted {
                    self.out.faults.extend(screen::escaped(&text, || self.written(span), at));
                }
                let is_text = style != ScalarStyle::Plain;
                // `!=` is a tag without a text; as an empty value it would be reported twice
                if !is_text && text.is_empty() && (anchor > 0 || tag.is_some()) {
                    return self.add(Value { at, end, kind: YamlKind::Refused });
                }
                let resolved = if is_text || tag.is_some() { Resolved::Text } else { resolve(&text) };
                let scalar = Scalar { text: text.into_owned(), quoted: is_text, resolved };
                self.add(Value { at, end, kind: YamlKind::Scalar(scalar) });
            }
            Event::SequenceStart(anchor, tag) => {
                self.decorations(at, anchor, tag.is_some());
                self.push(at, Open::List { at, items: Vec::new() });
            }
            Event::MappingStart(anchor, tag) => {
                self.decorations(at, anchor, tag.is_some());
                self.push(at, Open::Map { at, entries: Vec::new(), lines: HashMap::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.pop(self.position(&span.end)),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }

    fn written(&self, span: Span) -> String {
        let (start, end) = (span.start.index(), span.end.index());
        self.text.chars().skip(start).take(end.saturating_sub(start)).collect()
    }

    fn position(&self, mark: &Marker) -> Position {
        Position { line: self.first_line + mark.line().saturating_sub(1) as u32, column: mark.col() as u32 + 1 }
    }

    fn document(&mut self, at: Position) {
        self.documents += 1;
        if self.documents > 1 {
            let message = "a second YAML document is not allowed";
            self.out.faults.push(Fault::new(at, "document", message, "keep one document"));
            self.out.cut_short = true;
        }
    }

    fn decorations(&mut self, at: Position, anchor: usize, tagged: bool) {
        if anchor > 0 {
            self.refuse(at, "anchor");
        }
        if tagged {
            self.refuse(at, "tag");
        }
    }

    fn refuse(&mut self, at: Position, what: &'static str) {
        let (message, help) = match what {
            "anchor" => ("an anchor (`&name`) is not allowed", "write the value out; quote it when `&` is part of it"),
            "alias" => ("an alias (`*name`) is not allowed", "write the value out; quote it when `*` is part of it"),
            _ => ("a tag (`!name`) is not allowed", "drop the tag; quote the value when `!` is part of it"),
        };
        self.out.faults.push(Fault::new(at, what, message, help));
    }

    fn push(&mut self, at: Position, open: Open) {
        if self.open.len() < MAX_NESTING { self.open.push(open) } else { self.too_deep(at) }
    }

    fn too_deep(&mut self, at: Position) {
        let message = format!("nested deeper than {MAX_NESTING} levels");
        let help = "flatten the value; quote it when its brackets are text";
        self.out.faults.push(Fault::new(at, "nesting", message, help));
        self.out.cut_short = true;
    }

    fn pop(&mut self, end: Position) {
        let (at, kind) = match self.open.pop() {
            Some(Open::List { at, items }) => (at, YamlKind::Sequence(items)),
            Some(Open::Map { at, entries, .. }) => (at, YamlKind::Mapping(entries)),
            None => return,
        };
        self.add(Value { at, end, kind });
    }

    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            None if self.documents > 1 => {}
            None => self.out.value = Some(value),
            Some(Open::List { items, .. }) => items.push(value),
            Some(Open::Map { key, entries, lines, .. }) => match key.take() {
                None => {
                    let (new, fault) = new_key(value, lines);
                    *key = Some(new);
                    self.out.faults.extend(fault);
                }
                Some(PendingKey { text: Some(key), at }) => entries.push(YamlEntry { key, at, value }),
                Some(PendingKey { text: None, .. }) => {}
            },
        }
    }

    /// Closes the open lists and maps when reading stops early. A list keeps its complete items; an inner map is dropped.
    fn abandon(&mut self) {
        self.out.cut_short = true;
        while let Some(open) = self.open.last() {
            let end = match open {
                Open::Map { .. } if self.open.len() > 1 => {
                    self.open.pop();
                    continue;
                }
                Open::Map { at, .. } | Open::List { at, .. } => *at,
            };
            self.pop(end);
        }
    }

    fn syntax(&mut self, error: &ScanError) {
        self.out.cut_short = true;
        let at = self.position(error.marker());
        if error.info() == "recursion limit exceeded" {
            return self.too_deep(at);
        }
        if error.info() == "while parsing node, found unknown anchor" {
            return self.refuse(at, "alias");
        }
        if let Some(tab) = self.tab_indent(error) {
            return self.out.faults.push(Fault::new(tab, "tab", "a tab in the indentation", "use spaces"));
        }
        self.out.faults.push(syntax(at, error.info()));
    }

    /// The first tab in the indentation of the line with the error. If the error is about a tab, later lines are searched,
    /// too, because the parser then reports the start of the preceding value.
    fn tab_indent(&self, error: &ScanError) -> Option<Position> {
        let first = error.marker().line().saturating_sub(1);
        let reach = if error.info().contains("tab") { usize::MAX } else { 1 };
        let mut lines = self.text.lines().enumerate().skip(first).take(reach);
        lines.find_map(|(number, line)| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            let tab = line[..blanks].find('\t')?;
            Some(Position { line: self.first_line + number as u32, column: tab as u32 + 1 })
        })
    }
}

/// The fault for the parser's message `info`.
pub(super) fn syntax(at: Position, info: &str) -> Fault {
    Fault::new(at, "syntax", format!("not valid YAML: {info}"), repair(info)).about(info)
}

/// The fault for a key at `at` that the map has on line `first` already.
pub(super) fn duplicate_key(key: &str, first: u32, at: Position) -> Fault {
    let shown = crate::text::escape::echo(key);
    let message = format!("duplicate key `{shown}`: first on line {first}, again on line {}", at.line);
    Fault::new(at, "duplicate-key", message, "keep one of them").about(key)
}

fn repair(info: &str) -> &'static str {
    match info {
        "mapping values are not allowed in this context" => {
            "quote the value, or write it as a block (`>-`), when it holds `: `"
        }
        info if info.starts_with("':' must be followed") => "write one space after the colon",
        info if info.contains("quoted scalar") => "close the quote; inside single quotes write `''` for one",
        info if info.contains("flow") => "close the bracket; quote the value when the bracket is text",
        info if info.starts_with("unexpected character") => "quote the value: this character has a meaning in YAML",
        _ => "align the keys with spaces, and quote values that hold `: `, ` #` or begin with a sign",
    }
}

fn resolve(text: &str) -> Resolved {
    if text.is_empty() {
        return Resolved::Null;
    }
    match Core::parse_from_cow(Cow::Borrowed(text)) {
        Core::Null => Resolved::Null,
        Core::Boolean(_) => Resolved::Bool,
        Core::Integer(_) | Core::FloatingPoint(_) => Resolved::Number,
        Core::String(_) => Resolved::Text,
    }
}

/// `value` as a key, with a fault if it cannot be one here. `lines` are the lines of the earlier keys.
fn new_key(value: Value, lines: &mut HashMap<String, u32>) -> (PendingKey, Option<Fault>) {
    let at = value.at;
    let refused =
        |what, message: String, help| (PendingKey { text: None, at }, Some(Fault::new(at, what, message, help)));
    let scalar = match value.kind {
        YamlKind::Scalar(scalar) => scalar,
        YamlKind::Refused => return (PendingKey { text: None, at }, None),
        _ => return refused("key", format!("a key must be text, not {}", value.describe()), "write a plain key"),
    };
    if scalar.text == "<<" && !scalar.quoted {
        return refused("merge-key", "a merge key (`<<`) is not allowed".into(), "write the keys out");
    }
    if let Some(line) = lines.get(&scalar.text) {
        return (PendingKey { text: None, at }, Some(duplicate_key(&scalar.text, *line, at)));
    }
    lines.insert(scalar.text.clone(), at.line);
    (PendingKey { text: Some(scalar.text), at }, None)
}
