//! Memos never change an answer: random commits in random repositories, judged by hooks with a fresh memo, an old one, one
//! of another branch, a damaged one and none, say the same, and so do scans that know of earlier anchors and scans that
//! know nothing. `YATSU_FULL=1` runs a thousand seeds.

use crate::support::real;
use crate::support::{self, Dice, Scratch, reading_line, scenarios};
use std::fs;
use std::path::PathBuf;
use yatsu_hook::app::doors::Commit;
use yatsu_hook::app::doors::commit;
use yatsu_hook::app::doors::quiet;
use yatsu_hook::app::judge::Options;
use yatsu_hook::app::judge::snapshot;
use yatsu_hook::app::judge::verdict::Reader;
use yatsu_hook::model::ledger::Timestamp;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;

const CODE: [&str; 8] = ["src/a.rs", "src/b.rs", "src/sub/c.rs", "lib/d.rs", "lib/e.txt", "f.rs", "old/a.rs", "link"];
const GOVERNED: [&str; 10] =
    ["src/a.rs", "src", "src/*.rs", "lib/d.rs", "**/c.rs", "f.rs", "?old/a.rs", "link", "lib/{d,e}.*", "gone.rs"];
const DIRS: [&str; 4] = [".spec/one", ".spec/two", ".spec/two/deep", "elsewhere"];
const PLAIN: [&str; 4] = ["notes.txt", "docs/x.md", "docs/y.md", "a/b/c/d.txt"];
/// Bytes that a reading names: staged, they are a stray blob.
const EVIDENCE: &str = "these bytes were once the evidence of something that somebody measured";

struct World {
    scratch: Scratch,
    dice: Dice,
    minute: u32,
    hash: String,
}

impl World {
    fn new(seed: u64) -> Self {
        let scratch = Scratch::new();
        let mut world = Self { scratch, dice: Dice(seed), minute: 0, hash: sha256(EVIDENCE) };
        world.write("f.rs", "first\n");
        for _ in 0..8 {
            world.edit();
        }
        world.scratch.commit("first");
        world
    }

    fn write(&self, path: &str, text: &str) {
        // what lies in the way goes
        let full = self.scratch.root.join(path);
        if full.is_symlink() || full.is_dir() {
            self.remove(path);
        }
        self.scratch.write(path, text);
    }

    fn remove(&self, path: &str) {
        let full = self.scratch.root.join(path);
        let _ = if full.is_dir() && !full.is_symlink() { fs::remove_dir_all(full) } else { fs::remove_file(full) };
    }

