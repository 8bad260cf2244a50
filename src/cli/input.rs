//! The bytes that a verb reads from a file or standard input, with progress if they are many.

use super::args::record::Input;
use super::call::Call;
use super::progress::Progress;
use crate::app::progress::ProgressStep;
use crate::error::{Error, Result};
use crate::store::evidence::Source;
use crate::text::coverage::{self, Coverage};
use crate::text::escape::echo;
use std::io::{BufReader, IsTerminal};
use std::path::Path;

/// How many coverage files one command reads.
const MAX_COVERAGE: usize = 16;

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

    /// Reads typed coverage files, relative to the current directory.
    ///
    /// # Errors
    /// Usage, with the file and the line, for a file that is no coverage report.
    pub(crate) fn coverage(&self, inputs: &[Input]) -> Result<Vec<Coverage>> {
        let streams = inputs.iter().filter(|input| **input == Input::Stdin).count();
        if streams > 1 || inputs.len() > MAX_COVERAGE {
            return Err(Error::usage(format!(
                "{} coverage files are given, {streams} on standard input",
                inputs.len()
            ))
            .hint(format!("give {MAX_COVERAGE} at most, and `-` once")));
        }
        let here = self.here()?;
        let mut reports = Vec::new();
        for input in inputs {
            let name = match input {
                Input::Stdin => "standard input".to_owned(),
                Input::File(file) => echo(&file.to_string_lossy()).into_owned(),
            };
            let source = self.source(&here, input)?;
            let report = coverage::read(BufReader::new(source.into_reader()), &reports).map_err(|fault| {
                let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
                Error::usage(format!("{name}{line}: {}", fault.message))
                    .hint("name a coverage file: lcov, Cobertura, coverage.py JSON, Istanbul JSON or a Go profile")
            })?;
            reports.push(report);
        }
        Ok(reports)
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
