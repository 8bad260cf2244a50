//! Resolves a governed path in a view: a file, a directory, the matches of a glob, or a ghost with its reason. Symbolic
//! links are followed as in [`super::links`], inside the tree only; the disk is never read.

use super::glob::{self, GlobProblem};
use super::governed::{Found, Governed};
use super::idle;
use super::ids::same_name;
use super::links::{LinkEnd, trace};
use crate::error::Result;
use crate::tree::path::RepoPath;
use crate::tree::{Entry, Kind, Tree};
use bstr::ByteSlice;
use std::collections::BTreeMap;

/// Paths with their entries, sorted, without duplicates.
pub(crate) type Entries = Vec<(RepoPath, Entry)>;

/// Fills [`Governed::found`] of every entry of a list, and marks the selectors that narrow nothing beside the other
/// entries.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn resolve_list(tree: &dyn Tree, list: &mut [Governed]) -> Result<()> {
    list.iter_mut().try_for_each(|governed| resolve(tree, governed))?;
    idle::mark_faults(tree, list)
}

/// Fills [`Governed::found`]. The first match counts: an entry with the whole text as its name, the literal path, the glob.
/// Without a match it is a ghost, and the reason is set.
///
/// # Errors
/// When the tree cannot be read.
fn resolve(tree: &dyn Tree, governed: &mut Governed) -> Result<()> {
    if let Some(whole) = meant_whole(tree, governed)? {
        *governed = whole;
    } else {
        governed.found = find(tree, governed)?;
    }
    Ok(())
}

/// The same for a `test` value, which is relative to the repository or to the node's directory. [`Governed::path`] is set
/// to the first one that exists.
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn resolve_test(tree: &dyn Tree, test: &mut Governed) -> Result<()> {
    resolve(tree, test)?;
    let Some(path) = test.node_relative.clone().filter(|_| !matches!(test.found, Found::Path | Found::Glob)) else {
        return Ok(());
    };
    let mut beside = Governed { path: Ok(path), ..test.clone() };
    resolve(tree, &mut beside)?;
    // a value that is no path of the repository can only be relative to the node, so its faults refer to that path
    if test.path.is_err() || matches!(beside.found, Found::Path | Found::Glob | Found::Untracked) {
        *test = beside;
    }
    Ok(())
}

/// The entry with the whole text as its path, `#` included, if the view holds an entry of that name. Globs are not tried.
fn meant_whole(tree: &dyn Tree, governed: &Governed) -> Result<Option<Governed>> {
    let Some(whole) = &governed.whole else { return Ok(None) };
    for path in whole.literals() {
        let found = match named(tree, path)? {
            Some(found) => found,
            None if tree.is_untracked(path)? => Found::Untracked,
            None => continue,
        };
        return Ok(Some(Governed { path: Ok(path.clone()), found, ..(**whole).clone() }));
    }
    Ok(None)
}

/// The entries that a governed path expands to in `tree`, independent of [`Governed::found`]. A file gives itself, a
/// directory all files below it, a glob its matches. A link, on the way or at the path, gives the link and, inside the
/// repository, the expansion of its target. Links below a directory or among a glob's matches are not followed. A missing
/// path gives nothing. In the working tree an [`Entry::id`] can be `None`, as in [`Tree::files`].
///
/// # Errors
/// When the tree cannot be read.
pub(crate) fn matches(tree: &dyn Tree, governed: &Governed) -> Result<Entries> {
    let Ok(path) = &governed.path else { return Ok(Vec::new()) };
    let way = trace(tree, path)?;
    let link = |id| Entry { kind: Kind::Link, id: Some(id) };
    let mut found: BTreeMap<RepoPath, Entry> = way.links.into_iter().map(|(path, id)| (path, link(id))).collect();
    match way.end {
        LinkEnd::At(at, entry) => found.extend(expand(tree, at, entry)?),
        LinkEnd::Absent(_) if found.is_empty() => return glob_matches(tree, path).map(Result::unwrap_or_default),
        LinkEnd::Absent(_) | LinkEnd::Outside | LinkEnd::Circle => {}
    }
    Ok(found.into_iter().collect())
}

