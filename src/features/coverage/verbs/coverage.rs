//! `coverage suggest`: the files that a scenario should declare;
//! `eval --coverage` and `new --from-coverage`.

use crate::app::record::filing::FilingStep;
use crate::cli::Exit;
use crate::cli::args::groups::Heading;
use crate::cli::args::record::Input;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::filing::Filing;
use crate::error::{Error, Result};
use crate::features::coverage::judge::filing::GivenCoverage;
use crate::features::coverage::judge::suggest::{ran_files, suggest};
use crate::features::coverage::model::reports::{self, Coverage};
use crate::features::coverage::print as coverage_text;
use crate::features::coverage::verbs::coverage_args::{CoverageArgs, CoverageFlag, SuggestArgs};
use crate::repo::Repo;
use crate::report;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use clap::{ArgMatches, Args, FromArgMatches};
use std::io::BufReader;

/// How many coverage files one command reads.
const MOST_READ: usize = 16;

impl FeatureArgs for CoverageArgs {
    const NAME: &'static str = "coverage";
    const AFTER: &'static str = "units";
    const LISTED: (Heading, u16) = (Heading::More, 50);

    fn run(self, call: Call<'_>) -> Result<Exit> {
        let Self::Suggest(args) = self;
        suggested(call, &args)
    }
}

fn suggested(call: Call<'_>, args: &SuggestArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let reports = read(call, &args.coverage)?;
    let site = call.site(&repo)?;
    let answer = call.patiently(|| suggest(&site, &args.scenario, &reports, args.test.as_deref()))?;
    call.answer(|out| match call.is_machine() {
        true => report::write_json(&answer, out),
        false => coverage_text::write(&answer, out),
    })
}

/// `new --from-coverage`: the files that a measured run went through.
pub(crate) fn ran(call: Call<'_>, repo: &Repo, inputs: &[Input]) -> Result<Vec<RepoPath>> {
    ran_files(&call.site(repo)?, &read(call, inputs)?)
}

/// `eval --coverage`.
pub(crate) const FILING: Filing = Filing { flags: CoverageFlag::augment_args, streams, step, ..Filing::NONE };

fn typed(typed: &ArgMatches) -> Vec<Input> {
    CoverageFlag::from_arg_matches(typed).map(|flag| flag.coverage).unwrap_or_default()
}

fn streams(arguments: &ArgMatches) -> usize {
    typed(arguments).iter().filter(|input| **input == Input::Stdin).count()
}

fn step(call: Call<'_>, arguments: &ArgMatches) -> Result<Option<Box<dyn FilingStep>>> {
    let inputs = typed(arguments);
    if inputs.is_empty() {
        return Ok(None);
    }
    Ok(Some(Box::new(GivenCoverage { reports: read(call, &inputs)?, written: written(call, &inputs)? })))
}

/// When the oldest of these files was written; `None` without a file.
fn written(call: Call<'_>, files: &[Input]) -> Result<Option<(i64, i64)>> {
    let here = call.here()?;
    let modified = |input: &Input| match input {
        Input::Stdin => Ok(None),
        Input::File(file) => call.file(&here, file).map(|source| source.modified()),
    };
    let all = files.iter().map(modified).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().min())
}

/// Reads typed coverage files, relative to the current directory.
///
/// # Errors
/// Usage, with the file and the line, for a file that is no coverage report.
fn read(call: Call<'_>, inputs: &[Input]) -> Result<Vec<Coverage>> {
    let streams = inputs.iter().filter(|input| **input == Input::Stdin).count();
    if streams > 1 || inputs.len() > MOST_READ {
        return Err(Error::usage(format!("{} coverage files are given, {streams} on standard input", inputs.len()))
            .hint(format!("give {MOST_READ} at most, and `-` once")));
    }
    let here = call.here()?;
    let mut read = Vec::new();
    for input in inputs {
        let name = match input {
            Input::Stdin => "standard input".to_owned(),
            Input::File(file) => echo(&file.to_string_lossy()).into_owned(),
        };
        let source = call.source(&here, input)?;
        let report = reports::read(BufReader::new(source.into_reader()), &read).map_err(|fault| {
            let line = fault.line.map(|line| format!(":{line}")).unwrap_or_default();
            Error::usage(format!("{name}{line}: {}", fault.message))
                .hint("name a coverage file: lcov, Cobertura, coverage.py JSON, Istanbul JSON or a Go profile")
        })?;
        read.push(report);
    }
    Ok(read)
}
