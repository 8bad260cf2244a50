//! All that was recorded as one graph, and questions about it: why things are as they are.

pub mod judge;
mod model;
mod print;
mod rules;
mod verbs;

use super::Feature;
use crate::cli::feature::FeatureVerb;
use crate::features::graph::rules::{graph_dangling, graph_partial};
use crate::features::graph::verbs::graph_args::GraphArgs;
use crate::finding::RuleId;
use crate::rules::Rule;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<GraphArgs>()],
    rules: &[
        Rule::of_verb(RuleId::GraphPartial, &graph_partial::EXPLANATION),
        Rule::of_verb(RuleId::GraphDangling, &graph_dangling::EXPLANATION),
    ],
    ..Feature::NONE
};
