//! The program under test at the attacked doors: `pre-receive`, `pre-commit` with and without memos, the score. It
//! mostly runs in this process, which is cheaper and gives the same answers. Now and then the real program runs too and
//! must agree.

use super::counts::Score;
use super::judge::Update;
use super::seen::dir_of;
use crate::support::{Said, fed, hermetic, hook_options, program};
use git2::{Oid, Repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use yatsu_hook::app::doors::Commit;
use yatsu_hook::app::doors::commit;
use yatsu_hook::app::doors::push;
use yatsu_hook::app::doors::push::How;
use yatsu_hook::app::doors::push::refs;
use yatsu_hook::app::doors::scan;
use yatsu_hook::app::judge::Options;
use yatsu_hook::app::judge::snapshot::MadeBy;
use yatsu_hook::app::judge::snapshot::ScoredContent;
use yatsu_hook::app::judge::verdict::Reader;
use yatsu_hook::app::memo;
use yatsu_hook::error::{Error, Result};
use yatsu_hook::finding::{Finding, Level, RuleId};
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::report::Report;

const ZERO: &str = "0000000000000000000000000000000000000000";

/// The answer of a door.
pub(super) struct Door {
    pub(super) code: i32,
    /// The rules of the errors.
    pub(super) rules: BTreeSet<String>,
    /// Whether it warns that lines are lost.
    pub(super) warned: bool,
    /// The scenarios with the warning that a fail was withdrawn.
    pub(super) withdrawn: BTreeSet<(String, String)>,
    /// The directories of the errors, by rule.
    pub(super) dirs: BTreeMap<String, BTreeSet<String>>,
    pub(super) said: String,
}

impl Door {
    fn of(report: Result<Report>) -> Self {
        let report = match report {
            Ok(report) => report,
            Err(error) => return Self::unchecked(&error),
        };
        let at = |level: Level| report.findings.iter().filter(move |finding| finding.level == level);
        let rules: BTreeSet<String> = at(Level::Error).map(|finding| finding.rule.as_str().to_owned()).collect();
        let said = at(Level::Error).map(|finding| format!("[{}] {}", finding.rule.as_str(), finding.message));
        let mut dirs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for finding in at(Level::Error) {
            dirs.entry(finding.rule.as_str().to_owned()).or_default().extend(dir(finding));
        }
        Self {
            dirs,
            code: i32::from(!rules.is_empty()),
            warned: at(Level::Warning).any(|finding| finding.rule == RuleId::LedgerHistory),
            withdrawn: report
                .findings
                .iter()
                .filter(|found| found.rule.as_str() == "fail-withdrawn")
                .filter_map(place)
                .collect(),
            said: said.collect::<Vec<_>>().join("; "),
            rules,
        }
    }

    fn unchecked(error: &Error) -> Self {
        let code = i32::from(error.kind.exit_code());
        Self {
            code,
            rules: BTreeSet::new(),
            warned: false,
            withdrawn: BTreeSet::new(),
            dirs: BTreeMap::new(),
            said: format!("{error}"),
        }
    }

    pub(super) fn accepts(&self) -> bool {
        self.code == 0
    }

    /// The directories of the errors of a rule.
    pub(super) fn dirs_of(&self, rule: &str) -> BTreeSet<String> {
        self.dirs.get(rule).cloned().unwrap_or_default()
    }

    pub(super) fn refuses_history(&self) -> bool {
        self.rules.contains(RuleId::LedgerHistory.as_str())
    }
}

/// The answer of pre-commit.
pub(super) struct BeforeCommit {
    pub(super) door: Door,
    /// How many memos were tried.
    pub(super) memos: usize,
    /// Answers that were different with a memo.
    pub(super) differs: Vec<String>,
}

/// The doors of one history.
pub(super) struct Doors {
    base: PathBuf,
    env: Env,
    /// Memos of earlier scans.
    memos: Vec<Vec<u8>>,
}

impl Doors {
    pub(super) fn new(base: &Path) -> Self {
        let variables = [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", base.join("home").into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ];
        let mut env = Env::from_vars(variables.map(|(name, value)| (name.into(), value)));
        env.euid = rustix::process::geteuid().as_raw();
        Self { base: base.to_owned(), env, memos: Vec::new() }
    }

    fn server(&self) -> PathBuf {
        self.base.join("server.git")
    }

    fn open(&self, dir: &Path) -> Result<Repo> {
        Repo::open(&self.env, dir)
    }

    /// The answer of the server's hook to these updates.
    pub(super) fn receive(&self, updates: &[Update]) -> Door {
        let report = self.open(&self.server()).and_then(|repo| {
            let updates = refs::received(lines(updates).as_bytes(), repo.hash)?;
            push::receive(&repo, &updates, How { options: hook_options(), progress: &|_| {}, briefly: true })
        });
        Door::of(report)
    }

    /// The answer of `check --from --to` to the same change.
    pub(super) fn range(&self, from: &str, to: &str) -> Door {
        let how = How { options: hook_options(), progress: &|_| {}, briefly: true };
        Door::of(self.open(&self.server()).and_then(|repo| push::range(&repo, (from, to), &[], how)))
    }

    /// The exit code of the program itself.
    pub(super) fn receive_by_program(&self, updates: &[Update]) -> i32 {
        let mut command = hermetic(program(), &self.base.join("home"));
        command.current_dir(self.server()).env("GIT_DIR", ".").arg("pre-receive");
        fed(command, lines(updates)).code
    }

    /// The score of the readings in a commit.
    pub(super) fn score(&self, commit: &str) -> std::result::Result<Score, String> {
        self.scan(commit).map_err(|error| error.to_string())
    }

    fn scan(&self, commit: &str) -> Result<Score> {
        let repo = self.open(&self.server())?;
        let request = scan::ScanRequest { of: ScoredContent::Rev(commit.to_owned()), ..scan::ScanRequest::default() };
        let report = scan::scan(&repo, &request, Options { reader: Reader::Person, ..hook_options() })?;
        let mut score = Score::new();
        for finding in report.findings.iter().filter(|finding| ABOUT.contains(&finding.rule.as_str())) {
            score.entry(place(finding).unwrap_or_default()).or_default().insert(finding.rule.as_str().to_owned());
        }
        Ok(score)
    }

    /// The answer of `pre-commit` with `new` staged on top of `parents`, without a memo and with each earlier one.
    pub(super) fn before_commit(&mut self, objects: &Repository, new: Oid, parents: &[Oid]) -> BeforeCommit {
        let clone = self.stage(objects, new, parents);
        let memo = memo::paths_file(&clone);
        let ask = |briefly: bool| {
            let report = self.open(&clone).and_then(|repo| {
                commit::judge(&repo, hook_options(), Commit { made_by: MadeBy::Person, briefly, busy: &|| () })
            });
            Door::of(report)
        };
        let _ = std::fs::remove_file(&memo);
        let door = ask(false);
        let mut differs = Vec::new();
        for bytes in &self.memos {
            std::fs::create_dir_all(clone.join("yatsu")).expect("a directory");
            std::fs::write(&memo, bytes).expect("a memo");
            let with = ask(true);
            if (with.code, &with.said) != (door.code, &door.said) {
                differs.push(format!(
                    "{new} without a memo: {} {}; with one: {} {}",
                    door.code, door.said, with.code, with.said
                ));
            }
        }
        let memos = self.memos.len();
        let _ = std::fs::remove_file(&memo);
        if new.as_bytes()[1].is_multiple_of(4) {
            self.leave_a_memo(&clone);
        }
        BeforeCommit { door, memos, differs }
    }

    /// Scans HEAD, which leaves a memo. The last three memos of all branches are kept.
    fn leave_a_memo(&mut self, clone: &Path) {
        let scanned = hermetic(program(), &self.base.join("home")).current_dir(clone).arg("scan").output();
        assert!(scanned.expect("it runs").status.code().is_some());
        if let Ok(bytes) = std::fs::read(memo::paths_file(clone)) {
            self.memos.push(bytes);
            if self.memos.len() > 3 {
                self.memos.remove(0);
            }
        }
    }

    /// A clone with `new` in its index and the first of `parents` as HEAD.
    fn stage(&self, objects: &Repository, new: Oid, parents: &[Oid]) -> PathBuf {
        let dir = self.base.join("clone.git");
        if !dir.exists() {
            let mut options = git2::RepositoryInitOptions::new();
            options.bare(true).external_template(false);
            Repository::init_opts(&dir, &options).expect("a clone");
            let alternate = format!("{}\n", self.server().join("objects").display());
            std::fs::write(dir.join("objects/info/alternates"), alternate).expect("alternates");
        }
        std::fs::write(dir.join("HEAD"), format!("{}\n", parents[0])).expect("HEAD");
        let others: String = parents[1..].iter().map(|id| format!("{id}\n")).collect();
        let merge = dir.join("MERGE_HEAD");
        if others.is_empty() {
            drop(std::fs::remove_file(merge))
        } else {
            std::fs::write(merge, others).expect("a merge")
        }
        let mut index = git2::Index::open(&dir.join("index")).expect("an index");
        let tree = objects.find_commit(new).and_then(|commit| commit.tree()).expect("a tree");
        index.read_tree(&tree).and_then(|()| index.write()).expect("an index");
        dir
    }
}

/// The rules that are read from a score.
const ABOUT: [&str; 3] = ["yatsu-drift", "yatsu-missing", "yatsu-failing"];

/// The directory of a finding: of its node, or of its file.
fn dir(finding: &Finding) -> Option<String> {
    let of_node = finding.node.as_ref().map(|node| node.dir.to_string());
    of_node.or_else(|| Some(dir_of(&finding.location.as_ref()?.path.to_string()).to_owned()))
}

/// The directory and the scenario of a finding.
fn place(finding: &Finding) -> Option<(String, String)> {
    Some((finding.node.as_ref()?.dir.to_string(), finding.scenario.as_ref()?.to_string()))
}

/// The score in the output of `scan --format json`. A finding's file lies in the directory of its node.
pub(super) fn score_of(said: &Said) -> std::result::Result<Score, String> {
    let json: Value = serde_json::from_str(&said.out).map_err(|_| said.err.clone())?;
    let findings = json["findings"].as_array().ok_or_else(|| said.err.clone())?;
    let mut score = Score::new();
    for finding in findings {
        let rule = finding["rule"].as_str().unwrap_or_default();
        let dir = finding["path"].as_str().and_then(|path| path.rsplit_once('/'));
        if let (Some((dir, _)), true) = (dir, ABOUT.contains(&rule)) {
            let place = (dir.to_owned(), finding["scenario"].as_str().unwrap_or_default().to_owned());
            score.entry(place).or_default().insert(rule.to_owned());
        }
    }
    Ok(score)
}

/// The rules of the errors that a gate printed.
pub(super) fn errors_of(text: &str) -> BTreeSet<String> {
    let found = text.split("error[").skip(1).filter_map(|rest| rest.split(']').next());
    found.map(str::to_owned).collect()
}

fn lines(updates: &[Update]) -> String {
    let id = |id: &Option<String>| id.clone().unwrap_or_else(|| ZERO.to_owned());
    updates.iter().map(|update| format!("{} {} {}\n", id(&update.old), id(&update.new), update.name)).collect()
}