    fn name(&mut self) -> &'static str {
        self.dice.pick(&["works", "holds", "fits"])
    }

    /// One random change of the working tree.
    fn edit(&mut self) {
        let code = self.dice.pick(&CODE);
        let dir = self.dice.pick(&DIRS);
        match self.dice.roll(20) {
            0..=3 => {
                let text = format!("{}\n", self.dice.roll(3));
                self.write(code, &text);
            }
            4 => self.remove(code),
            5 | 6 => {
                let (plain, text) = (self.dice.pick(&PLAIN), format!("{}\n", self.dice.roll(99)));
                self.write(plain, &text);
            }
            7..=9 => self.declare(dir),
            10 => self.write(&format!("{dir}/spec.md"), &format!("---\ntitle: x\ncode: {code}\n---\n")),
            11 => {
                let name = self.dice.pick(&["yatsu.md", "spec.md", "yatsu.evals.ndjson"]);
                self.remove(&format!("{dir}/{name}"));
            }
            12..=15 => self.measure(dir),
            16 => self.write("docs/stray.bin", EVIDENCE),
            17 => self.rename(),
            18 => self.odd(dir),
            _ => self.remove("docs/stray.bin"),
        }
    }

    fn declare(&mut self, dir: &str) {
        let count = 1 + self.dice.roll(2);
        let list: Vec<(&str, &str)> = (0..count).map(|_| (self.name(), self.dice.pick(&GOVERNED))).collect();
        self.write(&format!("{dir}/yatsu.md"), &scenarios(&list));
    }

    /// A reading at HEAD, sometimes with evidence; sometimes the loss of one.
    fn measure(&mut self, dir: &str) {
        let head = self.scratch.try_git(&["rev-parse", "-q", "--verify", "HEAD"]);
        let path = self.scratch.root.join(dir).join("yatsu.evals.ndjson");
        let mut ledger = fs::read_to_string(&path).unwrap_or_default();
        self.minute += 1;
        let (name, status) = (self.name(), self.dice.pick(&["pass", "fail"]));
        let line = reading_line(head.out.trim(), name, status, self.minute);
        let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"transcript\"", self.hash);
        match self.dice.roll(6) {
            0 => ledger.push_str(&line.replace("\"blob\":null", &evidence)),
            1 => ledger.push_str("{\"scenario\":\n"),
            2 => ledger = ledger.lines().skip(1).map(|line| format!("{line}\n")).collect(),
            _ => ledger.push_str(&line),
        }
        self.write(&format!("{dir}/yatsu.evals.ndjson"), &ledger);
    }

    fn rename(&mut self) {
        let (from, to) = self
            .dice
            .pick(&["src/a.rs old/a.rs", "old/a.rs src/a.rs", "src old", "old src"])
            .split_once(' ')
            .expect("two");
        let to = self.scratch.root.join(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
        let _ = fs::rename(self.scratch.root.join(from), to);
    }

    fn odd(&mut self, dir: &str) {
        match self.dice.roll(4) {
            0 => {
                self.remove("link");
                let _ = std::os::unix::fs::symlink(
                    self.dice.pick(&["src/a.rs", "lib", "nowhere"]),
                    self.scratch.root.join("link"),
                );
            }
            1 => {
                let config = self.dice.pick(&["{}", "{\"yatsu\":{\"roots\":[\"elsewhere\"]}}"]);
                self.write("spexcode.json", config);
            }
            2 => self.write(&format!("{dir}/eval.md"), &scenarios(&[("other", "src")])),
            _ => self.write(&format!("{dir}/yatsu.md"), "---\nscenarios:\n  - name: [\n---\n"),
        }
    }

    fn memo(&self) -> PathBuf {
        self.scratch.root.join(".git/yatsu/memo")
    }

    /// What the gate says to people, by the memo where that is enough.
    fn said(&self, by_memo: bool) -> String {
        let report =
            commit::judge(&self.repo(), options(), Commit { clean_merge: false, silently: by_memo, busy: &|| () });
        report.map_or_else(
            |error| format!("{error:?}"),
            |report| format!("{:?} {:#?} {:?}", report.verdict, report.findings, report.notes),
        )
    }

    fn repo(&self) -> Repo {
        let env = Env { euid: rustix::process::geteuid().as_raw(), ..Env::default() };
        Repo::open(&env, &self.scratch.root).expect("a repository")
    }

    fn expect_the_same(&self, expected: &str, what: &str) {
        assert_eq!(self.said(true), expected, "with {what}\n{}", self.scratch.git(&["diff", "--cached", "--stat"]));
    }

    /// One commit, judged with every sort of memo. Returns whether the memo alone was enough.
    fn round(&mut self, old: &mut Vec<Vec<u8>>) -> bool {
        for _ in 0..1 + self.dice.roll(3) {
            self.edit();
        }
        self.scratch.git(&["add", "-A"]);
        if self.dice.roll(4) == 0 {
            self.edit();
        }
        let _ = fs::remove_file(self.memo());
        let expected = self.said(false);
        for bytes in old.iter() {
            fs::write(self.memo(), bytes).expect("a memo");
            self.expect_the_same(&expected, "an old memo");
        }
        if let Some(bytes) = old.last() {
            let cut = self.dice.roll(bytes.len());
            fs::write(self.memo(), &bytes[..cut]).expect("a memo");
            self.expect_the_same(&expected, "a truncated memo");
            let mut bytes = bytes.clone();
            bytes[cut] ^= 0x55;
            fs::write(self.memo(), &bytes).expect("a memo");
            self.expect_the_same(&expected, "a damaged memo");
        }
        self.scan(old);
        self.expect_the_same(&expected, "a memo of just now");
        let silent = self.is_silent();
        self.scratch.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "x"]);
        silent
    }

    /// Whether the memo alone is enough.
    fn is_silent(&self) -> bool {
        let repo = self.repo();
        let compared = snapshot::compare(&repo).expect("an answer");
        !compared[0].staged.changes.is_empty()
            && quiet::silence(
                &repo,
                &compared[0],
                options(),
                Commit { clean_merge: false, silently: true, busy: &|| () },
            )
            .is_some()
    }

    /// Leaves a memo, in whatever state the working tree is; one that is there may stay or be made again. What earlier
    /// scans left of their anchors changes no answer.
    fn scan(&mut self, old: &mut Vec<Vec<u8>>) {
        if self.dice.roll(2) == 0 {
            let _ = fs::remove_file(self.memo());
        }
        let anchors = self.scratch.root.join(".git/yatsu/anchors");
        let knowing = self.scratch.yatsu(&["scan", "--format", "json"]);
        if let Ok(kept) = fs::read(&anchors) {
            fs::remove_file(&anchors).expect("a file");
            assert_eq!(self.scratch.yatsu(&["scan", "--format", "json"]).out, knowing.out);
            fs::write(&anchors, kept).expect("a file");
        }
        if let Ok(bytes) = fs::read(self.memo()) {
            old.push(bytes);
            if old.len() > 3 {
                old.remove(0);
            }
        }
    }
}

