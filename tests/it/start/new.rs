//! `new`: creates a scenario.

use super::{everything, somebodys};
use crate::support::{Scratch, scenarios, validate_published};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_new_scenario_passes_the_gate_and_its_reading_waits_for_words() {
    let scratch = somebodys();
    let said = scratch.yatsu(&["new", "--code", "src/greet.rs"]).expect(0);
    assert_eq!(said.out, "created greet/greet in .spec/greet/yatsu.md\n");
    assert_eq!(
        said.err,
        "next: say what is measured: edit lines 5 and 7 of .spec/greet/yatsu.md\n      git add .spec/greet\n      \
         yatsu-hook install\n      measure it, then: yatsu-hook eval .spec/greet/greet --pass   (or --fail)\n"
    );
    scratch.git(&["add", "."]);
    let hook = scratch.yatsu(&["pre-commit"]).expect(0);
    assert!(!hook.err.contains("error"), "{}", hook.err);
    scratch.commit("ours");
    scratch.yatsu(&["check"]).expect(0);

    let refused = scratch.yatsu(&["eval", "greet", "--pass"]).expect(1);
    assert!(refused.err.contains(".spec/greet/yatsu.md:5: `description`"), "{}", refused.err);
    assert!(refused.err.contains(".spec/greet/yatsu.md:7, `expected`"), "{}", refused.err);
    assert!(refused.err.ends_with("FAILED: nothing filed\n"));
    let half = scratch.read(".spec/greet/yatsu.md").replace("Say what to do step by step", "Call it step by step");
    scratch.write(".spec/greet/yatsu.md", half);
    let refused = scratch.yatsu(&["eval", "greet", "--fail", "--dry-run"]).expect(1);
    assert!(refused.err.contains(".spec/greet/yatsu.md:7: `expected`"), "{}", refused.err);
    let whole = scratch.read(".spec/greet/yatsu.md").replace("Say what a perfect result looks like.", "It greets.");
    scratch.write(".spec/greet/yatsu.md", whole);
    scratch.yatsu(&["eval", "greet", "--pass"]).expect(0);
}

#[test]
fn the_code_names_the_scenario_where_nobody_does() {
    let scratch = somebodys();
    scratch.write("src/bow.rs", "pub fn bow() {}\npub fn nod() {}\n");
    scratch.write(".spec/told/spec.md", "---\ntitle: told\ncode:\n  - src/bow.rs\n---\n");
    scratch.commit("more");
    for (args, created) in [
        (&["--code", "src/greet.rs"][..], "greet/greet"),
        (&["board", "--code", "src/bow.rs", "src/greet.rs"], "board/bow"),
        (&["unit", "--code", "src/bow.rs#nod"], "unit/nod"),
        (&["all", "--code", "src/*.rs"], "all/all"),
        (&["told"], "told/bow"),
        (&["named", "--code", "src/greet.rs", "--scenario", "works"], "named/works"),
    ] {
        let said = scratch.yatsu(&[&["new"], args].concat()).expect(0).out;
        assert!(said.starts_with(&format!("created {created} in ")), "{args:?}: {said}");
    }
    let again = scratch.yatsu(&["new", "greet", "--code", "src/bow.rs"]).expect(1);
    assert!(again.out.starts_with("  - name: bow\n"), "another scenario of the node: {}{}", again.out, again.err);
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check"]).expect(0);
}

#[test]
fn who_says_everything_has_nothing_to_edit_and_reads_a_receipt() {
    let scratch = somebodys();
    let words = ["--description", "call greet()", "--expected", "it: greets", "--title", "Greeting"];
    let said = scratch.yatsu(
        &[
            &["init", "a/hello", "--code", "src/greet.rs", "--scenario", "says hello"],
            &words[..],
            &["--format", "json"],
        ]
        .concat(),
    );
    let receipt = validate_published(&said.expect(0).out);
    assert_eq!((&receipt["outcome"], &receipt["node"]), (&"created".into(), &"hello".into()));
    assert_eq!(receipt["files"], serde_json::json!([".spec/a/hello/spec.md", ".spec/a/hello/yatsu.md"]));
    assert_eq!(receipt["next"], serde_json::json!(["yatsu-hook", "eval", ".spec/a/hello", "--scenario=says hello"]));
    let text = scratch.read(".spec/a/hello/yatsu.md");
    assert!(
        text.contains("    description: \"call greet()\"\n") && text.contains("    expected: \"it: greets\"\n"),
        "{text}"
    );
    scratch.git(&["add", "."]);
    scratch.commit("ours");
    scratch.yatsu(&["eval", ".spec/a/hello", "--scenario=says hello", "--pass"]).expect(0);
}

