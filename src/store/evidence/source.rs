//! Where the bytes of evidence come from: a regular file or a stream, read once, chunk by chunk.

use crate::error::{Error, Result};
use crate::store::folder::{failed, type_name};
use crate::sys::{self, About, FileKind};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest piece of evidence in bytes: 2 GiB.
pub(crate) const MAX_BLOB: u64 = 2 << 30;
/// Bytes per read.
pub(super) const BUFFER: usize = 128 * 1024;

/// The bytes of one piece of evidence, from a file or a stream.
pub struct Source {
    pub(super) name: String,
    pub(super) reader: Box<dyn Read>,
    file: Option<(File, About)>,
    progress: Box<dyn FnMut(u64)>,
}

impl Source {
    /// A regular file. FIFOs, devices and directories are refused, and so is a file beyond [`MAX_BLOB`].
    pub fn file(path: &Path) -> Result<Self> {
        let unreadable = |error: io::Error| {
            Error::usage(format!("cannot read {}: {error}", path.display()))
                .hint("name a file that is there and may be read")
        };
        let file = sys::open_to_read(path).map_err(unreadable)?;
        let stat = sys::about_file(&file).map_err(unreadable)?;
        if stat.kind != FileKind::Regular {
            return Err(Error::usage(format!("{} is {}, not a regular file", path.display(), type_name(stat.kind)))
                .hint("put what is meant into one file and name that"));
        }
        if stat.size > MAX_BLOB {
            return Err(too_large(&path.display().to_string()));
        }
        let reader = Box::new(file.try_clone().map_err(unreadable)?);
        let name = path.display().to_string();
        Ok(Self { name, reader, file: Some((file, stat)), progress: Box::new(|_| {}) })
    }

    /// A stream, e.g. standard input. It is refused if it is longer than [`MAX_BLOB`].
    pub fn stream(name: impl Into<String>, reader: Box<dyn Read>) -> Self {
        Self { name: name.into(), reader, file: None, progress: Box::new(|_| {}) }
    }

    /// The same source; `progress` gets the number of bytes read so far after every chunk.
    #[must_use]
    pub fn with_progress(mut self, progress: Box<dyn FnMut(u64)>) -> Self {
        self.progress = progress;
        self
    }

    /// The same source; `watch` sees every chunk as it is read.
    #[must_use]
    pub(crate) fn watched(mut self, watch: impl FnMut(&[u8]) + 'static) -> Self {
        self.reader = Box::new(Watched { inner: self.reader, watch });
        self
    }

    /// Reads the source to its end, chunk by chunk, without storing the bytes.
    pub(crate) fn read_through(mut self, look: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let size = self.parts(look)?;
        self.refuse_if_changed(size)
    }

    /// Hands every chunk to `look` and returns the size in bytes.
    pub(super) fn parts(&mut self, look: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<u64> {
        let mut size = 0;
        let mut buffer = vec![0; BUFFER];
        loop {
            let count = match self.reader.read(&mut buffer) {
                Ok(0) => return Ok(size),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failed("read", Path::new(&self.name), error)),
            };
            size += count as u64;
            if size > MAX_BLOB {
                return Err(too_large(&self.name));
            }
            look(&buffer[..count])?;
            (self.progress)(size);
        }
    }

    /// The bytes, without progress and without the check for changes: for reports that are read once and not kept.
    pub(crate) fn into_reader(self) -> Box<dyn Read> {
        self.reader
    }

    /// The size in bytes, if it is known before reading.
    pub(crate) fn size(&self) -> Option<u64> {
        self.file.as_ref().map(|(_, stat)| stat.size)
    }

    /// The mtime of the file, in seconds and nanoseconds since 1970; `None` for a stream.
    pub(crate) fn modified(&self) -> Option<(i64, i64)> {
        self.file.as_ref().map(|(_, stat)| stat.modified)
    }

    pub(super) fn refuse_if_changed(&self, read: u64) -> Result<()> {
        let Some((file, before)) = &self.file else { return Ok(()) };
        let now = sys::about_file(file).map_err(|error| failed("examine", Path::new(&self.name), error))?;
        if now.size == read && (now.size, now.modified) == (before.size, before.modified) {
            return Ok(());
        }
        Err(Error::usage(format!("{} changed while it was read", self.name))
            .hint("wait until the program that writes it has finished"))
    }
}

/// A reader that shows every chunk to `watch`.
struct Watched<W> {
    inner: Box<dyn Read>,
    watch: W,
}

impl<W: FnMut(&[u8])> Read for Watched<W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        (self.watch)(&buffer[..count]);
        Ok(count)
    }
}

fn too_large(name: &str) -> Error {
    Error::usage(format!("{name} is larger than 2 GiB")).hint("cut it down to what shows the result")
}
