//! The memo that a scan leaves for the next one, when it is renewed, and which parts of it are never trusted.

use super::said::scanned;
use super::{anchors, memo, renamed, settle};
use crate::support::{Scratch, reading_line, real, scenarios};
use crate::trust::{INDEPENDENT, LEDGER, Team};
use bstr::ByteSlice;
use std::fs;
use yatsu_hook::app::memo as memos;

/// The cost in a reading that states it.
const USAGE: &str = "{\"promptTokens\":500,\"completionTokens\":0,\"totalTokens\":500,\"source\":\"x\"}";

/// Asserts that a scan leaves the same memo as a scan without one.
#[track_caller]
fn scan_renews(scratch: &Scratch) {
    let memo = memo(scratch);
    let scanned = || {
        scratch.yatsu(&["scan"]);
        fs::read(&memo).expect("a memo")
    };
    let renewed = scanned();
    fs::remove_file(&memo).expect("a memo");
    assert!(renewed == scanned(), "the old memo was kept");
}

#[test]
fn a_memo_that_was_made_while_something_was_dirty_does_not_stay() {
    let scratch = renamed();
    fs::remove_file(memo(&scratch)).expect("a memo");
    scratch.write("b.txt", "not committed\n");
    scratch.yatsu(&["scan"]);
    scratch.git(&["checkout", "-q", "--", "b.txt"]);
    scan_renews(&scratch);
}

#[test]
fn what_is_known_of_a_commit_that_is_gone_testifies_to_nothing() {
    let scratch = renamed();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("b.txt", "on the side\n");
    scratch.commit("side");
    let line = reading_line(&scratch.git(&["rev-parse", "HEAD"]), "holds", "pass", 3);
    scratch.git(&["checkout", "-q", "-"]);
    let ledger = scratch.read(".spec/two/yatsu.evals.ndjson") + &line;
    scratch.write(".spec/two/yatsu.evals.ndjson", ledger);
    let said = || scratch.yatsu(&["scan"]).out;
    let before = said();
    assert!(!before.contains("is gone"), "{before}");
    scratch.git(&["branch", "-q", "-D", "side"]);
    scratch.git(&["reflog", "expire", "--expire=now", "--all"]);
    scratch.git(&["gc", "-q", "--prune=now"]);
    scan_renews(&scratch);
    let after = said();
    fs::remove_file(anchors(&scratch)).expect("a memo of anchors");
    assert_eq!(after, said());
    assert_ne!(after, before);
}

#[test]
fn a_file_that_lies_as_it_did_is_not_parsed_again_and_one_that_changed_is() {
    let scratch = renamed();
    let parsed = memos::parsed_file(&scratch.root.join(".git"));
    assert!(!parsed.exists(), "files of a moment ago may change once more in the same moment");
    let said = || scanned(&real::repo(&scratch));
    let before = said();
    let bytes = fs::read(&parsed).expect("a memo of what was parsed");
    assert!(bytes.find(".spec/one/yatsu.md").is_some() && bytes.find("spec.md").is_none());
    assert_eq!((said(), fs::read(&parsed).ok().as_ref()), (before.clone(), Some(&bytes)), "nothing new");
    // with the same size and time as before
    let file = scratch.root.join(".spec/two/yatsu.md");
    let text = fs::read_to_string(&file).expect("a file");
    let of = fs::metadata(&file).expect("a file").modified().expect("a time");
    fs::write(&file, text.replace("holds", "folds")).expect("a file");
    fs::File::options().append(true).open(&file).and_then(|file| file.set_modified(of)).expect("an old time");
    let after = said();
    assert!(after.contains("folds") && !before.contains("folds"), "{after}");
    // the tags of the library decide what is wrong with a file
    fs::write(&file, text).expect("a file");
    assert_eq!(said(), before);
    scratch.write("spexcode.json", "{\"lint\":{\"scenarioTags\":[\"other\"]}}");
    let with = said();
    fs::remove_file(&parsed).expect("a memo");
    assert!(with == said() && with.contains("is not in the library"), "{with}");
}

