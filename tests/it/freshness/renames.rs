//! What a pure rename excuses, and changes that only look like one (freshness.md, "Renames").

use super::*;
use std::os::unix::fs::symlink;

/// Moves `src` to `lib`, runs `then`, changes the list after the move, and expects these axes.
#[track_caller]
fn expect_after_move(code: &str, new: &str, then: impl Fn(&Scratch), expected: &str) {
    let change = |s: &Scratch| {
        s.git(&["mv", "src", "lib"]);
        then(s);
        declare(s, new);
        s.commit("move");
    };
    expect_on_both_roads(code, change, expected);
}

/// A repository with a scenario that governs `code`, with additional files, and a reading of all of it.
fn measured(code: &str, files: &[(&str, &str)], road: Road) -> (Scratch, Reading) {
    let s = repo(code);
    files.iter().for_each(|(path, content)| s.write(path, content));
    s.commit("more files");
    let reading = measure(&s, road);
    (s, reading)
}

fn swap(s: &Scratch) {
    for (from, to) in [("a", "x"), ("b", "a"), ("x", "b")] {
        s.git(&["mv", &format!("lib/{from}.rs"), &format!("lib/{to}.rs")]);
    }
}

#[test]
fn a_moved_glob_keeps_the_names_and_the_number_of_its_files() {
    for (code, new) in [("src/*.rs", "lib/*.rs"), ("src/**", "lib/**"), ("src", "lib"), ("src/?.rs", "lib/?.rs")] {
        expect_after_move(code, new, |_| {}, "");
        expect_after_move(code, new, swap, "code");
        expect_after_move(code, new, |s| drop(s.git(&["rm", "-qf", "lib/c.rs"])), "code");
        expect_after_move(code, new, |s| s.write("lib/d.rs", "fn a() {}\n"), "code");
        expect_after_move(code, new, |s| drop(s.git(&["mv", "lib/c.rs", "lib/d.rs"])), "code");
        expect_after_move(code, new, |s| s.write("src/c.rs", "fn c() {}\n"), "code");
    }
}

