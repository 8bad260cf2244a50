//! The scenarios of the base in the place of the judged ones: their tags and their commands. The policy goes by them, because a
//! branch that drops a tag, or declares `true` as its command, would otherwise ease its own trust.

use crate::app::judge::Question;
use crate::app::judge::states::States;
use crate::engine::touched::PatchSide;
use crate::error::Result;
use crate::features::trust::judge::base::TrustBase;
use crate::features::trust::judge::facts::OtherTest;
use crate::features::trust::model::settings::TrustSettings;
use crate::model::governed::Governed;
use crate::model::ids::same_name;
use crate::model::node::{Declared, Node};
use crate::model::scenario::Scenario;
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The nodes of the base with other scenario files than the judged state.
#[derive(Default)]
pub(crate) struct BaseScenarios {
    tree: Option<Rc<dyn Tree>>,
    nodes: Vec<Node>,
    /// The directories of the judged nodes with another scenario file, or a new one.
    changed: BTreeSet<RepoPath>,
}

impl BaseScenarios {
    /// The scenarios of `base` where they may differ from the ones of `nodes` in `view`. Nothing is read where no policy asks
    /// about readings.
    ///
    /// # Errors
    /// When the base cannot be read.
    pub(crate) fn load(repo: &Repo, base: &TrustBase, view: &dyn Tree, nodes: &[Node]) -> Result<Self> {
        let Some(commit) = base.commit.filter(|_| !base.settings.readings.is_empty()) else {
            return Ok(Self::default());
        };
        let tree = repo.commit_view(&commit)?;
        let (mut changed, mut is_moved) = (BTreeSet::new(), false);
        for (node, file) in nodes.iter().filter_map(|node| Some((node, node.file.as_ref()?))) {
            let then = tree.entry(&file.path)?;
            if then.is_none() || view.entry(&file.path)? != then {
                changed.insert(node.dir.clone());
                is_moved |= then.is_none();
            }
        }
        if changed.is_empty() {
            return Ok(Self::default());
        }
        // a moved node may come from any directory
        let select = if is_moved { Select::All } else { Select::Dirs(changed.clone()) };
        let nodes = workspace::load(&*tree, workspace::read_config(&*tree)?, &select)?.nodes;
        Ok(Self { tree: Some(tree), nodes, changed })
    }

    /// The tags of a scenario here, and in the base. `judged` are all nodes here.
    pub(crate) fn tags<'t>(&'t self, asked: Declared<'t>, judged: &[Node]) -> impl Iterator<Item = &'t [String]> {
        let then = self.predecessors(asked, judged).into_iter().map(|(_, then)| &then.tags[..]);
        std::iter::once(&asked.scenario.tags[..]).chain(then)
    }

    /// The commands that an observed reading of a scenario of `view` may name. `judged` are all nodes of `view`.
    ///
    /// # Errors
    /// When a test file of one side cannot be found.
    pub(crate) fn commands(&self, view: &dyn Tree, asked: Declared<'_>, judged: &[Node]) -> Result<BTreeSet<String>> {
        commands(view, &self.predecessors(asked, judged), asked.scenario)
    }

    /// The scenarios of the base that `asked` replaces. A node with the same file in the base has the same scenarios.
    fn predecessors<'t>(&'t self, asked: Declared<'_>, judged: &[Node]) -> Vec<(&'t dyn Tree, &'t Scenario)> {
        let Some(tree) = self.tree.as_ref().filter(|_| self.changed.contains(&asked.node.dir)) else {
            return Vec::new();
        };
        let tree: &'t dyn Tree = &**tree;
        let then = PatchSide { tree, nodes: &self.nodes }.predecessors(asked, judged);
        then.into_iter().map(|then| (tree, then.scenario)).collect()
    }
}

/// The commands that an observed reading of `now` may name: the ones of the scenarios `before` that it replaces, each with the
/// tree that declares it. A new scenario's own command counts, and an existing scenario's new command only from the next change
/// on: otherwise a change could declare `true` and bring an observation of it.
///
/// # Errors
/// When a test file of one side cannot be found.
pub(crate) fn commands(view: &dyn Tree, before: &[(&dyn Tree, &Scenario)], now: &Scenario) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for (base, then) in before {
        let Some(command) = &then.test_command else { continue };
        let is_same = now.test_command.as_ref() == Some(command);
        let moved = if is_same { None } else { renamed_test(view, *base, then, now)? };
        found.insert(moved.map_or_else(|| command.clone(), |moved| moved.followed(command)));
    }
    found.extend(now.test_command.iter().filter(|_| before.is_empty()).cloned());
    Ok(found)
}

/// Whether both declare the same test and the same command.
pub(crate) fn same_test(then: &Scenario, now: &Scenario) -> bool {
    then.test_command == now.test_command && then.test_name == now.test_name
}

