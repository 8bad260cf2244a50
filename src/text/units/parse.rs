//! Parses bytes to a syntax tree within limits. A file that costs too much is refused.

use super::{Language, MAX_SOURCE, Units, UnreadUnits, misread, tables, walk};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// How far a NUL byte is searched, which marks a file as binary, as in git.
const BINARY_PREFIX: usize = 8_000;

/// The parser's steps per byte of a file (real files take at most 1.9), and an allowance per file.
const STEPS_PER_BYTE: usize = 3;
const STEPS_MORE: usize = 50_000;

/// Longest word that ends a heredoc, in bytes.
const MAX_HEREDOC_WORD: usize = 255;

/// The number of steps between two progress reports of the parser.
const STEPS_PER_CALL: usize = 100;

/// Reads the units of `source`.
///
/// `late` is called now and then and returns whether time is up. It is needed because error recovery does not count as
/// steps.
///
/// # Errors
/// [`UnreadUnits`] if the file is too large, binary, too costly, or has a syntax error between its units.
pub fn read(language: Language, source: &[u8], late: &mut dyn FnMut() -> bool) -> Result<Units, UnreadUnits> {
    if source.len() > MAX_SOURCE {
        return Err(UnreadUnits::Large);
    }
    let is_utf16 = source.starts_with(b"\xff\xfe") || source.starts_with(b"\xfe\xff");
    if is_utf16 || source.iter().take(BINARY_PREFIX).any(|byte| *byte == 0) {
        return Err(UnreadUnits::Binary);
    }
    if language == Language::Ruby && has_long_heredoc_word(source) {
        return Err(UnreadUnits::Costly);
    }
    let tree = understood(language, source, late)?;
    walk::units(&tree, source, tables::of(language), late)
}

/// Whether a heredoc may have an end word longer than [`MAX_HEREDOC_WORD`]. The Ruby parser stores the length of this word
/// in one byte, and aborts the process when it reads the stored state back.
fn has_long_heredoc_word(source: &[u8]) -> bool {
    let starts = source.windows(2).enumerate().filter(|(_, pair)| *pair == b"<<");
    starts.into_iter().any(|(at, _)| {
        let rest = &source[at + 2..];
        let rest = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"~")).unwrap_or(rest);
        let length = match rest.first() {
            Some(quote @ (b'"' | b'\'' | b'`')) => rest[1..].iter().take_while(|byte| *byte != quote).count(),
            _ => {
                rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte >= 0x80).count()
            }
        };
        length > MAX_HEREDOC_WORD
    })
}

/// The tree of `source`, with valid text replaced that the grammar misreads.
fn understood(language: Language, source: &[u8], late: &mut dyn FnMut() -> bool) -> Result<Tree, UnreadUnits> {
    if language == Language::Rust {
        return parsed(language, &misread::without_primitive_macros(source), late);
    }
    let tree = parsed(language, source, late)?;
    let is_typed = matches!(language, Language::TypeScript | Language::Tsx) && tree.root_node().has_error();
    match is_typed.then(|| misread::without_imported_types(&tree, source)).flatten() {
        Some(plain) => parsed(language, &plain, late),
        None => Ok(tree),
    }
}

fn parsed(language: Language, source: &[u8], late: &mut dyn FnMut() -> bool) -> Result<Tree, UnreadUnits> {
    let mut parser = Parser::new();
    parser.set_language(&tables::of(language).parser.into()).map_err(|_| UnreadUnits::NotBuilt)?;
    let most = STEPS_PER_BYTE * source.len() + STEPS_MORE;
    let mut steps = 0;
    let mut progress = |_: &ParseState| {
        steps += STEPS_PER_CALL;
        if steps > most || late() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut rest = |from: usize, _| source.get(from..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut rest, None, Some(options)).ok_or(UnreadUnits::Costly)
}
