//! The arguments of `report`.

use super::range_review_args::RangeReviewArgs;
use crate::features::page::model::links::ForgeLinks;
use clap::Parser;
use std::path::PathBuf;

/// The largest page in bytes, by default.
const MAX_SIZE: &str = "5000000";

/// The most commits of the score over time.
const MAX_HISTORY: usize = 60;

/// The score as one HTML page, or a comment on a pull request
#[derive(Parser, Clone, Debug, Default, PartialEq, Eq)]
#[command(
    name = "report",
    after_help = "Examples:\n  yatsu-hook report --html report.html\n  \
                            yatsu-hook report --html public.html --without-evidence\n  \
                            yatsu-hook report --html report.html --history 60\n  \
                            yatsu-hook report --html report.html --links https://github.com/OWNER/REPO\n  \
                            yatsu-hook report --badge badge.svg\n  \
                            yatsu-hook report --pr --from origin/main --to HEAD > comment.md\n  \
                            yatsu-hook report --html - --rev v1 --tag cli board > page.html\n\n\
                            Everyone who has the page can read the evidence on it; docs/page.md says what is shown."
)]
pub(crate) struct ReportArgs {
    /// Write the page to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the score as a badge: FILE.json for a service that draws it, FILE.svg as a picture
    #[arg(long, value_name = "FILE", conflicts_with_all = ["html", "without_evidence", "links"])]
    pub(crate) badge: Option<PathBuf>,
    /// Only these nodes, by directory, id or last name, or scenarios, as NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Judge this commit instead of the working tree
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
    /// For a public page: leave out evidence, notes and names
    #[arg(long)]
    pub(crate) without_evidence: bool,
    /// Show the score at the last N commits that changed a state, at most 60
    #[arg(long, value_name = "N", default_value_t, value_parser = commits, conflicts_with_all = ["badge", "pr"])]
    pub(crate) history: usize,
    /// Link commits and files to this repository: https://HOST/OWNER/REPO
    #[arg(long, value_name = "URL", value_parser = forge, conflicts_with = "pr")]
    pub(crate) links: Option<ForgeLinks>,
    /// Leave evidence out where the page would be larger, in bytes
    #[arg(long, value_name = "BYTES", default_value = MAX_SIZE, conflicts_with_all = ["without_evidence", "badge", "pr"])]
    pub(crate) max_size: usize,
    /// Replace the file even if it is not a page of yatsu-hook
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) range: RangeReviewArgs,
}

/// A number of commits. More columns would not fit on a small screen.
fn commits(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|commits| *commits <= MAX_HISTORY)
        .ok_or_else(|| format!("a number from 0 to {MAX_HISTORY}"))
}

/// A repository on a forge.
fn forge(text: &str) -> Result<ForgeLinks, String> {
    ForgeLinks::parse(text).ok_or_else(|| format!("write {}", ForgeLinks::FORM))
}
