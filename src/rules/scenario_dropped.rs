//! `scenario-dropped`: a change that makes a failing scenario go away, or easier.

use super::Change;
use super::wording::{file, node_ref, of_scenario};
use crate::engine::facts::{Facts, Score};
use crate::finding::{Finding, RuleId};
use crate::model::ids::same_name;
use crate::model::ledger::{ReadingVerdict, Status};
use crate::model::node::Node;
use crate::model::scenario::Scenario;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let Some(base) = change.bases.first() else { return };
    for (node, scenario, _) in base.scenarios().filter(|(_, _, score)| failed(score)) {
        let finding = match declared(change.view, node, scenario) {
            None if is_hidden(change.view, node) => None,
            None => Some(gone(node, scenario)),
            Some((now_node, now)) => weakened((node, scenario), (now_node, now)),
        };
        found.extend(finding);
    }
}

fn failed(score: &Score) -> bool {
    score.latest.as_ref().is_some_and(|reading| reading.verdict == ReadingVerdict::Measured(Status::Fail))
}

/// The scenario in the view: in the same directory, or, where its node moved, under the same name and text, or one that
/// cannot be read.
fn declared<'a>(view: &'a Facts, node: &Node, scenario: &Scenario) -> Option<(&'a Node, &'a Scenario)> {
    let all = || {
        view.scenarios().filter(|(_, now, _)| same_name(&now.name, &scenario.name)).map(|(node, now, _)| (node, now))
    };
    all()
        .find(|(now, _)| now.dir == node.dir)
        .or_else(|| all().find(|(_, now)| now.text_hash == scenario.text_hash || now.unread.text))
}

/// Whether the scenario may still be declared where it was, in an entry that cannot be read.
fn is_hidden(view: &Facts, node: &Node) -> bool {
    let mut here = view.workspace.nodes.iter().filter(|now| now.dir == node.dir);
    here.any(|now| now.file.as_ref().is_some_and(|file| file.cut_short))
}

fn gone(node: &Node, scenario: &Scenario) -> Finding {
    let mut finding = of_scenario(
        RuleId::ScenarioDropped,
        node,
        scenario,
        "its latest reading failed, and this change removes or renames it".into(),
    );
    finding.location = node.file.as_ref().and_then(|declared| file(&declared.path));
    finding.help = "mend what it measures before it goes, or say in the commit message why it goes".into();
    finding.key = "removed".into();
    // whoever is told where its readings must be need not hear that it is not there
    finding.follows = &[RuleId::LedgerHistory];
    finding
}

fn weakened((node, was): (&Node, &Scenario), (now_node, now): (&Node, &Scenario)) -> Option<Finding> {
    let (text_read, code_read) = (!was.unread.text && !now.unread.text, !was.unread.code && !now.unread.code);
    let what = if text_read && was.text_hash != now.text_hash {
        "rewords it"
    } else if code_read
        && was.code.iter().any(|path| now.code.iter().all(|kept| kept.path != path.path))
        && !now.code.is_empty()
    {
        "narrows what it governs"
    } else {
        return None;
    };
    let message = format!("its latest reading failed, and this change {what}");
    let mut finding = of_scenario(RuleId::ScenarioDropped, now_node, now, message);
    finding.node = Some(node_ref(node));
    finding.help = "measure it as it now stands and file the result".into();
    finding.key = what.into();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, LEDGER, SOURCE, WORKS, reading};

    fn measured(status: &str) -> Case {
        Case::new().with(LEDGER, reading(status, 1)).committed()
    }

    #[test]
    fn a_failing_scenario_that_goes_or_gets_easier_is_named() {
        let renamed = WORKS.replace("name: works", "name: runs").replace("measure it", "run it");
        insta::assert_snapshot!(measured("fail").with(FILE, renamed).told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md: warning[scenario-dropped] n · works: its latest reading failed, and this change removes or renames it
            tags: cli
            help: mend what it measures before it goes, or say in the commit message why it goes
        ");
        let reworded = WORKS.replace("it works", "it starts");
        insta::assert_snapshot!(measured("fail").with(FILE, reworded).told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md:3:5: warning[scenario-dropped] n · works: its latest reading failed, and this change rewords it
            tags: cli
            help: measure it as it now stands and file the result
        ");
        let narrowed = measured("fail").with("src/b.rs", "").with(FILE, WORKS.replace(SOURCE, "src/b.rs"));
        insta::assert_snapshot!(narrowed.told(RuleId::ScenarioDropped), @"
        .spec/n/yatsu.md:3:5: warning[scenario-dropped] n · works: its latest reading failed, and this change narrows what it governs
            tags: cli
            help: measure it as it now stands and file the result
        ");
    }

    #[test]
    fn a_scenario_that_passed_may_go_and_one_that_failed_may_stay() {
        assert_eq!(measured("pass").without(FILE).told(RuleId::ScenarioDropped), "");
        assert_eq!(measured("fail").with(SOURCE, "fn b() {}\n").told(RuleId::ScenarioDropped), "");
    }
}
