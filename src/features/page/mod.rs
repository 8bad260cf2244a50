//! The score as one HTML page or as a badge, and the comment on a pull request.

use super::Feature;
use crate::cli::args::report::ReportArgs;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::cli::verbs::show::open::open;

pub(super) const ROW: Feature =
    Feature { verbs: &[FeatureVerb::of::<ReportArgs>()], extras: &[Extra::OpensNode(open)] };
