//! Replays an event log. Its bytes in; out come the graph of its ops and every place that could not be used: a line that is
//! no event, or a refused event. The other lines still count. Reads logs of yoagent-state and the output of `graph ops`;
//! the first usable line decides which format it is.

use super::apply::{Graph, OpSink, Shapes};
use crate::features::graph::model::event::LoggedEvent;
use crate::features::graph::model::op::StateOp;
use crate::text::escape::echo;
use crate::text::json::{self, Json};
use crate::text::ndjson::{self, RawLine};
use foldhash::HashSet;

/// The number of unusable places that are listed; the rest is only counted.
pub const MOST_TOLD: usize = 1000;

/// A place that is not in the graph, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialNote {
    /// The file, relative to the top of the repository or as typed.
    pub path: String,
    pub(crate) line: u32,
    pub(crate) message: String,
}

/// The places that could not be added to a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// The places, in their order.
    pub notes: Vec<PartialNote>,
    /// The number of further places that are not listed.
    pub unlisted: u64,
}

impl Missed {
    pub(crate) fn push(&mut self, note: PartialNote) {
        if self.notes.len() < MOST_TOLD {
            self.notes.push(note);
        } else {
            self.unlisted += 1;
        }
    }
}

/// A replayed log.
#[derive(Debug)]
pub struct Replayed {
    /// The graph after the last event.
    pub graph: Graph,
    /// The origin of the ops: of a derived graph, local facts are not part of the digest.
    pub shapes: Shapes,
    /// The places that were left out.
    pub missed: Missed,
}

/// Replays `bytes`, the log at `path`, in its own order. `each_op` gets every applied op.
pub fn replay(path: &str, bytes: &[u8], each_op: Option<OpSink<'_>>) -> Replayed {
    let (graph, seen, missed) = (Graph::default(), HashSet::default(), Missed::default());
    let mut replay = Replay { path, graph, seen, missed, each_op };
    let mut shapes = None;
    for line in ndjson::lines(bytes).filter(|line| !line.is_blank()) {
        let text = std::str::from_utf8(line.bytes);
        let json = match text.map_err(|_| "is not UTF-8".to_owned()).and_then(|text| parsed(&line, text)) {
            Ok(json) => json,
            Err(wrong) => {
                replay.miss(line.number, format!("the line {wrong}"));
                continue;
            }
        };
        let like = || if StateOp::is_like_one(&json) { Shapes::Derived } else { Shapes::Foreign };
        let done = match *shapes.get_or_insert_with(like) {
            Shapes::Derived => replay.op(&json),
            Shapes::Foreign => replay.event(&json),
        };
        if let Err(wrong) = done {
            replay.miss(line.number, wrong);
        }
    }
    Replayed { graph: replay.graph, shapes: shapes.unwrap_or(Shapes::Foreign), missed: replay.missed }
}

fn parsed<'t>(line: &RawLine<'_>, text: &'t str) -> Result<Json<'t>, String> {
    json::parse(text).map_err(|fault| match line.ended {
        true => fault.message,
        false => format!("is torn: it has no end, and {}", fault.message),
    })
}

struct Replay<'p, 's> {
    path: &'p str,
    graph: Graph,
    /// The ids of the earlier events.
    seen: HashSet<String>,
    missed: Missed,
    each_op: Option<OpSink<'s>>,
}

impl Replay<'_, '_> {
    fn op(&mut self, json: &Json<'_>) -> Result<(), String> {
        let op = StateOp::read(json).map_err(|wrong| format!("the op {wrong}"))?;
        // the program that derived a printed graph already checked its shapes
        self.graph.apply_told(vec![op], Shapes::Foreign, &mut self.each_op).map_err(|wrong| format!("the op {wrong}"))
    }

    fn event(&mut self, json: &Json<'_>) -> Result<(), String> {
        let event = LoggedEvent::read(json).map_err(|wrong| format!("the event {wrong}"))?;
        if !self.seen.insert(event.id.clone()) {
            return Err(format!("the event {} stands there already", echo(&event.id)));
        }
        let named = |wrong| format!("the event {} {wrong}; all of it is left out", echo(&event.id));
        self.graph.apply_told(event.ops, Shapes::Foreign, &mut self.each_op).map_err(named)
    }

