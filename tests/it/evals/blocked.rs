//! N13: `eval --blocked`, an honest way out.

use super::*;
use crate::support::sha256;

fn tried(s: &Scratch) {
    s.write("out.txt", "no such device\n");
}

fn block(s: &Scratch, flags: &[&str]) -> Said {
    s.yatsu(&[&["eval", "n/s", "--blocked", "no device here", "--by", "Ann"], flags].concat())
}

#[test]
fn n13_what_is_blocked_stays_unmeasured_and_is_listed_apart() {
    let s = repo(&[]);
    tried(&s);
    refused(block(&s, &[]), 2, &["nothing shows that measuring was tried", "--result"]);
    let said = block(&s, &["--result", "out.txt"]).expect(0).out;
    assert!(said.starts_with("filed n/s blocked: no device here"), "{said}");
    let line: Value = serde_json::from_str(s.read(LEDGER).trim_end()).expect("json");
    assert_eq!(line["decision"], "blocked");
    assert_eq!(line["evidence"][0]["hash"], sha256("no such device\n"));
    assert!(line["governed"]["src/a.rs"].is_string() && line["verdict"].is_null() && line["codeSha"].is_null());
    assert_eq!(stands(&s), "unmeasured -");
    assert_eq!(found(&s, "yatsu-missing").len(), 1);
    let json = validate_published(&s.yatsu(&["next", "--format", "json"]).expect(0).out);
    assert_eq!(json["next"].as_array().map(Vec::len), Some(0));
    assert_eq!(json["blocked"][0]["reason"], "no device here");
    assert!(s.yatsu(&["next"]).expect(0).out.contains("n/s  waits for a person: no device here"));
    assert!(s.yatsu(&["ls"]).expect(0).out.contains("blocked: no device here"));
    assert!(s.yatsu(&["show", "n"]).expect(0).out.contains("blocked: no device here"));
    s.yatsu(&["report", "--html", "page.html"]).expect(0);
    assert!(s.read("page.html").contains("data-blocked"));
    assert!(block(&s, &["--result", "out.txt"]).expect(0).out.starts_with("already filed"));
    s.commit("blocked");
    s.yatsu(&["check", "--all"]).expect(0);
    s.yatsu(&["clean", "--keep-latest", "--grace", "0"]).expect(0);
    s.yatsu(&["evidence", "get", &sha256("no such device\n")]).expect(0);
}

#[test]
fn n13_it_holds_while_the_content_stands_and_nothing_newer_was_measured() {
    let s = repo(&[]);
    tried(&s);
    block(&s, &["--result", "out.txt"]).expect(0);
    let waits = |s: &Scratch| s.yatsu(&["next"]).expect(0).out.contains("waits for a person");
    assert!(waits(&s));
    s.write("src/a.rs", "two\n");
    assert!(!waits(&s), "another content may be measurable");
    s.write("src/a.rs", "one\n");
    assert!(waits(&s));
    eval(&s, &["--pass"]);
    assert!(!waits(&s));
    refused(block(&s, &["--result", "out.txt"]), 1, &["it has a fresh reading"]);
    s.yatsu(&["retract", "n/s"]).expect(0);
    assert!(waits(&s), "the reading that ended it is gone");
}

#[test]
fn n13_in_one_environment_the_others_are_asked_for() {
    let s = repo(&["env: [a, b]"]);
    tried(&s);
    refused(block(&s, &["--result", "out.txt"]), 2, &["is measured in a, b"]);
    block(&s, &["--result", "out.txt", "--env", "a"]).expect(0);
    let json = validate_published(&s.yatsu(&["next", "--format", "json", "--limit", "0"]).expect(0).out);
    let items: Vec<&Value> = json["next"].as_array().expect("a list").iter().map(|item| &item["env"]).collect();
    assert_eq!(items, ["b"]);
    assert_eq!(json["blocked"][0]["env"], "a");
    eval(&s, &["--env", "b", "--pass"]);
    assert_eq!(stands(&s), "unmeasured -; a unmeasured -; b fresh pass");
}

#[test]
fn n13_a_line_without_evidence_or_reason_is_refused_when_it_is_added() {
    let s = repo(&[]);
    tried(&s);
    block(&s, &["--result", "out.txt"]).expect(0);
    let line = s.read(LEDGER);
    let evidence = line.find("\"evidence\"").expect("the key");
    let end = line.find("],\"by\"").expect("its end");
    let without = format!("{}{}", &line[..evidence], &line[end + 2..]);
    for (added, said) in [
        (without, "needs \"evidence\""),
        (line.replace("\"reason\":\"no device here\",", ""), "needs \"reason\""),
        (line.replace("\"by\":\"Ann\",", ""), "needs \"by\""),
        (line.replace("\"commit\":\"", "\"commit\":\"x"), "\"commit\" must be"),
    ] {
        s.write(LEDGER, added);
        s.git(&["add", "-A"]);
        let report = s.yatsu(&["pre-commit"]).expect(1).err;
        assert!(report.contains("ledger-schema") && report.contains(said), "{report}");
    }
}
