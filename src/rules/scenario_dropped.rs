//! `scenario-dropped`: a change removes a measured scenario, or makes a failing one easier.

use super::Change;
use super::wording::{eval_command, file, node_ref, of_scenario};
use crate::engine::facts::{Facts, Score};
use crate::engine::successors::is_unreadable;
use crate::finding::{Finding, Level, RuleId};
use crate::model::governed::Governed;
use crate::model::ids::same_name;
use crate::model::ledger::{ReadingVerdict, Status};
use crate::model::node::Declared;
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    // the first base of a merge is the branch that takes the merge in: for that branch the other side's removals are new
    let Some(base) = change.bases.first() else { return };
    for (node, scenario, score) in base.scenarios() {
        let was = Declared { node, scenario };
        found.extend(match base.is_failed(node, scenario, score) {
            true => of_failed(change, was, score),
            false => of_passed(change, was, score),
        });
    }
}

fn of_failed<'a>(change: &Change<'a>, was: Declared<'a>, score: &Score) -> Option<Finding> {
    let is_of_runs = score.decided.is_some();
    let why = match (is_recorded(score), score.is_earlier) {
        _ if is_of_runs => "its newest runs failed",
        (true, false) => "its latest reading failed",
        (true, true) => "its reading that counts failed",
        (false, _) => "it is over its budget",
    };
    match change.successor(0, was) {
        None if is_unreadable(change.view, was.node) => None,
        None => {
            let mut finding = gone(was, format!("{why}, and this change removes or renames it"));
            finding.help =
                "mend the measured code before you remove the scenario, or say in the commit message why you remove it"
                    .into();
            Some(finding)
        }
        Some(now) => {
            let ends = || ends_a_fail(change.view, was.scenario, now, score);
            weakened(was, now, easier(was.scenario, now.scenario, &change.renamed).or_else(ends)?, why)
        }
    }
}

/// A pass that is gone guards its code no more. It is worth a warning if the same change edits the code: then the pass would
/// have gone stale.
fn of_passed<'a>(change: &Change<'a>, was: Declared<'a>, score: &Score) -> Option<Finding> {
    let is_pass = score.verdict() == Some(ReadingVerdict::Measured(Status::Pass));
    // most scenarios stay where they are, so the search for a new place is rare
    if !is_pass || stays(change.view, was) || is_unreadable(change.view, was.node) || change.successor(0, was).is_some()
    {
        return None;
    }
    let is_edited = change.edited_and_gone.contains(&(was.node.dir.clone(), was.scenario.name.clone()));
    let reading = if score.is_earlier { "its reading that counts" } else { "its latest reading" };
    let edits = if is_edited { ", and edits a file that it governs" } else { "" };
    let mut finding = gone(was, format!("{reading} passed, and this change removes or renames it{edits}"));
    finding.help = "measure what took its place, or say in the commit message why you remove it".into();
    finding.at_most = (!is_edited).then_some(Level::Info);
    Some(finding)
}

/// Whether the view declares it in the same node, or under a new name that `yatsu-missing` reports as a rename.
fn stays(view: &Facts, was: Declared<'_>) -> bool {
    let Ok(at) = view.workspace.nodes.binary_search_by(|node| node.dir.cmp(&was.node.dir)) else { return false };
    let name = &was.scenario.name;
    view.workspace.nodes[at].scenario(name).is_some()
        || view.filings[at].renamed.iter().any(|renamed| same_name(&renamed.from, name))
}

/// Whether the reading itself recorded the fail, not a budget.
fn is_recorded(score: &Score) -> bool {
    score.reading.as_ref().is_some_and(|reading| reading.verdict == ReadingVerdict::Measured(Status::Fail))
}

fn gone(was: Declared<'_>, message: String) -> Finding {
    let mut finding = of_scenario(RuleId::ScenarioDropped, was.node, was.scenario, message);
    // its line number is from a file that the view may not have
    finding.location = was.node.file.as_ref().and_then(|declared| file(&declared.path));
    finding.key = "removed".into();
    finding
}

