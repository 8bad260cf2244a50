//! Chooses the directory of a new node below the first root, from the user's name or from the first governed path.

use crate::error::{Error, Result};
use crate::model::glob::has_glob_characters;
use crate::model::ids::nfc;
use crate::names;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::{BStr, ByteSlice};
use unicode_normalization::char::is_combining_mark;

/// The maximal length of a directory name, in characters.
const LONGEST_NAME: usize = 64;
/// File names with a meaning in their language. For these the directory's name is used instead.
const NAMELESS: [&str; 5] = ["index", "main", "mod", "lib", "__init__"];

const NAME_IT: &str = "name the node yourself: yatsu-hook new NODE --code PATH";

/// The directory of the node `text`, which may begin with `root` itself.
///
/// # Errors
/// Usage for an invalid name, and for a name that differs from an existing directory only by case.
pub(super) fn named(view: &dyn Tree, root: &RepoPath, text: &str) -> Result<RepoPath> {
    let path = RepoPath::parse(nfc(text).as_bytes())
        .map_err(|problem| Error::usage(format!("the node `{}` {}", echo(text), problem.as_str())).hint(NAME_IT))?;
    let below = match path.below(root).filter(|_| !root.is_root()) {
        Some(below) => RepoPath::from_git(below),
        None => path,
    };
    if below.is_root() {
        return Err(Error::usage("a new node needs a directory of its own below the root").hint(NAME_IT));
    }
    below.components().try_for_each(refuse_name)?;
    let dir = below.components().fold(root.clone(), |dir, name| dir.child(name));
    refuse_twin(view, root, &dir)?;
    Ok(dir)
}

/// The default name of a node for this governed path: the stem of the file name.
///
/// # Errors
/// Usage if no valid name remains.
pub(super) fn stem(code: &str) -> Result<String> {
    let unnamed = || Error::usage(format!("`{}` names no node by itself", echo(code))).hint(NAME_IT);
    let path = code.split_once('#').map_or(code, |(path, _)| path);
    if has_glob_characters(path.as_bytes()) {
        return Err(unnamed());
    }
    let mut parts = path.rsplit('/').map(|part| part.split('.').next().unwrap_or_default());
    let name = parts.next().filter(|stem| !NAMELESS.contains(stem)).or_else(|| parts.next()).unwrap_or_default();
    let name = nfc(name);
    refuse_name(BStr::new(&name)).map_err(|_| unnamed())?;
    Ok(name)
}

/// The default name of a node for a file of another tool: its stem, and for a `spec.md` the name of its directory. For
/// example `board` for `features/board.feature` and for `openspec/specs/board/spec.md`.
///
/// # Errors
/// Usage if no valid name remains.
pub(super) fn of_file(file: &RepoPath) -> Result<String> {
    let text = file.to_string();
    match text.rsplit_once('/').unwrap_or(("", &text)) {
        (dir, names::SPEC) => {
            let name = nfc(dir.rsplit('/').next().unwrap_or_default());
            refuse_name(BStr::new(&name))?;
            Ok(name)
        }
        _ => stem(&text),
    }
}

/// The default name of a scenario for this governed path: the symbol (`render` for `src/board.rs#render`), else the stem
/// (`board`), else the name of the node in `dir`. One fixed name for all would make unrelated scenarios look like moved
/// copies.
pub(super) fn scenario(code: &str, dir: &RepoPath) -> String {
    let symbol = code.split_once('#').map(|(_, symbol)| symbol.trim());
    let symbol = symbol.filter(|symbol| refuse_name(BStr::new(symbol)).is_ok()).map(nfc);
    symbol.or_else(|| stem(code).ok()).unwrap_or_else(|| dir.name().to_string())
}

fn refuse_name(name: &BStr) -> Result<()> {
    let text = name.to_str_lossy();
    let is_part = |c: char| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '_' | '-' | '.' | ' ');
    let wrong = match () {
        () if text.chars().count() > LONGEST_NAME => "is longer than 64 characters",
        () if !text.chars().next().is_some_and(char::is_alphanumeric) => "does not begin with a letter or a digit",
        () if text.ends_with(' ') => "ends with a blank",
        () if !text.chars().all(is_part) => "has other characters than letters, digits, `_`, `-`, `.` and blanks",
        () if names::is_ours(name) || names::is_like_ours(name) => "is the name of a file that this program reads",
        () => return Ok(()),
    };
    Err(Error::usage(format!("`{}` {wrong}", echo(&text))).hint(NAME_IT))
}

