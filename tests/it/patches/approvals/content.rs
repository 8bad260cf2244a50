//! What keeps an approval, and what loses it.

use super::{HOME, approved, asked, commit_as, decide, files, policy, repository, status, topic};
use crate::support::{Scratch, executable};
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};

fn on_main(s: &Scratch, file: &str, text: &str) {
    s.git(&["checkout", "-q", "main"]);
    s.write(file, text);
    commit_as(s, "Dee", "main moves");
}

fn whys(list: &[(&str, &str)]) -> BTreeMap<String, String> {
    list.iter().map(|(path, why)| ((*path).to_owned(), (*why).to_owned())).collect()
}

// T24
#[test]
fn a_rebase_a_squash_a_merge_and_a_pick_keep_an_approval() {
    let s = approved();
    on_main(&s, "b", "B\n");
    let before = s.git(&["rev-parse", "HEAD"]);
    assert_eq!(asked(&s, "main", "topic"), json!({"status": "covered", "need": 1, "by": ["Bob"], "files": []}));
    let landed = |command: &[&str]| {
        s.git(&["checkout", "-q", "-B", "landing", &before]);
        s.git(command);
        if command.contains(&"--squash") {
            commit_as(&s, "Ann", "squashed");
        }
        assert_eq!(status(&s, &before, "HEAD"), "covered", "{command:?}");
    };
    landed(&["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    landed(&["merge", "-q", "--squash", "topic"]);
    landed(&["cherry-pick", "main..topic"]);
    s.git(&["checkout", "-q", "topic"]);
    s.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(status(&s, "main", "topic"), "covered", "main was taken in");
    s.git(&["reset", "-q", "--hard", "HEAD^"]);
    s.git(&["rebase", "-q", "main"]);
    assert_eq!(status(&s, "main", "topic"), "covered");
}

// T25
#[test]
fn main_under_an_approval_and_more_files_than_were_approved_lose_it_by_name() {
    let s = approved();
    s.write("a", "AA\n");
    commit_as(&s, "Ann", "changed");
    assert_eq!(files(&s, "main", "topic"), whys(&[("a", "changed")]));
    s.git(&["reset", "-q", "--hard", "HEAD^"]);
    for number in 0..248 {
        s.write(&format!("more/{number}"), "x");
    }
    commit_as(&s, "Ann", "248 files");
    let found = files(&s, "main", "topic");
    assert_eq!((found.len(), found.values().all(|why| why == "not approved")), (248, true));
    let said = s.yatsu(&["check", "--from", "main", "--to", "topic", "--require-approval"]).expect(1);
    assert!(
        said.out.contains("more/0 (not approved), more/1 (not approved), more/10 (not approved) and 245 more files")
    );
    s.git(&["reset", "-q", "--hard", "HEAD^"]);
    on_main(&s, "a", "another a\n");
    s.git(&["checkout", "-q", "topic"]);
    s.try_git(&["rebase", "-q", "main"]);
    s.write("a", "A\n");
    s.git(&["add", "a"]);
    s.git(&["-c", "core.editor=true", "rebase", "--continue"]);
    assert_eq!(files(&s, "main", "topic"), whys(&[("a", "base changed")]), "an equal file from another one");
}

/// A file of nine lines with these first and last ones.
fn nine(first: &str, last: &str) -> String {
    format!("{first}\n{}{last}\n", "between\n".repeat(7))
}

/// The author is not blamed for what main changed: not after a rebase, a merge, a squash, or where only main's work is left.
#[test]
fn where_main_changed_the_same_file_its_own_change_is_named() {
    let s = repository();
    s.write("a", nine("top", "bottom"));
    s.commit("nine lines");
    s.git(&["checkout", "-q", "-b", "topic"]);
    s.write("a", nine("TOP", "bottom"));
    commit_as(&s, "Ann", "topic");
    decide(&s, "approve", "topic", "Bob");
    on_main(&s, "a", &nine("top", "BOTTOM"));
    let before = s.git(&["rev-parse", "main"]);
    for way in [&["rebase", "-q", "main"][..], &["merge", "-q", "--no-edit", "main"]] {
        s.git(&["checkout", "-q", "-B", "way", "topic"]);
        s.git(way);
        assert_eq!(s.read("a"), nine("TOP", "BOTTOM"));
        assert_eq!(files(&s, "main", "way"), whys(&[("a", "base changed")]), "{way:?}");
    }
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--squash", "topic"]);
    commit_as(&s, "Ann", "squashed");
    assert_eq!(files(&s, &before, "main"), whys(&[("a", "base changed")]));
    s.git(&["reset", "-q", "--hard", &before]);
    s.git(&["checkout", "-q", "way"]);
    s.write("a", nine("top", "BOTTOM"));
    s.write("b", "B\n");
    commit_as(&s, "Ann", "main's version and more");
    let reset = whys(&[("b", "not approved")]);
    assert_eq!(files(&s, "main", "way"), reset, "nothing that is approved is left");
    s.git(&["checkout", "-q", "topic"]);
    s.write("a", nine("TOP!", "bottom"));
    commit_as(&s, "Ann", "once more");
    assert_eq!(files(&s, "main", "topic"), whys(&[("a", "changed")]), "main's change is elsewhere");
}

#[test]
fn what_main_changed_and_the_branch_gave_up_is_no_loss_by_the_author() {
    let s = repository();
    s.git(&["checkout", "-q", "-b", "topic"]);
    s.write("a", "A\n");
    s.write("b", "B\n");
    commit_as(&s, "Ann", "two files");
    decide(&s, "approve", "topic", "Bob");
    on_main(&s, "b", "main's b\n");
    s.git(&["checkout", "-q", "topic"]);
    s.git(&["merge", "-q", "-X", "theirs", "--no-edit", "main"]);
    assert_eq!(s.read("b"), "main's b\n");
    assert_eq!(files(&s, "main", "topic"), whys(&[("b", "base changed")]));
}

/// A rejection is about exactly what was rejected, for `check`, for `patch show` and for the proofs of scenarios.
#[test]
fn a_rejection_holds_for_its_content_alone_at_every_door() {
    let s = crate::patches::repository();
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"promoted-unproven\": \"error\"}}}");
    s.commit("proofs are asked for");
    s.git(&["checkout", "-q", "-b", "topic"]);
    s.write("src/a.rs", "fn a() { changed() }\n");
    s.write("notes", "first\n");
    commit_as(&s, "Ann", "one commit, which is a step of each later range");
    crate::patches::measure(&s, "--fail");
    commit_as(&s, "Ann", "measured");
    decide(&s, "reject", "topic", "Bob");
    let doors = || (status(&s, "main", "topic"), crate::patches::state(&s, "topic"));
    assert_eq!(doors(), ("rejected".into(), "Rejected".into()));
    s.write("notes", "second\n");
    commit_as(&s, "Ann", "other content");
    assert_eq!(doors(), ("never".into(), "Evaluated".into()));
    decide(&s, "approve", "topic", "Cid");
    assert_eq!(doors(), ("covered".into(), "Approved".into()));
    let said = s.yatsu(&["check", "--from", "main", "--to", "topic"]).expect(0);
    assert!(!said.out.contains("promoted-unproven"), "{}", said.out);
    s.write("notes", "first\n");
    commit_as(&s, "Ann", "back again");
    assert_eq!(doors(), ("rejected".into(), "Rejected".into()));
    let said = s.yatsu(&["check", "--from", "main", "--to", "topic"]).expect(1);
    assert!(said.out.contains("promoted without proof: failing"), "{}", said.out);
}

#[test]
fn what_leaves_the_branch_after_the_approval_is_gone() {
    let s = repository();
    topic(&s);
    s.write("b", "B\n");
    commit_as(&s, "Ann", "two files");
    decide(&s, "approve", "topic", "Bob");
    s.git(&["checkout", "-q", "main", "--", "b"]);
    commit_as(&s, "Ann", "one less");
    assert_eq!(files(&s, "main", "topic"), whys(&[("b", "gone")]));
}

#[test]
fn an_evil_merge_and_a_merge_that_drops_mains_work_are_not_covered() {
    let s = approved();
    on_main(&s, "b", "B\n");
    s.git(&["checkout", "-q", "topic"]);
    s.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]);
    s.write("c", "evil\n");
    commit_as(&s, "Cid", "merged");
    assert_eq!(files(&s, "main", "topic"), whys(&[("c", "not approved")]));
    s.git(&["reset", "-q", "--hard", "HEAD^"]);
    s.git(&["merge", "-q", "-s", "ours", "--no-edit", "main"]);
    assert_eq!(files(&s, "main", "topic"), whys(&[("b", "not approved")]), "its steps alone would show nothing");
}