/// Whether another window, or fewer environments, end a fresh fail.
fn ends_a_fail(view: &Facts, was: &Scenario, now: Declared<'_>, score: &Score) -> Option<&'static str> {
    if (was.runs, &was.env) == (now.scenario.runs, &now.scenario.env) || !score.is_fresh() {
        return None;
    }
    let mut all = view.scenarios();
    let (.., after) = all.find(|(_, scenario, _)| std::ptr::eq(*scenario, now.scenario))?;
    let still_fails = after.is_fresh() && after.verdict() == Some(ReadingVerdict::Measured(Status::Fail));
    (!still_fails).then_some("changes its `runs:` or `env:`, which ends that fail")
}

/// Old paths with the paths that have their content now.
type Renamed = BTreeMap<RepoPath, BTreeSet<RepoPath>>;

fn weakened(was: Declared<'_>, now: Declared<'_>, what: &str, why: &str) -> Option<Finding> {
    let message = format!("{why}, and this change {what}");
    let mut finding = of_scenario(RuleId::ScenarioDropped, now.node, now.scenario, message);
    finding.node = Some(node_ref(was.node));
    finding.help = format!("measure it as it now stands, then: {}", eval_command(now.node, now.scenario));
    finding.key = what.into();
    Some(finding)
}

/// The way in which the scenario got easier to pass. An entry that one of the states could not read is not a change.
fn easier(was: &Scenario, now: &Scenario, renamed: &Renamed) -> Option<&'static str> {
    let is_kept = |was: &Governed| {
        let places = was.path.as_ref().ok().and_then(|path| renamed.get(path));
        let went_to = |kept: &Governed| places.is_some_and(|places| places.iter().any(|place| kept.covers(place)));
        now.code.iter().any(|kept| keeps(kept, was) && (kept.path == was.path || went_to(kept)))
    };
    if !was.unread.text && !now.unread.text && was.text_hash != now.text_hash {
        return Some("rewords it");
    }
    // without a list of its own it governs the files of its node
    let is_read = !was.unread.code && !now.unread.code && !now.code.is_empty();
    (is_read && !was.code.iter().all(is_kept)).then_some("narrows its `code:` list")
}

