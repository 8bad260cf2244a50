//! Resolves the name of a node as a person types it: its directory, its id, or its leaf name.

use super::ids::{leaf, nfc};
use super::node::Node;
use super::scenario::Scenario;
use crate::error::{Error, Result};
use crate::text::escape::echo;
use crate::text::nearest::nearest;
use crate::text::shell;
use crate::tree::path::RepoPath;

/// Most candidates that a message lists.
const MAX_CANDIDATES: usize = 10;

/// The command that files a reading of a scenario of the node in `dir`, without the verdict: run unchanged it files
/// nothing. It names the node by its directory, because an id can change with other nodes.
pub(crate) fn eval_command(dir: &RepoPath, scenario: &str) -> Vec<String> {
    vec!["yatsu-hook".to_owned(), "eval".to_owned(), directory(dir), format!("--scenario={scenario}")]
}

/// The same as a line for a shell; without a scenario, for a node that declares one scenario.
pub(crate) fn eval_line(dir: &RepoPath, scenario: Option<&str>) -> String {
    let node = directory(dir);
    let word = scenario.map_or_else(|| shell::word(&node), |name| scenario_word(&node, name));
    format!("yatsu-hook eval {word}")
}

/// How a reading of the scenario is filed, behind [`eval_line`]. A scenario with a test is filed from the report of its run, so
/// that no pass is filed by hand that the run does not show. Pasted unchanged the words are a syntax error, on purpose: a pass
/// must not be filed by accident.
pub(crate) fn verdict_words(scenario: &Scenario) -> &'static str {
    match (&scenario.test, &scenario.test_command) {
        (Some(_), _) => BY_REPORT,
        (None, Some(_)) => BY_COMMAND,
        (None, None) => BY_HAND,
    }
}

/// The words behind [`eval_line`] for a scenario with a test.
pub(crate) const BY_REPORT: &str = "--from-junit FILE   (or --from-ctrf)";
/// The words behind [`eval_line`] for a scenario with the command of a test and no file of it.
const BY_COMMAND: &str = "--from-junit FILE   (or --observed)";
/// The words behind [`eval_line`] for a scenario that a person measures.
pub(crate) const BY_HAND: &str = "--pass   (or --fail)";

/// NODE/SCENARIO as one shell word, for example `board/renders` or `'board/draws lines'`.
pub(crate) fn scenario_word(node: &str, scenario: &str) -> String {
    // a word that begins with a dash would be a flag
    let at = if node.starts_with('-') { "./" } else { "" };
    shell::word(&format!("{at}{node}/{scenario}"))
}

/// A directory as an argument that is not taken for a flag or for the current directory.
pub(crate) fn directory(dir: &RepoPath) -> String {
    match dir.to_string() {
        top if top.is_empty() => "./.".to_owned(),
        flag if flag.starts_with('-') => format!("./{flag}"),
        dir => dir,
    }
}

/// The index of the node that `text` names: its directory, its exact id, or a leaf name that only one node has. A trailing
/// slash is ignored, because shells append it.
///
/// # Errors
/// Usage, with the candidates, if it names no node or several.
pub(crate) fn resolve_reference(nodes: &[Node], text: &str) -> Result<usize> {
    let path = RepoPath::parse(text.as_bytes()).ok();
    if let Some(index) = nodes.iter().position(|node| Some(&node.dir) == path.as_ref()) {
        return Ok(index);
    }
    let text = nfc(text.trim_end_matches('/'));
    let called = |dir: &RepoPath| path.as_ref().is_some_and(|path| nfc(&dir.to_string()) == nfc(&path.to_string()));
    let ways: [&dyn Fn(&Node) -> bool; 3] =
        [&|node| called(&node.dir), &|node| node.id == text, &|node| leaf(&node.dir) == text];
    let found = ways.into_iter().map(|holds| having(nodes, holds)).find(|found| !found.is_empty()).unwrap_or_default();
    match found[..] {
        [index] => Ok(index),
        [] => Err(unknown(nodes, &text)),
        _ => Err(list(Error::usage(format!("`{text}` names several nodes")), nodes, &found)),
    }
}

