//! `goal check` of the working tree, the index and a commit.

use super::*;

#[test]
fn the_gates_of_a_reading_above_and_below_the_target() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    let (goal, code) = check(&s, &[]);
    assert_eq!((goal["status"].as_str(), goal["action"].as_str(), code), (Some("PARTIAL"), Some("PIVOT"), 1));
    let criterion = &goal["goalGate"]["criteriaResults"][0];
    assert_eq!((&criterion["actual"], &criterion["target"]), (&json!(0.85), &json!(0.9)));
    assert_eq!((&criterion["gap"], &criterion["passed"]), (&json!(0.05), &json!(false)));
    assert_eq!(goal["trustGate"], json!({"passed": true, "score": 100, "threshold": 80, "deductions": []}));
    let next = goal["next"].to_string();
    for named in ["AC1: below target by 0.05", "src/model.py", "learns showed at", "yatsu-hook goal pivot model"] {
        assert!(next.contains(named), "{named}: {next}");
    }
    measured(&s, 0.92, json!({}));
    let (goal, code) = check(&s, &[]);
    assert_eq!((goal["status"].as_str(), goal["action"].as_str(), code), (Some("SUCCESS"), Some("ACCEPT"), 0));
}

#[test]
fn without_a_reading_and_with_a_stale_one_nothing_is_reached() {
    let s = repository();
    let (goal, _) = check(&s, &[]);
    assert_eq!(goal["goalGate"]["criteriaResults"][0]["reason"], "not found");
    assert_eq!((goal["trustGate"]["score"].as_u64(), &*standing(&s)), (Some(70), "PARTIAL REWORK"));
    measured(&s, 0.92, json!({}));
    s.commit("measured");
    s.write("src/model.py", "model = 2\n");
    let (goal, _) = check(&s, &[]);
    assert_eq!(goal["goalGate"]["criteriaResults"][0]["reason"], "stale evidence");
    let deduction = &goal["trustGate"]["deductions"][0];
    assert_eq!((&deduction["reason"], &deduction["points"]), (&json!("reading-stale"), &json!(30)));
    assert!(deduction["message"].as_str().is_some_and(|text| text.contains("src/model.py")), "{deduction}");
    assert!(deduction["command"].as_str().is_some_and(|text| text.starts_with("yatsu-hook eval model")));
}

#[test]
fn the_index_and_a_commit_are_judged_by_themselves() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    s.commit("below");
    measured(&s, 0.95, json!({}));
    s.git(&["add", "-A"]);
    s.write("src/model.py", "model = 2\n");
    let status = |flags: &[&str]| check(&s, flags).0["status"].as_str().map(str::to_owned);
    assert_eq!(status(&["--rev", "HEAD"]).as_deref(), Some("PARTIAL"));
    assert_eq!(status(&["--staged"]).as_deref(), Some("SUCCESS"));
    assert_eq!(status(&[]).as_deref(), Some("PARTIAL"), "what lies there is stale");
    s.yatsu(&["goal", "check", "--staged", "--rev", "HEAD"]).expect(2);
    s.yatsu(&["goal", "check", "--rev", "nowhere"]).expect(2);
}

#[test]
fn a_node_without_a_contract_has_nothing_to_reach_unless_one_is_required() {
    let s = repository();
    s.write(FILE, contract("").split("goal_contract").next().unwrap_or_default().to_owned() + "scenarios:\n  - name: learns\n    description: d\n    expected: e\n    tags: [cli]\n    code: src/model.py\n---\n");
    let (goal, code) = check(&s, &[]);
    assert_eq!((goal["status"].as_str(), code), (Some("NO_CONTRACT"), 0));
    let all = s.yatsu(&["goal", "check"]).expect(0);
    assert_eq!((&*all.out, all.err.lines().count()), ("", 1), "{}", all.err);
    s.write("spexcode.json", r#"{"yatsu": {"goals": {"require": true}}}"#);
    let (goal, code) = check(&s, &[]);
    assert_eq!((goal["status"].as_str(), code), (Some("NO_CONTRACT"), 1));
    assert!(s.yatsu(&["goal", "check"]).expect(1).out.contains("yatsu.goals.require"));
    s.yatsu(&["goal", "complete", "model"]).expect(1);
}

#[test]
fn a_contract_that_cannot_be_read_is_invalid_and_says_what_is_wrong() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    for (criteria, said) in [
        (ACCURATE.repeat(2), "AC1"),
        (ACCURATE.replace("metric_threshold", "statistical_significance"), "statistical_significance"),
        (ACCURATE.replace("0.9", "nan"), "target"),
    ] {
        s.write(FILE, contract(&criteria));
        let (goal, code) = check(&s, &[]);
        assert_eq!((goal["status"].as_str(), code), (Some("INVALID"), 1), "{criteria}");
        assert!(goal["blockers"].to_string().contains(said), "{}", goal["blockers"]);
        decide(&s, "complete", &[]).expect(1);
    }
    s.write(FILE, contract(ACCURATE).replace("version: 1", "version: 2"));
    assert_eq!(check(&s, &[]).0["status"], "INVALID");
}

