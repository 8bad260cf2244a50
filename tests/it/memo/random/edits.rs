//! Random changes of files, as users make them.

use super::super::EVIDENCE;
use super::World;
use crate::support::{reading_line, scenarios};
use std::fs;

pub(super) const CODE: [&str; 8] =
    ["src/a.rs", "src/b.rs", "src/sub/c.rs", "lib/d.rs", "lib/e.txt", "f.rs", "old/a.rs", "link"];
const GOVERNED: [&str; 16] = [
    "src/a.rs",
    "src",
    "src/*.rs",
    "lib/d.rs",
    "**/c.rs",
    "f.rs",
    "?old/a.rs",
    "link",
    "lib/{d,e}.*",
    "gone.rs",
    "src/a.rs#f",
    "'src/b.rs#g'",
    "?old/a.rs#f",
    "[lib/d.rs#g, f.rs#f]",
    "[src/a.rs#f, src/b.rs#g]",
    "[old/a.rs#f, src/a.rs#g]",
];
/// The tests that scenarios declare.
const TESTS: [&str; 5] = ["src/b.rs", "f.rs", "lib", "{path: src/a.rs, name: f}", "{path: old/a.rs, name: 'tests::g'}"];
pub(super) const DIRS: [&str; 6] =
    [".spec/one", ".spec/two", ".spec/two/deep", "elsewhere", ".spec/one/deep", "elsewhere/two"];
pub(super) const PLAIN: [&str; 4] = ["notes.txt", "docs/x.md", "docs/y.md", "a/b/c/d.txt"];

impl World {
    pub(super) fn write(&self, path: &str, text: &str) {
        // removes files in the way
        let full = self.top.join(path);
        if full.is_symlink() || full.is_dir() {
            self.remove(path);
        }
        fs::create_dir_all(full.parent().expect("a parent")).expect("directories");
        fs::write(full, text).expect("a file");
    }

    pub(super) fn remove(&self, path: &str) {
        let full = self.top.join(path);
        let _ = if full.is_dir() && !full.is_symlink() { fs::remove_dir_all(full) } else { fs::remove_file(full) };
    }

