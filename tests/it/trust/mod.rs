//! Who saw it: signatures of readings, the keys that may sign, grades and the policy.

mod needs_ssh_keygen;
mod threats;

use crate::support::{Said, Scratch, findings, hermetic, scenarios};
use serde_json::Value;
use std::path::PathBuf;

pub const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";
pub const JUDGES: &str = "trust/allowed_signers";

/// A repository with one scenario on the main branch, and people with keys.
pub struct Team {
    pub s: Scratch,
}

impl Team {
    /// No person has a key yet.
    pub fn new() -> Self {
        let s = crate::support::one_node();
        std::fs::create_dir_all(s.home().join("keys")).expect("a directory");
        Self { s }
    }

    /// Ann and Bob have keys that the main branch knows, and `readings` is the policy.
    pub fn with_policy(readings: &str) -> Self {
        let team = Self::new();
        let lines = [team.judge("ann@example.org", "ann"), team.judge("bob@example.org", "bob")].concat();
        team.admit(&lines, readings);
        team
    }

    /// Commits the judges and the policy.
    pub fn admit(&self, judges: &str, readings: &str) {
        self.s.write(JUDGES, judges);
        let roles = r#""roles": {"person": ["*@example.org"], "agent": ["*-agent@example.org"], "ci": ["ci@*"]}"#;
        let trust = format!("\"signers\": \"{JUDGES}\", {roles}, \"readings\": {readings}");
        self.s.write("spexcode.json", format!("{{\"yatsu\": {{\"trust\": {{{trust}}}}}}}"));
        self.s.commit("the keys that may sign");
    }

    /// The private key of this name, made at the first call.
    pub fn key(&self, name: &str) -> PathBuf {
        let path = self.s.home().join("keys").join(name);
        if !path.exists() {
            let made = self.keygen(&["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", &path.display().to_string()]);
            made.expect(0);
        }
        path
    }

    pub fn public(&self, name: &str) -> String {
        let text = std::fs::read_to_string(format!("{}.pub", self.key(name).display())).expect("a public key");
        text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    }

    /// A line of the judges.
    pub fn judge(&self, principals: &str, key: &str) -> String {
        format!("{principals} {}\n", self.public(key))
    }

    pub fn keygen(&self, args: &[&str]) -> Said {
        let mut command = hermetic("ssh-keygen", &self.s.home());
        Said::of(command.current_dir(&self.s.root).args(args).output().expect("ssh-keygen runs"))
    }

    /// A `PATH` without `ssh-keygen`.
    pub fn without_keygen(&self) -> PathBuf {
        let bare = self.s.home().join("bare");
        std::fs::create_dir_all(&bare).expect("a directory");
        for program in ["git", "sh"] {
            std::os::unix::fs::symlink(crate::support::found(program), bare.join(program)).expect("a link");
        }
        bare
    }

    pub fn sign(&self, key: &str, more: &[&str]) -> Said {
        let path = self.key(key).display().to_string();
        self.s.yatsu(&[&["sign", "n", "--key", &path], more].concat())
    }

    /// Files a pass, signed by these keys, and commits it.
    pub fn signed_pass(&self, keys: &[&str]) {
        self.s.yatsu(&["eval", "n", "--pass"]).expect(0);
        keys.iter().for_each(|key| drop(self.sign(key, &[]).expect(0)));
        self.s.commit("measured");
    }

    /// Commits everything as this author, with these lines at the end of the message.
    pub fn commit_as(&self, address: &str, trailers: &str) -> String {
        self.s.git(&["add", "-A"]);
        let message = format!("work\n\n{trailers}");
        let mut command = self.s.git_command(&["commit", "-qm", &message]);
        let name = address.split('@').next().unwrap_or_default().to_owned();
        command.env("GIT_AUTHOR_NAME", name).env("GIT_AUTHOR_EMAIL", address);
        Said::of(command.output().expect("git runs")).expect(0);
        self.s.git(&["rev-parse", "HEAD"])
    }

    pub fn edit(&self, text: &str) {
        self.s.write("src/a.rs", format!("fn a() {{ {text} }}\n"));
    }

    pub fn since(&self, base: &str, rule: &str) -> Vec<Value> {
        findings(&self.s, rule, &["--from", base, "--to", "HEAD"])
    }

    /// The messages of a rule over the range from `base`.
    pub fn told(&self, base: &str, rule: &str) -> Vec<String> {
        let found = self.since(base, rule);
        found.iter().map(|one| one["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub fn head(&self) -> String {
        self.s.git(&["rev-parse", "HEAD"])
    }

    /// The last line of the ledger.
    pub fn last_line(&self) -> String {
        self.s.read(LEDGER).lines().last().unwrap_or_default().to_owned()
    }

    /// Replaces the last line of the ledger.
    pub fn replace_last(&self, line: &str) {
        let ledger = self.s.read(LEDGER);
        let (before, _) = ledger.trim_end().rsplit_once('\n').unwrap_or(("", ""));
        self.s.write(LEDGER, format!("{before}\n{line}\n"));
    }

    /// Appends a signature over the line `at` of the ledger, made by hand with these parts.
    pub fn by_hand(&self, key: &str, at: usize, part: &ByHand<'_>) {
        let ledger = self.s.read(LEDGER);
        let line = ledger.lines().nth(at).unwrap_or_default();
        let signature = self.signature_by_hand(key, &crate::support::sha256(line), part);
        self.s.write(LEDGER, format!("{ledger}{signature}\n"));
    }

    /// A signature of the line with this hash, made by hand with these parts.
    pub fn signature_by_hand(&self, key: &str, hash: &str, part: &ByHand<'_>) -> String {
        let project = part.project.map_or(String::new(), |project| format!("\"project\":\"{project}\","));
        let body = format!(
            "{{\"kind\":\"signature\",{project}\"home\":\"{}\",\"lines\":[\"{}\"],\"ts\":\"{}\"",
            part.home, hash, part.ts
        );
        let message = self.s.home().join("message");
        std::fs::write(&message, format!("{body}}}\n")).expect("a file");
        let _ = std::fs::remove_file(self.s.home().join("message.sig"));
        let (key, file) = (self.key(key).display().to_string(), message.display().to_string());
        self.keygen(&["-q", "-Y", "sign", "-n", part.namespace, "-f", &key, &file]).expect(0);
        let armour = std::fs::read_to_string(self.s.home().join("message.sig")).expect("a signature");
        let sig: String = armour.lines().filter(|line| !line.starts_with('-')).collect();
        format!("{body},\"sig\":\"{sig}\"}}")
    }
}

/// The parts of a signature that is made by hand.
#[derive(Clone, Copy)]
pub struct ByHand<'a> {
    pub home: &'a str,
    pub ts: &'a str,
    pub project: Option<&'a str>,
    pub namespace: &'a str,
}

impl Default for ByHand<'_> {
    fn default() -> Self {
        Self { home: ".spec/n", ts: "2099-01-01T00:00:00.000Z", project: None, namespace: "yatsu-hook" }
    }
}

/// The policy for every scenario.
pub const SIGNED: &str = r#"{"*": {"grade": "signed"}}"#;
pub const INDEPENDENT: &str = r#"{"*": {"grade": "independent"}}"#;

pub fn two_scenarios(s: &Scratch) {
    s.write(".spec/n/yatsu.md", scenarios(&[("works", "src/a.rs"), ("more", "src/b.rs")]));
    s.commit("two scenarios");
}
