//! Names that a user types: a node, a scenario, a path. All verbs interpret them alike, and none ignores an unknown
//! one.

use crate::support::{Said, Scratch, one_node, reading, reading_line, scenarios, validate_published};
use serde_json::{Value, json};

/// Two measured nodes, `board` and `list`, in a repository with one branch of this name.
fn on_branch(name: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.git(&["branch", "-m", name]);
    for node in ["board", "list"] {
        scratch.write(&format!("src/{node}.rs"), format!("fn {node}() {{}}\n"));
        scratch.write(&format!(".spec/{node}/yatsu.md"), scenarios(&[("works", &format!("src/{node}.rs"))]));
    }
    scratch.commit("first");
    for node in ["board", "list"] {
        reading(&scratch, &format!(".spec/{node}"), "works", "pass", 1);
    }
    scratch.commit("measured");
    scratch
}

/// Every verb that takes a node, with the node `.`.
const OF_A_NODE: [&[&str]; 5] = [
    &["show"],
    &["scan"],
    &["eval", "--pass", "--dry-run"],
    &["retract", "--scenario", "works"],
    &["redact", "--scenario", "works", "--ts", "2026-01-01T00:01:00.000Z", "--reason", "a name"],
];

/// The verb with this node instead.
fn about(s: &Scratch, verb: &[&str], node: &str) -> Said {
    s.yatsu(&[&[verb[0], node], &verb[1..]].concat())
}

