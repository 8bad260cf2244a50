//! `log`.

use crate::cli::Exit;
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::global::Stream;
use crate::error::Result;
use crate::features::log::judge::{HistoryRequest, USUAL_LIMIT, log};
use crate::features::log::print;
use clap::Parser;

/// The commits at which the state of a scenario changed, newest first
#[derive(Parser, Clone, Debug, Default, PartialEq, Eq)]
#[command(
    name = "log",
    after_help = "Examples:\n  yatsu-hook log\n  yatsu-hook log board/renders -n 1    since when is it stale?\n  \
                  yatsu-hook log --from v1 --to main --tag cli --limit 0\n\n\
                  Each commit is judged by its own tree, as `yatsu-hook scan --rev COMMIT` judges it, and compared with its first \
                  parent."
)]
pub(crate) struct LogVerbArgs {
    /// Only these nodes, by directory, id or last name, or scenarios, as NODE/SCENARIO; also ones that are gone
    #[arg(value_name = "NODE")]
    names: Vec<String>,
    /// Only scenarios with this tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Leave out the commits that this one leads to
    #[arg(long, value_name = "A")]
    from: Option<String>,
    /// Begin at this commit instead of HEAD
    #[arg(long, value_name = "B")]
    to: Option<String>,
    /// List at most this many commits that changed a state; 0 for all of the history
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL_LIMIT)]
    limit: usize,
}

impl FeatureArgs for LogVerbArgs {
    const NAME: &'static str = "log";
    const AFTER: &'static str = "report";
    const LISTED: (Heading, u16) = (Heading::More, 35);

    fn run(self, call: Call<'_>) -> Result<Exit> {
        let repo = call.repo()?;
        let Self { names, tags, from, to, limit } = self;
        let limit = Some(limit).filter(|limit| *limit > 0);
        let request = HistoryRequest { names, tags, from, to, limit, here: call.standing(&repo) };
        let answer = call.patiently(|| log(&repo, &request))?;
        if call.is_machine() {
            return call.answer(|out| print::write_json(&answer, out));
        }
        let style = call.global.style(Stream::Out);
        call.answer(|out| call.say(out, |out| print::write(&answer, &request, &style, out)))
    }
}
