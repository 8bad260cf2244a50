//! One repository that is also the server of its pushes: the hook is asked, and its answer decides.

use super::judge;
use crate::support::{Dice, Scratch, fed, sha256};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One deed, with the dice for its particulars.
#[derive(Clone, Copy, Debug)]
pub struct Step(Deed, u64);

#[derive(Clone, Copy, Debug)]
enum Deed {
    Measure,
    Edit,
    Decide,
    Forge,
    Spread,
    Contract,
    Rename,
    Delete,
    Create,
    Configure,
    Retract,
    Redact,
    Merge,
    Squash,
    Push,
    PushTwo,
    Force,
}

use Deed::{
    Configure, Contract, Create, Decide, Delete, Edit, Force, Forge, Measure, Merge, Push, PushTwo, Redact, Rename,
    Retract, Spread, Squash,
};

const DEEDS: [Deed; 30] = [
    Measure, Measure, Measure, Measure, Measure, Edit, Edit, Decide, Decide, Decide, Forge, Forge, Forge, Spread,
    Spread, Contract, Contract, Rename, Delete, Create, Configure, Retract, Redact, Merge, Squash, Push, Push, Push,
    PushTwo, Force,
];

/// The deeds of a seed; the last one is a push.
pub fn steps(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed.wrapping_mul(77));
    let count = 8 + dice.roll(14);
    let mut steps: Vec<Step> =
        (0..count).map(|number| Step(DEEDS[dice.roll(DEEDS.len())], seed * 1000 + number as u64)).collect();
    steps.push(Step(Push, 0));
    steps
}

pub struct World {
    s: Scratch,
    /// The server's main branch.
    server: String,
    minute: u32,
    pub fault: Option<String>,
    pub told: Vec<String>,
    /// Pushes that were taken, refused by the gate of goals, refused by other rules.
    pub tally: [usize; 3],
}

impl World {
    pub fn new() -> Self {
        let s = Scratch::new();
        s.git(&["config", "user.name", "Ann"]);
        for name in ["a", "b"] {
            s.write(&format!("src/{name}.py"), "model = 0\n");
            s.write(&format!(".spec/{name}/yatsu.md"), file(name, Some((">=", "0.9", 3))));
        }
        s.commit("begin");
        let server = s.git(&["rev-parse", "HEAD"]);
        // the branch stays at the server's commit, because its configuration decides a push
        s.git(&["checkout", "-q", "--detach"]);
        Self { s, server, minute: 0, fault: None, told: Vec::new(), tally: [0; 3] }
    }

    pub fn step(&mut self, step: &Step) {
        let Step(deed, seed) = *step;
        let mut dice = Dice(seed);
        self.minute += 1;
        match deed {
            Push => self.push(&[]),
            PushTwo => {
                let head = self.s.git(&["rev-parse", "HEAD"]);
                self.push(&[format!("{} {head} refs/heads/other\n", "0".repeat(40))]);
            }
            Force => {
                self.s.git(&["commit", "-q", "--no-verify", "--allow-empty", "--amend", "-m", "forced"]);
                self.push(&[]);
            }
            Squash => {
                self.s.git(&["reset", "-q", "--soft", &self.server]);
                self.s.commit("squashed");
            }
            Merge => self.merge(),
            _ => {
                self.deed(deed, &mut dice);
                self.told.push(format!("{deed:?}: {}", self.s.git(&["status", "--short"]).replace('\n', ";")));
                self.s.commit(&format!("{deed:?}"));
            }
        }
    }

    fn deed(&self, deed: Deed, dice: &mut Dice) {
        let dirs = self.dirs();
        if dirs.is_empty() {
            return;
        }
        let dir = &dirs[dice.roll(dirs.len())];
        match deed {
            Measure => self.measure(dir, dice),
            Edit => self.s.write(&format!("src/{}.py", dice.pick(&["a", "b"])), format!("model = {}\n", dice.roll(3))),
            Decide => {
                let kind = dice.pick(&["complete", "complete", "complete", "pivot", "rework", "block", "unblock"]);
                let reason: &[&str] = if kind == "complete" { &[] } else { &["--reason", "because"] };
                self.s.yatsu(&[&["goal", kind, dir], reason].concat());
            }
            Forge => self.forge(dir, dice),
            Spread => self.copy(dir, &dirs[dice.roll(dirs.len())], dice),
            Contract => {
                let asks = [Some((">=", "0.9", 3)), Some((">=", "0.5", 3)), Some(("<=", "0.9", 2)), None];
                self.s.write(&format!("{dir}/yatsu.md"), file(&self.code(dir), asks[dice.roll(asks.len())]));
            }
            Rename => drop(self.try_git(&["mv", dir, &format!(".spec/r{}", dice.roll(5))])),
            Delete => drop(self.try_git(&["rm", "-r", "-q", "-f", dir])),
            Create => {
                let dir = format!(".spec/{}", dice.pick(&["a", "b", "r1", "c"]));
                self.s.write(&format!("{dir}/yatsu.md"), file(dice.pick(&["a", "b"]), Some((">=", "0.9", 3))));
            }
            Configure => {
                let goals = dice.pick(&[
                    r#""goals": {"gate": "off"}"#,
                    r#""goals": {"gate": "claimed"}"#,
                    r#""goals": {"require": true}"#,
                    r#""exclude": [".spec/a/**"]"#,
                    r#""exclude": [".spec/r*/**"], "goals": {"gate": "off"}"#,
                    "",
                ]);
                self.s.write("spexcode.json", format!("{{\"yatsu\": {{{goals}}}}}"));
            }
            Retract | Redact => self.withdraw(dir, deed, dice),
            Merge | Squash | Push | PushTwo | Force => {}
        }
    }

