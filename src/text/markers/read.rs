//! Reads the output of a measurement: a transcript of plain text, or the cells of a notebook.

use super::Shown;
use super::notebook::NotebookReader;
use super::transcript::LineReader;

/// The content of the transcript `bytes`.
pub fn read(bytes: &[u8]) -> Shown {
    let mut reader = MarkerReader::default();
    reader.take(bytes);
    reader.finish()
}

/// Reads transcripts as a stream, in pieces of any length. From a notebook it reads the output of the cells.
#[derive(Clone, Debug, Default)]
pub struct MarkerReader {
    lines: LineReader,
    /// The current text, as long as it may be a notebook.
    notebook: NotebookReader,
}

impl MarkerReader {
    /// Takes the next piece.
    pub fn take(&mut self, piece: &[u8]) {
        self.notebook.take(piece, &self.lines);
        self.lines.take(piece);
    }

    /// The current text ends and another begins. No line, and no support of a finding, continues into the next text.
    pub fn next_text(&mut self) {
        std::mem::take(&mut self.notebook).end(&mut self.lines);
        self.lines.next_text();
    }

    /// The content of all texts.
    pub fn finish(mut self) -> Shown {
        self.notebook.end(&mut self.lines);
        self.lines.finish()
    }

    /// How many bytes of an unfinished line are kept.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.lines.room()
    }
}
