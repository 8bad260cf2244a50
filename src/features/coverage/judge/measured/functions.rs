//! The lines of a file's functions, by its units. A line below the first one of a function runs only when the function is
//! called. In a language that is not compiled the first one also runs when the file is loaded: Python's and Ruby's `def`.

use crate::features::coverage::model::reports::Lines;
use crate::text::units::{Language, Unit, Units};
use bstr::ByteSlice;
use std::ops::Range;

/// The kinds of units with code that runs when it is called.
const FUNCTION_KINDS: [&str; 4] = ["function", "method", "constructor", "fn"];

/// The lines of one function. A function with several declarations has several ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionBody {
    /// The lines of each declaration that run only when the function is called; none for a function of one line that also
    /// runs when the file is loaded.
    pieces: Vec<(u32, u32)>,
}

impl FunctionBody {
    /// Whether one of `lines` is in the body.
    pub(crate) fn ran(&self, lines: &Lines) -> bool {
        self.pieces.iter().any(|(first, last)| first <= last && lines.meet(*first..=*last))
    }
}

/// The functions among the units of `source`.
pub(crate) fn function_bodies(language: Language, units: &Units, source: &[u8]) -> Vec<FunctionBody> {
    let is_compiled = matches!(language, Language::Go | Language::Rust | Language::Java);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(source.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1))
        .collect();
    let line = |at: usize| u32::try_from(starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
    let piece = |piece: &Range<usize>| {
        let start = declaration(language, &source[piece.clone()])? + piece.start;
        let first = line(start).saturating_add(u32::from(!is_compiled));
        Some((first, line(piece.end.saturating_sub(1).max(start))))
    };
    let is_run = |unit: &Unit, piece: &Range<usize>| !is_signature(language, unit.kind, &source[piece.clone()]);
    let body = |unit: &Unit| FunctionBody {
        pieces: unit.pieces.iter().filter(|piece| is_run(unit, piece)).filter_map(piece).collect(),
    };
    let is_function = |unit: &&Unit| {
        FUNCTION_KINDS.contains(&unit.kind)
            || unit.kind == "variable"
                && unit.pieces.iter().any(|piece| holds_function(language, &source[piece.clone()]))
    };
    let functions = units.all().iter().filter(is_function);
    functions.map(body).filter(|body| !body.pieces.is_empty()).collect()
}

/// Whether a piece declares a function without its body: a method of an interface, an overload. The function of an object,
/// `{ total: (lines) => sum(lines) }`, has no block, and a body.
fn is_signature(language: Language, kind: &str, piece: &[u8]) -> bool {
    let is_keyed =
        || is_script(language) && (kind == "variable" || kind == "function" && !head(piece).contains_str("function"));
    let has_block = piece.trim_ascii_end().ends_with(b"}");
    !matches!(language, Language::Python | Language::Ruby) && !has_block && !is_keyed()
}

/// Whether a variable is a function by its first line: `const total = (lines) => {`, `const make = create(() => ({`.
fn holds_function(language: Language, piece: &[u8]) -> bool {
    let first = piece.lines().next().unwrap_or_default();
    is_script(language) && (first.contains_str("=>") || first.contains_str("function"))
}

fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx)
}

/// The text before the first parenthesis.
fn head(piece: &[u8]) -> &[u8] {
    piece.split(|byte| *byte == b'(').next().unwrap_or_default()
}

/// Where the declaration begins in its piece. In Python a piece may begin with decorators, and a statement that changes
/// the function is a piece too: `total.cache = {}`; it has no declaration.
fn declaration(language: Language, piece: &[u8]) -> Option<usize> {
    if language != Language::Python {
        return Some(0);
    }
    let mut at = 0;
    for line in piece.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii_start();
        let text = text.strip_prefix(b"async").filter(|rest| rest.starts_with(b" ")).unwrap_or(text).trim_ascii_start();
        if text.strip_prefix(b"def").is_some_and(|rest| rest.first().is_some_and(|c| matches!(c, b' ' | b'\t' | b'\\')))
        {
            return Some(at);
        }
        at += line.len();
    }
    None
}