// T26
#[test]
fn a_branch_without_scenarios_is_approved_in_the_home_of_patches() {
    let s = repository();
    topic(&s);
    let said = decide(&s, "approve", "topic", "Bob");
    assert!(said.out.ends_with(&format!("git add {HOME}\n")), "{}", said.out);
    let line: serde_json::Value = serde_json::from_str(s.read(HOME).trim()).expect("one line");
    let [base, tip] = ["main", "topic~1"].map(|rev| s.git(&["rev-parse", rev]));
    let [old, new] = ["main:a", "topic:a"].map(|rev| s.git(&["rev-parse", rev]));
    assert_eq!((&line["base"], &line["commit"]), (&json!(base), &json!(tip)));
    assert_eq!(line["content"], json!({"a": [old, new]}));
    assert_eq!(line["authors"], json!(["ann@example.org"]));
    assert_eq!(status(&s, "main", "topic"), "covered");
    let again = s.yatsu(&["patch", "approve", "topic", "--reason", "read", "--by", "Bob"]).expect(0);
    assert!(again.out.starts_with("already recorded"), "{}", again.out);
    let shown = s.yatsu(&["patch", "ls"]).expect(0);
    assert!(shown.out.starts_with("topic  Approved  approved by Bob"), "{}", shown.out);
    s.yatsu(&["scan", "--strict"]).expect(0);
    s.write("spexcode.json", "{\"yatsu\": {\"patches\": {\"home\": \"docs/decisions\"}}}");
    s.git(&["checkout", "-q", "-b", "other", "main"]);
    commit_as(&s, "Ann", "another home");
    s.write("b", "B\n");
    commit_as(&s, "Ann", "b");
    let said = s.yatsu(&["patch", "approve", "other", "--reason", "read", "--by", "Bob"]).expect(0);
    assert!(said.out.ends_with(&format!("git add {HOME}\n")), "the home of main counts: {}", said.out);
}

