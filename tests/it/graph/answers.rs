//! Queries of the graph: lineages, the reasons for a file's state, the difference of two commits, the formats.

use super::{FILE, at, digest, filed, graph, measured, node, repository, with_goal};
use crate::support::{Scratch, validate_published};
use serde_json::{Value, json};

/// A failure with a hypothesis that explains it and a decision about it.
fn told() -> Scratch {
    let s = repository();
    measured(&s, "fail", 1);
    let events = "\"run_start\",\"hypothesis\"";
    s.write(
        ".yatsu/runs/r1.jsonl",
        format!(
            "{{\"ts\":\"2026-01-01T00:02:00Z\",\"event\":\"_index\",\"schema_version\":\"1.0.0\",\"event_types\":[{events}]}}\n\
             {{\"ts\":\"2026-01-01T00:02:00Z\",\"event\":\"run_start\"}}\n\
             {{\"ts\":\"2026-01-01T00:02:00Z\",\"event\":\"hypothesis\",\"text\":\"no await\",\"failure\":\"n#works\"}}\n"
        ),
    );
    filed(
        &s,
        &json!({"decision": "pivot", "contract": "a".repeat(64), "readings": "b".repeat(64), "reason": "another way",
            "by": "Ann", "ts": at(3)}),
    );
    s
}

fn ids(value: &Value) -> Vec<&str> {
    value["nodes"].as_array().into_iter().flatten().filter_map(|node| node["id"].as_str()).collect()
}

#[track_caller]
fn lineage(s: &Scratch, args: &[&str]) -> Value {
    validate_published(&s.yatsu(&[&["graph", "lineage", "--format", "json"], args].concat()).expect(0).out)
}

#[test]
fn the_lineage_of_a_goal_is_all_that_comes_to_it() {
    let s = told();
    let up = lineage(&s, &["goal:n", "--up"]);
    for id in ["scenario:.spec/n#works", "hypothesis:r1:3", "goal:.spec/n"] {
        assert!(ids(&up).contains(&id), "{id}: {:?}", ids(&up));
    }
    let down = lineage(&s, &["goal:n", "--down"]);
    let decision = format!("decision:.spec/n@{}", at(3));
    assert_eq!(ids(&down), ["actor:Ann", &*decision, "goal:.spec/n"]);
    let shown = s.yatsu(&["graph", "lineage", "goal:n", "--up"]).expect(0).out;
    assert!(shown.contains("\n  blocks failure:.spec/n#works@"), "{shown}");
    assert!(shown.contains("\n    explains hypothesis:r1:3  (no await)\n"), "a tree: {shown}");
}

#[test]
fn from_a_failure_its_goal_is_within_three_relations() {
    let s = told();
    let failure = format!("failure:n#works@{}", at(1));
    let near = lineage(&s, &[&failure, "--depth", "3"]);
    assert!(ids(&near).contains(&"goal:.spec/n"));
    let here = lineage(&s, &[&failure, "--depth", "0"]);
    assert_eq!(ids(&here).len(), 1);
}

#[test]
fn an_unknown_id_is_refused_with_what_nearly_has_it() {
    let s = told();
    let said = s.yatsu(&["graph", "show", "goal:.spec/m"]).expect(1);
    assert!(said.err.contains("no node `goal:.spec/m`") && said.err.contains("did you mean goal:n?"), "{}", said.err);
    assert_eq!(said.err.matches("did you mean").count(), said.err.matches("did you mean").count().min(3));
    let said = s.yatsu(&["graph", "lineage", "nonsense that nobody meant"]).expect(1);
    assert!(!said.err.contains("did you mean"), "{}", said.err);
    let head = s.git(&["rev-parse", "HEAD"]);
    s.yatsu(&["graph", "show", &format!("commit:{}", &head[..8])]).expect(0);
    s.yatsu(&["graph", "show", "--kind", "goals"]).expect(2);
    s.yatsu(&["graph", "show", "--kind", "scenario"]).expect(0);
}

#[test]
fn why_tells_the_story_of_a_file() {
    let s = told();
    let shown = s.yatsu(&["graph", "why", "src/a.rs"]).expect(0).out;
    let places: Vec<usize> = [
        "scenario:.spec/n#works",
        "\n  observes reading:.spec/n#works@",
        "\n  observes failure:.spec/n#works@",
        "\n    explains hypothesis:r1:3",
        "\n  rejected_by decision:.spec/n@",
    ]
    .iter()
    .map(|part| shown.find(part).unwrap_or_else(|| panic!("{part}: {shown}")))
    .collect();
    assert!(places.is_sorted(), "{shown}");
    let json = validate_published(&s.yatsu(&["graph", "why", "src/a.rs", "--format", "json"]).expect(0).out);
    for id in ["file:src/a.rs", "goal:.spec/n", "hypothesis:r1:3"] {
        assert!(ids(&json).contains(&id), "{id}");
    }
}

