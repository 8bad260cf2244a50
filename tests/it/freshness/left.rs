//! What was measured and left the list since (freshness.md, cases 61 to 67), through the whole program.

use super::*;
use crate::support::validate_published;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// A repository with a scenario over `code` and a committed pass of it.
fn measured(code: &str) -> Scratch {
    let s = repo(code);
    pass(&s);
    s
}

fn pass(s: &Scratch) {
    s.yatsu(&["eval", "n", "--scenario", "s", "--pass"]).expect(0);
    s.commit("measured");
}

fn edit(s: &Scratch, name: &str) {
    s.write(&format!("src/{name}.rs"), format!("fn {name}() {{ edited() }}\n"));
}

/// The stale axes at a score, and what moved, for example `code: src/a.rs (left the list, and moved)`; empty when fresh.
#[track_caller]
fn stale(s: &Scratch) -> String {
    let json = validate_published(&s.yatsu(&["show", "n", "--format", "json"]).expect(0).out);
    let row = &json["scenarios"][0];
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let axes: Vec<String> = row["axes"].as_array().into_iter().flatten().map(text).collect();
    let counting = row["readings"].as_array().unwrap().iter().find(|reading| reading["counts"] == true).unwrap();
    let moved = counting["drift"].as_array().unwrap().iter().map(|moved| {
        let symbol = moved["symbol"].as_str().map(|symbol| format!("#{symbol}")).unwrap_or_default();
        let why = moved["why"].as_str().map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{}{symbol}{why}", text(&moved["path"]))
    });
    let moved = moved.collect::<Vec<_>>().join(", ");
    if moved.is_empty() { axes.join(" ") } else { format!("{}: {moved}", axes.join(" ")) }
}

const A_LEFT: &str = "code: src/a.rs (left the list, and moved)";

/// The edit and the new list, in one commit or in two, in each order.
fn in_each_order(code: &str, list: &str, then: impl Fn(&Scratch)) {
    let change: [&dyn Fn(&Scratch); 2] = [&|s: &Scratch| edit(s, "a"), &|s: &Scratch| declare(s, list)];
    for (order, is_one) in [([0, 1], true), ([0, 1], false), ([1, 0], false)] {
        let s = measured(code);
        for at in order {
            change[at](&s);
            if !is_one {
                s.commit("a part");
            }
        }
        s.commit("the rest");
        then(&s);
    }
}

#[test]
fn case_61_edited_and_swapped_or_narrowed_in_one_change_or_in_two_in_each_order_is_stale() {
    for (code, list) in [("src/a.rs", "src/b.rs"), ("[src/a.rs, src/b.rs]", "src/b.rs")] {
        in_each_order(code, list, |s| {
            assert_eq!(stale(s), A_LEFT, "{code} to {list}");
            let told = s.yatsu(&["scan"]).expect(0).out;
            assert!(told.contains("is stale: what was measured left the list, and moved"), "{told}");
            assert!(told.contains("moved: src/a.rs (left the list, and moved)"), "{told}");
        });
    }
}

#[test]
fn case_61_at_the_doors_of_git() {
    let s = measured("src/a.rs");
    let base = s.head();
    declare(&s, "src/b.rs");
    assert_eq!(staged(&s, "yatsu-drift").len(), 0);
    s.commit("another list");
    edit(&s, "a");
    let finding = staged(&s, "yatsu-drift");
    assert_eq!(only(&finding)["drift"][0]["why"], "left the list, and moved");
    let by_memo = s.yatsu(&["pre-commit"]).expect(0).err;
    assert!(by_memo.contains("src/a.rs (left the list, and moved)"), "{by_memo}");
    s.commit("edited");
    let found = findings(&s, "yatsu-drift", &["--from", "HEAD~1", "--to", "HEAD"]);
    assert_eq!(only(&found)["origin"], "introduced");
    let review = s.yatsu(&["report", "--pr", "--from", &base, "--to", "HEAD"]).out;
    assert!(!review.contains("touches no scenario") && review.contains("n/s"), "{review}");
    let impact = s.yatsu(&["impact", "src/a.rs"]).expect(0).out;
    assert!(impact.contains("n/s") && impact.contains("src/a.rs"), "{impact}");
    edit(&s, "c");
    edit(&s, "a");
    s.write("src/a.rs", "fn a() { again() }\n");
    let change = s.yatsu(&["impact", "--base", "HEAD"]).expect(0).out;
    assert!(change.contains("n/s"), "{change}");
}

