//! Evidence on other machines: a place that the team already has, and what goes there and comes from there.

use super::Feature;
use crate::app::setup::doctor::sharing::examined;
use crate::cli::args::share::ShareVerbArgs;
use crate::cli::extra::{Extra, ProvesCopies};
use crate::cli::feature::FeatureVerb;
use crate::cli::verbs::push::on_push;
use crate::cli::verbs::share::{clean_instead, proven};

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<ShareVerbArgs>()],
    extras: &[
        Extra::Examines(examined),
        Extra::FollowsPush(on_push::share),
        Extra::ProvesCopies(ProvesCopies { instead: clean_instead, proven }),
    ],
    ..Feature::NONE
};
