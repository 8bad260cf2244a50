//! `ledger-history`: what was filed stays filed.

use super::wording::{file, gone_with, place};
use super::{Absence, AddedLine, Between, Change, InnerLoss, LostLine, RefUpdates, Returned};
use crate::engine::history::Lost;
use crate::finding::{Finding, Level, NodeRef, RuleId};
use crate::model::config::Config;
use crate::model::ledger::LineHash;
use crate::model::node::Node;
use crate::model::source::Position;
use crate::model::workspace;
use crate::text::escape::echo;
use crate::text::plural;
use crate::tree::path::RepoPath;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let bases = change.bases.iter().flat_map(|base| &base.workspace.nodes);
    let nodes: Vec<&Node> = change.view.workspace.nodes.iter().chain(bases).collect();
    let id = |dir: &RepoPath| nodes.iter().find(|node| node.dir == *dir).map(|node| node.id.clone());
    found.extend(change.lost.iter().map(|lost| finding(lost, id(&lost.line.dir), change.own)));
    found.extend(redactions(&change.added).filter(|_| !change.redact).map(refused));
}

pub(super) fn between(between: &Between, found: &mut Vec<Finding>) {
    found.extend(between.losses.iter().map(inner));
    found.extend(between.returned.iter().map(returned));
    let Some(shown) = &between.resurfaced else { return };
    let id = |dir: &RepoPath| shown.nodes.iter().find(|node| node.dir == *dir.as_bstr()).map(|node| node.id.clone());
    found.extend(shown.lost.iter().map(|lost| finding(lost, id(&lost.line.dir), &shown.own)));
    found.extend(redactions(&shown.added).filter(|_| !shown.redact).map(refused));
}

pub(super) fn refs(refs: &RefUpdates, found: &mut Vec<Finding>) {
    let gone = |branch| gone_with(branch, RuleId::LedgerHistory, "ledger line", "its readings");
    found.extend(refs.deleted.iter().map(gone));
}

/// The redactions that were made here.
fn redactions(added: &[AddedLine]) -> impl Iterator<Item = &AddedLine> {
    added.iter().filter(|added| !added.moved && added.line.event.redacted().is_some())
}

fn finding(lost: &LostLine, id: Option<String>, own: &Config) -> Finding {
    let LostLine { line: lost, how, from, rewritten } = lost;
    let of = lost.scenario.as_ref().map_or(String::new(), |name| format!(" of {}", echo(name)));
    let push = if *rewritten { " (this push rewrites the branch)" } else { "" };
    let line = String::from_utf8_lossy(&lost.line);
    let message = format!("a committed ledger line{of} {}{push}: {}", said(how, lost, own), echo(&line));
    let mut finding = Finding::new(RuleId::LedgerHistory, message);
    finding.node = Some(NodeRef { dir: lost.dir.to_bstring(), id: id.unwrap_or_default() });
    finding.scenario = lost.scenario.clone();
    finding.location = file(&lost.ledger);
    finding.help = help(how, from, own);
    finding.at_most = rewritten.then_some(Level::Warning);
    finding.key = line.into_owned();
    finding
}

/// A redaction where none is taken.
fn refused(added: &AddedLine) -> Finding {
    let message = "a redaction is not taken here: yatsu.redact is refuse".to_owned();
    let mut finding = Finding::new(RuleId::LedgerHistory, message);
    finding.node = Some(added.node.clone());
    finding.location = place(&added.ledger, Position { line: added.line.number, column: 1 });
    finding.help =
        "let the line stand as it was, and ask who keeps this gate; a reading that is wrong is retracted".into();
    finding.key = format!("redaction|{}", LineHash::of(&added.line.bytes));
    finding
}

/// Whether only the configuration that the change brings lets the ledger be seen: no change chooses its judge.
fn is_seen_next(ledger: &RepoPath, own: &Config) -> bool {
    workspace::is_ours(ledger, own)
}

fn said(how: &Absence, lost: &Lost, own: &Config) -> String {
    match how {
        Absence::OutOfSight(path) if is_seen_next(path, own) => {
            format!("lies in {path}, where what judges this change looks for no ledger")
        }
        Absence::OutOfSight(path) => format!("lies in {path}, where no ledger is looked for"),
        Absence::Gone if lost.belongs != lost.dir => format!("is not in {}, where its scenario is now", lost.belongs),
        Absence::Gone => "is gone or was edited".to_owned(),
    }
}