#[test]
fn what_is_listed_is_narrowed_to_the_nodes_that_are_named() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "1\n");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("more", "src/a.rs")]));
    scratch.write(".spec/m/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.commit("first");
    let listed = |args: &[&str]| {
        let said = scratch.yatsu(&[&["ls", "--format", "json"], args].concat()).expect(0).out;
        let rows = validate_published(&said)["scenarios"].as_array().expect("a list").clone();
        rows.iter()
            .map(|row| format!("{}/{}", row["node"].as_str().unwrap(), row["scenario"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(&["n"]), ["n/works", "n/more"]);
    assert_eq!(listed(&[".spec/n/", "m"]), ["m/works", "n/works", "n/more"]);
    assert_eq!(listed(&["n", "--unmeasured"]), ["n/works", "n/more"]);
    assert!(listed(&["n", "--failing"]).is_empty());
    let said = scratch.yatsu(&["ls", "nn"]).expect(2);
    assert!(said.out.is_empty() && said.err.contains("nn"), "{}", said.err);
}

#[test]
fn a_dot_is_the_same_node_in_every_verb() {
    for branch in ["main", "trunk"] {
        for verb in OF_A_NODE {
            let s = on_branch(branch);
            let said = about(&s, verb, ".");
            assert_eq!(said.code, 2, "{branch}, {verb:?}, nothing is touched: {}{}", said.out, said.err);
            assert!(
                said.err.contains("no node is named, you stand in none, and none was touched since"),
                "{}",
                said.err
            );
            s.write("src/board.rs", "edited\n");
            let said = about(&s, verb, ".");
            assert!(said.code < 2, "{branch}, {verb:?}: {}", said.err);
            assert!(
                said.out.contains("board/works") || said.out.contains("board/works"),
                "{branch}, {verb:?}: {}",
                said.out
            );
            s.write("src/list.rs", "edited\n");
            let said = about(&s, verb, ".");
            assert_eq!(said.code, 2, "{branch}, {verb:?}: {}", said.out);
            assert!(said.err.contains("hint: .spec/board (board)\n  hint: .spec/list (list)\n"), "{}", said.err);
            let standing = s.yatsu(&[&["-C", ".spec/list", verb[0], "."], &verb[1..]].concat());
            assert!(standing.code < 2, "{branch}, {verb:?}: {}", standing.err);
        }
    }
}

#[test]
fn a_dot_is_unclear_in_every_verb_where_no_branch_is_checked_out_and_none_is_the_main_one() {
    let s = on_branch("trunk");
    s.git(&["checkout", "-q", "--detach"]);
    s.write("src/board.rs", "edited\n");
    for verb in OF_A_NODE {
        let said = about(&s, verb, ".");
        assert_eq!(said.code, 2, "{verb:?}: {}", said.out);
        assert!(said.err.contains("there is no main branch to compare with"), "{}", said.err);
    }
    s.yatsu(&["scan", "--changed"]).expect(2);
}

#[test]
fn what_changed_is_compared_with_head_where_there_is_no_main_branch_and_that_is_said() {
    let s = on_branch("trunk");
    s.write("src/board.rs", "edited\n");
    let said = s.yatsu(&["scan", "--changed"]).expect(0);
    assert!(said.out.contains("board/works") && !said.out.contains("list"), "{}", said.out);
    let note = "compared with HEAD: there is no main branch here";
    assert!(said.out.contains(note) || said.err.contains(note), "{}{}", said.out, said.err);
    s.git(&["branch", "main"]);
    let said = s.yatsu(&["scan", "--changed"]).expect(0);
    assert!(!said.out.contains(note) && !said.err.contains(note), "{}{}", said.out, said.err);
}

#[test]
fn a_main_branch_that_is_named_and_not_here_is_never_replaced_by_another() {
    let s = on_branch("main");
    s.write("spexcode.json", "{\"mainBranch\": \"production\"}");
    s.commit("configured");
    s.write("src/board.rs", "edited\n");
    let wanted = "spexcode.json names the main branch `production`, and neither it nor origin/production is here";
    for args in [&["scan", "--changed"][..], &["show", "."], &["eval", ".", "--pass", "--dry-run"]] {
        let said = s.yatsu(args).expect(2);
        assert!(said.err.contains(wanted) && said.err.contains("git fetch origin production"), "{}", said.err);
    }
}

/// `café` with the accent as a separate character.
const DECOMPOSED: &str = "cafe\u{301}";
/// `café` with é as one character.
const COMPOSED: &str = "caf\u{e9}";

#[test]
fn a_scenario_name_is_compared_composed_in_every_verb() {
    for (declared, typed) in [(DECOMPOSED, COMPOSED), (COMPOSED, DECOMPOSED)] {
        let s = Scratch::new();
        s.write("src/a.rs", "fn a() {}\n");
        s.write(".spec/n/yatsu.md", scenarios(&[(declared, "src/a.rs")]));
        s.commit("first");
        s.yatsu(&["eval", "n", "--scenario", typed, "--fail"]).expect(0);
        assert!(s.yatsu(&["show", "n"]).expect(0).out.contains(" fail "));
        let ledger = s.read(".spec/n/yatsu.evals.ndjson");
        assert!(ledger.contains(&format!("\"scenario\":\"{declared}\"")), "{ledger}");
        s.yatsu(&["retract", "n", "--scenario", typed]).expect(0);
        let ledger = s.read(".spec/n/yatsu.evals.ndjson");
        let retraction = ledger.lines().last().expect("a line");
        assert!(
            retraction.contains(&format!("\"scenario\":\"{declared}\"")),
            "other tools compare bytes: {retraction}"
        );
        assert!(!s.yatsu(&["show", "n"]).expect(0).out.contains(" fail "));
    }
}

#[test]
fn a_scenario_that_is_only_spelt_in_the_other_form_is_neither_new_nor_dropped() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    let text = |name: &str| {
        scenarios(&[(name, "src/a.rs")])
            .replace(&format!("{name} works"), "it works")
            .replace(&format!("measure {name}"), "measure it")
    };
    s.write(".spec/n/yatsu.md", text(DECOMPOSED));
    s.commit("first");
    reading(&s, ".spec/n", DECOMPOSED, "fail", 1);
    s.commit("measured");
    s.write("src/a.rs", "edited\n");
    s.commit("stale");
    s.write(".spec/n/yatsu.md", text(COMPOSED));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["check", "--staged", "--format", "json"]).expect(0);
    let report = validate_published(&said.out);
    let told: Vec<_> =
        report["findings"].as_array().expect("a list").iter().map(|f| (&f["rule"], &f["origin"])).collect();
    assert_eq!(told, [(&json!("yatsu-drift"), &json!("inherited"))], "{}", said.out);
}

#[test]
fn bytes_that_are_filed_again_for_changed_code_are_noticed_under_the_other_form_of_the_name() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[(DECOMPOSED, "src/a.rs")]));
    s.commit("first");
    let ledger = ".spec/n/yatsu.evals.ndjson";
    let line = |name: &str, minute: u32| {
        let line = reading_line(&s.git(&["rev-parse", "HEAD"]), name, "pass", minute);
        line.replace("null", &format!("\"{}\"", "ab".repeat(32)))
    };
    s.write(ledger, line(DECOMPOSED, 1));
    s.commit("measured");
    s.write("src/a.rs", "fn a() { 1; }\n");
    s.commit("edited");
    s.write(ledger, s.read(ledger) + &line(COMPOSED, 2));
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["check", "--staged"]).expect(0);
    assert!(said.out.contains("although the code has changed"), "{}", said.out);
}

