//! Filing: cases 51 to 60, the engine's part. The warnings and refusals of `eval` are tested with `eval`.

use super::*;

fn edit(scratch: &Scratch, path: &str, content: &str) {
    scratch.write(path, content);
    scratch.commit("edit");
}

#[test]
fn case_51_a_reading_on_dirty_bytes() {
    for (road, now, same, other) in [(Road::Stamp, "", "", "code"), (Road::Commit, "code", "code", "code")] {
        let s = repo("src/a.rs");
        s.write("src/a.rs", "not committed\n");
        let reading = measure(&s, road);
        assert_eq!(reading.dirty, road == Road::Stamp);
        assert_eq!(words(&judge_in(&s, &View::Worktree, NODE, &reading)), now, "scan right after it, {road:?}");
        s.commit("exactly what was measured");
        assert_eq!(axes(&s, &reading), same, "{road:?}");
        edit(&s, "src/a.rs", "other bytes\n");
        assert_eq!(axes(&s, &reading), other, "{road:?}");
    }
}

#[test]
fn case_53_measured_and_committed_as_is_then_filed_is_fresh() {
    for road in ROADS {
        let s = repo("src/a.rs");
        edit(&s, "src/a.rs", "measured\n");
        let reading = measure(&s, road);
        assert!(!reading.dirty);
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

/// The engine's part: it finds the contradiction. The schema rule reports it when the line is added.
#[test]
fn case_54_a_stamp_that_contradicts_the_anchor_is_found() {
    let s = repo("[src/a.rs, src/b.rs, '?gone.rs']");
    let reading = measure(&s, Road::Stamp);
    let contradicted = |rev: &str| {
        let tree = real::view(&s, &View::Rev(rev));
        stamp::stamp_contradicts(&*tree, reading.governed.as_ref().unwrap()).unwrap()
    };
    assert_eq!(contradicted("HEAD"), []);
    edit(&s, "src/b.rs", "changed\n");
    assert_eq!(contradicted("HEAD"), [RepoPath::parse(b"src/b.rs").unwrap()]);
    edit(&s, "gone.rs", "there\n");
    s.git(&["rm", "-q", "src/a.rs"]);
    s.commit("delete");
    assert_eq!(contradicted("HEAD").len(), 3);
}

#[test]
fn case_55_a_path_gained_after_filing() {
    for (change, anchored) in [("fn b() {}\n", ""), ("changed\n", "code")] {
        let s = repo("src/a.rs");
        s.git(&["switch", "-qc", "side"]);
        s.commit("measured here");
        let reading = measure(&s, Road::Stamp);
        s.git(&["switch", "-q", "main"]);
        declare(&s, "[src/a.rs, src/b.rs]");
        edit(&s, "src/b.rs", change);
        assert_eq!(axes(&s, &reading), anchored);
        s.git(&["branch", "-qD", "side"]);
        s.git(&["reflog", "expire", "--expire=now", "--all"]);
        s.git(&["gc", "-q", "--prune=now"]);
        let found = judge(&s, &reading);
        assert_eq!(words(&found), "code");
        assert_eq!(moved(&found), ["src/b.rs"]);
    }
}

#[test]
fn case_55_a_list_widened_around_a_stamped_file() {
    for code in ["src", "src/*.rs"] {
        let s = repo("src/a.rs");
        let reading = measure(&s, Road::Stamp);
        declare(&s, code);
        s.commit("widen");
        assert_eq!(axes(&s, &reading), "", "{code}: the commit had the other files");
        edit(&s, "src/b.rs", "changed\n");
        assert_eq!(axes(&s, &reading), "code", "{code}");
    }
}

#[test]
fn case_56_an_optional_path() {
    for code in ["'?gen/x.rs'", "'?gen'", "'?gen/*.rs'"] {
        expect_on_both_roads(code, |s| edit(s, "docs/x.md", "elsewhere\n"), "");
        expect_on_both_roads(code, |s| edit(s, "gen/x.rs", "appears\n"), "code");
    }
}

#[test]
fn case_57_a_file_added_below_a_stamped_directory() {
    for code in ["src", "src/*.rs"] {
        expect_on_both_roads(code, |s| edit(s, "src/new.rs", "added\n"), "code");
    }
    // Measured while deleted in the working tree: its return is an addition, whatever the commit had.
    for code in ["src", "src/*.rs"] {
        let s = repo(code);
        std::fs::remove_file(s.root.join("src/b.rs")).unwrap();
        let reading = measure(&s, Road::Stamp);
        assert!(!reading.governed.as_ref().unwrap().contains_key(&RepoPath::parse(b"src/b.rs").unwrap()));
        let dirty = Reading { dirty: true, ..reading };
        assert_eq!(words(&judge_in(&s, &View::Worktree, NODE, &dirty)), "", "{code}");
        assert_eq!(words(&judge_in(&s, &View::Index, NODE, &dirty)), "code", "{code}");
    }
}

#[test]
fn case_58_more_than_256_files_are_not_stamped() {
    for (files, is_stamped) in [(256, true), (257, false)] {
        let s = repo("many");
        for number in 0..files {
            s.write(&format!("many/{number}.txt"), format!("{number}\n"));
        }
        s.commit("many");
        let reading = measure_or_commit(&s);
        assert_eq!(reading.governed.is_some(), is_stamped);
        assert_eq!(axes(&s, &reading), "");
        edit(&s, "many/7.txt", "changed\n");
        assert_eq!(axes(&s, &reading), "code");
    }
}

/// Measures like recording does: a map that would be too large is left out.
fn measure_or_commit(s: &Scratch) -> Reading {
    let tree = real::view(s, &View::Worktree);
    let governed_map = stamp::stamp(&*tree, &[listed("many")]).unwrap();
    Reading { governed: governed_map, ..measure(s, Road::Commit) }
}

#[test]
fn case_59_a_governed_file_that_was_absent_at_filing() {
    let s = repo("[src/a.rs, src/later.rs]");
    let reading = measure(&s, Road::Stamp);
    let later = RepoPath::parse(b"src/later.rs").unwrap();
    assert_eq!(reading.governed.as_ref().unwrap()[&later], yatsu_hook::model::ledger::Stamped::Absent);
    assert_eq!(axes(&s, &reading), "");
    edit(&s, "src/later.rs", "appears\n");
    let found = judge(&s, &reading);
    assert_eq!(words(&found), "code");
    assert_eq!(moved(&found), [later.to_string()]);
}

#[test]
fn case_60_an_empty_or_ghost_list_never_stales() {
    let everything = |s: &Scratch| {
        edit(s, "src/a.rs", "changed\n");
        s.git(&["rm", "-q", "src/b.rs"]);
        s.commit("delete");
    };
    for code in ["", "nowhere.rs", "'nowhere/*.rs'", "../outside.rs"] {
        expect_on_both_roads(code, everything, "");
    }
}
