//! `graph-partial`: `graph check` reports data that is missing in the graph as an error.

use crate::support::{one_node, reading, validate_published};

#[test]
fn a_malformed_line_leaves_the_rest_and_is_an_error_of_a_check() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "pass", 1);
    s.write(".spec/n/yatsu.evals.ndjson", s.read(".spec/n/yatsu.evals.ndjson") + "garbage\n");
    reading(&s, ".spec/n", "works", "fail", 2);
    let graph = validate_published(&s.yatsu(&["graph", "show", "--format", "json"]).expect(0).out);
    let partial = graph["partial"].as_array().expect("a list");
    assert_eq!((partial.len(), &partial[0]["line"]), (1, &2.into()));
    assert_eq!(partial[0]["path"], ".spec/n/yatsu.evals.ndjson");
    let readings = graph["nodes"].as_array().expect("nodes").iter().filter(|node| node["kind"] == "observation");
    assert_eq!(readings.count(), 2, "the rest is projected");
    let report = validate_published(&s.yatsu(&["graph", "check", "--format", "json"]).expect(1).out);
    assert_eq!(report["findings"][0]["rule"], "graph-partial");
    insta::assert_snapshot!(s.session("yatsu-hook graph check"));
}
