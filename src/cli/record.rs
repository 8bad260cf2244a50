//! The writing verbs: what may be typed, and the requests that are made of it.

use super::request::{
    CleanRequest, EvalRequest, EvidenceRequest, Keep, MergeCall, RedactRequest, RepairRequest, RetractRequest, Source,
    Which,
};
use crate::model::ledger::{EvidenceHash, Status};
use crate::store::sweep::DEFAULT_GRACE_DAYS;
use clap::{ArgGroup, Args, Subcommand};
use std::path::{Path, PathBuf};

/// `eval`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(group = ArgGroup::new("verdict").required(true))]
pub(super) struct EvalArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches
    #[arg(value_name = "NODE")]
    node: Option<String>,
    /// The scenario that was measured; may be left out when the node declares one
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// It was as expected
    #[arg(long, group = "verdict")]
    pass: bool,
    /// It was not as expected
    #[arg(long, group = "verdict")]
    fail: bool,
    /// One line about the verdict
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// A picture; may be repeated
    #[arg(long = "image", value_name = "FILE")]
    images: Vec<PathBuf>,
    /// A transcript, or a JSON object or array; - reads standard input
    #[arg(long, value_name = "FILE", value_parser = source)]
    result: Option<Source>,
    /// A recording
    #[arg(long, value_name = "FILE")]
    video: Option<PathBuf>,
    /// A step timeline
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// What measured; by default manual at its configured version
    #[arg(long, value_name = "NAME@VERSION")]
    evaluator: Option<String>,
    /// Who measured
    #[arg(long, value_name = "WHO")]
    by: Option<String>,
    /// Refuse also what is only advised against: uncommitted governed files, a pass without the evidence that
    /// yatsu.evidenceFor asks for
    #[arg(long)]
    strict: bool,
    /// Say what would be filed and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// `retract`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RetractArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches
    #[arg(value_name = "NODE")]
    node: Option<String>,
    /// The scenario
    #[arg(long, value_name = "NAME")]
    scenario: String,
    /// Withdraw the latest effective reading; the default
    #[arg(long, group = "which")]
    last: bool,
    /// Withdraw the reading with this timestamp
    #[arg(long, value_name = "TIMESTAMP", group = "which")]
    ts: Option<String>,
    /// One line about why
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// `redact`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RedactArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches
    #[arg(value_name = "NODE")]
    node: Option<String>,
    /// The scenario
    #[arg(long, value_name = "NAME")]
    scenario: String,
    /// The time that the line carries
    #[arg(long, value_name = "TIMESTAMP")]
    ts: String,
    /// One line about why it must go; it stays, so say nothing in it that must go, too
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Who takes it out [default: git's user.name]
    #[arg(long, value_name = "WHO")]
    by: Option<String>,
}

/// `clean`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CleanArgs {
    /// Keep only what the latest effective readings name
    #[arg(long, group = "keep")]
    keep_latest: bool,
    /// Keep nothing
    #[arg(long, group = "keep")]
    all: bool,
    /// List what would be moved and move nothing
    #[arg(long)]
    dry_run: bool,
    /// Keep what is younger, in days [default: 14]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    grace: Option<u32>,
    /// Bring back what the last run moved
    #[arg(long, conflicts_with_all = ["keep_latest", "all", "grace", "dry_run"])]
    undo: bool,
}

/// `repair`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RepairArgs {
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Add again the lines that BASE has and the working tree lost
    #[arg(long, value_name = "BASE")]
    restore: Option<String>,
}

/// `merge-ledger`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MergeArgs {
    /// A file with the common ancestor: git's %O
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// A file with our side, replaced by the result: git's %A
    #[arg(value_name = "OURS")]
    ours: PathBuf,
    /// A file with their side: git's %B
    #[arg(value_name = "THEIRS")]
    theirs: PathBuf,
    /// The ledger's path in the repository: git's %P
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

