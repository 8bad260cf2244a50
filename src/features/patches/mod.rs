//! A branch from its first commit to the main branch: decisions about it, and whether a change was approved.

pub(crate) mod judge;
mod model;
mod print;
pub(crate) mod rules;
mod verbs;

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
