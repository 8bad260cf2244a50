//! With missing, damaged or unreadable input a gate never says that a goal is reached: objects, evidence, anchors and
//! ledgers are damaged at random, and every door is asked.

use super::*;
use crate::support::{Dice, fed};
use std::fs;
use std::path::{Path, PathBuf};

/// How many repositories are damaged.
fn rounds(few: u64) -> u64 {
    if std::env::var_os("YATSU_FULL").is_some() { 20 * few } else { few }
}

/// Longer than any measured text, so that a flipped byte cannot reach it.
const FAR: &str =
    "    - id: AC1\n      kind: metric_threshold\n      metric: accuracy\n      op: '>='\n      target: 1.0e+60\n";

/// A goal that is not reached, claimed in the last commit.
fn falsely_claimed() -> Scratch {
    let s = repository();
    s.write(FILE, contract(FAR));
    measured(&s, 0.11, json!({}));
    s.commit("measured");
    let (goal, _) = check(&s, &[]);
    let claim = json!({
        "decision": "complete", "contract": goal["contract"], "readings": goal["readings"], "by": "forger",
        "ts": "2026-01-01T01:00:00.000Z",
    });
    append(&s, &claim);
    s.commit("claimed");
    offered(&s, "HEAD~1");
    s
}

/// Sets the branch to a server's commit, and HEAD to the pushed one.
fn offered(s: &Scratch, server: &str) {
    s.git(&["checkout", "-q", "--detach"]);
    s.git(&["branch", "-q", "-f", "main", server]);
}

/// Every file below a directory.
fn below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).map(|all| all.filter_map(Result::ok).collect()).unwrap_or_else(|_| Vec::new());
    let mut found: Vec<PathBuf> = entries
        .into_iter()
        .flat_map(|entry| if entry.path().is_dir() { below(&entry.path()) } else { vec![entry.path()] })
        .collect();
    found.sort();
    found
}

/// Evidence with other bytes, or none.
fn damage_evidence(dice: &mut Dice, path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    match dice.roll(4) {
        0 => return fs::remove_file(path).expect("a file that goes"),
        1 => bytes.truncate(dice.roll(bytes.len().max(1))),
        2 => bytes = (0..dice.roll(60)).map(|_| u8::try_from(dice.roll(256)).expect("a byte")).collect(),
        _ => garble(dice, &mut bytes),
    }
    fs::remove_file(path).expect("a file that goes");
    fs::write(path, bytes).expect("a file that comes");
}

/// An object that is missing or has impossible content.
fn damage_object(dice: &mut Dice, path: &Path) {
    fs::remove_file(path).expect("a file that goes");
    if dice.roll(2) == 0 {
        fs::write(path, b"no object at all").expect("a file that comes");
    }
}

const ODD: &[u8] = b"\0\n\"{}9e,\xff";

fn garble(dice: &mut Dice, bytes: &mut Vec<u8>) {
    for _ in 0..1 + dice.roll(3) {
        let at = dice.roll(bytes.len() + 1);
        match dice.roll(3) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(dice.roll(256)).expect("a byte"),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ => bytes.insert(at, ODD[dice.roll(ODD.len())]),
        }
    }
}

/// The answer of the doors of a push and a range, which must not be success.
fn refused(s: &Scratch, refs: &[String; 2]) -> Result<(), String> {
    let [old, new] = refs;
    // as on a server: HEAD is the branch, without the pushed commits
    let head = s.root.join(".git/HEAD");
    fs::write(&head, "ref: refs/heads/main\n").expect("a HEAD");
    let doors = [
        ("check", s.yatsu(&["check", "--from", old, "--to", new])),
        ("pre-receive", fed(s.yatsu_command(&["pre-receive"]), format!("{old} {new} refs/heads/main\n"))),
        (
            "pre-push",
            fed(
                s.yatsu_command(&["pre-push", "origin", "url"]),
                format!("refs/heads/main {new} refs/heads/main {old}\n"),
            ),
        ),
    ];
    fs::write(&head, format!("{new}\n")).expect("a HEAD");
    doors.into_iter().try_for_each(|(door, said)| match said.code {
        1 | 3 => Ok(()),
        code => Err(format!("{door} is exit {code}: {}{}", said.out, said.err)),
    })
}

/// The answers for the working tree, the index and the commit, which must not say that the goal is reached.
fn unreached(s: &Scratch) -> Result<(), String> {
    for flags in [&[][..], &["--staged"], &["--rev", "HEAD"]] {
        let said = s.yatsu(&[&["goal", "check", ".spec/model", "--format", "json"], flags].concat());
        let is_reached = said.out.contains("\"MET\"") || said.out.contains("\"SUCCESS\"");
        if said.code == 0 || is_reached {
            return Err(format!("goal check {flags:?} is exit {}: {}{}", said.code, said.out, said.err));
        }
    }
    let said = s.yatsu(&["goal", "complete", ".spec/model", "--by", "x"]);
    if said.code == 0 { Err(format!("complete: {}", said.out)) } else { Ok(()) }
}

