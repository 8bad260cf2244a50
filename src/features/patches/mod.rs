//! A branch from its first commit to the main branch: decisions about it, and whether a change was approved.

use super::Feature;
use crate::model::config::FeatureSettings;
use crate::model::config::patches::PatchSettings;

pub(super) const ROW: Feature = Feature { settings: Some(FeatureSettings::of::<PatchSettings>()), ..Feature::NONE };
