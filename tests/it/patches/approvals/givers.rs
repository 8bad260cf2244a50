//! Who may give an approval, and how many are needed.

use super::{approved, asked, commit_as, decide, policy, repository, status, topic};
use crate::patches::state;
use crate::support::{Said, Scratch};
use serde_json::json;

// T29
#[test]
fn an_author_a_co_author_and_an_alias_of_one_give_no_approval() {
    for (by, message, mailmap) in [
        ("Ann", "m", ""),
        ("ANN@Example.org", "m", ""),
        ("Somebody <ann@example.org>", "m", ""),
        ("bob@example.org", "m\n\nco-authored-by: Bob <bob@example.org>\n\nand more", ""),
        ("Bob <bob@example.org>", "m", "Ann <ann@example.org> <bob@example.org>\n"),
    ] {
        let s = repository();
        if !mailmap.is_empty() {
            s.write(".mailmap", mailmap);
            s.commit("people");
        }
        s.git(&["checkout", "-q", "-b", "topic"]);
        s.write("a", "A\n");
        commit_as(&s, "Ann", message);
        decide(&s, "approve", "topic", by);
        assert_eq!(asked(&s, "main", "topic"), json!({"status": "short", "need": 1, "by": [], "files": []}), "{by}");
        s.git(&["checkout", "-q", "main"]);
        s.git(&["merge", "-q", "--squash", "topic"]);
        commit_as(&s, "Dee", "a squash that drops the authors");
        let is_named = by.contains('@');
        assert_eq!(status(&s, "main^", "main"), if is_named { "short" } else { "covered" }, "addresses: {by}");
    }
}

#[test]
fn an_approver_may_commit_the_decision_and_merge_the_branch() {
    let s = approved();
    s.git(&["checkout", "-q", "main"]);
    s.write("b", "B\n");
    commit_as(&s, "Dee", "main moves");
    let before = s.git(&["rev-parse", "HEAD"]);
    s.git(&["merge", "-q", "--no-commit", "--no-ff", "topic"]);
    commit_as(&s, "Bob", "merged");
    assert_eq!(status(&s, &before, "main"), "covered");
    s.git(&["commit", "-q", "--amend", "--no-edit", "--allow-empty"]);
    s.git(&["reset", "-q", "--hard", &before]);
    s.git(&["merge", "-q", "--no-commit", "--no-ff", "topic"]);
    s.write("a", "A\nand Bob's own line\n");
    commit_as(&s, "Bob", "merged with an edit");
    assert_eq!(status(&s, &before, "main"), "lost");
}

#[test]
fn two_givers_are_two_persons() {
    let s = repository();
    policy(&s, "{\"need\": 2}", "");
    topic(&s);
    decide(&s, "approve", "topic", "Bob <bob@example.org>");
    decide(&s, "approve", "topic", "bob@example.org");
    let answer = asked(&s, "main", "topic");
    assert_eq!((&answer["status"], &answer["need"]), (&json!("short"), &json!(2)));
    assert_eq!(answer["by"].as_array().map(Vec::len), Some(1));
    let said = s.yatsu(&["check", "--from", "main"]).expect(0);
    assert!(said.out.contains("1 of 2 needed approvals: by bob@example.org"), "{}", said.out);
    decide(&s, "approve", "topic", "Cid");
    assert_eq!(status(&s, "main", "topic"), "covered");
}

/// The command that a finding offers, with the words in capitals filled in.
fn offered(s: &Scratch, by: &str) -> Said {
    let said = s.yatsu(&["check", "--from", "main", "--to", "topic", "--require-approval"]).expect(1);
    let command = said.out.split("yatsu-hook patch ").nth(1).expect("a command").lines().next().expect("a line");
    let word = |word: &str| match word {
        "BRANCH" => "topic".to_owned(),
        "WHY" => "read".to_owned(),
        "WHO" => by.to_owned(),
        word => word.to_owned(),
    };
    let words: Vec<String> = ["patch"].into_iter().chain(command.split(' ')).map(word).collect();
    let said = s.yatsu(&words.iter().map(String::as_str).collect::<Vec<_>>());
    s.git(&["add", "-A"]);
    s.git(&["commit", "-q", "--allow-empty", "-m", "decided"]);
    said
}

#[test]
fn an_own_approval_keeps_no_other_person_out_and_the_offered_commands_work() {
    let s = repository();
    topic(&s);
    decide(&s, "approve", "topic", "Ann");
    assert_eq!((status(&s, "main", "topic"), state(&s, "topic")), ("short".into(), "Approved".into()));
    assert!(offered(&s, "Bob").expect(0).out.starts_with("recorded approve of topic"));
    assert_eq!(status(&s, "main", "topic"), "covered");
    let again = s.yatsu(&["patch", "approve", "topic", "--reason", "twice", "--by", "Bob"]).expect(0);
    assert!(again.out.starts_with("already recorded"), "once each: {}", again.out);
    decide(&s, "reject", "topic", "Cid");
    assert_eq!((status(&s, "main", "topic"), state(&s, "topic")), ("rejected".into(), "Rejected".into()));
    let refused = s.yatsu(&["patch", "approve", "topic", "--reason", "x", "--by", "Dee"]).expect(1);
    assert!(refused.err.contains("yatsu-hook patch approve topic --reason WHY --by Cid"), "{}", refused.err);
    assert!(offered(&s, "Cid").expect(0).out.starts_with("recorded approve of topic"));
    assert_eq!((status(&s, "main", "topic"), state(&s, "topic")), ("covered".into(), "Approved".into()));
    decide(&s, "reject", "topic", "Cid");
    assert_eq!((status(&s, "main", "topic"), state(&s, "topic")), ("rejected".into(), "Rejected".into()));
}

// T29
#[test]
fn with_require_other_the_filer_of_a_reading_gives_no_approval() {
    for (require, filer, expected) in
        [("true", "Bob", "short"), ("true", "Cid", "covered"), ("false", "Bob", "covered")]
    {
        let s = crate::patches::repository();
        s.write("spexcode.json", format!("{{\"yatsu\": {{\"patches\": {{\"requireOther\": {require}}}}}}}"));
        s.commit("who may decide");
        s.git(&["checkout", "-q", "-b", "topic"]);
        s.write("src/a.rs", "fn a() { louder() }\n");
        commit_as(&s, "Ann", "louder");
        s.yatsu(&["eval", "n", "--pass", "--by", "Cid"]).expect(0);
        commit_as(&s, "Cid", "measured");
        decide(&s, "approve", "topic", "Bob");
        s.yatsu(&["eval", "n", "--pass", "--by", filer, "--note", "again"]).expect(0);
        commit_as(&s, filer, "measured again");
        assert_eq!(status(&s, "main", "topic"), expected, "{require} {filer}");
    }
}

#[test]
fn lines_of_older_programs_speak_for_states_alone() {
    let s = approved();
    let ledger = s.read(super::HOME);
    let from = ledger.find("\"base\"").expect("a base");
    let to = ledger.find("\"reason\"").expect("a reason");
    s.write(super::HOME, format!("{}{}", &ledger[..from], &ledger[to..]));
    s.git(&["add", "-A"]);
    s.git(&["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(status(&s, "main", "topic"), "never");
}
