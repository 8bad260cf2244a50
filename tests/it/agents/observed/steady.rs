//! A change of what was measured while the command ran: the observation is not steady.

use super::*;
use std::time::Instant;

#[test]
fn an_edit_during_the_command_is_not_steady_and_an_edit_after_it_is_other_content() {
    let s = project();
    let mut long = claude(&s, COMMAND, 0, "one");
    long["duration_ms"] = 3_600_000.into();
    report(&s, &long);
    refused(&s, &[], "is not steady: a governed file or the test changed while the command ran");
    let mut without = claude(&s, COMMAND, 0, "two");
    without.as_object_mut().expect("an object").remove("duration_ms");
    report(&s, &without);
    refused(&s, &[], "is not steady");
    ran(&s, 0, "three");
    let text = s.read("src/a.rs");
    s.write("src/a.rs", "fn a() { later() }\n");
    refused(&s, &[], "is of another state: src/a.rs changed");
    // the same bytes are the same content, whenever they were written
    s.write("src/a.rs", text);
    eval(&s, &["--dry-run"]).expect(0);
    s.write(".spec/n/yatsu.md", PROJECT.replace("expected: works works", "expected: works well"));
    refused(&s, &[], "is of another state: the text of the scenario changed");
    s.write(".spec/n/yatsu.md", PROJECT.replace("make test", "make tests"));
    refused(&s, &[], "no longer declares its command `make test`");
    s.write(".spec/n/yatsu.md", PROJECT.replace("    test: {command: make test}\n", ""));
    refused(&s, &[], "no longer declares its command `make test`");
}

/// A project that stood still until `change` happened during a command: the observation of the command is not steady. A
/// machine under load may start the hook so late that the change seems to lie before the command. Then the same is tried with
/// a longer command.
#[track_caller]
fn is_unsteady(project: impl Fn() -> Scratch, change: impl Fn(&Scratch)) {
    let mut lasted = Duration::ZERO;
    loop {
        let s = project();
        settle_for(&s, lasted);
        let begun = Instant::now();
        change(&s);
        let mut payload = claude(&s, COMMAND, 0, "one");
        payload["duration_ms"] = u64::try_from(lasted.as_millis()).expect("a short time").into();
        report(&s, &payload);
        if begun.elapsed() < lasted + HOOK_DELAY || observations(&s)[0]["steady"] == json!(false) {
            return refused(&s, &[], "is not steady");
        }
        lasted = lasted * 2 + HOOK_DELAY;
    }
}

/// How late the hook about a command may start.
const HOOK_DELAY: Duration = Duration::from_millis(500);

/// A deleted file is in no stamp of the state afterwards. Its directory says that something changed.
#[test]
fn a_file_that_is_deleted_during_the_command_is_not_steady() {
    let with_a_directory = || {
        let s = project();
        s.write("src/c.rs", "fn c() {}\n");
        s.write(".spec/n/yatsu.md", PROJECT.replacen("code: src/a.rs", "code: src", 1));
        s.commit("a directory");
        s
    };
    is_unsteady(with_a_directory, |s| fs::remove_file(s.root.join("src/c.rs")).expect("removed"));
}

/// The files below a renamed directory keep their times.
#[test]
fn a_directory_that_takes_the_place_of_another_one_is_not_steady() {
    let with_another = || {
        let s = project();
        s.write("new/a.rs", "fn a() { new() }\n");
        s.write("new/b.rs", "fn b() {}\n");
        s
    };
    is_unsteady(with_another, |s| {
        fs::rename(s.root.join("src"), s.root.join("old")).expect("renamed");
        fs::rename(s.root.join("new"), s.root.join("src")).expect("renamed");
    });
}

#[test]
fn a_text_that_changes_during_the_command_is_not_steady() {
    let reworded = PROJECT.replace("expected: works works", "expected: works well");
    is_unsteady(project, |s| s.write(".spec/n/yatsu.md", &reworded));
}

/// A test that is emptied for one run and put back is the same afterwards. Its times say that it was not.
#[test]
fn a_test_that_changes_during_the_command_is_not_steady_and_a_changed_one_is_of_another_state() {
    let s = project();
    let test = "#!/bin/sh\nexit 1\n";
    s.write("tests/a.sh", test);
    s.write(".spec/n/yatsu.md", PROJECT.replace("{command: make test}", "{path: tests/a.sh, command: make test}"));
    s.commit("a test");
    settle(&s);
    s.write("tests/a.sh", "");
    s.write("tests/a.sh", test);
    report(&s, &claude(&s, COMMAND, 0, "one"));
    refused(&s, &[], "is not steady: a governed file or the test changed while the command ran");
    settle_after(&s, &["tests/a.sh"], Duration::ZERO);
    ran(&s, 0, "two");
    let seen = observations(&s).pop().expect("an observation");
    assert_eq!(seen["scenarios"][0]["test"], json!({"tests/a.sh": s.git(&["hash-object", "tests/a.sh"])}));
    s.write("tests/a.sh", "");
    refused(&s, &[], "is of another state: the test changed: tests/a.sh");
    s.write("tests/a.sh", test);
    eval(&s, &[]).expect(0);
    assert_eq!(readings(&s)[0]["test"], seen["scenarios"][0]["test"]);
}

#[test]
fn content_that_cannot_be_named_is_not_steady() {
    let s = project();
    for number in 0..260 {
        s.write(&format!("many/{number}"), "x");
    }
    s.write(".spec/n/yatsu.md", PROJECT.replace("code: src/a.rs", "code: many"));
    s.commit("many");
    ran(&s, 0, "one");
    refused(&s, &[], "or that cannot be ruled out");
    assert_eq!(observations(&s)[0]["scenarios"][0]["governed"], json!({}));
}

/// A line of a ledger has no room for so many files: the commit testifies, and the observation has one digest of them.
#[test]
fn a_test_of_more_files_than_a_line_holds_is_observed_and_compared() {
    let test = |number: usize| format!("tests/t{number:03}.sh");
    let with_tests = || {
        let s = project();
        (0..300).for_each(|number| s.write(&test(number), "exit 1\n"));
        s.write(".spec/n/yatsu.md", PROJECT.replacen("{command: make test}", "{path: tests, command: make test}", 1));
        s.commit("many tests");
        settle_after(&s, &[&test(0), &test(299)], Duration::ZERO);
        s
    };
    let s = with_tests();
    ran(&s, 0, "one");
    eval(&s, &[]).expect(0);
    let filed = readings(&s);
    assert_eq!((&filed[0]["how"]["exit"], &filed[0]["test"]), (&0.into(), &json!({"tests": "commit"})));
    assert!(s.yatsu(&["scan"]).expect(0).out.contains("fresh"));
    s.write(&test(299), "exit 0\n");
    s.commit("weakened");
    refused(&s, &[], "is of another state: the test changed: 300 files");
    assert!(s.yatsu(&["scan"]).out.contains("the test changed"));
    is_unsteady(with_tests, |s| {
        let before = s.read(&test(299));
        s.write(&test(299), "exit 0\n");
        s.write(&test(299), before);
    });
}