fn options() -> Options {
    let now = Timestamp { millis: 1_800_000_000_000 };
    Options { strict: false, now, reader: Reader::Hook, reads_files: true }
}

fn sha256(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How many commits the memo alone could answer for.
fn run(seed: u64) -> usize {
    let mut world = World::new(seed);
    let mut old = Vec::new();
    world.scan(&mut old);
    let mut silent = 0;
    for round in 0..6 {
        if round == 3 {
            world.scratch.git(&["checkout", "-q", "-f", "-b", "side", "HEAD~1"]);
        }
        silent += usize::from(world.round(&mut old));
    }
    silent
}

#[test]
fn the_hook_is_silent_by_the_memo_and_machines_get_the_whole_report() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "1");
    scratch.write("b.txt", "1");
    scratch.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.commit("first");
    scratch.yatsu(&["scan"]).expect(0);
    assert!(scratch.root.join(".git/yatsu/memo").is_file());
    scratch.write("b.txt", "2");
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]).expect(0);
    assert_eq!((said.out, said.err), (String::new(), String::new()));
    let with = scratch.yatsu(&["pre-commit", "--format", "json"]).expect(0).out;
    fs::remove_file(scratch.root.join(".git/yatsu/memo")).expect("a memo");
    assert_eq!(scratch.yatsu(&["pre-commit", "--format", "json"]).expect(0).out, with);
    assert_eq!(support::validate_published(&with)["summary"]["missing"], 1);
    assert!(!scratch.root.join(".git/yatsu/memo").exists(), "a hook writes nothing");
}

/// A repository with a memo of its first state: two nodes, the first one's code renamed since it was measured.
fn renamed() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("old/a.rs", "fn a() {}\n");
    scratch.write("b.txt", "b\n");
    scratch.write(".spec/one/yatsu.md", scenarios(&[("works", "old/a.rs")]));
    scratch.write(".spec/two/yatsu.md", scenarios(&[("holds", "b.txt")]));
    let measured = scratch.commit("first");
    let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"transcript\"", sha256(EVIDENCE));
    let line = reading_line(&measured, "works", "pass", 1).replace("\"blob\":null", &evidence);
    scratch.write(".spec/one/yatsu.evals.ndjson", line);
    scratch.write(".spec/two/yatsu.evals.ndjson", reading_line(&measured, "holds", "pass", 1));
    scratch.write(".spec/one/yatsu.md", scenarios(&[("works", "src/a.rs")]));
    scratch.write("src/a.rs", "fn a() {}\n");
    scratch.git(&["rm", "-q", "old/a.rs"]);
    scratch.commit("measured and renamed");
    let said = scratch.yatsu(&["scan"]).expect(0);
    assert!(!said.out.contains("stale"), "{}", said.out);
    scratch
}

/// A scan leaves the memo that it would leave where there is none.
#[track_caller]
fn scan_renews(scratch: &Scratch) {
    let memo = scratch.root.join(".git/yatsu/memo");
    let scanned = || {
        scratch.yatsu(&["scan"]);
        fs::read(&memo).expect("a memo")
    };
    let renewed = scanned();
    fs::remove_file(&memo).expect("a memo");
    assert!(renewed == scanned(), "the old memo was kept");
}

/// What the gate says of everything staged, which the memo must not keep quiet.
#[track_caller]
fn told(scratch: &Scratch) -> String {
    scratch.git(&["add", "-A"]);
    let said = scratch.yatsu(&["pre-commit"]);
    fs::remove_file(scratch.root.join(".git/yatsu/memo")).expect("a memo");
    let without = scratch.yatsu(&["pre-commit"]);
    assert_eq!((said.code, &said.err), (without.code, &without.err));
    said.err
}