/// Whether `kept` covers the whole of `was`.
fn keeps(kept: &Governed, was: &Governed) -> bool {
    kept.symbol().is_none() || kept.symbol() == was.symbol()
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::Change;
    use crate::rules::tests::case::{CONFIG, Case, FILE, LEDGER, SOURCE, WORKS, reading};
    use crate::tree::path::RepoPath;

    fn measured(status: &str) -> Case {
        Case::new().with(LEDGER, reading(status, 1)).committed()
    }

    #[test]
    fn a_failing_scenario_that_goes_or_gets_easier_is_named() {
        let renamed = WORKS.replace("name: works", "name: runs").replace("measure it", "run it");
        insta::assert_snapshot!(measured("fail").with(FILE, renamed).told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md: warning[scenario-dropped] n/works: its latest reading failed, and this change removes or renames it
            tags: cli
            help: mend the measured code before you remove the scenario, or say in the commit message why you remove it
        ");
        let reworded = WORKS.replace("it works", "it starts");
        insta::assert_snapshot!(measured("fail").with(FILE, reworded).told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md:3:5: warning[scenario-dropped] n/works: its latest reading failed, and this change rewords it
            tags: cli
            help: measure it as it now stands, then: yatsu-hook eval n/works --pass   (or --fail)
        ");
        let narrowed = measured("fail").with(FILE, WORKS.replace(SOURCE, "src/a.rs#a"));
        assert!(narrowed.told(RuleId::ScenarioDropped).contains("this change narrows its `code:` list"));
        let narrowed = measured("fail").with("src/b.rs", "").with(FILE, WORKS.replace(SOURCE, "src/b.rs"));
        insta::assert_snapshot!(narrowed.told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md:3:5: warning[scenario-dropped] n/works: its latest reading failed, and this change narrows its `code:` list
            tags: cli
            help: measure it as it now stands, then: yatsu-hook eval n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn a_pass_that_goes_is_information_and_a_warning_with_an_edit_of_its_code() {
        let gone = measured("pass").without(FILE);
        insta::assert_snapshot!(gone.told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md: info[scenario-dropped] n/works: its latest reading passed, and this change removes or renames it
            tags: cli
            help: measure what took its place, or say in the commit message why you remove it
        ");
        let edited = |change: &mut Change<'_>| {
            change.edited_and_gone.insert((RepoPath::from_git(".spec/n"), "works".to_owned()));
        };
        insta::assert_snapshot!(gone.told_with(RuleId::ScenarioDropped, edited), @"
        .spec/n/yatsu.md: warning[scenario-dropped] n/works: its latest reading passed, and this change removes or renames it, and edits a file that it governs
            tags: cli
            help: measure what took its place, or say in the commit message why you remove it
        ");
        let other = WORKS.replace("name: works", "name: runs").replace("measure it", "run it");
        assert!(measured("pass").with(FILE, other).told(RuleId::ScenarioDropped).contains("removes or renames it"));
        assert_eq!(
            measured("pass").without(FILE).with(".spec/m/yatsu.md", WORKS).told(RuleId::ScenarioDropped),
            "",
            "moved"
        );
        assert_eq!(Case::new().committed().without(FILE).told(RuleId::ScenarioDropped), "", "never measured");
        assert_eq!(measured("pass").with(FILE, "---\nscenarios:\n").told(RuleId::ScenarioDropped), "", "unreadable");
    }

    #[test]
    fn one_that_failed_may_stay() {
        assert_eq!(measured("fail").with(SOURCE, "fn b() {}\n").told(RuleId::ScenarioDropped), "");
    }

    #[test]
    fn a_twin_that_stood_there_already_is_not_where_a_failing_scenario_went() {
        let twin = ".spec/twin/yatsu.md";
        let moved = measured("fail").without(FILE).with(twin, WORKS);
        assert_eq!(moved.told(RuleId::ScenarioDropped), "");
        let dropped = measured("fail").with(twin, WORKS).committed().without(FILE);
        assert!(dropped.told(RuleId::ScenarioDropped).contains("this change removes or renames it"));
    }

    #[test]
    fn two_failing_scenarios_never_share_one_new_place() {
        let (file, ledger) = (".spec/m/yatsu.md", ".spec/m/yatsu.evals.ndjson");
        let case = measured("fail").with(file, WORKS).with(ledger, reading("fail", 2)).committed();
        let moved = case.without(FILE).without(LEDGER).without(file).without(ledger).with(".spec/z/yatsu.md", WORKS);
        assert_eq!(moved.told(RuleId::ScenarioDropped).matches("removes or renames it").count(), 1);
        let both = moved.with(".spec/y/yatsu.md", WORKS);
        assert_eq!(both.told(RuleId::ScenarioDropped), "");
    }

    #[test]
    fn a_scenario_over_its_budget_is_named_too_although_its_reading_was_withdrawn() {
        let usage = "\"usage\":{\"maxRssBytes\":9},\"ts\"";
        let withdrawn =
            "{\"retracts\":\"2026-01-01T00:01:00.000Z\",\"scenario\":\"works\",\"ts\":\"2026-01-01T00:02:00.000Z\"}\n";
        let case = Case::new().with(CONFIG, "{\"yatsu\":{\"budgets\":{\"maxTaskRssBytes\":5}}}");
        let spent = reading("pass", 1).replace("\"ts\"", usage);
        for lines in [spent.clone(), spent + withdrawn] {
            let measured = case.clone().with(LEDGER, lines).committed();
            let told = measured.with(FILE, WORKS.replace("it works", "it starts")).told(RuleId::ScenarioDropped);
            assert!(told.contains("it is over its budget, and this change rewords it"), "{told}");
        }
    }
}
