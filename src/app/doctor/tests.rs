//! The parts that need no repository; the others are in `tests/it/install.rs`.

use super::*;
use crate::model::source::Position;
use std::rc::Rc;

struct OneAnswer(fn() -> Anchor);

impl History for OneAnswer {
    fn anchor(&self, _: &Oid) -> Result<Anchor> {
        Ok(self.0())
    }
}

struct Empty;

impl crate::model::tree::Tree for Empty {
    fn entry(&self, _: &crate::repo::path::RepoPath) -> Result<Option<crate::model::tree::Entry>> {
        Ok(None)
    }
    fn children(&self, _: &crate::repo::path::RepoPath) -> Result<Vec<(bstr::BString, crate::model::tree::Entry)>> {
        Ok(Vec::new())
    }
    fn files(
        &self,
        _: &crate::repo::path::RepoPath,
        _: &dyn Fn(&crate::repo::path::RepoPath) -> bool,
    ) -> Result<Vec<(crate::repo::path::RepoPath, crate::model::tree::Entry)>> {
        Ok(Vec::new())
    }
    fn size(&self, _: &crate::repo::path::RepoPath) -> Result<Option<u64>> {
        Ok(None)
    }
    fn read(&self, _: &crate::repo::path::RepoPath) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

fn judged(answer: fn() -> Anchor) -> Diagnosis {
    let commit = Oid::from_hex(&[b'a'; 40]).expect("an id");
    let reading = AnchoredReading { name: "board/renders".to_owned(), commit };
    anchors(&[reading], &OneAnswer(answer)).expect("judged").remove(0)
}

#[test]
fn each_way_to_lose_an_anchor_has_its_own_repair() {
    assert_eq!(judged(|| Anchor::Tree(Rc::new(Empty))).health, Health::Ok);
    let shallow = judged(|| Anchor::Missing(MissingAnchor::Shallow));
    assert_eq!(shallow.repair.as_deref(), Some("git fetch --unshallow"));
    assert!(judged(|| Anchor::Missing(MissingAnchor::Pruned)).what.contains("board/renders"));
    assert_eq!(judged(|| Anchor::NotACommit).health, Health::Bad);
}

#[test]
fn configuration_problems_are_repeated_with_their_line() {
    assert_eq!(configuration(&[])[0].health, Health::Ok);
    let problem = Problem {
        at: Position { line: 3, column: 1 },
        scenario: None,
        message: "m".to_owned(),
        help: "h".to_owned(),
        key: "k".to_owned(),
        advice: false,
    };
    let said = configuration(&[problem]);
    assert_eq!((said[0].what.as_str(), said[0].repair.as_deref()), ("spexcode.json:3: m", Some("h")));
}

#[test]
fn a_repository_of_another_owner_gets_the_line_that_trusts_it() {
    let error = crate::error::Error::unchecked("fatal: detected dubious ownership in repository at '/r'");
    let said = unreadable(Path::new("/a b"), &error);
    assert_eq!(said.repair.as_deref(), Some("git config --global --add safe.directory '/a b'"));
}

#[test]
fn an_evidence_directory_that_is_a_file_is_bad_and_a_missing_one_is_not() {
    let dir = tempfile::tempdir().expect("a directory");
    assert_eq!(evidence(dir.path()).health, Health::Ok);
    fs::create_dir(dir.path().join("spexcode")).expect("made");
    fs::write(dir.path().join("spexcode/yatsu-blobs"), "").expect("written");
    assert_eq!(evidence(dir.path()).health, Health::Bad);
}