#[test]
fn a_diff_tells_what_came_went_and_changed() {
    let s = repository();
    measured(&s, "fail", 1);
    s.commit("failed");
    measured(&s, "pass", 2);
    s.write(".spec/m/yatsu.md", crate::support::scenarios(&[("more", "src/a.rs")]));
    s.commit("passed");
    let diff = |range: &str| validate_published(&s.yatsu(&["graph", "diff", range, "--format", "json"]).expect(0).out);
    let forward = diff("HEAD~1..");
    let observation = format!("reading:.spec/n#works@{}", at(2));
    assert!(
        ids(&forward["added"]).contains(&&*observation) && ids(&forward["added"]).contains(&"scenario:.spec/m#more")
    );
    assert_eq!(ids(&forward["removed"]), [""; 0]);
    let changed = &forward["changed"]["nodes"];
    assert_eq!(
        (&changed[0]["after"]["props"]["resolved_by"], &changed[0]["before"]["props"]["resolved_by"]),
        (&json!(observation), &json!(null))
    );
    assert_eq!(forward["before"]["digest"], digest(&s, &["--rev", "HEAD~1"]));
    assert_eq!(ids(&diff("HEAD..HEAD~1")["removed"]), ids(&forward["added"]));
    assert_eq!(ids(&diff("HEAD..HEAD")["added"]), [""; 0]);
    let shown = s.yatsu(&["graph", "diff", "HEAD~1..HEAD"]).expect(0).out;
    assert!(shown.contains(&format!("+ {observation}  pass\n")) && shown.contains("~ failure:"), "{shown}");
    for range in ["HEAD", "HEAD~1...HEAD", "nobody..HEAD"] {
        s.yatsu(&["graph", "diff", range]).expect(2);
    }
}

#[test]
fn a_node_is_shown_with_what_is_around_it() {
    let s = told();
    let near = graph(&s, &["goal:n"]);
    assert!(node(&near, "scenario:.spec/n#works").is_some() && node(&near, "file:src/a.rs").is_none());
    assert!(node(&graph(&s, &["goal:n", "--depth", "2"]), "file:src/a.rs").is_some());
    let shown = s.yatsu(&["graph", "show", "goal:n"]).expect(0).out;
    assert!(
        shown.contains("  text: it works for everybody\n") && shown.contains("  <- serves scenario:.spec/n#works"),
        "{shown}"
    );
    let kinds = graph(&s, &["--kind", "failure", "--kind", "goal"]);
    assert_eq!((ids(&kinds).len(), kinds["relations"].as_array().map(Vec::len)), (2, Some(1)));
    for format in ["sarif", "github"] {
        s.yatsu(&["graph", "show", "--format", format]).expect(2);
    }
    s.yatsu(&["scan", "--format", "dot"]).expect(2);
}

#[test]
fn a_drawing_keeps_goals_first_and_says_how_many_nodes_it_leaves_out() {
    let s = told();
    let whole = graph(&s, &[]);
    let total = whole["nodes"].as_array().map_or(0, Vec::len);
    for format in ["dot", "mermaid"] {
        let drawn = s.yatsu(&["graph", "show", "--format", format, "--nodes", "3"]).expect(0).out;
        let (_, left) = drawn.split_once("left out: ").expect("a title");
        let (left, _) = left.split_once(" (--nodes 0 draws all)").expect("a hint");
        let counts = left.split(", ").map(|count| count.split(' ').next().expect("a count").parse::<usize>());
        assert_eq!(counts.map(|count| count.expect("a number")).sum::<usize>() + 3, total, "{drawn}");
        assert!(drawn.contains("goal n") && drawn.contains("scenario n#"), "{drawn}");
        let asked = s.yatsu(&["graph", "show", "file:src/a.rs", "--depth", "9", "--format", format, "--nodes", "1"]);
        assert!(asked.expect(0).out.contains("file src/a.rs"), "the requested node stays");
        let small = s.yatsu(&["graph", "show", "--kind", "goal", "--format", format]).expect(0).out;
        assert!(!small.contains("left out"), "{small}");
    }
    s.yatsu(&["graph", "show", "--nodes", "3"]).expect(2);
}

#[test]
fn drawings_hold_every_node_and_relation() {
    let s = told();
    let whole = graph(&s, &[]);
    let count = |key: &str| whole[key].as_array().map_or(0, Vec::len);
    let dot = s.yatsu(&["graph", "show", "--format", "dot", "--nodes", "0"]).expect(0).out;
    assert_eq!(dot.matches(" -> n").count(), count("relations"));
    assert_eq!(dot.matches("[label=").count(), count("relations") + count("nodes"));
    let mermaid = s.yatsu(&["graph", "show", "--format", "mermaid", "--nodes", "0"]).expect(0).out;
    assert_eq!(mermaid.matches(" --> n").count(), count("relations"));
    assert!(mermaid.contains(whole["digest"].as_str().expect("a digest")), "printed with every answer");
    assert!(dot.contains(whole["digest"].as_str().expect("a digest")));
}

#[test]
fn why_of_a_path_that_does_not_exist_says_so() {
    let s = repository();
    s.write(FILE, with_goal().replace("src/a.rs", "src/*.rs"));
    s.commit("a pattern would match anything");
    let said = s.yatsu(&["graph", "why", "src/b.rs"]).expect(2);
    assert!(said.err.contains("src/b.rs") && said.err.contains("did you mean src/a.rs"), "{}", said.err);
    s.yatsu(&["graph", "why", "src/a.rs"]).expect(0);
    let said = s.yatsu(&["graph", "why", "src/b.rs", "--rev", "HEAD"]).expect(2);
    assert!(said.err.contains("src/b.rs"), "{}", said.err);
    s.write("README", "x");
    s.commit("governed by nothing");
    let said = s.yatsu(&["graph", "why", "README"]).expect(1);
    assert!(said.err.contains("no scenario of the graph governs README"), "{}", said.err);
}

#[test]
fn a_slip_in_the_short_name_of_a_node_finds_what_was_meant() {
    let s = repository();
    s.write(".spec/ui/board/yatsu.md", with_goal());
    s.commit("another node");
    for (typed, meant) in [("goal:bord", "goal:board"), ("scenario:bord#works", "scenario:board#works")] {
        let said = s.yatsu(&["graph", "show", typed]).expect(1);
        assert!(said.err.contains(&format!("did you mean {meant}?")), "{}", said.err);
    }
}