fn find(tree: &dyn Tree, governed: &Governed) -> Result<Found> {
    let Ok(path) = &governed.path else { return Ok(Found::NoPath) };
    if let Some(found) = named(tree, path)? {
        return Ok(found);
    }
    let is_glob = glob::has_glob_characters(path.as_bstr());
    if is_glob {
        match glob_matches(tree, path)? {
            Ok(found) if !found.is_empty() => return Ok(Found::Glob),
            Err(GlobProblem::Limit(_)) => return Ok(Found::GlobLimit),
            Ok(_) | Err(GlobProblem::Syntax(_)) => {}
        }
    }
    if tree.is_untracked(path)? {
        return Ok(Found::Untracked);
    }
    let literal = if is_glob { glob::literal_base(path) } else { path.clone() };
    Ok(match (other_form(tree, &literal)?, governed.optional) {
        (Some(other), _) => Found::OtherForm(other),
        (None, true) => Found::Absent,
        (None, false) => Found::Ghost,
    })
}

/// The path that differs from the missing `path` in its Unicode form alone: macOS and editors write `\u{e9}` as one character
/// or as two, and git compares bytes.
fn other_form(tree: &dyn Tree, path: &RepoPath) -> Result<Option<RepoPath>> {
    if path.as_bstr().is_ascii() || tree.entry(path)?.is_some() {
        return Ok(None);
    }
    let mut at = RepoPath::root();
    for part in path.components() {
        let exact = at.child(part);
        if tree.entry(&exact)?.is_some() {
            at = exact;
            continue;
        }
        let Ok(wanted) = part.to_str() else { return Ok(None) };
        if !at.is_root() && tree.kind(&at)? != Some(Kind::Dir) {
            return Ok(None);
        }
        let names = tree.children(&at)?;
        match names.iter().find(|(name, _)| name.to_str().is_ok_and(|name| same_name(name, wanted))) {
            Some((name, _)) => at = at.child(name),
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// The meaning of the literal path, if an entry of that name exists.
fn named(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Found>> {
    let way = trace(tree, path)?;
    match way.end {
        LinkEnd::Outside | LinkEnd::Circle => Ok(Some(Found::LeavesByLink)),
        LinkEnd::At(..) => present(tree, path).map(Some),
        // the link itself exists, and its target text is content
        LinkEnd::Absent(_) if way.links.last().is_some_and(|(link, _)| link == path) => present(tree, path).map(Some),
        LinkEnd::Absent(_) => Ok(None),
    }
}

/// The working tree also shows untracked files.
fn present(tree: &dyn Tree, path: &RepoPath) -> Result<Found> {
    Ok(if tree.is_untracked(path)? { Found::Untracked } else { Found::Path })
}

fn expand(tree: &dyn Tree, at: RepoPath, entry: Entry) -> Result<Entries> {
    if entry.kind == Kind::Dir { tree.files(&at, &|_| true) } else { Ok(vec![(at, entry)]) }
}

fn glob_matches(tree: &dyn Tree, pattern: &RepoPath) -> Result<Result<Entries, GlobProblem>> {
    let Ok(text) = std::str::from_utf8(pattern.as_bstr()) else { return Ok(Ok(Vec::new())) };
    if !glob::has_glob_characters(text.as_bytes()) {
        return Ok(Ok(Vec::new()));
    }
    let matcher = match glob::compile(text) {
        Ok(matcher) => matcher,
        Err(problem) => return Ok(Err(problem)),
    };
    tree.files(&glob::literal_base(pattern), &|path| glob::is_match(&matcher, path)).map(Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::selector::SelectorFault;
    use crate::model::source::Position;
    use crate::tree::memory::MemoryTree;

    fn governed(text: &str) -> Governed {
        Governed::parse(text, Position::default(), None)
    }

    fn tree() -> MemoryTree {
        let mut files = vec![
            ("src/a.rs", Kind::File, "a"),
            ("src/b/c.rs", Kind::Exec, "c"),
            ("src/[id].rs", Kind::File, "i"),
            ("mod", Kind::Submodule, "commit"),
            ("link", Kind::Link, "src/a.rs"),
            ("dir", Kind::Link, "./src/b/"),
            ("up/link", Kind::Link, "../src/../link"),
            ("out", Kind::Link, "/"),
            ("over", Kind::Link, "src/../../x"),
            ("git", Kind::Link, ".git"),
            ("round", Kind::Link, "trip"),
            ("trip", Kind::Link, "round"),
            ("self", Kind::Link, "self/self"),
            ("dangling", Kind::Link, "nowhere"),
            ("empty", Kind::Link, ""),
        ];
        files.sort();
        MemoryTree::from(&files).untracked("notes.txt").untracked("src/new.rs")
    }

    fn found(text: &str) -> Found {
        let mut governed = governed(text);
        resolve(&tree(), &mut governed).unwrap();
        governed.found
    }

    fn expanded(text: &str) -> Vec<String> {
        matches(&tree(), &governed(text)).unwrap().into_iter().map(|(path, _)| path.to_string()).collect()
    }

    #[test]
    fn literal_first_then_glob_then_ghost() {
        for text in ["src/a.rs", "./src//b/", ".", "mod", "src/[id].rs", "link", "dir/c.rs", "dangling", "up/link"] {
            assert_eq!(found(text), Found::Path, "{text}");
        }
        for text in ["src/*.rs", "src/**", "src/{a,z}.rs", "**/c.rs"] {
            assert_eq!(found(text), Found::Glob, "{text}");
        }
        for text in
            ["src/z.rs", "-rf", "--output=/tmp/x", ":(exclude)*", "[a", "*.py", "mod/x", "dir/none", "dangling/x"]
        {
            assert_eq!(found(text), Found::Ghost, "{text}");
        }
        assert_eq!((found("?src/z.rs"), found("?src/*.py")), (Found::Absent, Found::Absent));
        assert_eq!((found("notes.txt"), found("?notes.txt")), (Found::Untracked, Found::Untracked));
        assert_eq!(found("../x"), Found::NoPath);
    }

    #[test]
    fn links_out_and_round_are_refused() {
        for text in ["out", "out/etc/passwd", "over", "over/y", "git", "git/config", "round", "trip/x", "self", "empty"]
        {
            assert_eq!(found(text), Found::LeavesByLink, "{text}");
        }
    }

    #[test]
    fn globs_beyond_the_limits_are_told_apart() {
        for text in ["{".repeat(1000), "*a".repeat(500), "**/".repeat(1000)] {
            assert_eq!(found(&text), Found::GlobLimit);
        }
    }

    #[test]
    fn an_entry_expands_to_what_its_content_is() {
        assert_eq!(expanded("src/a.rs"), ["src/a.rs"]);
        assert_eq!(expanded("src"), ["src/[id].rs", "src/a.rs", "src/b/c.rs"]);
        assert_eq!(expanded("src/*.rs"), ["src/[id].rs", "src/a.rs"]);
        assert_eq!(expanded("src/[id].rs"), ["src/[id].rs"]);
        assert_eq!(expanded("mod"), ["mod"]);
        assert_eq!(expanded("link"), ["link", "src/a.rs"]);
        assert_eq!(expanded("dir"), ["dir", "src/b/c.rs"]);
        assert_eq!(expanded("dir/c.rs"), ["dir", "src/b/c.rs"]);
        assert_eq!(expanded("up/link"), ["link", "src/a.rs", "up/link"]);
        assert_eq!(expanded("dangling"), ["dangling"]);
        assert_eq!(expanded("out"), ["out"]);
        assert_eq!(expanded("src/z.rs"), [""; 0]);
        assert_eq!(expanded("../x"), [""; 0]);
        assert!(expanded(".").len() > 10);
    }

    #[test]
    fn a_test_lies_at_the_path_or_beside_its_node() {
        let dir = RepoPath::from_git("src/b");
        let resolved = |text| {
            let mut test = Governed::parse(text, Position::default(), Some(&dir));
            resolve_test(&tree(), &mut test).unwrap();
            (test.path.map(|path| path.to_string()), test.found)
        };
        assert_eq!(resolved("c.rs"), (Ok("src/b/c.rs".into()), Found::Path));
        assert_eq!(resolved("src/a.rs"), (Ok("src/a.rs".into()), Found::Path));
        assert_eq!(resolved("a.rs"), (Ok("a.rs".into()), Found::Ghost));
        assert_eq!(resolved("../a.rs"), (Ok("src/a.rs".into()), Found::Path), "it may climb from its node");
        assert_eq!(resolved("../../../a.rs").1, Found::NoPath, "but not out of the repository");
        assert_eq!(resolved("../gone.rs").1, Found::Ghost, "and what is not there either way is said");
    }

    fn listed(texts: &[&str]) -> Vec<Governed> {
        let tree = MemoryTree::of_files(&[("src/a.ts", ""), ("src/b.ts", ""), ("docs/a#b.md", ""), ("c#", "")]);
        let mut list: Vec<_> = texts.iter().map(|text| Governed::parse(text, Position::default(), None)).collect();
        resolve_list(&tree.untracked("new#x"), &mut list).unwrap();
        list
    }

    /// The path that is meant, and the symbol.
    fn told(text: &str) -> (String, Option<String>) {
        let entry = listed(&[text]).remove(0);
        (entry.path.as_ref().unwrap().to_string(), entry.symbol().map(str::to_owned))
    }

    #[test]
    fn an_entry_is_cut_at_its_first_number_sign() {
        for (text, path, symbol) in [
            ("src/a.ts#Box.shut", "src/a.ts", Some("Box.shut")),
            (" ./src//a.ts # f ", "src/a.ts", Some("f")),
            ("?src/gone.ts#f", "src/gone.ts", Some("f")),
            ("src/a.rb#M.Box.other?", "src/a.rb", Some("M.Box.other?")),
            ("src/a.ts#f#g", "src/a.ts", Some("f#g")),
            ("src/a.ts#", "src/a.ts", None),
            ("src/a.ts# ", "src/a.ts", None),
        ] {
            assert_eq!(told(text), (path.into(), symbol.map(str::to_owned)), "{text}");
        }
        assert!(listed(&["?src/gone.ts#f"])[0].optional);
    }

    #[test]
    fn a_text_that_names_something_as_a_whole_is_that_path() {
        for (text, path) in [
            ("docs/a#b.md", "docs/a#b.md"),
            ("?./docs//a#b.md", "docs/a#b.md"),
            ("c#", "c#"),
            ("#x", "#x"),
            ("new#x", "new#x"),
        ] {
            assert_eq!(told(text), (path.into(), None), "{text}");
        }
        assert_eq!(listed(&["docs/a#b.md"])[0].found, Found::Path);
        assert_eq!(listed(&["docs/a#c.md"])[0].found, Found::Ghost);
        assert_eq!(listed(&["docs/a#c.md"])[0].text, "docs/a");
    }

    #[test]
    fn selectors_that_mean_nothing_beside_others_are_marked() {
        let faults = |texts: &[&str]| -> Vec<_> {
            listed(texts).into_iter().map(|entry| entry.selector.and_then(|selector| selector.fault)).collect()
        };
        assert_eq!(faults(&["src/a.ts#f", "src/a.ts#g", "src/b.ts#f", "src/b.ts#f.g"]), [None; 4]);
        let repeated = Some(SelectorFault::Repeated);
        assert_eq!(faults(&["src/a.ts#f", "./src/a.ts # f", "src/b.ts"]), [repeated, repeated, None]);
        assert_eq!(faults(&["src/a.ts#f", "src/a.ts"]), [Some(SelectorFault::BesideFile), None]);
        assert_eq!(faults(&["src/a.ts#f", "src/a.ts#"]), [Some(SelectorFault::BesideFile), None]);
        assert_eq!(faults(&["src#f", "src/a.ts#f"]), [Some(SelectorFault::OfDirectory), None]);
        assert_eq!(faults(&["src/*.ts#f", "src/gone.ts#f"]), [Some(SelectorFault::OfGlob), None]);
        let mut of_others = ["mod#f", "dir#f", "link#f"].map(|text| Governed::parse(text, Position::default(), None));
        resolve_list(&tree(), &mut of_others).unwrap();
        assert_eq!(
            of_others.map(|entry| entry.selector.and_then(|selector| selector.fault)),
            [Some(SelectorFault::OfSubmodule), Some(SelectorFault::OfDirectory), None]
        );
        let list = listed(&["src/a.ts#f", "src/a.ts#f"]);
        assert!(list.iter().all(|entry| entry.symbol().is_none()), "judged as the whole file");
    }
}
