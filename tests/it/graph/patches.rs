//! Branches in the graph: patches with their evals, what they modify, resolve and advance, and what was decided. None of it is in
//! the digest.

use super::{at, digest, graph, measured, node, of_kind, related, repository};
use crate::support::{Scratch, sha256, validate_published};
use serde_json::{Value, json};

/// A failure on main, and a branch `mend` that resolves it with evidence.
fn mended() -> Scratch {
    let s = repository();
    measured(&s, "fail", 1);
    s.commit("failed");
    s.git(&["checkout", "-q", "-b", "mend"]);
    s.write("src/a.rs", "fn a() { mended() }\n");
    s.commit("mended");
    s.write("out.txt", "all there");
    s.yatsu(&["eval", "n", "--scenario", "works", "--pass", "--result", "out.txt", "--by", "Ann"]).expect(0);
    std::fs::remove_file(s.root.join("out.txt")).expect("removed");
    s.commit("filed");
    s
}

fn props<'g>(graph: &'g Value, id: &str) -> &'g Value {
    &node(graph, id).unwrap_or_else(|| panic!("{id} in {:?}", of_kind(graph, "patch")))["props"]
}

#[test]
fn a_branch_is_a_patch_with_what_it_modifies_resolves_advances_and_is_judged_by() {
    let s = mended();
    s.git(&["checkout", "-q", "main"]);
    let before = digest(&s, &[]);
    let told = graph(&s, &[]);
    assert_eq!(props(&told, "patch:mend")["state"], "Evaluated");
    let (failure, eval) = (format!("failure:.spec/n#works@{}", at(1)), "eval:mend#.spec/n#works");
    for relation in [
        "patch:mend modifies file:src/a.rs".to_owned(),
        format!("patch:mend addresses {failure}"),
        "patch:mend advances goal:.spec/n".to_owned(),
        format!("patch:mend references artifact:{}", sha256("all there")),
        format!("patch:mend validated_by {eval}"),
        format!("{eval} references scenario:.spec/n#works"),
        format!("patch:mend forked_from commit:{}", s.git(&["rev-parse", "main"])),
    ] {
        assert!(related(&told, &relation), "{relation}: {:#}", told["relations"]);
    }
    assert_eq!((&props(&told, eval)["verdict"], &props(&told, eval)["fresh"]), (&json!("pass"), &json!(true)));
    s.yatsu(&["patch", "approve", "mend", "--reason", "read it", "--by", "Bob"]).expect(0);
    let approved = graph(&s, &[]);
    assert_eq!(props(&approved, "patch:mend")["state"], "Approved");
    let decisions = of_kind(&approved, "decision");
    assert!(related(&approved, &format!("patch:mend approved_by {}", decisions[0])), "{decisions:?}");
    s.git(&["checkout", "-q", "--", "."]);
    s.git(&["branch", "-q", "-D", "mend"]);
    assert_eq!(digest(&s, &[]), before, "branches are local");
    assert_eq!(of_kind(&graph(&s, &[]), "patch"), [""; 0]);
}

#[test]
fn the_lineage_of_a_patch_leads_to_its_goal_and_its_evidence() {
    let s = mended();
    s.git(&["checkout", "-q", "main"]);
    let down = s.yatsu(&["graph", "lineage", "patch:mend", "--down", "--format", "json"]).expect(0);
    let down = validate_published(&down.out);
    for id in ["goal:.spec/n", "eval:mend#.spec/n#works", "file:src/a.rs"] {
        assert!(node(&down, id).is_some(), "{id}");
    }
    let up = s.yatsu(&["graph", "lineage", &format!("failure:n#works@{}", at(1)), "--up"]).expect(0).out;
    assert!(up.contains("addresses patch:mend"), "{up}");
    let why = s.yatsu(&["graph", "why", "src/a.rs"]).expect(0).out;
    assert!(why.contains("addresses patch:mend"), "{why}");
}

#[test]
fn two_branches_of_one_content_are_two_patches_with_one_evidence() {
    let s = mended();
    s.git(&["branch", "-q", "twin"]);
    s.git(&["checkout", "-q", "main"]);
    let told = graph(&s, &[]);
    assert_eq!(of_kind(&told, "patch"), ["patch:mend", "patch:twin"]);
    let artifact = format!("artifact:{}", sha256("all there"));
    assert_eq!(of_kind(&told, "artifact").iter().filter(|id| **id == artifact).count(), 1);
    for patch in ["mend", "twin"] {
        assert!(related(&told, &format!("patch:{patch} references {artifact}")), "{patch}");
    }
}

#[test]
fn a_rejection_is_told_and_every_relation_of_a_branch_replays() {
    let s = mended();
    s.git(&["checkout", "-q", "main"]);
    s.yatsu(&["patch", "reject", "mend", "--reason", "not so", "--by", "Bob"]).expect(0);
    let told = graph(&s, &["--all"]);
    assert_eq!(props(&told, "patch:mend")["state"], "Rejected");
    let decision = of_kind(&told, "decision").remove(0);
    assert!(related(&told, &format!("patch:mend rejected_by {decision}")));
    let ops = s.yatsu(&["graph", "ops"]).expect(0).out;
    let again = crate::support::fed(s.yatsu_command(&["graph", "replay", "-", "--format", "json"]), ops).expect(0);
    let again = validate_published(&again.out);
    assert_eq!((&again["digest"], &again["version"]), (&told["digest"], &told["version"]));
    assert_eq!(told["partial"], json!([]));
}

#[test]
fn thirty_readings_that_are_filed_at_once_are_thirty() {
    let s = repository();
    let file = |number: usize| {
        let note = format!("note {number}");
        let mut eval = s.yatsu_command(&["eval", "n", "--scenario", "works", "--pass", "--note", &note]);
        eval.stdout(std::process::Stdio::null()).spawn().expect("a program")
    };
    let running: Vec<_> = (0..30).map(file).collect();
    for mut child in running {
        assert!(child.wait().expect("an end").success());
    }
    let told = graph(&s, &[]);
    assert_eq!((of_kind(&told, "observation").len(), &told["partial"]), (30, &json!([])));
}