#[test]
fn an_artifact_is_looked_for_among_tracked_files() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    let met = |pattern: &str| {
        s.write(
            FILE,
            contract(&format!("    - id: A\n      kind: artifact_exists\n      artifactPattern: '{pattern}'\n")),
        );
        check(&s, &[]).0["goalGate"]["criteriaResults"][0]["passed"] == true
    };
    s.write("reports/r/model.pkl", "weights");
    assert!(!met("*.pkl"), "nobody tracks it");
    s.git(&["add", "-f", "reports/r/model.pkl"]);
    assert!(met("*.pkl") && met("reports/**/*.pkl") && met("reports/r/model.pkl"));
    assert!(!met("reports/*.pkl") && !met("r/*.pkl"), "a pattern with a slash is anchored");
    s.write(".spec/model/plots/fit.png", "plot");
    s.git(&["add", ".spec/model/plots/fit.png"]);
    assert!(met("plots/*.png") && met(".spec/model/plots/fit.png"), "seen from the node and from the top");
    std::os::unix::fs::symlink("/etc/passwd", s.root.join("link.onnx")).expect("a link");
    s.git(&["add", "-f", "link.onnx"]);
    assert!(!met("*.onnx"), "a link is a name, and nothing follows it");
}

/// The second text begins with the rest of a number from the first; both must be read separately.
#[test]
fn the_texts_of_a_reading_are_read_each_of_its_own() {
    let s = repository();
    let piece = |text: &str| {
        s.write("../piece.txt", text);
        s.yatsu(&["evidence", "put", "../piece.txt"]).expect(0);
        json!({"hash": sha256(text), "kind": "transcript"})
    };
    let pieces = [piece("[METRIC:accuracy] 0.8"), piece("95\n")];
    measured(&s, 0.8, json!({"blob": null, "blobKind": null, "evidence": pieces}));
    let (goal, _) = check(&s, &[]);
    assert_eq!(goal["trustGate"]["deductions"], json!([]), "0.8 was shown, and not 0.895");
    assert_eq!(standing(&s), "PARTIAL PIVOT");
}

#[test]
fn a_line_that_says_more_than_its_evidence_fails_the_trust_gate_hard() {
    let s = repository();
    measured(&s, 0.85, json!({"metrics": {"accuracy": 0.95}}));
    let (goal, code) = check(&s, &[]);
    assert_eq!((standing(&s), code), ("PARTIAL REWORK".to_owned(), 1));
    let deduction = &goal["trustGate"]["deductions"][0];
    assert_eq!((&deduction["reason"], &deduction["hard"]), (&json!("metric-mismatch"), &json!(true)));
}

#[test]
fn where_the_bytes_are_gone_the_recorded_number_counts_unverified() {
    let s = repository();
    measured(&s, 0.95, json!({}));
    std::fs::remove_dir_all(s.root.join(".git/spexcode")).expect("a cache");
    let (goal, code) = check(&s, &[]);
    assert_eq!((goal["status"].as_str(), code), (Some("SUCCESS"), 0));
    assert_eq!(goal["goalGate"]["criteriaResults"][0]["unverified"], true);
    let shown = s.yatsu(&["goal", "check"]).expect(0).out;
    assert!(shown.contains("unverified"), "{shown}");
}

#[test]
fn bytes_that_do_not_have_their_name_and_a_line_that_was_edited_fail_the_trust_gate_hard() {
    let s = repository();
    let line = measured(&s, 0.95, json!({}));
    s.commit("measured");
    let hash = line["blob"].as_str().expect("a hash").to_owned();
    let find = s.git(&["rev-parse", "--git-common-dir"]);
    let cache = s.root.join(find).join("spexcode/yatsu-blobs").join(&hash);
    std::fs::remove_file(&cache).expect("evidence");
    std::fs::write(&cache, "[METRIC:accuracy] 0.99\n").expect("other bytes");
    let hard = |s: &Scratch| check(s, &[]).0["trustGate"]["deductions"].to_string();
    assert!(hard(&s).contains("evidence-corrupt"), "{}", hard(&s));
    s.write(LEDGER, s.read(LEDGER).replace("0.95", "0.99"));
    assert!(hard(&s).contains("ledger-line-lost"), "{}", hard(&s));
    s.write(LEDGER, s.read(LEDGER) + "{\"scenario\":\n");
    assert!(hard(&s).contains("ledger-line-malformed"), "{}", hard(&s));
}

#[test]
fn a_number_of_a_failing_reading_is_shown_and_not_met() {
    let s = repository();
    measured(&s, 0.95, json!({"verdict": {"status": "fail"}}));
    let (goal, _) = check(&s, &[]);
    let criterion = &goal["goalGate"]["criteriaResults"][0];
    assert_eq!((&criterion["reason"], &criterion["actual"]), (&json!("failing"), &json!(0.95)));
    assert_eq!(standing(&s), "PARTIAL PIVOT");
}