#[test]
fn case_62_narrowed_is_fresh_until_the_dropped_file_changes_and_measured_again_whatever_it_does() {
    let s = measured("[src/a.rs, src/b.rs]");
    declare(&s, "src/b.rs");
    s.commit("narrowed");
    assert_eq!(stale(&s), "");
    edit(&s, "a");
    s.commit("edited");
    assert_eq!(stale(&s), A_LEFT);
    pass(&s);
    assert_eq!(stale(&s), "");
    edit(&s, "a");
    s.write("src/a.rs", "fn a() { again() }\n");
    s.commit("edited again");
    assert_eq!(stale(&s), "");
}

#[test]
fn case_63_a_selector_that_is_swapped_keeps_the_unit_that_was_measured() {
    let file = |f: u32, g: u32| format!("fn f() {{ {f} }}\nfn g() {{ {g} }}\n");
    for (f, g, expected) in [
        (1, 1, ""),
        (2, 1, "code: src/a.rs#f (left the list, and moved)"),
        (1, 2, "code: src/a.rs#g"),
        (2, 2, "code: src/a.rs#f (left the list, and moved), src/a.rs#g"),
    ] {
        let s = repo("src/a.rs#f");
        s.write("src/a.rs", file(1, 1));
        s.commit("two functions");
        pass(&s);
        s.write("src/a.rs", file(f, g) + "fn more() {}\n");
        declare(&s, "src/a.rs#g");
        s.commit("swapped");
        assert_eq!(stale(&s), expected, "f {f}, g {g}");
    }
    // narrowed to a unit of its own file: the whole file was measured
    let s = repo("src/a.rs");
    s.write("src/a.rs", file(1, 1));
    s.commit("two functions");
    pass(&s);
    declare(&s, "src/a.rs#f");
    s.commit("narrowed");
    assert_eq!(stale(&s), "");
    s.write("src/a.rs", file(1, 2));
    s.commit("edited beside it");
    assert_eq!(stale(&s), A_LEFT);
    pass(&s);
    s.write("src/a.rs", file(1, 3));
    s.commit("edited beside it again");
    assert_eq!(stale(&s), "");
}

#[test]
fn a_unit_beside_a_directory_that_holds_its_file_is_no_narrower_measurement() {
    let s = repo("[src, src/a.rs#a]");
    pass(&s);
    assert!(!s.read(LEDGER).contains("\"units\""), "{}", s.read(LEDGER));
    declare(&s, "src/a.rs#a");
    s.write("src/a.rs", "fn a() {}\nfn more() {}\n");
    s.commit("narrowed and edited beside the unit");
    assert_eq!(stale(&s), A_LEFT);
}

#[test]
fn a_unit_that_left_a_list_is_compared_although_the_line_has_no_units() {
    let file = |f: u32, g: u32| format!("fn f() {{ {f} }}\nfn g() {{ {g} }}\n");
    let many = |s: &Scratch| (0..255).for_each(|at| s.write(&format!("d/{at}"), ""));
    let older = |s: &Scratch| {
        let mut line: serde_json::Value = serde_json::from_str(&s.read(LEDGER)).unwrap();
        line.as_object_mut().unwrap().remove("units");
        s.write(LEDGER, format!("{line}\n"));
    };
    for (is_many, after) in [(true, &(|_: &Scratch| {}) as &dyn Fn(&Scratch)), (false, &older)] {
        for (g, expected) in [(1, ""), (2, A_LEFT)] {
            let s = repo("[src/a.rs#f, src/a.rs#g, d]");
            s.write("src/a.rs", file(1, 1));
            s.write("d/0", "");
            if is_many {
                many(&s);
            }
            s.commit("two functions");
            s.yatsu(&["eval", "n", "--scenario", "s", "--pass"]).expect(0);
            after(&s);
            assert!(!s.read(LEDGER).contains("\"units\""), "{}", s.read(LEDGER));
            s.commit("measured");
            declare(&s, "[src/a.rs#f, d]");
            s.write("src/a.rs", file(1, g));
            s.commit("narrowed");
            assert_eq!(stale(&s), expected, "many: {is_many}");
        }
    }
}

