//! The arguments of `next`.

use clap::Parser;

/// What to measure now, and the command that files it
#[derive(Clone, Debug, Default, PartialEq, Eq, Parser)]
#[command(
    name = "next",
    after_help = "Examples:\n  yatsu-hook next\n  yatsu-hook next --tag cli --limit 0 --format json\n\n\
                      Claims nothing: `yatsu-hook claim next` claims the first one, so that others do not measure it meanwhile."
)]
pub(crate) struct NeedArgs {
    /// Only these nodes, by directory, id or last name, or scenarios, as NODE/SCENARIO
    #[arg(value_name = "NODE")]
    pub(crate) nodes: Vec<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Also fresh fails: the code is still the code that failed
    #[arg(long)]
    pub(crate) failing: bool,
    /// How many at most; 0 is all of them
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) limit: usize,
}