#[test]
fn a_breach_of_a_budget_counts_as_a_fail() {
    let s = repository();
    s.write("spexcode.json", r#"{"yatsu": {"budgets": {"maxTaskRssBytes": 1}}}"#);
    measured(&s, 0.95, json!({"usage": {"maxRssBytes": 2}}));
    let (goal, _) = check(&s, &[]);
    assert_eq!(goal["goalGate"]["criteriaResults"][0]["reason"], "failing");
}

#[test]
fn a_block_is_what_a_person_wants_to_read() {
    let s = repository();
    measured(&s, 0.85, json!({}));
    insta::assert_snapshot!(s.yatsu(&["goal", "check"]).expect(1).out, @r#"
    model   PARTIAL   attempt 1 of 3
      "tell flowers apart"
      goal   NOT_MET
        NOT_MET  AC1  accuracy >= 0.9
                 0.85, below target by 0.05 (learns of 2026-01-01T00:00:00.000Z)
      trust  PASS 100 of 100 (80 is enough)
      next   PIVOT   (trust PASS, goal NOT_MET)
        another approach to AC1: below target by 0.05, as learns showed at
        2026-01-01T00:00:00.000Z
        it is made in src/model.py
        then:
          yatsu-hook goal pivot model --reason TEXT
    "#);
    s.write("src/model.py", "model = 2\n");
    insta::assert_snapshot!(s.yatsu(&["goal", "check"]).expect(1).out, @r#"
    model   PARTIAL   attempt 1 of 3
      "tell flowers apart"
      goal   NOT_MET
        NOT_MET  AC1  accuracy >= 0.9
                 0.85, stale evidence (learns of 2026-01-01T00:00:00.000Z)
      trust  FAIL 70 of 100 (80 is enough)
        -30  learns: its reading is stale: code (src/model.py)
              yatsu-hook eval model/learns --pass --result FILE
      next   REWORK   (trust FAIL, goal NOT_MET)
        better evidence of the same approach: remove the deductions above
    "#);
}

#[test]
fn without_any_contract_one_sentence_is_said_and_require_fails() {
    let s = repository();
    s.write(FILE, crate::support::scenarios(&[("learns", "src/model.py")]));
    s.commit("no contract");
    let said = s.yatsu(&["goal", "check"]).expect(0);
    assert!(said.err.contains("no node has a goal contract"), "{}{}", said.out, said.err);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    let said = s.yatsu(&["goal", "check", "--require"]).expect(1);
    assert!(said.err.contains("no node has a goal contract"), "{}{}", said.out, said.err);
    assert_eq!(
        validate_published(&s.yatsu(&["goal", "check", "--require", "--format", "json"]).expect(1).out)["goals"],
        json!([])
    );
    s.yatsu(&["goal", "check", "model"]).expect(0);
    let said = s.yatsu(&["goal", "check", "model", "--require"]).expect(1);
    assert!(said.out.contains("NO_CONTRACT"), "{}", said.out);
    s.write(FILE, contract(ACCURATE));
    s.commit("a contract");
    measured(&s, 0.92, json!({}));
    s.yatsu(&["goal", "check", "--require"]).expect(0);
    s.yatsu(&["goal", "check", "model", "--require"]).expect(0);
}

#[test]
fn an_artifact_lies_below_the_reports_of_its_node_and_near_hits_are_named() {
    let s = repository();
    let pickled = "    - id: AC1\n      kind: artifact_exists\n      artifactPattern: models/*.pkl\n";
    s.write(FILE, contract(pickled));
    s.write("reports/other/models/tree.pkl", "bytes");
    s.commit("of another node");
    measured(&s, 0.9, json!({}));
    let of = |goal: &Value| goal["goalGate"]["criteriaResults"][0].clone();
    let (goal, _) = check(&s, &[]);
    assert_eq!(of(&goal)["reason"], "not found; near it is reports/other/models/tree.pkl", "{goal:#}");
    s.write("reports/model/models/tree.pkl", "bytes");
    let (goal, _) = check(&s, &[]);
    assert_eq!(
        of(&goal)["reason"],
        "not found; near it are reports/model/models/tree.pkl (untracked), reports/other/models/tree.pkl",
        "{goal:#}"
    );
    s.git(&["add", "-A"]);
    let (goal, _) = check(&s, &[]);
    assert_eq!((&of(&goal)["status"], &of(&goal)["actual"]), (&json!("MET"), &json!("reports/model/models/tree.pkl")));
}

#[test]
fn an_artifact_of_a_reading_is_found_below_the_reports_of_its_node() {
    let s = repository();
    let pickled = "    - id: AC1\n      kind: artifact_exists\n      artifactPattern: models/*.pkl\n";
    s.write(FILE, contract(pickled));
    s.commit("asks for a model");
    for (name, met) in [("reports/other/models/tree.pkl", false), ("reports/model/models/tree.pkl", true)] {
        let text = "bytes of a tree";
        s.write("../tree.pkl", text);
        s.yatsu(&["evidence", "put", "../tree.pkl"]).expect(0);
        measured(&s, 0.9, json!({"artifacts": {name: sha256(text)}}));
        let (goal, _) = check(&s, &[]);
        assert_eq!(goal["goalGate"]["criteriaResults"][0]["passed"], met, "{name}: {goal:#}");
    }
}
