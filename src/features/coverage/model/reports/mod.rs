//! Coverage files: the lines and functions of each source file that a measured run went through. Input: the bytes of a file
//! from any tool, possibly hostile. Output: one [`Coverage`], or the first fault. Pure; opens nothing that a file names, and
//! knows no repository.
//!
//! Every reader works on a stream. It keeps names and compact ranges of lines, never the document.

mod cobertura;
mod go;
mod input;
mod json;
mod lcov;
mod lines;
mod record;
mod refusal;

pub use lines::Lines;
pub(crate) use record::MAX_NAME;

use crate::text::escape::echo;
use crate::text::number::Finite;
use crate::text::spelled::spelled;
use input::{CoverageInput, CoverageLine, CoverageLines};
use record::{Records, context_weight};
use std::io::{BufRead, Read};

/// How many bytes tell the formats apart.
const HEAD: u64 = 4096;

/// How many files one coverage file may name.
pub(crate) const MAX_FILES: usize = 200_000;
/// Deepest nesting of elements or values.
const MAX_DEPTH: usize = 64;

spelled! {
    /// A format of coverage files.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Format {
        /// Tracefiles: records of `SF:`, `FN:`, `FNDA:`, `DA:` lines.
        Lcov = "lcov",
        /// XML with the root `coverage`, in it `packages`.
        Cobertura = "cobertura",
        /// The JSON of coverage.py: `meta` and `files`.
        CoveragePy = "coverage.py",
        /// The JSON of Istanbul: per file `statementMap` and `fnMap`.
        Istanbul = "istanbul",
        /// Profiles of `go test`: `mode: set` and a line per block.
        Go = "go",
    }
}

impl Format {
    /// Whether the format measures the bodies of functions alone, so that each executed line lies in a function that ran.
    /// In a Go profile every block is a part of a body: package variables and imports have none.
    pub const fn measures_bodies(self) -> bool {
        matches!(self, Self::Go)
    }
}

/// What one coverage file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Its format.
    pub format: Format,
    /// Directories that names may be relative to: `<source>/build/shop/src</source>`. Only Cobertura has them.
    pub sources: Vec<String>,
    /// Names of tests or phases, for example `tests/test_cart.py::test_sum|run`, in the order of the file.
    pub contexts: Vec<String>,
    /// The named files in the order of the file, one for each name.
    pub files: Vec<MeasuredFile>,
}

/// A file that the report names. The records of one name are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredFile {
    /// As the file spells it, for example `/build/shop/src/cart.py`, `src\cart.cs` or `example.com/shop/cart.go`.
    pub name: String,
    /// The functions that the tool saw, by the lines on which they begin; `None`: this file has no function counters.
    pub functions: Option<Lines>,
    /// Whether the tool saw a statement or a function: without one the file can neither run nor be idle.
    pub statements: bool,
    /// First the whole run, then one entry for each named context, ascending.
    pub activity: Vec<Activity>,
}

/// The part of one file that ran, in the whole run or in one context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The index in [`Coverage::contexts`]; `None`: the whole run, which is the union of everything.
    pub context: Option<u32>,
    /// The functions that ran, by the tool's own counters and the lines on which they begin; empty if it has none.
    pub functions: Lines,
    /// The executed lines.
    pub lines: Lines,
}

/// Why a coverage file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageFault {
    /// The line, from 1; `None` if the fault is in no one line.
    pub line: Option<u32>,
    /// One sentence. For a format that is not read it names the switch of the tool that writes one that is.
    pub message: String,
}

impl Coverage {
    /// How many bytes of memory it takes, about.
    fn weight(&self) -> usize {
        let names = self.contexts.iter().map(|name| context_weight(name));
        let sources = self.sources.iter().map(|source| source.len() + 96);
        let activity = |one: &Activity| size_of::<Activity>() + one.lines.weight() + one.functions.weight();
        let file = |file: &MeasuredFile| {
            let functions = file.functions.as_ref().map_or(0, Lines::weight);
            let activity: usize = file.activity.iter().map(activity).sum();
            size_of::<MeasuredFile>() + file.name.len() + 96 + functions + activity
        };
        names.chain(sources).sum::<usize>() + self.files.iter().map(file).sum::<usize>()
    }
}

impl CoverageFault {
    fn of(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }

    fn at(line: u32, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }
}

/// Reads a coverage file; the content says which format it has. `before` are the reports that the caller holds already: the
/// limit of memory is one for all of them.
///
/// # Errors
/// The first fault: another format, a file that ends early, a limit exceeded, or a failed read.
pub fn read(mut bytes: impl BufRead, before: &[Coverage]) -> Result<Coverage, CoverageFault> {
    let mut head = Vec::new();
    (&mut bytes).take(HEAD).read_to_end(&mut head).map_err(|error| input::unreadable(&error))?;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let mut whole = head.chain(bytes);
    let records = Records::beside(before.iter().map(Coverage::weight).sum());
    match head.trim_ascii_start() {
        [b'<', ..] => cobertura::read(CoverageInput::of(&mut whole), records),
        [b'{', ..] => json::read(CoverageInput::of(&mut whole), records),
        [] if head.len() < HEAD as usize => Err(CoverageFault::of(refusal::EMPTY)),
        text if text.starts_with(b"mode:") => go::read(CoverageLines::of(&mut whole), records),
        _ if lcov::begins(head) => lcov::read(CoverageLines::of(&mut whole), records),
        text => Err(CoverageFault::of(refusal::of_beginning(text))),
    }
}

/// Whether a counter is above 0; `None` if it is no number. Tools write floats and, after an overflow, negative numbers.
fn has_run(count: &str) -> Option<bool> {
    match count.parse::<u64>() {
        Ok(count) => Some(count > 0),
        Err(_) => Finite::parse(count).map(|count| count.get() > 0.0),
    }
}

/// The beginning of a line for a message.
fn shown(line: &CoverageLine<'_>) -> String {
    echo(&String::from_utf8_lossy(line.bytes)).into_owned()
}

#[cfg(test)]
mod tests;
