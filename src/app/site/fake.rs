//! A [`Site`] for tests of the recording commands, without git. Ledgers and evidence are real files in a temporary
//! directory; the work tree and the commits are trees in memory. A test makes a [`Fake`] and changes its fields, for
//! example `fake.bare = true`.

use super::*;
use crate::app::judge::branch::Touched;
use crate::model::governed::{Found, Governed};
use crate::model::ledger::{EvidenceHash, parse};
use crate::model::scenario::{ScenarioFile, Unread};
use crate::model::source::Position;
use crate::names::OLDER_LEDGER;
use crate::store::Store;
use crate::tree::memory::{MemoryHistory, MemoryTree};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(crate) struct Fake {
    /// Holds the git directory `git` and the work tree `work`.
    scratch: tempfile::TempDir,
    work: PathBuf,
    /// The content of the work tree, without the ledger.
    pub(crate) worktree: MemoryTree,
    /// The tree of every commit.
    pub(crate) committed: MemoryTree,
    pub(crate) head: Option<Oid>,
    pub(crate) bare: bool,
    /// Whether a merge left every path in conflict.
    pub(crate) unmerged: bool,
    /// The setting `yatsu.stampContent`.
    pub(crate) stamp_content: bool,
    /// The user's current directory.
    pub(crate) here: RepoPath,
    /// The directories of the nodes that the branch touched.
    pub(crate) touched: Vec<RepoPath>,
    /// The scenarios of the node `.spec/node`. A cell, so that a test can change them in a shared site.
    pub(crate) scenarios: RefCell<Vec<Scenario>>,
    began_segments: Cell<bool>,
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::parse(text.as_bytes()).unwrap()
}

/// A scenario that governs `src/a.rs`. Its text hash depends only on the length of `expected`.
pub(crate) fn scenario(name: &str, expected: &str) -> Scenario {
    let code = Governed { found: Found::Path, ..Governed::parse("src/a.rs", Position::default(), None) };
    Scenario {
        name: name.into(),
        description: "measure".into(),
        expected: expected.into(),
        tags: vec!["cli".into()],
        test: None,
        test_name: None,
        test_command: None,
        test_skips: false,
        code: vec![code],
        related: vec![],
        runs: None,
        env: vec![],
        at: Position::default(),
        text_hash: EvidenceHash([expected.len() as u8; 32]),
        unread: Unread::default(),
    }
}

impl Fake {
    /// A repository with the node `.spec/node`. Its one scenario `works` governs `src/a.rs`, and nothing differs from
    /// HEAD.
    pub(crate) fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(scratch.path().join("git")).unwrap();
        std::fs::create_dir_all(scratch.path().join("work/.spec/node")).unwrap();
        let tree = MemoryTree::of_files(&[("src/a.rs", "measured")]);
        let work = scratch.path().join("work");
        Self {
            scratch,
            work,
            worktree: tree.clone(),
            committed: tree,
            head: Oid::from_hex(&[b'a'; 40]),
            bare: false,
            unmerged: false,
            stamp_content: true,
            here: RepoPath::root(),
            touched: vec![],
            scenarios: RefCell::new(vec![scenario("works", "it works")]),
            began_segments: Cell::default(),
        }
    }

    pub(crate) fn store(&self) -> Store {
        Store::new(self.scratch.path().join("git"))
    }

    /// The path of the ledger, which does not exist before the first reading.
    pub(crate) fn file(&self) -> PathBuf {
        self.scratch.path().join("work/.spec/node/yatsu.evals.ndjson")
    }

    /// The bytes of the ledger; empty if it does not exist.
    pub(crate) fn ledger(&self) -> Vec<u8> {
        std::fs::read(self.file()).unwrap_or_default()
    }

    /// The number of files in the evidence directory: stored pieces and temporary files.
    pub(crate) fn stored(&self) -> usize {
        std::fs::read_dir(self.scratch.path().join("git/spexcode/yatsu-blobs")).map_or(0, Iterator::count)
    }
}

impl Site for Fake {
    fn work_dir(&self) -> Option<&Path> {
        (!self.bare).then_some(&*self.work)
    }

    fn head(&self) -> Result<Option<Oid>> {
        Ok(self.head)
    }

    fn worktree(&self) -> Result<Rc<dyn Tree>> {
        Ok(Rc::new(self.worktree.clone()))
    }

    fn is_submodule_edited(&self, _path: &RepoPath) -> Result<bool> {
        Ok(false)
    }

    fn commit(&self, _id: &Oid) -> Result<Rc<dyn Tree>> {
        Ok(Rc::new(self.committed.clone()))
    }

    fn date(&self, _id: &Oid) -> Result<Option<i64>> {
        Ok(Some(0))
    }

    fn newest_until(&self, tip: &Oid, _date: i64) -> Result<Option<Oid>> {
        Ok(Some(*tip))
    }

    fn anchors(&self) -> Anchors {
        Anchors::new(Rc::new(MemoryHistory::default()))
    }

    fn leave_units(&self, _: &UnitBook) {}

    fn revision(&self, _text: &str) -> Result<Oid> {
        self.head.ok_or_else(|| Error::usage("no such revision"))
    }

    fn is_unmerged(&self, _path: &RepoPath) -> Result<bool> {
        Ok(self.unmerged)
    }

    fn config(&self) -> Result<Config> {
        // not the default version 1, so that a test sees where the configured one is used
        let evaluators = BTreeMap::from([("manual".into(), "3".into())]);
        Ok(Config { evaluators, stamp_content: self.stamp_content, ..Config::default() })
    }

    fn has_remote(&self) -> Result<bool> {
        Ok(false)
    }

    fn held_by_git(&self) -> Result<IsHeld> {
        Ok(Box::new(|_| Ok(false)))
    }

    fn began_segments(&self) -> &Cell<bool> {
        &self.began_segments
    }

    fn nodes(&self) -> Result<Vec<Node>> {
        let dir = path(".spec/node");
        let file = ScenarioFile {
            path: dir.child(b"yatsu.md"),
            scenarios: self.scenarios.borrow().clone(),
            ..ScenarioFile::default()
        };
        let ledger = dir.child(OLDER_LEDGER.as_bytes());
        let ledgers = if self.file().exists() { vec![parse(&ledger, &self.ledger())] } else { vec![] };
        Ok(vec![Node { dir, id: "node".into(), file: Some(file), ledgers, ..Node::default() }])
    }

    fn outline(&self) -> Result<Vec<Node>> {
        let without_files = |node: Node| Node { file: None, ledgers: Vec::new(), ..node };
        Ok(self.nodes()?.into_iter().map(without_files).collect())
    }

    fn node(&self, dir: &RepoPath) -> Result<Option<Node>> {
        Ok(self.nodes()?.into_iter().find(|node| node.dir == *dir))
    }

    fn node_alone(&self, dir: &RepoPath) -> Result<Option<Node>> {
        self.node(dir)
    }

    fn worktree_now(&self) -> Result<Rc<dyn Tree>> {
        self.worktree()
    }

    fn reread(&self) -> Result<Vec<Node>> {
        self.nodes()
    }

    fn repo(&self) -> Result<&Repo> {
        Err(Error::unchecked("there is no repository here"))
    }

    fn here(&self) -> RepoPath {
        self.here.clone()
    }

    fn touched(&self) -> Result<Touched> {
        Ok(Touched { dirs: self.touched.clone(), since: "main".into() })
    }
}
