//! `ledger-history`: filed lines stay filed.

use super::wording::{at_line, file, gone_with};
use super::{AddedLine, Change, EditedLine, HiddenLedger, LostFrom, LostLine, RefUpdates};
use crate::finding::{Finding, Level, NodeRef, RuleId};
use crate::model::ledger::LineHash;
use crate::names::{OLDER_LEDGER, OLDER_SCENARIOS};
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::cell::LazyCell;
use std::collections::HashSet;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let node = |dir: RepoPath| {
        let states = [change.view].into_iter().chain(change.bases);
        let id = states.filter_map(|state| state.workspace.node(&dir)).map(|node| node.id.clone()).next();
        NodeRef { dir: dir.to_bstring(), id: id.unwrap_or_default() }
    };
    // looked at for lost and edited lines alone, of which a change may have as many as redactions
    let redacted = LazyCell::new(|| change.redacted().iter().map(|(_, line)| &*line.bytes).collect::<HashSet<_>>());
    let of_lost = |lost: &LostLine| of_lost(lost, node(lost.line.dir.clone()), &quoted(&redacted, &lost.line.line));
    found.extend(change.lost.iter().map(of_lost));
    found.extend(change.hidden.iter().map(|one| of_hidden(one, node(one.ledger.parent().unwrap_or_default()))));
    let of_edited = |one: &EditedLine| {
        let dir = one.edited.ledger.parent().unwrap_or_default();
        of_edited(one, node(dir), &quoted(&redacted, &one.edited.filed))
    };
    found.extend(change.edited.iter().map(of_edited));
    found.extend(redactions(&change.added).filter(|_| !change.redact).map(refused));
}

pub(super) fn refs(refs: &RefUpdates, found: &mut Vec<Finding>) {
    let gone = |branch| gone_with(branch, RuleId::LedgerHistory, "ledger line", "its readings");
    found.extend(refs.deleted.iter().map(gone));
}

fn redactions(added: &[AddedLine]) -> impl Iterator<Item = &AddedLine> {
    added.iter().filter(|added| !added.moved && added.line.event.redacted().is_some())
}

/// A line of a base, as the end of a sentence. Not its words if it is among the `redacted` lines of the bases, also where no
/// redaction is taken.
fn quoted(redacted: &HashSet<&[u8]>, line: &[u8]) -> String {
    if redacted.contains(line) {
        return "; its words are not repeated, because this change redacts it".to_owned();
    }
    format!(": {}", echo(&String::from_utf8_lossy(line)))
}

fn of_lost(lost: &LostLine, node: NodeRef, quoted: &str) -> Finding {
    let LostLine { line: lost, from } = lost;
    let of = lost.scenario.as_ref().map_or(String::new(), |name| format!(" of {}", echo(name)));
    let what = if lost.belongs == lost.dir {
        "is gone or was edited".to_owned()
    } else {
        format!("is not in {}, where its scenario is now", lost.belongs)
    };
    let message = format!("a committed ledger line{of} {what}{}{quoted}", push(from));
    let mut finding = finding(message, node, from);
    finding.scenario = lost.scenario.clone();
    finding.location = file(&lost.ledger);
    finding.help = format!(
        "put it back: yatsu-hook repair --restore {}, then git add the ledger   (to withdraw a reading, retract it)",
        from.revision
    );
    finding.key = String::from_utf8_lossy(&lost.line).into_owned();
    finding
}

fn of_hidden(hidden: &HiddenLedger, node: NodeRef) -> Finding {
    let HiddenLedger { ledger, path, excluded, from } = hidden;
    let moved = if ledger == path { String::new() } else { format!(", which moved to {path},") };
    let key = if *excluded { "yatsu.exclude hides it" } else { "no entry of yatsu.roots holds it" };
    let message =
        format!("this ledger{moved} is out of sight{}: {key}, and its readings would count no more", push(from));
    let mut finding = finding(message, node, from);
    finding.location = file(ledger);
    let stay = if *excluded {
        "take it out of yatsu.exclude".to_owned()
    } else {
        format!("keep its directory in yatsu.roots, or name it {OLDER_LEDGER} and its scenario file {OLDER_SCENARIOS}")
    };
    finding.help = format!(
        "{stay}; to drop it, delete the node with its ledger in one push, and add the hidden files with the next push"
    );
    finding.key = format!("hidden|{ledger}");
    finding
}

fn of_edited(one: &EditedLine, node: NodeRef, quoted: &str) -> Finding {
    let EditedLine { edited, from } = one;
    let scenario = edited.line.event.scenario().unwrap_or_default();
    let message =
        format!("this line of {} is not the one that was filed at its time{}{quoted}", echo(scenario), push(from));
    let mut finding = finding(message, node, from);
    finding.scenario = Some(scenario.to_owned());
    finding.location = at_line(&edited.ledger, edited.line.number);
    finding.help = format!(
        "take it out: yatsu-hook repair --restore {}, then git add the ledger   (to withdraw a reading, retract it)",
        from.revision
    );
    finding.key = String::from_utf8_lossy(&edited.line.bytes).into_owned();
    finding
}