#[test]
fn case_64_deleted_and_dropped_is_stale_renamed_is_fresh_listed_or_not() {
    let s = measured("[src/a.rs, src/b.rs]");
    s.git(&["rm", "-q", "src/a.rs"]);
    declare(&s, "src/b.rs");
    s.commit("deleted and dropped");
    assert_eq!(stale(&s), A_LEFT);

    for list in ["[lib/a.rs, src/b.rs]", "src/b.rs"] {
        let s = measured("[src/a.rs, src/b.rs]");
        std::fs::create_dir(s.root.join("lib")).unwrap();
        s.git(&["mv", "src/a.rs", "lib/a.rs"]);
        declare(&s, list);
        s.commit("renamed");
        assert_eq!(stale(&s), "", "{list}");
        s.write("lib/a.rs", "fn a() { edited() }\n");
        let moved = if list.starts_with('[') { "lib/a.rs" } else { "src/a.rs (left the list, and moved)" };
        assert!(stale(&s).contains(moved), "{list}: {}", stale(&s));
    }
}

#[test]
fn a_copy_that_stood_before_excuses_no_deleted_file_and_one_new_file_excuses_one() {
    let s = repo("[src/a.rs, src/b.rs]");
    s.write("copy.rs", s.read("src/a.rs"));
    s.commit("a copy");
    pass(&s);
    s.git(&["rm", "-q", "src/a.rs"]);
    declare(&s, "src/b.rs");
    s.commit("deleted and dropped");
    assert_eq!(stale(&s), A_LEFT);

    let s = repo("[src/a.rs, src/b.rs, src/c.rs]");
    s.write("src/b.rs", s.read("src/a.rs"));
    s.commit("two of one content");
    pass(&s);
    s.git(&["mv", "src/a.rs", "new.rs"]);
    s.git(&["rm", "-q", "src/b.rs"]);
    declare(&s, "src/c.rs");
    s.commit("one renamed, one deleted");
    assert_eq!(stale(&s), "code: src/b.rs (left the list, and moved)");
}

#[test]
fn case_65_a_directory_narrowed_to_a_file_keeps_the_files_of_the_stamp() {
    let s = measured("src");
    declare(&s, "src/b.rs");
    s.write("src/new.rs", "fn new() {}\n");
    s.commit("narrowed");
    assert_eq!(stale(&s), "", "a new file of the directory was never measured");
    edit(&s, "a");
    s.commit("edited");
    assert_eq!(stale(&s), A_LEFT);
}

#[test]
fn case_66_an_own_list_below_the_list_of_the_node_is_the_same() {
    let s = repo("");
    s.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/a.rs\n  - src/b.rs\n---\n");
    s.commit("a list of the node");
    pass(&s);
    s.write(".spec/n/yatsu.md", crate::support::scenarios(&[("s", "src/b.rs")]));
    s.commit("an own list");
    assert_eq!(stale(&s), "");
    edit(&s, "a");
    s.commit("edited");
    assert_eq!(stale(&s), A_LEFT);
}

