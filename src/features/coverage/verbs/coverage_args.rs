//! The arguments of `coverage`.

use crate::cli::args::record::{Input, input};
use clap::{Args, Parser};

/// Compare what a scenario declares with what a measured run went through
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "coverage",
    after_help = "Examples:\n  yatsu-hook coverage suggest board/renders --coverage lcov.info\n\n\
                      It reads lcov, Cobertura, coverage.py, Istanbul and Go profiles, and runs nothing."
)]
pub(crate) enum CoverageArgs {
    /// The files that a measured run went through and that a scenario's code list does not name
    #[command(after_help = "Examples:\n  yatsu-hook coverage suggest board/renders --coverage lcov.info\n\n\
                            Writes nothing: paste the lines that you agree with. Tests, generated and untracked files are \
                            left out.")]
    Suggest(SuggestArgs),
}

#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct SuggestArgs {
    /// The scenario, or a node that declares only one
    #[arg(value_name = "NODE/SCENARIO")]
    pub(crate) scenario: String,
    /// What the run went through: lcov, Cobertura, coverage.py JSON, Istanbul JSON or a Go profile; may be repeated; -
    /// reads standard input
    #[arg(long, value_name = "FILE", required = true, value_parser = input)]
    pub(crate) coverage: Vec<Input>,
    /// Only what this test ran, by the name that the coverage file gives it
    #[arg(long, value_name = "CONTEXT")]
    pub(crate) test: Option<String>,
}

/// The flag of `eval`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[group(skip)]
pub(crate) struct CoverageFlag {
    /// What the run went through: lcov, Cobertura, coverage.py JSON, Istanbul JSON or a Go profile; may be repeated; - reads
    /// standard input. With reports a scenario gets what its own cases ran. Advice: it changes no verdict
    #[arg(long, value_name = "FILE", value_parser = input)]
    pub(crate) coverage: Vec<Input>,
}
