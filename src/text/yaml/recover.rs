//! What can still be read of a block that is not valid YAML. A slip in one place (a plain text with `: ` in it) ends the
//! parser's work, but not what people and more forgiving tools read: the pieces of the block, which its indentation tells
//! apart, are read one by one, and only the piece with the slip is lost. A map falls into its keys, a list into its items.

use super::build;
use super::{MAX_FAULTS, Parsed, Resolved, Scalar, Value, YamlEntry, YamlKind};
use crate::text::source::{Fault, Position};
use std::borrow::Cow;
use std::collections::HashMap;

/// Maps and lists that are taken apart within each other: the block, its list, an item, a list in it.
const MAX_DEPTH: usize = 4;

/// Reads `text`, of which the parser gave up on some place, piece by piece. `None` where that finds nothing wrong, or nothing
/// to read: then the whole is what is wrong.
pub(super) fn recover(text: &str, first_line: u32) -> Option<Parsed> {
    let mut reader = BlockReader { faults: Vec::new(), lost: false };
    let whole = LineBlock { text: text.into(), line: first_line };
    let entries = reader.map(&whole, 0, MAX_DEPTH);
    if entries.is_empty() || reader.faults.is_empty() {
        return None;
    }
    let value =
        Value { at: Position { line: first_line, column: 1 }, end: whole.end(), kind: YamlKind::Mapping(entries) };
    Some(Parsed { value: Some(value), faults: reader.faults, cut_short: reader.lost })
}

/// Whole lines of the block.
struct LineBlock<'t> {
    text: Cow<'t, str>,
    /// The first of them.
    line: u32,
}

struct BlockReader {
    faults: Vec<Fault>,
    /// Whether there may be something in the block that is not in what was read.
    lost: bool,
}

impl LineBlock<'_> {
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.split_inclusive('\n')
    }

    /// The beginning of whatever follows.
    fn end(&self) -> Position {
        Position { line: self.line + self.lines().count() as u32, column: 1 }
    }

    /// The lines before the first one that `starts` something, and then those from each such line to the next.
    fn split(&self, starts: impl Fn(&str) -> bool) -> (LineBlock<'_>, Vec<LineBlock<'_>>) {
        let mut cuts = Vec::new();
        let mut offset = 0;
        for (line, number) in self.lines().zip(self.line..) {
            if starts(line) {
                cuts.push((offset, number));
            }
            offset += line.len();
        }
        let end_of = |at: usize| cuts.get(at).map_or(self.text.len(), |(offset, _)| *offset);
        let piece =
            |at: usize, (from, line): (usize, u32)| LineBlock { text: self.text[from..end_of(at + 1)].into(), line };
        let head = LineBlock { text: self.text[..end_of(0)].into(), line: self.line };
        (head, cuts.iter().enumerate().map(|(at, cut)| piece(at, *cut)).collect())
    }

    /// What follows the first line, where that is a list.
    fn list_below(&self) -> Option<LineBlock<'_>> {
        let mut offset = 0;
        for (line, number) in self.lines().zip(self.line..) {
            if offset > 0 && says_something(line) {
                return dash(line).map(|_| LineBlock { text: self.text[offset..].into(), line: number });
            }
            offset += line.len();
        }
        None
    }

    /// The first line that says something.
    fn first(&self) -> Option<&str> {
        self.lines().find(|line| says_something(line))
    }
}

impl BlockReader {
    /// The keys of a map that is indented by `indent`.
    fn map(&mut self, piece: &LineBlock<'_>, indent: usize, depth: usize) -> Vec<YamlEntry> {
        let (head, keys) = piece.split(|line| key_at(line, indent).is_some());
        if head.first().is_some() {
            self.complain(&head);
        }
        let (mut entries, mut lines) = (Vec::<YamlEntry>::new(), HashMap::new());
        for piece in keys {
            if self.faults.len() >= MAX_FAULTS {
                self.lost = true;
                return entries;
            }
            for entry in self.keys(&piece, indent, depth) {
                match lines.get(&entry.key) {
                    Some(first) => self.faults.push(build::duplicate_key(&entry.key, *first, entry.at)),
                    None => {
                        lines.insert(entry.key.clone(), entry.at.line);
                        entries.push(entry);
                    }
                }
            }
        }
        entries
    }

    /// What stands in the lines of one key.
    fn keys(&mut self, piece: &LineBlock<'_>, indent: usize, depth: usize) -> Vec<YamlEntry> {
        let alone = alone(piece);
        if let (Some(Value { kind: YamlKind::Mapping(entries), .. }), false) = (alone.value, alone.cut_short) {
            self.faults.extend(alone.faults);
            return entries;
        }
        let Some((key, rest)) = piece.lines().next().and_then(|line| key_at(line, indent)) else { return Vec::new() };
        let at = Position { line: piece.line, column: indent as u32 + 1 };
        let before = self.faults.len();
        let kind = match piece.list_below().filter(|_| !says_something(rest) && depth > 0) {
            Some(list) => YamlKind::Sequence(self.list(&list, depth - 1)),
            None => plain_text(piece, rest),
        };
        if self.faults.len() == before {
            self.blame(piece, alone.faults, at);
        }
        vec![YamlEntry { key: key.into(), at, value: Value { at, end: piece.end(), kind } }]
    }

