//! How the facts of a view appear in the graph.

use super::{FILE, LEDGER, at, digest, filed, graph, measured, node, of_kind, related, repository};
use crate::support::{Scratch, scenarios, sha256};
use serde_json::json;

/// A failure of `works` at that minute.
fn failure(minute: u32) -> String {
    format!("failure:.spec/n#works@{}", at(minute))
}

fn observation(minute: u32) -> String {
    format!("reading:.spec/n#works@{}", at(minute))
}

#[test]
fn nothing_is_version_zero_with_the_digest_of_nothing() {
    let s = Scratch::new();
    s.write("README", "x");
    s.commit("first");
    let nothing = graph(&s, &[]);
    assert_eq!((&nothing["version"], &nothing["nodes"]), (&json!(0), &json!([])));
    assert_eq!(nothing["digest"], sha256("{\"nodes\":[],\"relations\":[]}"));
    assert_eq!(digest(&s, &[]), nothing["digest"]);
}

#[test]
fn one_pass_is_an_observation_of_its_scenario_with_commit_author_evidence_and_files() {
    let s = repository();
    let (head, hash) = (s.git(&["rev-parse", "HEAD"]), sha256("seen"));
    filed(
        &s,
        &json!({"scenario": "works", "codeSha": head, "blob": hash, "blobKind": "transcript", "evaluator": "manual@1",
            "by": "Ann", "run": "r1", "verdict": {"status": "pass", "note": "all there"}, "ts": at(1)}),
    );
    let graph = graph(&s, &[]);
    let (id, scenario) = (observation(1), "scenario:.spec/n#works");
    assert_eq!(node(&graph, &id).expect("an observation")["props"]["verdict"], "pass");
    assert_eq!(node(&graph, scenario).expect("a scenario")["kind"], "task");
    for (kind, count) in
        [("goal", 1), ("artifact", 1), ("actor", 1), ("commit", 1), ("run", 1), ("file", 1), ("failure", 0)]
    {
        assert_eq!(of_kind(&graph, kind).len(), count, "{kind}");
    }
    for relation in [
        format!("{scenario} serves goal:.spec/n"),
        format!("{scenario} governs file:src/a.rs"),
        format!("{id} observes {scenario}"),
        format!("{id} references artifact:{hash}"),
        format!("{id} produced_by commit:{head}"),
        format!("{id} produced_by actor:Ann"),
        format!("run:r1 produces {id}"),
        format!("run:r1 produced_by {scenario}"),
    ] {
        assert!(related(&graph, &relation), "{relation}");
    }
}

#[test]
fn a_fail_blocks_the_goal_until_a_later_pass_resolves_it() {
    let s = repository();
    measured(&s, "fail", 1);
    let open = graph(&s, &[]);
    assert!(related(&open, &format!("{} blocks goal:.spec/n", failure(1))));
    assert!(related(&open, &format!("{} observes {}", observation(1), failure(1))));
    assert!(s.yatsu(&["graph", "show"]).expect(0).out.contains("1 open failure:"));
    measured(&s, "pass", 2);
    let resolved = graph(&s, &[]);
    assert_eq!(node(&resolved, &failure(1)).expect("it stays")["props"]["resolved_by"], observation(2));
    assert!(related(&resolved, &format!("{} addresses {}", observation(2), failure(1))));
    assert!(s.yatsu(&["graph", "show"]).expect(0).out.contains("no open failure"));
}

#[test]
fn a_pass_that_was_withdrawn_is_shown_with_all_and_resolves_nothing() {
    let s = repository();
    measured(&s, "fail", 1);
    measured(&s, "pass", 2);
    filed(&s, &json!({"retracts": at(2), "scenario": "works", "note": "wrong build", "ts": at(3)}));
    let shown = graph(&s, &[]);
    assert!(node(&shown, &observation(2)).is_none());
    assert_eq!(node(&shown, &failure(1)).expect("a failure")["props"]["resolved_by"], json!(null));
    let all = graph(&s, &["--all"]);
    let withdrawn = node(&all, &observation(2)).expect("with all");
    assert_eq!(
        (&withdrawn["tombstoned"], &withdrawn["props"]["retracted"]["note"]),
        (&json!(true), &json!("wrong build"))
    );
}

