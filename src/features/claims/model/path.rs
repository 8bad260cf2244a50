//! The files that a claim on a path is on, and when two such claims collide.

use crate::model::glob;
use crate::tree::path::RepoPath;
use std::fmt;

/// A file, a folder with everything below it, or a glob, for example `src/a.rs`, `src` or `src/*.rs`. It is relative to the
/// top of the repository. A text with glob characters may also be the name of a file, for example `app/[id]/page.tsx`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimPath(RepoPath);

impl ClaimPath {
    /// The claim on this text.
    ///
    /// # Errors
    /// Why it can be no claim, as the end of a sentence that begins with it.
    pub(crate) fn new(text: RepoPath) -> Result<Self, String> {
        let spelled = std::str::from_utf8(text.as_bstr()).map_err(|_| "is not UTF-8".to_owned())?;
        if glob::has_glob_characters(spelled.as_bytes()) {
            glob::compile(spelled).map_err(|problem| problem.to_string())?;
        }
        Ok(Self(text))
    }

    /// The path of a line that was written by [`Self::as_text`].
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "." {
            return Ok(Self(RepoPath::root()));
        }
        let path = RepoPath::parse(text.as_bytes()).ok().filter(|path| *path.as_bstr() == *text && !path.is_root());
        Self::new(path.ok_or("is no plain path")?)
    }

    /// Its spelling in the journal and on a command line at the top; `.` for the whole repository.
    pub(crate) fn as_text(&self) -> String {
        if self.0.is_root() { ".".to_owned() } else { self.0.to_string() }
    }

    /// Whether the claim is on this file: it is the file, a folder above it, or a glob that matches it.
    pub(crate) fn covers(&self, file: &RepoPath) -> bool {
        file.is_within(&self.base()) && self.coverage()(file)
    }

    /// The same as [`Self::covers`], for many files.
    pub(crate) fn coverage(&self) -> impl Fn(&RepoPath) -> bool {
        // it was compiled once before
        let matcher = if self.is_glob() { glob::compile(&self.0.to_string()).ok() } else { None };
        move |file| file.is_within(&self.0) || matcher.as_ref().is_some_and(|matcher| glob::is_match(matcher, file))
    }

    /// Whether two claims collide: they are equal; both cover a file; or the folder of one holds the other. `files` are those
    /// of the work tree that this one covers. A path without glob characters counts as a file that is still to be written.
    pub(crate) fn collides(&self, other: &Self, files: &[RepoPath]) -> bool {
        self == other
            || files.iter().any(other.coverage())
            || self.holds(other)
            || other.holds(self)
            || !other.is_glob() && self.covers(&other.0)
            || !self.is_glob() && other.covers(&self.0)
    }

    /// The directory with all files that the claim may be on; the path itself if it is no glob.
    pub(crate) fn base(&self) -> RepoPath {
        if self.is_glob() { glob::literal_base(&self.0) } else { self.0.clone() }
    }

    /// Whether this is a whole folder, `src` or `src/**`, that has every file of the other claim.
    fn holds(&self, other: &Self) -> bool {
        let is_whole = !self.is_glob() || self.0.below(&self.base()).is_some_and(|rest| rest == "**");
        is_whole && other.base().is_within(&self.base())
    }

    fn is_glob(&self) -> bool {
        glob::has_glob_characters(self.0.as_bstr())
    }
}

