//! The arguments of `share`.

use crate::tree::oid::Oid;
use clap::{Args, Parser, Subcommand};

/// Share evidence with other machines
#[derive(Clone, Debug, Default, PartialEq, Eq, Parser)]
#[command(
    name = "share",
    after_help = "Examples:\n  yatsu-hook share\n  yatsu-hook share on file:../evidence\n  \
                            yatsu-hook share push\n  yatsu-hook share get\n\n\
                            Without a verb it prints the state of sharing. Nothing is shared unless you ask; docs/sharing.md says who can read what."
)]
pub(crate) struct ShareVerbArgs {
    /// What to do; without it, how sharing stands.
    #[command(subcommand)]
    pub(crate) step: Option<ShareArgs>,
}

/// The verbs of sharing.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum ShareArgs {
    /// Try a place, and share through it from now on
    #[command(after_help = "Examples:\n  yatsu-hook share on\n  yatsu-hook share on file:../evidence\n  \
                            yatsu-hook share on file:../evidence --dry-run\n\n\
                            Writes `yatsu.share` in this repository's git configuration. Sends nothing: that is `share push`.")]
    On(ShareOnArgs),
    /// Share no more; what is on the remote stays there
    #[command(after_help = "Examples:\n  yatsu-hook share off")]
    Off,
    /// Send the evidence of published readings that the remote lacks
    #[command(after_help = "Examples:\n  yatsu-hook share push\n  yatsu-hook share push --dry-run\n  \
                            yatsu-hook share push --allow 1a2b3c4d\n\n\
                            Published is what branches of the remotes hold. Every piece is searched for well-known tokens before \
                            it goes. Exit code 1: something stays here, and is named.")]
    Push(SharePushArgs),
    /// Fetch missing evidence: of the latest reading of each scenario, or as named
    #[command(after_help = "Examples:\n  yatsu-hook share get\n  yatsu-hook share get board\n  \
                            yatsu-hook share get 1a2b3c4d\n\n\
                            Exit code 1: a piece was not found, or does not match its hash; the other pieces are kept.")]
    Get {
        /// Pieces by the first digits of their hash, and nodes or scenarios, as NODE/SCENARIO, with all their readings
        #[arg(value_name = "HASH|NODE")]
        words: Vec<String>,
        /// What every reading names that counts, not the latest alone
        #[arg(long)]
        all: bool,
    },
    /// Compare what published readings name with what the remote has
    #[command(after_help = "Examples:\n  yatsu-hook share check\n  yatsu-hook share check --deep --heal\n\n\
                            Exit code 1: something is missing there, and is named.")]
    Check {
        /// Send what is missing there and is here
        #[arg(long)]
        heal: bool,
        /// Read and hash every piece: a server's disk loses objects too
        #[arg(long)]
        deep: bool,
    },
    /// Take a piece away that must go, for example a secret
    #[command(after_help = "Examples:\n  yatsu-hook share drop 1a2b3c4d --reason 'it shows a token'\n\n\
                            The remote's host, forks and clones may keep the bytes: change what was secret. The reading that \
                            names it is retracted or redacted, or the next push sends it again.")]
    Drop {
        /// The pieces, by the first digits of their hash
        #[arg(value_name = "HASH", required = true)]
        pieces: Vec<String>,
        /// One line about why; everybody who can read the remote can read it
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Take away what no reading names any more, a month at a time
    #[command(after_help = "Examples:\n  yatsu-hook share prune --before 2026-01 --dry-run\n\n\
                            Everything that any branch of any remote, or this clone, still names stays. On any doubt nothing \
                            is deleted: exit code 3.")]
    Prune {
        /// Only what was put there before this month, which is two months ago at least
        #[arg(long, value_name = "YYYY-MM")]
        before: String,
        /// Say what would go, and delete nothing
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShareOnArgs {
    /// A git remote by its name, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX, or file:DIR, a directory that
    /// several machines see, from where you stand [default: origin]
    #[arg(value_name = "PLACE")]
    pub(crate) place: Option<String>,
    /// Let a git server that takes no other refs keep it in branches; every clone then fetches it
    #[arg(long)]
    pub(crate) branches: bool,
    /// Say what would be shared, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharePushArgs {
    /// What readings of every local branch name, not of published ones alone
    #[arg(long)]
    pub(crate) all: bool,
    /// Send this piece although something in it looks like a secret; may be repeated
    #[arg(long, value_name = "HASH")]
    pub(crate) allow: Vec<String>,
    /// Say what would go, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Send along with a push of these commits; a hook calls this
    #[arg(long = "tip", value_name = "COMMIT", hide = true, value_parser = commit)]
    pub(crate) tips: Vec<Oid>,
}

fn commit(text: &str) -> Result<Oid, String> {
    Oid::from_hex(text.as_bytes()).ok_or_else(|| "it is no id of a commit".to_owned())
}
