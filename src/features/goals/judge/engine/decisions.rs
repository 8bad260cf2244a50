//! The decisions about a node's goal: the standing claim of completion, a block, the current attempt. Decisions in filing
//! order in, answers out. Two hashes identify the subject of a decision: the contract's content and the readings that
//! counted.

use crate::engine::budget::FiledAt;
use crate::model::ledger::{EvidenceHash, GoalDecisionKind};
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecidedOn {
    pub contract: EvidenceHash,
    pub readings: EvidenceHash,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalDecision {
    pub kind: GoalDecisionKind,
    /// The time and place of its line.
    pub at: FiledAt,
    /// The contract and the readings that it decided on.
    pub on: DecidedOn,
    pub by: String,
    pub reason: Option<String>,
    pub score: Option<u8>,
}

/// The decisions about one goal, in filing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalDecisions(Vec<GoalDecision>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalAttempt {
    pub number: u32,
    /// The pivot or unblock that began it; `None` for the first attempt at a contract.
    pub since: Option<FiledAt>,
}

impl GoalDecisions {
    /// These decisions, each line once.
    pub fn new(mut decisions: Vec<GoalDecision>) -> Self {
        decisions.sort_by(|one, other| one.at.cmp(&other.at));
        Self(decisions)
    }

    /// The standing claim of completion: no later decision took it back.
    pub fn completion(&self) -> Option<&GoalDecision> {
        use GoalDecisionKind::{Block, Complete, Pivot, Rework};
        let last = self.0.iter().rev().find(|decision| matches!(decision.kind, Complete | Pivot | Rework | Block));
        last.filter(|decision| decision.kind == Complete)
    }

    /// Whether the claim of completion at this place stands: no later decision took it back.
    pub fn stands(&self, completion: &FiledAt) -> bool {
        use GoalDecisionKind::{Block, Pivot, Rework};
        let takes_back = |decision: &&GoalDecision| matches!(decision.kind, Pivot | Rework | Block);
        self.0.iter().filter(takes_back).all(|decision| decision.at < *completion)
    }

    /// The standing block, whatever happened to the contract since.
    pub fn block(&self) -> Option<&GoalDecision> {
        use GoalDecisionKind::{Block, Unblock};
        let last = self.0.iter().rev().find(|decision| matches!(decision.kind, Block | Unblock));
        last.filter(|decision| decision.kind == Block)
    }

    /// The current attempt at this contract: counts pivots since its last unblock. Decisions about other contracts belong
    /// to other goals. Several pivots about the same readings, for example from two clones, count once, because nothing was
    /// tried between them.
    pub fn attempt(&self, contract: &EvidenceHash) -> GoalAttempt {
        let mut attempt = GoalAttempt { number: 1, since: None };
        let mut turned_from = HashSet::new();
        for decision in self.0.iter().filter(|decision| decision.on.contract == *contract) {
            match decision.kind {
                GoalDecisionKind::Pivot if turned_from.insert(decision.on.readings) => {
                    attempt.number = attempt.number.saturating_add(1);
                }
                GoalDecisionKind::Unblock => {
                    turned_from.clear();
                    attempt.number = 1;
                }
                _ => continue,
            }
            attempt.since = Some(decision.at.clone());
        }
        attempt
    }

    /// The pivot about the same contract and readings since the last unblock of the contract.
    fn turned_from(&self, on: &DecidedOn) -> Option<&GoalDecision> {
        let of_contract = self.0.iter().rev().filter(|decision| decision.on.contract == on.contract);
        let mut since = of_contract.take_while(|decision| decision.kind != GoalDecisionKind::Unblock);
        since.find(|decision| decision.kind == GoalDecisionKind::Pivot && decision.on.readings == on.readings)
    }

    /// The last decision by time.
    pub fn last(&self) -> Option<&GoalDecision> {
        self.0.last()
    }

    /// Whether there were attempts at an earlier content of the contract. Changing the contract restarts the count.
    pub fn restarted(&self, contract: &EvidenceHash) -> bool {
        let counted = |decision: &&GoalDecision| {
            matches!(decision.kind, GoalDecisionKind::Pivot | GoalDecisionKind::Unblock | GoalDecisionKind::Rework)
        };
        let mut before = self.0.iter().filter(counted);
        before.any(|decision| decision.on.contract != *contract)
    }