#[test]
fn what_is_there_is_never_written_over_and_the_entry_is_shown() {
    let scratch = somebodys();
    scratch.yatsu(&["new", "--code", "src/greet.rs"]).expect(0);
    let before = everything(&scratch);
    let again = scratch.yatsu(&["new", "--code", "src/greet.rs"]).expect(1);
    assert!(again.err.contains("is there already; nothing was written") && again.out.is_empty(), "{}", again.err);
    let other = scratch.yatsu(&["add", "greet", "--code", "src/greet.rs", "--scenario", "bows"]).expect(1);
    assert!(other.out.starts_with("  - name: bows\n    # What to do"), "{}", other.out);
    assert_eq!(everything(&scratch), before);
    let file = scratch.read(".spec/greet/yatsu.md");
    scratch.write(".spec/greet/yatsu.md", file.trim_end_matches("---\n").to_owned() + &other.out + "---\n");
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check"]).expect(0);
}

/// A second list of the same paths would keep a path that is dead, and nothing would find it there.
#[test]
fn one_file_is_written_and_it_alone_names_the_code() {
    let scratch = somebodys();
    scratch.yatsu(&["new", "--code", "src/greet.rs"]).expect(0);
    assert_eq!(scratch.git(&["ls-files", "--others"]), ".spec/greet/yatsu.md");
    scratch.commit("ours");
    scratch.git(&["mv", "src/greet.rs", "src/hello.rs"]);
    scratch.write(".spec/greet/yatsu.md", scratch.read(".spec/greet/yatsu.md").replace("src/greet.rs", "src/hello.rs"));
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
    assert_eq!(scratch.try_git(&["grep", "-F", "src/greet.rs", "--", ".spec"]).out, "");
}

#[test]
fn a_title_has_a_file_of_its_own_which_is_said() {
    let scratch = somebodys();
    let said = scratch.yatsu(&["new", "--code", "src/greet.rs", "--title", "Greeting: all"]).expect(0);
    assert_eq!(said.out, "created greet/greet in .spec/greet/yatsu.md, with .spec/greet/spec.md\n");
    assert_eq!(scratch.read(".spec/greet/spec.md"), "---\ntitle: \"Greeting: all\"\nstatus: active\n---\n");
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
}

