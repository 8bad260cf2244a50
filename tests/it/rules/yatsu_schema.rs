//! `yatsu-schema`: malformed entries and ghosts.

use super::{all, one_node, only, silent, staged};
use crate::support::scenarios;

#[test]
fn every_violation_of_a_file_is_named_with_its_line() {
    let scratch = one_node();
    scratch.write(
        ".spec/n/yatsu.md",
        "---\nscenarios:\n  - name: works\n    description: d\n    expcted: e\n    tags: [nowhere]\n---\n",
    );
    let found = staged(&scratch, "yatsu-schema");
    let lines: Vec<_> = found.iter().map(|f| f["line"].as_u64().expect("a line")).collect();
    assert_eq!(lines, [3, 5, 6], "{found:#?}");
    assert!(found.iter().all(|f| f["level"] == "error" && f["origin"] == "introduced"));
    assert!(found[1]["help"].as_str().expect("text").contains("`expected`"), "the nearest known key");
}

#[test]
fn a_ghost_is_a_violation_and_an_optional_path_is_not() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/gone.rs")]));
    let ghost = only(staged(&scratch, "yatsu-schema"));
    assert_eq!((ghost["line"].as_u64(), ghost["column"].as_u64()), (Some(7), Some(11)));
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "?src/gone.rs")]));
    silent(staged(&scratch, "yatsu-schema"));
}

#[test]
fn an_untracked_path_is_told_apart_from_a_ghost() {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/new.rs")]));
    scratch.commit("the file comes later");
    scratch.write("src/new.rs", "");
    let found = only(all(&scratch, "yatsu-schema"));
    assert!(found["message"].as_str().expect("text").contains("not tracked"), "{found}");
}

#[test]
fn a_ghost_in_the_list_that_scenarios_inherit_is_a_violation() {
    let scratch = one_node();
    scratch.write(".spec/m/spec.md", "---\ncode:\n  - src/a.rs\n  - src/b.rs\n---\n");
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "")]));
    scratch.commit("m");
    scratch.git(&["rm", "-q", "src/b.rs"]);
    let found = only(staged(&scratch, "yatsu-schema"));
    assert_eq!((found["path"].as_str(), found["line"].as_u64()), (Some(".spec/m/spec.md"), Some(4)));
    scratch.write(".spec/m/yatsu.md", scenarios(&[("x", "src/a.rs")]));
    silent(staged(&scratch, "yatsu-schema"));
}
