//! The arguments of `sign`, and of `--sign` of the verbs that write lines.

use clap::{Args, Parser};
use std::path::PathBuf;

/// Vouch for readings with your SSH key
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "sign",
    after_help = "Examples:\n  yatsu-hook sign board\n  yatsu-hook sign board/renders --key ~/.ssh/id_ed25519\n\n\
                      One line signs the latest readings of a node. docs/trust.md says which keys count."
)]
pub(crate) struct SignArgs {
    /// Nodes: each by its directory, its id or its last name, or NODE/SCENARIO; without any, or as `.`, the one of the
    /// current directory, else the only one that the branch touches
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Only the lines of this scenario
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// Sign every line with this timestamp, not the latest readings
    #[arg(long, value_name = "TIMESTAMP")]
    pub(crate) ts: Option<String>,
    /// The key: a private key, or a public one that the agent has [default: the one that git signs with]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
}

/// The arguments of verbs that can sign the line that they write.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SignedArgs {
    /// Sign the line with your SSH key, as `yatsu-hook sign` does
    #[arg(long)]
    pub(crate) sign: bool,
    /// With --sign: the key [default: the one that git signs with]
    #[arg(long, value_name = "FILE", requires = "sign")]
    pub(crate) signing_key: Option<PathBuf>,
}
