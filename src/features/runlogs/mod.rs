//! The logs of runs: what lies in them, whether they were kept, and the verb that writes them.

mod verbs;

use super::Feature;
use crate::cli::feature::FeatureVerb;
use crate::features::runlogs::verbs::runlog_args::RunlogArgs;

pub(super) const ROW: Feature = Feature { verbs: &[FeatureVerb::of::<RunlogArgs>()], ..Feature::NONE };
