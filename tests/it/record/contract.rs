//! The guarantees of a write that fails or is interrupted: nothing is doubled, nothing is half written, and leftovers go
//! with the next collection.

use super::*;
use std::fs::{File, Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

#[test]
fn what_is_withdrawn_is_not_withdrawn_again() {
    let s = repository("");
    eval(&s, &["--pass", "--key", "k"]).expect(0);
    let ts = last(&s)["ts"].as_str().expect("a time").to_owned();
    let retract = ["retract", "board", "--scenario", "renders"];
    s.yatsu(&[&retract[..], &["--ts", &ts]].concat()).expect(0);
    let before = s.read(LEDGER);
    for which in [&["--ts", &ts][..], &["--last"], &[]] {
        let said = s.yatsu(&[&retract[..], which].concat()).expect(1);
        assert!(said.err.contains("has no reading") && said.err.contains("could be withdrawn"), "{}", said.err);
    }
    assert_eq!(s.read(LEDGER), before);
}

#[test]
fn a_read_only_ledger_is_exit_3_and_nothing_is_filed() {
    let s = repository("");
    eval(&s, &["--pass"]).expect(0);
    s.write("out.txt", "what it printed");
    let (before, file) = (s.read(LEDGER), s.root.join(LEDGER));
    set_permissions(&file, Permissions::from_mode(0o444)).expect("read only");
    let flags = ["eval", "board", "--fail", "--result", "out.txt"];
    let said = s.yatsu_held_off(&flags).expect(3);
    assert!(said.err.contains(LEDGER) && said.err.contains("give yourself the right to write"), "{}", said.err);
    assert!(said.err.ends_with("FAILED: nothing filed\n") && said.out.is_empty(), "{}", said.err);
    assert_eq!(s.read(LEDGER), before);
    assert!(stored(&s) <= 1, "the evidence may be there already, and nothing else");
    set_permissions(&file, Permissions::from_mode(0o644)).expect("writable");
    s.yatsu_held_off(&flags).expect(0);
    assert_eq!((lines(&s).len(), stored(&s)), (2, 1));
}

/// Another process holds the lock, so `eval` waits between its evidence and its line; there it is killed.
#[test]
fn evidence_of_a_killed_eval_goes_with_the_next_collection() {
    let s = repository("");
    s.write("kept.txt", "of a reading");
    eval(&s, &["--pass", "--result", "kept.txt"]).expect(0);
    s.write("out.txt", "of nobody");
    let before = s.read(LEDGER);
    let lock = File::open(s.root.join(".git/yatsu/ledger.lock")).expect("the lock's file");
    lock.lock().expect("the lock");
    let mut command = s.yatsu_command(&["eval", "board", "--fail", "--result", "out.txt", "--key", "k"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    while stored(&s) < 2 || !is_published(&s, "of nobody") {
        assert!(child.try_wait().expect("a state").is_none(), "it ended before its evidence was there");
        std::thread::yield_now();
    }
    child.kill().expect("killed");
    child.wait().expect("an end");
    lock.unlock().expect("free");
    assert_eq!(s.read(LEDGER), before);
    s.yatsu(&["clean"]).expect(0);
    assert!(is_published(&s, "of nobody"), "what is young may belong to somebody who is about to file");
    // a later commit: `clean` measures ages from the last activity here
    s.commit("later");
    s.yatsu(&["clean", "--grace", "0"]).expect(0);
    assert_eq!((stored(&s), is_published(&s, "of nobody"), is_published(&s, "of a reading")), (1, false, true));
    let retry = ["eval", "board", "--fail", "--result", "out.txt", "--key", "k"];
    s.yatsu(&retry).expect(0);
    assert!(s.yatsu(&retry).expect(0).out.starts_with("already filed"));
    assert_eq!((lines(&s).len(), stored(&s)), (2, 2));
}

fn is_published(s: &Scratch, text: &str) -> bool {
    blobs(s).join(crate::support::sha256(text)).exists()
}
