//! Branches in the graph: patches with their evals, the relations modify, resolve and advance, and decisions. None of this
//! is in the digest.

use super::{at, digest, graph, measured, node, of_kind, related, repository};
use crate::support::{Scratch, sha256, validate_published};
use serde_json::{Value, json};

/// A failure on main, and a branch `mend` with evidence that resolves it.
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

#[test]
fn a_branch_addresses_no_failure_that_was_filed_after_it_was_measured() {
    let s = mended();
    s.git(&["checkout", "-q", "main"]);
    let own = format!("patch:mend addresses failure:.spec/n#works@{}", at(1));
    // while the branch is open, it fails again on main
    let later = "2030-01-01T00:00:00.000Z";
    let line = |ts: &str| {
        let head = s.git(&["rev-parse", "HEAD"]);
        json!({"scenario": "works", "codeSha": head, "blob": null, "evaluator": "manual@1",
               "verdict": {"status": "fail"}, "ts": ts})
    };
    super::filed(&s, &line(later));
    s.commit("it failed again");
    let after = format!("patch:mend addresses failure:.spec/n#works@{later}");
    let told = graph(&s, &[]);
    assert!(related(&told, &own) && !related(&told, &after), "{:#}", told["relations"]);
    // merged, and a later failure
    s.git(&["checkout", "-q", "--", "."]);
    s.git(&["reset", "-q", "--hard", "HEAD^"]);
    s.git(&["merge", "-q", "--no-ff", "-m", "merged", "mend"]);
    super::filed(&s, &line(later));
    s.commit("it failed once more");
    let told = graph(&s, &[]);
    assert!(related(&told, &own) && !related(&told, &after), "{:#}", told["relations"]);
    assert!(
        !s.yatsu(&["graph", "why", "src/a.rs"])
            .expect(0)
            .out
            .contains(&format!("failure:.spec/n#works@{later}\n      addresses"))
    );
}

#[test]
fn a_branch_that_began_on_another_one_does_not_address_what_that_one_resolved() {
    let s = mended();
    s.git(&["checkout", "-q", "-b", "more"]);
    s.write("README", "x");
    s.commit("something else");
    let failure = format!("failure:.spec/n#works@{}", at(1));
    let told = graph(&s, &[]);
    assert!(related(&told, &format!("patch:mend addresses {failure}")), "{:#}", told["relations"]);
    assert!(!related(&told, &format!("patch:more addresses {failure}")), "{:#}", told["relations"]);
}

#[test]
fn a_clone_whose_main_is_ahead_of_the_one_of_its_origin_asks_what_a_branch_changed_since_its_own() {
    let origin = Scratch::new();
    origin.write("src/a.rs", "fn a() {}\n");
    origin.commit("no scenario yet");
    let s = Scratch::new();
    s.git(&["remote", "add", "origin", origin.root.to_str().expect("a path")]);
    s.git(&["fetch", "-q", "origin"]);
    s.git(&["remote", "set-head", "origin", "main"]);
    s.git(&["reset", "-q", "--hard", "origin/main"]);
    s.write(super::FILE, super::with_goal());
    s.commit("adopted");
    measured(&s, "fail", 1);
    measured(&s, "pass", 2);
    s.commit("measured");
    s.git(&["checkout", "-q", "-b", "other"]);
    s.write("README", "x");
    s.commit("nothing that a scenario governs");
    let told = graph(&s, &[]);
    assert_eq!(props(&told, "patch:other")["state"], "Proposed");
    for relation in
        ["patch:other advances goal:.spec/n", &format!("patch:other addresses failure:.spec/n#works@{}", at(1))]
    {
        assert!(!related(&told, relation), "{relation}: {:#}", told["relations"]);
    }
    let shown = validate_published(&s.yatsu(&["patch", "show", "other", "--format", "json"]).expect(0).out);
    assert_eq!(shown["patches"][0]["touches"], json!([]), "{shown:#}");
}
