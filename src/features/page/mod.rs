//! The score as one HTML page or as a badge, and the comment on a pull request.

mod judge;
mod model;
mod print;
mod verbs;

use super::Feature;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::features::page::verbs::open::open;
use crate::features::page::verbs::report_args::ReportArgs;

pub(super) const ROW: Feature =
    Feature { verbs: &[FeatureVerb::of::<ReportArgs>()], extras: &[Extra::OpensNode(open)], ..Feature::NONE };
