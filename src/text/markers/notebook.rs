//! A Jupyter notebook (nbformat 3 and 4) as a transcript: the outputs of its cells, in order. It is parsed as a stream, so
//! that its length does not decide how much memory it takes. Streams, `text/plain` of results and tracebacks are read,
//! `"text": ["[METRIC:accuracy] 0.9", "2\n"]` as one line. Sources and prose are not read.

use super::transcript::LineReader;

/// Deeper JSON is no notebook.
const MAX_DEPTH: usize = 256;
/// A notebook has no longer keys; a longer number is no version.
const MAX_WORD: usize = 32;
/// The versions that can be read.
const VERSIONS: [&[u8]; 2] = [b"3", b"4"];
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A text that may be a notebook.
#[derive(Clone, Debug, Default)]
pub(super) struct NotebookReader {
    step: Step,
    /// The open objects and lists, the innermost last.
    open: Vec<Container>,
    /// The meaning of the next or the current value.
    place: Place,
    word: Vec<u8>,
    /// The first half of a character that JSON writes as two escapes.
    surrogate: Option<u16>,
    version: Vec<u8>,
    has_cells: bool,
    /// Reads the output of the cells; `None` before the first bracket.
    outputs: Option<Box<LineReader>>,
}

#[derive(Clone, Copy, Debug)]
struct Container {
    place: Place,
    is_object: bool,
}

/// The expected input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// The bracket at the beginning of a notebook.
    #[default]
    First,
    Value,
    /// A value, or the end of a list without one.
    ValueOrEnd,
    Key,
    /// A key, or the end of an object without one.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// More of a string, which is a key if `is_key`.
    Text {
        is_key: bool,
    },
    Escape {
        is_key: bool,
    },
    /// `left` more digits of an escaped character.
    Digits {
        is_key: bool,
        left: u8,
        value: u16,
    },
    /// More of a number or a word.
    Scalar,
    /// Only blanks.
    End,
    Other,
}

/// The meaning of a value in a notebook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Root,
    Version,
    Worksheets,
    Worksheet,
    Cells,
    Cell,
    Outputs,
    Output,
    Data,
    /// Printed text: a string, or a list of its parts.
    Printed,
    /// Lines without their ends.
    Traceback,
    Other,
}

impl Place {
    /// The meaning of the value under that key; without a key, of an element of a list.
    fn below(self, key: Option<&[u8]>) -> Self {
        match (self, key) {
            (Self::Root, Some(b"nbformat")) => Self::Version,
            (Self::Root, Some(b"worksheets")) => Self::Worksheets,
            (Self::Root | Self::Worksheet, Some(b"cells")) => Self::Cells,
            (Self::Worksheets, None) => Self::Worksheet,
            (Self::Cells, None) => Self::Cell,
            (Self::Cell, Some(b"outputs")) => Self::Outputs,
            (Self::Outputs, None) => Self::Output,
            (Self::Output, Some(b"data")) => Self::Data,
            (Self::Output, Some(b"text")) | (Self::Data, Some(b"text/plain")) | (Self::Printed, None) => Self::Printed,
            (Self::Output, Some(b"traceback")) | (Self::Traceback, None) => Self::Traceback,
            _ => Self::Other,
        }
    }
}

impl NotebookReader {
    /// Takes the next piece of a text that `lines` also reads, as plain text.
    pub(super) fn take(&mut self, mut piece: &[u8], lines: &LineReader) {
        while let (Some((byte, rest)), false) = (piece.split_first(), self.step == Step::Other) {
            if let Step::Text { is_key } = self.step {
                let end = piece.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
                let (text, after) = piece.split_at(end.unwrap_or(piece.len()));
                self.say(text, is_key);
                piece = after.split_first().map_or(after, |(byte, rest)| {
                    self.special(*byte, is_key);
                    rest
                });
                continue;
            }
            let is_taken = self.byte(*byte, lines);
            piece = if is_taken { rest } else { piece };
        }
    }

    /// The text ends. If it was a notebook, the output of its cells replaces the content of `lines`.
    pub(super) fn end(self, lines: &mut LineReader) {
        let Some(mut outputs) = self.outputs.filter(|_| self.step == Step::End && self.has_cells) else { return };
        if VERSIONS.contains(&&*self.version) {
            outputs.end_line();
            outputs.is_of_cells();
            *lines = *outputs;
        } else if !self.version.is_empty() {
            let version = String::from_utf8_lossy(&self.version).into_owned();
            lines.malformed(format!("a notebook of nbformat {version} is not read: save it as nbformat 4"));
        }
    }