#[test]
fn a_ledger_that_is_new_on_the_branch_is_content_and_takes_no_approval() {
    let s = crate::support::one_node();
    topic(&s);
    s.write("src/a.rs", "fn a() { louder() }\n");
    commit_as(&s, "Ann", "louder");
    s.yatsu(&["eval", "n", "--pass", "--by", "Ann"]).expect(0);
    commit_as(&s, "Ann", "measured");
    let said = decide(&s, "approve", "topic", "Bob");
    assert!(said.out.ends_with(&format!("git add {HOME}\n")), "{}", said.out);
    assert_eq!(status(&s, "main", "topic"), "covered");
    s.yatsu(&["eval", "n", "--fail", "--by", "Ann", "--note", "again"]).expect(0);
    commit_as(&s, "Ann", "measured again");
    assert_eq!(files(&s, "main", "topic"), whys(&[(".spec/n/yatsu.evals.ndjson", "changed")]));
    s.git(&["checkout", "-q", "-B", "main"]);
    s.git(&["checkout", "-q", "-b", "next"]);
    s.write("src/a.rs", "fn a() { softer() }\n");
    commit_as(&s, "Ann", "next");
    s.yatsu(&["eval", "n", "--pass", "--by", "Ann"]).expect(0);
    commit_as(&s, "Ann", "measured");
    let said = decide(&s, "approve", "next", "Bob");
    assert!(said.out.ends_with("git add .spec/n/yatsu.evals.ndjson\n"), "main has the ledger now: {}", said.out);
    assert_eq!(status(&s, "main", "next"), "covered");
    s.yatsu(&["eval", "n", "--fail", "--by", "Ann", "--note", "more"]).expect(0);
    commit_as(&s, "Ann", "more");
    assert_eq!(status(&s, "main", "next"), "covered", "records are no content");
}