#[test]
fn a_node_is_found_under_either_form_of_its_name_and_with_the_slash_that_shells_add() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    for dir in [DECOMPOSED, "board"] {
        s.write(&format!(".spec/{dir}/yatsu.md"), scenarios(&[("works", "src/a.rs")]));
    }
    s.commit("first");
    for typed in
        [DECOMPOSED, COMPOSED, ".spec/cafe\u{301}", ".spec/caf\u{e9}", ".spec/caf\u{e9}/", "board/", "./.spec/board"]
    {
        s.yatsu(&["show", typed]).expect(0);
    }
    let said = s.yatsu(&["show", "baord"]).expect(2);
    assert!(said.err.contains("no node is called `baord`\n  hint: .spec/board (board)\n"), "{}", said.err);
}

#[test]
fn impact_of_the_whole_repository_names_it() {
    let s = one_node();
    let said = s.yatsu(&["impact", "."]).expect(0);
    assert!(said.out.trim_end().ends_with("governs ."), "{}", said.out);
    let said = s.yatsu(&["impact", ".", "--format", "json"]).expect(0);
    assert_eq!(validate_published(&said.out)["scenarios"][0]["governs"], json!([{"path": ".", "symbol": null}]));
}

#[test]
fn impact_of_a_path_that_is_not_there_and_that_nothing_would_match_is_refused_with_what_was_meant() {
    let s = Scratch::new();
    s.write("src/board.rs", "fn a() {}\n");
    s.write("lib/x.rs", "fn x() {}\n");
    s.write(".spec/n/yatsu.md", scenarios(&[("globbed", "'lib/*.rs'"), ("listed", "src/board.rs")]));
    s.commit("first");
    let refused = |args: &[&str], hint: &str| {
        let said = s.yatsu(args).expect(2);
        assert!(
            said.out.is_empty() && said.err.contains("is not here, and nothing governs such a path"),
            "{}",
            said.err
        );
        assert!(said.err.contains(hint), "{}", said.err);
    };
    refused(&["impact", "src/baord.rs"], "did you mean src/board.rs?");
    refused(&["impact", "board.rs"], "did you mean src/board.rs?");
    refused(&["impact", "scr/board.rs"], "did you mean src/board.rs?");
    refused(&["impact", "src/board.rs", "lib/x.rss"], "did you mean lib/x.rs?");
    refused(&["impact", "zzzzzzzz"], "paths are relative to the current directory");
    assert!(s.yatsu(&["impact", "lib/new.rs"]).expect(0).out.contains("n/globbed"), "new files match globs");
    std::fs::remove_file(s.root.join("src/board.rs")).expect("removed");
    assert!(
        s.yatsu(&["impact", "src/board.rs"]).expect(0).out.contains("n/listed"),
        "a deleted file is governed still"
    );
    s.write("notes.txt", "untracked\n");
    assert_eq!(s.yatsu(&["impact", "notes.txt"]).expect(0).out, "");
}