impl fmt::Display for ClaimPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text.as_bytes()).unwrap()
    }

    fn claimed(text: &str) -> ClaimPath {
        ClaimPath::new(path(text)).unwrap()
    }

    /// Whether the two collide in a work tree with these files, asked from both sides.
    fn collide(one: &str, other: &str, files: &[&str]) -> bool {
        let (one, other) = (claimed(one), claimed(other));
        let of = |claim: &ClaimPath| -> Vec<RepoPath> {
            files.iter().map(|file| path(file)).filter(|file| claim.covers(file)).collect()
        };
        let found = one.collides(&other, &of(&one));
        assert_eq!(found, other.collides(&one, &of(&other)), "{one} and {other}");
        found
    }

    #[test]
    fn paths_collide_if_equal_if_both_cover_a_file_or_if_the_folder_of_one_holds_the_other() {
        let files = ["src/a.rs", "src/sub/b.rs", "docs/a.md"];
        for (one, other) in [
            ("src/a.rs", "./src//a.rs"),
            ("new", "new/"),
            ("src/*.rs", "*/a.rs"),
            ("**/*.rs", "src/sub/**"),
            ("src/{a,c}.rs", "src/[a-b].rs"),
            ("src", "src/sub/*.md"),
            ("new", "new/a.rs"),
            ("new/**", "new/a/b.rs"),
            ("new/**", "new/*.rs"),
            ("new/*.rs", "new/c.rs"),
            (".", "new/c.rs"),
            ("**", "new/?"),
        ] {
            assert!(collide(one, other, &files), "{one} and {other}");
        }
        for (one, other) in [
            ("src/a.rs", "src/b.rs"),
            ("src/*.rs", "src/*.md"),
            ("src/*.rs", "src/sub/*.rs"),
            ("src", "srcs/a.rs"),
            ("new/*.rs", "new/sub/c.rs"),
            ("new/a*", "new/*b"),
            ("docs", "src/**"),
        ] {
            assert!(!collide(one, other, &files), "{one} and {other}");
        }
    }

    #[test]
    fn a_name_with_glob_characters_is_a_file_too() {
        let page = claimed("app/[id]/page.tsx");
        assert!(page.covers(&path("app/[id]/page.tsx")) && page.covers(&path("app/i/page.tsx")));
        assert!(!page.covers(&path("app/x/page.tsx")));
        assert!(collide("app/[id]/page.tsx", "app/[id]", &["app/[id]/page.tsx"]));
    }

    #[test]
    fn a_path_is_spelled_one_way_and_what_cannot_be_matched_is_refused() {
        assert_eq!(ClaimPath::parse("src/*.rs"), Ok(claimed("./src/x/../*.rs")));
        assert_eq!((ClaimPath::parse(".").unwrap().as_text(), claimed(".").as_text()), (".".into(), ".".into()));
        for text in ["", "/a", "../a", "a/", "a//b", "./a", ".git/a", "a/[", "{a"] {
            assert!(ClaimPath::parse(text).is_err(), "{text}");
        }
        assert!(ClaimPath::new(RepoPath::from_git(b"a\xff".to_vec())).is_err());
        assert!(ClaimPath::new(path(&"*a".repeat(500))).is_err());
    }

    /// The rule, slow and obvious: every path that a short text can name is tried.
    fn judged(one: &str, other: &str, files: &[String]) -> bool {
        let is_glob = |text: &str| text.contains('*') || text.contains('?');
        let below =
            |text: &str, folder: &str| folder.is_empty() || text == folder || text.starts_with(&format!("{folder}/"));
        let covers = |claim: &str, file: &str| {
            below(file, claim) || {
                let (claim, file): (Vec<&str>, Vec<&str>) = (claim.split('/').collect(), file.split('/').collect());
                parts_match(&claim, &file)
            }
        };
        let mut there = files.to_vec();
        there.extend([one, other].into_iter().filter(|text| !is_glob(text)).map(str::to_owned));
        let folder = |text: &str| match text.strip_suffix("**") {
            Some(folder) if !is_glob(folder) => Some(folder.trim_end_matches('/').to_owned()),
            _ => (!is_glob(text)).then(|| text.to_owned()),
        };
        // the names before the first glob character; all files of the claim are below them
        let start = |text: &str| text.split('/').take_while(|part| !is_glob(part)).collect::<Vec<_>>().join("/");
        let holds = |one: &str, other: &str| folder(one).is_some_and(|folder| below(&start(other), &folder));
        one == other
            || there.iter().any(|file| covers(one, file) && covers(other, file))
            || holds(one, other)
            || holds(other, one)
    }

    fn parts_match(glob: &[&str], file: &[&str]) -> bool {
        match (glob, file) {
            ([], []) => true,
            // two stars at the end are something below, and elsewhere any number of folders
            (["**"], file) => !file.is_empty(),
            (["**", rest @ ..], file) => (0..=file.len()).any(|skip| parts_match(rest, &file[skip..])),
            ([part, rest @ ..], [name, names @ ..]) => {
                name_matches(part.as_bytes(), name.as_bytes()) && parts_match(rest, names)
            }
            _ => false,
        }
    }

    fn name_matches(glob: &[u8], name: &[u8]) -> bool {
        match (glob, name) {
            ([], []) => true,
            ([b'*', rest @ ..], name) => (0..=name.len()).any(|skip| name_matches(rest, &name[skip..])),
            ([b'?', rest @ ..], [_, names @ ..]) => name_matches(rest, names),
            ([byte, rest @ ..], [other, names @ ..]) => byte == other && name_matches(rest, names),
            _ => false,
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        prop::collection::vec("a|b|\\*|\\*\\*|a\\*|\\?|\\*b", 1..4).prop_map(|parts| parts.join("/"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn collisions_are_those_of_the_slow_judge(
            one in texts(), other in texts(), files in prop::collection::vec("[ab]{1,2}(/[ab]{1,2}){0,2}", 0..6)
        ) {
            let there: Vec<&str> = files.iter().map(String::as_str).collect();
            prop_assert_eq!(collide(&one, &other, &there), judged(&one, &other, &files), "{} and {}", one, other);
        }
    }
}
