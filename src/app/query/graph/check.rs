//! `graph check`: what a graph cannot show, as findings: places that say nothing, relations to what is not there, and branches
//! that came into the main one without proof.

use super::derive::DerivedGraph;
use crate::app::judge::Options;
use crate::app::judge::levels;
use crate::app::judge::verdict;
use crate::finding::Backend;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::rules::{self, GraphGaps};

/// The findings about a graph of that sort of content, which `backend` read.
pub(crate) fn check(from: &DerivedGraph, mode: ScopeMode, backend: Option<Backend>, options: Options) -> Report {
    let gaps = GraphGaps { unproven: from.unproven.clone(), ..GraphGaps::of(&from.graph, &from.missed) };
    let findings = levels::apply(rules::of_graph(&gaps), &from.config, options.strict);
    let nodes = from.nodes.len();
    let scope = Scope { mode, base: None, tip: None, backend, files: 0, nodes };
    verdict::report(scope, findings, &[], options.reader)
}
