//! Claims of two clones on remotes that lose refs, and that a clone may exchange for another. After a claim was given to
//! another owner, the earlier owner must not file under it without a warning. The remote must show the given claims.

use super::judge::sha_of;
use crate::support::{Dice, Said, Scratch, hermetic, program, scenarios};
use std::path::PathBuf;

/// A claim that was given.
struct Token {
    text: String,
    clone: usize,
    scenario: &'static str,
    remote: &'static str,
    /// Whether its holder was warned that it may belong to another owner.
    is_warned: bool,
    is_over: bool,
}

struct Board {
    scratch: Scratch,
    dice: Dice,
    given: Vec<Token>,
    remotes: [&'static str; 2],
    told: Vec<String>,
}

impl Board {
    fn new(seed: u64) -> Self {
        let scratch = Scratch::new();
        scratch.write("src/a.rs", "fn a() {}\n");
        scratch.write(".spec/n/yatsu.md", scenarios(&[("s", "src/a.rs"), ("t", "src/a.rs")]));
        scratch.commit("begin");
        let board = Self { scratch, dice: Dice(seed), given: Vec::new(), remotes: ["origin"; 2], told: Vec::new() };
        for name in ["origin", "second"] {
            board.scratch.git(&["init", "-q", "--bare", "-b", "main", &format!("../{name}.git")]);
            board.scratch.git(&["push", "-q", &format!("../{name}.git"), "main"]);
        }
        for clone in ["c0", "c1"] {
            let path = format!("../{clone}");
            board.scratch.git(&["clone", "-q", &board.url("origin"), &path]);
            board.scratch.git(&["-C", &path, "remote", "add", "second", &board.url("second")]);
            board.scratch.git(&["-C", &path, "config", "yatsu.claims.shared", "origin"]);
        }
        board
    }

    fn url(&self, name: &str) -> String {
        format!("file://{}", self.scratch.base.join(format!("{name}.git")).display())
    }

    fn at(&self, clone: usize) -> PathBuf {
        self.scratch.base.join(format!("c{clone}"))
    }

    fn yatsu(&mut self, clone: usize, args: &[&str]) -> Said {
        let mut command = hermetic(program(), &self.scratch.home());
        let said = Said::of(command.current_dir(self.at(clone)).args(args).output().expect("the program runs"));
        self.told.push(format!("c{clone}: {}: {} {}{}", args.join(" "), said.code, said.out, said.err));
        self.judge(matches!(said.code, 0 | 1), "no answer");
        said
    }

    #[track_caller]
    fn judge(&self, is_right: bool, what: &str) {
        assert!(is_right, "{}\n{what}", self.told.join("\n"));
    }

    /// The notes on a remote: the ref and its content.
    fn notes(&self, remote: &str) -> Vec<(String, serde_json::Value)> {
        let git_dir = format!("../{remote}.git");
        let args =
            ["--git-dir", &git_dir, "for-each-ref", "--format=%(refname) %(contents:subject)", "refs/yatsu/claims"];
        let text = self.scratch.git(&args);
        let read = |line: &str| {
            let (name, note) = line.split_once(' ').expect("a ref");
            (name.to_owned(), serde_json::from_str(note).expect("a note"))
        };
        text.lines().filter(|line| !line.is_empty()).map(read).collect()
    }

    /// The token of the holder of a scenario there.
    fn holder(&self, remote: &str, scenario: &str) -> Option<String> {
        let notes = self.notes(remote);
        let (_, note) = notes.iter().find(|(_, note)| note["scenario"] == scenario)?;
        (note["state"] == "held").then(|| note["proof"].as_str().expect("a proof").to_owned())
    }

    fn take(&mut self, clone: usize, scenario: &'static str) {
        let remote = self.remotes[clone];
        let before = self.holder(remote, scenario);
        let said = self
            .yatsu(clone, &["claim", "take", "n", "--scenario", scenario, "--force", "--as", "W", "--format", "json"]);
        if said.code == 0 {
            let json: serde_json::Value = serde_json::from_str(&said.out).expect("a document");
            let text = json["claims"][0]["token"].as_str().expect("a token").to_owned();
            self.judge(before.is_none(), "it was given although somebody held it");
            self.judge(self.holder(remote, scenario) == Some(sha_of(text.as_bytes())), "the remote shows another one");
            self.given.push(Token { text, clone, scenario, remote, is_warned: false, is_over: false });
        }
        self.assert_no_token_there();
    }

    fn end(&mut self, at: usize, verb: &str) {
        let Token { text, clone, scenario, remote, .. } = &self.given[at];
        let (text, clone, scenario, remote) = (text.clone(), *clone, *scenario, *remote);
        let proof = sha_of(text.as_bytes());
        let said = match verb {
            "eval" => self.yatsu(clone, &["eval", "n", "--scenario", scenario, "--pass", "--claim", &text]),
            verb => self.yatsu(clone, &["claim", verb, &text]),
        };
        let is_warned = said.err.contains("warning");
        let was_over = self.given[at].is_over;
        self.given[at].is_warned |= is_warned;
        if said.code != 0 || was_over {
            return;
        }
        let since = self.given[at + 1..].iter().any(|other| other.scenario == scenario && other.remote == remote);
        self.judge(
            verb != "eval" || !since || self.given[at].is_warned,
            "it was given to somebody else since, and filed without a word",
        );
        let holds = self.holder(remote, scenario) == Some(proof);
        self.judge(holds == (verb == "renew"), "the remote shows something else");
        self.given[at].is_over = verb != "renew";
    }

    fn assert_no_token_there(&self) {
        for remote in ["origin", "second"] {
            let all = self.notes(remote).iter().map(|(_, note)| note.to_string()).collect::<String>();
            self.judge(!self.given.iter().any(|given| all.contains(&given.text)), "a token is there for everybody");
        }
    }

    fn step(&mut self) {
        let (clone, scenario) = (self.dice.roll(2), if self.dice.roll(2) == 0 { "s" } else { "t" });
        match self.dice.roll(12) {
            0..=3 => self.take(clone, scenario),
            deed @ 4..=8 if !self.given.is_empty() => {
                let verb = ["eval", "eval", "renew", "renew", "release"][deed - 4];
                let at = self.given.len() - 1 - self.dice.roll(self.given.len().min(3));
                self.end(at, verb);
            }
            9 => {
                let force =
                    ["claim", "release", "--force", "n", "--scenario", scenario, "--reason", "its machine is gone"];
                self.yatsu(clone, &force);
            }
            10 => {
                let remote = ["origin", "second"][self.dice.roll(2)];
                let Some((name, _)) = self.notes(remote).into_iter().next() else { return };
                self.told.push(format!("{remote}: {name} goes"));
                self.scratch.git(&["--git-dir", &format!("../{remote}.git"), "update-ref", "-d", &name]);
            }
            _ => {
                let remote = ["origin", "second"][self.dice.roll(2)];
                self.told.push(format!("c{clone}: shares claims through {remote}"));
                self.remotes[clone] = remote;
                let at = self.at(clone);
                self.scratch.git(&["-C", at.to_str().expect("a path"), "config", "yatsu.claims.shared", remote]);
            }
        }
    }
}

#[test]
fn nobody_files_as_the_owner_of_what_was_given_to_somebody_else_without_being_told() {
    for seed in crate::support::seeds(3, 300) {
        let mut board = Board::new(seed);
        for _ in 0..12 {
            board.step();
        }
    }
}
