//! `graph-dangling`: readings of a scenario that is no longer declared stay in the graph.

use crate::support::{one_node, reading, scenarios, validate_published};

#[test]
fn a_deleted_scenario_leaves_its_relations_and_a_finding() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "pass", 1);
    s.yatsu(&["graph", "check"]).expect(0);
    s.write(".spec/n/yatsu.md", scenarios(&[("other", "src/b.rs")]));
    let graph = validate_published(&s.yatsu(&["graph", "show", "--format", "json"]).expect(0).out);
    let relations = graph["relations"].as_array().expect("relations");
    assert!(
        relations.iter().any(|of| of["rel"] == "observes" && of["to"] == "scenario:.spec/n#works"),
        "{relations:#?}"
    );
    let report = validate_published(&s.yatsu(&["graph", "check", "--format", "json"]).expect(0).out);
    let found = &report["findings"][0];
    assert_eq!((&found["rule"], &found["level"]), (&"graph-dangling".into(), &"info".into()));
    insta::assert_snapshot!(s.session("yatsu-hook graph check"));
}
