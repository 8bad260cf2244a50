//! An event log, or printed ops, of any bytes is replayed: a graph comes out of it, every line that says nothing is told once
//! at most, and the digest of the same bytes is the same. What is a graph can be walked, drawn to its end and compared with
//! itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::features::graph::judge::engine::diff::diff;
use yatsu_hook::features::graph::judge::engine::digest::digest;
use yatsu_hook::features::graph::judge::engine::lineage::{Neighbours, Way};
use yatsu_hook::features::graph::judge::engine::part::Buried;
use yatsu_hook::features::graph::judge::engine::replay::replay;

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    let (one, other) = (replay("log", bytes, None), replay("log", bytes, None));
    assert_eq!(digest(&one.graph, one.shapes), digest(&other.graph, other.shapes));
    assert!(one.missed.notes.len() as u64 + one.missed.unlisted <= lines);
    let same = diff(&one.graph, &other.graph, one.shapes);
    assert!(same.added.nodes.is_empty() && same.removed.relations.is_empty() && same.changed_nodes.is_empty());
    let whole = one.graph.whole(Buried::In);
    assert!(whole.nodes.is_sorted_by_key(|node| node.id));
    let living = one.graph.whole(Buried::Out);
    assert!(living.nodes.iter().all(|node| !node.node.tombstoned));
    for way in [Way::Down, Way::Up] {
        let neighbours = Neighbours::of(&one.graph, way, true);
        for node in whole.nodes.iter().take(4) {
            let steps = neighbours.walk(node.id, None);
            assert!(steps.first().is_some_and(|step| step.id == node.id));
            let mut seen: Vec<&str> = steps.iter().map(|step| step.id).collect();
            seen.sort_unstable();
            assert!(seen.windows(2).all(|two| two[0] != two[1]));
        }
    }
});
