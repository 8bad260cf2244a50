//! The flags by which `eval` files test reports.

use crate::cli::args::record::{Input, input};
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// What skipped cases are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SkipsArg {
    /// They may stand beside cases with a result
    Allow,
}

/// What a pass at a later try is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FlakyArg {
    /// A pass like any other
    Pass,
    /// A fail
    Fail,
}

/// Arguments that belong to a single reading. They conflict with test reports, which file many.
const OF_ONE: [&str; 15] = [
    "scenario",
    "runs",
    "images",
    "result",
    "metrics",
    "artifacts",
    "video",
    "timeline",
    "claim",
    "keep",
    "key",
    "usage",
    "tokens",
    "token_source",
    "estimate_tokens",
];

/// The flags of `eval`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[group(skip)]
#[command(group = ArgGroup::new("reports"))]
pub(super) struct ReportFlags {
    /// File what test reports in JUnit's format say, a reading for each scenario that they measure; nodes stand before it;
    /// - reads standard input
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = input, groups = ["verdict", "said", "reports"], conflicts_with_all = OF_ONE)]
    pub(super) from_junit: Vec<Input>,
    /// The same for reports in the Common Test Report Format
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = input, groups = ["verdict", "said", "reports"], conflicts_with_all = OF_ONE)]
    pub(super) from_ctrf: Vec<Input>,
    /// The same for the JSON of promptfoo: each result is a run, of the scenario that its test case names in `metadata.yatsu`
    /// (NODE/SCENARIO), or that has its description as the name of its `test`
    #[arg(long, value_name = "FILE", num_args = 1.., value_parser = input, groups = ["verdict", "said", "reports"], conflicts_with_all = OF_ONE)]
    pub(super) from_promptfoo: Vec<Input>,
    /// Which cases measure which scenarios, beside what their `test` says:
    /// {"v":1,"map":[{"file","classname","name","node","scenario"}]}
    #[arg(long, value_name = "FILE", requires = "reports")]
    pub(super) map: Option<PathBuf>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG", requires = "reports")]
    pub(super) tags: Vec<String>,
    /// How to count a case that passed at a later try; by default it is not filed
    #[arg(long, value_name = "VERDICT", requires = "reports")]
    pub(super) flaky: Option<FlakyArg>,
    /// How to count skipped cases beside cases with a result, in every scenario; by default nothing is filed, unless the `test`
    /// of the scenario says `skips: allow`
    #[arg(long, value_name = "HOW", requires = "reports")]
    pub(super) skips: Option<SkipsArg>,
    /// The exit code of the test run: with any but 0, reports without a failure are refused
    #[arg(long, value_name = "CODE", requires = "reports", allow_negative_numbers = true)]
    pub(super) exit: Option<i64>,
    /// The commit at which the tests ran, if HEAD is another one by now: what moved since is not filed
    #[arg(long, value_name = "COMMIT", requires = "reports", conflicts_with = "older_report")]
    pub(super) ran_at: Option<String>,
    /// Take a report even if a governed file, the text or the test of a scenario changed after it
    #[arg(long, requires = "reports")]
    pub(super) older_report: bool,
    /// File only what is stale or unmeasured, or whose verdict the reports change; pass over what a report is too old for
    #[arg(long, requires = "reports")]
    pub(super) only_stale: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::record::EvalArgs;
    use clap::{Command, FromArgMatches};

    fn parsed(line: &str) -> Result<ReportFlags, clap::Error> {
        let typed = EvalArgs::augment_args(Command::new("eval")).try_get_matches_from(line.split_whitespace())?;
        ReportFlags::from_arg_matches(&typed)
    }

    #[test]
    fn reports_go_with_nothing_that_only_one_reading_has() {
        for line in [
            "eval --from-junit a --pass",
            "eval --from-junit a --from-ctrf b",
            "eval --from-ctrf a --from-promptfoo b",
            "eval --from-junit a --scenario s",
            "eval board --pass --map m",
            "eval board --pass --flaky pass",
        ] {
            assert_eq!(parsed(line).expect_err(line).exit_code(), 2, "{line}");
        }
        let flags = parsed("eval board list --from-junit a b --tag cli --flaky fail").expect("flags");
        assert_eq!((flags.from_junit.len(), flags.flaky), (2, Some(FlakyArg::Fail)));
    }
}
