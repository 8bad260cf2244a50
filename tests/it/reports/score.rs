//! The score as the last line, and the cutting of long lists.

use crate::support::{BAD, Scratch, fed, one_node, reading, reading_line, scenarios, validate_published};
use serde_json::{Value, json};

/// The last line of the output.
fn last(out: &str) -> &str {
    out.lines().last().unwrap_or_default()
}

/// Six scenarios of one node, one in each state.
fn every_state() -> Scratch {
    let s = Scratch::new();
    for name in ["a", "b", "c"] {
        s.write(&format!("src/{name}.rs"), format!("fn {name}() {{}}\n"));
    }
    let all = [("passes", "src/a.rs"), ("fails", "src/a.rs"), ("old", "src/a.rs"), ("stale", "src/b.rs")];
    s.write(".spec/n/yatsu.md", scenarios(&[&all[..], &[("never", "src/a.rs")]].concat()));
    let head = s.commit("first");
    let line = |name: &str, status: &str| reading_line(&head, name, status, 1);
    let legacy = line("old", "pass").replace("\"verdict\":{\"status\":\"pass\"},", "");
    let ledger = line("passes", "pass") + &line("fails", "fail") + &line("stale", "pass") + &legacy;
    s.write(".spec/n/yatsu.evals.ndjson", ledger);
    s.write("src/b.rs", "fn b() { 1; }\n");
    s.commit("measured");
    s
}

#[test]
fn the_score_is_the_last_line_of_scan_check_and_ls_and_stands_in_their_json() {
    let s = every_state();
    let score = "5 scenarios: 3 fresh (1 pass, 1 fail, 1 legacy), 1 stale, 1 unmeasured";
    for args in [&["scan"][..], &["check"], &["check", "--rev", "HEAD"], &["ls"], &["ls", "-v"], &["scan", "--staged"]]
    {
        assert_eq!(last(&s.yatsu(args).expect(0).out), score, "{args:?}");
    }
    let counted = json!({"scenarios": 5, "fresh": 3, "pass": 1, "fail": 1, "legacy": 1, "stale": 1, "unmeasured": 1, "notJudged": 0});
    let json = |args: &[&str]| validate_published(&s.yatsu(&[args, &["--format", "json"]].concat()).expect(0).out);
    assert_eq!(json(&["scan"])["summary"]["score"], counted);
    assert_eq!(json(&["check"])["summary"]["score"], counted);
    assert_eq!(json(&["ls"])["score"], counted);
    assert_eq!(
        last(&s.yatsu(&["ls", "--stale"]).expect(0).out),
        "1 scenario: 0 fresh (0 pass, 0 fail), 1 stale, 0 unmeasured"
    );
    assert_eq!(last(&s.yatsu(&["scan", "--tag", "cli", "n"]).expect(0).out), score);
}

#[test]
fn a_good_score_is_said_too_and_none_where_nothing_is_scored() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("measured");
    let good = "1 scenario: 1 fresh (1 pass, 0 fail), 0 stale, 0 unmeasured\n";
    assert_eq!((s.yatsu(&["scan"]).expect(0).out, s.yatsu(&["check"]).expect(0).out), (good.into(), good.into()));
    for args in [
        &["scan", "-q"][..],
        &["check", "-q"],
        &["check", "--staged"],
        &["check", "--from", "HEAD", "--to", "HEAD"],
        &["pre-commit"],
        &["run"],
        &["ls", "--failing"],
        &["ls", "-q", "--failing"],
        &["impact", "src/b.rs"],
    ] {
        let said = s.yatsu(args).expect(0);
        assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "{args:?}");
    }
    assert!(!s.yatsu(&["ls", "-q"]).expect(0).out.contains("1 scenario"));
    let empty = Scratch::new();
    assert_eq!(empty.yatsu(&["scan"]).expect(0).out, "");
}

/// Allows many scenarios to govern one file.
const MANY: &str = "{\"lint\": {\"maxOwners\": 100}}";

