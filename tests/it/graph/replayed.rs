//! Replayed logs: the graph's own ops, and event logs of other programs.

use super::{digest, graph, measured, node, repository};
use crate::support::{Said, Scratch, fed, validate_published};
use serde_json::{Value, json};

fn event(id: &str, ops: &Value) -> String {
    let event = json!({"id": id, "schema_version": 1, "ts_ms": 1, "actor": {"kind": "agent", "id": "a"},
        "kind": "state.ops_applied", "payload": ops, "causation_id": null, "correlation_id": null});
    format!("{event}\n")
}

#[test]
fn the_ops_of_a_graph_replayed_make_the_same_graph() {
    let s = repository();
    measured(&s, "fail", 1);
    measured(&s, "pass", 2);
    s.write("src/a.rs", "fn b() {}\n");
    s.write(".yatsu/runs/r.jsonl", "{\"ts\":\"2026-01-01T00:00:00Z\",\"event\":\"_index\"}\n");
    let whole = graph(&s, &["--all"]);
    let ops = s.yatsu(&["graph", "ops"]).expect(0).out;
    assert_eq!(json!(ops.lines().count()), whole["version"]);
    let again = fed(s.yatsu_command(&["graph", "replay", "-", "--format", "json"]), ops).expect(0);
    let again = validate_published(&again.out);
    assert_eq!((&again["digest"], &again["version"]), (&whole["digest"], &whole["version"]));
    assert_eq!((&again["nodes"], &again["relations"]), (&whole["nodes"], &whole["relations"]));
}

#[test]
fn a_log_of_another_program_is_asked_like_any_graph_also_outside_of_a_repository() {
    let s = Scratch::new();
    let create = |id: &str, kind: &str| json!({"CreateNode": {"id": id, "kind": kind, "props": {"title": id}}});
    let relate =
        |from: &str, rel: &str, to: &str| json!({"CreateRelation": {"from": from, "rel": rel, "to": to, "props": {}}});
    let log = event(
        "e1",
        &json!([create("goal_1", "goal"), create("task_1", "task"), relate("task_1", "serves", "goal_1")]),
    ) + "{\"id\":\"e2\",\"schema_version\":1,\"ts_ms\":2,\"kind\":\"run.started\",\"payload\":{\"run_id\":\"x\"}}\n"
        + &event(
            "e3",
            &json!([create("patch_1", "patch"), {"UpdateNode": {"id": "patch_1", "props": {"status": "Proposed"}}}]),
        )
        + &event("e4", &json!([{"UpdateNode": {"id": "pacth_1", "props": {"status": "Promoted"}}}]))
        + &event("e5", &json!([relate("patch_1", "advances", "goal_1"), create("mood_1", "mood")]));
    s.write("../elsewhere/events.jsonl", log);
    let elsewhere = s.base.join("elsewhere");
    let ask = |args: &[&str]| {
        let mut command = s.yatsu_command(args);
        command.current_dir(&elsewhere);
        fed(command, "")
    };
    let json = validate_published(&ask(&["graph", "show", "--log", "events.jsonl", "--format", "json"]).expect(0).out);
    assert_eq!((json["partial"].as_array().map(Vec::len), &json["partial"][0]["line"]), (Some(1), &json!(4)));
    assert_eq!(node(&json, "patch_1").expect("the rest")["props"]["status"], "Proposed");
    assert_eq!(node(&json, "mood_1").expect("a kind of its own")["kind"], "mood");
    let up = ask(&["graph", "lineage", "goal_1", "--up", "--log", "events.jsonl"]).expect(0).out;
    assert!(up.contains("serves task_1") && up.contains("advances patch_1"), "{up}");
    assert!(ask(&["graph", "show", "patch_1", "--log", "events.jsonl"]).expect(0).out.contains("status: Proposed"));
    assert!(ask(&["graph", "show", "gaol_1", "--log", "events.jsonl"]).expect(1).err.contains("did you mean goal_1?"));
    let said = ask(&["graph", "check", "--log", "events.jsonl"]).expect(1);
    assert!(said.out.contains("events.jsonl:4: error[graph-partial]"), "{}", said.out);
    let shown = ask(&["graph", "replay", "events.jsonl"]).expect(0).out;
    assert!(shown.contains("partial: 1 place not in the graph"), "{shown}");
    ask(&["graph", "show", "--log", "absent.jsonl"]).expect(2);
    ask(&["graph", "show"]).expect(3);
}

#[test]
fn a_log_is_told_as_two_commits_hold_it() {
    let s = Scratch::new();
    let create = |id: &str| json!([{"CreateNode": {"id": id, "kind": "goal", "props": {}}}]);
    s.write("events.jsonl", event("e1", &create("a")));
    s.commit("first");
    s.write("events.jsonl", event("e1", &create("a")) + &event("e2", &create("b")));
    s.commit("second");
    let diff = s.yatsu(&["graph", "diff", "HEAD~1..HEAD", "--log", "events.jsonl", "--format", "json"]).expect(0);
    let diff = validate_published(&diff.out);
    assert_eq!(
        (&diff["added"]["nodes"][0]["id"], diff["removed"]["nodes"].as_array().map(Vec::len)),
        (&json!("b"), Some(0))
    );
    assert_ne!(digest(&s, &["--log", "events.jsonl"]), digest(&s, &["--log", "events.jsonl", "--rev", "HEAD~1"]));
    // the recommended command judges the same log: from the same directory, in the same commit
    s.write("sub/events.jsonl", "not an event\n");
    s.commit("torn");
    s.write("sub/events.jsonl", event("e1", &create("a")));
    let typed = |args: &[&str]| {
        let mut command = s.yatsu_command(args);
        Said::of(command.current_dir(s.root.join("sub")).output().expect("the program runs"))
    };
    let said = typed(&["graph", "show", "--log", "events.jsonl", "--rev", "HEAD"]);
    assert!(said.out.contains("yatsu-hook graph check --log events.jsonl --rev HEAD"), "{} {}", said.out, said.err);
    typed(&["graph", "check", "--log", "events.jsonl", "--rev", "HEAD"]).expect(1);
}

#[test]
fn a_drawing_has_room_for_nodes_before_the_ends_of_relations_that_are_none() {
    let s = Scratch::new();
    let create = |id: &str| json!({"CreateNode": {"id": id, "kind": "t", "props": {}}});
    let relate = |from: &str, to: &str| json!({"CreateRelation": {"from": from, "rel": "x", "to": to, "props": {}}});
    let ops = json!([
        create("a"),
        create("b"),
        create("c"),
        relate("a", "b"),
        relate("b", "c"),
        relate("a", "missing"),
        relate("c", "missing2")
    ]);
    s.write("events.jsonl", event("e1", &ops));
    let drawn = |args: &[&str]| {
        let args = [&["graph"], args, &["--log", "events.jsonl", "--format", "dot"]].concat();
        s.yatsu(&args).expect(0).out
    };
    let two = drawn(&["show", "--nodes", "2"]);
    assert_eq!(two.matches("tooltip=").count(), 2, "{two}");
    assert!(two.contains("left out: 1 other, 2 absent (--nodes 0 draws all)"), "{two}");
    let whole = drawn(&["show"]);
    assert!(whole.contains("no border: absent") && whole.matches("shape=plaintext").count() == 2, "{whole}");
    let lineage = drawn(&["lineage", "a", "--nodes", "1"]);
    assert_eq!(lineage.matches("tooltip=").count(), 1, "{lineage}");
    assert!(
        lineage.contains("left out: ") && !drawn(&["lineage", "a", "--nodes", "0"]).contains("left out"),
        "{lineage}"
    );
}
