//! Memos never change an answer: random work in random repositories, with commits amended, rebased, given up, made of a
//! part, in two work trees, on branches that come and go. Before each commit the gate says the same, loud or silent, with a
//! memo that a hook left just now or long ago, here or elsewhere, with one that a scan left, a damaged one, one of another
//! version of the program and none; and so do scans that know of earlier anchors and scans that know nothing. `YATSU_FULL=1`
//! runs three thousand seeds.

use super::said::{Side, commit, pushed_to, said, scanned};
use super::versions::{self, Beside};
use super::{EVIDENCE, options, settle};
use crate::support::{Dice, Said, Scratch, oid, reading_line, real, scenarios, sha256};
use std::fs;
use std::path::{Path, PathBuf};
use yatsu_hook::app::doors::push::refs::Update;
use yatsu_hook::app::doors::{concerned, memo};
use yatsu_hook::app::judge::snapshot;
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;

const CODE: [&str; 8] = ["src/a.rs", "src/b.rs", "src/sub/c.rs", "lib/d.rs", "lib/e.txt", "f.rs", "old/a.rs", "link"];
const GOVERNED: [&str; 14] = [
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
];
const DIRS: [&str; 6] = [".spec/one", ".spec/two", ".spec/two/deep", "elsewhere", ".spec/one/deep", "elsewhere/two"];
const PLAIN: [&str; 4] = ["notes.txt", "docs/x.md", "docs/y.md", "a/b/c/d.txt"];

struct World {
    scratch: Scratch,
    dice: Dice,
    minute: u32,
    /// A time long ago, for what changed.
    moment: u64,
    hash: String,
    /// The work tree that is worked in.
    top: PathBuf,
    /// Memos of any time, tree and work tree.
    memos: Vec<Vec<u8>>,
    /// What scans of any time parsed.
    parsed: Vec<Vec<u8>>,
    told: Told,
}

/// The memo of the work tree, and the one that all may read.
type Memos<'a> = [Option<&'a [u8]>; 2];

/// How the memos did.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    /// Commits that were judged.
    judged: usize,
    /// Reports that were compared.
    compared: usize,
    /// Commits for which the memo of just now was enough.
    enough: usize,
    /// Those of them with something to say.
    loud: usize,
    /// Memos that a hook left.
    left: usize,
    /// Reports of pushes that were compared.
    pushed: usize,
    /// Those of them for which the memo was enough.
    brief: usize,
    /// Those of these with something to say.
    loud_pushes: usize,
    /// Scans that were compared.
    scanned: usize,
    /// Scans that left what they parsed.
    remembered: usize,
    /// Those of several refs.
    several: usize,
    /// Those that were received here.
    received: usize,
    /// Merges for which the memo was enough.
    merged: usize,
}

impl Told {
    fn and(self, more: Self) -> Self {
        Self {
            judged: self.judged + more.judged,
            compared: self.compared + more.compared,
            enough: self.enough + more.enough,
            loud: self.loud + more.loud,
            left: self.left + more.left,
            pushed: self.pushed + more.pushed,
            brief: self.brief + more.brief,
            loud_pushes: self.loud_pushes + more.loud_pushes,
            scanned: self.scanned + more.scanned,
            remembered: self.remembered + more.remembered,
            several: self.several + more.several,
            received: self.received + more.received,
            merged: self.merged + more.merged,
        }
    }
}

impl World {
    fn new(seed: u64) -> Self {
        let scratch = Scratch::new();
        let top = scratch.root.clone();
        let (dice, hash) = (Dice(seed), sha256(EVIDENCE));
        let mut world = Self {
            scratch,
            dice,
            minute: 0,
            moment: 0,
            hash,
            top,
            memos: Vec::new(),
            parsed: Vec::new(),
            told: Told::default(),
        };
        world.write("f.rs", "first\n");
        for _ in 0..8 {
            world.edit();
        }
        world.commit("first");
        world
    }

    fn write(&self, path: &str, text: &str) {
        // what lies in the way goes
        let full = self.top.join(path);
        if full.is_symlink() || full.is_dir() {
            self.remove(path);
        }
        fs::create_dir_all(full.parent().expect("a parent")).expect("directories");
        fs::write(full, text).expect("a file");
    }

