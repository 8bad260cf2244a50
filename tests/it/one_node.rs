//! Questions about one node read the ledgers of that node alone, and give the rows that questions about all nodes give.

use crate::goals::{ACCURATE, contract};
use crate::support::{Scratch, reading_line, scenarios, sha256, validate_published};
use serde_json::Value;
use std::fs;

const NODES: [&str; 3] = ["one", "two", "three"];

fn ledger(node: &str) -> String {
    format!(".spec/{node}/yatsu.evals.ndjson")
}

/// Three measured nodes, each with a contract of one criterion.
fn measured() -> Scratch {
    let s = Scratch::new();
    for node in NODES {
        s.write(&format!("src/{node}.rs"), "1\n");
        let file = contract(ACCURATE).replace("src/model.py", &format!("src/{node}.rs"));
        s.write(&format!(".spec/{node}/yatsu.md"), file);
    }
    let commit = s.commit("first");
    let text = "[METRIC:accuracy] 0.95\n";
    s.write("../out.txt", text);
    s.yatsu(&["evidence", "put", "../out.txt"]).expect(0);
    let more = format!(
        "\"blob\":\"{}\",\"blobKind\":\"transcript\",\"metrics\":{{\"accuracy\":0.95}},\"markers\":[\"METRIC:accuracy\"]",
        sha256(text)
    );
    for (minute, node) in (1..).zip(NODES) {
        let lines = [minute, minute + 9].map(|minute| reading_line(&commit, "learns", "pass", minute)).concat();
        s.write(&ledger(node), lines.replace("\"blob\":null", &more));
    }
    s.commit("measured");
    s
}

/// The published answer to a question, whatever its exit code says of the state.
#[track_caller]
fn asked(s: &Scratch, words: &[&str]) -> Value {
    let said = s.yatsu(&[words, &["--format", "json"]].concat());
    assert!(matches!(said.code, 0 | 1), "{words:?}: exit {}: {}", said.code, said.err);
    validate_published(&said.out)
}

/// Asks about each node alone and about all of them.
#[track_caller]
fn agrees(s: &Scratch) {
    let (rows, goals) = (asked(s, &["ls"]), asked(s, &["goal", "check"]));
    for node in NODES {
        let of = |all: &Value| {
            let rows = all.as_array().expect("a list").iter();
            rows.filter(|row| row["node"] == node || row["id"] == node).cloned().collect::<Vec<_>>()
        };
        if of(&rows["scenarios"]).is_empty() {
            continue;
        }
        assert_eq!(Value::from(of(&rows["scenarios"])), asked(s, &["ls", node])["scenarios"], "{node}");
        assert_eq!(Value::from(of(&goals["goals"])), asked(s, &["goal", "check", node])["goals"], "{node}");
        let shown = asked(s, &["show", node]);
        let states = |rows: &Value| -> Vec<Value> {
            rows.as_array().expect("a list").iter().map(|row| row["state"].clone()).collect()
        };
        assert_eq!(states(&shown["scenarios"]), states(&Value::from(of(&rows["scenarios"]))), "{node}");
    }
}

#[test]
fn a_question_about_one_node_is_answered_as_one_about_all() {
    let s = measured();
    agrees(&s);
    let whole = s.read(&ledger("two"));
    let (first, last) = whole.split_once('\n').expect("two lines");
    for (path, text) in [
        ("src/one.rs", "2\n".to_owned()),
        // lines that another node lost, and lines that it took over
        (&*ledger("two"), last.to_owned()),
        (&ledger("three"), s.read(&ledger("three")) + first + "\n"),
        (&ledger("one"), String::new()),
        ("spexcode.json", "{\"yatsu\":{\"budgets\":{\"maxTaskTotalTokens\":1}}}".to_owned()),
        (
            &ledger("two"),
            whole.replace("\"evaluator\"", "\"usage\":{\"totalTokens\":9,\"source\":\"x\"},\"evaluator\""),
        ),
        ("spexcode.json", "{\"yatsu\":{\"goals\":{\"require\":true}}}".to_owned()),
        (".spec/three/yatsu.md", scenarios(&[("learns", "src/three.rs"), ("more", "src/two.rs")])),
    ] {
        s.write(path, text);
        agrees(&s);
    }
    s.git(&["mv", ".spec/two", ".spec/three/two"]);
    agrees(&s);
    s.commit("all of it");
    agrees(&s);
}

#[test]
fn no_ledger_of_another_node_is_read() {
    let s = measured();
    s.write("notes.txt", "1\n");
    s.commit("notes");
    let blob = s.git(&["rev-parse", &format!("HEAD:{}", ledger("two"))]);
    s.write(&ledger("three"), s.read(&ledger("three")) + "\n");
    s.commit("of its own");
    let (dir, file) = blob.trim().split_at(2);
    fs::remove_file(s.root.join(".git/objects").join(dir).join(file)).expect("a loose object");
    fs::File::options()
        .write(true)
        .open(s.root.join(ledger("two")))
        .and_then(|file| file.set_len((1 << 30) + 1))
        .expect("a hole");
    for words in [
        &["show", "one"][..],
        &["ls", "one"],
        &["ls", "one/learns"],
        &["show", ".spec/one/learns"],
        &["goal", "check", "one", "--rev", "HEAD~1"],
    ] {
        let said = s.yatsu(words);
        assert!(matches!(said.code, 0 | 1), "{words:?}: {}", said.err);
    }
    // all of them are needed
    for words in [&["ls"][..], &["goal", "check", "--rev", "HEAD~1"], &["show", "two"]] {
        s.yatsu(words).expect(3);
    }
}
