//! Who measures which scenario now, or works on which key or path: here and on a board that other machines see.

pub mod judge;
pub mod model;
mod print;
mod verbs;

// What other features use.
pub(crate) use judge::filing::OthersClaims;
pub(crate) use judge::foreign::{Asker, foreign, live};
pub(crate) use model::{Claim, ClaimSeries, ClaimToken};
pub(crate) use verbs::filing::claimed_token;

use super::Feature;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::features::claims::judge::upkeep::{claimed, examined};
use crate::features::claims::model::settings::ClaimLimits;
use crate::features::claims::verbs::claim_args::ClaimArgs;
use crate::features::claims::verbs::filing::FILING;
use crate::features::claims::verbs::next::first;
use crate::features::claims::verbs::next_args::NeedArgs;
use crate::features::claims::verbs::prune::prune_board;
use crate::model::config::FeatureSettings;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<ClaimArgs>(), FeatureVerb::of::<NeedArgs>()],
    settings: Some(FeatureSettings::of::<ClaimLimits>()),
    filing: Some(FILING),
    extras: &[
        Extra::PrunesRemote(prune_board),
        Extra::Examines(10, examined),
        Extra::KeepsEvidence(claimed),
        Extra::SaysNext(first),
    ],
    ..Feature::NONE
};
