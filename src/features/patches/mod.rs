//! A branch from its first commit to the main branch: decisions about it, and whether a change was approved.

mod judge;

use super::Feature;
use crate::features::patches::judge::judging::JUDGING;
use crate::model::config::FeatureSettings;
use crate::model::config::patches::PatchSettings;
use crate::rules::{approval_missing, promoted_unproven};

pub(super) const ROW: Feature = Feature {
    settings: Some(FeatureSettings::of::<PatchSettings>()),
    rules: &[promoted_unproven::RULE, approval_missing::RULE],
    judging: Some(JUDGING),
    ..Feature::NONE
};
