//! Random commits in random repositories, judged by hooks with a fresh memo, an old one, one of another branch, a damaged
//! one and none, say the same, and so do scans that know of earlier anchors and scans that know nothing. `YATSU_FULL=1`
//! runs a thousand seeds.

use super::{EVIDENCE, options};
use crate::support::{Dice, Scratch, reading_line, real, scenarios, sha256};
use std::fs;
use std::path::PathBuf;
use yatsu_hook::app::doors::Commit;
use yatsu_hook::app::doors::commit;
use yatsu_hook::app::doors::quiet;
use yatsu_hook::app::judge::snapshot;

const CODE: [&str; 8] = ["src/a.rs", "src/b.rs", "src/sub/c.rs", "lib/d.rs", "lib/e.txt", "f.rs", "old/a.rs", "link"];

const GOVERNED: [&str; 10] =
    ["src/a.rs", "src", "src/*.rs", "lib/d.rs", "**/c.rs", "f.rs", "?old/a.rs", "link", "lib/{d,e}.*", "gone.rs"];

const DIRS: [&str; 4] = [".spec/one", ".spec/two", ".spec/two/deep", "elsewhere"];

const PLAIN: [&str; 4] = ["notes.txt", "docs/x.md", "docs/y.md", "a/b/c/d.txt"];

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
        let report = commit::judge(
            &real::repo(&self.scratch),
            options(),
            Commit { clean_merge: false, silently: by_memo, busy: &|| () },
        );
        report.map_or_else(
            |error| format!("{error:?}"),
            |report| format!("{:?} {:#?} {:?}", report.verdict, report.findings, report.notes),
        )
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
        let repo = real::repo(&self.scratch);
        let compared = snapshot::compare(&repo).expect("an answer");
        let before_commit = Commit { clean_merge: false, silently: true, busy: &|| () };
        !compared[0].staged.changes.is_empty()
            && quiet::silence(&repo, &compared[0], options(), before_commit).is_some()
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
fn answers_are_the_same_with_every_memo() {
    let seeds = if std::env::var_os("YATSU_FULL").is_some() { 1000 } else { 10 };
    let silent: usize = (0..seeds).map(run).sum();
    assert!(silent * 10 > seeds as usize * 6, "the memo answered only {silent} of {} commits", seeds * 6);
}
