//! `eval --coverage`: what the measured run went through, filed with one reading.

use crate::support::{Scratch, findings, one_node, scenarios};
use std::fs::File;
use std::time::{Duration, SystemTime};

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

/// A Go profile in which a block of each of these files ran.
fn profile(files: &[&str]) -> String {
    let block = |file: &&str| format!("{file}:1.1,1.10 1 1\n");
    format!("mode: set\n{}", files.iter().map(block).collect::<String>())
}

/// The scenario `works` of `src/a.rs`, and a profile outside of the repository.
fn repository(ran: &[&str]) -> (Scratch, String) {
    let s = one_node();
    let file = s.home().join("cover.out");
    std::fs::write(&file, profile(ran)).expect("a profile");
    (s, file.display().to_string())
}

fn coverage(s: &Scratch) -> serde_json::Value {
    let ledger = s.read(LEDGER);
    let line: serde_json::Value = serde_json::from_str(ledger.lines().last().expect("a line")).expect("JSON");
    line["coverage"].clone()
}

/// V1, V13: undeclared files stand first, each part sorted.
#[test]
fn a_reading_names_the_files_that_ran_and_eval_says_which_are_undeclared() {
    let (s, file) = repository(&["src/b.rs", "src/a.rs", "none.rs"]);
    let said = s.yatsu(&["eval", "n", "--pass", "--coverage", &file]).expect(0);
    let sentence = "the measured run went through 1 file that its code list does not name: src/b.rs";
    assert!(said.err.starts_with(&format!("warning: {sentence}\n")), "{}", said.err);
    let expected = serde_json::json!({"format": "go", "ran": ["src/b.rs", "src/a.rs"], "more": 0, "loaded": 0});
    assert_eq!(coverage(&s), expected);
    assert_eq!(findings(&s, "under-declared", &["--all"])[0]["message"], sentence);
}

/// V13: two files are one run, in any order, and the same again is filed already.
#[test]
fn several_files_count_together_and_filing_them_again_files_nothing() {
    let (s, one) = repository(&["src/b.rs"]);
    let other = format!("{one}.2");
    std::fs::write(&other, profile(&["src/a.rs"])).expect("a profile");
    s.yatsu(&["eval", "n", "--pass", "--coverage", &one, "--coverage", &other]).expect(0);
    let first = s.read(LEDGER);
    s.yatsu(&["eval", "n", "--pass", "--coverage", &other, "--coverage", &one]).expect(0);
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    assert_eq!(s.read(LEDGER), first);
    assert_eq!(coverage(&s)["ran"], serde_json::json!(["src/b.rs", "src/a.rs"]));
}

/// V13: a line that has no room for all that ran says so.
#[test]
fn a_reading_without_room_for_all_that_ran_says_so() {
    let s = one_node();
    let names: Vec<String> = (0..160).map(|at| format!("src/{at:0120}.rs")).collect();
    names.iter().for_each(|name| s.write(name, "fn a() {}\n"));
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src")]));
    s.commit("many files");
    let file = s.home().join("cover.out");
    std::fs::write(&file, profile(&names.iter().map(String::as_str).collect::<Vec<_>>())).expect("a profile");
    let said = s.yatsu(&["eval", "n", "--pass", "--coverage", &file.display().to_string()]).expect(0);
    let named = coverage(&s)["ran"].as_array().expect("files").len();
    assert_eq!((named, &coverage(&s)["more"]), (31, &serde_json::json!(129)));
    let sentence = "warning: the reading does not name 32 files that ran: its line would be too long\n";
    assert!(said.err.contains(sentence), "{}", said.err);
    assert!(s.read(LEDGER).contains("\"governed\""), "the stamp is there");
}

/// A finding after findings: undeclared files are named before those that the lists name on purpose, and the files that a line
/// has no room for are not forgotten when the named ones are declared.
#[test]
fn files_that_the_line_has_no_room_for_are_not_forgotten() {
    let s = one_node();
    let library: Vec<String> = (0..70).map(|at| format!("lib/{at:02}.rs")).collect();
    library.iter().for_each(|name| s.write(name, "fn a() {}\n"));
    s.write("src/y.rs", "fn y() {}\n");
    s.commit("a library");
    let file = s.home().join("cover.out");
    let ran = library.iter().map(String::as_str).chain(["src/a.rs", "src/y.rs"]);
    std::fs::write(&file, profile(&ran.collect::<Vec<_>>())).expect("a profile");
    let eval = ["eval", "n", "--pass", "--coverage", &file.display().to_string()];
    s.write("spexcode.json", "{\"yatsu\": {\"coverageIgnore\": [\"lib/**\"]}}");
    let said = s.yatsu(&eval).expect(0);
    let one = "the measured run went through 1 file that its code list does not name: src/y.rs";
    assert!(said.err.contains(one), "{}", said.err);
    assert_eq!(findings(&s, "under-declared", &["--all"])[0]["message"], one);
    std::fs::remove_file(s.root.join(LEDGER)).expect("a ledger");
    std::fs::remove_file(s.root.join("spexcode.json")).expect("a configuration");
    let said = s.yatsu(&eval).expect(0);
    assert!(said.err.contains("went through 71 files that its code list does not name: lib/00.rs"), "{}", said.err);
    let found = findings(&s, "under-declared", &["--all"]);
    let message = found[0]["message"].as_str().expect("a message");
    assert!(message.starts_with("the measured run went through at least 64 files that"), "{message}");
    assert!(message.ends_with(" and 59 more"), "{message}");
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "[src/a.rs, lib]")]));
    let found = findings(&s, "under-declared", &["--all"]);
    let further = "the measured run went through 8 further files, and the reading does not say which: measure again";
    assert_eq!(found[0]["message"], further);
    assert!(found[0]["undeclared"].is_null(), "{found:?}");
    assert_eq!(s.yatsu(&eval).expect(0).err.matches("src/y.rs").count(), 1);
}

