//! Phrases that several rules share.

use super::{AddedLine, Change, Deleted};
use crate::engine::score::EnvironmentScore;
use crate::finding::{Finding, Level, Location, NodeRef, RuleId};
use crate::model::labels::env_flag;
use crate::model::node::Node;
use crate::model::reference::{BY_HAND, scenario_word, verdict_words};
use crate::model::scenario::Scenario;
use crate::model::source::{Position, Problem};
use crate::text::escape::echo;
use crate::text::plural;
use crate::tree::path::RepoPath;

pub(super) fn node_ref(node: &Node) -> NodeRef {
    NodeRef { dir: node.dir.to_bstring(), id: node.id.clone() }
}

pub(crate) fn node_argument(node: &Node) -> String {
    node.argument()
}

/// A line and column of a file.
pub(crate) fn place(path: &RepoPath, at: Position) -> Option<Location> {
    Some(Location { path: path.to_bstring(), line: Some(at.line), column: Some(at.column) })
}

/// The beginning of a line of a file.
pub(crate) fn at_line(path: &RepoPath, line: u32) -> Option<Location> {
    place(path, Position { line, column: 1 })
}

pub(crate) fn file(path: &RepoPath) -> Option<Location> {
    Some(Location { path: path.to_bstring(), line: None, column: None })
}

/// A finding about a node, located at its scenario file, its `spec.md` or its directory.
pub(crate) fn of_node(rule: RuleId, node: &Node, message: String) -> Finding {
    let path = node.file.as_ref().map(|file| &file.path).or(node.spec.as_ref().map(|spec| &spec.path));
    let mut finding = Finding::new(rule, message);
    finding.node = Some(node_ref(node));
    finding.location = file(path.unwrap_or(&node.dir));
    finding
}

/// A finding about a declared scenario, located at its entry.
pub(crate) fn of_scenario(rule: RuleId, node: &Node, scenario: &Scenario, message: String) -> Finding {
    let mut finding = of_node(rule, node, message);
    finding.scenario = Some(scenario.name.clone());
    finding.tags = scenario.tags.clone();
    if let Some(file) = &node.file {
        finding.location = place(&file.path, scenario.at);
    }
    finding
}

/// The same about one of its environments. Findings of two environments are two findings.
pub(super) fn in_environment(mut finding: Finding, of: Option<&EnvironmentScore>) -> Finding {
    if let Some(name) = of.and_then(|of| of.name.as_ref()) {
        // a scenario may have a flag in its name, and the verdict stands behind it
        if let Some(at) = finding.help.rfind(" --pass").or_else(|| finding.help.rfind(" --from-junit")) {
            finding.help.insert_str(at, &format!(" {}", env_flag(name.as_str())));
        }
        finding.message = format!("in {name}: {}", finding.message);
        finding.key = format!("{}|{name}", finding.key);
        finding.env = Some(name.to_string());
    }
    finding
}

impl AddedLine {
    /// A finding about this line.
    pub(crate) fn finding(&self, rule: RuleId, message: impl Into<String>) -> Finding {
        let mut finding = Finding::new(rule, message);
        finding.node = Some(self.node.clone());
        finding.location = at_line(&self.ledger, self.line.number);
        finding
    }
}

/// A finding about a violation that a parser reported.
pub(super) fn of_problem(rule: RuleId, node: &Node, path: &RepoPath, problem: &Problem) -> Finding {
    let mut finding = of_node(rule, node, problem.message.clone());
    finding.scenario = problem.scenario.clone();
    finding.location = place(path, problem.at);
    finding.help = problem.help.clone();
    finding.key = problem.key.clone();
    if problem.advice {
        finding.at_most = Some(crate::finding::Level::Warning);
    }
    finding
}

/// The command that files a reading of this scenario.
pub(crate) fn eval_command(node: &Node, scenario: &Scenario) -> String {
    let word = scenario_word(&node_argument(node), &scenario.name);
    format!("yatsu-hook eval {word}") + " " + verdict_words(scenario)
}

/// The command that files a pass of this scenario.
pub(super) fn pass_command(node: &Node, scenario: &Scenario) -> String {
    format!("yatsu-hook eval {} --pass", scenario_word(&node_argument(node), &scenario.name))
}

/// The command for a ledger line. An undeclared scenario has no test.
pub(super) fn eval_of(change: &Change<'_>, node: &NodeRef, scenario: &str) -> String {
    let declaring = change.view.workspace.node(&RepoPath::from_git(node.dir.clone()));
    let declared = declaring.and_then(|node| node.scenario(scenario));
    let rest = declared.map_or(BY_HAND, verdict_words);
    format!("yatsu-hook eval {} {rest}", scenario_word(&node.dir.to_string(), scenario))
}

/// The losses when a branch is deleted: `what` names the lost things, for example "ledger line", and `its` is the phrase
/// "its readings".
pub(crate) fn gone_with(branch: &Deleted, rule: RuleId, what: &str, its: &str) -> Finding {
    let Deleted { name, commit, count, first, sure } = branch;
    let count = plural(*count, what);
    let message = format!("deleting {} loses {count} that no other protected branch holds", echo(&name.to_string()));
    let mut finding = Finding::new(rule, message);
    finding.location = file(first);
    finding.help = format!(
        "keep it; to let it go on purpose, first bring {its} to a protected branch (git merge {commit}), or push \
         them as NAME and list NAME in yatsu.protect of the default branch's spexcode.json; no tag and no other branch \
         keeps them"
    );
    finding.at_most = (!sure).then_some(Level::Warning);
    finding.key = name.to_string();
    finding
}
