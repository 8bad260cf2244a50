//! Observations: what a harness reports about a declared command, and what `eval --observed` files of it.

mod steady;

use crate::support::{Said, Scratch, fed, findings, sha256, validate_published};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const COMMAND: &str = "make test";
const PROJECT: &str = "---
scenarios:
  - name: works
    description: measure works
    expected: works works
    tags: [cli]
    test: {command: make test}
    code: src/a.rs
  - name: draws
    description: measure draws
    expected: draws works
    tags: [cli]
    test: {command: make drawn}
    code: src/b.rs
---
";

/// A committed project with two scenarios that declare their commands.
fn project() -> Scratch {
    let s = Scratch::new();
    s.write("src/a.rs", "fn a() {}\n");
    s.write("src/b.rs", "fn b() {}\n");
    s.write(".spec/n/yatsu.md", PROJECT);
    s.commit("first");
    s
}

/// Waits until the clock is well after the last change of the files that count: a command that begins now leaves them alone.
fn settle(s: &Scratch) {
    settle_for(s, Duration::ZERO);
}

/// The same before a command that begins this long before its report.
fn settle_for(s: &Scratch, lasted: Duration) {
    settle_after(s, &["src/a.rs", "src/b.rs", ".spec/n/yatsu.md"], lasted);
}

/// The same for these files.
fn settle_after(s: &Scratch, paths: &[&str], lasted: Duration) {
    let changed = paths.iter().map(|path| fs::metadata(s.root.join(path)).expect("a file"));
    let changed = changed.map(|about| about.ctime() as i128 * 1_000_000_000 + i128::from(about.ctime_nsec()));
    let last = changed.max().expect("a file");
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_nanos() as i128;
    while now() < last + 600_000_000 + lasted.as_nanos() as i128 {
        std::thread::yield_now();
    }
}

/// Claude Code's report of a command that ended with this exit code.
fn claude(s: &Scratch, command: &str, exit: i64, call: &str) -> Value {
    let mut payload = json!({
        "session_id": "9f1c0a34", "transcript_path": "/home/dev/9f1c0a34.jsonl", "cwd": s.root, "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": call, "duration_ms": 0,
    });
    let (name, key, value) = match exit {
        0 => {
            let response = json!({"stdout": "3 passed", "stderr": "", "interrupted": false, "isImage": false});
            ("PostToolUse", "tool_response", response)
        }
        _ => ("PostToolUseFailure", "error", json!(format!("Exit code {exit}\n1 failed"))),
    };
    payload["hook_event_name"] = name.into();
    payload[key] = value;
    payload
}

/// Hands a report to the hook, which has nothing to say.
#[track_caller]
fn report(s: &Scratch, payload: &Value) {
    let said = fed(s.yatsu_command(&["agent", "event"]), payload.to_string()).expect(0);
    assert_eq!((&*said.err, &*said.out.replace("{}", "")), ("", ""), "{payload:#}");
}

/// Reports that the command of `works` ended with this exit code.
#[track_caller]
fn ran(s: &Scratch, exit: i64, call: &str) -> String {
    settle(s);
    report(s, &claude(s, COMMAND, exit, call));
    observations(s).last().expect("an observation")["id"].as_str().expect("an id").to_owned()
}

