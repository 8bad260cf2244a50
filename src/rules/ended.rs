//! Explains findings that every base has and the view has not. A finding is *fixed* only if a measurement or a repair ended
//! it. Deleting a scenario, rewording it or withdrawing its reading is reported as exactly that. A finding that a malformed
//! file may hide is not mentioned, because it may still be there.

use super::Change;
use super::fail_withdrawn::withdrawal;
use crate::engine::facts::{Facts, Score};
use crate::finding::{Finding, Grounds, Origin, RuleId};
use crate::model::ids::{composed, same_name};
use crate::model::ledger::Reading;
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;
use bstr::{BStr, BString};
use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

/// The findings that ended, each with its cause. `before` holds the findings of all bases together, `now` those of the
/// view.
pub(super) fn ended(change: &Change<'_>, now: &[Finding], before: Vec<Finding>) -> Vec<Finding> {
    let known: HashSet<_> = now.iter().map(Finding::identity).collect();
    let mut seen = HashMap::new();
    for finding in &before {
        *seen.entry(finding.identity()).or_insert(0_usize) += 1;
    }
    // a finding that only one side of a merge had was not ended by the merge
    let is_gone = |finding: &&Finding| {
        let id = finding.identity();
        seen[&id] >= change.bases.len() && !known.contains(&id)
    };
    let mut once = HashSet::new();
    let gone = before.iter().filter(is_gone).filter(|finding| once.insert(finding.identity()));
    let hiding = Hiding::among(now);
    let redacted = LazyCell::new(|| Redacted::by(change));
    let end = |finding: &Finding| {
        let origin = if hiding.hides(finding) { None } else { end(change, now, finding) }?;
        let ended = Finding { origin: Some(origin), by_change: false, ..finding.clone() };
        Some(if redacted.may_be_quoted(finding) { without_words(ended) } else { ended })
    };
    gone.filter_map(end).collect()
}

/// The scenarios of the lines that a change redacts, by the directory of their node: names in NFC, `None` for a line of no
/// scenario.
struct Redacted<'c>(HashMap<&'c BStr, HashSet<Option<Cow<'c, str>>>>);

impl<'c> Redacted<'c> {
    fn by(change: &'c Change<'_>) -> Self {
        let mut nodes: HashMap<_, HashSet<_>> = HashMap::new();
        for (dir, line) in change.redacted() {
            nodes.entry(dir.as_bstr()).or_default().insert(line.event.scenario().map(composed));
        }
        Self(nodes)
    }

    /// Whether the finding of a base may repeat words of such a line: a line of its scenario or of no scenario, and any line
    /// of its node if it names no scenario.
    fn may_be_quoted(&self, finding: &Finding) -> bool {
        let lines = finding.node.as_ref().and_then(|node| self.0.get(BStr::new(&node.dir)));
        let is_own = |lines: &HashSet<_>| match &finding.scenario {
            Some(name) => lines.contains(&None) || lines.contains(&Some(composed(name))),
            None => true,
        };
        lines.is_some_and(is_own)
    }
}

/// The finding without everything that it may have from a ledger line. It names the scenario, which the redaction keeps.
fn without_words(finding: Finding) -> Finding {
    let message = "what it said is not repeated, because this change redacts a line that it rested on".to_owned();
    let help = String::new();
    Finding { message, help, since: None, drift: Vec::new(), undeclared: Vec::new(), overspent: None, ..finding }
}

/// The cause of the end. `None` if the cause is unknown or another finding of the view reports it.
fn end(change: &Change<'_>, now: &[Finding], finding: &Finding) -> Option<Origin> {
    let Some(node) = &finding.node else { return Some(Origin::Fixed) };
    let dir = RepoPath::from_git(node.dir.clone());
    let was = finding.scenario.as_ref().and_then(|name| {
        change.bases.iter().enumerate().find_map(|(base, facts)| Some((base, scored(facts, &dir, name)?)))
    });
    let Some((base, (was, score))) = was else {
        return Some(if change.view.workspace.node(&dir).is_some() { Origin::Fixed } else { Origin::Deleted });
    };
    let Some(is) = change.successor(base, was) else { return Some(Origin::Deleted) };
    let is_said_there = |other: &Finding| {
        let place = other.node.as_ref().is_some_and(|node| *is.node.dir.as_bstr() == node.dir);
        place && other.rule == finding.rule && other.scenario.as_deref() == Some(&is.scenario.name)
    };
    if is.node.dir != dir && now.iter().any(is_said_there) {
        return None;
    }
    let is_about_reading = matches!(
        finding.rule,
        RuleId::YatsuDrift | RuleId::YatsuFailing | RuleId::EvidenceKind | RuleId::BudgetExceeded
    );
    let (_, new_score) = scored(change.view, &is.node.dir, &is.scenario.name)?;
    let (of, new_score) = new_score.in_env(finding.env.as_deref());
    let (_, score) = score.in_env(finding.env.as_deref());
    // some runs, and too few to decide: `yatsu-missing` says so
    if is_about_reading && of.is_some_and(|of| of.partial().is_some()) {
        return None;
    }
    if !is_about_reading || new_score.reading.as_ref().is_some_and(|reading| !is_filed(was.node, reading)) {
        return Some(Origin::Fixed);
    }
    if score.at.as_ref().is_some_and(|at| withdrawal(is.node, was.node, at).is_some()) {
        return Some(Origin::Withdrawn);
    }
    if is_reworded(was.scenario, is.scenario) {
        return Some(Origin::Reworded);
    }
    // A fail that went stale is not mended: the new code was not measured.
    (finding.rule != RuleId::YatsuFailing || new_score.is_fresh()).then_some(Origin::Fixed)
}