#[test]
fn a_file_that_is_only_called_a_ledger_is_content() {
    let s = approved();
    s.write("lib/yatsu.evals.ndjson", "{\"kind\":\"human-ok\"}\n");
    commit_as(&s, "Ann", "a stowaway");
    assert_eq!(files(&s, "main", "topic"), whys(&[("lib/yatsu.evals.ndjson", "not approved")]));
    s.git(&["reset", "-q", "--hard", "HEAD^"]);
    s.git(&["checkout", "-q", "-B", "main"]);
    s.git(&["checkout", "-q", "-b", "modes"]);
    std::fs::set_permissions(s.root.join(HOME), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    commit_as(&s, "Ann", "a mode");
    assert_eq!(files(&s, "main", "modes"), whys(&[(HOME, "not approved")]));
    s.git(&["rm", "-q", HOME]);
    commit_as(&s, "Ann", "no ledger");
    let said = s.yatsu(&["check", "--from", "main", "--to", "modes", "--require-approval"]).expect(1);
    assert!(said.out.contains(&format!("{HOME} (not approved)")), "{}", said.out);
}

// T27
#[test]
fn modes_links_renames_and_submodules_are_content() {
    let s = repository();
    s.git(&["checkout", "-q", "-b", "topic"]);
    executable(&s.root.join("a"), "a\n");
    std::fs::remove_file(s.root.join("b")).expect("a file");
    symlink("a", s.root.join("b")).expect("a link");
    s.git(&["mv", "c", "d"]);
    s.git(&["add", "-A"]);
    s.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", "1".repeat(40))]);
    s.git(&["commit", "-q", "-m", "kinds"]);
    s.yatsu(&["patch", "approve", "topic", "--reason", "read", "--by", "Bob"]).expect(0);
    let line: serde_json::Value = serde_json::from_str(s.read(HOME).trim()).expect("one line");
    let id = |rev: &str| s.git(&["rev-parse", rev]);
    let [a, b, c] = ["main:a", "main:b", "main:c"].map(id);
    let expected = json!({
        "a": [a, format!("x:{}", id("topic:a"))],
        "b": [b, format!("l:{}", id("topic:b"))],
        "c": [c, "-"],
        "d": ["-", c],
        "sub": ["-", format!("m:{}", "1".repeat(40))],
    });
    assert_eq!(line["content"], expected);
    s.git(&["add", HOME]);
    s.git(&["commit", "-q", "-m", "decided"]);
    assert_eq!(status(&s, "main", "topic"), "covered");
    s.git(&["update-index", "--chmod=-x", "a"]);
    s.git(&["update-index", "--cacheinfo", &format!("160000,{},sub", "2".repeat(40))]);
    s.git(&["commit", "-q", "-m", "other kinds"]);
    assert_eq!(files(&s, "main", "topic"), whys(&[("a", "gone"), ("sub", "changed")]));
}

// T28
#[test]
fn what_main_took_back_is_approved_anew() {
    let s = approved();
    s.git(&["checkout", "-q", "main"]);
    s.git(&["merge", "-q", "--squash", "topic"]);
    commit_as(&s, "Ann", "squashed");
    s.git(&["checkout", "-q", "main^", "--", "a"]);
    commit_as(&s, "Dee", "reverted, and the ledger stays");
    assert_eq!(files(&s, "main", "topic"), whys(&[("a", "spent")]), "the branch began before the squash");
    s.git(&["checkout", "-q", "-b", "again"]);
    s.write("a", "A\n");
    commit_as(&s, "Ann", "back");
    assert_eq!(files(&s, "main", "again"), whys(&[("a", "spent")]));
    let said = s.yatsu(&["check", "--from", "main", "--require-approval"]).expect(1);
    assert!(said.out.contains("a (main took it back since)"), "{}", said.out);
    decide(&s, "approve", "again", "Bob");
    assert_eq!(status(&s, "main", "again"), "covered");
}

#[test]
fn a_cut_off_history_is_no_answer_about_a_spent_approval() {
    let s = approved();
    s.git(&["checkout", "-q", "-b", "later", "main"]);
    s.write(HOME, s.git(&["show", &format!("topic:{HOME}")]) + "\n");
    commit_as(&s, "Bob", "the decision came to main alone");
    s.git(&["branch", "-f", "main"]);
    s.write("a", "A\n");
    commit_as(&s, "Ann", "the change");
    assert_eq!(status(&s, "main", "later"), "covered", "main never had it");
    let url = format!("file://{}", s.root.display());
    s.git(&["clone", "-q", "--depth=2", "--branch=later", &url, "../shallow"]);
    let mut command = s.yatsu_command(&["check", "--from", "HEAD^", "--require-approval"]);
    command.current_dir(s.base.join("shallow"));
    let said = crate::support::Said::of(command.output().expect("the program runs")).expect(3);
    assert!(said.err.contains("whether an approval is spent is unknown"), "{}", said.err);
}

// T30
#[test]
fn many_files_are_approved_by_their_digest() {
    let s = repository();
    topic(&s);
    for number in 0..130 {
        s.write(&format!("many/{number}"), "x");
    }
    commit_as(&s, "Ann", "many");
    decide(&s, "approve", "topic", "Bob");
    let line: serde_json::Value = serde_json::from_str(s.read(HOME).trim()).expect("one line");
    assert_eq!((&line["contentDigest"]["files"], &line["content"]), (&json!(131), &json!(null)));
    assert_eq!(status(&s, "main", "topic"), "covered");
    s.write("many/5", "y");
    commit_as(&s, "Ann", "one of them");
    assert_eq!(files(&s, "main", "topic"), whys(&[("many/5", "changed")]));
}

// T30
#[test]
fn a_range_is_covered_in_its_first_parent_steps_and_names_only_the_files_of_the_others() {
    let s = approved();
    s.git(&["checkout", "-q", "-b", "second", "main"]);
    s.write("b", "B\n");
    commit_as(&s, "Ann", "second");
    decide(&s, "approve", "second", "Cid");
    s.git(&["checkout", "-q", "-b", "landing", "main"]);
    s.git(&["cherry-pick", "topic~1"]);
    s.git(&["cherry-pick", "second~1"]);
    let ledgers = ["topic", "second"].map(|rev| s.git(&["show", &format!("{rev}:{HOME}")]));
    s.write(HOME, ledgers.join("\n") + "\n");
    commit_as(&s, "Bob", "the decisions");
    let answer = asked(&s, "main", "landing");
    assert_eq!((&answer["status"], &answer["by"]), (&json!("covered"), &json!(["Bob", "Cid"])));
    s.write("c", "C\n");
    commit_as(&s, "Ann", "unseen");
    assert_eq!(files(&s, "main", "landing"), whys(&[("c", "not approved")]));
}

// T30
#[test]
fn a_rejection_is_the_last_word_until_its_giver_says_otherwise() {
    let s = repository();
    policy(&s, "{\"need\": 1}", "");
    topic(&s);
    decide(&s, "approve", "topic", "Bob");
    decide(&s, "reject", "topic", "Cid");
    let answer = asked(&s, "main", "topic");
    assert_eq!((&answer["status"], &answer["by"]), (&json!("rejected"), &json!(["Cid"])));
    let said = s.yatsu(&["check", "--from", "main", "--require-approval"]).expect(1);
    assert!(said.out.contains("Cid rejected this change"), "{}", said.out);
    let ledger = s.read(HOME);
    let last = ledger.lines().last().expect("a line");
    // the last millisecond of its minute
    let at = last.rfind("Z\"}").expect("a time") - "00.000".len();
    let approve = format!("{}59.999Z\"}}", &last[..at]).replace("\"reject\"", "\"approve\"");
    s.write(HOME, format!("{ledger}{approve}\n"));
    commit_as(&s, "Cid", "after a talk");
    assert_eq!(asked(&s, "main", "topic")["by"], json!(["Bob", "Cid"]));
}

#[test]
fn without_a_policy_only_programs_see_the_answer() {
    let s = repository();
    topic(&s);
    let plain = s.yatsu(&["check", "--from", "main", "--to", "topic"]).expect(0);
    assert_eq!(plain.out, "");
    let said = s.yatsu(&["check", "--from", "main", "--to", "topic", "--format", "json"]).expect(0);
    let answer = crate::support::validate_published(&said.out);
    assert_eq!((&answer["approval"]["status"], &answer["verdict"]), (&json!("never"), &json!("pass")));
}

/// A segment is new in nearly every change. One of a home that the base has is a record if all its lines are valid; else every
/// reading would end an approval, or a file of that name could carry anything past it.
#[test]
fn a_new_segment_is_a_record_where_its_home_is_known_and_its_lines_are_valid() {
    let s = repository();
    s.write("spexcode.json", "{\"yatsu\": {\"segments\": \"always\"}}");
    s.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "b")]));
    commit_as(&s, "Ann", "a node");
    topic(&s);
    decide(&s, "approve", "topic", "Bob");
    assert!(!s.root.join(HOME).exists(), "the decision is in a segment, too");
    assert_eq!(status(&s, "main", "topic"), "covered");
    s.yatsu(&["eval", "n", "--pass", "--by", "Ann"]).expect(0);
    commit_as(&s, "Ann", "measured");
    assert_eq!(status(&s, "main", "topic"), "covered", "a reading ends no approval");
    for (what, path, text) in [
        ("a line that is no event", ".spec/n/yatsu.x.evals.ndjson", "#!/bin/sh\n"),
        ("a home that the base does not have", "lib/yatsu.x.evals.ndjson", ""),
        ("a foreign name", ".spec/n/yatsu.X.evals.ndjson", ""),
    ] {
        s.write(path, text);
        commit_as(&s, "Ann", what);
        assert_eq!(files(&s, "main", "topic"), whys(&[(path, "not approved")]), "{what}");
        s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    }
}