fn help(how: &Absence, from: &str, own: &Config) -> String {
    match how {
        Absence::OutOfSight(path) if is_seen_next(path, own) => {
            "push the change of spexcode.json first, and what it lets be seen with the next push; what it no longer lets \
             be seen stays in it until then"
                .to_owned()
        }
        Absence::OutOfSight(_) => {
            "name it yatsu.evals.ndjson and its scenario file yatsu.md, which count everywhere, or \
                                   move both below one of yatsu.roots"
                .to_owned()
        }
        Absence::Gone => format!(
            "put it back: yatsu-hook repair --restore {from}, then git add the ledger   (to withdraw a reading, \
             retract it)"
        ),
    }
}

/// A line that came back as another one.
fn returned(returned: &Returned) -> Finding {
    let Returned { ledger, line, scenario, filed } = returned;
    let filed = String::from_utf8_lossy(filed);
    let message =
        format!("this line of {} is not the one that was filed at its time: {}", echo(scenario), echo(&filed));
    let mut finding = Finding::new(RuleId::LedgerHistory, message);
    finding.scenario = Some(scenario.clone());
    finding.location = place(ledger, Position { line: line.number, column: 1 });
    finding.help = format!("bring it back as it was: git log --all -p -- ':(glob)**/{}' shows it", ledger.name());
    finding.key = String::from_utf8_lossy(&line.bytes).into_owned();
    finding
}

/// A loss between the start and the end of many commits, which no one can mend any more without rewriting them.
fn inner(loss: &InnerLoss) -> Finding {
    let lines = plural(loss.healed + loss.unfiled, "ledger line");
    let after = match (loss.healed, loss.unfiled) {
        (_, 0) => "they are back at the end".to_owned(),
        (0, _) => "they were filed in the same row of commits and are not there at its end".to_owned(),
        (healed, unfiled) => format!("{healed} are back at the end, {unfiled} were filed in the same row of commits"),
    };
    let mut finding = Finding::new(RuleId::LedgerHistory, format!("commit {} loses {lines}; {after}", loss.commit));
    finding.location = file(&loss.ledger);
    finding.help = "nothing has to be done; to withdraw a reading, retract it".into();
    finding.at_most = Some(Level::Info);
    finding.key = loss.commit.clone();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::case::{Case, LEDGER, reading, told_of};
    use crate::rules::{Deleted, of_between, of_refs};
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
    fn a_loss_between_commits_and_a_branch_that_goes_are_named() {
        let ledger = RepoPath::from_git(LEDGER);
        let loss = InnerLoss { ledger: ledger.clone(), commit: "1234567 tidy up".into(), healed: 2, unfiled: 0 };
        let between = Between { losses: vec![loss], ..Between::default() };
        insta::assert_snapshot!(told_of(RuleId::LedgerHistory, of_between(&between)), @"
        .spec/n/yatsu.evals.ndjson: info[ledger-history]: commit 1234567 tidy up loses 2 ledger lines; they are back at the end
            help: nothing has to be done; to withdraw a reading, retract it
        ");
        let (name, commit) = ("refs/heads/release".into(), "1234567".into());
        let refs = RefUpdates {
            deleted: vec![Deleted { name, commit, count: 1, first: ledger, sure: true }],
            ..RefUpdates::default()
        };
        insta::assert_snapshot!(told_of(RuleId::LedgerHistory, of_refs(&refs)), @"
        .spec/n/yatsu.evals.ndjson: error[ledger-history]: deleting refs/heads/release loses 1 ledger line that no other protected branch holds
            help: keep it; to let it go on purpose, first bring its readings to a protected branch (git merge 1234567), or push them as NAME and list NAME in yatsu.protect of the default branch's spexcode.json; no tag and no other branch keeps them
        ");
    }

    #[test]
    fn a_line_that_is_added_is_fine() {
        let measured = Case::new().with(LEDGER, reading("fail", 1)).committed();
        assert_eq!(measured.with(LEDGER, two_readings()).told(RuleId::LedgerHistory), "");
    }
}