/// The scenarios under a policy of the first base whose `test` names another command or another test than before. What names only
/// the new path of a renamed test is the same.
///
/// # Errors
/// When a test file of one side cannot be found.
pub(crate) fn other_tests(question: &Question<'_>, states: &States) -> Result<Vec<OtherTest>> {
    let mut found = Vec::new();
    let (Some(base), Some(facts)) = (question.snapshot.bases.first(), states.bases.first()) else { return Ok(found) };
    let trust: &TrustSettings = facts.workspace.config.of();
    if trust.readings.is_empty() {
        return Ok(found);
    }
    let side = PatchSide { tree: &*base.tree, nodes: &facts.workspace.nodes };
    for (node, scenario, _) in states.view.scenarios() {
        let before = side.predecessors(Declared { node, scenario }, &states.view.workspace.nodes);
        // another scenario that took its place is reported as gone
        let is_same = |then: &Declared<'_>| {
            same_name(&then.scenario.name, &scenario.name) || then.scenario.text_hash == scenario.text_hash
        };
        let is_asked = |then: &Declared<'_>| trust.needs(&then.scenario.tags).iter().any(|need| need.asks());
        for then in before.into_iter().filter(|then| is_same(then) && is_asked(then)).map(|then| then.scenario) {
            if same_test(then, scenario) {
                continue;
            }
            let moved = renamed_test(&*question.snapshot.view, side.tree, then, scenario)?;
            let keys = [
                ("command", &then.test_command, &scenario.test_command),
                ("name", &then.test_name, &scenario.test_name),
            ];
            for (key, was, is) in keys {
                let Some(was) = was else { continue };
                if is.as_ref() != Some(&moved.as_ref().map_or_else(|| was.clone(), |moved| moved.followed(was))) {
                    let (dir, scenario) = (node.dir.clone(), scenario.name.clone());
                    found.push(OtherTest { dir, scenario, key, was: was.clone(), is: is.clone() });
                }
            }
        }
    }
    Ok(found)
}

/// A test file with the same content under another path.
pub(crate) struct RenamedTest {
    from: String,
    to: String,
}

impl RenamedTest {
    /// A command, or the name of a test, with the new path in the place of the old one: where the old one is a word of its own,
    /// with the names inside the file or without. Inside quotes and after a backslash a word may be a part of another path, and
    /// a path with other characters may be more than one word, or a command.
    pub(crate) fn followed(&self, text: &str) -> String {
        if !is_plain(&self.from) || !is_plain(&self.to) || text.contains('\\') {
            return text.to_owned();
        }
        let (mut followed, mut quote) = (String::new(), None);
        for word in text.split_inclusive(char::is_whitespace) {
            let rest = word.strip_prefix(&*self.from).filter(|_| quote.is_none());
            match rest.filter(|rest| rest.trim_end().is_empty() || rest.starts_with("::")) {
                Some(rest) => followed.extend([&*self.to, rest]),
                None => followed.push_str(word),
            }
            for mark in word.chars().filter(|mark| matches!(mark, '\'' | '"')) {
                match quote {
                    Some(open) if open == mark => quote = None,
                    Some(_) => {}
                    None => quote = Some(mark),
                }
            }
        }
        followed
    }
}

/// Whether a shell takes the path for one word and nothing else, and a program takes it for no option.
fn is_plain(path: &str) -> bool {
    !path.starts_with('-') && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte))
}

/// The rename of the test file of `then`, if that is all that happened to the file: `base` has it, and `view` has the same
/// content only under the path that `now` declares.
///
/// # Errors
/// When one side cannot be read.
pub(crate) fn renamed_test(
    view: &dyn Tree,
    base: &dyn Tree,
    then: &Scenario,
    now: &Scenario,
) -> Result<Option<RenamedTest>> {
    let (Some(from), Some(to)) = (test_file(base, &then.test)?, test_file(view, &now.test)?) else { return Ok(None) };
    let content = |tree: &dyn Tree, path: &RepoPath| -> Result<_> {
        Ok(tree.entry(path)?.and_then(|entry| Some((entry.kind, entry.id?))))
    };
    let old = content(base, &from)?;
    let is_renamed = old.is_some() && old == content(view, &to)? && view.kind(&from)?.is_none();
    Ok(is_renamed.then(|| RenamedTest { from: from.to_string(), to: to.to_string() }))
}

/// The file that `test` means in `tree`.
fn test_file(tree: &dyn Tree, test: &Option<Governed>) -> Result<Option<RepoPath>> {
    for path in test.iter().flat_map(Governed::literals) {
        if matches!(tree.kind(path)?, Some(Kind::File | Kind::Exec)) {
            return Ok(Some(path.clone()));
        }
    }
    Ok(None)
}