fn observations(s: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(s.root.join(".git/yatsu/observations.ndjson")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

fn readings(s: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(s.root.join(LEDGER)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

fn eval(s: &Scratch, more: &[&str]) -> Said {
    s.yatsu(&[&["eval", "n/works", "--observed"], more].concat())
}

/// The refusal of `eval --observed`, which writes nothing.
#[track_caller]
fn refused(s: &Scratch, more: &[&str], said: &str) {
    let before = readings(s);
    let refusal = eval(s, more).expect(1);
    assert!(refusal.err.contains(said), "{said}: {}", refusal.err);
    assert_eq!(readings(s), before);
}

#[test]
fn an_observed_pass_and_an_observed_fail_are_filed_and_shown_with_their_grade() {
    let s = project();
    s.write("src/a.rs", "fn a() { 1 }\n");
    s.commit("second");
    let id = ran(&s, 0, "one");
    let seen = &observations(&s)[0];
    assert_eq!((&seen["v"], &seen["harness"], &seen["exit"]), (&json!(1), &json!("claude"), &json!(0)));
    assert_eq!((&seen["steady"], &seen["call"]), (&json!(true), &json!("one")), "{seen:#}");
    assert_eq!(seen["output"], json!({"sha256": sha256("3 passed"), "bytes": 8}));
    assert_eq!(seen["session"], sha256("9f1c0a34")[..32]);
    let governed = json!({"src/a.rs": s.git(&["hash-object", "src/a.rs"])});
    let text = sha256("measure works\nworks works");
    let works = json!({"node": ".spec/n", "scenario": "works", "text": text, "governed": governed, "test": {}});
    assert_eq!(seen["scenarios"], json!([works]));
    let filed = validate_published(&eval(&s, &["--format", "json"]).expect(0).out);
    let how = json!({"kind": "observed", "harness": "claude", "command": COMMAND, "exit": 0,
        "output": sha256("3 passed"), "at": seen["ts"]});
    assert_eq!((&filed["status"], &filed["grade"], &filed["how"]), (&json!("pass"), &json!("observed"), &how));
    let line = readings(&s).pop().expect("a reading");
    assert_eq!((&line["how"], &line["governed"], &line["scenarioHash"]), (&how, &governed, &json!(text)));
    assert!(line["ts"].as_str() > seen["ts"].as_str(), "the reading has the time of its filing");
    let again = validate_published(&eval(&s, &[&id, "--format", "json"]).expect(0).out);
    assert_eq!(again["outcome"], "already-filed");
    s.commit("measured");
    ran(&s, 2, "two");
    eval(&s, &["--note", "it broke"]).expect(0);
    let shown =
        s.session("yatsu-hook show n/works\n yatsu-hook ls\n yatsu-hook ls -v\n yatsu-hook eval n/works --observed");
    insta::assert_snapshot!(shown);
    let page = s.yatsu(&["report", "--html", "-"]).expect(0).out;
    assert!(page.contains("<b>fail</b> observed") && page.contains("an agent with a shell can write one"), "{page}");
    for verb in [&["ls", "--format", "json"][..], &["show", "n", "--format", "json"]] {
        let score = validate_published(&s.yatsu(verb).expect(0).out);
        let reading = &score["scenarios"][0]["readings"][0];
        assert_eq!((&reading["grade"], &reading["how"]["exit"]), (&json!("observed"), &json!(2)), "{score:#}");
    }
}

#[test]
fn an_observation_that_is_not_filed() {
    let s = project();
    let none = s.session("yatsu-hook eval n/works --observed");
    ran(&s, 1, "one");
    let ended = s.session(
        "yatsu-hook eval n/works --observed --pass
         yatsu-hook eval n/works --observed 12
         yatsu-hook eval n/works --observed 0123456789ab
         yatsu-hook eval n/draws --observed
         yatsu-hook eval n/works --observed --dry-run",
    );
    s.write("src/a.rs", "fn a() { later() }\n");
    let later = s.session(
        "yatsu-hook eval n/works --observed
         yatsu-hook eval n/works --observed --format json",
    );
    insta::assert_snapshot!(none + &ended + &later);
}

#[test]
fn two_reports_at_once_are_two_observations() {
    let s = project();
    let payloads: Vec<String> = (0..8).map(|call| claude(&s, COMMAND, 0, &call.to_string()).to_string()).collect();
    std::thread::scope(|scope| {
        let s = &s;
        let hooks = payloads.iter().map(|payload| (s.yatsu_command(&["agent", "event"]), payload));
        let running: Vec<_> = hooks.map(|(hook, payload)| scope.spawn(move || fed(hook, payload))).collect();
        running.into_iter().for_each(|hook| drop(hook.join().expect("an end").expect(0)));
    });
    assert_eq!(observations(&s).len(), 8);
}

#[test]
fn a_file_that_cannot_be_used_costs_the_agent_nothing() {
    let s = project();
    fs::create_dir_all(s.root.join(".git/yatsu/observations.ndjson")).expect("a directory");
    let said = fed(s.yatsu_command(&["agent", "event"]), claude(&s, COMMAND, 0, "one").to_string()).expect(0);
    assert_eq!((said.out.as_str(), said.err.lines().count()), ("", 1), "{}", said.err);
    assert_eq!(eval(&s, &[]).code, 3);
}

#[test]
fn what_is_claimed_has_the_grade_claimed_in_json_and_no_word_for_people() {
    let s = project();
    s.yatsu(&["eval", "n/works", "--pass"]).expect(0);
    let score = validate_published(&s.yatsu(&["ls", "--format", "json"]).expect(0).out);
    let reading = score["scenarios"].as_array().expect("a list").iter().find(|row| row["scenario"] == "works");
    let reading = &reading.expect("works")["readings"][0];
    assert_eq!((&reading["grade"], reading.get("how")), (&json!("claimed"), None));
    assert!(!s.yatsu(&["show", "n"]).expect(0).out.contains("claimed"));
}

// A21
#[test]
fn cursor_reports_an_exit_code_and_once_although_it_runs_claudes_hook_file_too() {
    let s = project();
    settle(&s);
    let payload = json!({
        "conversation_id": "3cb3", "session_id": "3cb3", "hook_event_name": "postToolUse", "cursor_version": "2026.09.02",
        "workspace_roots": [s.root], "cwd": s.root, "tool_name": "Shell", "tool_input": {"command": COMMAND},
        "tool_output": "{\"exitCode\":0,\"stdout\":\"3 passed\"}", "duration": 0, "tool_use_id": "tu-3",
    });
    report(&s, &payload);
    report(&s, &payload);
    let [seen] = &observations(&s)[..] else { panic!("{:#?}", observations(&s)) };
    assert_eq!((&seen["harness"], &seen["exit"]), (&json!("cursor"), &json!(0)));
    let mut other = payload.clone();
    other["tool_use_id"] = "tu-4".into();
    report(&s, &other);
    assert_eq!(observations(&s).len(), 2, "another call");
    eval(&s, &[]).expect(0);
    assert_eq!(readings(&s)[0]["how"]["harness"], "cursor");
    // the captured payload has an empty directory: the one root of the workspace counts, and of several none
    let empty = |roots: serde_json::Value, call: &str| {
        let mut payload = payload.clone();
        payload["cwd"] = json!("");
        payload["workspace_roots"] = roots;
        payload["tool_use_id"] = json!(call);
        fed(s.yatsu_command(&["agent", "event"]), payload.to_string()).expect(0);
        let line = s.read(".git/yatsu/observations.ndjson").lines().last().expect("a line").to_owned();
        serde_json::from_str::<serde_json::Value>(&line).expect("JSON")["exit"].clone()
    };
    assert_eq!(empty(json!([s.root]), "one"), json!(0));
    assert_eq!(empty(json!([s.root, "/elsewhere"]), "several"), json!(null));
}

// A22
#[test]
fn the_output_of_codex_proves_no_exit_code_whatever_it_says() {
    let s = project();
    for response in ["Process exited with code 7\n", "Process exited with code 0\n3 passed", "Exit code 0"] {
        settle(&s);
        report(
            &s,
            &json!({
                "session_id": "0001", "turn_id": "00a1", "cwd": s.root, "hook_event_name": "PostToolUse",
                "tool_name": "Bash", "tool_input": {"command": COMMAND}, "tool_response": response,
                "tool_use_id": response,
            }),
        );
        assert_eq!(observations(&s).pop().expect("one")["exit"], Value::Null);
        refused(&s, &[], "has no exit code: codex did not prove one");
    }
}

// A23
#[test]
fn a_command_in_the_background_or_interrupted_ended_otherwise() {
    let s = project();
    let pass = ran(&s, 0, "one");
    let changes: [(&str, &str, Value); 4] = [
        ("/tool_response", "backgroundTaskId", json!("b1")),
        ("/tool_input", "run_in_background", json!(true)),
        ("/tool_response", "interrupted", json!(true)),
        ("", "tool_response", json!("3 passed")),
    ];
    for (number, (place, key, value)) in changes.into_iter().enumerate() {
        let mut payload = claude(&s, COMMAND, 0, &format!("background {number}"));
        payload.pointer_mut(place).expect("a place")[key] = value;
        report(&s, &payload);
        assert_eq!(observations(&s).pop().expect("one")["exit"], Value::Null, "{payload:#}");
        refused(&s, &[], "has no exit code");
        refused(&s, &[&pass], "ended without an exit code");
    }
    assert_eq!(observations(&s).len(), 5);
}

// A24
#[test]
fn another_command_is_no_observation() {
    let s = project();
    fs::create_dir(s.root.join("sub dir")).expect("a directory");
    let top = s.root.to_str().expect("UTF-8");
    let others = [
        "make test || true",
        "make test | tail",
        "make test --lib",
        "make  test",
        "make test;",
        "make test\nmake other",
        "MAKE=1 make test",
        "cd sub && make test",
        "cd . && make test",
        &format!("cd {top} ; make test"),
        &format!("cd '{top}/sub dir' && make test"),
        &format!("cd {top}/$(pwd) && make test"),
        &format!("cd {top} # && make test"),
        &format!("cd {top}; exit && make test"),
        "make test\u{a0}",
        "make test\r",
        "",
    ];
    for (number, other) in others.into_iter().enumerate() {
        report(&s, &claude(&s, other, 0, &number.to_string()));
    }
    let mut below = claude(&s, COMMAND, 0, "below");
    below["cwd"] = s.root.join("sub dir").to_str().into();
    report(&s, &below);
    s.write("spexcode.json", "{\"yatsu\": {\"agents\": {\"observe\": \"off\"}}}");
    report(&s, &claude(&s, COMMAND, 0, "off"));
    assert_eq!(observations(&s), [] as [Value; 0]);
    refused(&s, &[], "no harness of a coding agent observed the command of n/works");
    fs::remove_file(s.root.join("spexcode.json")).expect("removed");
    let same = [
        ("  make test\n".to_owned(), "."),
        (format!("cd {top} && make test"), "sub dir"),
        (format!("cd '{top}' &&  make test "), "sub dir"),
        (format!("cd \"{top}/\" && make test"), "."),
    ];
    for (number, (command, cwd)) in same.iter().enumerate() {
        let mut payload = claude(&s, command, 0, &format!("same {number}"));
        payload["cwd"] = s.root.join(cwd).to_str().into();
        report(&s, &payload);
        assert_eq!(observations(&s).len(), number + 1, "{command}");
    }
    assert!(observations(&s).iter().all(|seen| seen["command"] == COMMAND));
}

// A25, A26
/// Claude Code takes exit code 1 of `diff`, `grep` or `test` for no failure, and says so.
#[test]
fn an_exit_code_that_claude_explains_away_is_no_pass() {
    let s = project();
    settle(&s);
    let mut payload = claude(&s, COMMAND, 0, "one");
    payload["tool_response"]["returnCodeInterpretation"] = "Files differ".into();
    report(&s, &payload);
    assert_eq!(observations(&s)[0]["exit"], Value::Null);
    refused(&s, &[], "has no exit code");
}

/// What was withdrawn is not filed again from the same report.
#[test]
fn a_withdrawn_reading_is_not_filed_again_from_its_observation() {
    let s = project();
    ran(&s, 0, "one");
    eval(&s, &[]).expect(0);
    s.yatsu(&["retract", "n/works"]).expect(0);
    refused(&s, &[], "the reading of this observation was withdrawn");
}

// A27
#[test]
fn a_forged_observation_is_refused() {
    let s = project();
    let id = ran(&s, 1, "one");
    let path = s.root.join(".git/yatsu/observations.ndjson");
    let genuine = fs::read_to_string(&path).expect("a line");
    for (from, to) in [("\"exit\":1", "\"exit\":0"), ("\"steady\":true", "\"steady\": true"), ("claude", "cursor")] {
        fs::write(&path, genuine.replacen(from, to, 1)).expect("written");
        refused(&s, &[], "was edited: its id is not the hash of the rest of its line");
        refused(&s, &[&id], "was edited");
    }
    fs::write(&path, genuine.replace("\"v\":1", "\"v\":2")).expect("written");
    refused(&s, &[], "no harness of a coding agent observed");
    refused(&s, &["0123456789ab"], "there is no observation 0123456789ab");
    fs::write(&path, &genuine).expect("written");
    refused(&s, &["0123456789ab"], &format!("of n/works there are: {id} of "));
    eval(&s, &[]).expect(0);
}

// A28
#[test]
fn an_observation_is_not_replayed_over_a_later_reading() {
    let s = project();
    ran(&s, 0, "one");
    eval(&s, &[]).expect(0);
    let said = eval(&s, &[]).expect(0);
    assert!(said.out.starts_with("already filed n/works pass observed"), "{}", said.out);
    assert_eq!(readings(&s).len(), 1);
    s.write("src/a.rs", "fn a() { other() }\n");
    s.commit("other content");
    s.yatsu(&["eval", "n/works", "--fail"]).expect(0);
    s.write("src/a.rs", "fn a() {}\n");
    s.commit("back");
    refused(&s, &[], "is older than the reading of");
    ran(&s, 0, "two");
    eval(&s, &[]).expect(0);
    assert_eq!(readings(&s).len(), 3);
}

// A29
#[test]
fn a_pass_is_not_picked_over_a_later_fail_of_the_same_content() {
    let s = project();
    let pass = ran(&s, 0, "one");
    let fail = ran(&s, 1, "two");
    refused(&s, &[&pass], &format!("is not the last of this content: later, {fail} ended with exit 1"));
    let other = ran(&s, 3, "three");
    eval(&s, &[&fail]).expect(0);
    assert_eq!(readings(&s)[0]["verdict"]["status"], "fail", "a fail is a fail, whatever its exit code");
    eval(&s, &[&other]).expect(0);
    s.write("src/a.rs", "fn a() { mended() }\n");
    s.commit("mended");
    ran(&s, 0, "four");
    eval(&s, &[]).expect(0);
    assert_eq!(readings(&s).pop().expect("one")["verdict"]["status"], "pass", "of other content");
}

/// A model server may use the name of a call again.
#[test]
fn a_later_fail_under_the_name_of_an_earlier_one_is_recorded() {
    let s = project();
    settle(&s);
    for (exit, call) in [(1, "call_0"), (0, "call_1"), (1, "call_0"), (1, "call_0")] {
        report(&s, &claude(&s, COMMAND, exit, call));
    }
    let exits: Vec<Value> = observations(&s).into_iter().map(|one| one["exit"].clone()).collect();
    assert_eq!(exits, [1, 0, 1], "the last report came through two files of hooks");
    eval(&s, &[]).expect(0);
    assert_eq!(readings(&s)[0]["verdict"]["status"], "fail");
}

// A30
#[test]
fn the_output_is_kept_on_request_and_never_with_a_token_in_it() {
    let s = project();
    s.write("spexcode.json", "{\"yatsu\": {\"agents\": {\"keepOutput\": true}}}");
    s.commit("keep");
    settle(&s);
    let mut token = claude(&s, COMMAND, 0, "one");
    token["tool_response"]["stdout"] = format!("token ghp_{}", "a1B2".repeat(9)).into();
    report(&s, &token);
    assert_eq!(observations(&s)[0]["output"].get("kept"), None);
    eval(&s, &[]).expect(0);
    assert_eq!(readings(&s)[0]["blob"], Value::Null);
    let held = s.yatsu(&["evidence", "ls"]).expect(0).out;
    assert!(!held.contains(&sha256(token["tool_response"]["stdout"].as_str().expect("text"))), "{held}");
    ran(&s, 0, "two");
    assert_eq!(observations(&s)[1]["output"]["kept"], true);
    fs::write(s.base.join("shot.png"), b"\x89PNG\r\n\x1a\n").expect("written");
    eval(&s, &["--image", "../shot.png"]).expect(0);
    let filed = readings(&s).pop().expect("one");
    let kinds: Vec<&Value> = filed["evidence"].as_array().expect("a list").iter().map(|piece| &piece["kind"]).collect();
    assert_eq!(kinds, ["image", "transcript"]);
    assert_eq!(filed["evidence"][1]["hash"], sha256("3 passed"));
    let text = s.yatsu(&["evidence", "get", &sha256("3 passed")]).expect(0).out;
    assert_eq!(text, "3 passed");
}

// A31
#[test]
fn an_added_reading_with_a_wrong_how_is_an_error_and_an_old_one_is_a_claim() {
    let s = project();
    ran(&s, 0, "one");
    eval(&s, &[]).expect(0);
    let genuine = s.read(LEDGER);
    s.commit("measured");
    let wrong = genuine.replace("\"status\":\"pass\"", "\"status\":\"fail\"");
    let wrong = wrong.replacen("\"ts\":\"2", "\"ts\":\"1", 1);
    s.write(LEDGER, genuine.clone() + &wrong);
    s.git(&["add", "-A"]);
    let found = findings(&s, "ledger-schema", &["--staged"]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["message"], "\"how\" says exit 0, which contradicts the verdict: exit 0 is a pass");
    s.yatsu(&["pre-commit"]).expect(1);
    s.commit("past the hook");
    assert_eq!(findings(&s, "ledger-schema", &["--all"]), [] as [Value; 0]);
    let shown = validate_published(&s.yatsu(&["show", "n/works", "--format", "json"]).expect(0).out);
    let grades: Vec<&Value> =
        shown["scenarios"][0]["readings"].as_array().expect("a list").iter().map(|row| &row["grade"]).collect();
    assert_eq!(grades, ["observed", "claimed"]);
}

#[test]
fn evidence_may_be_added_and_a_verdict_may_not() {
    let s = project();
    let id = ran(&s, 0, "one");
    for more in [&["--pass"][..], &["--fail"], &[&id, "--pass"], &["--from-junit", "report.xml"]] {
        eval(&s, more).expect(2);
    }
    let said = s.yatsu(&["eval", "--observed", "n/works"]).expect(2);
    assert!(said.err.contains("a node stands before --observed"), "{}", said.err);
    assert_eq!(s.yatsu(&["eval", "n/draws", "--observed", &id]).code, 1);
    let said = s.yatsu(&["eval", "n/draws", "--observed", &id]).expect(1);
    assert!(said.err.contains("is of .spec/n/works, not of n/draws"), "{}", said.err);
    fs::write(s.base.join("out.txt"), "all good").expect("written");
    eval(&s, &[&id, "--result", "../out.txt", "--by", "Ann", "--strict"]).expect(0);
    let filed = readings(&s).pop().expect("one");
    assert_eq!((&filed["by"], &filed["blob"]), (&json!("Ann"), &json!(sha256("all good"))));
}

#[test]
fn an_observation_is_filed_under_a_claim_and_ends_it() {
    let s = project();
    let taken =
        validate_published(&s.yatsu(&["claim", "take", "n/works", "--as", "Bob", "--format", "json"]).expect(0).out);
    let token = taken["claims"][0]["token"].as_str().expect("a token");
    ran(&s, 0, "one");
    assert_eq!(eval(&s, &[]).code, 1, "somebody holds it");
    eval(&s, &["--claim", token]).expect(0);
    assert_eq!(readings(&s)[0]["by"], "Bob");
    let held = validate_published(&s.yatsu(&["claim", "ls", "--format", "json"]).expect(0).out);
    assert_eq!(held["claims"], json!([]));
}

#[test]
fn one_command_may_measure_several_scenarios_and_an_untouched_one_stays_filed() {
    let s = project();
    s.write(".spec/n/yatsu.md", PROJECT.replace("make drawn", COMMAND));
    s.commit("one command");
    ran(&s, 0, "one");
    assert_eq!(observations(&s)[0]["scenarios"].as_array().map(Vec::len), Some(2));
    for scenario in ["n/works", "n/draws"] {
        s.yatsu(&["eval", scenario, "--observed"]).expect(0);
    }
    s.write("src/b.rs", "fn b() { changed() }\n");
    eval(&s, &[]).expect(0);
    let said = s.yatsu(&["eval", "n/draws", "--observed"]).expect(1);
    assert!(said.err.contains("src/b.rs changed"), "{}", said.err);
}

#[test]
fn an_observation_in_another_work_tree_speaks_for_the_same_content() {
    let s = project();
    s.git(&["worktree", "add", "-q", "../other"]);
    ran(&s, 0, "one");
    s.yatsu(&["-C", "../other", "eval", "n/works", "--observed"]).expect(0);
    fs::write(s.base.join("other/src/a.rs"), "fn a() { changed() }\n").expect("written");
    s.yatsu(&["-C", "../other", "eval", "n/works", "--observed"]).expect(1);
}

#[test]
fn the_file_of_observations_keeps_256_lines() {
    let s = project();
    ran(&s, 0, "one");
    let path = s.root.join(".git/yatsu/observations.ndjson");
    fs::write(&path, fs::read_to_string(&path).expect("a line").repeat(300)).expect("written");
    ran(&s, 0, "two");
    assert_eq!(observations(&s).len(), 256);
    eval(&s, &[]).expect(0);
    fs::write(&path, vec![b'\n'; 2 << 20]).expect("written");
    assert_eq!(eval(&s, &[]).code, 3, "no program of ours wrote this");
    ran(&s, 0, "three");
    assert_eq!(observations(&s).len(), 1);
}

/// No memo knows the node, because no check ran since.
#[test]
fn the_command_of_a_node_that_a_shell_made_is_observed() {
    let s = project();
    s.yatsu(&["scan"]);
    s.write(".spec/made/yatsu.md", PROJECT.replace("make test", "make made"));
    s.git(&["add", ".spec/made"]);
    report(&s, &claude(&s, "make other", 0, "1"));
    report(&s, &claude(&s, "make made", 0, "2"));
    let seen = observations(&s);
    let of = |one: &Value| (one["command"].clone(), one["scenarios"][0]["node"].clone());
    assert_eq!(seen.iter().map(of).collect::<Vec<_>>(), [(json!("make made"), json!(".spec/made"))]);
}
