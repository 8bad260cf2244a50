//! A branch from its first commit to the main branch: decisions about it, and whether a change was approved.

mod judge;

use super::Feature;
use crate::cli::args::patch::PatchArgs;
use crate::cli::feature::FeatureVerb;
use crate::features::patches::judge::judging::JUDGING;
use crate::model::config::FeatureSettings;
use crate::model::config::patches::PatchSettings;
use crate::rules::{approval_missing, promoted_unproven};

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<PatchArgs>()],
    settings: Some(FeatureSettings::of::<PatchSettings>()),
    rules: &[promoted_unproven::RULE, approval_missing::RULE],
    judging: Some(JUDGING),
    ..Feature::NONE
};
