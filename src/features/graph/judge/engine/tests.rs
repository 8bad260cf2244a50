//! A view in memory, projected. The order of its parts does not change the graph; the printed graph replays to the same
//! graph; every kind of node and every relation of the shape table occurs.

use super::apply::{Graph, Shapes};
use super::digest::digest;
use super::facts::{GraphSources, collect};
use super::part::Buried;
use super::project::{Projected, project};
use super::replay::replay;
use super::run_log::RunLogText;
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts};
use crate::error::Result;
use crate::features::graph::model::shape;
use crate::features::runlogs::{MEASURE, find};
use crate::model::workspace::{self, Select};
use crate::tree::memory::MemoryTree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Anchor, History, Kind, MissingAnchor};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::rc::Rc;

const SHA: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A history without any commits.
struct Nothing;

impl History for Nothing {
    fn anchor(&self, _commit: &Oid) -> Result<Anchor> {
        Ok(Anchor::Missing(MissingAnchor::Pruned))
    }
}

fn scenario_file(dir: &str) -> String {
    let goal = "goal_contract:\n  version: 1\n  goal_text: enough\n  acceptance_criteria:\n    - {id: A, kind: finding_count, minCount: 0}\n";
    let entry = |name: &str| {
        format!(
            "  - name: {name}\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/{dir}.rs, src/gone.rs\n    \
             related: src/{dir}.rs\n"
        )
    };
    format!("---\n{goal}scenarios:\n{}{}---\n", entry("one"), entry("two"))
}

/// A ledger with equal moments, clocks that run back and repeated lines.
fn ledger(seed: usize) -> String {
    let at = |minute: usize| format!("2026-01-01T00:{:02}:00.000Z", minute % 60);
    let mut lines = Vec::new();
    for step in 0..12 {
        let (name, minute) = (["one", "two", "gone"][(seed + step) % 3], (seed * 7 + step * 5) % 30);
        let status = if (seed + step).is_multiple_of(2) { "fail" } else { "pass" };
        let hash = format!("{:064x}", (seed + step) % 4);
        lines.push(format!(
            "{{\"scenario\":\"{name}\",\"codeSha\":\"{SHA}\",\"blob\":\"{hash}\",\"by\":\"Ann\",\"run\":\"r\",\
             \"verdict\":{{\"status\":\"{status}\"}},\"ts\":\"{}\"}}",
            at(minute)
        ));
        if step.is_multiple_of(4) {
            let (retracts, ts) = (at(minute), at(minute.saturating_sub(3)));
            lines.push(format!(
                "{{\"retracts\":\"{retracts}\",\"scenario\":\"{name}\",\"note\":\"n\",\"ts\":\"{ts}\"}}"
            ));
        }
        if step.is_multiple_of(5) {
            let kind = ["complete", "review", "pivot", "unblock"][step / 5 % 4];
            let of = "0".repeat(64);
            lines.push(format!(
                "{{\"decision\":\"{kind}\",\"contract\":\"{of}\",\"readings\":\"{of}\",\"score\":5,\"reason\":\"r\",\"by\":\"Ann\",\
                 \"ts\":\"{}\"}}",
                at(minute)
            ));
        }
    }
    lines.push(lines[0].clone());
    lines.push("garbage".to_owned());
    lines.join("\n") + "\n"
}

const DIRS: [&str; 4] = ["a", "b", "c", "d"];

fn tree() -> MemoryTree {
    let mut tree = MemoryTree::default();
    for (seed, dir) in DIRS.iter().enumerate() {
        tree.put(&format!("src/{dir}.rs"), Kind::File, b"x");
        tree.put(&format!(".spec/{dir}/yatsu.md"), Kind::File, scenario_file(dir).as_bytes());
        tree.put(&format!(".spec/{dir}/yatsu.evals.ndjson"), Kind::File, ledger(seed).as_bytes());
        if seed.is_multiple_of(2) {
            tree.put(&format!(".spec/{dir}/evals.ndjson"), Kind::File, ledger(seed + 1).as_bytes());
        }
    }
    tree
}