    fn miss(&mut self, line: u32, message: String) {
        self.missed.push(PartialNote { path: self.path.to_owned(), line, message });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::judge::engine::digest::digest;
    use crate::features::graph::model::op::tests::any_op;
    use proptest::prelude::*;

    fn event(id: &str, payload: &str) -> String {
        format!(
            "{{\"id\":\"{id}\",\"schema_version\":1,\"ts_ms\":1,\"actor\":{{\"kind\":\"agent\",\"id\":\"a\"}},\
             \"kind\":\"state.ops_applied\",\"payload\":{payload},\"causation_id\":null,\"correlation_id\":null}}\n"
        )
    }

    fn patch(status: &str, id: &str) -> String {
        format!("[{{\"UpdateNode\":{{\"id\":\"{id}\",\"props\":{{\"status\":\"{status}\"}}}}}}]")
    }

    fn told(replayed: &Replayed) -> Vec<(u32, &str)> {
        replayed.missed.notes.iter().map(|note| (note.line, &*note.message)).collect()
    }

    #[test]
    fn a_log_with_a_mistyped_promotion_is_refused_at_that_event_and_the_rest_loads() {
        let log = event(
            "e1",
            "[{\"CreateNode\":{\"id\":\"patch_1\",\"kind\":\"patch\",\"props\":{\"status\":\"Proposed\"}}}]",
        ) + &event(
            "e2",
            &patch("Promoted", "pacth_1").replace("[{", "[{\"TombstoneNode\":{\"id\":\"patch_1\"}},{"),
        ) + &event("e3", &patch("Approved", "patch_1"));
        let replayed = replay("state/events.jsonl", log.as_bytes(), None);
        let said = "the event e2 touches pacth_1, which does not exist; all of it is left out";
        assert_eq!(told(&replayed), [(2, said)]);
        let node = replayed.graph.node("patch_1").unwrap();
        assert_eq!((node.props.text("status"), node.tombstoned), (Some("Approved"), false));
        assert_eq!(replayed.graph.version(), 2);
    }

    #[test]
    fn a_newer_version_a_known_id_and_a_torn_end_are_said_with_their_place() {
        let newer = event("e2", "[]").replace("\"schema_version\":1", "\"schema_version\":2");
        let log = event("e1", "[]") + "\n" + &newer + &event("e1", "[]") + "garbage\n" + &event("e3", "[]")[..40];
        let replayed = replay("l", log.as_bytes(), None);
        let lines: Vec<u32> = told(&replayed).iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [3, 4, 5, 6]);
        let words: Vec<&str> = told(&replayed).iter().map(|(_, said)| *said).collect();
        assert!(words[0].contains("schema_version 2") && words[1].contains("there already"), "{words:?}");
        assert!(words[2].contains("is not JSON") && words[3].contains("is torn"), "{words:?}");
    }

    #[test]
    fn kinds_and_relations_of_other_programs_are_left_alone() {
        let log = event(
            "e",
            "[{\"CreateNode\":{\"id\":\"x\",\"kind\":\"mood\"}},{\"CreateRelation\":{\"from\":\"x\",\"rel\":\"likes\",\"to\":\"y\"}}]",
        );
        let replayed = replay("l", log.as_bytes(), None);
        assert_eq!((told(&replayed), replayed.graph.version()), (vec![], 2));
        assert_eq!(replayed.graph.dangling().len(), 1);
    }

    #[test]
    fn of_a_log_of_which_every_line_is_wrong_the_first_are_named() {
        let replayed = replay("l", "x\n".repeat(MOST_TOLD + 7).as_bytes(), None);
        assert_eq!((replayed.missed.notes.len(), replayed.missed.unlisted), (MOST_TOLD, 7));
    }

    proptest! {
        #[test]
        fn ops_that_are_printed_and_replayed_make_the_same_graph(ops in prop::collection::vec(any_op(), 0..24)) {
            let mut graph = Graph::default();
            let mut lines = Vec::new();
            for op in &ops {
                if graph.apply(vec![op.clone()], Shapes::Foreign).is_ok() {
                    op.write(&mut lines);
                    lines.push(b'\n');
                }
            }
            let again = replay("-", &lines, None);
            prop_assert_eq!(told(&again), vec![]);
            prop_assert_eq!(again.graph.version(), graph.version());
            prop_assert_eq!(digest(&again.graph, Shapes::Foreign), digest(&graph, Shapes::Foreign));
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = replay("l", &bytes, None);
        }
    }
}
