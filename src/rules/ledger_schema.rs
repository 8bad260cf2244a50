//! `ledger-schema`: every ledger line is one whole event, and an added line meets further conditions.

use super::wording::{at_line, eval_of, of_node, of_problem};
use super::{AddedLine, Change};
use crate::engine::effective::ReplacedLine;
use crate::engine::facts::{Facts, Filings};
use crate::finding::{Finding, Level, RuleId};
use crate::model::ledger::{
    Event, Ledger, Line, LineHash, Reading, ReadingVerdict, Timestamp, is_also_decision, is_also_signature,
};
use crate::model::node::Node;
use crate::names;
use crate::text::escape::echo;
use crate::text::plural;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashSet};

const RULE: RuleId = RuleId::LedgerSchema;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, filings) in facts.workspace.nodes.iter().zip(&facts.filings) {
        let foreign = node.look_alikes.iter().filter(|path| names::is_like_segment(path.name()));
        found.extend(foreign.map(|path| foreign_name(node, path)));
        for ledger in &node.ledgers {
            found.extend(ledger.problems.iter().map(|problem| of_problem(RULE, node, &ledger.path, problem)));
        }
        found.extend(unknown(node));
        found.extend(events(node, filings));
        found.extend(filings.returned.iter().map(|line| returned(node, line)));
        found.extend(facts.now.into_iter().flat_map(|now| dated_ahead(node, filings, now)));
    }
}

/// The lines that are dated further ahead than a clock is believed to be wrong, wherever they came from: until then such a line
/// counts above every later one.
fn dated_ahead(node: &Node, filings: &Filings, now: Timestamp) -> Vec<Finding> {
    let lines = node.ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (&ledger.path, line)));
    let ahead = lines.filter_map(|(ledger, line)| Some((ledger, line, ahead_of(&line.event, now)?)));
    // a redacted line that stands again is reported as that
    let returned: HashSet<(&RepoPath, u32)> = filings.returned.iter().map(|line| (&line.ledger, line.number)).collect();
    let finding = |(ledger, line, ts): (&RepoPath, &Line, Timestamp)| {
        let message = format!("its time {ts} lies more than ten minutes ahead of the clock, which says {now}");
        let mut finding = of_node(RULE, node, message);
        finding.location = at_line(ledger, line.number);
        finding.scenario = line.event.scenario().map(str::to_owned);
        finding.help = format!(
            "wait: the line is taken from {} on; or correct the clock that is wrong, and file again",
            ts.believed_from()
        );
        finding.key = format!("ahead|{}", LineHash::of(&line.bytes));
        finding
    };
    ahead.filter(|(ledger, line, _)| !returned.contains(&(*ledger, line.number))).map(finding).collect()
}

/// The time of the event, or of what it observed, that lies too far ahead of the clock.
fn ahead_of(event: &Event, now: Timestamp) -> Option<Timestamp> {
    // a redaction has the time of the line that it replaced
    let filed = event.ts().filter(|_| !matches!(event, Event::Redaction(_)));
    let observed = event.reading().and_then(|reading| reading.terms.how.as_ref()).map(|how| how.at);
    filed.into_iter().chain(observed).find(|ts| ts.is_far_ahead(now))
}

/// A segment by another name than segments have. No line of it is read.
fn foreign_name(node: &Node, path: &RepoPath) -> Finding {
    let name = path.name();
    let shown = echo(&name.to_string()).into_owned();
    let mut finding = of_node(RULE, node, format!("{shown:?} is not read: no segment of a ledger has such a name"));
    finding.location = super::wording::file(path);
    finding.help =
        "rename it: yatsu.NAME.evals.ndjson, NAME up to 64 lower-case letters, digits and `-`, no `-` first".into();
    finding.key = format!("foreign-name:{name}");
    finding
}

