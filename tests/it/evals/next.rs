//! `next`: one item for each environment.

use super::*;

#[test]
fn next_has_an_item_for_each_environment_with_its_flag_and_its_runs() {
    let s = repo(&["runs: {of: 3, need: 2}", "env: [a, b]"]);
    evals(&s, &[&["--env", "a", "--pass"], &["--env", "b", "--runs", "2/2"]]);
    let json = validate_published(&s.yatsu(&["next", "--format", "json", "--limit", "0"]).expect(0).out);
    let items = json["next"].as_array().expect("a list");
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!((&items[0]["env"], &items[0]["why"]), (&Value::from("a"), &Value::from("missing")));
    assert_eq!(items[0]["runs"]["counted"], 1);
    let argv: Vec<&str> = items[0]["argv"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(argv.last(), Some(&"--env=a"));
    s.yatsu(&[&argv[1..], &["--pass"]].concat()).expect(0);
    assert_eq!(stands(&s), "fresh pass; a fresh pass 2/2 of 2; b fresh pass 2/2 of 2");
    assert!(s.yatsu(&["next"]).expect(0).out.contains("nothing needs measuring"));
    s.write("src/a.rs", "two\n");
    s.commit("two");
    let one = validate_published(&s.yatsu(&["next", "--format", "json"]).expect(0).out);
    assert_eq!((one["next"].as_array().map(Vec::len), &one["remaining"]), (Some(1), &Value::from(1)));
    let text = s.yatsu(&["next"]).expect(0).out;
    assert!(text.contains("n/s in a  stale, was pass") && text.contains("eval .spec/n/s --env a --pass"), "{text}");
}

#[test]
fn a_fail_in_one_environment_does_not_keep_another_from_being_measured() {
    let s = repo(&["env: [a, b]"]);
    eval(&s, &["--env", "a", "--fail"]);
    let json = validate_published(&s.yatsu(&["next", "--format", "json"]).expect(0).out);
    assert_eq!(json["next"][0]["env"], "b");
}
