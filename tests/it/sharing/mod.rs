//! Sharing between two real clones of one repository: what is sent, what stays, what is fetched, and what never leaves.

mod away;
mod bare;
mod branches;
mod bucket;
mod check;
mod ended;
mod foretold;
mod get;
mod git;
mod hooks;
mod missing;
mod places;
mod push;
mod servers;
mod trips;

use crate::support::{Said, Scratch, hermetic, program, scenarios, sha256, validate_published};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DIR: &str = ".spec/board";

/// Two clones of one server, and a directory that both see.
struct Two {
    a: Scratch,
}

impl Two {
    /// `a` has one node, `board`, and has pushed it. Sharing is off in both.
    fn new() -> Self {
        let a = Scratch::new();
        a.git(&["config", "user.name", "Ann"]);
        a.git(&["init", "-q", "--bare", "-b", "main", "../server.git"]);
        a.git(&["remote", "add", "origin", "../server.git"]);
        a.write("src/a.rs", "fn a() {}\n");
        let two = [("renders", "src/a.rs"), ("scrolls", "src/a.rs")];
        a.write(".spec/board/yatsu.md", scenarios(&two));
        fs::create_dir(a.base.join("shared")).expect("a directory");
        let two = Self { a };
        two.a.commit("begin");
        two.publish();
        two
    }

    /// The same with sharing on at `a`, through the directory.
    fn sharing() -> Self {
        let two = Self::new();
        two.a.yatsu(&["share", "on", &two.place()]).expect(0);
        two
    }

    fn place(&self) -> String {
        format!("file:{}", self.shared().display())
    }

    fn shared(&self) -> PathBuf {
        self.a.base.join("shared")
    }

    /// Files a reading with this transcript and commits it; returns the hash of the transcript.
    fn file(&self, scenario: &str, text: impl AsRef<[u8]>) -> String {
        self.a.write("../out.txt", &text);
        self.a.yatsu(&["eval", "board", "--scenario", scenario, "--pass", "--result", "../out.txt"]).expect(0);
        self.a.commit("measured");
        sha256(text)
    }

    fn publish(&self) {
        self.a.git(&["push", "-q", "origin", "--all"]);
        self.a.git(&["fetch", "-q", "origin"]);
    }

    /// Makes the other clone, with sharing on.
    fn clone(&self) -> Clone<'_> {
        let root = self.a.base.join("b");
        let _ = fs::remove_dir_all(&root);
        self.a.git(&["clone", "-q", "../server.git", "../b"]);
        let b = Clone { two: self, root };
        b.yatsu(&["share", "on", &self.place()]).expect(0);
        b
    }

    /// The shared file with this hash.
    fn piece(&self, hash: &str) -> PathBuf {
        self.shared().join(&hash[..2]).join(hash)
    }
}

/// The other clone.
struct Clone<'t> {
    two: &'t Two,
    root: PathBuf,
}

impl Clone<'_> {
    fn yatsu(&self, args: &[&str]) -> Said {
        let mut command = hermetic(program(), &self.two.a.home());
        Said::of(command.current_dir(&self.root).args(args).output().expect("the program runs"))
    }

    /// The file in its cache with this name.
    fn cached(&self, hash: &str) -> PathBuf {
        self.root.join(".git/spexcode/yatsu-blobs").join(hash)
    }

    /// Everything in its cache, temporary files included.
    fn cache(&self) -> Vec<PathBuf> {
        let dir = self.root.join(".git/spexcode/yatsu-blobs");
        let entries = fs::read_dir(dir).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }
}

/// The printed document, checked against its schema.
#[track_caller]
fn json(said: &Said) -> serde_json::Value {
    validate_published(&said.out)
}

/// The last line of what was said.
fn last(said: &Said) -> &str {
    said.out.lines().last().unwrap_or_default()
}

/// Replaces a file that may be read-only.
fn overwrite(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).expect("removed");
    fs::write(path, bytes).expect("written");
}

/// Sets the modification time of a file.
#[track_caller]
fn age(path: &Path, at: &str) {
    assert!(Command::new("touch").args(["-d", at]).arg(path).status().expect("touch").success());
}

#[test]
fn what_one_machine_shares_another_looks_at() {
    let two = Two::sharing();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let said = two.a.yatsu(&["share", "push"]).expect(0);
    assert_eq!(last(&said), "pushed 1 (12 B), 0 there");
    let b = two.clone();
    assert!(!b.yatsu(&["report", "--html", "-"]).expect(0).out.contains("it rendered"));
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 1 (12 B), 0 here already");
    assert_eq!(b.yatsu(&["evidence", "get", &hash]).expect(0).out, "it rendered\n");
    assert!(b.yatsu(&["report", "--html", "-"]).expect(0).out.contains("it rendered"));
    assert_eq!(last(&b.yatsu(&["share", "get"]).expect(0)), "got 0 (0 B), 1 here already");
    assert_eq!(last(&two.a.yatsu(&["share", "push"]).expect(0)), "pushed 0 (0 B), 1 there");
    let page = b.yatsu(&["show", "board", "--open"]).expect(0).out;
    assert!(fs::read_to_string(page.trim()).expect("the page").contains("it rendered"));
}

#[test]
fn sharing_is_off_until_somebody_turns_it_on() {
    let two = Two::new();
    two.file("renders", "it rendered\n");
    two.publish();
    assert!(last(&two.a.yatsu(&["share"]).expect(0)).starts_with("sharing is off"));
    for verb in [&["share", "push"][..], &["share", "get", "--all"], &["share", "check"]] {
        let said = two.a.yatsu(verb).expect(2);
        assert!(said.err.contains("share on"), "{}", said.err);
    }
    assert_eq!(fs::read_dir(two.shared()).expect("a directory").count(), 0);
}

#[test]
fn every_verb_of_sharing_answers_in_its_schema() {
    let two = Two::new();
    let hash = two.file("renders", "it rendered\n");
    two.publish();
    let of = |args: &[&str]| json(&two.a.yatsu(&[&["--format", "json", "share"], args].concat()).expect(0));
    assert_eq!(of(&[])["place"], serde_json::Value::Null);
    assert_eq!(
        (&of(&["on", &two.place(), "--dry-run"])["dryRun"], &of(&[])["place"]),
        (&true.into(), &serde_json::Value::Null)
    );
    assert_eq!(of(&["on", &two.place()])["moved"], 1);
    assert_eq!(of(&["push", "--dry-run"])["bytes"], 12);
    assert_eq!(of(&["push"])["moved"], 1);
    assert_eq!(of(&["get"])["here"], 1);
    assert_eq!(of(&["check"])["there"], 1);
    assert_eq!((&of(&[])["verb"], &of(&[])["there"]), (&"state".into(), &1.into()));
    assert_eq!(of(&["drop", &hash, "--reason", "r"])["gone"][0]["size"], 12);
    assert_eq!(of(&["off"])["verb"], "off");
}