/// Kinds of lines that this version does not know. One note a kind, never more than info. Equal lines in several files of the
/// home are one.
fn unknown(node: &Node) -> Vec<Finding> {
    let mut kinds: BTreeMap<&str, (&Ledger, u32, HashSet<&[u8]>)> = BTreeMap::new();
    for (ledger, line) in node.ledgers.iter().flat_map(|ledger| ledger.lines.iter().map(move |line| (ledger, line))) {
        if let Event::Unknown(kind) = &line.event {
            kinds.entry(kind).or_insert_with(|| (ledger, line.number, HashSet::new())).2.insert(&line.bytes);
        }
    }
    let finding = |(kind, (ledger, first, lines)): (&str, (&Ledger, u32, HashSet<&[u8]>))| {
        let (lines, shown) = (plural(lines.len(), "line"), echo(kind));
        let text = format!("{lines} of the kind `{shown}`, which this version does not know: kept and not read");
        let mut finding = of_node(RULE, node, text);
        finding.location = at_line(&ledger.path, first);
        finding.help = "nothing to do; a newer version of yatsu-hook may read them".into();
        finding.at_most = Some(Level::Info);
        finding.key = format!("unknown-kind|{kind}");
        finding
    };
    kinds.into_iter().map(finding).collect()
}

/// A redacted line that is back, usually because of a merge without the merge driver.
fn returned(node: &Node, line: &ReplacedLine) -> Finding {
    let mut finding = of_node(RULE, node, "a line that was redacted stands here again".into());
    finding.location = at_line(&line.ledger, line.number);
    finding.help = "take it out: yatsu-hook repair, then git add the ledger   (its redaction stays)".into();
    finding.key = format!("returned|{}", LineHash::of(&line.bytes));
    finding
}

/// Lines that are valid alone and inconsistent together. The findings are never more than advice.
fn events(node: &Node, filings: &Filings) -> Vec<Finding> {
    let unmatched = filings.unmatched.iter().map(|(scenario, retracts)| {
        let text = format!("the retraction of {retracts} of {} withdraws nothing", echo(scenario));
        let mut finding = advice(node, text, scenario, Level::Info);
        finding.help = "nothing to do; it stays without effect".into();
        finding.key = format!("unmatched|{retracts}");
        finding
    });
    let collisions = filings.collisions.iter().map(|(scenario, ts)| {
        let text = format!("two different readings of {} carry the time {ts}", echo(scenario));
        let mut finding = advice(node, text, scenario, Level::Warning);
        finding.help =
            "delete the reading that is not committed; if both are committed, retract that time, which withdraws both, and measure again"
                .into();
        finding.key = format!("collision|{ts}");
        finding
    });
    unmatched.chain(collisions).collect()
}

fn advice(node: &Node, message: String, scenario: &str, level: Level) -> Finding {
    let mut finding = of_node(RULE, node, message);
    finding.scenario = Some(scenario.to_owned());
    finding.location = node.ledgers.first().and_then(|ledger| super::wording::file(&ledger.path));
    finding.at_most = Some(level);
    finding
}

/// Defects that are tolerated in old lines and refused in added ones: a reading without verdict or commit, a stamp that its commit
/// contradicts.
pub(super) fn added(change: &Change<'_>, found: &mut Vec<Finding>) {
    let returned = change.view.filings.iter().flat_map(|filings| &filings.returned);
    let returned: HashSet<(&RepoPath, u32)> = returned.map(|line| (&line.ledger, line.number)).collect();
    // a redacted line that stands again is reported as that, and its words are not repeated
    let added = change.added.iter().filter(|added| !returned.contains(&(&added.ledger, added.line.number)));
    found.extend(added.flat_map(|added| of_line(added, change)));
}

fn of_line(added: &AddedLine, change: &Change<'_>) -> Vec<Finding> {
    let event = &added.line.event;
    let mut against = Vec::new();
    let also = [
        ("a decision", is_also_decision(event, &added.line.bytes)),
        ("a signature", is_also_signature(event, &added.line.bytes)),
    ];
    for (what, _) in also.iter().filter(|(_, is_also)| *is_also) {
        let message = format!("it is {what} and another kind of event at once");
        against.push(Objection { kind: "two-kinds", message, help: "write a line of its own for each".to_owned() });
    }
    match event {
        Event::Reading(reading) => against.extend(of_reading(reading, added, change)),
        Event::Decision(decision) => against.extend(wrong("decision", &decision.wrong)),
        Event::Signature(signature) => against.extend(wrong("signature", &signature.wrong)),
        Event::Retraction(_) | Event::Redaction(_) | Event::Other | Event::Unknown(_) => {}
    }
    against.into_iter().map(|objection| objection.finding(added, event.scenario())).collect()
}