#[test]
fn names_that_are_one_in_nfc_are_one_to_the_memo() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "a\n");
    let composed = scenarios(&[("K1", "src/a.rs")]);
    scratch.write(".spec/n/yatsu.md", composed.replace("name: K1", "name: \u{212a}1"));
    let measured = scratch.commit("measured, with the Kelvin sign");
    scratch.write(".spec/n/yatsu.evals.ndjson", reading_line(&measured, "K1", "pass", 1));
    scratch.git(&["mv", ".spec/n", ".spec/o"]);
    scratch.commit("moved");
    let cold = scratch.yatsu(&["scan"]).out;
    scratch.write(".spec/o/yatsu.md", composed);
    let with = scratch.yatsu(&["scan"]).out;
    fs::remove_file(anchors(&scratch)).expect("a memo of anchors");
    assert_eq!(with, scratch.yatsu(&["scan"]).out);
    for said in [&cold, &with] {
        assert!(!said.contains("yatsu-drift") && !said.contains("yatsu-missing"), "{cold}{with}");
    }
}

#[test]
fn what_is_no_memo_is_none_and_a_run_by_hand_leaves_none() {
    let scratch = renamed();
    let expected = scratch.yatsu(&["scan"]).out;
    let anchors = anchors(&scratch);
    fs::remove_file(&anchors).expect("a file");
    let pipe = std::process::Command::new("mkfifo").arg(&anchors).status().expect("mkfifo");
    assert!(pipe.success());
    assert_eq!(scratch.yatsu(&["scan"]).out, expected);
    fs::remove_dir_all(scratch.root.join(".git/yatsu")).expect("a directory");
    scratch.yatsu(&["run"]).expect(0);
    assert!(!anchors.exists() && !memo(&scratch).exists());
}

#[test]
fn a_second_scan_reads_no_old_tree_and_what_the_program_reads_has_no_memo() {
    let scratch = renamed();
    let anchors = anchors(&scratch);
    scratch.yatsu(&["scan"]);
    let first = fs::metadata(&anchors).expect("a memo of anchors").modified().expect("a time");
    scratch.yatsu(&["scan"]);
    assert_eq!(fs::metadata(&anchors).expect("it stays").modified().expect("a time"), first, "nothing new was learned");
    fs::remove_file(&anchors).expect("a file");
    scratch.git(&["config", "extensions.partialClone", "nowhere"]);
    scratch.yatsu(&["scan"]);
    assert!(!anchors.exists());
}

/// The answer of a scan that trusts the whole memo of the scan before.
fn said_again(scratch: &Scratch, moment: u64) -> String {
    settle(&scratch.root, moment);
    let parsed = memos::parsed_file(&scratch.root.join(".git"));
    let said = || scanned(&real::repo(scratch));
    let with = said();
    let kept = fs::read(&parsed).expect("a memo of what was parsed");
    fs::remove_file(&parsed).expect("a memo");
    assert_eq!(with, said(), "{}", scratch.git(&["status", "--short"]));
    fs::write(&parsed, kept).expect("a memo");
    with
}

