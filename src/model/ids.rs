//! Node ids: display names, computed over all nodes at once. The key of a node stays its directory.

use crate::tree::path::RepoPath;
use bstr::{BStr, ByteSlice};
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// The id of each `(root, directory)`, and the other directories with the same id, in the order given.
///
/// The id is the shortest suffix of the path below the root that is unique among all nodes' suffixes, joined with `_`, in
/// NFC; the whole path if no suffix is unique. For example `board_cards` for `web/board/cards`. A node at a root is named
/// after its directory, and a node at the top of the repository `root`.
pub(crate) fn mint(dirs: &[(RepoPath, RepoPath)]) -> Vec<(String, Vec<RepoPath>)> {
    let segments: Vec<Vec<String>> = dirs.iter().map(|(root, dir)| segments_below(root, dir)).collect();
    let mut owners: HashMap<&[String], usize> = HashMap::default();
    for suffix in segments.iter().flat_map(|whole| suffixes(whole)) {
        *owners.entry(suffix).or_default() += 1;
    }
    let ids: Vec<String> = segments
        .iter()
        .map(|whole| suffixes(whole).find(|suffix| owners[suffix] == 1).unwrap_or(whole).join("_"))
        .collect();
    let mut bearers: HashMap<&str, Vec<&RepoPath>> = HashMap::default();
    for (id, (_, dir)) in ids.iter().zip(dirs) {
        bearers.entry(id).or_default().push(dir);
    }
    let others =
        |id: &str, own: &RepoPath| bearers[id].iter().filter(|dir| **dir != own).map(|dir| (*dir).clone()).collect();
    ids.iter().zip(dirs).map(|(id, (_, dir))| (id.clone(), others(id, dir))).collect()
}

/// The same for some directories `dirs`; `others` are the rest. Only directories with the same last word can change an id.
pub(crate) fn mint_some<'o>(
    dirs: &[RepoPath],
    others: impl Iterator<Item = &'o BStr>,
    root: impl Fn(&RepoPath) -> RepoPath,
) -> Vec<(String, Vec<RepoPath>)> {
    let words: HashSet<_> = dirs.iter().map(|dir| last_word(dir.as_bstr()).into_owned()).collect();
    let alike = others.filter(|dir| words.contains(&*last_word(dir))).map(RepoPath::from_git);
    let mut all: Vec<_> = dirs.iter().cloned().chain(alike).map(|dir| (root(&dir), dir)).collect();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    let minted: HashMap<_, _> = all.iter().map(|(_, dir)| dir).zip(mint(&all)).collect();
    dirs.iter().map(|dir| minted[dir].clone()).collect()
}

/// The last word of every id that the directory may get. Equal ids have equal last words.
fn last_word(dir: &BStr) -> Cow<'_, str> {
    // this runs for every node at every commit, and a byte search needs no setup
    let last = |text: &'_ [u8], end: u8| text.rfind_byte(end).map_or(0, |at| at + 1);
    let leaf = &dir[last(dir, b'/')..];
    if leaf.is_empty() {
        return Cow::Borrowed("root");
    }
    // Unicode composes no letter with an accent across an underscore
    match leaf[last(leaf, b'_')..].to_str_lossy() {
        Cow::Borrowed(word) => composed(word),
        Cow::Owned(word) => Cow::Owned(nfc(&word)),
    }
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

/// The name of a directory without its parents.
pub(crate) fn leaf(dir: &RepoPath) -> String {
    if dir.is_root() { "root".into() } else { nfc(&dir.name().to_str_lossy()) }
}

/// The form in which names are compared (Unicode NFC).
pub(crate) fn nfc(text: &str) -> String {
    composed(text).into_owned()
}

/// The same without a copy if the text is in this form already.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// Whether two names of scenarios, nodes or files are equal: an accented letter may be one character or two.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    one == other || composed(one) == composed(other)
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
}