/// `count` scenarios over `src/a.rs`, each measured before it changed.
fn moved(count: usize) -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("spexcode.json", MANY);
    let names: Vec<String> = (0..count).map(|n| format!("s{n:02}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list[..count - 1]));
    s.write(".spec/m/yatsu.md", scenarios(&list[count - 1..]));
    s.commit("first");
    for (n, name) in names.iter().enumerate() {
        reading(&s, if n == count - 1 { ".spec/m" } else { ".spec/n" }, name, "pass", 1);
    }
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("moved");
    s
}

#[test]
fn what_moved_by_one_path_is_one_block_of_which_five_are_named() {
    let s = moved(12);
    let said = s.yatsu(&["scan"]).expect(0).out;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "warning[yatsu-drift] src/a.rs moved: 12 scenarios of 2 nodes");
    assert_eq!(lines[1], "    .spec/m/yatsu.md:3:5: m/s11");
    assert_eq!(lines[6], "    and 7 more: yatsu-hook scan --limit 0");
    assert_eq!(lines.len(), 10, "{said}");
    assert!(lines[7].starts_with("    help: measure each again"), "{said}");
    assert_eq!(lines[8], "12 warnings");
    let all = s.yatsu(&["scan", "--limit", "0"]).expect(0).out;
    let named = |text: &str| {
        let is_one = |line: &&str| !line.contains("help:") && [" n/s", " m/s"].iter().any(|name| line.contains(name));
        text.lines().filter(is_one).count()
    };
    assert_eq!((named(&all), all.matches("more").count()), (12, 0), "{all}");
    let json = validate_published(&s.yatsu(&["scan", "--format", "json"]).expect(0).out);
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(12), "machines get all");
    assert_eq!(named(&s.yatsu(&["scan", "--strict"]).expect(1).out), 12, "errors are never cut");
    s.git(&["switch", "-qc", "work"]);
    s.write("src/a.rs", "fn a() { 2; }\n");
    let older = s.yatsu(&["scan", "--changed"]).expect(0).out;
    assert!(older.starts_with("older findings, not from this change:\nwarning[yatsu-drift] src/a.rs moved"), "{older}");
}

/// 32 measured scenarios over one file, with an edit of the file in the index.
fn hub() -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("spexcode.json", MANY);
    let names: Vec<String> = (0..32).map(|n| format!("s{n:02}")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&names.iter().map(|name| (name.as_str(), "src/a.rs")).collect::<Vec<_>>()));
    s.commit("first");
    names.iter().for_each(|name| reading(&s, ".spec/n", name, "pass", 1));
    s.commit("measured");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.git(&["add", "-A"]);
    s
}

/// The lines of one block of [`hub`].
#[track_caller]
fn is_one_block(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let block: Vec<&&str> = lines
        .iter()
        .skip_while(|line| **line != "warning[yatsu-drift] src/a.rs moved: 32 scenarios of 1 node")
        .collect();
    let indented = block.iter().skip(1).take_while(|line| line.starts_with("    "));
    assert_eq!((indented.count(), text.matches("yatsu-drift").count()), (7, 1), "{text}");
    assert_eq!(text.matches("    and 27 more: yatsu-hook scan --limit 0\n").count(), 1, "{text}");
    assert!(lines.len() <= 12, "{text}");
}

#[test]
fn in_every_text_door_what_moved_by_one_path_is_eight_lines() {
    let s = hub();
    for door in [&["pre-commit"][..], &["run"]] {
        is_one_block(&s.yatsu(door).expect(0).err);
    }
    for door in [&["check", "--staged"][..], &["check", "--all"], &["check"], &["scan"], &["scan", "--changed"]] {
        is_one_block(&s.yatsu(door).expect(0).out);
    }
    let json = validate_published(&s.yatsu(&["pre-commit", "--format", "json"]).expect(0).out);
    let listed = json["findings"].as_array().map(Vec::len);
    assert_eq!((listed, &json["hidden"]), (Some(20), &12.into()), "programs read what they read before");
    let before = s.git(&["rev-parse", "HEAD"]);
    s.commit("moved");
    is_one_block(&s.yatsu(&["check", "--from", &before]).expect(0).out);
    is_one_block(&s.yatsu(&["check", "--rev", "HEAD"]).expect(0).out);
    let head = s.git(&["rev-parse", "HEAD"]);
    let push = format!("refs/heads/main {head} refs/heads/main {before}\n");
    is_one_block(&fed(s.yatsu_command(&["pre-push", "origin", "url"]), push).expect(0).err);
    is_one_block(&fed(s.yatsu_command(&["pre-receive"]), format!("{before} {head} refs/heads/x\n")).expect(0).err);
}

#[test]
fn errors_stand_before_a_block_and_are_no_block() {
    let s = hub();
    s.write(".spec/z/yatsu.md", BAD);
    s.git(&["add", "-A"]);
    for (door, code) in [(&["pre-commit"][..], 1), (&["check", "--staged"], 1), (&["check", "--all"], 1)] {
        let said = s.yatsu(door).expect(code);
        let text = said.out + &said.err;
        assert!(text.starts_with(".spec/z/yatsu.md:") && text.contains("and 27 more"), "{text}");
    }
    let strict = s.yatsu(&["check", "--staged", "--strict"]).expect(1).out;
    assert_eq!((strict.matches("error[yatsu-drift]").count(), strict.matches("more:").count()), (32, 0), "{strict}");
}

#[test]
fn a_commit_that_introduces_only_infos_prints_them() {
    let s = hub();
    s.commit("moved");
    s.yatsu(&["eval", "n/s00", "--fail", "--note", "it does not"]).expect(0);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["pre-commit"]).expect(0);
    assert!(said.err.contains("info[yatsu-failing] n/s00: "), "{}", said.err);
    assert_eq!(said.err.matches("[yatsu-").count(), 1, "{}", said.err);
}

