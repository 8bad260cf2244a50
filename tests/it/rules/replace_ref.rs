//! `replace-ref`: objects that replace the pushed ones.

use crate::support::{Scratch, fed, one_node, reading};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
const ZERO: &str = "0000000000000000000000000000000000000000";

/// The input lines of both hooks for a new ref.
fn brings(id: &str, name: &str) -> [(&'static str, String); 2] {
    [("pre-receive", format!("{ZERO} {id} {name}\n")), ("pre-push", format!("{name} {id} {name} {ZERO}\n"))]
}

#[test]
fn a_replace_ref_is_refused_and_its_deletion_is_not() {
    let scratch = one_node();
    let (one, other) = (scratch.git(&["rev-parse", "HEAD:src/a.rs"]), scratch.git(&["rev-parse", "HEAD:src/b.rs"]));
    let name = format!("refs/replace/{one}");
    for (verb, line) in brings(&other, &name) {
        insta::assert_snapshot!(scratch.session(&format!("echo {} | yatsu-hook {verb}", line.trim())));
    }
    fed(scratch.yatsu_command(&["pre-receive"]), format!("{other} {ZERO} {name}\n")).expect(0);
    fed(scratch.yatsu_command(&["pre-push"]), format!("(delete) {ZERO} {name} {other}\n")).expect(0);
}

#[test]
fn it_is_refused_where_only_a_branch_beside_the_default_one_has_something_of_ours() {
    let scratch = one_node();
    let one = scratch.git(&["rev-parse", "HEAD:src/a.rs"]);
    scratch.git(&["branch", "-q", "-m", "topic"]);
    scratch.git(&["symbolic-ref", "HEAD", "refs/heads/nobody-pushed-it"]);
    let [(verb, line), _] = brings(&one, &format!("refs/replace/{one}"));
    assert!(fed(scratch.yatsu_command(&[verb]), &line).expect(1).err.contains("error[replace-ref]"));
}

#[test]
fn it_can_be_lowered_and_speaks_only_where_something_is_ours() {
    let scratch = one_node();
    let one = scratch.git(&["rev-parse", "HEAD:src/a.rs"]);
    scratch.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"replace-ref\": \"warning\"}}}");
    scratch.commit("lowered");
    for (verb, line) in brings(&one, &format!("refs/replace/{one}")) {
        assert!(fed(scratch.yatsu_command(&[verb]), &line).expect(0).err.contains("warning[replace-ref]"), "{verb}");
    }
    let scratch = Scratch::new();
    scratch.write("a", "a");
    scratch.commit("somebody else's");
    let one = scratch.git(&["rev-parse", "HEAD:a"]);
    for (verb, line) in brings(&one, &format!("refs/replace/{one}")) {
        assert_eq!(fed(scratch.yatsu_command(&[verb]), &line).expect(0).err, "", "{verb}");
    }
}

#[test]
fn a_ledger_is_not_forged_behind_its_name() {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "fail", 1);
    let base = scratch.commit("measured");
    let forged = scratch.read(LEDGER).replace("\"fail\"", "\"pass\"");
    scratch.write("../forged", &forged);
    let blob = scratch.git(&["hash-object", "-w", "../forged"]);
    scratch.git(&["replace", &format!("HEAD:{LEDGER}"), &blob]);
    for packed in [false, true] {
        if packed {
            scratch.git(&["pack-refs", "--all"]);
        }
        scratch.write(LEDGER, &forged);
        scratch.git(&["add", LEDGER]);
        let mut said = vec![scratch.yatsu(&["pre-commit"]), scratch.yatsu(&["check", "--staged"])];
        let tip = scratch.commit("past the gate");
        said.push(scratch.yatsu(&["check", "--from", &base, "--to", &tip]));
        said.push(fed(scratch.yatsu_command(&["pre-push"]), format!("refs/heads/main {tip} refs/heads/main {base}\n")));
        said.push(fed(scratch.yatsu_command(&["pre-receive"]), format!("{base} {tip} refs/heads/main\n")));
        for (door, said) in said.into_iter().enumerate() {
            let text = format!("{}{}", said.out, said.err);
            assert!(said.code == 1 && text.contains("error[ledger-history]"), "door {door}: {} {text}", said.code);
        }
        scratch.git(&["reset", "-q", "--hard", &base]);
    }
}
