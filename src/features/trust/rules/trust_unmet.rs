//! `trust-unmet`: a scenario has no fresh pass of the grade that `yatsu.trust` asks for.

use crate::engine::facts::Facts;
use crate::features::trust::judge::facts::{AllUntrusted, Untrusted};
use crate::finding::{Finding, RuleId};
use crate::model::parts::Parts;
use crate::model::reference::scenario_word;
use crate::rules::wording::{node_argument, of_scenario};
use crate::rules::{Change, Check, Door, Explanation, Rule, plain_rule};

/// Only one of its lists is filled: of a state all scenarios, of a row of commits the touched ones.
pub(crate) const RULE: Rule = plain_rule(
    RuleId::TrustUnmet,
    &Explanation::of(
        "A scenario has no fresh pass of the grade that yatsu.trust asks for its tags: in a score any scenario, in a push or a checked range \
         each one that it changes.",
        "A claimed pass is the word of its author. For an observed pass a harness reported which command ran on this content, and how it \
         ended. For a signed pass the owner of a known key vouches. For an independent pass this owner wrote none of the content.",
        "For an observed pass: declare the command in the scenario (`test: {command: …}`), let a coding agent with yatsu-hook's hooks run \
         exactly this command, then: yatsu-hook eval NODE/SCENARIO --observed. For a signed pass: yatsu-hook sign NODE. As a warning the \
         finding is left out if the scenario is stale, unmeasured or failing, because that is reported anyway. A change cannot ease the \
         policy for itself: the entries of yatsu.trust before and after the change must both be met. Entries about signatures are read \
         before the change alone, because a change must not admit its own keys.",
    ),
    &[Door::State, Door::Commits],
    &[Check::View(of_state), Check::Change(check)],
);

/// The scenarios of a state that is judged without a base.
fn of_state(facts: &Facts, found: &mut Vec<Finding>) {
    found.extend(untrusted(&facts.parts).iter().filter_map(|untrusted| finding(facts, untrusted)));
}

/// The scenarios that a row of commits touches.
fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(untrusted(&change.parts).iter().filter_map(|untrusted| finding(change.view, untrusted)));
}

fn untrusted(parts: &Parts) -> &[Untrusted] {
    parts.get::<AllUntrusted>().map_or(&[], |all| &all.0)
}

fn finding(facts: &Facts, untrusted: &Untrusted) -> Option<Finding> {
    let node = facts.workspace.node(&untrusted.dir)?;
    let scenario = node.scenarios().iter().find(|scenario| scenario.name == untrusted.name)?;
    let message = format!("{}, and yatsu.trust asks for {}", untrusted.why, untrusted.need);
    let mut finding = of_scenario(RuleId::TrustUnmet, node, scenario, message);
    let file = format!("yatsu-hook eval {} --observed", scenario_word(&node_argument(node), &scenario.name));
    let sign = format!("yatsu-hook sign {}", scenario_word(&node_argument(node), &scenario.name));
    finding.help = match &scenario.test_command {
        _ if untrusted.by_keys => format!("measure it, and let the owner of a needed key sign the pass: {sign}"),
        Some(_) => format!("have a coding agent run the command of its `test`, then: {file}"),
        None => format!("give it `test: {{command: …}}`, have a coding agent run that command, then: {file}"),
    };
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::engine::effective::Effective;
    use crate::features::trust::judge::facts::{AllUntrusted, Untrusted};
    use crate::features::trust::judge::grades;
    use crate::finding::RuleId;
    use crate::model::ledger::Grade;
    use crate::rules::tests::case::{CONFIG, Case, FILE, LEDGER, SOURCE, WORKS, reading};
    use std::collections::BTreeSet;

    const POLICY: &str = r#"{"yatsu": {"trust": {"readings": {"cli": {"grade": "observed"}}}}}"#;

    fn observed(status: &str, minute: u32) -> String {
        let exit = if status == "pass" { 0 } else { 1 };
        let how = format!(
            "\"how\":{{\"kind\":\"observed\",\"harness\":\"claude\",\"command\":\"make\",\"exit\":{exit},\
             \"at\":\"2026-01-01T00:00:00.000Z\"}},\"ts\""
        );
        stamped(status, minute).replace("\"ts\"", &how)
    }

    fn stamped(status: &str, minute: u32) -> String {
        let absent = ",\"governed\":{\"src/none.rs\":\"-\"},\"ts\"";
        reading(status, minute).replace(",\"ts\"", absent)
    }

    /// Why the scenario of a state with this ledger is not trusted.
    fn why(ledger: &str) -> Option<String> {
        let file = WORKS.replace("src/a.rs", "?src/none.rs\n    test: {command: make}");
        let case = Case::new().with(FILE, file).with(CONFIG, POLICY).with(LEDGER, ledger);
        let mut found = None;
        case.told_with(RuleId::TrustUnmet, |change| {
            let commands = BTreeSet::from(["make".to_owned()]);
            let lacks = |(node, _, score)| grades::lacks(&Effective::of(node), &commands, score, Grade::Observed);
            found = change.view.scenarios().find_map(lacks);
        });
        found.map(str::to_owned)
    }

    #[test]
    fn the_newest_reading_of_the_grade_for_this_content_decides() {
        let told = |lines: &[String]| why(&lines.concat());
        assert_eq!(told(&[]).as_deref(), Some("there is no reading"));
        assert_eq!(told(&[stamped("pass", 1)]).as_deref(), Some("the pass is only claimed"));
        assert_eq!(told(&[observed("fail", 1)]).as_deref(), Some("the reading is no pass"));
        assert_eq!(told(&[observed("pass", 1)]), None);
        let claim_after_pass = [observed("pass", 1), stamped("pass", 2)];
        assert_eq!(told(&claim_after_pass), None, "a claim takes nothing away");
        let claim_over_fail = [observed("pass", 1), observed("fail", 2), stamped("pass", 3)];
        assert_eq!(
            told(&claim_over_fail).as_deref(),
            Some("the pass is only claimed"),
            "a claim hides no observed fail"
        );
        let other = observed("pass", 1).replace("\"-\"", "\"1111111111111111111111111111111111111111\"");
        assert_eq!(told(&[other, stamped("pass", 2)]).as_deref(), Some("the pass is only claimed"), "other content");
    }

    #[test]
    fn a_touched_scenario_is_named_with_the_grade_and_the_way_to_it() {
        let case = Case::new().with(LEDGER, reading("pass", 1)).committed().with(SOURCE, "fn a() {}\n");
        let told = case.told_with(RuleId::TrustUnmet, |change| {
            let (dir, name) = (change.view.workspace.nodes[0].dir.clone(), "works".to_owned());
            change.parts.put(AllUntrusted(vec![Untrusted {
                dir,
                name,
                by_keys: false,
                need: "an observed pass".to_owned(),
                why: "the pass is only claimed".to_owned(),
            }]));
            change.door = crate::rules::Door::Commits;
        });
        insta::assert_snapshot!(told, @"
        .spec/n/yatsu.md:3:5: warning[trust-unmet] n/works: the pass is only claimed, and yatsu.trust asks for an observed pass
            tags: cli
            help: give it `test: {command: …}`, have a coding agent run that command, then: yatsu-hook eval n/works --observed
        ");
    }
}