#[test]
fn a_fail_that_was_withdrawn_takes_its_failure_with_it_also_by_a_clock_that_runs_back() {
    let s = repository();
    // withdrawn at a time before the reading's own
    filed(&s, &json!({"retracts": at(5), "scenario": "works", "ts": at(1)}));
    measured(&s, "fail", 5);
    let shown = graph(&s, &["--all"]);
    for id in [observation(5), failure(5)] {
        assert_eq!(node(&shown, &id).expect("it stays")["tombstoned"], json!(true), "{id}");
    }
    assert_eq!(shown["partial"], json!([]));
}

#[test]
fn two_readings_of_one_moment_have_two_ids_and_go_together() {
    let s = repository();
    measured(&s, "pass", 1);
    measured(&s, "fail", 1);
    let both = graph(&s, &[]);
    assert_eq!(of_kind(&both, "observation"), [observation(1), format!("{}~2", observation(1))]);
    assert_eq!(of_kind(&both, "failure"), [format!("{}~2", failure(1))]);
    filed(&s, &json!({"retracts": at(1), "scenario": "works", "ts": at(2)}));
    assert_eq!(of_kind(&graph(&s, &[]), "observation"), [""; 0]);
}

#[test]
fn the_latest_reading_is_stale_by_its_axes() {
    let s = repository();
    measured(&s, "pass", 1);
    measured(&s, "pass", 2);
    s.write("src/a.rs", "fn a() { b() }\n");
    s.write(FILE, s.read(FILE).replace("expected: works works", "expected: it works well"));
    let graph = graph(&s, &[]);
    assert_eq!(node(&graph, &observation(2)).expect("the latest")["stale"], json!(["code", "scenario"]));
    assert_eq!(node(&graph, &observation(1)).expect("an older one")["stale"], json!([]));
}

#[test]
fn a_pass_over_its_budget_counts_as_a_fail() {
    let s = repository();
    s.write("spexcode.json", "{\"yatsu\":{\"budgets\":{\"maxTaskTotalTokens\":10}}}");
    let head = s.git(&["rev-parse", "HEAD"]);
    let usage = json!({"promptTokens": 10, "completionTokens": 1, "totalTokens": 11, "source": "x"});
    filed(
        &s,
        &json!({"scenario": "works", "codeSha": head, "blob": null, "evaluator": "manual@1",
            "verdict": {"status": "pass"}, "usage": usage, "ts": at(1)}),
    );
    let graph = graph(&s, &[]);
    let props = &node(&graph, &observation(1)).expect("a reading")["props"];
    assert_eq!((&props["verdict"], &props["effective"]), (&json!("pass"), &json!("fail")));
    assert_eq!(node(&graph, &failure(1)).expect("a failure")["props"]["cause"], "budget");
}

#[test]
fn decisions_about_a_goal_are_related_to_it() {
    let s = repository();
    let (contract, readings) = ("a".repeat(64), "b".repeat(64));
    let decide = |kind: &str, minute: u32| {
        filed(
            &s,
            &json!({"decision": kind, "contract": contract, "readings": readings, "score": 90, "reason": "because",
                "by": "Ann", "ts": at(minute)}),
        );
    };
    for (minute, kind) in (1..).zip(["complete", "review", "pivot", "rework", "block", "unblock", "ponder"]) {
        decide(kind, minute);
    }
    decide("block", 5);
    filed(&s, &json!({"decision": "waive-budget", "scenario": "works", "reason": "r", "by": "Ann", "ts": at(8)}));
    let graph = graph(&s, &[]);
    let id = |minute: u32| format!("decision:.spec/n@{}", at(minute));
    for relation in [
        format!("goal:.spec/n approved_by {}", id(1)),
        format!("goal:.spec/n validated_by {}", id(2)),
        format!("goal:.spec/n rejected_by {}", id(3)),
        format!("goal:.spec/n rejected_by {}", id(4)),
        format!("goal:.spec/n rejected_by {}", id(5)),
        format!("{} references goal:.spec/n", id(6)),
        format!("{} references scenario:.spec/n#works", id(8)),
        format!("{} produced_by actor:Ann", id(1)),
    ] {
        assert!(related(&graph, &relation), "{relation}");
    }
    assert_eq!(
        of_kind(&graph, "decision").len(),
        7,
        "an unknown kind is none, and a line that stands there twice is one"
    );
}