/// (rule, path, scenario) of every finding.
fn found(s: &Scratch, args: &[&str]) -> Vec<[Value; 3]> {
    let said = s.yatsu(&[args, &["--format", "json"]].concat());
    let report = validate_published(&said.out);
    let findings = report["findings"].as_array().expect("a list").clone();
    findings.into_iter().map(|f| ["rule", "path", "scenario"].map(|key| f[key].clone())).collect()
}

#[test]
fn scan_and_check_find_the_same_in_a_whole_state_or_scan_says_what_it_left_out() {
    let s = one_node();
    s.write("yatsu-blobs/shot.txt", "thirty-two bytes or more that lie where evidence lies");
    s.write(".spec/broken/yatsu.md", crate::support::BAD);
    s.commit("evidence by its name");
    let states = [(&["scan"][..], &["check", "--all"][..]), (&["scan", "--rev", "HEAD"], &["check", "--rev", "HEAD"])];
    let by_name = "evidence among tracked files was looked for by name only";
    for (scan, check) in states {
        let (scanned, checked) = (found(&s, scan), found(&s, check));
        assert!(
            scanned.iter().any(|[rule, path, _]| rule == "stray-blob" && path == "yatsu-blobs/shot.txt"),
            "{scanned:?}"
        );
        assert_eq!(scanned, checked);
        let told = s.yatsu(scan);
        assert_eq!(told.code, s.yatsu(check).code);
        assert!(!told.out.contains(by_name), "there is no evidence that it could have looked for: {}", told.out);
    }
    let evidence = "thirty-two bytes or more of what was seen";
    s.write("shot.txt", evidence);
    s.yatsu(&["eval", "n", "--pass", "--result", "shot.txt"]).expect(0);
    s.commit("with its evidence");
    for (scan, check) in states {
        let (scanned, checked) = (found(&s, scan), found(&s, check));
        let by_content: Vec<_> = checked.iter().filter(|found| !scanned.contains(found)).collect();
        assert!(matches!(by_content.as_slice(), [[rule, path, _]] if rule == "stray-blob" && path == "shot.txt"));
        assert!(s.yatsu(scan).out.contains(by_name), "what was not looked at is said");
    }
}

#[test]
fn what_governs_nothing_is_not_said_to_be_fresh_for_ever() {
    let s = one_node();
    reading(&s, ".spec/n", "works", "pass", 1);
    s.commit("measured");
    let text = s.read(".spec/n/yatsu.md").replace("    code: src/a.rs\n", "").replace("works works", "it works better");
    s.write(".spec/n/yatsu.md", text);
    let said = s.yatsu(&["scan"]).expect(0);
    assert!(said.out.contains("reworded") && said.out.contains("warning[yatsu-ungoverned]"), "{}", said.out);
    assert!(!said.out.contains("never go stale"), "{}", said.out);
    assert!(
        said.out.contains("governs no file that exists: no change of code will make its readings stale"),
        "{}",
        said.out
    );
}

