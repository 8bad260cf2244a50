//! Rounds of work: commits of all sorts, and checkouts.

use super::World;
use super::edits::DIRS;

impl World {
    /// One step of work, with a commit at its end or without.
    pub(super) fn round(&mut self) {
        for _ in 0..1 + self.dice.roll(3) {
            self.edit();
        }
        if self.dice.roll(3) == 0 {
            self.scan_again();
            self.ask();
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
                // abandoned; the work stays
            }
            1 => drop(self.git(&["reset", "-q", "--hard"])),
            _ => drop(self.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "x"])),
        }
    }

    /// Directories stay on disk, and the index loses entries in them.
    fn forget_some(&mut self) {
        let dir = self.dice.pick(&DIRS);
        let _ = self.try_git(&["rm", "-q", "-r", "--cached", "--ignore-unmatch", dir]);
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

    /// Checks out another commit.
    pub(super) fn travel(&mut self) {
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

    /// A merge of another branch, clean or with the conflict markers kept.
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

    /// A round in the other work tree, which is created once.
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