#[test]
fn whatever_object_or_evidence_is_damaged_no_door_takes_a_false_claim() {
    for seed in 0..rounds(25) {
        let (mut dice, mut damaged) = (Dice(seed), Vec::new());
        let s = falsely_claimed();
        let refs = ["HEAD~1", "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
        let evidence = below(&s.root.join(".git/spexcode"));
        let objects: Vec<PathBuf> = below(&s.root.join(".git/objects"));
        for _ in 0..1 + dice.roll(3) {
            let is_evidence = dice.roll(4) == 0;
            let list = if is_evidence { &evidence } else { &objects };
            let path = &list[dice.roll(list.len())];
            match (path.exists(), is_evidence) {
                (true, true) => damage_evidence(&mut dice, path),
                (true, false) => damage_object(&mut dice, path),
                (false, _) => continue,
            }
            damaged.push(path.clone());
        }
        let said = refused(&s, &refs).and_then(|()| unreached(&s));
        assert_eq!(said, Ok(()), "seed {seed}: {damaged:?}");
    }
}

#[test]
fn whatever_a_ledger_is_no_door_takes_it_for_a_goal_that_is_reached() {
    for seed in 0..rounds(25) {
        let mut dice = Dice(1_000 + seed);
        let s = falsely_claimed();
        let mut ledger = fs::read(s.root.join(LEDGER)).expect("a ledger");
        match dice.roll(6) {
            0 => ledger.clear(),
            1 => ledger = (0..dice.roll(400)).map(|_| u8::try_from(dice.roll(256)).expect("a byte")).collect(),
            2 => ledger.truncate(dice.roll(ledger.len())),
            _ => garble(&mut dice, &mut ledger),
        }
        fs::write(s.root.join(LEDGER), &ledger).expect("a ledger");
        s.commit("garbage");
        offered(&s, "HEAD~2");
        let refs = ["HEAD~2", "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
        let shown = String::from_utf8_lossy(&ledger).into_owned();
        assert_eq!(unreached(&s), Ok(()), "seed {seed}: {shown}");
        let claims = shown.lines().any(|line| {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            line["decision"] == "complete" && line["by"].is_string() && line["ts"].is_string()
        });
        let is_whole = |key: &str| {
            shown.lines().any(|line| {
                let line: Value = serde_json::from_str(line).unwrap_or_default();
                line["decision"] == "complete" && line[key].as_str().is_some_and(|hash| hash.len() == 64)
            })
        };
        // a line that is no longer a claim claims nothing
        if claims && is_whole("contract") && is_whole("readings") {
            assert_eq!(refused(&s, &refs), Ok(()), "seed {seed}: {shown}");
        }
    }
}

/// A reading without its commit proves nothing that can be verified.
#[test]
fn a_reading_whose_commit_is_not_here_reaches_nothing() {
    let s = repository();
    s.git(&["checkout", "-q", "--detach"]);
    let gone = s.commit("on the way");
    s.git(&["checkout", "-q", "main"]);
    measured(&s, 0.95, json!({"codeSha": gone}));
    assert_eq!(check(&s, &[]).0["status"], "SUCCESS", "it is here");
    s.commit("measured");
    for path in below(&s.root.join(".git/objects")) {
        if path.ends_with(Path::new(&gone[..2]).join(&gone[2..])) {
            fs::remove_file(path).expect("an object");
        }
    }
    assert_eq!(unreached(&s), Ok(()));
}

#[test]
fn a_clone_that_lacks_the_contents_takes_no_claim_that_it_cannot_read() {
    let s = falsely_claimed();
    s.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", s.root.display());
    s.git(&["clone", "-q", "--bare", "--filter=blob:none", &url, "../partial.git"]);
    let partial = s.base.join("partial.git");
    let partial = if partial.exists() { partial } else { s.root.join("../partial.git") };
    let refs = ["HEAD~1", "HEAD"].map(|rev| s.git(&["rev-parse", rev]));
    // the remote with the contents is gone as well
    s.git(&["-C", partial.to_str().expect("a path"), "config", "remote.origin.url", "file:///nowhere"]);
    let [old, new] = &refs;
    for args in [&["check", "--from", old, "--to", new][..], &["goal", "check", "--rev", new], &["goal", "check"]] {
        let mut command = s.yatsu_command(args);
        let said = Said::of(command.current_dir(&partial).output().expect("the program runs"));
        assert!(
            matches!(said.code, 1 | 3) && !said.out.contains("SUCCESS"),
            "{args:?}: {} {}{}",
            said.code,
            said.out,
            said.err
        );
    }
    let mut command = s.yatsu_command(&["pre-receive"]);
    command.current_dir(&partial);
    let said = fed(command, format!("{old} {new} refs/heads/main\n"));
    assert!(matches!(said.code, 1 | 3), "{} {}", said.code, said.err);
}
