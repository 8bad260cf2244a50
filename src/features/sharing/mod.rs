//! Evidence on other machines: a place that the team already has, and what goes there and comes from there.

mod judge;
mod model;
mod print;
mod verbs;

// What other features use.
pub(crate) use model::place::{BRANCHES, KEY};

use super::Feature;
use crate::cli::extra::{Extra, ProvesCopies};
use crate::cli::feature::FeatureVerb;
use crate::features::sharing::judge::diagnosis::examined;
use crate::features::sharing::verbs::on_push;
use crate::features::sharing::verbs::share::{clean_instead, proven};
use crate::features::sharing::verbs::share_args::ShareVerbArgs;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<ShareVerbArgs>()],
    extras: &[
        Extra::Examines(20, examined),
        Extra::FollowsPush(on_push::share),
        Extra::ProvesCopies(ProvesCopies { instead: clean_instead, proven }),
    ],
    ..Feature::NONE
};
