//! From bytes to a syntax tree, inside limits: what costs more than a source file does is refused, never waited for.

use super::{Language, MAX_SOURCE, Units, UnreadUnits, misread, tables, walk};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Where a NUL says that a file is binary, as git looks for it.
const BINARY_PREFIX: usize = 8_000;

/// Steps of the parser that a file may take: so many a byte (real files take at most 1.9), and so many more.
const STEPS_PER_BYTE: usize = 3;
const STEPS_MORE: usize = 50_000;

/// Longest word that ends a heredoc, in bytes.
const MAX_HEREDOC_WORD: usize = 255;

/// The parser tells of its progress after so many steps.
const STEPS_PER_CALL: usize = 100;

/// Reads the units of `source`.
///
/// `late` is asked now and then and says whether time is up: recovery from errors is not counted as steps, so that noise
/// needs a clock besides.
///
/// # Errors
/// [`UnreadUnits`] where the file is too large, binary, too costly, or has a syntax error between its units.
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

/// Whether the word that ends a heredoc may be longer than [`MAX_HEREDOC_WORD`]. The parser of Ruby keeps the length of such
/// a word in one byte, and ends the process when it reads its own note back.
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

/// The tree of `source`, in which what the grammar misreads is no error.
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