/// The malformed files and entries that a change introduces, of which nothing can be told any more.
#[derive(Default)]
struct Hiding<'f> {
    /// The directories of nodes with a malformed scenario file.
    files: HashSet<&'f BString>,
    /// The malformed scenarios, by node and name in NFC.
    entries: HashSet<(&'f BString, Cow<'f, str>)>,
    /// The directories of nodes with a malformed ledger line.
    ledgers: HashSet<&'f BString>,
    /// The malformed run logs.
    logs: HashSet<&'f BString>,
    /// The files of unread selectors.
    selectors: HashSet<&'f BString>,
}

impl<'f> Hiding<'f> {
    fn among(now: &'f [Finding]) -> Self {
        let mut all = Self::default();
        for new in now.iter().filter(|new| new.origin == Some(Origin::Introduced)) {
            let (node, file) = (dir(new), new.location.as_ref().map(|place| &place.path));
            match new.rule {
                RuleId::YatsuSchema if new.grounds == Grounds::File => all.files.extend(node),
                RuleId::YatsuSchema if new.grounds == Grounds::Entry => all.entries.extend(node.zip(name(new))),
                RuleId::LedgerSchema => all.ledgers.extend(node),
                RuleId::RunlogSchema => all.logs.extend(file),
                RuleId::SelectorUnread => all.selectors.extend(file),
                _ => {}
            }
        }
        all
    }

    /// Whether `finding` may still be there.
    fn hides(&self, finding: &'f Finding) -> bool {
        let files = || finding.location.iter().map(|place| &place.path).chain(&finding.about);
        let in_node = |nodes: &HashSet<&BString>| dir(finding).is_some_and(|dir| nodes.contains(dir));
        let is_entry = || dir(finding).zip(name(finding)).is_some_and(|entry| self.entries.contains(&entry));
        let is_about_ledger = is_about_ledger(finding.rule);
        !is_about_ledger && (in_node(&self.files) || is_entry())
            || (is_about_ledger || finding.scenario.is_some()) && in_node(&self.ledgers)
            || files().any(|file| self.logs.contains(file))
            || finding.rule == RuleId::YatsuSchema && files().any(|file| self.selectors.contains(file))
    }
}

fn dir(finding: &Finding) -> Option<&BString> {
    finding.node.as_ref().map(|node| &node.dir)
}

fn name(finding: &Finding) -> Option<Cow<'_, str>> {
    finding.scenario.as_deref().map(composed)
}

/// Whether a rule judges ledger lines alone, independent of the scenario file.
fn is_about_ledger(rule: RuleId) -> bool {
    use RuleId::{KeyConflict, LedgerDuplicate, LedgerHistory, LedgerRedacted, LedgerSchema};
    matches!(rule, LedgerSchema | LedgerHistory | LedgerDuplicate | LedgerRedacted | KeyConflict)
}

/// The scenario of this name in the directory `dir` of `facts`.
fn scored<'f>(facts: &'f Facts, dir: &RepoPath, name: &str) -> Option<(Declared<'f>, &'f Score)> {
    let (node, scores) = facts.scored(dir)?;
    let (scenario, score) =
        node.scenarios().iter().zip(scores).find(|(scenario, _)| same_name(&scenario.name, name))?;
    Some((Declared { node, scenario }, score))
}

/// Whether the reading stands in a ledger of `node`.
fn is_filed(node: &Node, reading: &Reading) -> bool {
    node.readings().any(|filed| filed == reading)
}

fn is_reworded(was: &Scenario, is: &Scenario) -> bool {
    let list = |scenario: &Scenario| scenario.code.iter().map(|entry| entry.text.clone()).collect::<Vec<_>>();
    was.text_hash != is.text_hash || list(was) != list(is)
}
