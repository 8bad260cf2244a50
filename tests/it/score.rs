//! `ls`, `show` and `impact`: their lists, the content they read, and their machine forms.

use crate::support::{Said, Scratch, reading, scenarios, validate_published};
use serde_json::{Value, json};

/// Two nodes: `board` with `draws` (own code) and `fails`; `list` with `sorts` (the node's code) and a directory.
fn two_nodes() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.write("src/b.rs", "fn b() {}\n");
    scratch.write("lib/deep/c.rs", "fn c() {}\n");
    scratch.write(".spec/board/yatsu.md", scenarios(&[("draws", "src/a.rs"), ("fails", "'lib/**'")]));
    scratch.write(".spec/list/spec.md", "---\ncode:\n  - lib\n---\n");
    let tagged = scenarios(&[("sorts", "")]).replace("tags: [cli]", "tags: [mobile]");
    scratch.write(".spec/list/yatsu.md", tagged);
    scratch.commit("first");
    reading(&scratch, ".spec/board", "draws", "pass", 1);
    reading(&scratch, ".spec/board", "fails", "fail", 2);
    scratch.commit("measured");
    scratch
}

#[track_caller]
fn listed(scratch: &Scratch, args: &[&str]) -> Vec<Value> {
    let said = scratch.yatsu(&[args, &["--format", "json"]].concat()).expect(0);
    validate_published(&said.out)["scenarios"].as_array().expect("a list").clone()
}

#[track_caller]
fn names(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    let name = |row: &Value| row["scenario"].as_str().expect("a name").to_owned();
    listed(scratch, args).iter().map(name).collect()
}

#[test]
fn ls_lists_by_state_and_tag() {
    let s = two_nodes();
    assert_eq!(names(&s, &["ls"]), ["draws", "fails", "sorts"]);
    assert_eq!(names(&s, &["ls", "--unmeasured"]), ["sorts"]);
    assert_eq!(names(&s, &["ls", "--failing"]), ["fails"]);
    assert_eq!(names(&s, &["ls", "--stale"]), [""; 0]);
    assert_eq!(names(&s, &["ls", "--tag", "mobile"]), ["sorts"]);
    assert_eq!(names(&s, &["ls", "--tag", "mobile", "--tag", "cli", "--unmeasured"]), ["sorts"]);
    s.write("src/a.rs", "changed\n");
    assert_eq!(names(&s, &["ls", "--stale"]), ["draws"]);
}

#[test]
fn ls_for_people() {
    let s = two_nodes();
    s.write("src/a.rs", "changed\n");
    let since = s.git(&["rev-parse", "--short=12", "HEAD~1"]);
    let said = s.yatsu(&["ls", "-v"]).expect(0);
    let expected = format!(
        "stale      pass   board/draws  cli  on code  2026-01-01T00:01:00.000Z @ {since}\n\
         fresh      fail   board/fails  cli  2026-01-01T00:02:00.000Z @ {since}\n\
         unmeasured -      list/sorts   mobile\n\
         3 scenarios: 1 fresh (0 pass, 1 fail), 1 stale, 1 unmeasured\n"
    );
    assert_eq!((said.out, said.err), (expected, String::new()));
}

#[test]
fn impact_names_the_scenarios_that_govern_the_paths() {
    let s = two_nodes();
    for (paths, expected) in [
        (&["src/a.rs"][..], &["draws"][..]),
        (&["src/b.rs"], &[]),
        (&["src"], &["draws"]),
        (&["lib/deep/c.rs"], &["fails", "sorts"]),
        (&["lib/new.rs"], &["fails", "sorts"]),
        (&["./lib//deep/", "src/b.rs"], &["fails", "sorts"]),
        (&["src/a.rs", "lib"], &["draws", "fails", "sorts"]),
        (&["."], &["draws", "fails", "sorts"]),
    ] {
        let mut args = vec!["impact"];
        args.extend(paths);
        assert_eq!(names(&s, &args), expected, "{paths:?}");
    }
    let rows = listed(&s, &["impact", "src/a.rs", "src/b.rs"]);
    assert_eq!(
        (&rows[0]["governs"], &rows[0]["tags"]),
        (&json!([{"path": "src/a.rs", "symbol": null}]), &json!(["cli"]))
    );
    assert_eq!(s.yatsu(&["impact", "src/b.rs"]).expect(0).out, "");
    s.yatsu(&["impact", "/etc/passwd"]).expect(2);
    s.yatsu(&["impact", "../x"]).expect(2);
}

