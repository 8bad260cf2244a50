//! A branch from its first commit to the main branch: decisions about it, and whether a change was approved.

mod judge;
mod model;
mod print;
mod rules;
mod verbs;

// What other features use.
pub(crate) use judge::engine::patch::{Patch, PatchDecision, PatchDecisionKind, PatchEval, Touch};
pub(crate) use judge::patches::{Patches, is_alone};

use super::Feature;
use crate::cli::feature::FeatureVerb;
use crate::features::patches::judge::judging::JUDGING;
use crate::features::patches::model::settings::PatchSettings;
use crate::features::patches::rules::{approval_missing, promoted_unproven};
use crate::features::patches::verbs::patch_args::PatchArgs;
use crate::model::config::FeatureSettings;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<PatchArgs>()],
    settings: Some(FeatureSettings::of::<PatchSettings>()),
    rules: &[promoted_unproven::RULE, approval_missing::RULE],
    judging: Some(JUDGING),
    ..Feature::NONE
};
