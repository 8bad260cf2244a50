//! `promoted-unproven`: a scenario that comes into the main branch is measured, or a person approved it.

use super::Change;
use super::wording::{eval_command, of_scenario};
use crate::finding::{Finding, Origin, RuleId};
use crate::text::escape::echo;
use crate::text::plural;

/// The number of scenarios that a finding names.
pub(crate) const NAMED: usize = 3;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    for unproven in &change.unproven {
        let Some(node) = change.view.workspace.node(&unproven.dir) else { continue };
        let Some(scenario) = node.scenarios().iter().find(|scenario| scenario.name == unproven.name) else { continue };
        let message = format!("promoted without proof: {}", unproven.why);
        let mut finding = of_scenario(RuleId::PromotedUnproven, node, scenario, message);
        finding.help =
            format!("measure it: {}; or have its branch approved before the merge", eval_command(node, scenario));
        found.push(finding);
    }
}

/// All of `unproven` in one finding: as advice they take one line a push, however many they are.
pub(crate) fn in_one(unproven: &[Finding]) -> Finding {
    let name = |one: &Finding| {
        let node = one.node.as_ref().map(|node| echo(&node.id).into_owned()).unwrap_or_default();
        format!("{node}/{}", echo(one.scenario.as_deref().unwrap_or_default()))
    };
    let named: Vec<String> = unproven.iter().take(NAMED).map(name).collect();
    let message = format!(
        "{} came into main without proof: {}{}",
        plural(unproven.len(), "scenario"),
        named.join(", "),
        more_than(unproven.len())
    );
    let mut finding = Finding::new(RuleId::PromotedUnproven, message);
    finding.help =
        "measure them, or have their branch approved before the merge; as an error (`yatsu.rules`) each is listed"
            .into();
    finding.origin = Some(Origin::Introduced);
    finding.by_change = true;
    finding
}

/// The note about the scenarios that are not named.
pub(crate) fn more_than(count: usize) -> String {
    match count.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, SOURCE};
    use crate::rules::{Door, UnprovenScenario};
    use crate::tree::path::RepoPath;

    #[test]
    fn what_comes_into_the_main_branch_unmeasured_is_named_with_what_it_lacks() {
        let case = Case::new().committed().with(SOURCE, "fn a() { changed() }\n");
        let told = case.told_with(RuleId::PromotedUnproven, |change| {
            let dir = RepoPath::from_git(".spec/n");
            change.door = Door::Commits;
            change.unproven = vec![UnprovenScenario { dir, name: "works".into(), why: "no reading" }];
        });
        insta::assert_snapshot!(told, @"
        .spec/n/yatsu.md:3:5: warning[promoted-unproven] n/works: promoted without proof: no reading
            tags: cli
            help: measure it: yatsu-hook eval n/works --pass   (or --fail); or have its branch approved before the merge
        ");
        assert_eq!(case.told(RuleId::PromotedUnproven), "");
    }
}
