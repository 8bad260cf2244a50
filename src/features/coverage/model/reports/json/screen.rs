//! Looks at JSON before it is parsed: no value is nested too deep and no key too long, whatever the parser keeps of them.

use super::super::MAX_DEPTH;
use super::super::input::CoverageInput;
use std::io::{BufRead, Error, Read};

/// Longest key, in bytes.
const MAX_KEY: usize = 64 << 10;

pub(super) struct Screen<'a> {
    document: CoverageInput<'a>,
    chunk: Vec<u8>,
    /// How much of the chunk was handed out.
    read: usize,
    depth: usize,
    /// One bit for each open value, the innermost lowest: 1 for an object.
    objects: u64,
    /// Whether the next string is a key.
    at_key: bool,
    /// Bytes of the open string.
    string: Option<usize>,
    after_backslash: bool,
}

impl<'a> Screen<'a> {
    pub(super) fn of(document: CoverageInput<'a>) -> Self {
        Self {
            document,
            chunk: Vec::new(),
            read: 0,
            depth: 0,
            objects: 0,
            at_key: false,
            string: None,
            after_backslash: false,
        }
    }

    fn refill(&mut self) -> std::io::Result<()> {
        self.chunk.clear();
        self.read = 0;
        let bytes = self.document.fill_buf()?;
        self.chunk.extend_from_slice(&bytes[..bytes.len().min(64 << 10)]);
        self.document.consume(self.chunk.len());
        for at in 0..self.chunk.len() {
            self.byte(self.chunk[at]).map_err(Error::other)?;
        }
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), String> {
        match &mut self.string {
            Some(_) if std::mem::take(&mut self.after_backslash) => {}
            Some(_) if byte == b'"' => self.string = None,
            Some(length) => {
                self.after_backslash = byte == b'\\';
                *length += 1;
                if self.at_key && *length > MAX_KEY {
                    return Err(format!("a key is longer than {} KiB", MAX_KEY >> 10));
                }
            }
            None => self.outside(byte),
        }
        if self.depth > MAX_DEPTH {
            return Err(format!("the file is nested deeper than {MAX_DEPTH} values"));
        }
        Ok(())
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => self.string = Some(0),
            b'{' | b'[' => {
                self.depth += 1;
                self.at_key = byte == b'{';
                self.objects = self.objects << 1 | u64::from(self.at_key);
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.objects >>= 1;
                self.at_key = false;
            }
            b',' => self.at_key = self.objects & 1 == 1,
            b':' => self.at_key = false,
            _ => {}
        }
    }
}

impl Read for Screen<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.chunk.len() {
            self.refill()?;
        }
        let count = (&self.chunk[self.read..]).read(buffer)?;
        self.read += count;
        Ok(count)
    }
}
