//! All that was recorded as one graph, and questions about it: why things are as they are.

use super::Feature;
use crate::cli::args::graph::GraphArgs;
use crate::cli::feature::FeatureVerb;
use crate::finding::RuleId;
use crate::rules::{Rule, graph_dangling, graph_partial};

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<GraphArgs>()],
    rules: &[
        Rule::of_verb(RuleId::GraphPartial, &graph_partial::EXPLANATION),
        Rule::of_verb(RuleId::GraphDangling, &graph_dangling::EXPLANATION),
    ],
    ..Feature::NONE
};
