//! The arguments of `export`.

use clap::{Args, Parser};
use std::path::PathBuf;

/// The readings for other programs
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(
    name = "export",
    after_help = "Examples:\n  yatsu-hook export in-toto\n  yatsu-hook export in-toto board --rev v1"
)]
pub(crate) enum ExportArgs {
    /// As in-toto test results, one statement a line
    #[command(
        after_help = "Examples:\n  yatsu-hook export in-toto\n  yatsu-hook export in-toto board/renders --rev v1\n  \
                            yatsu-hook export in-toto --sign --signing-key ~/.ssh/id_ed25519\n\n\
                            With --sign each line is a DSSE envelope. docs/trust.md verifies one by hand."
    )]
    InToto(InTotoArgs),
}

/// `export in-toto`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InTotoArgs {
    /// Only these nodes: each by its directory, its id or its last name, or NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Of this commit, not of the working tree
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
    /// Put each statement into a DSSE envelope with a signature by your SSH key
    #[arg(long)]
    pub(crate) sign: bool,
    /// With --sign: the key [default: the one that git signs with]
    #[arg(long, value_name = "FILE", requires = "sign")]
    pub(crate) signing_key: Option<PathBuf>,
}
