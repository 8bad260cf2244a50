//! Rewritten history: cases 22 to 28.

use super::*;
use yatsu_hook::tree::MissingAnchor;

fn edit(scratch: &Scratch, path: &str, content: &str) {
    scratch.write(path, content);
    scratch.commit("edit");
}

/// A branch that changed and measured the governed file; then main is checked out.
fn measured_on_a_branch(road: Road) -> (Scratch, Reading) {
    let s = repo("src/a.rs");
    s.git(&["switch", "-qc", "side"]);
    edit(&s, "src/a.rs", "measured\n");
    let reading = measure(&s, road);
    edit(&s, ".spec/n/yatsu.evals.ndjson", "{}\n");
    s.git(&["switch", "-q", "main"]);
    edit(&s, "src/c.rs", "trunk\n");
    (s, reading)
}

/// Deletes everything that no branch reaches.
fn prune(s: &Scratch) {
    s.git(&["reflog", "expire", "--expire=now", "--all"]);
    s.git(&["gc", "-q", "--prune=now"]);
}

#[test]
fn case_22_squash_amend_cherry_pick_and_rebase_with_the_same_content_are_fresh() {
    for road in ROADS {
        let (s, reading) = measured_on_a_branch(road);
        s.git(&["merge", "-q", "--squash", "side"]);
        s.commit("squashed");
        assert_eq!(axes(&s, &reading), "", "squash {road:?}");

        let (s, reading) = measured_on_a_branch(road);
        s.git(&["cherry-pick", "main..side"]);
        assert_eq!(axes(&s, &reading), "", "cherry-pick {road:?}");
        s.git(&["commit", "-q", "--amend", "-m", "other words"]);
        assert_eq!(axes(&s, &reading), "", "amend {road:?}");

        let (s, reading) = measured_on_a_branch(road);
        s.git(&["switch", "-q", "side"]);
        s.git(&["rebase", "-q", "main"]);
        assert_ne!(
            s.git(&["merge-base", "side", &reading.code_sha.unwrap().to_string()]),
            s.git(&["rev-parse", "side"])
        );
        assert_eq!(axes(&s, &reading), "", "rebase {road:?}");
    }
}

#[test]
fn case_23_rebase_with_a_real_change_is_stale_on_code_only() {
    for road in ROADS {
        let s = repo("src/a.rs");
        s.write("src/a.rs", "one\ntwo\nthree\nfour\nfive\n");
        s.commit("lines");
        s.git(&["switch", "-qc", "side"]);
        edit(&s, "src/a.rs", "one\ntwo\nthree\nfour\nFIVE\n");
        let reading = measure(&s, road);
        s.git(&["switch", "-q", "main"]);
        edit(&s, "src/a.rs", "ONE\ntwo\nthree\nfour\nfive\n");
        s.git(&["switch", "-q", "side"]);
        s.git(&["rebase", "-q", "main"]);
        assert_eq!(s.read("src/a.rs"), "ONE\ntwo\nthree\nfour\nFIVE\n");
        assert_eq!(axes(&s, &reading), "code", "{road:?}");
    }
}

#[test]
fn case_24_a_pruned_anchor() {
    for (road, then, expected) in
        [(Road::Commit, "measured\n", "anchor"), (Road::Stamp, "measured\n", ""), (Road::Stamp, "other\n", "code")]
    {
        let (s, reading) = measured_on_a_branch(road);
        s.git(&["branch", "-qD", "side"]);
        prune(&s);
        edit(&s, "src/a.rs", then);
        let found = judge(&s, &reading);
        assert_eq!(words(&found), expected, "{road:?}");
        assert_eq!(found.missing, (expected == "anchor").then_some(MissingAnchor::Pruned));
    }
}

#[test]
fn case_24_a_pruned_anchor_and_half_a_stamp() {
    let (s, stamped) = measured_on_a_branch(Road::Stamp);
    s.git(&["branch", "-qD", "side"]);
    prune(&s);
    edit(&s, "src/a.rs", "measured\n");
    // Each question has its own evidence: the hash for the text, the map for the code.
    let hash_only = Reading { governed: None, ..stamped.clone() };
    assert_eq!(axes(&s, &hash_only), "anchor");
    let map_only = Reading { scenario_hash: None, ..stamped.clone() };
    assert_eq!(axes(&s, &map_only), "anchor");
    edit(&s, "src/a.rs", "other\n");
    assert_eq!(axes(&s, &map_only), "anchor code");
    let reworded = s.read(".spec/n/yatsu.md").replace("s works", "s works well");
    edit(&s, ".spec/n/yatsu.md", &reworded);
    assert_eq!(axes(&s, &hash_only), "anchor scenario");
}

#[test]
fn case_25_a_shallow_clone() {
    for (road, then, expected) in
        [(Road::Commit, "measured\n", "anchor"), (Road::Stamp, "measured\n", ""), (Road::Stamp, "other\n", "code")]
    {
        let (s, reading) = measured_on_a_branch(road);
        edit(&s, "src/a.rs", then);
        let mut clone = Scratch::new();
        let url = format!("file://{}", s.root.display());
        clone.git(&["clone", "-q", "--depth=1", &url, "../shallow"]);
        clone.root = clone.base.join("shallow");
        let found = judge(&clone, &reading);
        assert_eq!(words(&found), expected, "{road:?}");
        assert_eq!(found.missing, (expected == "anchor").then_some(MissingAnchor::Shallow));
    }
}

#[test]
fn case_26_an_anchor_on_an_unmerged_branch_with_equal_content_is_fresh() {
    for road in ROADS {
        let (s, reading) = measured_on_a_branch(road);
        assert_eq!(axes(&s, &reading), "code", "{road:?}");
        edit(&s, "src/a.rs", "measured\n");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

/// The engine's part: it believes the given history, which is the history of the real objects.
#[test]
fn case_27_a_replaced_anchor_testifies_itself() {
    let (s, reading) = measured_on_a_branch(Road::Commit);
    assert_eq!(axes(&s, &reading), "code");
    let anchor = reading.code_sha.unwrap().to_string();
    s.git(&["replace", &anchor, "main"]);
    assert_eq!(axes(&s, &reading), "code");
}

/// The engine's part: an id that is no commit proves nothing. The schema rule reports the malformed reading.
#[test]
fn case_28_a_tag_object_or_a_tree_is_no_anchor() {
    let s = repo("src/a.rs");
    s.git(&["tag", "-a", "-m", "words", "v1"]);
    for id in [s.git(&["rev-parse", "v1"]), s.git(&["rev-parse", "HEAD^{tree}"])] {
        let found = judge(&s, &unstamped("s", &id));
        assert_eq!(words(&found), "anchor");
        assert_eq!(found.missing, None);
    }
    let nothing = Reading { code_sha: None, ..unstamped("s", &s.git(&["rev-parse", "HEAD"])) };
    assert_eq!(words(&judge(&s, &nothing)), "anchor");
}