    fn dirs(&self) -> Vec<String> {
        let listed = self.s.git(&["ls-files", "--", ".spec/*yatsu.md"]);
        let dirs: BTreeSet<_> = listed.lines().filter_map(|path| path.rsplit_once('/')).collect();
        dirs.into_iter().map(|(dir, _)| dir.to_owned()).filter(|dir| self.s.root.join(dir).is_dir()).collect()
    }

    fn try_git(&self, args: &[&str]) -> bool {
        self.s.git_command(args).output().is_ok_and(|said| said.status.success())
    }

    fn code(&self, dir: &str) -> String {
        let text = self.s.read(&format!("{dir}/yatsu.md"));
        text.split("code: src/").nth(1).and_then(|rest| rest.split('.').next()).unwrap_or("a").to_owned()
    }

    fn lines(&self, dir: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.s.root.join(dir).join("yatsu.evals.ndjson")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn append(&self, dir: &str, line: &str) {
        let text: String = self.lines(dir).iter().map(|line| format!("{line}\n")).collect();
        self.s.write(&format!("{dir}/yatsu.evals.ndjson"), format!("{text}{line}\n"));
    }

    fn ts(&self, dice: &mut Dice) -> String {
        let minute = if dice.roll(6) == 0 { dice.roll(60) as u32 } else { self.minute };
        format!("2026-01-01T00:{minute:02}:{:02}.{:03}Z", dice.roll(60), dice.roll(1000))
    }

    fn measure(&self, dir: &str, dice: &mut Dice) {
        let number = dice.pick(&["0.95", "0.95", "0.95", "0.7", "0.1", "-0", "1e2"]);
        let text = match dice.roll(8) {
            0 => format!("[METRIC:accuracy] {}\n", dice.pick(&["0.95", "nan", "1,5", "inf", "0,95"])),
            _ => format!("[METRIC:accuracy] {number}\n"),
        };
        let hash = sha256(&text);
        if dice.roll(5) > 0 {
            self.s.write(&format!(".git/spexcode/yatsu-blobs/{hash}"), &text);
        }
        let mut line = json!({
            "scenario": "learns", "codeSha": self.s.git(&["rev-parse", "HEAD"]), "blob": hash, "blobKind": "transcript",
            "evaluator": "manual@1", "by": "filer", "ts": self.ts(dice),
            "verdict": {"status": dice.pick(&["pass", "pass", "pass", "pass", "fail"])},
            "markers": ["METRIC:accuracy"], "metrics": {"accuracy": 0.5},
        });
        if dice.roll(10) == 0 {
            line["units"] = json!({"accuracy": "%"});
        }
        let number = if dice.roll(12) == 0 { "1e400" } else { number };
        self.append(dir, &line.to_string().replace("{\"accuracy\":0.5}", &format!("{{\"accuracy\":{number}}}")));
    }

    /// A forged decision, about the present, an earlier or another node's contract.
    fn forge(&self, dir: &str, dice: &mut Dice) {
        let said = self.s.yatsu(&["goal", "check", dir, "--format", "json"]);
        let said: Value = serde_json::from_str(&said.out).unwrap_or_default();
        let goal = &said["goals"][0];
        let other = json!(sha256(dice.pick(&["x", "y"])));
        let contract = if dice.roll(5) == 0 || goal["contract"].is_null() { &other } else { &goal["contract"] };
        let readings = if dice.roll(2) == 0 || goal["readings"].is_null() { &other } else { &goal["readings"] };
        let kind = dice.pick(&["complete", "complete", "complete", "complete", "unblock", "rework", "pivot"]);
        let line = json!({
            "decision": kind, "contract": contract, "readings": readings, "reason": "r", "by": "forger", "ts": self.ts(dice),
        });
        self.append(dir, &line.to_string());
    }

    /// Copies or moves the decisions of one node to another.
    fn copy(&self, from: &str, to: &str, dice: &mut Dice) {
        let (decisions, rest): (Vec<String>, Vec<String>) =
            self.lines(from).into_iter().partition(|line| line.contains("\"decision\""));
        for line in &decisions {
            self.append(to, line);
        }
        if dice.roll(3) == 0 && from != to {
            let text: String = rest.iter().map(|line| format!("{line}\n")).collect();
            self.s.write(&format!("{from}/yatsu.evals.ndjson"), text);
        }
    }

    fn withdraw(&self, dir: &str, deed: Deed, dice: &mut Dice) {
        let readings: Vec<String> = self.lines(dir).into_iter().filter(|line| line.contains("codeSha")).collect();
        if readings.is_empty() {
            return;
        }
        let line = &readings[dice.roll(readings.len())];
        let reading: Value = serde_json::from_str(line).unwrap_or_default();
        if matches!(deed, Retract) {
            let line = json!({"retracts": reading["ts"], "scenario": "learns", "reason": "r", "ts": self.ts(dice)});
            return self.append(dir, &line.to_string());
        }
        let redaction = json!({"redacts": sha256(line), "scenario": "learns", "ts": reading["ts"], "reason": "r"});
        let lines = self.lines(dir);
        let text: String =
            lines.iter().map(|one| if one == line { format!("{redaction}\n") } else { format!("{one}\n") }).collect();
        self.s.write(&format!("{dir}/yatsu.evals.ndjson"), text);
    }

    /// A merge commit of the present state and a side that adds a file.
    fn merge(&self) {
        let tree = self.s.git(&["rev-parse", "HEAD^{tree}"]);
        let side = self.s.git(&["commit-tree", &tree, "-p", &self.server, "-m", "side"]);
        let merged = self.s.git(&["commit-tree", &tree, "-p", &self.server, "-p", &side, "-m", "merged"]);
        self.s.git(&["reset", "-q", "--hard", &merged]);
    }

    /// Asks the server, and follows its answer.
    fn push(&mut self, more: &[String]) {
        let head = self.s.git(&["rev-parse", "HEAD"]);
        if head == self.server {
            return;
        }
        let input = format!("{} {head} refs/heads/main\n{}", self.server, more.concat());
        // as on a server: HEAD is the branch, without the pushed commits
        self.s.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        let said = fed(self.s.yatsu_command(&["pre-receive"]), &input);
        self.s.git(&["update-ref", "--no-deref", "HEAD", &head]);
        // a server judges by its own configuration, not by the pushed one
        let is_off = self.shows(&self.server, "\"gate\": \"off\"");
        let by_gate = said.err.contains("goal-gate");
        let claims = judge::claims(&self.s, &self.server, &head);
        let false_one = claims.iter().find_map(|(claim, why)| Some(format!("{claim}: {}", why.as_ref()?)));
        let is_hidden = self.shows(&self.server, "exclude") || self.shows(&head, "exclude");
        let requires = self.shows(&self.server, "require");
        let fault = match (said.code, false_one) {
            (0, Some(claim)) if !is_off && !is_hidden => Some(format!("a false claim was taken: {claim}")),
            (1, None) if by_gate && !requires => {
                Some(format!("nobody claims falsely, and it was refused: {}", said.err))
            }
            (0 | 1, _) => None,
            (code, _) => Some(format!("exit {code}: {}", said.err)),
        };
        self.told.push(format!("push {}..{head}: exit {} {}", self.server, said.code, said.err.replace('\n', " | ")));
        self.fault = fault;
        self.tally[if said.code == 0 {
            0
        } else if by_gate {
            1
        } else {
            2
        }] += 1;
        match said.code {
            0 => {
                self.s.git(&["update-ref", "refs/heads/main", &head]);
                self.server = head;
            }
            // a refused push is thrown away, because otherwise every later one would be refused
            _ => drop(self.s.git(&["reset", "-q", "--hard", &self.server])),
        }
    }

    fn shows(&self, commit: &str, text: &str) -> bool {
        let said = self.s.git_command(&["show", &format!("{commit}:spexcode.json")]).output();
        said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(text))
    }
}

/// A scenario file over `src/<code>.py` with this contract.
fn file(code: &str, asks: Option<(&str, &str, u32)>) -> String {
    let goal = asks.map(|(op, target, attempts)| {
        format!(
            "goal_contract:\n  version: 1\n  goal_text: reach it\n  max_goal_attempts: {attempts}\n  acceptance_criteria:\n    \
             - id: AC1\n      kind: metric_threshold\n      metric: accuracy\n      op: '{op}'\n      target: {target}\n"
        )
    });
    format!(
        "---\n{}scenarios:\n  - name: learns\n    description: train it\n    expected: it learns\n    tags: [cli]\n    \
         code: src/{code}.py\n---\n",
        goal.unwrap_or_default()
    )
}
