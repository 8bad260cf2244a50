//! `evidence-missing`: a new reading names evidence that the local cache does not hold.

use super::{Change, Door};
use crate::finding::{Finding, RuleId};
use crate::model::ledger::Event;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // a server or a CI runner never had any evidence and would report every piece as missing
    if change.door == Door::Commits && change.no_evidence {
        return;
    }
    for added in change.added.iter().filter(|added| !added.moved) {
        let Event::Reading(reading) = &added.line.event else { continue };
        for hash in reading.bytes().filter(|hash| change.absent_evidence.contains(hash)) {
            let message = format!("this evidence cache does not hold {hash}");
            let mut finding = added.finding(RuleId::EvidenceMissing, message);
            finding.scenario = Some(reading.scenario.clone());
            finding.help = format!(
                "fetch the bytes from where they are shared: yatsu-hook share get {hash}   (or bring the file: yatsu-hook evidence put FILE)",
            );
            finding.key = format!("{}|{hash}", reading.ts);
            finding.names = vec![hash.to_string()];
            found.push(finding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::case::{Case, LEDGER, hash, reading, with_evidence};

    fn filed() -> Case {
        Case::new().committed().with(LEDGER, with_evidence(&reading("pass", 1), "image", "a"))
    }

    #[test]
    fn bytes_that_are_not_here_are_named_where_their_reading_is_added() {
        let told = filed().told_with(RuleId::EvidenceMissing, |change| change.absent_evidence.extend([hash("a")]));
        insta::assert_snapshot!(told, @"
        .spec/n/yatsu.evals.ndjson:1:1: info[evidence-missing] n/works: this evidence cache does not hold aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
            help: fetch the bytes from where they are shared: yatsu-hook share get aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa   (or bring the file: yatsu-hook evidence put FILE)
        ");
    }

    #[test]
    fn bytes_that_are_here_are_fine_and_what_stood_there_is_not_looked_for() {
        assert_eq!(filed().told(RuleId::EvidenceMissing), "");
        let old = filed().committed();
        assert_eq!(old.told_with(RuleId::EvidenceMissing, |change| change.absent_evidence.extend([hash("a")])), "");
    }

    #[test]
    fn a_machine_without_any_evidence_does_not_miss_that_of_a_row_of_commits() {
        let told_at = |door| {
            filed().told_with(RuleId::EvidenceMissing, |change| {
                change.absent_evidence.extend([hash("a")]);
                (change.door, change.no_evidence) = (door, true);
            })
        };
        assert_eq!(told_at(Door::Commits), "");
        assert_ne!(told_at(Door::Commit), "", "whoever commits a reading may have the bytes elsewhere");
    }
}
