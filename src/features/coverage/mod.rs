//! What a measured run went through, by the coverage files of other tools, beside what its scenario declares.

mod judge;
pub mod model;
mod print;
mod rules;
mod verbs;

use super::Feature;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::features::coverage::judge::judging;
use crate::features::coverage::rules::under_declared;
use crate::features::coverage::verbs::coverage::{FILING, ran};
use crate::features::coverage::verbs::coverage_args::CoverageArgs;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<CoverageArgs>()],
    rules: &[under_declared::RULE],
    judging: Some(judging::JUDGING),
    filing: Some(FILING),
    extras: &[Extra::ReadsRun(ran)],
    ..Feature::NONE
};
