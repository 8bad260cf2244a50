//! Globs over repository paths, all compiled here with the same limits. `*` and `?` stop at `/`, `**` does not. Input:
//! patterns from scenario files and from the configuration, both possibly hostile. Output: matchers with bounded cost.
//! Accesses no tree.

use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use std::fmt;

/// Longest accepted pattern in bytes.
const MAX_LENGTH: usize = 1024;
/// Most `*` in a pattern.
const MAX_STARS: usize = 32;
/// Most `**` in a pattern.
const MAX_DOUBLE_STARS: usize = 8;
/// Most `{` in a pattern.
const MAX_BRACES: usize = 8;
/// Deepest nesting of `{`.
const MAX_BRACE_DEPTH: usize = 3;

/// Why a text cannot be used as a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GlobProblem {
    Limit(&'static str),
    /// Not in the syntax of globs.
    Syntax(String),
}

impl fmt::Display for GlobProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(what) => write!(f, "is beyond the limit for globs: {what}"),
            Self::Syntax(what) => write!(f, "is no glob: {what}"),
        }
    }
}

/// Whether a text can be a glob, if it is no existing path.
pub(crate) fn has_glob_characters(text: &[u8]) -> bool {
    text.find_byteset(b"*?[{").is_some()
}

pub(crate) fn compile(pattern: &str) -> Result<GlobMatcher, GlobProblem> {
    Ok(build(pattern)?.compile_matcher())
}

/// The directory of all matches of `pattern`: its components before the first one with a glob character.
pub(crate) fn literal_base(pattern: &RepoPath) -> RepoPath {
    let literal = pattern.components().take_while(|part| !has_glob_characters(part) && !part.contains(&b'\\'));
    let base = literal.fold(RepoPath::root(), |dir, part| dir.child(part));
    if base == *pattern { base.parent().unwrap_or_default() } else { base }
}

/// Whether `path` matches, byte for byte.
pub(crate) fn is_match(matcher: &GlobMatcher, path: &RepoPath) -> bool {
    matcher.is_match(path.as_bstr().to_path_lossy())
}

fn build(pattern: &str) -> Result<globset::Glob, GlobProblem> {
    check_limits(pattern)?;
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map_err(|error| GlobProblem::Syntax(error.kind().to_string()))
}

fn check_limits(pattern: &str) -> Result<(), GlobProblem> {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in pattern.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let limits = [
        (pattern.len() > MAX_LENGTH, "more than 1024 bytes"),
        (pattern.matches('*').count() > MAX_STARS, "more than 32 *"),
        (pattern.matches("**").count() > MAX_DOUBLE_STARS, "more than 8 **"),
        (pattern.matches('{').count() > MAX_BRACES, "more than 8 {"),
        (deepest > MAX_BRACE_DEPTH, "{ nested deeper than 3"),
    ];
    match limits.into_iter().find(|(beyond, _)| *beyond) {
        Some((_, what)) => Err(GlobProblem::Limit(what)),
        None => Ok(()),
    }
}

/// A list of globs from the configuration. Two lists are equal if their texts are.
#[derive(Clone, Default)]
pub struct Globs {
    text: Vec<String>,
    set: GlobSet,
}

impl Globs {
    /// The set of these patterns; otherwise the index of the first unusable one, and the reason.
    pub(crate) fn compile(text: Vec<String>) -> Result<Self, (usize, GlobProblem)> {
        let mut builder = GlobSetBuilder::new();
        for (index, pattern) in text.iter().enumerate() {
            builder.add(build(pattern).map_err(|problem| (index, problem))?);
        }
        let set = builder.build().map_err(|error| (0, GlobProblem::Syntax(error.kind().to_string())))?;
        Ok(Self { text, set })
    }

    pub(crate) fn text(&self) -> &[String] {
        &self.text
    }

    pub(crate) fn is_match(&self, path: &RepoPath) -> bool {
        !self.text.is_empty() && self.set.is_match(path.as_bstr().to_path_lossy())
    }

    /// Whether a pattern matches the path or one of its parent directories.
    pub(crate) fn covers(&self, path: &RepoPath) -> bool {
        if self.text.is_empty() {
            return false;
        }
        std::iter::successors(Some(path.clone()), RepoPath::parent).any(|part| !part.is_root() && self.is_match(&part))
    }

    /// Whether a pattern matches a branch name (`main`, without `refs/heads/`).
    pub(crate) fn is_match_name(&self, name: &str) -> bool {
        self.set.is_match(name)
    }
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Globs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_star_stops_at_a_slash_and_two_do_not() {
        let one = compile("src/*.rs").unwrap();
        assert!(is_match(&one, &path("src/a.rs")) && !is_match(&one, &path("src/b/a.rs")));
        let two = compile("src/**/*.rs").unwrap();
        assert!(is_match(&two, &path("src/a.rs")) && is_match(&two, &path("src/b/c/a.rs")));
    }

    #[test]
    fn paths_are_bytes() {
        let any = compile("src/*").unwrap();
        assert!(is_match(&any, &RepoPath::from_git(b"src/\xff".to_vec())));
    }

    #[test]
    fn hostile_patterns_hit_a_limit() {
        let nested = format!("{}a{}", "{".repeat(4), "}".repeat(4));
        for text in ["{".repeat(5000), "*a".repeat(500), "**/".repeat(1000), "a".repeat(1025), nested] {
            assert!(matches!(compile(&text), Err(GlobProblem::Limit(_))), "{}", &text[..4]);
        }
        assert!(matches!(compile("[a"), Err(GlobProblem::Syntax(_))));
    }

    #[test]
    fn the_base_is_the_directory_before_the_first_glob_character() {
        let base = |text| literal_base(&path(text)).to_string();
        assert_eq!((base("src/a/*.rs"), base("*.rs"), base("a/b/{c,d}/e")), ("src/a".into(), "".into(), "a/b".into()));
        assert_eq!(base("a/b"), "a");
    }

    #[test]
    fn a_matched_directory_covers_what_is_below_it() {
        let globs = Globs::compile(vec!["vendor".into(), "*.gen".into()]).unwrap();
        assert!(globs.covers(&path("vendor/a/b")) && globs.covers(&path("x.gen")));
        assert!(!globs.covers(&path("src/vendor/a")) && !globs.is_match(&path("vendor/a")));
        assert_eq!(Globs::compile(vec!["a".into(), "[".into()]).unwrap_err().0, 1);
    }
}
