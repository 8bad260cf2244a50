//! The commits at which the state of a scenario changed.

mod judge;
mod model;
mod print;
mod verbs;

// What other features use.
pub(crate) use judge::{HistoryRequest, log};

use super::Feature;
use crate::cli::feature::FeatureVerb;
use crate::features::log::verbs::LogVerbArgs;

pub(super) const ROW: Feature = Feature { verbs: &[FeatureVerb::of::<LogVerbArgs>()], ..Feature::NONE };
