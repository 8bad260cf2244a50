//! What the gate lets into the refs of evidence, and from there into branches. Random commits of pieces, of names and of
//! neither are pushed and merged, and compared with a walk over everything that comes with them.

use super::judge::sha_of;
use crate::support::{Dice, Said, Scratch, executable, fed, program, scenarios};
use std::collections::BTreeSet;

struct Gate {
    scratch: Scratch,
    dice: Dice,
    /// Earlier commits, as parents of new ones.
    commits: Vec<String>,
    told: Vec<String>,
}

const REFS: [&str; 12] = [
    "refs/yatsu/evidence/0123456789abcdef/2026-11",
    "refs/yatsu/names/0123456789abcdef/2026-11",
    "refs/yatsu/claims/0123456789abcdef0123456789abcdef01234567",
    "refs/heads/yatsu/evidence/0123456789abcdef/2026-11",
    "refs/heads/yatsu/names/0123456789abcdef/2026-11",
    "refs/yatsu/probe/0123456789abcdef",
    "refs/yatsu/else/x",
    "refs/heads/main",
    "refs/heads/side",
    "refs/heads/yatsu/side",
    "refs/tags/one",
    "refs/notes/one",
];

impl Gate {
    fn new(seed: u64) -> Self {
        let scratch = Scratch::new();
        scratch.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
        scratch.write("src/a.rs", "fn a() {}\n");
        scratch.write(".spec/n/yatsu.md", scenarios(&[("s", "src/a.rs")]));
        let first = scratch.commit("begin");
        scratch.git(&["push", "-q", "../server.git", "main"]);
        let hook = format!("#!/bin/sh\nexec '{}' pre-receive\n", program().display());
        executable(&scratch.base.join("server.git/hooks/pre-receive"), &hook);
        Self { scratch, dice: Dice(seed), commits: vec![first], told: Vec::new() }
    }

    fn object(&self, args: &[&str], input: impl AsRef<[u8]>) -> String {
        fed(self.scratch.git_command(args), input).expect(0).out.trim().to_owned()
    }

    /// A tree with a few entries, mostly pieces under their names.
    fn tree(&mut self) -> String {
        let mut lines = String::new();
        for _ in 0..self.dice.roll(3) {
            let bytes = format!("a piece that is long enough to be evidence, number {}\n", self.dice.roll(4));
            let (id, hash) = (self.object(&["hash-object", "-w", "--stdin"], &bytes), sha_of(bytes.as_bytes()));
            let (mut name, mut dir, mut mode) = (hash.clone(), hash[..2].to_owned(), "100644");
            match self.dice.roll(12) {
                0 => name = format!("{hash}0"),
                1 => name.make_ascii_uppercase(),
                2 => dir = "zz".into(),
                3 => mode = "100755",
                4 => mode = "120000",
                5 => {
                    lines += &format!("100644 blob {id}\tx{}\n", &hash[..8]);
                    continue;
                }
                _ => {}
            }
            let below = self.object(&["mktree"], format!("{mode} blob {id}\t{name}\n"));
            let line = format!("040000 tree {below}\t{dir}\n");
            if !lines.contains(&format!("\t{dir}\n")) {
                lines += &line;
            }
        }
        self.object(&["mktree"], lines)
    }

    /// A commit of pieces, one without files, or code; on top of earlier ones.
    fn make(&mut self) -> String {
        let main = self.scratch.git(&["rev-parse", "main^{tree}"]);
        let tree = match self.dice.roll(4) {
            0 => self.object(&["mktree"], ""),
            1 => main,
            2 => {
                // a merge that kept both
                let (own, code) = (self.tree(), self.scratch.git(&["ls-tree", &main]));
                let both = self.scratch.git(&["ls-tree", &own]) + "\n" + &code + "\n";
                self.object(&["mktree"], both.trim_start())
            }
            _ => self.tree(),
        };
        let mut args = vec!["commit-tree".to_owned(), tree, "-m".into(), format!("{}", self.commits.len())];
        for _ in 0..self.dice.roll(3) {
            let parent = self.commits[self.dice.roll(self.commits.len())].clone();
            if !args.contains(&parent) {
                args.extend(["-p".into(), parent]);
            }
        }
        let commit = self.scratch.git(&args.iter().map(String::as_str).collect::<Vec<_>>());
        self.commits.push(commit.clone());
        commit
    }

