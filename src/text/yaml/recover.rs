//! Reads the valid parts of a block that is not valid YAML. One slip, for example a plain text with `: ` in it, stops the
//! parser, while people and more tolerant tools read on. So the block is split by its indentation into pieces (keys of a
//! map, items of a list), each piece is read by itself, and only the piece with the slip is lost.

use super::build;
use super::{MAX_FAULTS, Parsed, Resolved, Scalar, Value, YamlEntry, YamlKind};
use crate::text::source::{Fault, Position};
use std::borrow::Cow;
use std::collections::HashMap;

/// How deep maps and lists are split: the block, its list, an item, a list in that item.
const MAX_DEPTH: usize = 4;

/// Reads `text`, which the parser could not finish, piece by piece. `None` if this finds no fault or no entry: then the
/// parser's own fault stands for the whole text.
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
    line: u32,
}

struct BlockReader {
    faults: Vec<Fault>,
    /// Whether the block may hold something that was not read.
    lost: bool,
}

impl LineBlock<'_> {
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.split_inclusive('\n')
    }

    /// The place just after the lines.
    fn end(&self) -> Position {
        Position { line: self.line + self.lines().count() as u32, column: 1 }
    }

    /// Splits the lines before each line that `starts` a piece. The lines before the first such line come separately.
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

    /// The lines after the first one, if they are a list.
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

    /// The entries in the lines of one key.
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
        // a blank replaces the dash, so that the rest is a map with its own indentation
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

    /// Records the faults of a lost piece that begins at `at`. If a line in it looks like an item, an item may be missing.
    fn blame(&mut self, piece: &LineBlock<'_>, faults: Vec<Fault>, at: Position) {
        // with a missing quote or bracket the parser reports the end of the piece
        let place = |found: Position| if found < piece.end() { found } else { at };
        self.faults.extend(faults.into_iter().map(|fault| Fault { at: place(fault.at), ..fault }));
        self.lost |= piece.lines().skip(1).any(|line| dash(line).is_some());
    }

    /// Records a fault for lines that belong to no key.
    fn complain(&mut self, piece: &LineBlock<'_>) {
        let at = Position { line: piece.line, column: 1 };
        self.faults.push(build::syntax(at, "did not find expected key"));
        self.lost = true;
    }
}

/// The value of a key that is neither valid YAML nor a list. A plain text is kept even if YAML requires quotes for it.
fn plain_text(piece: &LineBlock<'_>, rest: &str) -> YamlKind {
    if !says_something(rest) || rest.trim().starts_with(['\'', '"', '[', ']', '{', '}', '|', '>', '&', '*', '!']) {
        return YamlKind::Refused;
    }
    // a line that looks like a key or an item is misplaced, and not part of the text
    let goes_on = |line: &&str| key_at(line, indentation(line)).is_none() && dash(line).is_none();
    let lines = std::iter::once(rest).chain(piece.lines().skip(1).take_while(goes_on));
    let lines = lines.filter(|line| says_something(line));
    let lines = lines.map(|line| line.find(" #").map_or(line, |comment| &line[..comment]).trim());
    let text = lines.collect::<Vec<_>>().join(" ");
    YamlKind::Scalar(Scalar { text, quoted: false, resolved: Resolved::Text })
}

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

/// The key after `indent` blanks at the beginning of a line, and the text after its colon. If the blanks include a tab,
/// their number does not matter, but there must be an indentation.
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

/// The number of blanks before the dash at the beginning of a line.
fn dash(line: &str) -> Option<usize> {
    let indent = indentation(line);
    let rest = line[indent..].strip_prefix('-')?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(indent)
}