#[test]
fn what_a_run_log_tells_explains_failures_and_belongs_to_its_run_and_work_tree() {
    let s = repository();
    measured(&s, "fail", 1);
    let line = |minute: u32, event: &str, more: &str| {
        format!("{{\"ts\":\"2026-01-01T00:{minute:02}:30Z\",\"event\":\"{event}\"{more}}}\n")
    };
    let types = "\"run_start\",\"hypothesis\",\"observation\",\"finding_logged\",\"model_call\",\"tool_call\",\"artifact_written\",\"run_end\"";
    let log = line(0, "_index", &format!(",\"schema_version\":\"1.0.0\",\"event_types\":[{types}],\"run\":\"r1\""))
        + &line(0, "run_start", "")
        + &line(2, "hypothesis", ",\"text\":\"a missing await\",\"failure\":\"n#works\"")
        + &line(2, "finding_logged", &format!(",\"text\":\"seen\",\"failure\":\"failure:n#works@{}\"", at(1)))
        + &line(2, "model_call", ",\"model\":\"m\"")
        + &line(2, "tool_call", ",\"tool\":\"t\"")
        + &line(2, "observation", ",\"text\":\"o\"")
        + &line(2, "artifact_written", ",\"relative_path\":\"out.txt\",\"byte_size\":3");
    s.write(".yatsu/runs/r1.jsonl", &log);
    let open = graph(&s, &[]);
    assert_eq!(node(&open, "run:r1").expect("a run")["props"]["status"], "open");
    for (line, kind) in [
        (3, "hypothesis"),
        (4, "observation"),
        (5, "model_call"),
        (6, "tool_call"),
        (7, "observation"),
        (8, "artifact"),
    ] {
        let id = format!("{kind}:r1:{line}");
        assert_eq!(node(&open, &id).unwrap_or_else(|| panic!("{id}"))["kind"], kind);
        assert!(related(&open, &format!("{id} produced_by run:r1")), "{id}");
        assert!(related(&open, &format!("{id} contained_in_frame frame:main")), "{id}");
    }
    assert!(related(&open, &format!("hypothesis:r1:3 explains {}", failure(1))), "the last failure of the scenario");
    assert!(related(&open, &format!("observation:r1:4 explains {}", failure(1))));
    s.write(".yatsu/runs/r1.jsonl", log + &line(3, "run_end", ",\"status\":\"failed\"") + "torn");
    let ended = graph(&s, &[]);
    assert_eq!(node(&ended, "run:r1").expect("a run")["props"]["status"], "failed");
    assert_eq!((ended["partial"].as_array().map(Vec::len), &ended["partial"][0]["line"]), (Some(1), &json!(10)));
}

#[test]
fn a_moved_node_keeps_its_story_under_new_ids_and_a_namesake_changes_nobodys() {
    let s = repository();
    measured(&s, "fail", 1);
    s.commit("measured");
    let before = graph(&s, &[]);
    s.write(".spec/other/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    let beside = graph(&s, &[]);
    let changed = before["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter(|node| !beside["nodes"].as_array().expect("nodes").contains(node));
    assert_eq!(changed.count(), 0, "a namesake changes no id and no node");
    s.git(&["mv", ".spec/n", ".spec/moved"]);
    let moved = graph(&s, &[]);
    let new = |id: String| id.replace(".spec/n", ".spec/moved");
    assert!(related(&moved, &new(format!("{} observes {}", observation(1), failure(1)))));
    assert!(related(&moved, &new(format!("{} blocks goal:.spec/n", failure(1)))));
    assert!(node(&moved, "goal:.spec/n").is_none());
    assert!(s.read(&LEDGER.replace(".spec/n", ".spec/moved")).contains("works"));
}

#[test]
fn a_log_that_tells_the_second_alone_means_a_failure_of_that_second() {
    let s = repository();
    let head = s.git(&["rev-parse", "HEAD"]);
    for (status, ts) in [
        ("fail", "2026-01-01T00:01:00.100Z"),
        ("fail", "2026-01-01T00:01:30.900Z"),
        ("fail", "2026-01-01T00:02:00.000Z"),
    ] {
        filed(
            &s,
            &json!({"scenario": "works", "codeSha": head, "blob": null, "verdict": {"status": status}, "ts": ts}),
        );
    }
    let event = |ts: &str| format!("{{\"ts\":\"{ts}\",\"event\":\"hypothesis\",\"failure\":\"n#works\"}}\n");
    let index = "{\"ts\":\"2026-01-01T00:00:00Z\",\"event\":\"_index\"}\n".to_owned();
    s.write(".yatsu/runs/r.jsonl", index + &event("2026-01-01T00:01:30Z") + &event("2026-01-01T00:01:30.950Z"));
    let graph = graph(&s, &[]);
    for line in [2, 3] {
        let expected = format!("hypothesis:r:{line} explains failure:.spec/n#works@2026-01-01T00:01:30.900Z");
        assert!(related(&graph, &expected), "{expected}");
    }
}