fn wrong<'w>(kind: &'static str, faults: &'w [String]) -> impl Iterator<Item = Objection> + use<'w> {
    let help = "correct the line before it is committed";
    faults.iter().map(move |message| Objection { kind, message: message.clone(), help: help.to_owned() })
}

struct Objection {
    /// Part of the finding's key; two objections to one line have different kinds.
    kind: &'static str,
    message: String,
    help: String,
}

impl Objection {
    fn finding(self, added: &AddedLine, scenario: Option<&str>) -> Finding {
        let mut finding = added.finding(RULE, self.message);
        finding.scenario = scenario.map(str::to_owned);
        finding.help = self.help;
        finding.key = format!("added-{}|{}", self.kind, String::from_utf8_lossy(&added.line.bytes));
        finding
    }
}

fn of_reading(reading: &Reading, added: &AddedLine, change: &Change<'_>) -> Vec<Objection> {
    let eval = eval_of(change, &added.node, &reading.scenario);
    let file = format!("file it: {eval}");
    let mut against = Vec::new();
    let mut object = |kind, message, help: &String| against.push(Objection { kind, message, help: help.clone() });
    // a reading from before verdicts existed may move with its node or be imported with it
    let is_old = (added.moved || added.imported) && reading.verdict == ReadingVerdict::Legacy;
    if reading.verdict == ReadingVerdict::Legacy && !is_old {
        object("verdict", "a new reading needs a verdict of pass or fail".into(), &file);
    }
    if reading.code_sha.is_none() && !is_old {
        object("commit", "a new reading needs codeSha, the commit that was measured".into(), &file);
    }
    if let Some((place, digits)) = &added.foreign_id {
        let message = format!("its {} is no id of this repository: ids here have {digits} digits", echo(place));
        object("foreign-id", message, &file);
    }
    if added.not_a_commit {
        object("commit", "its codeSha names an object that is no commit".into(), &file);
    }
    if let Some(path) = added.contradicted.first() {
        let path = path.to_string();
        let message = format!("its stamp of {} is not what its commit holds, and it does not say dirty", echo(&path));
        object("stamp", message, &format!("measure again, then: {eval}"));
    }
    for message in &reading.terms.wrong {
        object("terms", message.clone(), &file);
    }
    for message in &reading.measures.wrong {
        object("measures", message.clone(), &file);
    }
    against
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, LEDGER, reading};

    #[test]
    fn a_torn_line_and_a_reading_that_commits_to_nothing_are_named() {
        let empty = reading("pass", 2).replace("\"verdict\":{\"status\":\"pass\"},", "");
        let ledger = reading("pass", 1) + &empty + "{\"scenario\":";
        insta::assert_snapshot!(Case::new().committed().with(LEDGER, ledger).told(RuleId::LedgerSchema), @"
        .spec/n/yatsu.evals.ndjson:3:1: error[ledger-schema] n: the last line is torn: a write was cut short
            help: run `yatsu-hook repair`, then git add the ledger
        .spec/n/yatsu.evals.ndjson:2:1: error[ledger-schema] n/works: a new reading needs a verdict of pass or fail
            help: file it: yatsu-hook eval .spec/n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn whole_events_are_fine() {
        assert_eq!(Case::new().committed().with(LEDGER, reading("pass", 1)).told(RuleId::LedgerSchema), "");
    }

    #[test]
    fn a_reading_without_a_verdict_may_stand_where_it_stood() {
        let old = reading("pass", 1).replace("\"verdict\":{\"status\":\"pass\"},", "");
        assert_eq!(Case::new().with(LEDGER, old).committed().told(RuleId::LedgerSchema), "");
    }

    /// The level that the change sets applies to inherited findings. It does not apply to the lines that the change adds.
    #[test]
    fn a_change_that_switches_the_rule_off_is_judged_for_what_it_adds_alone() {
        let torn = reading("pass", 1) + "{\"scenario\":";
        let off = "{\"yatsu\": {\"rules\": {\"ledger-schema\": \"off\"}}}";
        let old = Case::new().with(LEDGER, &torn).committed().with(CONFIG, off);
        assert_eq!(old.told(RuleId::LedgerSchema), "");
        let new = Case::new().committed().with(LEDGER, &torn).with(CONFIG, off);
        assert!(new.told(RuleId::LedgerSchema).contains(": error[ledger-schema]"));
    }
}
