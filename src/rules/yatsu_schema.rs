//! `yatsu-schema`: a scenario file says what it means, and every path it names is there.

use super::wording::{file, of_node, of_problem, of_scenario, place};
use crate::engine::facts::Facts;
use crate::finding::{Finding, Level, RuleId};
use crate::model::governed::{Found, Governed};
use crate::model::node::{Node, Spec};
use crate::model::scenario::Scenario;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;

const RULE: RuleId = RuleId::YatsuSchema;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for node in &facts.workspace.nodes {
        found.extend(node.look_alikes.iter().map(|path| look_alike(node, path)));
        let Some(file) = &node.file else { continue };
        found.extend(file.problems.iter().map(|problem| of_problem(RULE, node, &file.path, problem)));
        found.extend(second_file(node));
        for scenario in &file.scenarios {
            found.extend(paths(node, scenario));
        }
        found.extend(inherited_ghosts(node));
    }
}

/// What scenarios govern through the list of their node must be there as well.
fn inherited_ghosts(node: &Node) -> Vec<Finding> {
    let Some(spec) = &node.spec else { return Vec::new() };
    let inherits = node.file.iter().flat_map(|file| &file.scenarios).any(|scenario| scenario.code.is_empty());
    let ghosts = spec.code.iter().filter(|path| inherits && path.found == Found::Ghost);
    ghosts.map(|path| inherited_ghost(node, spec, path)).collect()
}

fn inherited_ghost(node: &Node, spec: &Spec, path: &Governed) -> Finding {
    let message =
        format!("`code` names {:?}, which does not exist; scenarios here govern by that list", echo(&path.text));
    let mut finding = of_node(RULE, node, message);
    finding.location = place(&spec.path, path.at);
    finding.help = "correct the path under `code:`, or remove it".into();
    finding.about = path.path.iter().map(RepoPath::to_bstring).collect();
    finding.key = format!("spec:{}|ghost", path.text);
    finding
}

fn second_file(node: &Node) -> Option<Finding> {
    let second = node.second_file.as_ref()?;
    let mut finding = of_node(RULE, node, format!("two scenario files in one directory: {second} is not read"));
    finding.help = "move its scenarios into the other file and delete it".into();
    finding.key = "second-file".into();
    Some(finding)
}

fn look_alike(node: &Node, path: &RepoPath) -> Finding {
    let name = path.name();
    let mut finding = of_node(
        RULE,
        node,
        format!("{:?} is not read: it is only almost the name of a file of ours", echo(&name.to_string())),
    );
    finding.location = file(path);
    finding.help = "rename it to the exact name, in lower case and without blanks or dots at the end".into();
    finding.at_most = Some(Level::Warning);
    finding.key = format!("look-alike:{name}");
    finding
}

fn paths(node: &Node, scenario: &Scenario) -> Vec<Finding> {
    let lists = [("code", &scenario.code), ("related", &scenario.related)];
    let listed = lists.into_iter().flat_map(|(key, list)| list.iter().map(move |path| (key, path)));
    let all = listed.chain(scenario.test.iter().map(|test| ("test", test)));
    all.filter_map(|(key, path)| ghost(node, scenario, key, path)).collect()
}

fn ghost(node: &Node, scenario: &Scenario, key: &str, path: &Governed) -> Option<Finding> {
    let (what, help) = match path.found {
        Found::Ghost => ("does not exist", format!("correct the path under `{key}:`, or remove it")),
        Found::Untracked => ("is not tracked by git", "add it with git add, or name a tracked file".to_owned()),
        Found::LeavesByLink => (
            "leads out of the repository through a symbolic link",
            "name the real file inside the repository".to_owned(),
        ),
        Found::GlobLimit => {
            ("is a glob beyond the limits", "write a simpler pattern, or name the directory".to_owned())
        }
        Found::Unresolved | Found::Path | Found::Glob | Found::Absent | Found::NoPath => return None,
    };
    let mut finding = of_scenario(RULE, node, scenario, format!("`{key}` names {:?}, which {what}", echo(&path.text)));
    if let Some(file) = &node.file {
        finding.location = place(&file.path, path.at);
    }
    finding.help = help;
    finding.about = path.path.iter().map(RepoPath::to_bstring).collect();
    finding.key = format!("{key}:{}|{what}", path.text);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, FILE, SOURCE, WORKS};

    #[test]
    fn a_path_that_is_not_there_and_a_key_that_nobody_knows_are_named() {
        let ghost = WORKS.replace(SOURCE, "src/gone.rs").replace("    tags:", "    taggs:");
        insta::assert_snapshot!(Case::new().with(FILE, ghost).told(RuleId::YatsuSchema), @r#"
        .spec/n/yatsu.md:3:5: error[yatsu-schema] n · works: the scenario has no tags
            help: give it at least one of frontend-e2e, backend-api, cli, desktop, mobile, or extend lint.scenarioTags in spexcode.json
        .spec/n/yatsu.md:6:5: error[yatsu-schema] n · works: unknown key `taggs`
            help: did you mean `tags`?
        .spec/n/yatsu.md:7:11: error[yatsu-schema] n · works: `code` names "src/gone.rs", which does not exist
            help: correct the path under `code:`, or remove it
        "#);
    }

    #[test]
    fn a_file_that_says_what_it_means_is_fine() {
        assert_eq!(Case::new().told(RuleId::YatsuSchema), "");
    }
}