fn push(from: &LostFrom) -> &'static str {
    if from.rewritten { " (this push rewrites the branch)" } else { "" }
}

fn finding(message: String, node: NodeRef, from: &LostFrom) -> Finding {
    let mut finding = Finding::new(RuleId::LedgerHistory, message);
    finding.node = Some(node);
    finding.at_most = from.rewritten.then_some(Level::Warning);
    finding
}

fn refused(added: &AddedLine) -> Finding {
    let message = "a redaction is not taken here: yatsu.redact is refuse".to_owned();
    let mut finding = added.finding(RuleId::LedgerHistory, message);
    finding.help = "restore the line, and ask the owner of this gate; to withdraw a wrong reading, retract it".into();
    finding.key = format!("redaction|{}", LineHash::of(&added.line.bytes));
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::case::{CONFIG, Case, FILE, LEDGER, WORKS, reading, told_of};
    use crate::rules::{Deleted, of_refs};
    use crate::tree::path::RepoPath;

    fn two_readings() -> String {
        reading("fail", 1) + &reading("pass", 2)
    }

    #[test]
    fn a_line_that_is_gone_is_named_with_what_brings_it_back() {
        let measured = Case::new().with(LEDGER, two_readings()).committed();
        insta::assert_snapshot!(measured.with(LEDGER, reading("pass", 2)).told(RuleId::LedgerHistory), @r#"
        .spec/n/yatsu.evals.ndjson: error[ledger-history] n/works: a committed ledger line of works is gone or was edited: {"scenario":"works","codeSha":"1111111111111111111111111111111111111111","evalua…
            help: put it back: yatsu-hook repair --restore HEAD, then git add the ledger   (to withdraw a reading, retract it)
        "#);
    }

    #[test]
    fn a_branch_that_goes_with_its_readings_is_named() {
        let (name, commit, first) = ("refs/heads/release".into(), "1234567".into(), RepoPath::from_git(LEDGER));
        let deleted = vec![Deleted { name, commit, count: 1, first, sure: true }];
        let refs = RefUpdates { deleted, ..RefUpdates::default() };
        insta::assert_snapshot!(told_of(RuleId::LedgerHistory, of_refs(&refs)), @"
        .spec/n/yatsu.evals.ndjson: error[ledger-history]: deleting refs/heads/release loses 1 ledger line that no other protected branch holds
            help: keep it; to let it go on purpose, first bring its readings to a protected branch (git merge 1234567), or push them as NAME and list NAME in yatsu.protect of the default branch's spexcode.json; no tag and no other branch keeps them
        ");
    }

    #[test]
    fn a_hidden_ledger_names_the_key_that_hides_it() {
        let measured = Case::new().with(LEDGER, two_readings()).committed();
        let excluded = measured.clone().with(CONFIG, "{\"yatsu\":{\"exclude\":[\".spec/n\"]}}");
        insta::assert_snapshot!(excluded.told(RuleId::LedgerHistory), @"
        .spec/n/yatsu.evals.ndjson: error[ledger-history] n: this ledger is out of sight: yatsu.exclude hides it, and its readings would count no more
            help: take it out of yatsu.exclude; to drop it, delete the node with its ledger in one push, and add the hidden files with the next push
        ");
        let newer =
            Case::new().without(FILE).with(".spec/n/eval.md", WORKS).with(".spec/n/evals.ndjson", two_readings());
        let out = newer.committed().with(CONFIG, "{\"yatsu\":{\"roots\":[\"specs\"]}}");
        insta::assert_snapshot!(out.told(RuleId::LedgerHistory), @"
        .spec/n/evals.ndjson: error[ledger-history] n: this ledger is out of sight: no entry of yatsu.roots holds it, and its readings would count no more
            help: keep its directory in yatsu.roots, or name it yatsu.evals.ndjson and its scenario file yatsu.md; to drop it, delete the node with its ledger in one push, and add the hidden files with the next push
        ");
    }

    #[test]
    fn a_line_that_goes_elsewhere_with_other_bytes_is_named_where_it_stands() {
        let measured = Case::new().with(LEDGER, two_readings()).committed();
        let forged = measured.without(FILE).without(LEDGER).with(".spec/m/yatsu.md", WORKS.replace("measure", "try"));
        let forged = forged.with(".spec/m/yatsu.evals.ndjson", reading("pass", 1));
        insta::assert_snapshot!(forged.told(RuleId::LedgerHistory), @r#"
        .spec/m/yatsu.evals.ndjson:1:1: error[ledger-history] m/works: this line of works is not the one that was filed at its time: {"scenario":"works","codeSha":"1111111111111111111111111111111111111111","evalua…
            help: take it out: yatsu-hook repair --restore HEAD, then git add the ledger   (to withdraw a reading, retract it)
        "#);
    }

    #[test]
    fn a_line_that_is_added_is_fine() {
        let measured = Case::new().with(LEDGER, reading("fail", 1)).committed();
        assert_eq!(measured.with(LEDGER, two_readings()).told(RuleId::LedgerHistory), "");
    }
}