/// The meaning of a word: `board` is a node, `board/renders` a scenario of the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub node: usize,
    pub scenario: Option<String>,
}

/// The node or the scenario that `text` names. `declares` says whether a node declares a scenario. An undeclared scenario
/// is accepted only if `text` names no node and exactly one split of it begins with a node.
///
/// # Errors
/// Usage: with both meanings if `text` is a node and a scenario of another node; with the candidates if none or several
/// match.
pub(crate) fn resolve(nodes: &[Node], text: &str, declares: impl Fn(&Node, &str) -> Result<bool>) -> Result<Named> {
    let node = resolve_reference(nodes, text);
    let scenario = match resolve_scenario(nodes, text, declares)? {
        None if node.is_err() => resolve_scenario(nodes, text, |_, _| Ok(true))?,
        found => found,
    };
    match (node, scenario) {
        (node, None) => Ok(Named { node: node?, scenario: None }),
        (Err(_), Some((node, name))) => Ok(Named { node, scenario: Some(name) }),
        (Ok(node), Some((of, name))) => {
            let (node, of, name) = (&nodes[node], &nodes[of], echo(&name));
            Err(Error::usage(format!("`{}` is a node, and a scenario of another node", echo(text)))
                .hint(format!("the node {}: {}", node.id, shell::word(&format!("{}/", directory(&node.dir)))))
                .hint(format!("the scenario {name} of node {}: --scenario beside {}", of.id, directory(&of.dir))))
        }
    }
}

/// The node and the scenario that NODE/SCENARIO names. Both names may contain `/`, so every `/` is tried as the separator.
/// `knows` says whether a node has a scenario. `None` if no split fits.
///
/// # Errors
/// Usage, with the candidates, if several splits fit.
pub(crate) fn resolve_scenario(
    nodes: &[Node],
    text: &str,
    knows: impl Fn(&Node, &str) -> Result<bool>,
) -> Result<Option<(usize, String)>> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, _) in text.match_indices('/') {
        let (Ok(index), name) = (resolve_reference(nodes, &text[..at]), &text[at + 1..]) else { continue };
        if !name.is_empty() && knows(&nodes[index], name)? {
            found.push((index, name.to_owned()));
        }
    }
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let called = |(index, name): &(usize, String)| format!("node {}, scenario {}", nodes[*index].id, echo(name));
    let several = Error::usage(format!("`{}` can be read in more ways than one", echo(text)));
    Err(found.iter().map(called).fold(several, Error::hint).hint("name the node by its directory"))
}

fn having(nodes: &[Node], holds: impl Fn(&Node) -> bool) -> Vec<usize> {
    nodes.iter().enumerate().filter(|(_, node)| holds(node)).map(|(index, _)| index).collect()
}

fn unknown(nodes: &[Node], text: &str) -> Error {
    let wanted = text.to_lowercase();
    let near = having(nodes, |node| {
        node.id.to_lowercase().contains(&wanted) || wanted.contains(&leaf(&node.dir).to_lowercase())
    });
    let slip = || {
        let leaves: Vec<String> = nodes.iter().map(|node| leaf(&node.dir)).collect();
        let names = nodes.iter().map(|node| &*node.id).chain(leaves.iter().map(String::as_str));
        let meant = nearest(text, names)?.to_owned();
        Some(having(nodes, |node| node.id == meant || leaf(&node.dir) == meant))
    };
    let near = if near.is_empty() { slip().unwrap_or_default() } else { near };
    let error = Error::usage(format!("no node is called `{text}`"));
    if let Some(meant) = mistyped_scenario(nodes, text) {
        return error.hint(format!("did you mean {meant}?"));
    }
    if near.is_empty() { error.hint("`yatsu-hook ls` lists the nodes") } else { list(error, nodes, &near) }
}

