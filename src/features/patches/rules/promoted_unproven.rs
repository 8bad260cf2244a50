//! `promoted-unproven`: a scenario that comes into the main branch is measured, or a person approved it.

use crate::features::patches::judge::engine::patch::unproven::Unproven;
use crate::finding::{Finding, Level, Origin, RuleId};
use crate::rules::wording::{eval_command, of_scenario};
use crate::rules::{Change, Check, Door, Explanation, Rule, plain_rule};
use crate::text::escape::echo;
use crate::text::{first_of, plural};
use std::collections::HashSet;

/// The number of scenarios that a finding names.
const NAMED: usize = 3;

pub(crate) const RULE: Rule = Rule {
    join: Some(condense),
    ..plain_rule(
        RuleId::PromotedUnproven,
        &Explanation::of(
            "A push to the main branch, or a checked range, changes a scenario that has no fresh pass, no approval and no reached goal.",
            "On a branch an unmeasured change is work in progress; on the main branch everyone builds on it.",
            "Measure the named scenarios, or have the branch approved before it is merged: yatsu-hook patch approve BRANCH --reason TEXT. As advice it \
             is one line a push, without the scenarios that yatsu-drift and yatsu-missing print. It is only printed where proofs are asked for: a \
             ledger holds an approval or a rejection, or spexcode.json has `yatsu.patches` or names the rule. As an error (`yatsu.rules`) each \
             scenario is listed.",
        ),
        &[Door::Commits],
        &[Check::Change(check)],
    )
};

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    for unproven in change.parts.get::<Unproven>().into_iter().flat_map(|all| &all.0) {
        let Some(node) = change.view.workspace.node(&unproven.dir) else { continue };
        let Some(scenario) = node.scenarios().iter().find(|scenario| scenario.name == unproven.name) else { continue };
        let message = format!("promoted without proof: {}", unproven.why);
        let mut finding = of_scenario(RuleId::PromotedUnproven, node, scenario, message);
        finding.help =
            format!("measure it: {}; or have its branch approved before the merge", eval_command(node, scenario));
        found.push(finding);
    }
}

/// Merges all promotion advice into one finding. Returns how many were dropped because the scenario already has a drift
/// finding or a finding that it is unmeasured. Promotion errors stay as they are.
fn condense(findings: &mut Vec<Finding>) -> usize {
    let is_promoted =
        |one: &&Finding| one.rule == RuleId::PromotedUnproven && one.level != Level::Error && one.scenario.is_some();
    if !findings.iter().any(|one| is_promoted(&one)) {
        return 0;
    }
    let is_said = |one: &&Finding| {
        matches!(one.rule, RuleId::YatsuDrift | RuleId::YatsuMissing) && one.origin == Some(Origin::Introduced)
    };
    let subject = |one: &Finding| (one.node.as_ref().map(|node| node.dir.clone()), one.scenario.clone());
    let said: HashSet<_> = findings.iter().filter(is_said).map(subject).collect();
    let (mut unproven, others): (Vec<Finding>, Vec<Finding>) =
        std::mem::take(findings).into_iter().partition(|one| is_promoted(&one));
    *findings = others;
    let all = unproven.len();
    unproven.retain(|one| !said.contains(&subject(one)));
    if let Some(first) = unproven.first() {
        findings.push(Finding { level: first.level, ..in_one(&unproven) });
    }
    all - unproven.len()
}

/// All of `unproven` in one finding: as advice they take one line a push, however many they are.
fn in_one(unproven: &[Finding]) -> Finding {
    let name = |one: &Finding| {
        let node = one.node.as_ref().map(|node| echo(&node.id).into_owned()).unwrap_or_default();
        format!("{node}/{}", echo(one.scenario.as_deref().unwrap_or_default()))
    };
    let (count, named) = (plural(unproven.len(), "scenario"), first_of(unproven.iter().map(name), NAMED));
    let message = format!("{count} came into main without proof: {named}");
    let mut finding = Finding::new(RuleId::PromotedUnproven, message);
    finding.help =
        "measure them, or have their branch approved before the merge; as an error (`yatsu.rules`) each is listed"
            .into();
    finding.origin = Some(Origin::Introduced);
    finding.by_change = true;
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::patches::judge::engine::patch::unproven::UnprovenScenario;
    use crate::rules::tests::case::{Case, SOURCE};
    use crate::tree::path::RepoPath;

    #[test]
    fn what_comes_into_the_main_branch_unmeasured_is_named_with_what_it_lacks() {
        let case = Case::new().committed().with(SOURCE, "fn a() { changed() }\n");
        let told = case.told_with(RuleId::PromotedUnproven, |change| {
            let dir = RepoPath::from_git(".spec/n");
            change.door = Door::Commits;
            change.parts.put(Unproven(vec![UnprovenScenario { dir, name: "works".into(), why: "no reading" }]));
        });
        insta::assert_snapshot!(told, @"
        .spec/n/yatsu.md:3:5: warning[promoted-unproven] n/works: promoted without proof: no reading
            tags: cli
            help: measure it: yatsu-hook eval n/works --pass   (or --fail); or have its branch approved before the merge
        ");
        assert_eq!(case.told(RuleId::PromotedUnproven), "");
    }
}