    fn remove(&self, path: &str) {
        let full = self.top.join(path);
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
                let text = format!("fn f() {{ {} }}\nfn g() {{ {} }}\n", self.dice.roll(2), self.dice.roll(3));
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
        let head = self.try_git(&["rev-parse", "-q", "--verify", "HEAD"]);
        let path = self.top.join(dir).join("yatsu.evals.ndjson");
        let mut ledger = fs::read_to_string(&path).unwrap_or_default();
        self.minute += 1;
        let (name, status) = (self.name(), self.dice.pick(&["pass", "fail"]));
        let line = reading_line(head.out.trim(), name, status, self.minute);
        let evidence = format!("\"blob\":\"{}\",\"blobKind\":\"transcript\"", self.hash);
        match self.dice.roll(9) {
            0 => ledger.push_str(&line.replace("\"blob\":null", &evidence)),
            6 => ledger.push_str(&line.replace("\"blob\":null", "\"blob\":null,\"key\":\"k\"")),
            // the same line again, one of the same moment, and the withdrawal of one
            7 => ledger.push_str(&(line.clone() + &line.replace("pass", "fail") + &line)),
            8 => ledger.push_str(&(line.clone() + &withdrawal(&line, name))),
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
        let to = self.top.join(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
        let _ = fs::rename(self.top.join(from), to);
    }

    fn odd(&mut self, dir: &str) {
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

    fn try_git(&self, args: &[&str]) -> Said {
        let top = self.top.to_str().expect("UTF-8");
        self.scratch.try_git(&[&["-C", top], args].concat())
    }

    fn git(&self, args: &[&str]) -> String {
        self.try_git(args).expect(0).out
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", message]);
    }

    fn repo(&self, index: Option<&Path>) -> Repo {
        let index_file = index.map(Path::to_owned);
        let env = Env { euid: rustix::process::geteuid().as_raw(), index_file, ..Env::default() };
        Repo::open(&env, &self.top).expect("a repository")
    }

    /// The same with the git program, which alone knows the order of commits.
    fn repo_with_git(&self) -> Repo {
        real::repo_at(&self.scratch, &self.top, &[])
    }

    /// What is said where nobody knows what scans learned of anchors.
    fn without_anchors<T>(&self, say: impl FnOnce(&Self) -> T) -> T {
        let file = memo::anchors_file(&self.repo(None).common_dir);
        let stood = fs::read(&file).ok();
        place(&[file.clone(), file.clone()], [None, None]);
        let told = say(self);
        place(&[file.clone(), file], [stood.as_deref(), None]);
        told
    }

    /// The memo of the work tree, and the one that all may read.
    fn memo_files(&self) -> [PathBuf; 2] {
        let repo = self.repo(None);
        [&repo.git_dir, &repo.common_dir].map(|dir| memo::paths_file(dir))
    }

    /// One commit about to be made: what is said of it without any memo is said with every one.
    fn hook(&mut self, index: Option<&Path>) {
        let files = self.memo_files();
        let stood = files.each_ref().map(|file| fs::read(file).ok());
        let place = |memos: Memos<'_>| place(&files, memos);
        place([None, None]);
        let expected = self.without_anchors(|world| said(&world.repo(index), false));
        let left = fs::read(&files[0]).ok();
        self.told.judged += 1;
        self.told.left += usize::from(left.is_some());
        let damaged = self.damaged();
        let old = self.memos.clone();
        let tree = oid(self.git(&["rev-parse", "HEAD^{tree}"]).trim());
        let foreign = versions::memos(tree);
        let unasked = self.unasked(&files);
        let beside = Beside::leave(&files[0], &foreign[1]);
        let mut choices: Vec<Memos<'_>> = vec![[stood[0].as_deref(), stood[1].as_deref()]];
        choices.extend(old.iter().chain(&damaged).chain(&foreign).map(|bytes| [Some(&**bytes), None]));
        choices.extend(left.iter().chain(&unasked).map(|bytes| [Some(&**bytes), None]));
        choices.push([None, None]);
        // in a linked work tree its own comes first
        choices.extend(left.iter().zip(old.last()).map(|(left, old)| [Some(&**old), Some(&**left)]));
        for memos in choices {
            place(memos);
            let with = said(&self.repo(index), true);
            assert_eq!(with, expected, "{}", self.git(&["diff", "--cached", "--stat"]));
            self.told.compared += 1;
            // what it left in its place is a memo as good as any
            if let Ok(bytes) = fs::read(&files[0])
                && self.dice.roll(4) == 0
            {
                self.keep(bytes);
            }
        }
        beside.take_away();
        self.count(index, left.as_deref(), &place);
        match (self.dice.roll(4), left) {
            (0, _) => place([None, None]),
            (1, Some(left)) => self.keep(left),
            _ => place([stood[0].as_deref(), stood[1].as_deref()]),
        }
    }

    /// What a commit leaves that changes a file of HEAD and adds none: a memo that knows of no node whether something
    /// appeared there.
    fn unasked(&self, files: &[PathBuf; 2]) -> Option<Vec<u8>> {
        let held = self.git(&["ls-tree", "-r", "HEAD", "--name-only"]);
        let path = held.lines().find(|path| CODE[..7].contains(path) || PLAIN.contains(path))?;
        let (index, other) = (self.scratch.base.join("changing-index"), self.scratch.base.join("other-content"));
        fs::write(&other, format!("{}\n", self.memos.len())).expect("a file");
        let id = self.git(&["hash-object", "-w", "--no-filters", other.to_str().expect("UTF-8")]);
        let entry = format!("100644,{},{path}", id.trim());
        let top = self.top.to_str().expect("UTF-8");
        for args in [&["read-tree", "HEAD"][..], &["update-index", "--cacheinfo", &entry]] {
            let mut command = self.scratch.git_command(&[&["-C", top], args].concat());
            assert!(command.env("GIT_INDEX_FILE", &index).status().expect("git").success());
        }
        place(files, [None, None]);
        said(&self.repo(Some(&index)), true);
        fs::read(&files[0]).ok()
    }

    /// One push about to be made, of some commit to a branch that holds another one: what is said of it without any memo is
    /// said with every one.
    fn push(&mut self) {
        let count = [1, 1, 2, 3][self.dice.roll(4)];
        let updates: Vec<Update> = (0..count).map(|at| self.update(at)).collect();
        let side = if self.dice.roll(3) == 0 { Side::Here } else { Side::There };
        let refs = self.git(&["for-each-ref", "--format=%(objectname) %(refname)"]);
        let refs: Vec<(&str, &str)> = refs.lines().filter_map(|line| line.split_once(' ')).collect();
        // what is received is on no ref yet
        for (old, name) in updates[0]
            .old
            .iter()
            .filter(|_| matches!(side, Side::Here))
            .flat_map(|old| refs.iter().map(move |(_, name)| (old.to_string(), *name)))
        {
            self.git(&["update-ref", name, &old]);
        }
        self.push_of(side, &updates);
        for (id, name) in refs {
            self.git(&["update-ref", name, id]);
        }
    }

    /// Some commit for a branch that holds another one, or for a new one.
    fn update(&mut self, at: usize) -> Update {
        let some = self.git(&["rev-list", "--all", "--max-count=12"]);
        let new = self.dice.pick(&some.lines().collect::<Vec<_>>()).to_owned();
        let before = self.git(&["rev-list", "--max-count=3", &new]);
        let from = if self.dice.roll(8) == 0 { &some } else { &before };
        let old = self.dice.pick(&from.lines().collect::<Vec<_>>()).to_owned();
        let [new, old] = [new, old].map(|hex| oid(&hex));
        let name = [["refs/heads/main", "refs/heads/topic"], ["refs/heads/a", "refs/tags/b"], ["refs/heads/c"; 2]][at];
        let old = Some(old).filter(|_| at == 0 || self.dice.roll(3) > 0);
        Update { name: self.dice.pick(&name).into(), new: Some(new), old }
    }

    fn push_of(&mut self, side: Side, updates: &[Update]) {
        let files = self.memo_files();
        let stood = files.each_ref().map(|file| fs::read(file).ok());
        place(&files, [None, None]);
        let whole = self.without_anchors(|world| pushed_to(&world.repo_with_git(), side, updates));
        let kept: Vec<Memos<'_>> = self.memos.iter().map(|bytes| [Some(&**bytes), None]).collect();
        let (mut told, now) = (self.told, [stood[0].as_deref(), stood[1].as_deref()]);
        for memos in kept.into_iter().chain([now]) {
            place(&files, memos);
            let with = pushed_to(&self.repo_with_git(), side, updates);
            assert_eq!(with.said, whole.said, "{side:?} {updates:?}");
            told.pushed += 1;
            told.brief += usize::from(with.brief);
            told.several += usize::from(with.brief && updates.len() > 1);
            told.received += usize::from(with.brief && matches!(side, Side::Here));
            told.loud_pushes += usize::from(with.brief && with.loud);
        }
        self.told = told;
        place(&files, now);
    }

    fn keep(&mut self, memo: Vec<u8>) {
        if memo.is_empty() {
            // one that was cut, and that a hook which failed did not replace
            return;
        }
        self.memos.push(memo);
        if self.memos.len() > 4 {
            self.memos.remove(0);
        }
    }

    /// Whether the memo of just now is enough, and speaks.
    fn count(&mut self, index: Option<&Path>, left: Option<&[u8]>, place: &dyn Fn(Memos<'_>)) {
        place([left, None]);
        let repo = self.repo(index);
        let compared = snapshot::compare(&repo).expect("an answer");
        if compared.iter().any(|one| !one.staged.changes.is_empty())
            && let Some(report) = concerned::report(&repo, &compared, options(), commit(true))
        {
            self.told.enough += 1;
            self.told.merged += usize::from(compared.len() > 1);
            self.told.loud += usize::from(!report.is_silent());
        }
    }

    /// A memo that was cut, and one that is rotten.
    fn damaged(&mut self) -> Vec<Vec<u8>> {
        let Some(bytes) = self.memos.last().cloned() else { return Vec::new() };
        let at = self.dice.roll(bytes.len());
        let mut rotten = bytes.clone();
        rotten[at] ^= 0x55;
        vec![bytes[..at].to_vec(), rotten]
    }

    /// Somebody scans, in whatever state the working tree is. What earlier scans left of their anchors changes no answer.
    fn scan(&mut self) {
        let scan = || {
            let mut command = self.scratch.yatsu_command(&["scan", "--format", "json"]);
            Said::of(command.current_dir(&self.top).output().expect("it runs")).out
        };
        let anchors = memo::anchors_file(&self.repo(None).common_dir);
        let knowing = scan();
        if let Ok(kept) = fs::read(&anchors) {
            fs::remove_file(&anchors).expect("a file");
            assert_eq!(scan(), knowing);
            fs::write(&anchors, kept).expect("a file");
        }
        if let Ok(bytes) = fs::read(&self.memo_files()[0]) {
            self.keep(bytes);
        }
    }

    /// Directories lie on disk as they did, and the index names less in them.
    fn forget_some(&mut self) {
        let dir = self.dice.pick(&DIRS);
        let _ = self.try_git(&["rm", "-q", "-r", "--cached", "--ignore-unmatch", dir]);
    }

    /// Somebody scans again, in whatever state the working tree is: what an earlier scan parsed changes no answer, that of
    /// just now, of long ago, of the other work tree, or what is left of it on a bad disk. The clock of these scans is
    /// ahead, so that every file seems to be old enough.
    fn scan_again(&mut self) {
        self.moment += 1;
        settle(&self.top, self.moment);
        let file = memo::parsed_file(&self.repo_with_git().git_dir);
        let said = |stood: Option<&[u8]>| {
            place(&[file.clone(), file.clone()], [stood, None]);
            (scanned(&self.repo_with_git()), fs::read(&file).ok())
        };
        let stood = fs::read(&file).ok();
        let (expected, left) = said(None);
        let mut memos = self.parsed.clone();
        memos.extend(stood.iter().chain(&left).cloned());
        memos.extend(memos.last().map(|bytes| bytes[..bytes.len() / 2].to_vec()));
        for memo in &memos {
            assert_eq!(said(Some(memo)).0, expected, "{}", self.git(&["status", "--short"]));
        }
        self.told.scanned += memos.len();
        self.told.remembered += usize::from(left.is_some());
        self.parsed.extend(left);
        let many = self.parsed.len().saturating_sub(3);
        self.parsed.drain(..many);
    }

    /// One step of work with a commit at its end, or without one.
    fn round(&mut self) {
        for _ in 0..1 + self.dice.roll(3) {
            self.edit();
        }
        if self.dice.roll(3) == 0 {
            self.scan_again();
            if self.dice.roll(2) == 0 {
                self.forget_some();
                self.scan_again();
            }
        }
        match self.dice.roll(10) {
            0 => return self.commit_partly(),
            1 => {
                self.git(&["add", "-A"]);
                self.hook(None);
                self.git(&["commit", "-q", "--no-verify", "--amend", "--allow-empty", "-m", "amended"]);
                return;
            }
            2 => return self.scan(),
            _ => self.git(&["add", "-A"]),
        };
        if self.dice.roll(4) == 0 {
            self.edit();
        }
        self.hook(None);
        match self.dice.roll(8) {
            0 => {
                // given up; the work stays
            }
            1 => drop(self.git(&["reset", "-q", "--hard"])),
            _ => drop(self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "x"])),
        }
    }

    /// `git commit -- PATH`: the index that the hook sees holds HEAD and that path.
    fn commit_partly(&mut self) {
        self.git(&["add", "-A"]);
        let staged = self.git(&["diff", "--cached", "--name-only", "--no-renames"]);
        let Some(path) = staged.lines().next().filter(|path| !path.starts_with('"')) else { return };
        let index = self.scratch.base.join("partial-index");
        let top = self.top.to_str().expect("UTF-8").to_owned();
        for args in [&["read-tree", "HEAD"][..], &["add", "-A", "--", path]] {
            let mut command = self.scratch.git_command(&[&["-C", &top], args].concat());
            assert!(command.env("GIT_INDEX_FILE", &index).status().expect("git").success());
        }
        self.hook(Some(&index));
        self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "partly", "--", path]);
    }