#[test]
fn case_67_without_a_stamp_the_score_goes_by_the_list_and_no_gate_takes_it() {
    let s = repo("[src/a.rs, src/b.rs]");
    s.write("spexcode.json", r#"{"yatsu": {"stampContent": false, "rules": {"promoted-unproven": "error"}}}"#);
    s.write(".spec/n/yatsu.md", GOAL.replace("CODE", "[src/a.rs, src/b.rs]"));
    s.commit("the pure form");
    s.write("../out.txt", "[METRIC:accuracy] 0.95\n");
    s.yatsu(&["eval", "n", "--scenario", "s", "--pass", "--result", "../out.txt"]).expect(0);
    let base = s.commit("measured");
    let status = |s: &Scratch| {
        let said = s.yatsu(&["goal", "check", "n", "--format", "json"]);
        validate_published(&said.out)["goals"][0]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status(&s), "SUCCESS");
    s.write(".spec/n/yatsu.md", GOAL.replace("CODE", "[src/b.rs]"));
    edit(&s, "a");
    s.commit("narrowed and edited");
    assert_eq!(stale(&s), "", "as the seed says");
    assert_eq!(status(&s), "PARTIAL");
    let goal = s.yatsu(&["goal", "check", "n"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(goal.contains("its list changed since, and no stamp says what was measured"), "{goal}");
    let promoted = findings(&s, "promoted-unproven", &["--from", &base, "--to", "HEAD"]);
    assert!(only(&promoted)["message"].as_str().unwrap().contains("stale"), "{promoted:#?}");
    // the same list again is the list that was measured
    s.write(".spec/n/yatsu.md", GOAL.replace("CODE", "[src/b.rs, ./src//a.rs]"));
    s.write("src/a.rs", "fn a() {}\n");
    s.commit("as it was");
    assert_eq!(status(&s), "SUCCESS");
}

#[test]
fn case_67_without_a_stamp_a_list_of_the_node_that_went_with_its_file_is_another_list() {
    let s = repo("");
    s.write("spexcode.json", r#"{"yatsu": {"stampContent": false, "rules": {"promoted-unproven": "error"}}}"#);
    s.write(".spec/n/yatsu.md", GOAL.replace("    code: CODE\n", ""));
    s.write(".spec/n/spec.md", "---\ntitle: n\ncode: src/a.rs\n---\n");
    s.commit("the pure form");
    s.write("../out.txt", "[METRIC:accuracy] 0.95\n");
    s.yatsu(&["eval", "n", "--scenario", "s", "--pass", "--result", "../out.txt"]).expect(0);
    s.commit("measured");
    let status = || {
        let said = s.yatsu(&["goal", "check", "n", "--format", "json"]);
        validate_published(&said.out)["goals"][0]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status(), "SUCCESS");
    s.git(&["rm", "-q", ".spec/n/spec.md"]);
    edit(&s, "a");
    s.commit("edited, and its list removed");
    assert_eq!(stale(&s), "", "as the seed says");
    assert_eq!(status(), "PARTIAL");
    // a link is no list
    std::os::unix::fs::symlink("../../src/b.rs", s.root.join(".spec/n/spec.md")).unwrap();
    s.commit("a link");
    assert_eq!(status(), "PARTIAL");
}

const GOAL: &str = "---
goal_contract:
  version: 1
  goal_text: it works
  acceptance_criteria:
    - {id: AC1, kind: metric_threshold, metric: accuracy, op: '>=', target: 0.9}
scenarios:
  - name: s
    description: measure s
    expected: s works
    tags: [cli]
    code: CODE
---
";

#[test]
fn a_goal_that_was_reached_is_not_after_a_swap_of_the_list() {
    let s = repo("");
    s.write(".spec/n/yatsu.md", GOAL.replace("CODE", "src/a.rs"));
    s.commit("a goal");
    s.write("../out.txt", "[METRIC:accuracy] 0.95\n");
    s.yatsu(&["eval", "n", "--scenario", "s", "--pass", "--result", "../out.txt"]).expect(0);
    s.commit("measured");
    s.yatsu(&["goal", "check", "n"]).expect(0);
    s.write(".spec/n/yatsu.md", GOAL.replace("CODE", "src/b.rs"));
    edit(&s, "a");
    s.commit("swapped and edited");
    let said = s.yatsu(&["goal", "check", "n"]);
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains("src/a.rs"), "{}", said.out);
}

#[test]
fn what_is_left_and_gone_is_proved_only_where_the_commit_is_here() {
    // a clone without the commit cannot tell a rename from a deletion, and says stale
    let s = measured("[src/a.rs, src/b.rs]");
    s.git(&["mv", "src/a.rs", "new.rs"]);
    declare(&s, "src/b.rs");
    s.commit("renamed and dropped");
    assert_eq!(stale(&s), "");
    let tip = s.git(&["commit-tree", "HEAD^{tree}", "-m", "squashed"]);
    s.git(&["reset", "-q", "--hard", &tip]);
    s.git(&["reflog", "expire", "--expire=now", "--all"]);
    s.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(stale(&s), A_LEFT);
}
