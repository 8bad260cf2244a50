//! Node ids: names for people, minted over all nodes at once. The key of everything stays the directory.

use super::node::Node;
use crate::error::{Error, Result};
use crate::text::nearest::nearest;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::borrow::Cow;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// Most candidates that a message lists.
const MAX_CANDIDATES: usize = 10;

/// The id of each `(root, directory)`, and the other directories that ended with the same one, in the order given.
///
/// The id is the shortest suffix of the path below the root that no other node's suffix of the same length equals,
/// joined with `_`, in NFC; the whole path where every suffix is somebody else's too. A node at a root itself is named
/// after its directory, and one at the top of the repository `root`.
pub fn mint(dirs: &[(RepoPath, RepoPath)]) -> Vec<(String, Vec<RepoPath>)> {
    let segments: Vec<Vec<String>> = dirs.iter().map(|(root, dir)| segments_below(root, dir)).collect();
    let mut owners: HashMap<&[String], usize> = HashMap::new();
    for suffix in segments.iter().flat_map(|whole| suffixes(whole)) {
        *owners.entry(suffix).or_default() += 1;
    }
    let ids: Vec<String> = segments
        .iter()
        .map(|whole| suffixes(whole).find(|suffix| owners[suffix] == 1).unwrap_or(whole).join("_"))
        .collect();
    let mut bearers: HashMap<&str, Vec<&RepoPath>> = HashMap::new();
    for (id, (_, dir)) in ids.iter().zip(dirs) {
        bearers.entry(id).or_default().push(dir);
    }
    let others =
        |id: &str, own: &RepoPath| bearers[id].iter().filter(|dir| **dir != own).map(|dir| (*dir).clone()).collect();
    ids.iter().zip(dirs).map(|(id, (_, dir))| (id.clone(), others(id, dir))).collect()
}

/// The suffixes of a path, the shortest first.
fn suffixes(whole: &[String]) -> impl Iterator<Item = &[String]> {
    (0..whole.len()).rev().map(|start| &whole[start..])
}

fn segments_below(root: &RepoPath, dir: &RepoPath) -> Vec<String> {
    let below = RepoPath::from_git(dir.below(root).unwrap_or_else(|| dir.as_bstr()));
    let segments: Vec<String> = below.components().map(|part| nfc(&part.to_str_lossy())).collect();
    if segments.is_empty() { vec![leaf(dir)] } else { segments }
}

/// The name of a directory by itself.
pub fn leaf(dir: &RepoPath) -> String {
    if dir.is_root() { "root".into() } else { nfc(&dir.name().to_str_lossy()) }
}

/// Names are compared in this form.
pub fn nfc(text: &str) -> String {
    composed(text).into_owned()
}

/// The same without a copy of what is in this form already.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// Whether two names of scenarios, nodes or files are one: a letter with its accent is the same in one character or two.
pub fn same_name(one: &str, other: &str) -> bool {
    one == other || composed(one) == composed(other)
}

/// The index of the node that `text` names: its directory, its exact id, or a leaf name that only one node has. Shells
/// end directories with a slash.
///
/// # Errors
/// Usage, with the candidates, when it names none or several.
pub fn resolve_reference(nodes: &[Node], text: &str) -> Result<usize> {
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
    if near.is_empty() { error.hint("`yatsu-hook ls` lists the nodes") } else { list(error, nodes, &near) }
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
    use super::*;

    fn ids(dirs: &[(&str, &str)]) -> Vec<String> {
        minted(dirs).into_iter().map(|(id, _)| id).collect()
    }

    fn minted(dirs: &[(&str, &str)]) -> Vec<(String, Vec<RepoPath>)> {
        let dirs: Vec<_> =
            dirs.iter().map(|(root, dir)| (RepoPath::from_git(*root), RepoPath::from_git(*dir))).collect();
        mint(&dirs)
    }

    fn nodes(dirs: &[&str]) -> Vec<Node> {
        let pairs: Vec<_> = dirs.iter().map(|dir| (".spec", *dir)).collect();
        let named = minted(&pairs).into_iter().zip(dirs);
        named
            .map(|((id, same_id), dir)| Node { dir: RepoPath::from_git(*dir), id, same_id, ..Node::default() })
            .collect()
    }

    #[test]
    fn the_shortest_suffix_that_nobody_else_has() {
        assert_eq!(
            ids(&[(".spec", ".spec/a/cli"), (".spec", ".spec/b/cli"), (".spec", ".spec/b")]),
            ["a_cli", "b_cli", "b"]
        );
        assert_eq!(
            ids(&[(".spec", ".spec/a/b/c"), (".spec", ".spec/x/b/c"), (".spec", ".spec/b/d")]),
            ["a_b_c", "x_b_c", "d"]
        );
    }

    #[test]
    fn a_path_that_ends_every_other_keeps_its_whole_path() {
        assert_eq!(ids(&[(".spec", ".spec/a/b"), (".spec", ".spec/x/a/b")]), ["a_b", "x_a_b"]);
        assert_eq!(ids(&[(".spec", ".spec/b"), (".spec", ".spec/x/b")]), ["b", "x_b"]);
    }

    #[test]
    fn a_node_at_a_root_is_named_after_its_directory() {
        assert_eq!(ids(&[(".spec", ".spec"), ("", "")]), [".spec", "root"]);
    }

    #[test]
    fn composed_and_decomposed_letters_are_one_name() {
        let found = minted(&[("", "a/caf\u{e9}"), ("", "b/cafe\u{301}")]);
        assert_eq!(found[0].0, "a_caf\u{e9}");
        assert_eq!(found[1].0, "b_caf\u{e9}");
    }

    #[test]
    fn an_underscore_in_a_name_can_make_two_ids_equal() {
        let found = minted(&[("", "x/a_b"), ("", "a/b"), ("", "y/b")]);
        assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("a_b", "a_b"));
        assert_eq!(found[0].1, [RepoPath::from_git("a/b")]);
        assert_eq!(found[1].1, [RepoPath::from_git("x/a_b")]);
        assert!(found[2].1.is_empty());
        assert_eq!(minted(&[("p", "p/n"), ("q", "q/n")])[0].1, [RepoPath::from_git("q/n")]);
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