    /// One byte outside of the plain text of a string; false if the same byte must be handled again.
    fn byte(&mut self, byte: u8, lines: &LineReader) -> bool {
        match self.step {
            Step::Escape { is_key } => self.escaped(byte, is_key),
            Step::Digits { is_key, left, value } => self.digit(byte, is_key, left, value),
            Step::Scalar if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.') => self.keep(&[byte]),
            Step::Scalar => {
                if self.place == Place::Version {
                    self.version = std::mem::take(&mut self.word);
                }
                self.ended();
                return false;
            }
            _ if byte.is_ascii_whitespace() => {}
            Step::First if BOM.contains(&byte) => {}
            Step::First if byte == b'{' => {
                self.outputs = Some(Box::new(lines.clone()));
                self.opened(true);
            }
            Step::Value | Step::ValueOrEnd => self.value(byte),
            Step::Key | Step::KeyOrEnd if byte == b'"' => {
                self.word.clear();
                self.step = Step::Text { is_key: true };
            }
            Step::KeyOrEnd if byte == b'}' => self.closed(true),
            Step::Colon if byte == b':' => self.step = Step::Value,
            Step::CommaOrEnd if byte == b',' => self.next(),
            Step::CommaOrEnd if matches!(byte, b'}' | b']') => self.closed(byte == b'}'),
            _ => self.fail(),
        }
        true
    }