    fn name(&mut self) -> &'static str {
        self.dice.pick(&["works", "holds", "fits"])
    }

    /// One random change of the working tree.
    pub(super) fn edit(&mut self) {
        let code = self.dice.pick(&CODE);
        let dir = self.dice.pick(&DIRS);
        match self.dice.roll(23) {
            0..=3 => {
                let (f, g) = (self.dice.roll(2), self.dice.roll(3));
                // a function that only one of the files has may have come from there
                let text = [format!("fn f() {{ {f} }}\n"), format!("fn g() {{ {g} }}\n")];
                let text = match self.dice.roll(6) {
                    0 => &text[..1],
                    1 => &text[1..],
                    _ => &text[..],
                };
                self.write(code, &text.concat());
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
            19..=21 => self.relist(dir),
            _ => self.remove("docs/stray.bin"),
        }
    }

    fn declare(&mut self, dir: &str) {
        let count = 1 + self.dice.roll(2);
        let list: Vec<(&str, &str)> = (0..count).map(|_| (self.name(), self.dice.pick(&GOVERNED))).collect();
        let (mut text, tags) = (scenarios(&list), "    tags: [cli]\n");
        if self.dice.roll(2) == 0 {
            let test = self.dice.pick(&TESTS);
            text = text.replace(tags, &format!("{tags}    test: {test}\n"));
        }
        self.write(&format!("{dir}/yatsu.md"), &text);
    }

    /// Gives the scenarios of a node other lists, and leaves their texts and their readings alone.
    fn relist(&mut self, dir: &str) {
        let path = self.top.join(dir).join("yatsu.md");
        let Ok(text) = fs::read_to_string(&path) else { return };
        let mut lines = Vec::new();
        for line in text.lines() {
            lines.push(match line.starts_with("    code: ") {
                true => format!("    code: {}", self.dice.pick(&GOVERNED)),
                false => line.to_owned(),
            });
        }
        self.write(&format!("{dir}/yatsu.md"), &(lines.join("\n") + "\n"));
    }

    /// The line that the program files for a pass, with the time of `plain`; `None` if it files none.
    fn stamped(&self, dir: &str, name: &str, plain: &str) -> Option<String> {
        let path = self.top.join(dir).join("yatsu.evals.ndjson");
        let before = fs::read_to_string(&path).ok();
        let mut command = self.scratch.yatsu_command(&["eval", dir, "--scenario", name, "--pass"]);
        if !command.current_dir(&self.top).output().expect("it runs").status.success() {
            return None;
        }
        let line = fs::read_to_string(&path).ok()?.lines().last()?.to_owned();
        match before {
            Some(before) => fs::write(&path, before).expect("a file"),
            None => fs::remove_file(&path).expect("a file"),
        }
        let [now, then] = [&line, plain].map(|line| ts(line).to_owned());
        Some(line.replace(&now, &then) + "\n")
    }

    /// Files a reading at HEAD, sometimes with a stamp, sometimes with evidence; sometimes removes one.
    fn measure(&mut self, dir: &str) {
        let head = self.try_git(&["rev-parse", "-q", "--verify", "HEAD"]);
        let path = self.top.join(dir).join("yatsu.evals.ndjson");
        let mut ledger = fs::read_to_string(&path).unwrap_or_default();
        self.minute += 1;
        let (name, status) = (self.name(), self.dice.pick(&["pass", "fail"]));
        let plain = reading_line(head.out.trim(), name, status, self.minute);
        let line = if self.dice.roll(2) == 0 { self.stamped(dir, name, &plain) } else { None }.unwrap_or(plain);
        let kind = if self.minute.is_multiple_of(2) { "image" } else { "transcript" };
        let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"{kind}\"", self.hash);
        match self.dice.roll(10) {
            0 => ledger.push_str(&line.replace("\"blob\":null", &evidence)),
            6 => ledger.push_str(&line.replace("\"blob\":null", "\"blob\":null,\"key\":\"k\"")),
            // the same line again, another one with the same time, and a retraction
            7 => ledger.push_str(&(line.clone() + &line.replace("pass", "fail") + &line)),
            2 | 9 => {
                let kind = self.dice.pick(&["approve", "reject", "complete"]);
                ledger.push_str(&decision(kind, head.out.trim(), &line));
            }
            8 => ledger.push_str(&(line.clone() + &withdrawal(&line, name))),
            1 => ledger.push_str("{\"scenario\":\n"),
            3 => ledger = ledger.lines().skip(1).map(|line| format!("{line}\n")).collect(),
            _ => ledger.push_str(&line),
        }
        self.write(&format!("{dir}/yatsu.evals.ndjson"), &ledger);
    }

    /// Files a decision about a commit that is gone: then pushes to the main branch ask for proofs.
    pub(super) fn decide(&mut self) {
        let path = format!("{}/yatsu.evals.ndjson", self.dice.pick(&DIRS));
        let ledger = fs::read_to_string(self.top.join(&path)).unwrap_or_default();
        let line = reading_line(&"1".repeat(40), "works", "pass", 0);
        self.write(&path, &(ledger + &decision("approve", &"1".repeat(40), &line)));
    }

    fn rename(&mut self) {
        let (from, to) = self
            .dice
            .pick(&["src/a.rs old/a.rs", "old/a.rs src/a.rs", "src old", "old src"])
            .split_once(' ')
            .expect("two");
        let to = self.top.join(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
        let _ = fs::rename(self.top.join(from), to);
    }

    pub(super) fn odd(&mut self, dir: &str) {
        match self.dice.roll(5) {
            0 => {
                self.remove("link");
                let _ =
                    std::os::unix::fs::symlink(self.dice.pick(&["src/a.rs", "lib", "nowhere"]), self.top.join("link"));
            }
            1 => {
                let config = self.dice.pick(&["{}", "{\"yatsu\":{\"roots\":[\"elsewhere\"]}}"]);
                self.write("spexcode.json", config);
            }
            2 => self.write(&format!("{dir}/eval.md"), &scenarios(&[("other", "src")])),
            3 => self.write(&format!("{dir}/Yatsu.md"), "almost\n"),
            _ => self.write(&format!("{dir}/yatsu.md"), "---\nscenarios:\n  - name: [\n---\n"),
        }
    }
}

/// The time of this line.
fn ts(line: &str) -> &str {
    line.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a time")
}

/// A decision of this kind about this commit as a patch, at the time of this line.
fn decision(kind: &str, commit: &str, line: &str) -> String {
    let about = format!("\"patch\":\"side\",\"commit\":\"{commit}\",\"reason\":\"r\",\"by\":\"b\"");
    format!("{{\"decision\":\"{kind}\",{about},\"ts\":\"{}\"}}\n", ts(line))
}

/// The line that withdraws the reading of this line.
fn withdrawal(line: &str, name: &str) -> String {
    let ts = ts(line);
    format!("{{\"retracts\":\"{ts}\",\"scenario\":\"{name}\",\"ts\":\"{ts}\"}}\n")
}