    /// The commits of `id` that are not in the previously judged `known`.
    fn new_commits(&self, id: &str, known: &[String]) -> Vec<String> {
        let not: Vec<String> = known.iter().map(|tip| format!("^{tip}")).collect();
        let args: Vec<&str> = ["rev-list", id].into_iter().chain(not.iter().map(String::as_str)).collect();
        self.scratch.git(&args).lines().map(str::to_owned).collect()
    }

    /// Every file of a commit: mode, name and bytes.
    fn files(&self, commit: &str) -> Vec<(String, String, String)> {
        let text = self.scratch.git(&["ls-tree", "-r", commit]);
        let file = |line: &str| {
            let (about, path) = line.split_once('\t').expect("a path");
            let words: Vec<&str> = about.split(' ').collect();
            (words[0].to_owned(), path.to_owned(), words[2].to_owned())
        };
        text.lines().map(file).collect()
    }

    fn is_piece((mode, path, _): &(String, String, String)) -> bool {
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let (dir, name) = path.split_once('/').unwrap_or_default();
        mode == "100644" && dir.len() == 2 && name.len() == 64 && is_hex(name) && name.starts_with(dir)
    }

    /// Whether a file is evidence in any place, because its name is its hash.
    fn is_stray(&self, (_, path, id): &(String, String, String)) -> bool {
        let bytes = fed(self.scratch.git_command(&["cat-file", "blob", id]), "").expect(0).out;
        path.rsplit('/').next() == Some(&sha_of(bytes.as_bytes()))
    }

    /// The gate's expected answer to moving `name` to `id`.
    fn is_allowed(&self, name: &str, id: &str) -> bool {
        let text =
            self.scratch.git(&["--git-dir", "../server.git", "for-each-ref", "--format=%(refname) %(objectname)"]);
        let refs: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
        let kind = name.strip_prefix("refs/yatsu/").or_else(|| {
            let below = name.strip_prefix("refs/heads/yatsu/")?;
            ["evidence/", "names/", "claims/", "probe/"].iter().any(|kind| below.starts_with(kind)).then_some(below)
        });
        let own: Vec<String> =
            refs.iter().filter(|(other, _)| *other == name).map(|(_, id)| (*id).to_owned()).collect();
        match kind.map(|kind| kind.split('/').next().unwrap_or_default()) {
            Some("evidence") => {
                self.new_commits(id, &own).iter().all(|commit| self.files(commit).iter().all(Self::is_piece))
            }
            Some("names" | "claims") => self.new_commits(id, &own).iter().all(|commit| self.files(commit).is_empty()),
            // no file here has the name of a trial's file
            Some("probe") => self.new_commits(id, &own).iter().all(|commit| self.files(commit).is_empty()),
            Some(_) => false,
            None => {
                let is_code = |other: &str| {
                    !other.contains("/yatsu/evidence/")
                        && !other.contains("/yatsu/names/")
                        && !other.starts_with("refs/yatsu/")
                };
                let known: Vec<String> =
                    refs.iter().filter(|(other, _)| is_code(other)).map(|(_, id)| (*id).to_owned()).collect();
                let held: BTreeSet<(String, String, String)> = known.iter().flat_map(|tip| self.files(tip)).collect();
                self.new_commits(id, &known)
                    .iter()
                    .all(|commit| self.files(commit).iter().all(|file| held.contains(file) || !self.is_stray(file)))
            }
        }
    }

    fn push(&mut self) {
        let id =
            if self.dice.roll(3) == 0 { self.commits[self.dice.roll(self.commits.len())].clone() } else { self.make() };
        let name = self.dice.pick(&REFS).to_owned();
        let is_allowed = self.is_allowed(&name, &id);
        let said: Said = self.scratch.try_git(&["push", "-q", "--force", "../server.git", &format!("{id}:{name}")]);
        self.told.push(format!("{id} to {name}: {} {}", said.code, said.err.trim()));
        let is_refused = said.err.contains("error[stray-blob]");
        let is_ledger = said.err.contains("error[") && !is_refused;
        assert!(!is_ledger, "{}", self.told.join("\n"));
        let files: String = self.files(&id).iter().map(|(mode, path, _)| format!("{mode} {path}\n")).collect();
        assert_eq!(said.code == 0, is_allowed, "{}\nwith\n{files}", self.told.join("\n"));
    }
}

#[test]
fn the_gate_takes_beside_the_code_what_a_walk_finds_in_shape_and_nothing_of_it_into_branches() {
    for seed in crate::support::seeds(2, 200) {
        let mut gate = Gate::new(seed);
        for _ in 0..20 {
            gate.push();
        }
    }
}
