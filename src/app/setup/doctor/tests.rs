//! Tests without a repository; the others are in `tests/it/install/doctor.rs`.

use super::content::{AnchoredReading, anchors};
use super::*;
use crate::tree::oid::Oid;
use crate::tree::{Anchor, History, MissingAnchor};
use std::rc::Rc;

struct OneAnswer(fn() -> Anchor);

impl History for OneAnswer {
    fn anchor(&self, _: &Oid) -> Result<Anchor> {
        Ok(self.0())
    }
}

struct Empty;

impl crate::tree::Tree for Empty {
    fn entry(&self, _: &crate::tree::path::RepoPath) -> Result<Option<crate::tree::Entry>> {
        Ok(None)
    }
    fn children(&self, _: &crate::tree::path::RepoPath) -> Result<Vec<(bstr::BString, crate::tree::Entry)>> {
        Ok(Vec::new())
    }
    fn files(
        &self,
        _: &crate::tree::path::RepoPath,
        _: &dyn Fn(&crate::tree::path::RepoPath) -> bool,
    ) -> Result<Vec<(crate::tree::path::RepoPath, crate::tree::Entry)>> {
        Ok(Vec::new())
    }
    fn size(&self, _: &crate::tree::path::RepoPath) -> Result<Option<u64>> {
        Ok(None)
    }
    fn read(&self, _: &crate::tree::path::RepoPath) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

fn judged(answer: fn() -> Anchor, stamped: bool) -> Diagnosis {
    let commit = Oid::from_hex(&[b'a'; 40]).expect("an id");
    let reading = AnchoredReading { node: "board".to_owned(), scenario: "renders".to_owned(), commit, stamped };
    anchors(&[reading.clone(), reading], &OneAnswer(answer)).expect("judged").remove(0)
}

#[test]
fn each_way_to_lose_an_anchor_has_its_count_and_its_own_repair() {
    assert_eq!(judged(|| Anchor::Tree(Rc::new(Empty)), false).health, Health::Ok);
    let shallow = judged(|| Anchor::Missing(MissingAnchor::Shallow), false);
    assert!(shallow.repair.expect("a repair").starts_with("git fetch --unshallow"));
    let gone = judged(|| Anchor::Missing(MissingAnchor::Pruned), false);
    assert!(gone.what.contains("commit of 2 of 2 latest readings (such as board/renders at aaaa"), "{}", gone.what);
    assert_eq!(judged(|| Anchor::NotACommit, true).health, Health::Broken);
}

#[test]
fn a_stamped_reading_does_not_need_its_commit() {
    let said = judged(|| Anchor::Missing(MissingAnchor::Pruned), true);
    assert_eq!(said.health, Health::Ok);
    assert!(said.what.starts_with("every latest reading can be judged; 2 of 2 by what was recorded"), "{}", said.what);
}

#[test]
fn a_repository_of_another_owner_is_broken_and_any_other_failure_is_unknown() {
    let error = Error::unchecked("dubious").hint("git config --global --add safe.directory '/a b'");
    let said = could_not_look(&error);
    assert_eq!(said.repair.as_deref(), Some("git config --global --add safe.directory '/a b'"));
    assert_eq!(
        (verdict(&[said]), verdict(&[could_not_look(&Error::unchecked("x"))])),
        (Verdict::Fail, Verdict::Unchecked)
    );
    assert_eq!(verdict(&[advice("a", "b"), ok("c")]), Verdict::Pass);
}

#[test]
fn an_evidence_directory_that_is_a_file_is_bad_and_a_missing_one_is_not() {
    let dir = tempfile::tempdir().expect("a directory");
    assert_eq!(evidence(dir.path()), []);
    fs::create_dir(dir.path().join("spexcode")).expect("made");
    fs::write(dir.path().join("spexcode/yatsu-blobs"), "").expect("written");
    assert_eq!(evidence(dir.path()).iter().map(|one| one.health).collect::<Vec<_>>(), [Health::Broken]);
}

#[test]
fn windows_and_wsl_on_one_repository_are_advised_against() {
    assert_eq!(both_systems(false), None);
    let said = both_systems(true).expect("advice");
    assert_eq!(said.health, Health::Advice);
    assert!(said.what.contains("do not see each other's locks"), "{}", said.what);
}
