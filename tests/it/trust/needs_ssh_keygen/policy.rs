//! What the policy of the base asks for: roles, the number of persons, tags.

use super::{INDEPENDENT, LEDGER, SIGNED, Team};
use crate::support::{Said, fed, findings, scenarios};

// T22
#[test]
#[ignore = "needs ssh-keygen"]
fn the_role_of_a_key_and_the_number_of_persons_are_asked_for() {
    let team = Team::new();
    let judges = [
        team.judge("ann@example.org", "ann"),
        team.judge("bob@example.org", "bob"),
        team.judge("ann-agent@example.org", "agent"),
    ];
    team.admit(&judges.concat(), r#"{"cli": {"grade": "signed", "roles": ["person"], "keys": 2}}"#);
    let base = team.head();
    let told = || team.told(&base, "trust-unmet");
    team.signed_pass(&["agent"]);
    let asks = "and yatsu.trust asks for a signed pass by 2 persons of the role person";
    assert_eq!(told(), [format!("no key of a needed role signed the pass, {asks}")]);
    team.sign("ann", &[]).expect(0);
    team.s.commit("ann");
    assert_eq!(told(), [format!("1 of 2 persons signed the pass, {asks}")]);
    team.sign("ann", &[]).expect(0);
    team.s.yatsu(&["eval", "n", "--pass", "--by", "bob"]).expect(0);
    team.sign("bob", &[]).expect(0);
    team.s.commit("bob, on another pass of the same content");
    assert_eq!(told(), [""; 0]);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn each_node_of_a_score_is_judged_by_its_own_ledger() {
    for (signed, unsigned) in [("m", "n"), ("n", "m")] {
        let team = Team::with_policy(SIGNED);
        team.s.write(".spec/m/yatsu.md", scenarios(&[("works", "src/a.rs")]));
        team.s.commit("another node with the same scenario");
        let key = team.key("ann").display().to_string();
        for node in ["m", "n"] {
            team.s.yatsu(&["eval", node, "--pass"]).expect(0);
        }
        team.s.yatsu(&["sign", signed, "--key", &key]).expect(0);
        team.s.commit("one of them is signed");
        let found = findings(&team.s, "trust-unmet", &["--all"]);
        let nodes: Vec<_> = found.iter().map(|finding| &finding["node"]).collect();
        assert_eq!(nodes, [unsigned], "{found:?}");
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_signed_pass_of_another_test_speaks_for_no_unsigned_one() {
    for (is_emptied, expected) in [(false, 0), (true, 1)] {
        let team = Team::with_policy(SIGNED);
        let file = team.s.read(".spec/n/yatsu.md");
        team.s.write(".spec/n/yatsu.md", file.replacen("    code:", "    test: tests/a.py\n    code:", 1));
        team.s.write("tests/a.py", "assert a()\n");
        team.s.commit("a test");
        let base = team.head();
        team.edit("changed");
        if is_emptied {
            team.s.write("tests/a.py", "");
        }
        team.signed_pass(&["ann"]);
        team.s.write("tests/a.py", "assert a()\n");
        team.s.yatsu(&["eval", "n", "--pass", "--note", "again"]).expect(0);
        team.s.commit("the test again");
        assert_eq!(team.told(&base, "trust-unmet").len(), expected, "emptied: {is_emptied}");
    }
}

// T23
#[test]
#[ignore = "needs ssh-keygen"]
fn a_dropped_tag_and_an_eased_policy_are_judged_by_the_base() {
    let untag = |team: &Team| {
        let file = team.s.read(".spec/n/yatsu.md");
        team.s.write(".spec/n/yatsu.md", file.replace("cli", "mobile"));
    };
    let ease = |team: &Team| team.s.write("spexcode.json", "{}");
    for weaken in [&untag as &dyn Fn(&Team), &ease] {
        let team = Team::with_policy(r#"{"cli": {"grade": "signed"}}"#);
        let base = team.head();
        weaken(&team);
        team.edit("changed");
        team.signed_pass(&[]);
        assert_eq!(team.since(&base, "trust-unmet").len(), 1);
        assert!(!team.since(&base, "gate-lowered").is_empty());
    }
}

// T23
#[test]
#[ignore = "needs ssh-keygen"]
fn a_signed_fail_that_an_unsigned_line_takes_away_still_speaks() {
    let team = Team::with_policy(SIGNED);
    team.edit("changed");
    team.signed_pass(&["ann"]);
    let base = team.head();
    team.s.yatsu(&["eval", "n", "--fail"]).expect(0);
    team.sign("bob", &[]).expect(0);
    let failed = team.s.commit("bob saw it fail");
    team.s.yatsu(&["retract", "n"]).expect(0);
    team.s.commit("taken away");
    let away = "an unsigned line took a signed fail of this content away, or a signed reading that could be one, and yatsu.trust asks for a signed pass";
    assert_eq!(team.told(&base, "trust-unmet"), [away]);
    assert_eq!(team.told(&failed, "trust-unmet"), [away]);
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    let ts = serde_json::from_str::<serde_json::Value>(&team.last_line()).expect("a line")["ts"].clone();
    team.sign("bob", &["--ts", ts.as_str().unwrap_or_default()]).expect(0);
    team.s.commit("bob takes it back himself");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
    // a redaction takes it away, too
    team.s.git(&["reset", "-q", "--hard", &failed]);
    let fail =
        team.s.read(LEDGER).lines().find(|line| line.contains("\"fail\"")).map(str::to_owned).unwrap_or_default();
    let ts = serde_json::from_str::<serde_json::Value>(&fail).expect("a line")["ts"].clone();
    team.s.yatsu(&["redact", "n", "--ts", ts.as_str().unwrap_or_default(), "--reason", "gone"]).expect(0);
    team.s.commit("redacted");
    assert_eq!(team.told(&failed, "trust-unmet"), [away]);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_signed_pass_is_more_than_an_observed_one() {
    let team = Team::with_policy(r#"{"*": {"grade": "observed"}}"#);
    let base = team.head();
    team.signed_pass(&[]);
    assert_eq!(team.since(&base, "trust-unmet").len(), 1);
    team.sign("ann", &[]).expect(0);
    team.s.commit("signed");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_server_and_a_push_judge_by_the_old_tip() {
    let team = Team::with_policy(INDEPENDENT);
    let old = team.head();
    team.edit("changed");
    team.commit_as("ann@example.org", "");
    team.signed_pass(&["ann"]);
    let own = team.head();
    team.sign("bob", &[]).expect(0);
    let other = team.s.commit("bob, too");
    team.s.git(&["clone", "-q", "--bare", ".", "../server.git"]);
    team.s.git(&["-C", "../server.git", "update-ref", "refs/heads/main", &old]);
    for (new, is_met) in [(&own, false), (&other, true)] {
        let received = team.s.yatsu_command(&["-C", "../server.git", "pre-receive"]);
        let pushed = team.s.yatsu_command(&["pre-push", "origin", "url"]);
        let said: [Said; 2] = [
            fed(received, format!("{old} {new} refs/heads/main\n")).expect(0),
            fed(pushed, format!("refs/heads/x {new} refs/heads/main {old}\n")).expect(0),
        ];
        said.iter().for_each(|said| assert_eq!(said.err.contains("trust-unmet"), !is_met, "{}", said.err));
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn without_a_main_branch_nobody_is_known_and_the_scenarios_are_counted() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&["ann"]);
    team.s.git(&["checkout", "-q", "--detach"]);
    team.s.git(&["branch", "-D", "main"]);
    let said = team.s.yatsu(&["scan"]).expect(0);
    assert!(format!("{}{}", said.out, said.err).contains("not judged: 1"), "{} {}", said.out, said.err);
}

// T23
#[test]
#[ignore = "needs ssh-keygen"]
fn a_score_goes_by_the_tags_of_the_main_branch_too() {
    let team = Team::with_policy(r#"{"cli": {"grade": "signed"}}"#);
    team.signed_pass(&[]);
    team.s.git(&["checkout", "-qb", "topic"]);
    let unmet = |args: &[&str]| findings(&team.s, "trust-unmet", args).len();
    assert_eq!(unmet(&["--all"]), 1);
    let file = team.s.read(".spec/n/yatsu.md").replace("cli", "mobile");
    for dir in [".spec/n", ".spec/deep/n"] {
        // in its place, and moved
        team.s.git(&["rm", "-rq", "--cached", ".spec"]);
        let ledger = team.s.read(LEDGER);
        team.s.write(&format!("{dir}/yatsu.md"), &file);
        team.s.write(&format!("{dir}/yatsu.evals.ndjson"), &ledger);
        if dir != ".spec/n" {
            std::fs::remove_dir_all(team.s.root.join(".spec/n")).expect("a directory");
        }
        assert_eq!(unmet(&["--all"]), 1, "the working tree: {dir}");
        team.s.commit("another tag");
        assert_eq!(unmet(&["--rev", "topic"]), 1, "the commit: {dir}");
        let row = team.s.yatsu(&["ls", "--format", "json"]).expect(0).out;
        let row: serde_json::Value = serde_json::from_str(&row).expect("a document");
        assert_eq!(row["scenarios"][0]["trust"]["met"], false, "{dir}: {row}");
    }
    team.s.git(&["branch", "-f", "main", "topic"]);
    assert_eq!(unmet(&["--all"]), 0, "the tag left main");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_page_shows_who_signed_and_what_is_missing_and_one_for_publication_names_no_person() {
    let team = Team::with_policy(INDEPENDENT);
    team.edit("changed");
    team.commit_as("ann@example.org", "");
    team.signed_pass(&["ann"]);
    let page = |more: &[&str]| team.s.yatsu(&[&["report", "--html", "-"], more].concat()).expect(0).out;
    let own = page(&[]);
    for shown in
        ["<b>pass</b> signed", "signed by ann@example.org (person) with SHA256:", "trust: the owners of the keys"]
    {
        assert!(own.contains(shown), "{shown}");
    }
    let public = page(&["--without-evidence"]);
    assert!(public.contains("<b>pass</b> signed") && !public.contains("ann@example.org"), "the grade alone");
    team.sign("bob", &[]).expect(0);
    let own = page(&[]);
    assert!(own.contains("<b>pass</b> independent") && !own.contains("trust: "));
    let measured = team.s.commit("bob, too");
    assert!(page(&["--rev", &measured]).contains("signed by bob@example.org"), "of a commit");
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_scenario_that_moves_or_is_renamed_or_replaced_keeps_its_policy_and_a_dropped_tag_is_said() {
    let policy = r#"{"cli": {"grade": "signed"}}"#;
    let rename = |team: &Team, from: &str, to: &str| {
        let file = team.s.read(".spec/n/yatsu.md");
        team.s.write(".spec/n/yatsu.md", file.replace(from, to).replace("cli", "mobile"));
    };
    let moved = |team: &Team| {
        rename(team, "", "");
        team.s.git(&["mv", "-k", ".spec/n", ".spec/m"]);
        "m"
    };
    let renamed = |team: &Team| {
        rename(team, "name: works", "name: runs");
        "n"
    };
    let replaced = |team: &Team| {
        rename(team, "works", "stands");
        "n"
    };
    let elsewhere = |team: &Team| {
        rename(team, "works", "stands");
        team.s.git(&["mv", "-k", ".spec/n", ".spec/m"]);
        "m"
    };
    for evade in [&moved as &dyn Fn(&Team) -> &'static str, &renamed, &replaced, &elsewhere] {
        let team = Team::with_policy(policy);
        let base = team.head();
        team.edit("changed");
        let node = evade(&team);
        team.s.yatsu(&["eval", node, "--pass"]).expect(0);
        team.s.git(&["add", "-A"]);
        let said = team.s.yatsu(&["pre-commit"]).expect(0);
        assert!(said.err.contains("gate-lowered") || said.out.contains("gate-lowered"), "{said:?}");
        team.s.commit("under another name");
        assert_eq!(team.since(&base, "trust-unmet").len(), 1);
        assert_eq!(team.since(&base, "gate-lowered").len(), 1, "{:?}", team.told(&base, "gate-lowered"));
        // the score of a branch knows the tags of the main branch, too
        team.s.git(&["checkout", "-q", "-b", "topic"]);
        team.s.git(&["branch", "-f", "main", &base]);
        assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_scenario_that_goes_takes_its_gate_along_and_that_is_said_and_one_without_a_policy_may_go() {
    let team = Team::with_policy(r#"{"cli": {"grade": "independent"}}"#);
    team.s.write(".spec/free/yatsu.md", crate::support::scenarios(&[("free", "src/a.rs")]).replace("cli", "mobile"));
    let base = team.s.commit("another one");
    team.s.git(&["rm", "-q", "-r", ".spec/free"]);
    let freed = team.s.commit("the free one goes");
    assert_eq!(team.told(&base, "gate-lowered"), [""; 0]);
    team.s.git(&["rm", "-q", ".spec/n/yatsu.md"]);
    team.s.commit("the other one goes");
    assert_eq!(team.told(&freed, "gate-lowered"), ["it is gone, and yatsu.trust asked for an independent pass"]);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_scenario_that_only_the_entry_for_all_governs_does_not_go_in_silence() {
    let team = Team::with_policy(SIGNED);
    team.signed_pass(&["ann"]);
    let base = team.head();
    team.s.write(".spec/n/yatsu.md", scenarios(&[("other", "src/b.rs")]));
    team.edit("worse");
    for (door, said) in crate::support::every_door(&team.s, &base) {
        let text = said.out.clone() + &said.err;
        for rule in [
            "warning[gate-lowered] n/works: it is gone, and yatsu.trust asked for a signed pass",
            "warning[scenario-dropped]",
        ] {
            assert!(text.contains(rule), "{door}: {text}");
        }
    }
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_list_that_changes_alone_is_asked_for_a_judge_who_wrote_nothing_of_what_it_names_now() {
    let team = Team::with_policy(INDEPENDENT);
    let config = team.s.read("spexcode.json");
    let rules = "\"rules\": {\"trust-unmet\": \"error\"}, \"trust\"";
    team.s.write("spexcode.json", config.replacen("\"trust\"", rules, 1));
    team.s.write("src/new.rs", "fn new() {}\n");
    team.commit_as("bob@example.org", "");
    team.edit("changed");
    team.commit_as("ann@example.org", "");
    team.signed_pass(&["bob"]);
    let base = team.head();
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 0);
    let file = team.s.read(".spec/n/yatsu.md");
    team.s.write(".spec/n/yatsu.md", file.replace("code: src/a.rs", "code: [src/a.rs, src/new.rs]"));
    team.s.commit("a file of bob is governed, too");
    assert_eq!(team.since(&base, "trust-unmet").len(), findings(&team.s, "trust-unmet", &["--all"]).len());
    assert_eq!(team.since(&base, "trust-unmet").len(), 1);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn another_evaluator_neither_hides_a_signed_fail_nor_parts_the_persons_of_one_content() {
    let team = Team::with_policy(SIGNED);
    let base = team.head();
    team.signed_pass(&["ann"]);
    team.s.yatsu(&["eval", "n", "--fail", "--evaluator", "other@2"]).expect(0);
    team.sign("bob", &[]).expect(0);
    team.s.yatsu(&["retract", "n"]).expect(0);
    team.s.commit("taken away");
    assert!(team.told(&base, "trust-unmet")[0].starts_with("an unsigned line took a signed fail"));
    let team = Team::with_policy(r#"{"*": {"grade": "signed", "keys": 2}}"#);
    let base = team.head();
    team.signed_pass(&["ann"]);
    team.s.yatsu(&["eval", "n", "--pass", "--evaluator", "other@2"]).expect(0);
    team.sign("bob", &[]).expect(0);
    team.s.commit("bob, with another evaluator");
    assert_eq!(team.told(&base, "trust-unmet"), [""; 0]);
}

#[test]
#[ignore = "needs ssh-keygen"]
fn a_signed_reading_that_was_redacted_while_other_content_was_there_is_not_forgotten() {
    let team = Team::with_policy(SIGNED);
    team.edit("two");
    team.signed_pass(&["ann"]);
    team.s.yatsu(&["eval", "n", "--fail"]).expect(0);
    team.sign("bob", &[]).expect(0);
    let fail = team.s.read(LEDGER).lines().find(|line| line.contains("\"fail\"")).map(str::to_owned).expect("a fail");
    let ts = serde_json::from_str::<serde_json::Value>(&fail).expect("a line")["ts"].clone();
    team.s.commit("bob saw it fail");
    team.edit("three");
    team.s.commit("other content");
    team.s.yatsu(&["redact", "n", "--ts", ts.as_str().unwrap_or_default(), "--reason", "gone"]).expect(0);
    let redacted = team.s.commit("redacted");
    team.edit("two");
    team.s.commit("back");
    let away = "an unsigned line took a signed fail of this content away, or a signed reading that could be one";
    assert!(team.told(&redacted, "trust-unmet")[0].starts_with(away), "{:?}", team.told(&redacted, "trust-unmet"));
    assert_eq!(findings(&team.s, "trust-unmet", &["--all"]).len(), 1);
    team.signed_pass(&["bob"]);
    assert_eq!(team.told(&redacted, "trust-unmet"), [""; 0], "a newer signed pass says it anew");
}