/// A fold moves lines of records. It ends no approval, be it the first of a home, or one into a trunk file that is there. A line
/// that goes with its segment does.
#[test]
fn a_fold_is_a_record() {
    let s = repository();
    s.write("spexcode.json", "{\"yatsu\": {\"segments\": \"always\"}}");
    s.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "b")]));
    commit_as(&s, "Ann", "a node");
    let measured = |s: &Scratch| {
        s.yatsu(&["eval", "n", "--pass", "--by", "Ann"]).expect(0);
        commit_as(s, "Ann", "measured");
        s.git(&["ls-files", ".spec/n/yatsu.*.evals.ndjson"])
    };
    let first = measured(&s);
    topic(&s);
    decide(&s, "approve", "topic", "Bob");
    s.git(&["rm", "-q", &first]);
    commit_as(&s, "Ann", "a reading is lost");
    assert_eq!(files(&s, "main", "topic"), whys(&[(&first, "not approved")]));
    s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let fold = |s: &Scratch| {
        s.yatsu(&["fold", "--here", "n"]).expect(0);
        commit_as(s, "Ann", "folded");
        assert_eq!(s.git(&["ls-files", ".spec/n"]), ".spec/n/yatsu.evals.ndjson\n.spec/n/yatsu.md");
    };
    fold(&s);
    assert_eq!(status(&s, "main", "topic"), "covered", "the first fold");
    s.git(&["checkout", "-q", "main"]);
    fold(&s);
    measured(&s);
    s.git(&["checkout", "-q", "topic"]);
    s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    s.git(&["merge", "-q", "--no-edit", "main"]);
    fold(&s);
    assert_eq!(status(&s, "main", "topic"), "covered", "into a trunk file that is there");
    s.git(&["checkout", "-q", "main"]);
    measured(&s);
    s.git(&["checkout", "-q", "topic"]);
    s.git(&["merge", "-q", "--no-edit", "main"]);
    let read = s.read(&s.git(&["ls-files", ".spec/n/yatsu.*.evals.ndjson"]));
    let ts = read.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a time");
    s.yatsu(&["redact", "n", "--ts", ts, "--reason", "r"]).expect(0);
    fold(&s);
    assert_eq!(status(&s, "main", "topic"), "covered", "of a line that is redacted in the same commit");
    s.write(
        ".spec/n/yatsu.evals.ndjson",
        s.read(".spec/n/yatsu.evals.ndjson").lines().next().expect("a line").to_owned() + "\n",
    );
    commit_as(&s, "Ann", "without the folded line");
    assert!(!files(&s, "main", "topic").is_empty(), "its segment is gone, and its line with it");
}

