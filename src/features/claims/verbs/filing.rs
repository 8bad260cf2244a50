//! `eval --claim`.

use crate::app::record::filing::FilingStep;
use crate::cli::call::Call;
use crate::cli::filing::Filing;
use crate::error::{Error, Result};
use crate::features::claims::judge::filing::ClaimedFiling;
use crate::features::claims::model::ClaimToken;
use crate::features::claims::verbs::values::token;
use clap::{ArgMatches, Args, FromArgMatches};

pub(crate) const FILING: Filing = Filing { terms: ClaimFlags::augment_args, step, ..Filing::NONE };

#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[group(skip)]
struct ClaimFlags {
    /// File under this claim, and end it; by default the one in YATSU_CLAIM
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    claim: Option<ClaimToken>,
    /// Leave the claim as it is
    #[arg(long)]
    keep: bool,
}

fn step(_: Call<'_>, typed: &ArgMatches) -> Result<Option<Box<dyn FilingStep>>> {
    let flags = ClaimFlags::from_arg_matches(typed).map_err(|error| Error::fault(error.to_string()))?;
    Ok(Some(Box::new(ClaimedFiling { token: flags.claim, otherwise: claimed_token, keep: flags.keep })))
}

/// The claim in the environment. An empty variable counts as not set.
pub(crate) fn claimed_token() -> Result<Option<ClaimToken>> {
    let Some(text) = std::env::var_os("YATSU_CLAIM").filter(|text| !text.is_empty()) else { return Ok(None) };
    let token = text.to_str().and_then(ClaimToken::from_hex);
    token.map(Some).ok_or_else(|| {
        Error::usage("YATSU_CLAIM holds no token; a token is 32 lower-case hex digits")
            .hint("file without a claim: `unset YATSU_CLAIM`")
            .hint("or take one: `eval \"$(yatsu-hook claim next --export)\"`")
    })
}
