//! `next`: the scenario to measure now.

use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::global::Verbosity;
use crate::cli::verbs::{invite, random};
use crate::cli::{Exit, clock, stdio};
use crate::error::Result;
use crate::features::claims::judge::Claimant;
use crate::features::claims::judge::answer as asking;
use crate::features::claims::judge::needs::needs;
use crate::features::claims::model::ClaimToken;
use crate::features::claims::print::next as next_text;
use crate::features::claims::verbs::filing::claimed_token;
use crate::features::claims::verbs::next_args::NeedArgs;
use crate::report;

impl FeatureArgs for NeedArgs {
    const NAME: &'static str = "next";
    const AFTER: &'static str = "new";
    const LISTED: (Heading, u16) = (Heading::EveryDay, 20);

    fn run(self, call: Call<'_>) -> Result<Exit> {
        next(call, &self)
    }
}

/// The first scenario to measure, below the score.
pub(crate) fn first(call: Call<'_>) -> Result<Exit> {
    next(call, &NeedArgs { limit: 1, ..NeedArgs::default() })
}

/// `next`. It ignores the limit of claims per person, because it claims nothing.
fn next(call: Call<'_>, args: &NeedArgs) -> Result<Exit> {
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let needs = call.patiently(|| needs(&repo, &args.nodes, &args.tags, args.failing))?;
    let owner = repo.author_name().ok().flatten().unwrap_or_default();
    let (token, now) = (ClaimToken(random()?), clock::now());
    let claimant = Claimant { owner, token, run: None, ttl: 1000, now, session: None };
    let shown = claimed_token()?;
    let answer = asking::next(&site, &repo.common_dir, &claimant, shown, &needs, args.limit)?;
    if call.is_machine() {
        return call.answer(|out| report::write_json(&answer, out));
    }
    if call.global.verbosity == Verbosity::Verbose {
        stdio::tell(next_text::passed_over(&answer.passed).as_bytes());
    }
    let exit = call.answer(|out| next_text::write_human(&answer, out))?;
    invite(call, &repo, needs.rows.is_empty());
    Ok(exit)
}
