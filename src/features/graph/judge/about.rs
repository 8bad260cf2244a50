//! Describes a graph node in a few words for people: its state and its own text.

use crate::features::graph::judge::engine::apply::{Graph, GraphNode};
use crate::features::graph::model::answer::{GraphLine, NodeLook};
use crate::features::graph::model::shape;
use crate::features::graph::model::value::{PropValue, Props};
use crate::text::escape::{clip, echo};

/// The props with a node's own text. The first one present is printed.
const TELLING: [&str; 6] = ["text", "title", "summary", "note", "reason", "message"];

/// Longest printed text; the rest is clipped.
const MOST: usize = 60;

/// The look of a node, by its state.
pub(super) fn look(node: &GraphNode) -> NodeLook {
    match () {
        () if node.tombstoned => NodeLook::Buried,
        () if is_open(node) => NodeLook::Open,
        () if !node.stale.is_empty() => NodeLook::Stale,
        () => NodeLook::Plain,
    }
}

/// Whether the node is an unresolved failure.
pub(super) fn is_open(node: &GraphNode) -> bool {
    *node.kind == *shape::FAILURE && !node.tombstoned && node.props.text("resolved_by").is_none()
}

/// A line about the node `id`, which need not exist.
pub(super) fn line(graph: &Graph, id: &str, rel: Option<&str>) -> GraphLine {
    let about = graph.node(id).map_or_else(|| "not there".to_owned(), about);
    GraphLine { depth: 0, rel: rel.map(str::to_owned), id: id.to_owned(), about }
}

/// A few words about a node; empty if its props say nothing.
pub(super) fn about(node: &GraphNode) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(verdict(node));
    words.extend(["decision", "status", "state"].into_iter().find_map(|key| node.props.text(key)).map(short));
    if !node.stale.is_empty() {
        words.push(format!("stale: {}", node.stale.iter().map(|reason| short(reason)).collect::<Vec<_>>().join(", ")));
    }
    if node.tombstoned {
        words.push("withdrawn".to_owned());
    }
    words.extend(TELLING.into_iter().find_map(|key| node.props.text(key)).map(short));
    words.join(", ")
}

/// The verdict of a reading, or the resolution of a failure.
fn verdict(node: &GraphNode) -> Option<String> {
    let props = &node.props;
    match &*node.kind {
        shape::FAILURE => Some(match props.text("resolved_by") {
            // the resolving reading is of the same scenario, so its time identifies it
            Some(reading) => format!("resolved at {}", echo(reading.rsplit('@').next().unwrap_or(reading))),
            None => "open".to_owned(),
        }),
        shape::OBSERVATION => match (props.text("verdict"), props.text("effective")) {
            (Some(recorded), Some(effective)) => Some(format!("{}, counts as {}", short(recorded), short(effective))),
            (recorded, _) => recorded.map(short),
        },
        _ => None,
    }
}

fn short(text: &str) -> String {
    clip(text, MOST).into_owned()
}

/// Each prop with its value, texts without their quotes.
pub(super) fn told(props: &Props) -> Vec<(String, String)> {
    let told = |(key, value): (&str, &PropValue)| {
        let mut json = Vec::new();
        value.write(&mut json);
        let text = match value {
            PropValue::Text(text) => text.to_string(),
            _ => String::from_utf8_lossy(&json).into_owned(),
        };
        (key.to_owned(), text)
    };
    props.iter().map(told).collect()
}
