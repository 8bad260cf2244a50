//! The arguments of `claim`.

use crate::cli::args::values::run;
use crate::features::claims::model::ClaimToken;
use crate::features::claims::model::key::ClaimKey;
use crate::features::claims::verbs::values::{claim_key, lasting, session, token};
use crate::model::labels::RunId;
use crate::model::session::SessionHash;
use clap::{ArgGroup, Args, Parser};
use std::path::PathBuf;

/// Claim a scenario, so that several agents measure without doing a thing twice
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "claim",
    after_help = "Examples:\n  yatsu-hook claim next --as agent-1\n  \
                                        yatsu-hook claim ls\n  yatsu-hook claim renew \"$YATSU_CLAIM\""
)]
pub(crate) enum ClaimArgs {
    /// Claim a scenario, a key or a path: others cannot claim it until the claim ends
    #[command(after_help = "Examples:\n  yatsu-hook claim take board/renders --as agent-1\n  \
                            eval \"$(yatsu-hook claim take board/renders --export)\"\n  \
                            yatsu-hook claim take --key deploy/staging\n  \
                            yatsu-hook claim take --path 'src/board/**'\n\n\
                            A claimed scenario is refused, to its owner too: two processes may share a name. Others cannot \
                            file it, either. A path is refused also where it collides with a claimed one: both match a \
                            file, or the folder of one holds the other.")]
    Take(TakeArgs),
    /// Claim what most needs measuring: never measured, then stale, the older reading first
    #[command(after_help = "Examples:\n  yatsu-hook claim next --as agent-1\n  \
                            yatsu-hook -v claim next --tag cli --dry-run\n\n\
                            Nothing left to measure is exit code 1.")]
    Next(NextArgs),
    /// Extend a claim
    #[command(after_help = "Examples:\n  yatsu-hook claim renew \"$YATSU_CLAIM\" --ttl 1h")]
    Renew {
        /// What proves that you hold it
        #[arg(value_name = "TOKEN", value_parser = token)]
        token: ClaimToken,
        /// How long from now: a whole number with s, m or h, from 1s to 24h [default: 30m]
        #[arg(long, value_name = "DURATION", value_parser = lasting)]
        ttl: Option<i64>,
    },
    /// Give a claim up, or end an abandoned one with --force
    #[command(after_help = "Examples:\n  yatsu-hook claim release \"$YATSU_CLAIM\"\n  \
                            yatsu-hook claim release --force board/renders --reason 'its machine is gone'\n  \
                            yatsu-hook claim release --force --key deploy/staging --reason abandoned")]
    Release(ReleaseArgs),
    /// Let the breaches of a scenario's budget so far pass
    #[command(after_help = "Examples:\n  yatsu-hook claim waive-budget board/renders --reason 'a slow machine'\n\n\
                            Appends the decision to the ledger: the recorded verdicts count again, and what was spent \
                            stays spent. The gate says gate-lowered of the change that adds it.")]
    WaiveBudget(WaiveArgs),
    /// Who holds what, and until when
    #[command(after_help = "Examples:\n  yatsu-hook claim ls\n  yatsu-hook claim ls --format json\n\n\
                            Where claims are shared (git config yatsu.claims.shared REMOTE) the remote is asked, and what \
                            other machines hold is listed, too.")]
    Ls {
        /// Only the claims that this repository knows; no remote is asked
        #[arg(long)]
        local: bool,
    },
    /// What happened to the claims, oldest first
    #[command(after_help = "Examples:\n  yatsu-hook claim log\n  yatsu-hook claim log board\n  \
                            yatsu-hook claim log --key deploy/staging")]
    Log {
        /// Only this node: its directory, its id or its last name; or NODE/SCENARIO
        #[arg(value_name = "NODE", conflicts_with_all = OTHER)]
        node: Option<String>,
        #[command(flatten)]
        other: OtherArgs,
    },
}

/// The arguments that name something else than a scenario.
const OTHER: [&str; 2] = ["key", "path"];

/// A key or a path, in the place of a scenario.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[group(multiple = false)]
pub(crate) struct OtherArgs {
    /// No scenario, but a key: a word that agents agree on, of letters, digits and . _ : / # @ -
    #[arg(long, value_name = "KEY", value_parser = claim_key)]
    pub(crate) key: Option<ClaimKey>,
    /// No scenario, but files of this repository: a file, a folder with everything below it, or a glob
    #[arg(long, value_name = "GLOB")]
    pub(crate) path: Option<PathBuf>,
}

/// What `take` and `next` have in common.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClaimantArgs {
    /// Who measures [default: the author that git names]
    #[arg(long = "as", value_name = "WHO")]
    pub(crate) owner: Option<String>,
    /// How long: a whole number with s, m or h, from 1s to 24h [default: 30m]
    #[arg(long, value_name = "DURATION", value_parser = lasting)]
    pub(crate) ttl: Option<i64>,
    /// The run that the reading will belong to
    #[arg(long, value_name = "ID", value_parser = run)]
    pub(crate) run: Option<RunId>,
    /// Print only a line for a shell: export YATSU_CLAIM=TOKEN
    #[arg(long)]
    pub(crate) export: bool,
    /// Claim it for this repository alone, also where claims are shared with other machines
    #[arg(long)]
    pub(crate) local: bool,
    /// The id of the agent's session: its doors then know the claim as its own [default: YATSU_SESSION, else
    /// CLAUDE_CODE_SESSION_ID]
    #[arg(long, value_name = "ID", value_parser = session)]
    pub(crate) session: Option<SessionHash>,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TakeArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE", conflicts_with_all = OTHER)]
    pub(crate) node: Option<String>,
    /// The scenario, where it is not named behind its node; may be left out when the node declares one
    #[arg(long, value_name = "NAME", conflicts_with_all = OTHER)]
    pub(crate) scenario: Option<String>,
    #[command(flatten)]
    pub(crate) other: OtherArgs,
    #[command(flatten)]
    pub(crate) claimant: ClaimantArgs,
    /// Also past yatsu.claims.maxAttempts
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NextArgs {
    /// Only these nodes, by directory, id or last name, or scenarios, as NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    #[command(flatten)]
    pub(crate) claimant: ClaimantArgs,
    /// Also fresh fails: the code is still the code that failed
    #[arg(long)]
    pub(crate) failing: bool,
    /// Say what would be claimed and claim nothing
    #[arg(long, conflicts_with = "export")]
    pub(crate) dry_run: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(group = ArgGroup::new("forced").args(OTHER).requires("force"))]
pub(crate) struct ReleaseArgs {
    /// What proves that you hold it; with --force the node, or NODE/SCENARIO
    #[arg(value_name = "TOKEN|NODE", required_unless_present_any = ["force", "key", "path"], conflicts_with_all = OTHER)]
    pub(crate) token: Option<String>,
    /// End the claim of another owner
    #[arg(long, requires = "reason")]
    pub(crate) force: bool,
    /// The scenario, with --force, where it is not named behind its node; may be left out when the node declares one
    #[arg(long, value_name = "NAME", requires = "force", conflicts_with_all = OTHER)]
    pub(crate) scenario: Option<String>,
    #[command(flatten)]
    pub(crate) other: OtherArgs,
    /// One line about why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Only in this repository: other machines see the claim until it ends by itself
    #[arg(long)]
    pub(crate) local: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WaiveArgs {
    /// The node: its directory, its id or its last name; without it, or as `.`, the one of the current directory, else the
    /// only one that the branch touches; or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// The scenario, declared or not, where it is not named behind its node; may be left out when the node declares one
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// One line about why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Who decides; without it the author that git names
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}
