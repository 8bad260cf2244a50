//! Code axis: cases 1 to 21.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

fn edit(scratch: &Scratch, path: &str, content: &str) {
    scratch.write(path, content);
    scratch.commit("edit");
}

#[test]
fn case_01_governed_file_committed_after_is_stale() {
    expect_on_both_roads("src/a.rs", |s| edit(s, "src/a.rs", "changed\n"), "code");
}

#[test]
fn case_02_last_touched_at_the_anchor_is_fresh() {
    for road in ROADS {
        let s = repo("src/a.rs");
        edit(&s, "src/a.rs", "changed\n");
        let reading = measure(&s, road);
        edit(&s, "src/b.rs", "other\n");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn case_03_only_older_commits_touched_it_is_fresh() {
    for road in ROADS {
        let s = repo("src/a.rs");
        edit(&s, "src/a.rs", "changed\n");
        edit(&s, "src/b.rs", "other\n");
        let reading = measure(&s, road);
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn case_04_back_dated_side_branch_merged_later_is_stale() {
    for road in ROADS {
        let s = repo("src/a.rs");
        s.git(&["switch", "-qc", "side"]);
        s.write("src/a.rs", "from the side\n");
        s.git(&["add", "-A"]);
        let mut commit = s.git_command(&["commit", "-qm", "side"]);
        commit.env("GIT_AUTHOR_DATE", "1500000000 +0000").env("GIT_COMMITTER_DATE", "1500000000 +0000");
        assert!(commit.status().unwrap().success());
        s.git(&["switch", "-q", "main"]);
        edit(&s, "src/c.rs", "trunk\n");
        let reading = measure(&s, road);
        s.git(&["merge", "-q", "--no-edit", "side"]);
        assert_eq!(axes(&s, &reading), "code", "{road:?}");
    }
}

#[test]
fn case_05_side_branch_merged_before_the_anchor_is_fresh() {
    for road in ROADS {
        let s = repo("src/a.rs");
        s.git(&["switch", "-qc", "side"]);
        edit(&s, "src/a.rs", "from the side\n");
        s.git(&["switch", "-q", "main"]);
        edit(&s, "src/c.rs", "trunk\n");
        s.git(&["merge", "-q", "--no-edit", "side"]);
        let reading = measure(&s, road);
        edit(&s, "src/c.rs", "trunk again\n");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn case_06_trunk_changed_the_file_and_was_merged() {
    for (road, trunk, expected) in
        ROADS.into_iter().flat_map(|road| [(road, "other bytes\n", "code"), (road, "fn a() {}\n", "")])
    {
        let s = repo("src/a.rs");
        s.git(&["switch", "-qc", "side"]);
        edit(&s, "src/b.rs", "side\n");
        let reading = measure(&s, road);
        s.git(&["switch", "-q", "main"]);
        edit(&s, "src/a.rs", "on the way\n");
        edit(&s, "src/a.rs", trunk);
        s.git(&["merge", "-q", "--no-edit", "side"]);
        assert_eq!(axes(&s, &reading), expected, "{road:?}");
    }
}

#[test]
fn case_07_only_the_file_that_moved_is_named() {
    for road in ROADS {
        let s = repo("[src/a.rs, src/b.rs]");
        let reading = measure(&s, road);
        edit(&s, "src/b.rs", "changed\n");
        let found = judge(&s, &reading);
        assert_eq!(words(&found), "code");
        assert_eq!(moved(&found), ["src/b.rs"], "{road:?}");
    }
}

fn node_with_list(s: &Scratch, scenarios: &[(&str, &str)]) {
    s.write(&format!("{NODE}/spec.md"), "---\ncode:\n  - src/a.rs\n  - src/b.rs\n  - src/c.rs\n---\n");
    s.write(&format!("{NODE}/yatsu.md"), crate::support::scenarios(scenarios));
    s.commit("node");
}

#[test]
fn case_08_the_scenario_list_wins_over_the_node_list() {
    for road in ROADS {
        let s = repo("");
        node_with_list(&s, &[("s", "src/a.rs"), ("whole", "")]);
        let own = measure(&s, road);
        let whole = measure_in(&s, NODE, "whole", road);
        edit(&s, "src/b.rs", "changed\n");
        assert_eq!(axes(&s, &own), "", "{road:?}");
        assert_eq!(axes(&s, &whole), "code", "{road:?}");
    }
}

#[test]
fn case_09_siblings_with_different_code_are_independent() {
    for road in ROADS {
        let s = repo("");
        node_with_list(&s, &[("s", "src/a.rs"), ("t", "src/b.rs")]);
        let (one, other) = (measure(&s, road), measure_in(&s, NODE, "t", road));
        edit(&s, "src/b.rs", "changed\n");
        assert_eq!((axes(&s, &one), axes(&s, &other)), (String::new(), "code".to_owned()), "{road:?}");
    }
}

#[test]
fn case_10_a_commit_of_the_ledger_line_alone_is_fresh() {
    expect_on_both_roads("src/a.rs", |s| edit(s, ".spec/n/yatsu.evals.ndjson", "{}\n"), "");
}

#[test]
fn case_11_a_related_file_never_stales() {
    let then = |s: &Scratch| edit(s, "src/b.rs", "changed\n");
    expect_on_both_roads("src/a.rs\n    related: src/b.rs", then, "");
}

#[test]
fn case_12_changed_and_reverted_is_fresh() {
    let then = |s: &Scratch| {
        edit(s, "src/a.rs", "changed\n");
        s.git(&["revert", "--no-edit", "HEAD"]);
    };
    expect_on_both_roads("src/a.rs", then, "");
}

#[test]
fn case_13_executable_bit_and_white_space_are_stale() {
    let flip = |s: &Scratch| {
        std::fs::set_permissions(s.root.join("src/a.rs"), std::fs::Permissions::from_mode(0o755)).unwrap();
        s.commit("executable");
    };
    expect_on_both_roads("src/a.rs", flip, "code");
    expect_on_both_roads("src/a.rs", |s| edit(s, "src/a.rs", "fn a()  {}\n"), "code");
}

#[test]
fn case_14_deleted_is_stale() {
    let delete = |s: &Scratch| {
        s.git(&["rm", "-q", "src/a.rs"]);
        s.commit("delete");
    };
    for code in ["src/a.rs", "src/a.*"] {
        expect_on_both_roads(code, delete, "code");
    }
}

#[test]
fn case_15_pure_rename_is_fresh_and_an_edited_one_stale() {
    for (from, to, code, new) in [
        ("src/a.rs", "src/z.rs", "src/a.rs", "src/z.rs"),
        ("src/a.rs", "lib/a.rs", "src/a.rs", "lib"),
        ("src", "lib", "src", "lib"),
        ("src", "deep/er/lib", "src", "deep"),
        ("src", "lib", "src/*.rs", "lib/*.rs"),
    ] {
        let rename = |s: &Scratch| {
            std::fs::create_dir_all(s.root.join(to).parent().unwrap()).unwrap();
            s.git(&["mv", from, to]);
            declare(s, new);
            s.commit("rename");
        };
        let same_directory = (from, new) != ("src/a.rs", "lib") && new != "deep";
        expect_on_both_roads(code, rename, if same_directory { "" } else { "code" });
    }
    let rename_and_edit = |s: &Scratch| {
        s.git(&["mv", "src/a.rs", "src/z.rs"]);
        declare(s, "src/z.rs");
        edit(s, "src/z.rs", "changed\n");
    };
    expect_on_both_roads("src/a.rs", rename_and_edit, "code");
    let copy = |s: &Scratch| {
        declare(s, "src/z.rs");
        edit(s, "src/z.rs", "fn a() {}\n");
    };
    // The source still exists: a copy is no rename.
    expect_on_both_roads("src/a.rs", copy, "code");
}

#[test]
fn case_16_a_change_made_only_inside_a_merge_commit_is_stale() {
    let merge = |s: &Scratch| {
        s.git(&["switch", "-qc", "side"]);
        edit(s, "src/b.rs", "side\n");
        s.git(&["switch", "-q", "main"]);
        edit(s, "src/c.rs", "trunk\n");
        s.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
        edit(s, "src/a.rs", "slipped in\n");
        assert_eq!(s.git(&["rev-list", "--parents", "-1", "HEAD"]).split(' ').count(), 3);
    };
    expect_on_both_roads("src/a.rs", merge, "code");
}

#[test]
fn case_17_directories_and_globs() {
    for code in ["src", "src/", "src/*.rs", "'**/*.rs'"] {
        expect_on_both_roads(code, |s| edit(s, "src/b.rs", "changed\n"), "code");
        expect_on_both_roads(code, |s| edit(s, "src/new.rs", "starts to match\n"), "code");
        expect_on_both_roads(code, |s| edit(s, "docs/x.md", "elsewhere\n"), "");
        let stop = |s: &Scratch| {
            s.git(&["rm", "-q", "src/b.rs"]);
            s.commit("stops to match");
        };
        expect_on_both_roads(code, stop, "code");
        let rename = |s: &Scratch| {
            s.git(&["mv", "src/b.rs", "src/z.rs"]);
            s.commit("another set");
        };
        expect_on_both_roads(code, rename, "code");
    }
    expect_on_both_roads("src/*.rs", |s| edit(s, "src/notes.md", "no match\n"), "");
}

#[test]
fn case_18_odd_spellings_behave_like_the_plain_path() {
    let odd = [
        ("./src/a.rs", "src/a.rs"),
        ("src//a.rs", "src/a.rs"),
        ("\"src/a.rs\"", "src/a.rs"),
        ("src/gr\u{fc}n.rs", "src/gr\u{fc}n.rs"),
        ("'src/\"q\".rs'", "src/\"q\".rs"),
        ("\"src/new\\nline.rs\"", "src/new\nline.rs"),
        ("'src/a[1].rs'", "src/a[1].rs"),
        ("'src/*'", "src/*"),
    ];
    for (code, path) in odd {
        for road in ROADS {
            let s = repo(code);
            edit(&s, path, "there\n");
            let reading = measure(&s, road);
            edit(&s, "docs/x.md", "elsewhere\n");
            assert_eq!(axes(&s, &reading), "", "{code} {road:?}");
            edit(&s, path, "changed\n");
            assert_eq!(axes(&s, &reading), "code", "{code} {road:?}");
        }
    }
}

#[test]
fn case_19_a_symlink_whose_target_changed_is_stale() {
    for (code, target) in [("link", "src/a.rs"), ("link", "src"), ("link/a.rs", "src"), ("two", "link")] {
        for (change, expected) in [("src/a.rs", "code"), ("docs/x.md", "")] {
            for road in ROADS {
                let s = repo(code);
                let (name, target) = if code == "two" { ("link", "src/a.rs") } else { ("link", target) };
                symlink(target, s.root.join(name)).unwrap();
                symlink("link", s.root.join("two")).unwrap();
                s.commit("link");
                let reading = measure(&s, road);
                edit(&s, change, "changed\n");
                assert_eq!(axes(&s, &reading), expected, "{code} -> {target}, {change}, {road:?}");
            }
        }
    }
}

#[test]
fn case_19_links_outside_and_circles_are_their_text() {
    for target in ["/etc/hostname", "../outside", "link", "gone.rs", ".git/config"] {
        for road in ROADS {
            let s = repo("link");
            symlink(target, s.root.join("link")).unwrap();
            s.commit("link");
            let reading = measure(&s, road);
            edit(&s, "src/a.rs", "changed\n");
            assert_eq!(axes(&s, &reading), "", "{target} {road:?}");
            std::fs::remove_file(s.root.join("link")).unwrap();
            symlink("elsewhere", s.root.join("link")).unwrap();
            s.commit("another target");
            assert_eq!(axes(&s, &reading), "code", "{target} {road:?}");
        }
    }
}

/// The engine's part: an untracked file is absent from the index and present in the working tree. The schema rule
/// reports it.
#[test]
fn case_20_an_untracked_governed_path_appears_only_in_the_working_tree() {
    let s = repo("new.rs");
    let reading = measure(&s, Road::Commit);
    s.write("new.rs", "not added\n");
    assert_eq!(words(&judge_in(&s, &View::Index, NODE, &reading)), "");
    assert_eq!(words(&judge_in(&s, &View::Worktree, NODE, &reading)), "code");
}

#[test]
fn case_21_a_path_that_the_list_gained_is_judged_at_the_anchor() {
    for road in ROADS {
        let s = repo("src/a.rs");
        let reading = measure(&s, road);
        declare(&s, "[src/a.rs, src/b.rs]");
        s.commit("widen");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
        edit(&s, "src/b.rs", "changed\n");
        let found = judge(&s, &reading);
        assert_eq!(words(&found), "code", "{road:?}");
        assert_eq!(moved(&found), ["src/b.rs"], "{road:?}");
    }
}

#[test]
fn submodules_are_their_commit() {
    for road in ROADS {
        let s = repo("sub");
        let pin = |id: &str| {
            s.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},sub")]);
            s.git(&["commit", "-qm", "pin"]);
        };
        std::fs::create_dir_all(s.root.join("sub")).unwrap();
        pin("1111111111111111111111111111111111111111");
        let mut reading = measure(&s, Road::Commit);
        if road == Road::Stamp {
            let head = real::view(&s, &View::Rev("HEAD"));
            reading.governed = stamp::stamp(&*head, &[listed("sub")]).unwrap();
        }
        assert_eq!(axes(&s, &reading), "", "{road:?}");
        pin("2222222222222222222222222222222222222222");
        assert_eq!(axes(&s, &reading), "code", "{road:?}");
    }
}
