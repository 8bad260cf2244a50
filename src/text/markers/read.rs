//! What a measurement printed, whatever it is printed in: a transcript of plain text, or the cells of a notebook.

use super::Shown;
use super::notebook::NotebookReader;
use super::transcript::LineReader;

/// What the transcript `bytes` shows.
pub fn read(bytes: &[u8]) -> Shown {
    let mut reader = MarkerReader::default();
    reader.take(bytes);
    reader.finish()
}

/// Reads transcripts as they come, in pieces of any length; of a notebook what its cells printed.
#[derive(Clone, Debug, Default)]
pub struct MarkerReader {
    lines: LineReader,
    /// The present text, as long as it may be a notebook.
    notebook: NotebookReader,
}

impl MarkerReader {
    /// Takes the next piece.
    pub fn take(&mut self, piece: &[u8]) {
        self.notebook.take(piece, &self.lines);
        self.lines.take(piece);
    }

    /// The text ends here, and another begins: no line, and nothing that a finding rests on, reaches from one into the other.
    pub fn next_text(&mut self) {
        std::mem::take(&mut self.notebook).end(&mut self.lines);
        self.lines.next_text();
    }

    /// What all of it shows.
    pub fn finish(mut self) -> Shown {
        self.notebook.end(&mut self.lines);
        self.lines.finish()
    }

    /// Bytes that are held of a line that has not ended.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.lines.room()
    }
}
