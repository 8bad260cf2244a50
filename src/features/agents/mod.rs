//! The doors of the harnesses that run coding agents, and the readings that they observed.

mod judge;
pub mod model;
mod print;
mod verbs;

use super::Feature;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::features::agents::judge::harnesses::JUDGING;
use crate::features::agents::verbs::agent::FILING;
use crate::features::agents::verbs::agent_args::AgentArgs;
use crate::features::agents::verbs::agent_setup::examined;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<AgentArgs>()],
    judging: Some(JUDGING),
    filing: Some(FILING),
    extras: &[Extra::Examines(30, examined)],
    ..Feature::NONE
};
