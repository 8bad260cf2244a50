//! What a measured run went through, by the coverage files of other tools, beside what its scenario declares.

use super::Feature;
use crate::app::judge::undeclared;
use crate::cli::args::coverage::CoverageArgs;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::cli::verbs::coverage::{FILING, ran};
use crate::rules::under_declared;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<CoverageArgs>()],
    rules: &[under_declared::RULE],
    judging: Some(undeclared::JUDGING),
    filing: Some(FILING),
    extras: &[Extra::ReadsRun(ran)],
};