#[test]
fn a_path_that_returns_ends_a_pure_rename() {
    let scratch = renamed();
    scratch.write("old/a.rs", "other\n");
    assert!(told(&scratch).contains("yatsu-drift"));
}

#[test]
fn only_what_ends_at_once_is_not_watched() {
    let busy = |change: &dyn Fn(&Scratch)| {
        let scratch = Scratch::new();
        scratch.write("b.txt", "b\n");
        scratch.write(".spec/two/yatsu.md", scenarios(&[("holds", "b.txt")]));
        scratch.commit("first");
        support::reading(&scratch, ".spec/two", "holds", "pass", 1);
        scratch.commit("measured");
        scratch.yatsu(&["scan"]).expect(0);
        change(&scratch);
        scratch.git(&["add", "-A"]);
        let repo = real::repo(&scratch);
        let called = std::cell::Cell::new(false);
        commit::judge(&repo, options(), Commit { clean_merge: false, silently: true, busy: &|| called.set(true) })
            .expect("a report");
        called.get()
    };
    assert!(!busy(&|_| {}));
    assert!(!busy(&|scratch| scratch.write("docs/x.md", "plain\n")));
    assert!(busy(&|scratch| scratch.write("b.txt", "governed\n")), "a node is judged");
    assert!(busy(&|scratch| scratch.write("docs/large", vec![b'x'; (1 << 20) + 1])), "a large blob");
    assert!(busy(&|scratch| (0..65).for_each(|n| scratch.write(&format!("docs/{n}"), format!("{n}\n")))), "many blobs");
    let without_memo = |scratch: &Scratch| {
        fs::remove_file(scratch.root.join(".git/yatsu/memo")).expect("a memo");
        scratch.write("docs/x.md", "plain\n");
    };
    assert!(busy(&without_memo), "everything is judged");
    let by_program = |scratch: &Scratch| {
        scratch.git(&["config", "extensions.partialClone", "nowhere"]);
    };
    assert!(busy(&by_program), "the git program answers");
}

#[test]
fn a_path_that_went_away_after_the_memo_may_return_too() {
    let scratch = renamed();
    scratch.write("old/c.rs", "c\n");
    scratch.commit("a file beside the old place");
    scratch.git(&["checkout", "-q", "HEAD~2", "--", "old/a.rs"]);
    scratch.commit("the old file again");
    scratch.yatsu(&["scan"]);
    scratch.git(&["rm", "-q", "old/a.rs"]);
    scratch.commit("gone again");
    scratch.write("old/a.rs", "other\n");
    assert!(told(&scratch).contains("yatsu-drift"));
}

#[test]
fn bytes_that_another_node_carries_are_noticed() {
    let scratch = renamed();
    let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"transcript\"", sha256(EVIDENCE));
    let line = reading_line(&scratch.git(&["rev-parse", "HEAD"]), "holds", "pass", 2);
    let ledger = scratch.read(".spec/two/yatsu.evals.ndjson") + &line.replace("\"blob\":null", &evidence);
    scratch.write(".spec/two/yatsu.evals.ndjson", ledger);
    assert!(told(&scratch).contains("evidence-reused"));
}

#[test]
fn bytes_that_a_reading_names_are_stray() {
    let scratch = renamed();
    scratch.write("docs/x.bin", EVIDENCE);
    assert!(told(&scratch).contains("stray-blob"));
}

#[test]
fn a_memo_that_was_made_while_something_was_dirty_does_not_stay() {
    let scratch = renamed();
    fs::remove_file(scratch.root.join(".git/yatsu/memo")).expect("a memo");
    scratch.write("b.txt", "not committed\n");
    scratch.yatsu(&["scan"]);
    scratch.git(&["checkout", "-q", "--", "b.txt"]);
    scan_renews(&scratch);
}

#[test]
fn what_was_dirty_when_the_memo_was_made_is_looked_at_again() {
    let scratch = renamed();
    fs::remove_file(scratch.root.join(".git/yatsu/memo")).expect("a memo");
    scratch.write(".spec/two/yatsu.md", scenarios(&[("holds", "src/a.rs")]));
    scratch.yatsu(&["scan"]);
    scratch.git(&["checkout", "-q", "--", ".spec/two/yatsu.md"]);
    scratch.write("b.txt", "changed\n");
    scratch.git(&["add", "b.txt"]);
    assert!(told(&scratch).contains("yatsu-drift"));
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
    fs::remove_file(scratch.root.join(".git/yatsu/anchors")).expect("a memo of anchors");
    assert_eq!(after, said());
    assert_ne!(after, before);
}

