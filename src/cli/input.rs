//! The bytes that a verb reads from a file or standard input, with progress if they are many.

use super::args::record::Input;
use super::call::Call;
use super::progress::Progress;
use crate::app::progress::ProgressStep;
use crate::error::{Error, Result};
use crate::store::evidence::Source;
use std::io::IsTerminal;
use std::path::Path;

impl Call<'_> {
    /// Opens a typed source. Paths are relative to `here`.
    pub(crate) fn source(&self, here: &Path, input: &Input) -> Result<Source> {
        match input {
            Input::File(file) => self.file(here, file),
            Input::Stdin if std::io::stdin().is_terminal() => {
                Err(Error::usage("standard input is a terminal")
                    .hint("pipe the result in, or name a file: --result FILE"))
            }
            Input::Stdin => {
                let stream = Source::stream("standard input", Box::new(std::io::stdin()));
                Ok(self.watched(stream, "reading"))
            }
        }
    }

    /// Opens a typed file, relative to `here`.
    pub(crate) fn file(&self, here: &Path, file: &Path) -> Result<Source> {
        Ok(self.watched(Source::file(&here.join(file))?, "storing"))
    }

    fn watched(&self, source: Source, what: &'static str) -> Source {
        let (of, begin) = (source.size(), ProgressStep::Work(what));
        match Progress::start(self.global, begin) {
            Some(progress) => {
                source.with_progress(Box::new(move |done| progress.step(ProgressStep::Bytes { what, done, of })))
            }
            None => source,
        }
    }
}