/// Two nodes with two scenarios each. `list` is measured, and its scenario `works` has evidence.
fn of_two() -> Scratch {
    let s = Scratch::new();
    s.git(&["config", "user.name", "Ann"]);
    s.write("spexcode.json", "{\"yatsu\": {\"budgets\": {\"maxTaskTotalTokens\": 10}}}");
    s.write("output.txt", "[DONE]\n");
    s.write("report.xml", "<testsuites><testsuite name='t'><testcase name='works'/></testsuite></testsuites>");
    let goal = "goal_contract:\n  version: 1\n  goal_text: g\n  acceptance_criteria:\n    - id: AC1\n      kind: marker_required\n      marker: DONE\n---\n";
    for node in ["board", "list"] {
        s.write(&format!("src/{node}.rs"), format!("fn {node}() {{}}\n"));
        let code = format!("src/{node}.rs");
        let text = scenarios(&[("works", &code), ("draws lines", &code)]);
        s.write(&format!(".spec/{node}/yatsu.md"), text.trim_end_matches("---\n").to_owned() + goal);
    }
    s.commit("first");
    for scenario in ["works", "draws lines"] {
        let over = ["--tokens", "20,0", "--token-source", "meter", "--result", "output.txt"];
        s.yatsu(&[&["eval", "list", "--scenario", scenario, "--pass"], &over[..]].concat()).expect(0);
    }
    s.commit("measured");
    std::fs::create_dir(s.base.join("there")).expect("a directory");
    s.yatsu(&["share", "on", "file:../there"]).expect(0);
    s.yatsu(&["share", "push"]).expect(0);
    s
}

/// Every verb that takes a scenario or a node, with `SCENARIO` for `works` of `list`, and the exit code.
const TAKES_A_SCENARIO: &[(&str, i32)] = &[
    ("show SCENARIO", 0),
    ("scan SCENARIO", 0),
    ("next SCENARIO", 0),
    ("usage SCENARIO", 0),
    ("goal check SCENARIO", 1),
    ("goal block SCENARIO --reason r", 0),
    ("report --html - SCENARIO", 0),
    ("evidence get SCENARIO -o got.txt", 0),
    ("share get SCENARIO", 0),
    ("graph lineage SCENARIO", 0),
    ("graph show SCENARIO", 0),
    ("claim log SCENARIO", 0),
    ("claim next SCENARIO --dry-run", 1),
    ("claim waive-budget SCENARIO --reason r", 0),
    ("eval SCENARIO --fail", 0),
    ("eval SCENARIO --from-junit report.xml --dry-run", 1),
    ("claim take SCENARIO", 1),
    ("retract SCENARIO", 0),
];

#[test]
fn every_verb_takes_a_scenario_behind_its_node_in_any_spelling_of_the_node() {
    let s = of_two();
    let place = s.base.join("kept");
    std::fs::rename(&s.root, &place).expect("a place");
    let restored = || {
        let _ = std::fs::remove_dir_all(&s.root);
        assert!(std::process::Command::new("cp").arg("-a").args([&place, &s.root]).status().expect("cp").success());
    };
    for (line, code) in TAKES_A_SCENARIO {
        let said = |word: &str| {
            restored();
            let words: Vec<&str> = line.split(' ').map(|of| if of == "SCENARIO" { word } else { of }).collect();
            s.yatsu(&words)
        };
        for word in ["list/works", ".spec/list/works", "./.spec/list/works"] {
            let done = said(word);
            assert_eq!(done.code, *code, "{line} of {word}:\n{}{}", done.out, done.err);
            // the script of a page has the word `clipboard`
            let told = (done.out + &done.err).replace("clipboard", "");
            assert!(!told.contains("board"), "{line} of {word} is about another node:\n{told}");
            assert!(line.starts_with("goal") || !told.contains("draws lines"), "{line} of {word}:\n{told}");
        }
        let unknown = said("list/wroks");
        let is_withdrawal = line.starts_with("retract") || line.starts_with("claim log");
        assert!(unknown.code == 2 || is_withdrawal || line.starts_with("graph"), "{line}: {}", unknown.err);
        assert!(unknown.err.contains("wroks") || unknown.out.is_empty(), "{line}:\n{}", unknown.err);
        assert_eq!(said("lst/works").code, if line.starts_with("graph") { 1 } else { 2 }, "{line}");
    }
}