fn log() -> String {
    let line = |event: &str, more: &str| format!("{{\"ts\":\"2026-01-01T00:20:00Z\",\"event\":\"{event}\"{more}}}\n");
    line("_index", ",\"run\":\"r\"")
        + &line("hypothesis", ",\"failure\":\"a#one\",\"text\":\"t\"")
        + &line("observation", ",\"failure\":\"nobody#x\"")
        + &line("finding_logged", "")
        + &line("model_call", "")
        + &line("tool_call", "")
        + &line("artifact_written", "")
}

fn facts() -> Facts {
    let tree = tree();
    let config = workspace::read_config(&tree).unwrap();
    let workspace = workspace::load(&tree, config, &Select::All).unwrap();
    facts::collect_unowned(&tree, &Anchors::new(Rc::new(Nothing)), workspace).unwrap()
}

fn projected(facts: &Facts, lines: &mut Vec<u8>) -> Projected {
    let (tree, log, path) = (tree(), log(), RepoPath::from_git(".yatsu/runs/r.jsonl"));
    let logs = vec![RunLogText { path: &path, bytes: log.as_bytes(), profile: find(MEASURE).unwrap() }];
    let sources = GraphSources { facts, view: &tree, logs, patches: &[], frame: Some("main") };
    project(collect(&sources).unwrap(), Some(&mut |ops| lines.extend_from_slice(ops)))
}

fn told(graph: &Graph) -> String {
    digest(graph, Shapes::Derived).to_string()
}

/// Shuffles with the bits of a number.
fn shuffle<T>(list: &mut [T], state: &mut u64) {
    for at in (1..list.len()).rev() {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        list.swap(at, usize::try_from(*state % (at as u64 + 1)).unwrap());
    }
}

#[test]
fn a_hundred_shuffled_listings_make_one_graph() {
    let expected = projected(&facts(), &mut Vec::new());
    assert!(expected.graph.version() > 200, "{}", expected.graph.version());
    let mut state = 7;
    for _ in 0..100 {
        let mut facts = facts();
        let mut order: Vec<usize> = (0..facts.workspace.nodes.len()).collect();
        shuffle(&mut order, &mut state);
        facts.workspace.nodes = order.iter().map(|at| facts.workspace.nodes[*at].clone()).collect();
        facts.scores = order.iter().map(|at| facts.scores[*at].clone()).collect();
        let found = projected(&facts, &mut Vec::new());
        assert_eq!((told(&found.graph), &found.missed), (told(&expected.graph), &expected.missed));
    }
}

#[test]
fn what_is_derived_is_never_refused_and_replays_to_itself() {
    let mut lines = Vec::new();
    let found = projected(&facts(), &mut lines);
    assert!(found.missed.notes.iter().all(|note| note.message.contains("JSON")), "{:#?}", found.missed.notes);
    assert_eq!(found.missed.notes.len(), 6, "one garbage line a ledger");
    let again = replay("-", &lines, None);
    assert_eq!((&*again.missed.notes, again.graph.version()), (&[][..], found.graph.version()));
    assert_eq!((told(&again.graph), again.shapes), (told(&found.graph), Shapes::Derived));
}

#[test]
fn every_kind_and_relation_that_a_view_alone_tells_occurs() {
    let found = projected(&facts(), &mut Vec::new());
    let whole = found.graph.whole(Buried::In);
    let kinds: BTreeSet<&str> = whole.nodes.iter().map(|node| &*node.node.kind).collect();
    let of_branches = [shape::PATCH, shape::EVAL];
    let expected: BTreeSet<&str> = shape::KINDS.into_iter().filter(|kind| !of_branches.contains(kind)).collect();
    assert_eq!(kinds, expected);
    let rels: BTreeSet<&str> = whole.relations.iter().map(|relation| relation.rel).collect();
    let of_branches = [shape::ADVANCES, shape::MODIFIES, shape::FORKED_FROM];
    let expected: BTreeSet<&str> =
        shape::RELATIONS.iter().map(|row| row.rel).filter(|rel| !of_branches.contains(rel)).collect();
    assert_eq!(rels, expected);
    for NamedShape { from, rel, to } in shapes(&found.graph) {
        assert!(shape::is_allowed(&from, &rel, &to), "{from} {rel} {to}");
    }
}

