//! The doors of the harnesses that run coding agents, and the readings that they observed.

use super::Feature;
use crate::app::judge::harnesses::JUDGING;
use crate::cli::args::agent::AgentArgs;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::cli::verbs::agent::FILING;
use crate::cli::verbs::agent_setup::examined;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<AgentArgs>()],
    judging: Some(JUDGING),
    filing: Some(FILING),
    extras: &[Extra::Examines(examined)],
    ..Feature::NONE
};