    fn list(&mut self, piece: &LineBlock<'_>, depth: usize) -> Vec<Value> {
        let Some(indent) = piece.first().and_then(dash) else { return Vec::new() };
        let (_, items) = piece.split(|line| dash(line) == Some(indent));
        let mut values = Vec::new();
        for item in items {
            if self.faults.len() >= MAX_FAULTS {
                self.lost = true;
                break;
            }
            values.push(self.item(&item, indent, depth));
        }
        values
    }

    fn item(&mut self, item: &LineBlock<'_>, indent: usize, depth: usize) -> Value {
        let alone = alone(item);
        if let Some(Value { kind: YamlKind::Sequence(mut items), .. }) = alone.value
            && let (false, Some(value), true) = (alone.cut_short, items.pop(), items.is_empty())
        {
            self.faults.extend(alone.faults);
            return value;
        }
        // in place of its dash a blank: what is left is a map where it stands
        let mut text = item.text.clone().into_owned();
        text.replace_range(indent..=indent, " ");
        let map = LineBlock { text: text.into(), line: item.line };
        let inner = map.first().map_or(0, indentation);
        let at = Position { line: item.line, column: inner as u32 + 1 };
        let before = self.faults.len();
        let entries = if depth > 0 { self.map(&map, inner, depth - 1) } else { Vec::new() };
        if self.faults.len() == before {
            self.blame(item, alone.faults, at);
        }
        let kind = if entries.is_empty() { YamlKind::Refused } else { YamlKind::Mapping(entries) };
        Value { at, end: item.end(), kind }
    }

    /// Takes the faults of a piece that is given up and begins at `at`. Something like an item in it may be one.
    fn blame(&mut self, piece: &LineBlock<'_>, faults: Vec<Fault>, at: Position) {
        // where a quote or a bracket is missing the parser stumbles on the end
        let place = |found: Position| if found < piece.end() { found } else { at };
        self.faults.extend(faults.into_iter().map(|fault| Fault { at: place(fault.at), ..fault }));
        self.lost |= piece.lines().skip(1).any(|line| dash(line).is_some());
    }

    /// Lines that belong to nothing.
    fn complain(&mut self, piece: &LineBlock<'_>) {
        let at = Position { line: piece.line, column: 1 };
        self.faults.push(build::syntax(at, "did not find expected key"));
        self.lost = true;
    }
}

/// The value of a key that is not valid YAML and no list: a plain text says what it says although YAML wants it quoted.
fn plain_text(piece: &LineBlock<'_>, rest: &str) -> YamlKind {
    if !says_something(rest) || rest.trim().starts_with(['\'', '"', '[', ']', '{', '}', '|', '>', '&', '*', '!']) {
        return YamlKind::Refused;
    }
    // a line that looks like a key or an item is one that stands in the wrong place, and no more of the text
    let goes_on = |line: &&str| key_at(line, indentation(line)).is_none() && dash(line).is_none();
    let lines = std::iter::once(rest).chain(piece.lines().skip(1).take_while(goes_on));
    let lines = lines.filter(|line| says_something(line));
    let lines = lines.map(|line| line.find(" #").map_or(line, |comment| &line[..comment]).trim());
    let text = lines.collect::<Vec<_>>().join(" ");
    YamlKind::Scalar(Scalar { text, quoted: false, resolved: Resolved::Text })
}

/// What the parser makes of a piece by itself.
fn alone(piece: &LineBlock<'_>) -> Parsed {
    build::tree(&piece.text, piece.line)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn says_something(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// The key that a line begins with `indent` blanks before it, and what follows its colon. A tab among the blanks says nothing
/// of where the line belongs but that it is indented.
fn key_at(line: &str, indent: usize) -> Option<(&str, &str)> {
    let (blanks, text) = line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len());
    if blanks.len() != indent && !(indent > 0 && blanks.contains('\t')) {
        return None;
    }
    let (key, rest) = text.split_once(':')?;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_key = !key.is_empty() && !key.starts_with('-') && key.chars().all(is_plain);
    (is_key && (rest.is_empty() || rest.starts_with(char::is_whitespace))).then_some((key, rest))
}

/// The blanks before the dash that a line begins with.
fn dash(line: &str) -> Option<usize> {
    let indent = indentation(line);
    let rest = line[indent..].strip_prefix('-')?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(indent)
}