#[test]
fn what_the_branch_introduced_is_never_cut() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("spexcode.json", MANY);
    s.commit("first");
    s.git(&["switch", "-qc", "work"]);
    let names: Vec<String> = (0..30).map(|n| format!("s{n:02}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "src/a.rs")).collect();
    s.write(".spec/n/yatsu.md", scenarios(&list));
    let named = |args: &[&str]| s.yatsu(&[&["scan"], args].concat()).expect(0).out.matches("n/s").count();
    assert_eq!(
        [named(&[]), named(&["--changed"]), named(&["--limit", "3"]), named(&["--limit", "0"])],
        [10, 30, 3, 30]
    );
    assert!(s.yatsu(&["scan"]).expect(0).out.contains("n/s09 and 20 more: yatsu-hook ls --unmeasured\n"));
}

#[test]
fn ls_has_a_header_columns_and_why() {
    let s = every_state();
    let aged = |out: String| {
        let word = |word: &str| if word.ends_with('w') && word.len() < 5 { "AGO".to_owned() } else { word.to_owned() };
        out.lines().map(|line| line.split("  ").map(word).collect::<Vec<_>>().join("  ")).collect::<Vec<_>>()
    };
    let table = s.yatsu(&["ls"]).expect(0).out;
    let header: Vec<&str> = table.lines().next().expect("a header").split_whitespace().collect();
    assert_eq!(header, ["STATE", "VERDICT", "SCENARIO", "TAGS", "AGE", "WHY"]);
    assert!(aged(table).iter().any(|line| line.starts_with("stale") && line.ends_with("code: src/b.rs")));
    let long = s.yatsu(&["ls", "-v"]).expect(0).out;
    assert!(long.contains("stale      pass   n/stale") && long.contains("2026-01-01T00:01:00.000Z @ "), "{long}");
    let plain = s.yatsu(&["scan", "--ascii"]).expect(0).out;
    assert!(plain.is_ascii() && plain.contains("n/never"), "{plain}");
}

#[test]
fn ls_takes_a_scenario_behind_its_node() {
    let s = every_state();
    let names = |args: &[&str]| {
        let said = s.yatsu(&[&["ls", "--format", "json"], args].concat()).expect(0).out;
        let rows = validate_published(&said)["scenarios"].clone();
        let name = |row: &Value| row["scenario"].as_str().expect("a name").to_owned();
        rows.as_array().expect("a list").iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&["n/stale"]), ["stale"]);
    assert_eq!(names(&[".spec/n/stale", "n/never", "--stale"]), ["stale"]);
    assert_eq!(names(&["n"]), names(&[]));
    assert!(s.yatsu(&["ls", "n/nothing"]).expect(2).err.contains("declares no scenario"));
}

#[test]
fn a_fail_that_speaks_is_never_green() {
    let s = every_state();
    for args in
        [&["ls", "--color", "always"][..], &["ls", "-v", "--color", "always"], &["show", "n", "--color", "always"]]
    {
        let said = s.yatsu(args).expect(0).out;
        let fails: Vec<&str> =
            said.lines().filter(|line| line.contains("fail") && !line.contains(" scenarios:")).collect();
        assert!(!fails.is_empty() && fails.iter().any(|line| line.contains("\u{1b}[31m")), "{said}");
        assert!(fails.iter().all(|line| !line.contains("\u{1b}[32m")), "{said}");
    }
}

#[test]
fn show_all_lists_what_was_withdrawn_and_retract_says_what_counts_now() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "pass", 1);
    reading(&s, ".spec/n", "works", "fail", 2);
    s.commit("measured");
    s.write("src/a.rs", "fn a() { 1; }\n");
    let retract = |more: &[&str]| s.yatsu(&[&["retract", "n", "--scenario", "works"], more].concat()).expect(0).out;
    let (first, second) = ("2026-01-01T00:01:00.000Z", "2026-01-01T00:02:00.000Z");
    assert_eq!(
        retract(&["--note", "wrong machine"]),
        format!("retracted n/works {second}; latest is now pass {first} (stale)\n")
    );
    let all = s.yatsu(&["show", "n", "--all"]).expect(0).out;
    assert!(
        all.contains(&format!("  {second} fail retracted 20")) && all.contains(": wrong machine  manual@1"),
        "{all}"
    );
    assert!(!s.yatsu(&["show", "n"]).expect(0).out.contains("retracted"));
    let json = validate_published(&s.yatsu(&["show", "n", "--all", "--format", "json"]).expect(0).out);
    let readings = &json["scenarios"][0]["readings"];
    assert_eq!(readings[0]["retracted"]["note"], "wrong machine");
    assert_eq!((&readings[1]["retracted"], &json["scenarios"][0]["state"]), (&Value::Null, &"stale".into()));
    let said = validate_published(&retract(&["--format", "json"]));
    assert_eq!(said["latest"], Value::Null);
    assert_eq!(s.yatsu(&["ls", "--unmeasured"]).expect(0).out.matches("n/works").count(), 1);
}
