//! What every verb understands: where to run, how to print.

use super::style::{self, Color};
use crate::error::{Error, Result};
use crate::report::{Format, RuleText, Style};
use crate::rules;
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The flags as typed.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GlobalArgs {
    /// Run as if started in DIR; every other path is relative to it
    #[arg(short = 'C', value_name = "DIR", global = true, help_heading = HEADING)]
    dir: Option<PathBuf>,
    /// How to print: for people or as one JSON document (its schema lies in schema/); verbs that judge also as SARIF
    /// 2.1.0 and as workflow commands of GitHub Actions; explain, completions, man and merge-ledger for people alone
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human", global = true, help_heading = HEADING)]
    format: FormatArg,
    /// When to colour the human format; NO_COLOR, CLICOLOR_FORCE and TERM=dumb are honoured
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true, help_heading = HEADING)]
    color: Color,
    /// List only what blocks, in every format; say of what was done only the last line
    #[arg(short, long, global = true, help_heading = HEADING)]
    quiet: bool,
    /// Say also what was examined and how
    #[arg(short, long, global = true, help_heading = HEADING)]
    verbose: bool,
}

const HEADING: &str = "Options of every verb";

// No documentation on the values: clap would print each on a line of its own in the help of every verb.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    #[default]
    Human,
    Json,
    Sarif,
    Github,
}

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verbosity {
    /// Only what blocks.
    Quiet,
    /// What matters.
    Normal,
    /// What was examined, too.
    Verbose,
}

/// A standard stream that is printed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The settings of one run.
#[derive(Clone, Debug)]
pub(super) struct Global {
    dir: Option<PathBuf>,
    /// The output format.
    pub(super) format: Format,
    /// How much to say.
    pub(super) verbosity: Verbosity,
    color: Color,
}

impl GlobalArgs {
    /// The settings.
    ///
    /// # Errors
    /// When they contradict each other.
    pub(super) fn settings(self) -> Result<Global> {
        let verbosity = match (self.quiet, self.verbose) {
            (true, true) => return Err(Error::usage("--quiet and --verbose exclude each other")),
            (true, false) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        Ok(Global { dir: self.dir, format: self.format.into(), verbosity, color: self.color })
    }
}

impl Global {
    /// Where to run, as typed; `.` by default. The process never changes its own directory, because git's variables are
    /// relative to it.
    ///
    /// # Errors
    /// When it is no directory.
    pub(super) fn directory(&self) -> Result<&Path> {
        let Some(dir) = &self.dir else { return Ok(Path::new(".")) };
        if dir.is_dir() { Ok(dir) } else { Err(Error::usage(format!("-C {}: not a directory", dir.display()))) }
    }

    /// How to print to `stream`. Asked only when there is something to print.
    pub(super) fn style(&self, stream: Stream) -> Style {
        let is_terminal = match stream {
            Stream::Out => std::io::stdout().is_terminal(),
            Stream::Err => std::io::stderr().is_terminal(),
        };
        Style {
            color: style::is_colored(self.color, &|name| std::env::var_os(name), is_terminal),
            verbose: self.verbosity == Verbosity::Verbose,
            describe,
        }
    }
}

impl Default for Global {
    fn default() -> Self {
        Self { dir: None, format: Format::Human, verbosity: Verbosity::Normal, color: Color::Auto }
    }
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Human => Self::Human,
            FormatArg::Json => Self::Json,
            FormatArg::Sarif => Self::Sarif,
            FormatArg::Github => Self::Github,
        }
    }
}

fn describe(rule: crate::finding::RuleId) -> RuleText {
    let text = rules::explain(rule);
    RuleText { summary: text.summary, why: text.why, mend: text.mend }
}
