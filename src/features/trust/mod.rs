//! Signed readings and approvals: the keys that count, and the trust that a policy asks for.

use super::Feature;
use crate::cli::args::export::ExportArgs;
use crate::cli::args::sign::SignArgs;
use crate::cli::feature::FeatureVerb;
use crate::cli::verbs::sign::FILING;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<SignArgs>(), FeatureVerb::of::<ExportArgs>()],
    filing: Some(FILING),
    ..Feature::NONE
};