/// The answer of `impact` must agree with a later `scan`.
#[test]
fn what_impact_names_goes_stale_by_the_edit_and_nothing_else_does() {
    let s = two_nodes();
    reading(&s, ".spec/list", "sorts", "pass", 3);
    s.commit("all measured");
    for path in ["src/a.rs", "src/b.rs", "lib/deep/c.rs", "lib/new.rs"] {
        let before = std::fs::read(s.root.join(path)).ok();
        s.write(path, "edited\n");
        assert_eq!(names(&s, &["impact", path]), names(&s, &["ls", "--stale"]), "{path}");
        match before {
            Some(bytes) => s.write(path, bytes),
            None => std::fs::remove_file(s.root.join(path)).expect("removed"),
        }
    }
}

#[test]
fn impact_follows_links_and_is_relative_to_where_the_user_stands() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    std::os::unix::fs::symlink("src/a.rs", s.root.join("link")).expect("a link");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "link")]));
    s.commit("first");
    assert_eq!(names(&s, &["impact", "src/a.rs"]), ["works"]);
    assert_eq!(names(&s, &["-C", "src", "impact", "a.rs"]), ["works"]);
    assert_eq!(names(&s, &["-C", "src", "impact", "../link"]), ["works"]);
}

const BOX: &str = "export class Box {\n  shut() {}\n  open() {}\n}\nexport function other() {}\n";

/// Scenarios of the file, of its class, of one method and of a function.
fn scoped() -> Scratch {
    let s = Scratch::new();
    s.write("src/box.ts", BOX);
    let entries = [
        ("all", "src/box.ts"),
        ("class", "src/box.ts#Box"),
        ("method", "src/box.ts#shut"),
        ("other", "src/box.ts#other"),
    ];
    s.write(".spec/n/yatsu.md", scenarios(&entries));
    s.commit("first");
    s
}

#[test]
fn impact_of_a_unit_names_who_governs_it_or_what_is_around_or_inside_or_the_file() {
    let s = scoped();
    for (asked, expected) in [
        ("src/box.ts#Box.shut", &["all", "class", "method"][..]),
        ("src/box.ts#shut", &["all", "class", "method"]),
        ("src/box.ts#Box.open", &["all", "class"]),
        ("src/box.ts#Box", &["all", "class", "method"]),
        ("src/box.ts#other", &["all", "other"]),
        ("src/box.ts#", &["all", "class", "method", "other"]),
        ("src/box.ts", &["all", "class", "method", "other"]),
    ] {
        assert_eq!(names(&s, &["impact", asked]), expected, "{asked}");
    }
    let rows = listed(&s, &["impact", "src/box.ts#Box.open"]);
    assert_eq!(rows[0]["governs"], json!([{"path": "src/box.ts", "symbol": null}]));
    assert_eq!(rows[1]["governs"], json!([{"path": "src/box.ts", "symbol": "Box"}]));
    assert!(s.yatsu(&["impact", "src/box.ts#Box.open"]).expect(0).out.contains("governs src/box.ts#Box\n"));
}