#[test]
fn the_test_that_measures_it_is_named_in_the_entry() {
    let scratch = somebodys();
    scratch.write("tests/greet.rs", "#[test]\nfn it_greets() {}\n");
    scratch.write("tests/a::b.rs", "");
    for (at, (test, line)) in [
        ("tests/greet.rs", "    test: tests/greet.rs\n"),
        ("tests/greet.rs::it_greets", "    test: {path: tests/greet.rs, name: it_greets}\n"),
        ("tests/greet.rs::A::it, \"greets\"", "    test: {path: tests/greet.rs, name: \"A::it, \\\"greets\\\"\"}\n"),
        ("tests/a::b.rs", "    test: \"tests/a::b.rs\"\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let node = format!("n{at}");
        let said = scratch.yatsu(&["new", &node, "--code", "src/greet.rs", "--test", test]).expect(0);
        let text = scratch.read(&format!(".spec/{node}/yatsu.md"));
        assert!(text.contains(line), "{text}");
        assert!(said.err.contains("git add .spec/n"), "{}", said.err);
        assert!(said.err.contains("--from-junit FILE") && !said.err.contains("--pass"), "{}", said.err);
    }
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
    for test in ["tests", "tests/nope.rs", "tests/*.rs", "../x", "tests/greet.rs::", "tests/nope.rs::it"] {
        scratch.yatsu(&["new", "other", "--code", "src/greet.rs", "--test", test]).expect(2);
    }
    assert!(!scratch.root.join(".spec/other").exists());
}

#[test]
fn a_second_scenario_is_added_to_the_file_that_is_there() {
    let scratch = somebodys();
    scratch.write("src/bow.rs", "pub fn bow() {}\n");
    scratch.yatsu(&["new", "--code", "src/greet.rs"]).expect(0);
    let first = scratch.read(".spec/greet/yatsu.md").replace("---\n", "# prose\n---\n").replacen("# prose\n", "", 1);
    scratch.write(".spec/greet/yatsu.md", first.clone() + "the end");
    let add = ["new", "greet", "--code", "src/bow.rs", "--append"];
    let dry = scratch.yatsu(&[&add[..], &["--dry-run"]].concat()).expect(0);
    assert!(
        dry.out.starts_with("+++ .spec/greet/yatsu.md\n+  - name: bow\n") && !dry.out.contains("name: greet"),
        "{}",
        dry.out
    );
    assert_eq!(scratch.read(".spec/greet/yatsu.md"), first.clone() + "the end");
    let refused = scratch.yatsu(&add[..4]).expect(1);
    assert!(refused.err.contains("hint: or let it be added: --append\n"), "{}", refused.err);
    let said = scratch.yatsu(&add).expect(0);
    assert_eq!(said.out, "created greet/bow in .spec/greet/yatsu.md\n");
    assert!(
        said.err.contains("edit 4 lines of .spec/greet/yatsu.md") && said.err.contains("eval .spec/greet/bow"),
        "{}",
        said.err
    );
    let text = scratch.read(".spec/greet/yatsu.md");
    let (above, below) = first.split_once("# prose").expect("the comment");
    assert!(text.starts_with(above) && text.ends_with(&format!("# prose{below}the end")), "{text}");
    assert!(text.contains("    code: [src/greet.rs]\n  - name: bow\n"), "{text}");
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
    let again = scratch.yatsu(&add).expect(1);
    assert!(again.err.contains("it declares `bow`: choose another name"), "{}", again.err);
    let json = scratch.yatsu(&[&add[..], &["--scenario", "nods", "--format", "json"]].concat()).expect(0);
    assert_eq!(validate_published(&json.out)["files"], serde_json::json!([".spec/greet/yatsu.md"]));
}

#[test]
fn a_file_that_is_not_written_entry_by_entry_is_left_and_the_entry_is_shown() {
    let scratch = somebodys();
    let flow = "---\nscenarios: [{name: a, description: d, expected: e, tags: [cli], code: src/greet.rs}]\n---\n";
    scratch.write(".spec/greet/yatsu.md", flow);
    let said = scratch.yatsu(&["new", "greet", "--code", "src/greet.rs", "--append"]).expect(1);
    assert!(
        said.out.starts_with("  - name: greet\n") && said.err.contains("paste the entry"),
        "{}{}",
        said.out,
        said.err
    );
    assert_eq!(scratch.read(".spec/greet/yatsu.md"), flow);
    // a link is not written through
    scratch.write("elsewhere.md", scenarios(&[("a", "src/greet.rs")]));
    fs::remove_file(scratch.root.join(".spec/greet/yatsu.md")).expect("removed");
    std::os::unix::fs::symlink("../../elsewhere.md", scratch.root.join(".spec/greet/yatsu.md")).expect("a link");
    let said = scratch.yatsu(&["new", "greet", "--code", "src/greet.rs", "--append"]);
    assert_ne!(said.code, 0, "{}", said.out);
    assert_eq!(scratch.read("elsewhere.md"), scenarios(&[("a", "src/greet.rs")]));
}

#[test]
fn a_spec_file_that_is_there_stays_byte_for_byte() {
    for (spec, args, own) in [
        ("---\r\ntitle: a: b\r\ncode: src/greet.rs\r\n---\r\nprose\r\n", &["new", "greet"][..], false),
        ("---\ntitle: a\n---\n", &["new", "greet", "--code", "src/greet.rs"], true),
    ] {
        let scratch = somebodys();
        scratch.write(".spec/greet/spec.md", spec);
        scratch.yatsu(args).expect(0);
        assert_eq!(scratch.read(".spec/greet/spec.md"), spec);
        assert_eq!(scratch.read(".spec/greet/yatsu.md").contains("code: [src/greet.rs]"), own, "{args:?}");
        scratch.git(&["add", "."]);
        scratch.yatsu(&["check", "--staged"]).expect(0);
    }
    let scratch = somebodys();
    scratch.write(".spec/greet/spec.md", "---\ntitle: a\n---\n");
    let said = scratch.yatsu(&["new", "greet"]).expect(2);
    assert!(said.err.contains("--code PATH"), "{}", said.err);
}

#[test]
fn every_name_that_a_file_can_have_is_governed_as_itself() {
    let names =
        ["-x.rs", "a b.rs", "a, b.rs", "\u{e9}", "# x", "yes.rs", "true", "a\"b", "it's", "a:b", "[x]", "1.5", "a#b"];
    let scratch = Scratch::new();
    for name in names {
        scratch.write(name, "x\n");
    }
    scratch.commit("theirs");
    for (at, name) in names.iter().enumerate() {
        let (node, flag) = (format!("n{at}"), format!("--code={name}"));
        scratch.yatsu(&["new", &node, &flag]).expect(0);
    }
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
    for (at, name) in names.iter().enumerate() {
        let impact = scratch.yatsu(&["impact", "--", name]).expect(0);
        assert!(impact.out.contains(&format!("n{at}")), "{name}: {}", impact.out);
    }
}

#[test]
fn a_glob_a_directory_a_unit_and_what_git_does_not_know_yet_are_governed_too() {
    let scratch = somebodys();
    for (code, node) in [("*", Some("all")), ("src", None), ("src/greet.rs#greet", None), ("src/*.rs", Some("globbed"))]
    {
        let args = [&["new"][..], node.as_slice(), &["--code", code]].concat();
        scratch.yatsu(&args).expect(0);
    }
    scratch.write("src/later.rs", "fn later() {}\n");
    let said = scratch.yatsu(&["new", "--code", "src/later.rs"]).expect(0);
    assert!(said.err.contains("git add .spec/later src/later.rs\n"), "{}", said.err);
    scratch.git(&["add", "."]);
    scratch.yatsu(&["check", "--staged"]).expect(0);
}

#[test]
fn what_governs_nothing_or_cannot_be_committed_is_refused() {
    let scratch = somebodys();
    scratch.write(".gitignore", "*.log\nout/\n");
    scratch.write("a.log", "x");
    scratch.write("out/x.rs", "x");
    fs::create_dir(scratch.root.join("empty")).unwrap();
    let before = everything(&scratch);
    for code in [
        "a.log",
        "out",
        "out/x.rs",
        "empty",
        "nope.rs",
        "*.nope",
        "src/greet.rs#nope",
        "/etc/passwd",
        "../x",
        ".git/config",
        "",
        "?src/greet.rs",
        "a\nb",
        ".",
    ] {
        let said = scratch.yatsu(&["new", "node", &format!("--code={code}")]).expect(2);
        assert!(said.err.starts_with("yatsu-hook: ") && said.out.is_empty(), "{code}: {}", said.err);
    }
    for args in [
        &["new"][..],
        &["new", "node"],
        &["new", "--code", "src/*.rs"],
        &["new", "-x", "--code", "src/greet.rs"],
        &["new", "a/../..", "--code", "src/greet.rs"],
        &["new", "node", "--code", "src/greet.rs", "--tag", "nope"],
        &["new", "node", "--code", "src/greet.rs", "--scenario", " "],
        &["new", "node", "--code", "src/greet.rs", "--title", "a\nb"],
    ] {
        scratch.yatsu(args).expect(2);
    }
    assert_eq!(everything(&scratch), before, "nothing was written");
}

#[test]
fn where_git_would_never_have_it_nothing_is_begun() {
    let scratch = somebodys();
    scratch.write(".gitignore", "# python\n*.spec\n");
    scratch.commit("stock");
    let said = scratch.yatsu(&["new", "--code", "src/greet.rs"]).expect(1);
    assert!(said.err.contains("`*.spec` (.gitignore:2)") && said.err.contains("`!/.spec/`"), "{}", said.err);
    assert!(!scratch.root.join(".spec").exists());
}

#[test]
fn where_nothing_can_be_written_nothing_is_left() {
    let scratch = somebodys();
    // in the place of the directory
    scratch.write(".spec/a", "in the way\n");
    let before = everything(&scratch);
    let said = scratch.yatsu(&["new", "a/b", "--code", "src/greet.rs"]);
    assert!(matches!(said.code, 1..=3), "{}", said.err);
    assert_eq!(everything(&scratch), before);
    let scratch = somebodys();
    fs::create_dir(scratch.root.join(".spec")).unwrap();
    let mode = |mode| fs::set_permissions(scratch.root.join(".spec"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let said = scratch.yatsu_held_off(&["new", "--code", "src/greet.rs"]).expect(3);
    mode(0o755);
    assert!(said.err.contains("give yourself the right"), "{}", said.err);
    assert_eq!(fs::read_dir(scratch.root.join(".spec")).unwrap().count(), 0);
}

#[test]
fn a_dry_run_shows_the_files_and_a_bare_repository_has_no_place_for_them() {
    let scratch = somebodys();
    let said = scratch.yatsu(&["new", "--code", "src/greet.rs", "--dry-run"]).expect(0);
    assert!(said.out.contains("+++ .spec/greet/yatsu.md\n+---\n"), "{}", said.out);
    assert!(said.out.ends_with("would create greet/greet in .spec/greet/yatsu.md; nothing was written\n"));
    assert!(!scratch.root.join(".spec").exists());
    let bare = Scratch::with_init(&["--bare"]);
    bare.yatsu(&["new", "a", "--code", "x"]).expect(1);
}

#[test]
fn a_repository_of_the_newer_names_gets_them_and_paths_are_seen_from_where_one_stands() {
    let scratch = somebodys();
    scratch.write(".spec/old/eval.md", scenarios(&[("s", "src/greet.rs")]));
    scratch.commit("newer");
    let mut command = scratch.yatsu_command(&["new", "--code", "greet.rs"]);
    let said = crate::support::Said::of(command.current_dir(scratch.root.join("src")).output().unwrap()).expect(0);
    assert_eq!(said.out, "created greet/greet in .spec/greet/eval.md\n");
    assert!(scratch.read(".spec/greet/eval.md").contains("code: [src/greet.rs]"));
}