    /// The latest review of each reviewer about this contract and these readings.
    pub fn reviews(&self, on: &DecidedOn) -> Vec<&GoalDecision> {
        let mut latest: Vec<&GoalDecision> = Vec::new();
        let about = |decision: &&GoalDecision| decision.kind == GoalDecisionKind::Review && decision.on == *on;
        for review in self.0.iter().filter(about) {
            latest.retain(|before| before.by != review.by);
            latest.push(review);
        }
        latest
    }

    /// The decision that `new` only repeats: the last decision on the same question, if it has the same kind, subject and
    /// score. Each reviewer's review is a question of its own; all other decisions answer what becomes of the goal. A pivot
    /// repeats any pivot about the same readings, whatever was decided since.
    pub fn repeated(&self, new: &GoalDecision) -> Option<&GoalDecision> {
        if new.kind == GoalDecisionKind::Pivot {
            return self.turned_from(&new.on);
        }
        let is_review = new.kind == GoalDecisionKind::Review;
        let same_question = |before: &&GoalDecision| match before.kind {
            GoalDecisionKind::Review => is_review && before.by == new.by,
            _ => !is_review,
        };
        let last = self.0.iter().rev().find(same_question)?;
        let same = last.kind == new.kind && last.on == new.on && last.score == new.score;
        same.then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ledger::Timestamp;
    use crate::tree::path::RepoPath;
    use GoalDecisionKind::{Block, Complete, Pivot, Review, Rework, Unblock};

    fn hash(digit: u8) -> EvidenceHash {
        EvidenceHash([digit; 32])
    }

    fn at(second: u32) -> FiledAt {
        let ts = Timestamp::parse(&format!("2026-01-01T00:00:{second:02}.000Z")).expect("a time");
        FiledAt { ts, ledger: RepoPath::from_git("l"), line: second }
    }

    fn decision(kind: GoalDecisionKind, second: u32) -> GoalDecision {
        let on = DecidedOn { contract: hash(1), readings: hash(9) };
        GoalDecision { kind, at: at(second), on, by: "a".into(), reason: None, score: None }
    }

    fn of(contract: u8, decision: GoalDecision) -> GoalDecision {
        GoalDecision { on: DecidedOn { contract: hash(contract), ..decision.on }, ..decision }
    }

    /// These decisions, a second apart, all about the same contract and readings.
    fn log(kinds: &[GoalDecisionKind]) -> GoalDecisions {
        GoalDecisions::new(kinds.iter().zip(1..).map(|(kind, second)| decision(*kind, second)).collect())
    }

    /// The same, each about other readings.
    fn measured_between(kinds: &[GoalDecisionKind]) -> GoalDecisions {
        let about = |(kind, second): (&GoalDecisionKind, u8)| {
            let decision = decision(*kind, u32::from(second));
            GoalDecision { on: DecidedOn { readings: hash(100 + second), ..decision.on }, ..decision }
        };
        GoalDecisions::new(kinds.iter().zip(1..).map(about).collect())
    }

    #[test]
    fn a_completion_stands_until_a_pivot_a_rework_or_a_block_takes_it_back() {
        assert!(log(&[Complete]).completion().is_some());
        assert!(log(&[Complete, Review, Unblock]).completion().is_some());
        for taken in [Pivot, Rework, Block] {
            assert!(log(&[Complete, taken]).completion().is_none(), "{taken:?}");
            assert!(log(&[taken, Complete]).completion().is_some(), "{taken:?}");
            assert!(log(&[taken, Complete]).stands(&at(2)) && !log(&[Complete, taken]).stands(&at(1)));
        }
        assert!(log(&[]).completion().is_none());
    }

    #[test]
    fn a_block_stands_until_an_unblock_also_over_a_changed_contract() {
        assert!(log(&[Block, Rework, Review]).block().is_some());
        assert!(log(&[Block, Unblock]).block().is_none());
        assert!(log(&[Block, Unblock, Block]).block().is_some());
        let other = GoalDecisions::new(vec![of(2, decision(Block, 1))]);
        assert!(other.block().is_some(), "whatever the contract says now");
    }

    #[test]
    fn attempts_are_one_and_the_pivots_since_the_last_unblock() {
        let number = |kinds: &[GoalDecisionKind]| measured_between(kinds).attempt(&hash(1)).number;
        assert_eq!(number(&[]), 1);
        assert_eq!(number(&[Pivot, Pivot]), 3);
        assert_eq!(number(&[Pivot, Pivot, Unblock]), 1);
        assert_eq!(number(&[Pivot, Unblock, Pivot]), 2);
        assert_eq!(log(&[Pivot, Unblock]).attempt(&hash(1)).since, Some(at(2)));
        assert_eq!(log(&[Rework]).attempt(&hash(1)).since, None);
    }

    #[test]
    fn two_pivots_about_the_same_readings_are_one_attempt_wherever_they_were_decided() {
        let number = |kinds: &[GoalDecisionKind]| log(kinds).attempt(&hash(1)).number;
        assert_eq!(number(&[Pivot, Pivot]), 2);
        assert_eq!(number(&[Pivot, Rework, Review, Pivot]), 2);
        assert_eq!(number(&[Pivot, Unblock, Pivot]), 2, "an unblock begins anew");
        assert_eq!(log(&[Pivot, Pivot]).attempt(&hash(1)).since, Some(at(1)), "the first of them began it");
        assert!(log(&[Pivot, Rework]).repeated(&decision(Pivot, 40)).is_some());
        assert!(log(&[Pivot, Block, Unblock]).repeated(&decision(Pivot, 40)).is_none());
    }

    #[test]
    fn five_reworks_are_still_the_first_attempt() {
        assert_eq!(log(&[Rework; 5]).attempt(&hash(1)).number, 1);
    }

    #[test]
    fn a_contract_that_was_changed_and_changed_back_has_its_old_count() {
        let log = GoalDecisions::new(vec![decision(Pivot, 1), of(2, decision(Pivot, 2)), of(2, decision(Unblock, 3))]);
        assert_eq!(log.attempt(&hash(1)).number, 2, "another content's unblock is another goal's");
        assert_eq!(log.attempt(&hash(2)).number, 1);
        assert_eq!(log.attempt(&hash(3)).number, 1);
        assert!(log.restarted(&hash(3)) && log.restarted(&hash(1)));
        assert!(!GoalDecisions::new(vec![decision(Pivot, 1)]).restarted(&hash(1)));
    }

    #[test]
    fn time_decides_in_which_order_they_were_filed_and_not_the_line() {
        let log = GoalDecisions::new(vec![decision(Rework, 5), decision(Complete, 2)]);
        assert!(log.completion().is_none());
    }

    #[test]
    fn the_same_decision_about_the_same_two_is_one_until_something_else_was_decided() {
        let repeated = |kinds: &[GoalDecisionKind], new| log(kinds).repeated(&decision(new, 40)).is_some();
        assert!(repeated(&[Pivot], Pivot));
        assert!(repeated(&[Complete, Review], Complete));
        assert!(!repeated(&[Complete, Rework], Complete), "it was taken back");
        assert!(!repeated(&[Block, Unblock], Block));
        let elsewhere = |new| log(&[Pivot]).repeated(&new).is_some();
        assert!(!elsewhere(of(2, decision(Pivot, 40))), "another contract");
        let mut newer = decision(Pivot, 40);
        newer.on.readings = hash(8);
        assert!(!elsewhere(newer), "a new reading");
    }

    #[test]
    fn the_latest_review_of_each_reviewer_about_the_same_two_counts() {
        let review =
            |by: &str, score, second| GoalDecision { by: by.into(), score: Some(score), ..decision(Review, second) };
        let old = GoalDecision { on: DecidedOn { readings: hash(8), ..decision(Review, 1).on }, ..review("c", 10, 1) };
        let log = GoalDecisions::new(vec![old, review("a", 40, 2), review("b", 90, 3), review("a", 70, 4)]);
        let scores: Vec<_> = log.reviews(&decision(Review, 9).on).iter().filter_map(|review| review.score).collect();
        assert_eq!(scores, [90, 70]);
        assert!(log.repeated(&review("a", 70, 9)).is_some() && log.repeated(&review("a", 71, 9)).is_none());
    }
}