#[test]
fn impact_refuses_a_unit_that_the_file_does_not_declare_and_names_the_nearest() {
    let s = scoped();
    let said = s.yatsu(&["impact", "src/box.ts#Box.shot"]).expect(2).err;
    assert!(said.contains("src/box.ts declares no unit Box.shot"), "{said}");
    assert!(said.contains("did you mean Box.shut") && said.contains("yatsu-hook units src/box.ts"), "{said}");
    s.write("src/box.ts", format!("{BOX}class Bag {{ shut() {{}} }}\n"));
    let said = s.yatsu(&["impact", "src/box.ts#shut"]).expect(2).err;
    assert!(said.contains("src/box.ts#shut is ambiguous: Box.shut, Bag.shut"), "{said}");
}

/// An unreadable unit stands for the whole file.
#[test]
fn impact_of_a_unit_that_nobody_can_read_is_the_whole_file() {
    let s = scoped();
    s.write("src/box.ts", format!("{BOX})))\n"));
    assert_eq!(names(&s, &["impact", "src/box.ts#nobody"]), ["all", "class", "method", "other"]);
}

/// A file may have a `#` in its name.
#[test]
fn impact_of_a_file_with_a_number_sign_means_the_file() {
    let s = Scratch::new();
    s.write("docs/a#b.md", "text\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("reads", "docs/a#b.md")]));
    s.commit("first");
    assert_eq!(names(&s, &["impact", "docs/a#b.md"]), ["reads"]);
}

#[test]
fn impact_of_a_change_names_what_it_makes_stale() {
    let s = two_nodes();
    s.git(&["branch", "start"]);
    assert!(names(&s, &["impact", "--staged"]).is_empty());
    s.write("src/a.rs", "edited\n");
    s.write("src/b.rs", "not governed\n");
    assert!(names(&s, &["impact", "--staged"]).is_empty(), "nothing is staged");
    let rows = listed(&s, &["impact", "--base", "start"]);
    assert_eq!(
        (&rows[0]["scenario"], &rows[0]["governs"]),
        (&json!("draws"), &json!([{"path": "src/a.rs", "symbol": null}]))
    );
    s.git(&["add", "-A"]);
    assert_eq!(names(&s, &["impact", "--staged"]), ["draws"]);
    s.commit("second");
    assert!(names(&s, &["impact", "--staged"]).is_empty());
    assert_eq!(names(&s, &["impact", "--base", "start"]), ["draws"]);
    s.yatsu(&["impact", "--base", "nowhere"]).expect(2);
    s.yatsu(&["impact", "--staged", "src/a.rs"]).expect(2);
}

#[test]
fn impact_of_a_change_leaves_out_files_whose_governed_units_stand() {
    let s = scoped();
    s.git(&["branch", "start"]);
    assert!(names(&s, &["impact", "--staged"]).is_empty());
    s.write("src/box.ts", BOX.replace("other() {}", "other() { return 1 }"));
    s.write("docs/new.md", "not governed\n");
    assert!(names(&s, &["impact", "--staged"]).is_empty(), "nothing is staged");
    let changed = names(&s, &["impact", "--base", "start"]);
    s.git(&["add", "-A"]);
    assert_eq!(names(&s, &["impact", "--staged"]), changed);
    assert_eq!(changed, ["all", "other"], "the units of the others stand");
    s.commit("second");
    assert!(names(&s, &["impact", "--staged"]).is_empty());
    assert_eq!(names(&s, &["impact", "--base", "start"]), changed);
    let rows = listed(&s, &["impact", "--base", "start"]);
    assert_eq!(rows[1]["governs"], json!([{"path": "src/box.ts", "symbol": "other"}]));
}

#[test]
fn show_is_a_timeline_with_counts() {
    let s = two_nodes();
    let since = s.git(&["rev-parse", "--short=12", "HEAD~1"]);
    for content in ["one\n", "two\n", "three\n"] {
        s.write("src/a.rs", content);
        s.commit("edit");
    }
    let now = s.git(&["rev-parse", "--short=12", "HEAD"]);
    reading(&s, ".spec/board", "draws", "pass", 9);
    let expected = format!(
        "board/draws  fresh  cli\n\
         \x20 expected: draws works\n\
         \x20 2026-01-01T00:09:00.000Z pass fresh  manual@1 @ {now}  (counts)\n\
         \x20     no evidence\n\
         \x20 2026-01-01T00:01:00.000Z pass stale on code  manual@1 @ {since}\n\
         \x20     moved: src/a.rs +3 commits\n\
         \x20     no evidence\n\
         \n\
         board/fails  fresh  cli\n\
         \x20 expected: fails works\n\
         \x20 2026-01-01T00:02:00.000Z fail fresh  manual@1 @ {since}\n\
         \x20     no evidence\n"
    );
    assert_eq!(s.yatsu(&["show", "board"]).expect(0).out, expected);
    assert_eq!(s.yatsu(&["-C", ".spec/board", "show"]).expect(0).out, expected, "the node one stands in");
    assert_eq!(s.yatsu(&["-C", "src", "show", ".spec/board"]).expect(0).out, expected, "from elsewhere");
    s.write("src/a.rs", "edited\n");
    assert!(s.yatsu(&["show", "board"]).expect(0).out.contains("moved: src/a.rs\n"), "no commit is counted as none");
    s.write("src/a.rs", "three\n");
    let rows = listed(&s, &["show", "board"]);
    assert_eq!(rows[0]["readings"][1]["drift"], json!([{"path": "src/a.rs", "symbol": null, "commits": 3}]));
}

#[test]
fn counts_are_of_commits_that_touched_and_are_left_out_where_nobody_can_tell() {
    let s = Scratch::new();
    s.write("lib/a.rs", "a\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "lib")]));
    s.commit("first");
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("measured");
    s.write("lib/a.rs", "b\n");
    s.write("lib/b.rs", "b\n");
    s.commit("both at once");
    s.git(&["switch", "-qc", "side"]);
    s.write("lib/c.rs", "c\n");
    s.commit("on the side");
    s.git(&["switch", "-q", "main"]);
    s.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    let drift = |s: &Scratch| listed(s, &["show", "n"])[0]["readings"][0]["drift"].clone();
    assert_eq!(drift(&s), json!([{"path": "lib", "symbol": null, "commits": 2}]), "the merge itself changed nothing");
    let counted = crate::support::validate_published(&s.yatsu(&["scan", "-v", "--format", "json"]).expect(0).out);
    assert_eq!(counted["findings"][0]["drift"], json!([{"path": "lib", "symbol": null, "commits": 2}]));
    let plain = crate::support::validate_published(&s.yatsu(&["scan", "--format", "json"]).expect(0).out);
    assert_eq!(plain["findings"][0]["drift"], json!([{"path": "lib", "symbol": null, "commits": null}]));
    assert_eq!(
        listed(&s, &["ls"])[0]["readings"][0]["drift"],
        json!([{"path": "lib", "symbol": null, "commits": null}])
    );

    let url = format!("file://{}", s.root.display());
    let mut clone = Scratch::new();
    clone.git(&["clone", "-q", "--depth=4", &url, "../shallow"]);
    clone.root = clone.base.join("shallow");
    assert_eq!(drift(&clone), json!([{"path": "lib", "symbol": null, "commits": null}]), "history is cut");
}

#[test]
fn show_says_what_evidence_is_held() {
    let s = two_nodes();
    let (held, lost) = ("ab".repeat(32), "cd".repeat(32));
    s.write(&format!(".git/spexcode/yatsu-blobs/{held}"), "bytes");
    let line = |minute: u32, blob: &str, kind: &str| {
        let line = crate::support::reading_line(&s.git(&["rev-parse", "HEAD"]), "sorts", "pass", minute);
        line.replace("\"blob\":null", &format!("\"blob\":\"{blob}\",\"blobKind\":\"{kind}\""))
    };
    s.write(".spec/list/yatsu.evals.ndjson", line(5, &held, "image") + &line(6, &lost, "transcript"));
    let said = s.yatsu(&["show", "list"]).expect(0).out;
    assert!(said.contains("      image abababababab… 5 B\n"), "{said}");
    assert!(said.contains("      transcript miss original file\n"), "{said}");
    let rows = listed(&s, &["show", "list"]);
    assert_eq!(rows[0]["readings"][0]["evidence"], json!([{"kind": "transcript", "hash": lost, "held": false}]));
}

#[test]
fn an_unclear_node_is_exit_2_with_the_candidates() {
    let s = two_nodes();
    s.git(&["switch", "-qc", "work"]);
    let refused = |said: Said, part: &str| {
        assert!(said.err.contains(part), "{}", said.err);
        assert_eq!((said.code, said.out.as_str()), (2, ""));
    };
    refused(
        s.yatsu(&["show"]),
        "no node is named, you stand in none, and none was touched since main\n  hint: name the node, by its directory or its id: `yatsu-hook ls`",
    );
    s.write("src/a.rs", "changed\n");
    assert!(s.yatsu(&["show"]).expect(0).out.starts_with("board/draws"), "the node that the branch touched");
    s.write("lib/deep/c.rs", "changed\n");
    let said = s.yatsu(&["show", "."]);
    assert!(said.err.contains("board") && said.err.contains("list"), "{}", said.err);
    refused(said, "several nodes were touched since main; name one of them\n  hint: .spec/board (board)\n");
    refused(s.yatsu(&["show", "nothing"]), "no node is called `nothing`");
    refused(s.yatsu(&["ls", "--format", "sarif"]), "--format json");
    for parent in ["x", "y"] {
        s.write(&format!(".spec/{parent}/leaf/yatsu.md"), scenarios(&[("other", "src/b.rs")]));
    }
    refused(s.yatsu(&["show", "leaf"]), "`leaf` names several nodes");
}

#[test]
fn a_node_without_scenarios_says_so() {
    let s = Scratch::new();
    s.write(".spec/n/spec.md", "---\ntitle: n\n---\n");
    s.commit("first");
    assert_eq!(s.yatsu(&["show", "n"]).expect(0).out, "n  declares no scenario\n");
    assert_eq!(listed(&s, &["show", "n"]), [""; 0]);
}

/// Text from the repository is escaped before it reaches a terminal, in both forms.
#[test]
fn hostile_texts_reach_no_terminal() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    let text = scenarios(&[("works", "src/a.rs")]).replace("works works", "\"\\e[31mred \\u202e\"");
    s.write(".spec/n/yatsu.md", text);
    s.commit("first");
    for args in [&["show", "n"][..], &["ls"], &["show", "n", "--format", "json"], &["ls", "--format", "json"]] {
        let said = s.yatsu(args).expect(0);
        assert!(!said.out.contains(['\u{1b}', '\u{202e}']), "{args:?}: {:?}", said.out);
    }
}

#[test]
fn a_bare_repository_lists_head_and_a_partial_answer_says_why() {
    let s = two_nodes();
    s.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    assert_eq!(names(&s, &["-C", "../bare.git", "ls"]), ["draws", "fails", "sorts"]);
    assert_eq!(names(&s, &["-C", "../bare.git", "impact", "src/a.rs"]), ["draws"]);
    s.yatsu(&["-C", "../bare.git", "show", "."]).expect(2);
    s.git(&["config", "filter.x.clean", "cat"]);
    s.write(".gitattributes", "*.rs filter=x\n");
    s.write("src/a.rs", "changed\n");
    let rows = listed(&s, &["ls"]);
    assert_eq!(rows[0]["state"], "not-judged", "{rows:#?}");
    assert!(rows[0]["reason"].as_str().expect("a reason").contains("src/a.rs"), "{}", rows[0]["reason"]);
    assert_eq!(names(&s, &["ls", "--stale"]), [""; 0]);
}
