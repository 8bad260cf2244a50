//! `scenario-dropped`: a failing scenario made to go away.

use super::{one_node, only, silent, staged};
use crate::support::{Scratch, every_door, reading, scenarios};

fn measured(status: &str) -> Scratch {
    let scratch = one_node();
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "[src/a.rs, src/b.rs]"), ("other", "src/b.rs")]));
    reading(&scratch, ".spec/n", "works", status, 1);
    scratch.commit("measured");
    scratch
}

#[test]
fn removing_rewording_and_narrowing_a_failing_scenario_are_named() {
    let scratch = measured("fail");
    let before = scratch.read(".spec/n/yatsu.md");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("other", "src/b.rs")]));
    only(staged(&scratch, "scenario-dropped"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write(".spec/n/yatsu.md", before.replace("works works", "works a little"));
    only(staged(&scratch, "scenario-dropped"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write(".spec/n/yatsu.md", before.replace("[src/a.rs, src/b.rs]", "src/b.rs"));
    only(staged(&scratch, "scenario-dropped"));
    insta::assert_snapshot!(scratch.session("yatsu-hook pre-commit"));
    scratch.write(".spec/n/yatsu.md", before.replace("tags: [cli]", "tags: [cli, mobile]"));
    silent(staged(&scratch, "scenario-dropped"));
}

#[test]
fn dropping_a_passing_scenario_is_information_and_a_warning_with_an_edit_of_its_code() {
    let levels = |scratch: &Scratch, base: &str| {
        let level = |text: &str| ["info", "warning"].map(|level| text.contains(&format!("{level}[scenario-dropped]")));
        every_door(scratch, base).into_iter().map(|(_, said)| level(&(said.out + &said.err))).collect::<Vec<_>>()
    };
    let (none, info, warning) = ([false, false], [true, false], [false, true]);
    let drop_it = |scratch: &Scratch| scratch.write(".spec/n/yatsu.md", scenarios(&[("other", "src/b.rs")]));
    let scratch = measured("pass");
    let base = scratch.git(&["rev-parse", "HEAD"]);
    drop_it(&scratch);
    assert_eq!(levels(&scratch, &base), [info; 5]);
    let scratch = measured("pass");
    drop_it(&scratch);
    scratch.write("src/a.rs", "fn a() { worse() }\n");
    assert_eq!(levels(&scratch, &scratch.git(&["rev-parse", "HEAD"])), [warning; 5]);
    let scratch = measured("pass");
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    scratch.write("src/a.rs", "fn a() { worse() }\n");
    assert_eq!(levels(&scratch, &scratch.git(&["rev-parse", "HEAD"])), [none; 5], "it moved, and is stale there");
    let scratch = one_node();
    scratch.yatsu(&["eval", "n", "--pass"]).expect(0);
    let base = scratch.commit("measured with a stamp");
    scratch.write(".spec/n/yatsu.md", scratch.read(".spec/n/yatsu.md").replace("name: works", "name: runs"));
    assert_eq!(levels(&scratch, &base), [none; 5], "yatsu-missing says that it was renamed");
}

#[test]
fn a_pure_rename_of_what_a_failing_scenario_governs_narrows_nothing() {
    let scratch = one_node();
    let code = |list: &str| scratch.write(".spec/n/yatsu.md", scenarios(&[("works", list)]));
    scratch.write("lib/x/one.rs", "fn one() {}\n");
    scratch.write("lib/x/deep/two.rs", "fn two() {}\n");
    code("[src/a.rs, lib/x]");
    reading(&scratch, ".spec/n", "works", "fail", 1);
    scratch.commit("measured");
    scratch.git(&["mv", "src/a.rs", "src/c.rs"]);
    scratch.git(&["mv", "lib/x", "lib/y"]);
    code("[src/c.rs, lib/y]");
    silent(staged(&scratch, "scenario-dropped"));
    code("[src/c.rs]");
    only(staged(&scratch, "scenario-dropped"));
    code("[src/c.rs, lib/y/deep]");
    only(staged(&scratch, "scenario-dropped"));
    code("[src/c.rs, lib/y]");
    scratch.write("lib/y/one.rs", "fn one() { 1; }\n");
    only(staged(&scratch, "scenario-dropped"));
}