/// Refuses a directory name that a file system or a reader would confuse with an existing one.
fn refuse_twin(view: &dyn Tree, root: &RepoPath, dir: &RepoPath) -> Result<()> {
    let folded = |name: &BStr| nfc(&name.to_str_lossy()).to_lowercase();
    let mut at = RepoPath::root();
    for name in dir.components() {
        let next = at.child(name);
        if next.is_within(root) && next != *root && matches!(view.kind(&at)?, Some(Kind::Dir)) {
            let children = view.children(&at)?;
            let twin =
                children.iter().find(|(other, _)| other.as_bstr() != name && folded(other.as_bstr()) == folded(name));
            if let Some((twin, _)) = twin {
                let (new, there) = (next, at.child(twin));
                return Err(Error::usage(format!("{new} differs from {there} only in how it is spelled"))
                    .hint(format!("call it as it is there: {there}")));
            }
        }
        at = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::memory::MemoryTree;

    fn dir(text: &str) -> Result<String, String> {
        let tree = MemoryTree::of_files(&[(".spec/Board/spec.md", ""), (".spec/one/two/x", "")]);
        let found = named(&tree, &RepoPath::from_git(".spec"), text);
        found.map(|dir| dir.to_string()).map_err(|error| error.message)
    }

    #[test]
    fn a_node_lies_below_the_root_by_a_name_that_every_system_can_hold() {
        for (typed, meant) in [
            ("greet", ".spec/greet"),
            (".spec/greet/", ".spec/greet"),
            ("./one/two", ".spec/one/two"),
            ("a b/c.d", ".spec/a b/c.d"),
            ("cafe\u{301}", ".spec/caf\u{e9}"),
            ("Board", ".spec/Board"),
        ] {
            assert_eq!(dir(typed).as_deref(), Ok(meant), "{typed}");
        }
        let long = "x".repeat(65);
        for typed in [
            "", ".", ".spec", "-x", ".x", "a ", "a/ b", "a*b", "a:b", "../x", "/x", "spec.md", "Yatsu.md", "a/.git",
            &long,
        ] {
            assert!(dir(typed).is_err(), "{typed}");
        }
        assert!(dir("board").unwrap_err().contains("only in how it is spelled"));
        assert!(dir("ONE/three").is_err());
    }

    #[test]
    fn what_is_governed_names_the_node() {
        for (code, name) in [
            ("src/greet.rs", "greet"),
            ("src/board.test.ts", "board"),
            ("src/board/index.ts", "board"),
            ("src/main.rs", "src"),
            ("pkg/__init__.py", "pkg"),
            ("src/a.rs#greet", "a"),
            ("src", "src"),
        ] {
            assert_eq!(stem(code).as_deref(), Ok(name), "{code}");
        }
        let dir = RepoPath::from_git(".spec/board");
        for (code, name) in
            [("src/greet.rs", "greet"), ("src/a.rs#greet", "greet"), ("src/a.rs#A::b", "a"), ("src/*.rs", "board")]
        {
            assert_eq!(scenario(code, &dir), name, "{code}");
        }
        for (file, name) in [
            ("features/board.feature", "board"),
            ("openspec/specs/board/spec.md", "board"),
            ("specs/001-v1.2/spec.md", "001-v1.2"),
            ("specs/board-spec.md", "board-spec"),
        ] {
            assert_eq!(of_file(&RepoPath::from_git(file)).as_deref(), Ok(name), "{file}");
        }
        for file in ["spec.md", "-x/spec.md", ".spec/spec.md"] {
            assert!(of_file(&RepoPath::from_git(file)).is_err(), "{file}");
        }
        for code in ["main.rs", "src/*.rs", ".github", "-x.rs", "# x", "a, b.rs", "index"] {
            assert_eq!(stem(code).map_err(|error| error.kind.exit_code()), Err(2), "{code}");
        }
    }
}
