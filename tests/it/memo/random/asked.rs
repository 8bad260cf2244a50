//! Commits and scans with every memo and with none.

use super::super::said::{commit, said, scanned};
use super::super::versions::{self, Beside};
use super::super::{hook_options, settle};
use super::edits::{CODE, DIRS, PLAIN};
use super::{Memos, World, place};
use crate::support::{Said, oid};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use yatsu_hook::app::doors::fast_commit;
use yatsu_hook::app::judge::snapshot;
use yatsu_hook::app::memo;

impl World {
    /// The answer without what scans learned about anchors.
    pub(super) fn without_anchors<T>(&self, say: impl FnOnce(&Self) -> T) -> T {
        let file = memo::anchors_file(&self.repo(None).common_dir);
        let stood = fs::read(&file).ok();
        place(&[file.clone(), file.clone()], [None, None]);
        let told = say(self);
        place(&[file.clone(), file], [stood.as_deref(), None]);
        told
    }

    /// An imminent commit: the answer must be the same without any memo and with every memo.
    pub(super) fn hook(&mut self, index: Option<&Path>) {
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
        // in a linked work tree its own memo comes first
        choices.extend(left.iter().zip(old.last()).map(|(left, old)| [Some(&**old), Some(&**left)]));
        for memos in choices {
            place(memos);
            let with = said(&self.repo(index), true);
            assert_eq!(with, expected, "{}", self.git(&["diff", "--cached", "--stat"]));
            self.told.compared += 1;
            // the memo that the hook wrote in its place is as good as any
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

    /// The memo of a commit that changes a file of HEAD and adds none. It does not know for any node whether a file
    /// appeared.
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

    /// Counts whether the newest memo is enough, and has findings.
    fn count(&mut self, index: Option<&Path>, left: Option<&[u8]>, place: &dyn Fn(Memos<'_>)) {
        place([left, None]);
        let repo = self.repo(index);
        let compared = snapshot::compare(&repo).expect("an answer");
        if compared.iter().any(|one| !one.staged.changes.is_empty())
            && let Some(report) = fast_commit::report(&repo, &compared, hook_options(), commit(true))
        {
            self.told.enough += 1;
            self.told.merged += usize::from(compared.len() > 1);
            self.told.loud += usize::from(!report.is_silent());
        }
    }

    /// Two damaged memos, a truncated one and a corrupt one.
    fn damaged(&mut self) -> Vec<Vec<u8>> {
        let Some(bytes) = self.memos.last().cloned() else { return Vec::new() };
        let at = self.dice.roll(bytes.len());
        let mut rotten = bytes.clone();
        rotten[at] ^= 0x55;
        vec![bytes[..at].to_vec(), rotten]
    }

    pub(super) fn keep(&mut self, memo: Vec<u8>) {
        if memo.is_empty() {
            // a truncated memo that a failed hook did not replace
            return;
        }
        self.memos.push(memo);
        if self.memos.len() > 4 {
            self.memos.remove(0);
        }
    }

    /// A scan, with the working tree in any state. The memo of earlier anchors must not change the answer.
    pub(super) fn scan(&mut self) {
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

    /// Another scan, with the working tree in any state. The memo of parsed files must not change the answer: a new one,
    /// an old one, one of the other work tree, or one from a bad disk. The clock of these scans is ahead, so that every
    /// file seems old enough.
    pub(super) fn scan_again(&mut self) {
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

    /// A question about one node, with the working tree in any state. It must be answered as a question about all nodes.
    pub(super) fn ask(&mut self) {
        let dir = self.dice.pick(&DIRS);
        let listed = |words: &[&str]| {
            let mut command = self.scratch.yatsu_command(&[&["ls", "--format", "json"], words].concat());
            Said::of(command.current_dir(&self.top).output().expect("it runs"))
        };
        let rows = |said: &Said| -> Vec<Value> {
            let told: Value = serde_json::from_str(&said.out).expect("JSON");
            told["scenarios"].as_array().expect("a list").clone()
        };
        let (all, one) = (listed(&[]), listed(&[dir]));
        if all.code != 0 || one.code != 0 {
            // no node is there
            assert!(all.code == one.code || one.code == 2, "{} {}", all.err, one.err);
            return;
        }
        let of_node: Vec<Value> = rows(&all).into_iter().filter(|row| row["path"] == dir).collect();
        assert_eq!(rows(&one), of_node, "{}", self.git(&["status", "--short"]));
        self.told.asked += of_node.len();
    }
}