/// `evidence`.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(super) enum EvidenceArgs {
    /// Store a file's bytes and print their sha256
    #[command(after_help = "Examples:\n  yatsu-hook evidence put shot.png\n  make report | yatsu-hook evidence put -")]
    Put {
        /// The file; - reads standard input
        #[arg(value_name = "FILE", value_parser = source)]
        file: Source,
    },
    /// Write the bytes of a name, verified, to standard output or a file
    #[command(after_help = "Examples:\n  yatsu-hook evidence get HASH -o shot.png")]
    Get {
        /// The name: 64 lower-case hex digits
        #[arg(value_name = "HASH", value_parser = hash)]
        hash: EvidenceHash,
        /// Where to write
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Hash everything again and name what is corrupt and the readings it hurts
    #[command(after_help = "Examples:\n  yatsu-hook evidence check")]
    Check,
    /// List what the store holds
    #[command(after_help = "Examples:\n  yatsu-hook evidence ls --format json")]
    Ls,
}

fn source(text: &str) -> Result<Source, std::convert::Infallible> {
    Ok(if text == "-" { Source::Stdin } else { Source::File(text.into()) })
}

fn days(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "write a whole number of days, 0 for none")
}

fn hash(text: &str) -> Result<EvidenceHash, &'static str> {
    EvidenceHash::from_hex(text.as_bytes()).ok_or("a name of evidence is 64 lower-case hex digits")
}

impl EvalArgs {
    /// The request.
    pub(super) fn request(self) -> EvalRequest {
        EvalRequest {
            node: self.node,
            scenario: self.scenario,
            status: if self.pass { Status::Pass } else { Status::Fail },
            note: self.note,
            images: self.images,
            result: self.result,
            video: self.video,
            timeline: self.timeline,
            evaluator: self.evaluator,
            by: self.by,
            strict: self.strict,
            dry_run: self.dry_run,
        }
    }
}

impl RetractArgs {
    /// The request.
    pub(super) fn request(self) -> RetractRequest {
        let which = self.ts.map_or(Which::Last, Which::At);
        RetractRequest { node: self.node, scenario: self.scenario, which, note: self.note }
    }
}

impl RedactArgs {
    /// The request.
    pub(super) fn request(self) -> RedactRequest {
        RedactRequest { node: self.node, scenario: self.scenario, ts: self.ts, reason: self.reason, by: self.by }
    }
}

impl CleanArgs {
    /// The request.
    pub(super) fn request(self) -> CleanRequest {
        if self.undo {
            return CleanRequest::Undo;
        }
        let keep = match (self.keep_latest, self.all) {
            (true, _) => Keep::Latest,
            (_, true) => Keep::Nothing,
            _ => Keep::Named,
        };
        CleanRequest::Collect { keep, grace_days: self.grace.unwrap_or(DEFAULT_GRACE_DAYS), dry_run: self.dry_run }
    }
}

impl RepairArgs {
    /// The request.
    pub(super) fn request(self) -> RepairRequest {
        RepairRequest { dry_run: self.dry_run, restore: self.restore }
    }
}

impl MergeArgs {
    /// The request.
    pub(super) fn request(self) -> MergeCall {
        MergeCall { base: self.base, ours: self.ours, theirs: self.theirs, path: self.path }
    }
}

impl EvidenceArgs {
    /// Whether standard output is for the bytes of a piece of evidence.
    pub(super) fn prints_bytes(&self) -> bool {
        matches!(self, Self::Get { output, .. } if output.as_deref().is_none_or(|output| output == Path::new("-")))
    }

    /// The request.
    pub(super) fn request(self) -> EvidenceRequest {
        match self {
            Self::Put { file } => EvidenceRequest::Put(file),
            Self::Get { hash, output } => EvidenceRequest::Get { hash, output },
            Self::Check => EvidenceRequest::Check,
            Self::Ls => EvidenceRequest::List,
        }
    }
}