/// A mode is content in both directions: no rule about history guards it.
#[test]
fn an_executable_ledger_that_is_new_is_content() {
    let s = repository();
    let (new, old) = (".spec/n/yatsu.b.evals.ndjson", ".spec/n/yatsu.a.evals.ndjson");
    s.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "b")]));
    let line = crate::support::reading_line(&s.head(), "works", "pass", 1);
    s.write(old, &line);
    s.git(&["add", "-A"]);
    s.git(&["update-index", "--chmod=+x", old]);
    s.git(&["commit", "-q", "-m", "a node"]);
    s.git(&["reset", "-q", "--hard"]);
    topic(&s);
    decide(&s, "approve", "topic", "Bob");
    s.write(new, &line);
    s.git(&["add", "-A"]);
    s.git(&["update-index", "--chmod=+x", new]);
    s.git(&["commit", "-q", "-m", "executable"]);
    assert_eq!(files(&s, "main", "topic"), whys(&[(new, "not approved")]));
    s.git(&["reset", "-q", "--hard", "HEAD~1"]);
    s.yatsu(&["fold", "--here", "n"]).expect(0);
    commit_as(&s, "Ann", "folded");
    assert_eq!(status(&s, "main", "topic"), "covered", "a fold of an executable segment is one of lines");
}

/// The base vouches for a segment by its lines, so an empty one, which it may have, vouches for no content.
#[test]
fn an_empty_segment_vouches_for_nothing() {
    let s = repository();
    let path = ".spec/n/yatsu.a.evals.ndjson";
    s.write(".spec/n/yatsu.md", crate::support::scenarios(&[("works", "b")]));
    s.write(path, "");
    commit_as(&s, "Ann", "a node");
    topic(&s);
    decide(&s, "approve", "topic", "Bob");
    s.write(path, "#!/bin/sh\n");
    commit_as(&s, "Ann", "anything");
    assert_eq!(files(&s, "main", "topic"), whys(&[(path, "not approved")]));
}