#[test]
fn a_word_that_is_a_node_and_a_scenario_is_refused_with_both_and_each_has_another_spelling() {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write(".spec/a/yatsu.md", scenarios(&[("b", "src/a.rs")]));
    s.write(".spec/a/b/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    s.git(&["config", "user.name", "Ann"]);
    s.commit("first");
    for verb in
        [&["show"][..], &["scan"], &["next"], &["eval", "--fail"], &["claim", "take"], &["report", "--html", "-"]]
    {
        let said = s.yatsu(&[verb, &[".spec/a/b"]].concat()).expect(2);
        for word in ["is a node", "scenario", ".spec/a/b/", "--scenario"] {
            assert!(said.err.contains(word), "{verb:?}: `{word}` is not in\n{}", said.err);
        }
    }
    assert!(s.yatsu(&["eval", ".spec/a/b/", "--fail", "--dry-run"]).expect(0).out.contains("works fail"));
    assert!(s.yatsu(&["eval", ".spec/a", "--scenario", "b", "--fail", "--dry-run"]).expect(0).out.contains("/b fail"));
}

#[test]
fn what_names_a_scenario_in_a_message_can_be_pasted() {
    let s = of_two();
    s.write("src/list.rs", "fn other() {}\n");
    s.commit("moved");
    let scan = s.yatsu(&["-v", "scan"]).expect(0).out;
    assert!(scan.contains("warning[yatsu-missing] board/works: "), "{scan}");
    assert!(scan.contains("yatsu-hook eval 'board/draws lines' --pass"), "{scan}");
    let next = s.yatsu(&["next", "--limit", "0"]).expect(0).out;
    let command = next.lines().find_map(|line| line.trim().strip_prefix("then ")).expect("a command");
    let command = command.trim().strip_prefix("yatsu-hook ").expect("ours").replace("--pass   (or --fail)", "--fail");
    let words = shlex::split(&command).expect("words");
    let filed = s.yatsu(&words.iter().map(String::as_str).collect::<Vec<_>>()).expect(0).out;
    let named = filed.strip_prefix("filed ").and_then(|line| line.split(" fail").next()).expect("a receipt");
    let retracted = s.yatsu(&["retract", named]).expect(0).out;
    assert!(retracted.starts_with(&format!("retracted {named} ")), "{retracted}");
    for word in ["waived", "already waived"] {
        let waived = s.yatsu(&["claim", "waive-budget", "list/works", "--reason", "r"]).expect(0).out;
        assert!(waived.starts_with(&format!("{word} list/works at ")), "{waived}");
    }
}

/// A node at the top is around every directory: it is meant by `.` at the top alone, as any other node by `.` in its directory.
#[test]
fn a_dot_at_the_top_is_the_node_there() {
    let s = crate::support::Scratch::new();
    s.write("spexcode.json", r#"{"yatsu": {"roots": ["."]}}"#);
    for (file, name) in [("yatsu.md", "works"), ("board/yatsu.md", "draws")] {
        s.write(file, crate::support::scenarios(&[(name, "src/a.rs")]));
    }
    s.write("src/a.rs", "fn a() {}\n");
    s.commit("two nodes");
    let said = |args: &[&str]| {
        let said = s.yatsu(args).expect(0);
        said.out + &said.err
    };
    for word in [".", "./", "./.", "root"] {
        assert!(said(&["eval", word, "--pass", "--dry-run"]).contains("root/works"), "{word}");
        assert!(said(&["show", word]).contains("works"), "{word}");
    }
    // the branch touches the other node
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("board/notes", "n");
    assert!(said(&["eval", ".", "--pass", "--dry-run"]).contains("root/works"));
    assert!(said(&["eval", "--pass", "--dry-run"]).contains("board/draws"));
    assert!(said(&["-C", "board", "eval", ".", "--pass", "--dry-run"]).contains("board/draws"));
    assert!(said(&["-C", "src", "eval", ".", "--pass", "--dry-run"]).contains("board/draws"));
    s.yatsu(&["eval", ".", "--pass"]).expect(0);
    assert!(s.read("yatsu.evals.ndjson").contains("works"));
}