    /// HEAD goes elsewhere.
    fn travel(&mut self) {
        self.git(&["add", "-A"]);
        self.git(&["reset", "-q", "--hard"]);
        match self.dice.roll(9) {
            0 | 1 => {
                let side = format!("side{}", self.dice.roll(9));
                let back = self.dice.pick(&["HEAD", "HEAD~1", "HEAD~2"]);
                let _ = self.try_git(&["checkout", "-q", "-f", "-B", &side, back]);
            }
            2 => {
                let side = format!("side{}", self.dice.roll(9));
                let _ = self.try_git(&["checkout", "-q", "-f", &side]);
            }
            3 => {
                if self.try_git(&["rebase", "-q", "main"]).code != 0 {
                    self.git(&["rebase", "--abort"]);
                }
            }
            4 => self.work_elsewhere(),
            5..=7 => self.merge(),
            _ => {
                let _ = self.try_git(&["reset", "-q", "--hard", "HEAD~1"]);
                self.git(&["reflog", "expire", "--expire=now", "--all"]);
                self.git(&["prune", "--expire=now"]);
            }
        }
    }

    /// A merge of another branch, clean or with what stands in conflict taken as it is.
    fn merge(&mut self) {
        let some = self.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/"]);
        let other = self.dice.pick(&some.lines().collect::<Vec<_>>()).to_owned();
        let _ = self.try_git(&["merge", "-q", "--no-commit", "--no-ff", &other]);
        if self.dice.roll(3) == 0 {
            self.edit();
        }
        self.git(&["add", "-A"]);
        self.hook(None);
        self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "merged"]);
    }

    /// In the other work tree, which is made once.
    fn work_elsewhere(&mut self) {
        let other = self.scratch.base.join("other");
        if self.top == other {
            self.top = self.scratch.root.clone();
            return;
        }
        if !other.exists() {
            self.git(&["worktree", "add", "-q", "--detach", other.to_str().expect("UTF-8")]);
        }
        self.top = other;
    }
}

