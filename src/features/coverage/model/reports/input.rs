//! The bytes of a coverage file, bounded: no line and no file is larger than its limit.

use super::CoverageFault;
use std::io::{BufRead, Read};

/// Largest file with lines, in bytes.
const MAX_LINES: u64 = 256 << 20;
/// Largest XML or JSON document, in bytes.
const MAX_DOCUMENT: u64 = 64 << 20;
/// The beginning of the sentence about a larger file.
pub(super) const TOO_LARGE: &str = "the file is larger than";
/// Longest line, in bytes.
const MAX_LINE: usize = 64 << 10;

/// One line without its end.
pub(super) struct CoverageLine<'a> {
    pub(super) number: u32,
    pub(super) bytes: &'a [u8],
    /// Whether a line feed follows.
    pub(super) is_ended: bool,
}

/// Reads line by line.
pub(super) struct CoverageLines<'a> {
    bytes: std::io::Take<&'a mut dyn BufRead>,
    line: Vec<u8>,
    number: u32,
}

impl<'a> CoverageLines<'a> {
    pub(super) fn of(bytes: &'a mut dyn BufRead) -> Self {
        Self { bytes: bytes.take(MAX_LINES + 1), line: Vec::new(), number: 0 }
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<CoverageLine<'_>>, CoverageFault> {
        self.line.clear();
        self.number = self.number.saturating_add(1);
        let number = self.number;
        let mut limited = (&mut self.bytes).take(MAX_LINE as u64 + 2);
        limited.read_until(b'\n', &mut self.line).map_err(|error| unreadable(&error))?;
        if self.bytes.limit() == 0 {
            return Err(CoverageFault::of(format!("{TOO_LARGE} {} MiB", MAX_LINES >> 20)));
        }
        let is_ended = self.line.last() == Some(&b'\n');
        let bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() > MAX_LINE {
            return Err(CoverageFault::at(number, format!("the line is longer than {} KiB", MAX_LINE >> 10)));
        }
        Ok((!self.line.is_empty()).then_some(CoverageLine { number, bytes, is_ended }))
    }
}

/// The bytes of a document, with the number of the line that is read.
pub(super) struct CoverageInput<'a> {
    bytes: std::io::Take<&'a mut dyn BufRead>,
    line: u32,
}

impl<'a> CoverageInput<'a> {
    pub(super) fn of(bytes: &'a mut dyn BufRead) -> Self {
        Self { bytes: bytes.take(MAX_DOCUMENT + 1), line: 1 }
    }

    /// The line, from 1.
    pub(super) fn line(&self) -> u32 {
        self.line
    }
}

impl Read for CoverageInput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for CoverageInput<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.bytes.limit() == 0 {
            let message = format!("{TOO_LARGE} {} MiB", MAX_DOCUMENT >> 20);
            return Err(std::io::Error::other(message));
        }
        self.bytes.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let read = self.bytes.fill_buf().unwrap_or_default();
        let lines = read[..count.min(read.len())].iter().filter(|byte| **byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.bytes.consume(count);
    }
}

pub(super) fn unreadable(error: &std::io::Error) -> CoverageFault {
    CoverageFault::of(format!("the file cannot be read: {error}"))
}