#[test]
fn a_glob_may_leave_behind_what_it_does_not_match() {
    for road in ROADS {
        let (s, reading) = measured("src/*.rs", &[("src/notes.md", "notes\n")], road);
        std::fs::create_dir(s.root.join("lib")).unwrap();
        s.git(&["mv", "src/a.rs", "src/b.rs", "src/c.rs", "lib"]);
        declare(&s, "lib/*.rs");
        s.commit("move");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn a_glob_at_the_top_may_move_into_a_directory() {
    for road in ROADS {
        let (s, reading) = measured("'*.txt'", &[("one.txt", "1\n"), ("two.txt", "2\n")], road);
        std::fs::create_dir(s.root.join("docs")).unwrap();
        s.git(&["mv", "one.txt", "two.txt", "docs"]);
        declare(&s, "docs/*.txt");
        s.commit("move");
        assert_eq!(axes(&s, &reading), "", "{road:?}");
    }
}

#[test]
fn a_renamed_link_keeps_all_that_it_leads_to() {
    for (then, expected) in [("", ""), ("src/c.rs", "code")] {
        for road in ROADS {
            let s = repo("link");
            symlink("src", s.root.join("link")).unwrap();
            s.commit("link");
            let mut reading = measure(&s, road);
            if road == Road::Stamp {
                reading.code_sha = Some(Oid::from_hex("1".repeat(40).as_bytes()).unwrap());
            }
            s.git(&["mv", "link", "other"]);
            if !then.is_empty() {
                s.git(&["rm", "-q", then]);
            }
            declare(&s, "other");
            s.commit("rename");
            assert_eq!(axes(&s, &reading), expected, "{then} {road:?}");
        }
    }
}

#[test]
fn a_path_that_was_governed_before_it_was_there_is_not_excused_by_a_deleted_file() {
    for content in ["", "same\n"] {
        for code in ["'?new.rs'", "new", "new/*.rs", "[src/a.rs, '?new.rs']"] {
            let appear = |s: &Scratch| {
                s.git(&["rm", "-q", "old.rs"]);
                s.write(if code.contains(".rs") && !code.contains('/') { "new.rs" } else { "new/old.rs" }, content);
                if code.contains("src") {
                    s.write("new.rs", content);
                }
                s.commit("appear");
            };
            for road in ROADS {
                let s = repo(code);
                s.write("old.rs", content);
                s.commit("old");
                let reading = measure(&s, road);
                appear(&s);
                assert_eq!(axes(&s, &reading), "code", "{code} {content:?} {road:?}");
            }
        }
    }
}

#[test]
fn one_lost_file_excuses_one_that_appeared() {
    for (lost, expected) in [(1, "code"), (2, "")] {
        for road in ROADS {
            let (s, reading) = measured("[old1.rs, old2.rs]", &[("old1.rs", "same\n"), ("old2.rs", "same\n")], road);
            s.git(&["mv", "old1.rs", "new1.rs"]);
            if lost == 2 {
                s.git(&["mv", "old2.rs", "new2.rs"]);
            } else {
                s.write("new2.rs", "same\n");
            }
            declare(&s, "[new1.rs, new2.rs]");
            s.commit("rename");
            assert_eq!(axes(&s, &reading), expected, "{lost} {road:?}");
        }
    }
}

#[test]
fn one_lost_directory_excuses_one_that_appeared() {
    let copy = |s: &Scratch| {
        s.git(&["mv", "src", "lib"]);
        for name in ["a", "b", "c"] {
            s.write(&format!("copy/{name}.rs"), format!("fn {name}() {{}}\n"));
        }
        s.git(&["add", "-A"]);
    };
    for (new, expected) in [("[lib, copy]", "code"), ("[lib/*.rs, copy/*.rs]", "code"), ("[lib, lib/a.rs]", "")] {
        let change = |s: &Scratch| {
            copy(s);
            declare(s, new);
            s.commit("move");
        };
        expect_on_both_roads("src", change, expected);
    }
}

#[test]
fn a_list_that_moved_with_its_node_may_follow_a_rename() {
    for to in ["deep/n", "renamed"] {
        for road in ROADS {
            let s = repo("src/a.rs");
            let reading = measure(&s, road);
            s.git(&["mv", "src/a.rs", "src/z.rs"]);
            std::fs::create_dir_all(s.root.join(".spec/deep")).unwrap();
            s.git(&["mv", NODE, &format!(".spec/{to}")]);
            s.write(&format!(".spec/{to}/yatsu.md"), crate::support::scenarios(&[("s", "src/z.rs")]));
            s.commit("move");
            let found = judge_in(&s, &View::Rev("HEAD"), &format!(".spec/{to}"), &reading);
            assert_eq!(words(&found), "", "{to} {road:?}");
        }
    }
}

#[test]
fn the_list_of_the_node_counts_where_the_scenario_has_none() {
    for (new, expected) in [("src/z.rs", ""), ("src/a.rs\n  - new.rs", "code")] {
        for road in ROADS {
            let s = repo("");
            let list = |code: &str| s.write(&format!("{NODE}/spec.md"), format!("---\ncode:\n  - {code}\n---\n"));
            list("src/a.rs\n  - ?new.rs");
            s.write("old.rs", "same\n");
            s.commit("list");
            let reading = measure(&s, road);
            list(new);
            if expected.is_empty() {
                s.git(&["mv", "src/a.rs", "src/z.rs"]);
            } else {
                s.git(&["mv", "old.rs", "new.rs"]);
            }
            s.commit("change");
            assert_eq!(axes(&s, &reading), expected, "{new} {road:?}");
        }
    }
}

#[test]
fn where_nothing_was_declared_no_list_followed_a_rename() {
    let s = repo("src/a.rs");
    s.git(&["rm", "-rq", NODE]);
    s.write("old.rs", "same\n");
    s.commit("nothing declared");
    declare(&s, "new.rs");
    s.write("new.rs", "same\n");
    let mut reading = measure(&s, Road::Stamp);
    // as an older program filed it: without a stamp, and without a note that the content was not committed
    (reading.governed, reading.dirty) = (None, false);
    s.git(&["rm", "-q", "old.rs"]);
    s.commit("declare");
    assert_eq!(axes(&s, &reading), "code");
}