    /// The first byte of a value.
    fn value(&mut self, byte: u8) {
        let is_new = self.open.last().is_some_and(|around| around.is_object);
        if let Some(outputs) = &mut self.outputs
            && (self.place == Place::Traceback || self.place == Place::Printed && is_new)
        {
            outputs.end_line();
        }
        match byte {
            b'{' => self.opened(true),
            b'[' => self.opened(false),
            b']' if self.step == Step::ValueOrEnd => self.closed(false),
            b'"' => self.step = Step::Text { is_key: false },
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                self.word.clear();
                self.keep(&[byte]);
                self.step = Step::Scalar;
            }
            _ => self.fail(),
        }
    }

    fn opened(&mut self, is_object: bool) {
        if self.open.len() == MAX_DEPTH {
            return self.fail();
        }
        self.has_cells |= self.place == Place::Cells && !is_object;
        self.open.push(Container { place: self.place, is_object });
        if is_object {
            self.step = Step::KeyOrEnd;
        } else {
            self.place = self.place.below(None);
            self.step = Step::ValueOrEnd;
        }
    }

    fn closed(&mut self, is_object: bool) {
        match self.open.pop() {
            Some(container) if container.is_object == is_object => self.ended(),
            _ => self.fail(),
        }
    }

    fn ended(&mut self) {
        self.step = if self.open.is_empty() { Step::End } else { Step::CommaOrEnd };
    }

    /// The expected input after a comma.
    fn next(&mut self) {
        let Some(around) = self.open.last() else { return self.fail() };
        (self.place, self.step) = match around.is_object {
            true => (self.place, Step::Key),
            false => (around.place.below(None), Step::Value),
        };
    }

    /// A byte that cannot be part of a string's plain text.
    fn special(&mut self, byte: u8, is_key: bool) {
        match byte {
            b'\\' => self.step = Step::Escape { is_key },
            b'"' => {
                self.lone(is_key);
                match self.open.last() {
                    Some(around) if is_key => {
                        self.place = around.place.below(Some(&self.word));
                        self.step = Step::Colon;
                    }
                    _ => self.ended(),
                }
            }
            _ => self.fail(),
        }
    }

    fn escaped(&mut self, byte: u8, is_key: bool) {
        self.step = Step::Text { is_key };
        let meant = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.step = Step::Digits { is_key, left: 4, value: 0 },
            _ => return self.fail(),
        };
        self.say(&[meant], is_key);
    }

    fn digit(&mut self, byte: u8, is_key: bool, left: u8, value: u16) {
        let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
            return self.fail();
        };
        let value = value << 4 | digit;
        if left > 1 {
            return self.step = Step::Digits { is_key, left: left - 1, value };
        }
        self.step = Step::Text { is_key };
        if (0xd800..0xdc00).contains(&value) {
            self.lone(is_key);
            return self.surrogate = Some(value);
        }
        let units = self.surrogate.take().into_iter().chain([value]);
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.say(text.as_bytes(), is_key);
    }

    /// The first half of a character has no second one.
    fn lone(&mut self, is_key: bool) {
        if self.surrogate.take().is_some() {
            self.say(char::REPLACEMENT_CHARACTER.encode_utf8(&mut [0; 4]).as_bytes(), is_key);
        }
    }

    /// A decoded part of a string.
    fn say(&mut self, text: &[u8], is_key: bool) {
        if text.is_empty() {
            return;
        }
        self.lone(is_key);
        if is_key {
            self.keep(text);
        } else if let Some(outputs) = &mut self.outputs
            && matches!(self.place, Place::Printed | Place::Traceback)
        {
            outputs.take(text);
        }
    }

    /// A part of a key or scalar. A too long one is cut, and then equals no known one.
    fn keep(&mut self, part: &[u8]) {
        let room = MAX_WORD.saturating_sub(self.word.len());
        self.word.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn fail(&mut self) {
        *self = Self { step: Step::Other, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MarkerReader, Shown};

    /// What a notebook with these outputs shows, taken in pieces of `size`.
    fn shown(outputs: &str, size: usize) -> Shown {
        of(&format!("{{\"cells\": [{{\"outputs\": [{outputs}]}}], \"nbformat\": 4}}\n"), size)
    }

    fn of(text: &str, size: usize) -> Shown {
        let mut reader = MarkerReader::default();
        text.as_bytes().chunks(size).for_each(|piece| reader.take(piece));
        reader.finish()
    }

    fn x(shown: &Shown) -> Option<String> {
        shown.marked.metrics.get("x").map(ToString::to_string)
    }

    #[test]
    fn however_it_comes_in_pieces_it_says_the_same() {
        let outputs = r#"{"output_type": "stream", "text": ["a\n", "[METR\u0049C:x] 1", "2\n", "\ud83d\ude00 \ud83d\n"]}, {"text": "[STAT:ci]"}"#;
        let whole = shown(outputs, usize::MAX);
        assert_eq!((x(&whole).as_deref(), whole.of_cells, whole.marked.markers.len()), (Some("12"), true, 2));
        for size in 1..40 {
            assert_eq!(shown(outputs, size), whole, "{size}");
        }
    }

    #[test]
    fn no_line_reaches_from_one_output_into_the_next_and_a_traceback_is_lines() {
        let text = |text: &str| format!("{{\"text\": {text}}}");
        assert_eq!(x(&shown(&(text("\"[METRIC:x] 1\"") + "," + &text("\"2\"")), 7)).as_deref(), Some("1"));
        let traceback = "{\"traceback\": [\"[METRIC:x] 1\", \"2\"]}";
        assert_eq!(x(&shown(traceback, 7)).as_deref(), Some("1"));
        assert_eq!(x(&shown("{\"data\": {\"text/plain\": [\"[METRIC:x] 1\", \"2\"]}}", 7)).as_deref(), Some("12"));
        assert_eq!(x(&shown("{\"data\": {\"text/html\": \"[METRIC:x] 1\"}, \"name\": \"[METRIC:x] 2\"}", 7)), None);
    }

    #[test]
    fn what_is_no_notebook_is_read_as_it_stands() {
        let cells = "{\"cells\": [{\"outputs\": [{\"text\": \"[METRIC:x] 1\"}]}], \"nbformat\": 4";
        assert_eq!(x(&of(&format!("\u{feff} {cells}}}"), 3)).as_deref(), Some("1"));
        for other in [
            cells.to_owned(),
            format!("{cells}}} {{}}"),
            format!("{cells}]"),
            format!("[{cells}}}]"),
            cells.replace("{\"text\"", "{text") + "}",
            cells.replace("4", "\"4\"") + "}",
            cells.replace("[METRIC", "\u{1}[METRIC") + "}",
            cells.replace("1\"", "1\\q\"") + "}",
            cells.replace("{\"text\"", &format!("{}{{\"text\"", "[".repeat(400))) + "}",
            "{".repeat(100_000),
        ] {
            assert_eq!(x(&of(&other, 5)), None, "{}", &other[..other.len().min(200)]);
        }
        // text that only begins like a notebook is read on as a transcript
        assert_eq!(x(&of("{\"a\": 1}\n[METRIC:x] 2\n", 5)).as_deref(), Some("2"));
    }

    #[test]
    fn texts_before_and_behind_a_notebook_count_as_ever() {
        let notebook = "{\"cells\":[{\"outputs\":[{\"text\":\"[METRIC:x] 2\\n[METRIC:y] 1\"}]}],\"nbformat\":4}";
        let read = |texts: [&str; 3]| {
            let mut reader = MarkerReader::default();
            for text in texts {
                reader.next_text();
                reader.take(text.as_bytes());
            }
            x(&reader.finish())
        };
        assert_eq!(read(["[METRIC:x] 1", notebook, ""]).as_deref(), Some("2"));
        assert_eq!(read([notebook, "[METRIC:x] 1", "a"]).as_deref(), Some("1"));
    }
}