/// A relation by the kinds of its ends.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NamedShape {
    from: String,
    rel: String,
    to: String,
}

fn shapes(graph: &Graph) -> BTreeSet<NamedShape> {
    let kind = |id: &str| {
        graph.node(id).map_or_else(|| shape::kind_of_id(id).unwrap_or("none").to_owned(), |node| node.kind.to_string())
    };
    let whole = graph.whole(Buried::In);
    let of =
        whole.relations.iter().map(|of| NamedShape { from: kind(of.from), rel: of.rel.to_owned(), to: kind(of.to) });
    of.collect()
}

#[test]
fn failures_that_are_open_are_those_that_nothing_later_resolves() {
    let found = projected(&facts(), &mut Vec::new());
    let whole = found.graph.whole(Buried::Out);
    for failure in whole.nodes.iter().filter(|node| *node.node.kind == *shape::FAILURE) {
        let Some(by) = failure.node.props.text("resolved_by") else { continue };
        let ts = |id: &str| id.rsplit_once('@').map(|(_, ts)| ts.to_owned()).unwrap_or_default();
        assert!(ts(by) >= ts(failure.id), "{by} resolves {}", failure.id);
        assert!(found.graph.node(by).is_some_and(|node| !node.tombstoned), "what was withdrawn resolves nothing");
        assert!(found.graph.has_relation(by, shape::ADDRESSES, failure.id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_ledger_is_projected_without_a_refusal(lines in prop::collection::vec(any_line(), 0..24)) {
        let mut tree = tree();
        tree.put(".spec/a/yatsu.evals.ndjson", Kind::File, lines.concat().as_bytes());
        let config = workspace::read_config(&tree).unwrap();
        let workspace = workspace::load(&tree, config, &Select::All).unwrap();
        let facts = facts::collect_unowned(&tree, &Anchors::new(Rc::new(Nothing)), workspace).unwrap();
        let found = projected(&facts, &mut Vec::new());
        let refused: Vec<_> = found.missed.notes.iter().filter(|note| note.message.starts_with("its event")).collect();
        prop_assert!(refused.is_empty(), "{:?}", refused);
    }
}

/// Lines of few scenarios and moments, so that collisions occur.
fn any_line() -> impl Strategy<Value = String> {
    let at = |minute: usize| format!("2026-01-01T00:{minute:02}:00.000Z");
    let reading = ("[ab]", 0..4_usize, any::<bool>(), 0..3_usize).prop_map(move |(name, minute, pass, key)| {
        let status = if pass { "pass" } else { "fail" };
        let key = if key == 0 { String::new() } else { format!("\"key\":\"k{key}\",") };
        format!(
            "{{\"scenario\":\"{name}\",\"codeSha\":\"{SHA}\",\"blob\":null,{key}\"verdict\":{{\"status\":\"{status}\"}},\"ts\":\"{}\"}}\n",
            at(minute)
        )
    });
    let retraction = ("[ab]", 0..4_usize, 0..4_usize).prop_map(move |(name, of, minute)| {
        format!("{{\"retracts\":\"{}\",\"scenario\":\"{name}\",\"ts\":\"{}\"}}\n", at(of), at(minute))
    });
    let decision = (0..4_usize, "[ab]").prop_map(move |(minute, name)| {
        format!(
            "{{\"decision\":\"waive-budget\",\"scenario\":\"{name}\",\"reason\":\"r\",\"by\":\"A\",\"ts\":\"{}\"}}\n",
            at(minute)
        )
    });
    prop_oneof![4 => reading, 2 => retraction, 1 => decision]
}
