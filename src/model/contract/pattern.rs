//! The names that an `artifactPattern` matches. No file is opened: the pattern is compared with given names.

use crate::model::glob;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use globset::GlobMatcher;
use std::fmt;

/// A pattern over file names, within the limits of globs and inside the repository.
#[derive(Clone)]
pub struct ArtifactPattern {
    text: String,
    matcher: GlobMatcher,
    /// Its last part, if that contains more than wildcards.
    last: Option<GlobMatcher>,
}

impl ArtifactPattern {
    /// The pattern in `text`; an error is the end of a sentence.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(what) = unsafe_part(text) {
            return Err(format!("is an unsafe pattern: {what}"));
        }
        let spelled = text.trim_start_matches("./");
        if spelled.is_empty() || spelled.ends_with('/') {
            return Err("names no file".to_owned());
        }
        let matcher = glob::compile(spelled).map_err(|problem| problem.to_string())?;
        let last = spelled.rsplit('/').next().filter(|last| last.contains(char::is_alphanumeric));
        // a part of a pattern may be no valid glob: `{a/b` of `{a/b,c}`
        let last = last.and_then(|last| glob::compile(last).ok());
        Ok(Self { text: spelled.to_owned(), matcher, last })
    }

    /// As written, without a leading `./`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches `name`, relative to the top or to `dir`.
    pub fn is_match_below(&self, name: &RepoPath, dir: &RepoPath) -> bool {
        let below = || name.below(dir).is_some_and(|rest| self.is_match(&RepoPath::from_git(rest)));
        self.is_match(name) || below()
    }

    /// How closely it matches `name`: 0 if it would match in another directory, 1 if only the last parts match.
    pub fn nearness(&self, name: &RepoPath) -> Option<u8> {
        let ends = name.as_bstr().find_iter(b"/").map(|slash| &name.as_bstr()[slash + 1..]);
        if ends.chain([name.as_bstr()]).any(|end| self.is_match(&RepoPath::from_git(end))) {
            return Some(0);
        }
        // a pattern that ends in a bare `*` would be close to every name
        let last = self.last.as_ref()?;
        glob::is_match(last, &RepoPath::from_git(name.name())).then_some(1)
    }

    /// Whether it matches `name`: a pattern with a `/` is compared with the whole name, any other with its last part.
    pub fn is_match(&self, name: &RepoPath) -> bool {
        if self.text.contains('/') {
            return glob::is_match(&self.matcher, name);
        }
        glob::is_match(&self.matcher, &RepoPath::from_git(name.name()))
    }
}

impl PartialEq for ArtifactPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for ArtifactPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// The part of `text` that leads out of the repository, for any kind of reader.
fn unsafe_part(text: &str) -> Option<&'static str> {
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    // also inside braces, which may hold whole paths
    let parts = || text.split(['/', '\\', '{', '}', ',']);
    [
        (parts().any(|part| part == ".."), "`..` leaves the repository"),
        (text.starts_with(['/', '\\']) || drive || text.contains("{/") || text.contains(",/"), "it is absolute"),
        (parts().any(|part| part.starts_with('~')), "`~` is a home directory to a shell"),
    ]
    .into_iter()
    .find_map(|(is_so, what)| is_so.then_some(what))
}