/// The line that withdraws the reading of this line.
fn withdrawal(line: &str, name: &str) -> String {
    let ts = line.split("\"ts\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a time");
    format!("{{\"retracts\":\"{ts}\",\"scenario\":\"{name}\",\"ts\":\"{ts}\"}}\n")
}

/// Leaves these memos in those files, and no other.
fn place(files: &[PathBuf; 2], memos: Memos<'_>) {
    // in the main work tree they are one
    let count = if files[0] == files[1] { 1 } else { 2 };
    for (file, bytes) in files.iter().zip(memos).take(count) {
        let _ = fs::remove_file(file);
        if let Some(bytes) = bytes {
            fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
            fs::write(file, bytes).expect("a memo");
        }
    }
}

fn run(seed: u64) -> Told {
    let mut world = World::new(seed);
    if seed.is_multiple_of(3) {
        world.scan();
    }
    for _ in 0..10 {
        world.round();
        world.push();
        if world.dice.roll(3) == 0 {
            world.travel();
        }
    }
    world.told
}

/// [`crate::support::seeds`] says which.
#[test]
fn answers_are_the_same_with_every_memo() {
    let seeds = crate::support::seeds(24, 3000);
    let mut sum = Told::default();
    for seed in &seeds {
        println!("YATSU_SEED={seed}");
        sum = sum.and(run(*seed));
    }
    println!("{sum:?}");
    if seeds.len() >= 24 {
        assert!(
            sum.enough * 10 > sum.judged * 3 && sum.loud * 15 > sum.judged && sum.left * 10 > sum.judged * 8,
            "{sum:?}"
        );
        assert!(sum.brief * 40 > sum.pushed && sum.several > 0 && sum.received > 0, "{sum:?}");
        assert!(sum.scanned > 0 && sum.remembered > 0, "{sum:?}");
    }
}