/// The scenario that NODE/SCENARIO probably means, by the id, the last name or the directory of the node.
fn mistyped_scenario(nodes: &[Node], text: &str) -> Option<String> {
    if !text.contains('/') {
        return None;
    }
    let words = nodes.iter().flat_map(|node| {
        let names = [node.id.clone(), leaf(&node.dir), directory(&node.dir)];
        let of =
            move |name: &String| node.scenarios().iter().map(|one| format!("{name}/{}", one.name)).collect::<Vec<_>>();
        names.iter().flat_map(of).collect::<Vec<_>>()
    });
    let words: Vec<String> = words.collect();
    nearest(text, words.iter().map(String::as_str)).map(shell::word)
}

fn list(error: Error, nodes: &[Node], found: &[usize]) -> Error {
    let shown = found.iter().take(MAX_CANDIDATES).map(|index| &nodes[*index]);
    let error = shown.fold(error, |error, node| error.hint(format!("{} ({})", node.dir, node.id)));
    match found.len().saturating_sub(MAX_CANDIDATES) {
        0 => error,
        more => error.hint(format!("and {more} more: yatsu-hook ls")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids::mint;
    use super::*;

    fn nodes(dirs: &[&str]) -> Vec<Node> {
        let root = || RepoPath::from_git(".spec");
        let pairs: Vec<_> = dirs.iter().map(|dir| (root(), RepoPath::from_git(*dir))).collect();
        let named = mint(&pairs).into_iter().zip(dirs);
        named
            .map(|((id, same_id), dir)| Node { dir: RepoPath::from_git(*dir), id, same_id, ..Node::default() })
            .collect()
    }

    #[test]
    fn a_scenario_is_named_behind_its_node() {
        let nodes = nodes(&[".spec/a", ".spec/a/b", ".spec/c"]);
        let named = |text: &str| resolve_scenario(&nodes, text, |_, name| Ok(name != "none")).unwrap();
        for (text, node, name) in
            [("c/works", 2, "works"), (".spec/c/works", 2, "works"), ("c/and/or", 2, "and/or"), ("b/x y", 1, "x y")]
        {
            assert_eq!(named(text), Some((node, name.to_owned())), "{text}");
        }
        for text in ["c", "c/", "/c", "d/works", "c/none", ""] {
            assert_eq!(named(text), None, "{text}");
        }
        let several = resolve_scenario(&nodes, ".spec/a/b/c", |_, _| Ok(true)).unwrap_err();
        assert_eq!(several.hints[..2], ["node a, scenario b/c", "node b, scenario c"]);
        assert_eq!(
            resolve_scenario(&nodes, ".spec/a/b/c", |_, name| Ok(name == "c")).unwrap(),
            Some((1, "c".to_owned()))
        );
    }

    #[test]
    fn a_reference_is_a_directory_an_id_or_a_leaf() {
        let nodes = nodes(&[".spec/a/cli", ".spec/b/cli", ".spec/b", ".spec/c/deep/one"]);
        for (text, index) in [(".spec/b/", 2), ("./.spec/a/cli", 0), ("b_cli", 1), ("b", 2), ("one", 3)] {
            assert_eq!(resolve_reference(&nodes, text).unwrap(), index, "{text}");
        }
        let several = resolve_reference(&nodes, "cli").unwrap_err();
        assert_eq!(several.hints, [".spec/a/cli (a_cli)", ".spec/b/cli (b_cli)"]);
        assert_eq!(several.kind.exit_code(), 2);
        let none = resolve_reference(&nodes, "CL").unwrap_err();
        assert_eq!(none.hints.len(), 2);
        assert!(resolve_reference(&nodes, "").is_err());
        let dirs: Vec<String> = (0..12).map(|n| format!(".spec/{n}/cli")).collect();
        let many = self::nodes(&dirs.iter().map(String::as_str).collect::<Vec<_>>());
        let hints = resolve_reference(&many, "cli").unwrap_err().hints;
        assert_eq!(hints.last().map(String::as_str), Some("and 2 more: yatsu-hook ls"));
    }
}