/// The finding is of the reading that counts. A reading that counts again was filed before.
#[test]
fn a_reading_that_counts_again_introduces_nothing() {
    let (s, file) = repository(&["src/b.rs"]);
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"under-declared\": \"error\"}}}");
    s.yatsu(&["eval", "n", "--pass", "--coverage", &file]).expect(0);
    s.commit("measured");
    let old = s.read("src/a.rs");
    s.write("src/a.rs", "fn a() { b() }\n");
    s.commit("edited");
    s.yatsu(&["eval", "n", "--pass"]).expect(0);
    s.commit("measured again");
    s.write("src/a.rs", old);
    s.git(&["add", "-A"]);
    let said = s.yatsu(&["check", "--staged"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
}

/// Another kind of file that took the name of one that ran is not named.
#[test]
fn only_a_tracked_regular_file_is_named() {
    let (s, file) = repository(&["src/b.rs"]);
    s.yatsu(&["eval", "n", "--pass", "--coverage", &file]).expect(0);
    let count = || findings(&s, "under-declared", &["--all"]).len();
    assert_eq!(count(), 1);
    s.git(&["rm", "-q", "--cached", "src/b.rs"]);
    assert_eq!(count(), 0, "untracked");
    s.git(&["add", "src/b.rs"]);
    assert_eq!(count(), 1);
    std::fs::remove_file(s.root.join("src/b.rs")).expect("a file");
    std::os::unix::fs::symlink("a.rs", s.root.join("src/b.rs")).expect("a link");
    assert_eq!(count(), 0, "a link");
    std::fs::remove_file(s.root.join("src/b.rs")).expect("a link");
    s.write("src/b.rs/c.rs", "");
    assert_eq!(count(), 0, "a directory");
}

/// The level of the rule counts at the filing too, and what is filed already says nothing of another run.
#[test]
fn advice_obeys_the_level_and_speaks_of_the_filed_run() {
    let (s, file) = repository(&["src/b.rs"]);
    s.write("spexcode.json", "{\"yatsu\": {\"rules\": {\"under-declared\": \"off\"}}}");
    let said = s.yatsu(&["eval", "n", "--pass", "--key", "k", "--coverage", &file]).expect(0);
    assert!(!said.err.contains("went through"), "{}", said.err);
    s.write("spexcode.json", "{}");
    std::fs::write(&file, profile(&["src/a.rs"])).expect("a profile");
    let said = s.yatsu(&["eval", "n", "--pass", "--key", "k", "--coverage", &file]).expect(0);
    let sentence = "warning: filed already, and what ran was not added: a reading never changes\n";
    assert!(said.err.contains(sentence), "{}", said.err);
}

/// A reading without a stamp has governed files all the same.
#[test]
fn an_old_coverage_file_is_seen_without_a_stamp() {
    let (s, file) = repository(&["src/a.rs"]);
    s.write("spexcode.json", "{\"yatsu\": {\"stampContent\": false}}");
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(&file).and_then(|file| file.set_modified(old)).expect("an old file");
    let said = s.yatsu(&["eval", "n", "--pass", "--strict", "--coverage", &file]).expect(1);
    assert!(said.err.contains("src/a.rs was changed after the coverage file was written"), "{}", said.err);
}

#[test]
fn a_report_without_a_tracked_file_files_nothing() {
    let (s, file) = repository(&["none.rs", "../b.rs", "/etc/passwd"]);
    let said = s.yatsu(&["eval", "n", "--pass", "--coverage", &file]).expect(1);
    assert!(said.err.contains("its first name is none.rs"), "{}", said.err);
    std::fs::write(&file, "hello\n").expect("no profile");
    s.yatsu(&["eval", "n", "--pass", "--coverage", &file]).expect(2);
    s.yatsu(&["eval", "n", "--pass", "--coverage", "-", "--result", "-"]).expect(2);
    assert!(!s.root.join(LEDGER).exists());
}

/// V18, for one reading: an older file is advice, and refused with `--strict`.
#[test]
fn a_file_older_than_the_governed_content_is_said_and_refused_with_strict() {
    let (s, file) = repository(&["src/a.rs"]);
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    File::options().write(true).open(&file).and_then(|file| file.set_modified(old)).expect("an old file");
    let sentence = "src/a.rs was changed after the coverage file was written";
    let said = s.yatsu(&["eval", "n", "--pass", "--strict", "--coverage", &file]).expect(1);
    assert!(said.err.contains(sentence), "{}", said.err);
    assert!(!s.root.join(LEDGER).exists());
    let said = s.yatsu(&["eval", "n", "--pass", "--coverage", &file]).expect(0);
    assert!(said.err.contains(sentence), "{}", said.err);
}
