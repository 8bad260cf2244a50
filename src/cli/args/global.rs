//! The flags of every verb, as typed.

use crate::report::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The flags as typed.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GlobalArgs {
    /// Run as if started in DIR; every other path is relative to it
    #[arg(short = 'C', value_name = "DIR", global = true, hide_short_help = true, help_heading = HEADING)]
    pub(crate) dir: Option<PathBuf>,
    /// How to print; the help of a verb lists the formats that it has. JSON has its schema in schema/
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "human", global = true, hide_short_help = true, help_heading = HEADING)]
    pub(crate) format: Format,
    /// When to colour the human format; NO_COLOR, CLICOLOR_FORCE and TERM=dumb are honoured
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true, hide_short_help = true, help_heading = HEADING)]
    pub(crate) color: Color,
    /// Draw with ASCII alone: no `·`, `…`, `→`, no drawn lines (human format)
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub(crate) ascii: bool,
    /// List only what blocks, in every format; say of what was done only the last line
    #[arg(short, long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub(crate) quiet: bool,
    /// Say also what was examined and how
    #[arg(short, long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub(crate) verbose: bool,
}

const HEADING: &str = "Options of every verb";

/// When to colour the human format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}
