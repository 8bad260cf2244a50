//! Filing: cases 51 to 59 of the freshness document, each with a scan right afterwards.

use super::*;

#[test]
fn case_51_dirty_bytes_are_filed_with_a_warning() {
    let s = repository("");
    s.write("src/a.rs", "not committed\n");
    refused(&s, eval(&s, &["--pass", "--strict"]), 1, "governed files differ");
    let said = eval(&s, &["--pass"]).expect(0);
    let order = "the order that leaves no doubt: commit, measure, file";
    assert!(
        said.err.starts_with("warning: governed files differ") && said.err.contains("\n  src/a.rs\n"),
        "{}",
        said.err
    );
    assert!(said.err.contains(order) && said.out.starts_with("filed "), "{}", said.err);
    assert_eq!((&last(&s)["dirty"], drift(&s).as_str()), (&true.into(), ""));
    s.commit("exactly what was measured");
    assert_eq!(drift(&s), "");
    s.write("src/a.rs", "other bytes\n");
    assert_eq!(drift(&s), "code");
}

#[test]
fn case_51_unstamped_nothing_testifies_to_an_edit() {
    let s = repository("");
    s.write("spexcode.json", r#"{"yatsu":{"stampContent":false}}"#);
    s.commit("no stamps");
    s.write("src/a.rs", "not committed\n");
    eval(&s, &["--pass"]).expect(0);
    let line = last(&s);
    assert!(line.get("governed").is_none() && line.get("scenarioHash").is_none() && line["dirty"] == true);
    s.commit("measured");
    assert_eq!(drift(&s), "anchor");
}

#[test]
fn case_53_measured_and_committed_as_is_then_filed() {
    let s = repository("");
    s.write("src/a.rs", "measured\n");
    s.commit("measured");
    let said = eval(&s, &["--pass", "--strict"]).expect(0);
    assert_eq!((super::warned(&said).as_str(), last(&s).get("dirty"), drift(&s).as_str()), ("", None, ""));
    // The ledger itself is not governed.
    s.commit("filed");
    assert_eq!(drift(&s), "");
}

#[test]
fn what_was_filed_passes_the_gate() {
    let s = repository("");
    s.write("src/a.rs", "not committed\n");
    eval(&s, &["--pass"]).expect(0);
    s.git(&["add", "-A"]);
    s.yatsu(&["pre-commit"]).expect(0);
}

#[test]
fn case_55_a_path_gained_after_filing_is_judged_at_the_commit() {
    let s = repository("src/a.rs");
    s.write("src/b.rs", "fn b() {}\n");
    s.commit("b");
    eval(&s, &["--pass"]).expect(0);
    s.write(".spec/board/yatsu.md", scenarios(&[("renders", "[src/a.rs, src/b.rs]")]));
    assert_eq!(drift(&s), "");
    s.write("src/b.rs", "changed\n");
    assert_eq!(drift(&s), "code");
}

#[test]
fn case_56_an_optional_path() {
    let s = repository("[src/a.rs, '?gen/x.rs']");
    assert_eq!(super::warned(&eval(&s, &["--pass", "--strict"]).expect(0)), "");
    assert_eq!((&last(&s)["governed"]["gen/x.rs"], drift(&s).as_str()), (&"-".into(), ""));
    s.write("gen/x.rs", "appears\n");
    s.git(&["add", "gen"]);
    assert_eq!(drift(&s), "code");
}

#[test]
fn case_57_a_file_added_below_or_deleted_from_a_stamped_directory() {
    let s = repository("src");
    s.write("src/b.rs", "b\n");
    s.commit("b");
    eval(&s, &["--pass"]).expect(0);
    s.write("src/new.rs", "added\n");
    assert_eq!(drift(&s), "code");
    std::fs::remove_file(s.root.join("src/new.rs")).expect("removed");
    std::fs::remove_file(s.root.join("src/b.rs")).expect("removed");
    let said = eval(&s, &["--pass"]).expect(0);
    assert!(said.err.contains("\n  src/b.rs\n"), "{}", said.err);
    assert_eq!((&last(&s)["dirty"], drift(&s).as_str()), (&true.into(), ""));
    assert!(last(&s)["governed"].get("src/b.rs").is_none());
}

#[test]
fn case_58_more_than_256_files_are_not_stamped() {
    let s = repository("many");
    for number in 0..257 {
        s.write(&format!("many/{number}.txt"), format!("{number}\n"));
    }
    s.commit("many");
    eval(&s, &["--pass"]).expect(0);
    assert!(last(&s).get("governed").is_none());
    assert_eq!(drift(&s), "");
    std::fs::remove_file(s.root.join("many/7.txt")).expect("removed");
    eval(&s, &["--fail"]).expect(0);
    assert_eq!(last(&s)["governed"].as_object().map(serde_json::Map::len), Some(256));
    assert_eq!(last(&s)["dirty"], true);
}

#[test]
fn a_line_over_32_kib_goes_without_its_stamp() {
    let s = repository("deep");
    let deep = "d".repeat(200);
    for number in 0..200 {
        s.write(&format!("deep/{deep}/{number}"), "x\n");
    }
    s.commit("deep");
    eval(&s, &["--pass"]).expect(0);
    assert!(last(&s).get("governed").is_none() && s.read(LEDGER).len() < 32 << 10);
    // The same reading again is recognised, although it has no stamp.
    assert!(eval(&s, &["--pass"]).expect(0).out.starts_with("already filed "));
}

#[test]
fn case_59_a_governed_file_that_is_absent() {
    let s = repository("[src/a.rs, src/later.rs]");
    eval(&s, &["--pass"]).expect(0);
    assert_eq!(last(&s)["governed"]["src/later.rs"], "-");
    s.write("src/later.rs", "appears\n");
    s.git(&["add", "src"]);
    assert_eq!(drift(&s), "code");
}

#[test]
fn executables_links_and_globs_are_stamped_as_git_would_name_them() {
    let s = repository("['bin/*', src/a.rs, link]");
    s.write("bin/run", "#!/bin/sh\n");
    s.git(&["add", "bin"]);
    s.git(&["update-index", "--chmod=+x", "bin/run"]);
    std::os::unix::fs::symlink("src/a.rs", s.root.join("link")).expect("linked");
    s.git(&["add", "link"]);
    s.git(&["commit", "-qm", "more"]);
    s.git(&["checkout", "-q", "."]);
    assert_eq!(super::warned(&eval(&s, &["--pass", "--strict"]).expect(0)), "");
    let id = |path: &str| s.git(&["rev-parse", &format!("HEAD:{path}")]);
    let expected = serde_json::json!({
        "bin/run": format!("x:{}", id("bin/run")), "link": format!("l:{}", id("link")), "src/a.rs": id("src/a.rs"),
    });
    assert_eq!((&last(&s)["governed"], drift(&s).as_str()), (&expected, ""));
}

#[test]
fn a_pass_without_the_evidence_that_its_tag_asks_for_is_advised_against_and_strict_refuses_it() {
    let s = repository("");
    let asks = |rules: &str| {
        s.write("spexcode.json", format!("{{\"yatsu\":{{\"evidenceFor\":{{\"cli\":[\"image\",\"video\"]}}{rules}}}}}"));
    };
    asks("");
    s.write("out.txt", "a transcript");
    s.write("shot.png", PNG);
    let needs = "a pass under the tag cli needs evidence of kind image or video";
    for flags in [&["--pass"][..], &["--pass", "--result", "out.txt"], &["--pass", "--dry-run"]] {
        refused(&s, eval(&s, &[flags, &["--strict"]].concat()), 1, needs);
    }
    assert_eq!(lines(&s).len(), 0);
    let said = eval(&s, &["--pass"]).expect(0);
    assert_eq!(super::warned(&said), format!("warning: {needs}: --image FILE or --video FILE\n"));
    assert_eq!(super::warned(&eval(&s, &["--pass", "--note", "n", "-q"]).expect(0)), "");
    assert_eq!(super::warned(&eval(&s, &["--fail", "--note", "n", "--strict"]).expect(0)), "");
    assert_eq!(super::warned(&eval(&s, &["--pass", "--image", "shot.png", "--strict"]).expect(0)), "");
    asks(",\"rules\":{\"evidence-kind\":\"info\"}");
    assert_eq!(super::warned(&eval(&s, &["--pass", "--strict"]).expect(0)), "");
}
