//! Reads the physical lines of a run log one by one. Input: any reader. Output: one line at a time, its bytes borrowed
//! until the next one. Memory is limited to the longest accepted line, for any length of a file or a line.

use bstr::ByteSlice;
use std::io::{BufRead, Result};

/// Longest accepted line in bytes, without its line end.
pub const MAX_LINE: usize = 1 << 20;

/// One physical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'b> {
    /// Its number, from 1; blank lines count.
    pub number: u32,
    /// Its bytes without the line end; only the beginning if it is too long.
    pub bytes: &'b [u8],
    /// Whether a line end follows; only the last line can lack one.
    pub ended: bool,
    /// Whether the line end is CRLF.
    pub crlf: bool,
    /// Whether it is longer than [`MAX_LINE`].
    pub too_long: bool,
}

impl LogLine<'_> {
    /// Whether it holds only white space.
    pub fn is_blank(&self) -> bool {
        !self.too_long && self.bytes.iter().all(u8::is_ascii_whitespace)
    }
}

/// The lines of `source`, in order. A line end at the end of the source starts no further line.
pub struct LogLines<R> {
    source: R,
    held: Vec<u8>,
    number: u32,
}

impl<R: BufRead> LogLines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, held: Vec::new(), number: 0 }
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn next_line(&mut self) -> Result<Option<LogLine<'_>>> {
        self.held.clear();
        let (mut length, mut ended) = (0_usize, false);
        while !ended {
            let part = self.source.fill_buf()?;
            if part.is_empty() {
                break;
            }
            let end = part.find_byte(b'\n');
            let body = &part[..end.unwrap_or(part.len())];
            length = length.saturating_add(body.len());
            // one byte more than is accepted, so that a CR after the longest line is seen
            let room = (MAX_LINE + 1).saturating_sub(self.held.len());
            self.held.extend_from_slice(&body[..body.len().min(room)]);
            ended = end.is_some();
            let used = body.len() + usize::from(ended);
            self.source.consume(used);
        }
        if length == 0 && !ended {
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        let crlf = ended && length <= MAX_LINE + 1 && self.held.last() == Some(&b'\r');
        if crlf {
            self.held.pop();
            length -= 1;
        }
        let too_long = length > MAX_LINE;
        self.held.truncate(MAX_LINE);
        Ok(Some(LogLine { number: self.number, bytes: &self.held, ended, crlf, too_long }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    type Seen = (u32, Vec<u8>, bool, bool, bool);

    fn all(source: impl BufRead) -> Vec<Seen> {
        let mut lines = LogLines::new(source);
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            seen.push((line.number, line.bytes.to_vec(), line.ended, line.crlf, line.too_long));
        }
        seen
    }

    #[test]
    fn lines_keep_their_physical_numbers_whatever_the_buffer_holds() {
        let text: &[u8] = b"a\r\n\n b\r\r\nc";
        let expected = vec![
            (1, b"a".to_vec(), true, true, false),
            (2, b"".to_vec(), true, false, false),
            (3, b" b\r".to_vec(), true, true, false),
            (4, b"c".to_vec(), false, false, false),
        ];
        assert_eq!(all(text), expected);
        for size in 1..4 {
            assert_eq!(all(BufReader::with_capacity(size, text)), expected, "{size}");
        }
        assert!(all(&b""[..]).is_empty());
        assert_eq!(all(&b"a\r"[..]), [(1, b"a\r".to_vec(), false, false, false)], "half of a line end is none");
    }

    #[test]
    fn a_line_of_a_gigabyte_is_held_no_further_than_the_limit() {
        let endless = std::io::repeat(b'x').take(1 << 30).chain(&b"\nnext\n"[..]);
        let mut lines = LogLines::new(BufReader::with_capacity(1 << 20, endless));
        let first = lines.next_line().unwrap().unwrap();
        assert_eq!((first.too_long, first.bytes.len()), (true, MAX_LINE));
        assert!(lines.held.capacity() < 4 * MAX_LINE);
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"next");
    }

    #[test]
    fn the_longest_line_may_end_in_crlf() {
        let text = [vec![b'x'; MAX_LINE], b"\r\n".to_vec()].concat();
        let [(_, bytes, _, crlf, too_long)] = &all(&*text)[..] else { panic!("one line") };
        assert_eq!((bytes.len(), *crlf, *too_long), (MAX_LINE, true, false));
    }
}