#[test]
fn a_ledger_that_lies_as_it_did_says_what_it_said_whatever_is_asked_of_it() {
    let scratch = renamed();
    let ledger = ".spec/two/yatsu.evals.ndjson";
    let commit = scratch.git(&["rev-parse", "HEAD"]);
    let line = |minute| reading_line(&commit, "holds", "pass", minute);
    let dear = line(2).replace("\"ts\"", &format!("\"usage\":{USAGE},\"ts\""));
    scratch.write(ledger, scratch.read(ledger) + &dear + &line(3));
    let first = said_again(&scratch, 1);
    assert_eq!(said_again(&scratch, 2), first);
    let memo = || fs::read(memos::parsed_file(&scratch.root.join(".git"))).expect("a memo");
    let keeps = |minute: &str| memo().find(format!("00:{minute}:00.000Z").as_str()).is_some();
    assert!(keeps("03") && !keeps("02"), "of readings that a later one took the place of nothing is kept");
    // for an undeclared scenario all readings are counted
    let file = scratch.read(".spec/two/yatsu.md");
    scratch.write(".spec/two/yatsu.md", file.replace("holds", "folds"));
    let orphans = said_again(&scratch, 3);
    assert!(orphans.contains("YatsuOrphan") && orphans.contains('3'), "{orphans}");
    scratch.write(".spec/two/yatsu.md", &file);
    // the cost of an earlier reading counts against the latest
    scratch.write("spexcode.json", "{\"yatsu\":{\"budgets\":{\"maxTaskTotalTokens\":100}}}");
    let limited = said_again(&scratch, 4);
    assert!(limited.contains("BudgetExceeded"), "{limited}");
    fs::remove_file(scratch.root.join("spexcode.json")).expect("a file");
    // a newer line, and then its retraction
    let failed = line(4).replace("pass", "fail");
    scratch.write(ledger, scratch.read(ledger) + &failed);
    assert_ne!(said_again(&scratch, 5), first);
    let ts = failed.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a time");
    let withdrawn = format!("{{\"retracts\":\"{ts}\",\"scenario\":\"holds\",\"ts\":\"2026-02-01T00:00:00.000Z\"}}\n");
    scratch.write(ledger, scratch.read(ledger) + &withdrawn);
    assert_eq!(said_again(&scratch, 6), first);
}

mod needs_ssh_keygen {
    use super::*;

    #[test]
    #[ignore = "needs ssh-keygen"]
    fn a_signed_ledger_that_lies_as_it_did_says_who_signed_it() {
        let team = Team::with_policy(INDEPENDENT);
        team.edit("changed");
        team.commit_as("carl@example.org", "");
        team.signed_pass(&["ann"]);
        for note in ["again", "and again"] {
            team.s.yatsu(&["eval", "n", "--pass", "--note", note]).expect(0);
        }
        let first = said_again(&team.s, 1);
        assert!(!first.contains("TrustUnmet"), "an older pass of this content is signed: {first}");
        assert_eq!(said_again(&team.s, 2), first);
        let memo = fs::read(memos::parsed_file(&team.s.root.join(".git"))).expect("a memo");
        assert!(memo.find("\"kind\":\"signature\"").is_some(), "the ledger has a short form");
        team.edit("changed again");
        team.commit_as("carl@example.org", "");
        team.s.yatsu(&["eval", "n", "--pass"]).expect(0);
        assert!(said_again(&team.s, 3).contains("TrustUnmet"), "the signature is for other content");
        team.sign("bob", &[]).expect(0);
        assert!(!said_again(&team.s, 4).contains("TrustUnmet"));
        let ledger = team.s.read(LEDGER);
        team.s.write(LEDGER, ledger.replace("\"home\":\".spec/n\"", "\"home\":\".spec/m\""));
        assert!(said_again(&team.s, 5).contains("TrustUnmet"), "no key made these lines");
    }
}

#[test]
fn what_came_into_a_directory_after_a_scan_is_seen_by_the_next_one() {
    let scratch = renamed();
    said_again(&scratch, 1);
    scratch.write(".spec/three/yatsu.md", scenarios(&[("comes", "b.txt")]));
    assert!(said_again(&scratch, 2).contains("comes"));
    // nothing changes on disk from here on
    scratch.git(&["add", "-A"]);
    assert!(said_again(&scratch, 3).contains("comes"));
    scratch.git(&["rm", "-q", "-r", "--cached", ".spec/three"]);
    assert!(said_again(&scratch, 4).contains("comes"));
    fs::remove_file(scratch.root.join(".spec/three/yatsu.md")).expect("a file");
    assert!(!said_again(&scratch, 5).contains("comes"));
    scratch.write(".spec/three/yatsu.md", scenarios(&[("comes", "b.txt")]));
    scratch.write(".gitignore", ".spec/three/\n");
    let said = said_again(&scratch, 6);
    assert!(said.contains("SpecIgnored"), "{said}");
}
