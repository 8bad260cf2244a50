use super::*;
use crate::error::Error;

fn id(digit: u8) -> Oid {
    Oid::from_hex(digit.to_string().repeat(40).as_bytes()).unwrap()
}

/// A version by a digit; 0 is absent.
fn version(digit: u8) -> Stamped {
    if digit == 0 { Stamped::Absent } else { Stamped::File(id(digit)) }
}

fn map(entries: &[(&str, u8, u8)]) -> ContentMap {
    entries.iter().map(|(path, base, tip)| (RepoPath::from_git(*path), [version(*base), version(*tip)])).collect()
}

/// The misfits of approved content in a change, where the paths of `tip` have these versions at its tip.
fn misfits(approved: &[(&str, u8, u8)], change: &[(&str, u8, u8)], tip: &[(&str, u8)]) -> Vec<(String, &'static str)> {
    let at_tip = |path: &RepoPath| {
        let found = tip.iter().find(|(name, _)| *path.as_bstr() == **name);
        found.map(|(_, digit)| version(*digit)).ok_or_else(|| Error::fault("not expected to be read"))
    };
    match fit(&map(approved), &[map(change)], &at_tip).unwrap() {
        Fit::Whole => Vec::new(),
        Fit::Apart { files, .. } => files.into_iter().map(|file| (file.path.to_string(), file.why.as_str())).collect(),
    }
}

#[test]
fn every_differing_path_needs_both_of_its_versions_and_every_other_approved_path_its_place_at_the_tip() {
    let approved = [("a", 1, 2), ("b", 0, 3)];
    let told = |change: &[(&str, u8, u8)], tip: &[(&str, u8)]| {
        misfits(&approved, change, tip)
            .iter()
            .map(|(path, why)| format!("{path}: {why}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(told(&approved, &[]), "");
    assert_eq!(told(&[("a", 1, 2)], &[("b", 3)]), "", "b has landed");
    assert_eq!(told(&[("a", 1, 2)], &[("b", 0)]), "b: gone");
    assert_eq!(told(&[("a", 1, 4), ("b", 0, 3)], &[]), "a: changed");
    assert_eq!(told(&[("a", 5, 2), ("b", 0, 3)], &[]), "a: base changed");
    assert_eq!(told(&[("a", 5, 6), ("b", 0, 3)], &[]), "a: base changed", "main and the branch both changed it");
    assert_eq!(told(&[("a", 1, 2)], &[("b", 7)]), "b: base changed", "main has a version of its own");
    assert_eq!(told(&[("a", 1, 2), ("b", 0, 3), ("c", 1, 0)], &[]), "c: not approved");
}

fn decision(kind: PatchDecisionKind, by: &str, second: i64) -> ContentDecision {
    ContentDecision {
        kind,
        ledger: RepoPath::from_git("l"),
        line: LineHash::of(by.as_bytes()),
        ts: Timestamp { millis: second },
        by: by.to_owned(),
        ends: [id(1), id(2)],
        content: ApprovedContent::Files(ContentMap::new()),
        authors: BTreeSet::new(),
    }
}

/// The status for these holding decisions, where `need` givers are needed.
fn status(need: usize, given: &[(PatchDecisionKind, &str)]) -> String {
    let all: Vec<ContentDecision> =
        given.iter().zip(0..).map(|((kind, by), second)| decision(*kind, by, second)).collect();
    let word = |by: &str| GivenWord { giver: Giver::of(by.split('/')), by: by.to_owned() };
    let holds = |decision: &'_ ContentDecision| Outcome::Holds(decision.by.split('+').map(word).collect());
    let holds = |decision| JudgedDecision { decision, outcome: holds(decision) };
    let answer = approval(need, &[map(&[("a", 1, 2)])], all.iter().map(holds).collect());
    format!("{} {}", answer.status.as_str(), answer.by.join(" "))
}

#[test]
fn the_last_word_of_each_giver_counts() {
    use PatchDecisionKind::{Approve, Reject};
    assert_eq!(status(1, &[]), "never ");
    assert_eq!(status(1, &[(Approve, "bob")]), "covered bob");
    assert_eq!(status(2, &[(Approve, "bob"), (Approve, "BOB ")]), "short BOB ");
    assert_eq!(status(2, &[(Approve, "bob"), (Approve, "cid")]), "covered bob cid");
    assert_eq!(status(2, &[(Approve, "bob"), (Approve, "cid"), (Approve, "bob/cid")]), "short bob/cid");
    assert_eq!(status(1, &[(Approve, "bob"), (Reject, "bob")]), "rejected bob");
    assert_eq!(status(1, &[(Reject, "bob"), (Approve, "bob")]), "covered bob");
    assert_eq!(status(1, &[(Approve, "cid"), (Reject, "bob"), (Approve, "cid")]), "rejected bob");
    assert_eq!(status(2, &[(Approve, "bob+cid")]), "covered bob cid", "two persons signed it");
    assert_eq!(
        status(1, &[(Reject, "bob+dee"), (Approve, "dee")]),
        "rejected bob",
        "a second signer takes no word over"
    );
}

#[test]
fn of_several_lost_approvals_the_nearest_and_then_the_latest_is_named() {
    let all = [
        decision(PatchDecisionKind::Approve, "far", 1),
        decision(PatchDecisionKind::Approve, "near", 2),
        decision(PatchDecisionKind::Approve, "later", 3),
        decision(PatchDecisionKind::Approve, "foreign", 4),
        decision(PatchDecisionKind::Reject, "rejected", 5),
    ];
    let files = |count: u8| {
        let file = |number| UnapprovedFile { path: RepoPath::from_git(format!("{number}")), why: Misfit::Changed };
        (0..count).map(file).collect::<Vec<_>>()
    };
    let apart = [(3, true), (1, true), (1, true), (0, false), (0, true)];
    let judged = all.iter().zip(apart).map(|(decision, (count, shares))| JudgedDecision {
        decision,
        outcome: Outcome::Apart { files: files(count), shares },
    });
    let answer = approval(1, &[map(&[("a", 1, 2)])], judged.collect());
    assert_eq!((answer.status, answer.by, answer.files), (ApprovalStatus::Lost, vec!["later".to_owned()], files(1)));
}