/// A clone that lacks the commit at which the renamed code of its only node was measured, scanned once; and the
/// repository that has it.
fn without_its_anchor() -> (Scratch, Scratch) {
    let (whole, clone) = (Scratch::new(), Scratch::new());
    whole.write("src/a.rs", "content\n");
    whole.write("lib/x", "other\n");
    whole.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/a.rs\n---\n");
    whole.write(".spec/n/yatsu.md", scenarios(&[("s", "")]));
    let measured = whole.commit("measured");
    whole.git(&["branch", "measured"]);
    whole.git(&["checkout", "-q", "--orphan", "rewritten"]);
    whole.git(&["mv", "src/a.rs", "src/b.rs"]);
    // a rename is looked for only where the list names the new place
    whole.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - src/b.rs\n---\n");
    whole.write(".spec/n/yatsu.evals.ndjson", reading_line(&measured, "s", "pass", 1));
    whole.commit("rewritten");
    let from = whole.root.to_str().expect("UTF-8");
    clone.git(&["remote", "add", "origin", &format!("file://{from}")]);
    clone.git(&["fetch", "-q", "origin", "rewritten"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    let said = clone.yatsu(&["scan"]).expect(0).out;
    assert!(said.contains(&measured[..7]), "{said}");
    clone.git(&["fetch", "-q", "origin", "measured"]);
    (whole, clone)
}

#[test]
fn a_commit_that_arrives_after_the_memo_is_noticed() {
    for is_scanned_dirty in [false, true] {
        let (_whole, clone) = without_its_anchor();
        if is_scanned_dirty {
            clone.write(".spec/n/spec.md", "---\ntitle: n\ncode:\n  - lib/x\n---\n");
            clone.yatsu(&["scan"]);
            clone.git(&["checkout", "-q", "--", ".spec"]);
        }
        clone.write("src/a.rs", "content\n");
        assert!(told(&clone).contains("yatsu-drift"), "scanned while dirty: {is_scanned_dirty}");
    }
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
    fs::remove_file(scratch.root.join(".git/yatsu/anchors")).expect("a memo of anchors");
    assert_eq!(with, scratch.yatsu(&["scan"]).out);
    for said in [&cold, &with] {
        assert!(!said.contains("yatsu-drift") && !said.contains("yatsu-missing"), "{cold}{with}");
    }
}

#[test]
fn what_is_no_memo_is_none_and_a_run_by_hand_leaves_none() {
    let scratch = renamed();
    let expected = scratch.yatsu(&["scan"]).out;
    let anchors = scratch.root.join(".git/yatsu/anchors");
    fs::remove_file(&anchors).expect("a file");
    let pipe = std::process::Command::new("mkfifo").arg(&anchors).status().expect("mkfifo");
    assert!(pipe.success());
    assert_eq!(scratch.yatsu(&["scan"]).out, expected);
    fs::remove_dir_all(scratch.root.join(".git/yatsu")).expect("a directory");
    scratch.yatsu(&["run"]).expect(0);
    assert!(!anchors.exists() && !scratch.root.join(".git/yatsu/memo").exists());
}

#[test]
fn a_second_scan_reads_no_old_tree_and_what_the_program_reads_has_no_memo() {
    let scratch = renamed();
    let anchors = scratch.root.join(".git/yatsu/anchors");
    scratch.yatsu(&["scan"]);
    let first = fs::metadata(&anchors).expect("a memo of anchors").modified().expect("a time");
    scratch.yatsu(&["scan"]);
    assert_eq!(fs::metadata(&anchors).expect("it stays").modified().expect("a time"), first, "nothing new was learned");
    fs::remove_file(&anchors).expect("a file");
    scratch.git(&["config", "extensions.partialClone", "nowhere"]);
    scratch.yatsu(&["scan"]);
    assert!(!anchors.exists());
}

#[test]
fn answers_are_the_same_with_every_memo() {
    let seeds = if std::env::var_os("YATSU_FULL").is_some() { 1000 } else { 10 };
    let silent: usize = (0..seeds).map(run).sum();
    assert!(silent * 10 > seeds as usize * 6, "the memo answered only {silent} of {} commits", seeds * 6);
}
