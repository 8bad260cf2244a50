//! The arguments of the verbs that write.

use super::filing::{FilingArgs, TermsFlags, VerdictFlags, WrittenArgs};
use super::values::{env, run};
use crate::model::began::BeganToken;
use crate::model::labels::{EnvName, ReadingKey, RunId};
use crate::model::ledger::EvidenceKind;
use crate::text::markers::SaidMetric;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The source of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input, spelled `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(group = ArgGroup::new("verdict"), group = ArgGroup::new("said").required(true).multiple(true))]
pub(crate) struct EvalArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO. With reports: the nodes to file for, by default all
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// The scenario that was measured; may be left out when the node declares one
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// It was as expected
    #[arg(long, groups = ["verdict", "said"])]
    pub(crate) pass: bool,
    /// It was not as expected
    #[arg(long, groups = ["verdict", "said"])]
    pub(crate) fail: bool,
    #[command(flatten)]
    pub(crate) verdicts: VerdictFlags,
    /// One line about the verdict
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// A picture; may be repeated
    #[arg(long = "image", value_name = "FILE")]
    pub(crate) images: Vec<PathBuf>,
    /// A transcript, or a JSON object or array; - reads standard input
    #[arg(long, value_name = "FILE", value_parser = input)]
    pub(crate) result: Option<Input>,
    /// A number that was measured and that the output does not say, with its unit: latency=12ms; may be repeated
    #[arg(long = "metric", value_name = "NAME=NUMBER", value_parser = SaidMetric::parse)]
    pub(crate) metrics: Vec<SaidMetric>,
    /// A file that came out of it; its bytes are kept as evidence; may be repeated
    #[arg(long = "artifact", value_name = "FILE")]
    pub(crate) artifacts: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) steps: FilingArgs,
    /// A recording
    #[arg(long, value_name = "FILE")]
    pub(crate) video: Option<PathBuf>,
    /// A step timeline
    #[arg(long, value_name = "FILE")]
    pub(crate) timeline: Option<PathBuf>,
    /// What measured; by default manual, junit or ctrf at its configured version
    #[arg(long, value_name = "NAME@VERSION")]
    pub(crate) evaluator: Option<String>,
    /// Who measured
    #[arg(long, value_name = "WHO")]
    pub(crate) by: Option<String>,
    /// Refuse if the measured content changed since `begin` printed this token for the same scenarios
    #[arg(long, value_name = "TOKEN")]
    pub(crate) began: Option<BeganToken>,
    #[command(flatten)]
    pub(crate) terms: TermsFlags,
    /// A key of your choice: filing the same again under it is one reading, however often it is tried
    #[arg(long, value_name = "KEY", value_parser = key)]
    pub(crate) key: Option<ReadingKey>,
    /// The run that the reading belongs to: readings that share one are added up together
    #[arg(long, value_name = "ID", value_parser = run)]
    pub(crate) run: Option<RunId>,
    /// What the measurement cost, a JSON object: maxRssBytes, cpuUserTicks, cpuSystemTicks (hundredths of a second),
    /// ioReadBytes, ioWriteBytes, promptTokens, completionTokens, totalTokens, source; - reads standard input
    #[arg(long, value_name = "FILE", value_parser = input)]
    pub(crate) usage: Option<Input>,
    /// The tokens that the measurement cost
    #[arg(long, value_name = "PROMPT,COMPLETION", value_parser = tokens, requires = "token_source")]
    pub(crate) tokens: Option<[u64; 2]>,
    /// Who counted the tokens
    #[arg(long, value_name = "NAME", requires = "tokens")]
    pub(crate) token_source: Option<String>,
    /// Estimate the tokens, a quarter of the characters of this prompt and of --result
    #[arg(long, value_name = "PROMPTFILE", requires = "result", conflicts_with = "tokens")]
    pub(crate) estimate_tokens: Option<PathBuf>,
    /// Also refuse what is otherwise only advice: uncommitted governed files, a pass without the evidence that
    /// yatsu.evidenceFor asks for
    #[arg(long)]
    pub(crate) strict: bool,
    /// Say what would be filed and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) written: WrittenArgs,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RetractArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// The scenario, where it is not named behind its node; may be left out when the node declares one
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// Withdraw the latest effective reading; the default
    #[arg(long, group = "which")]
    pub(crate) last: bool,
    /// Withdraw the reading with this timestamp
    #[arg(long, value_name = "TIMESTAMP", group = "which")]
    pub(crate) ts: Option<String>,
    /// Only a reading of this environment
    #[arg(long, value_name = "NAME", value_parser = env)]
    pub(crate) env: Option<EnvName>,
    /// One line about why
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) written: WrittenArgs,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RedactArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// The scenario, where it is not named behind its node; may be left out when the node declares one
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// The time that the line carries
    #[arg(long, value_name = "TIMESTAMP")]
    pub(crate) ts: String,
    /// One line about why it must go; it stays, so say nothing in it that must go, too
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Who takes it out [default: the author that git names]
    #[arg(long, value_name = "WHO")]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) written: WrittenArgs,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CleanArgs {
    /// Keep only what the latest effective readings name
    #[arg(long, group = "keep")]
    pub(crate) keep_latest: bool,
    /// Keep nothing
    #[arg(long, group = "keep")]
    pub(crate) all: bool,
    /// Also what the remote of `share` provably has: `share get` brings it back
    #[arg(long, group = "keep")]
    pub(crate) shared: bool,
    /// List what would be moved and move nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep what is younger, in days [default: 14]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    pub(crate) grace: Option<u32>,
    /// Bring back what the last run moved
    #[arg(long, conflicts_with_all = ["keep_latest", "all", "shared", "grace", "dry_run"])]
    pub(crate) undo: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RepairArgs {
    /// Say what would be written and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Add again the lines that BASE has and the working tree lost
    #[arg(long, value_name = "BASE")]
    pub(crate) restore: Option<String>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FoldArgs {
    /// Only these nodes [default: all]
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Say what would be moved and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Fold on this branch, for a pull request that folds
    #[arg(long)]
    pub(crate) here: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MergeArgs {
    /// A file with the common ancestor: git's %O
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// A file with our side, replaced by the result: git's %A
    #[arg(value_name = "OURS")]
    pub(crate) ours: PathBuf,
    /// A file with their side: git's %B
    #[arg(value_name = "THEIRS")]
    pub(crate) theirs: PathBuf,
    /// The ledger's path in the repository: git's %P
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
}

/// What a reading names a piece as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PieceKind {
    /// A picture
    Image,
    /// A text
    Transcript,
    /// A recording
    Video,
    /// JSON
    Data,
    /// The steps of a recording
    Timeline,
    /// A file that came out of it
    Artifact,
}

impl PieceKind {
    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Image => EvidenceKind::Image.as_str(),
            Self::Transcript => EvidenceKind::Transcript.as_str(),
            Self::Video => EvidenceKind::Video.as_str(),
            Self::Data => EvidenceKind::Data.as_str(),
            Self::Timeline => "timeline",
            Self::Artifact => "artifact",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum EvidenceArgs {
    /// Store a file's bytes and print their sha256
    #[command(after_help = "Examples:\n  yatsu-hook evidence put shot.png\n  make report | yatsu-hook evidence put -")]
    Put {
        /// The file; - reads standard input
        #[arg(value_name = "FILE", value_parser = input)]
        file: Input,
    },
    /// Write the bytes of a piece of evidence, verified, to standard output or a file
    #[command(
        after_help = "Examples:\n  yatsu-hook evidence get board/renders\n  yatsu-hook evidence get board/renders --kind image -o shot.png\n  \
                            yatsu-hook evidence get 1a2b3c4d"
    )]
    Get {
        /// A hash, or its first digits (at least four) if only one piece has them; or NODE/SCENARIO for the evidence of the
        /// reading that counts, else of the latest one
        #[arg(value_name = "HASH|NODE/SCENARIO")]
        piece: String,
        /// Of several pieces the one of this kind
        #[arg(long, value_name = "KIND")]
        kind: Option<PieceKind>,
        /// Where to write; nothing is replaced
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Replace what lies at FILE
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Hash everything again and name what is corrupt and the readings it hurts
    #[command(after_help = "Examples:\n  yatsu-hook evidence check")]
    Check,
    /// List the evidence that the store holds or lacks, with the readings that name it
    #[command(after_help = "Examples:\n  yatsu-hook evidence ls --format json")]
    Ls,
}

/// A file, or `-`.
pub(crate) fn input(text: &str) -> Result<Input, std::convert::Infallible> {
    Ok(if text == "-" { Input::Stdin } else { Input::File(text.into()) })
}

fn key(text: &str) -> Result<ReadingKey, String> {
    ReadingKey::parse(text).ok_or_else(|| format!("a key is {}", ReadingKey::FORM))
}

fn tokens(text: &str) -> Result<[u64; 2], &'static str> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let both = text.split_once(',').and_then(|(one, other)| Some([number(one)?, number(other)?]));
    both.ok_or("write two whole numbers, 1200,300 say")
}

fn days(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "write a whole number of days, 0 for none")
}
