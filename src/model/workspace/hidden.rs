//! Finds files of yatsu-hook on disk that git ignores. Checks of git's content cannot see them.

use super::catalog::Ours;
use crate::error::Result;
use crate::model::config::Config;
use crate::text::{plural, shell};
use crate::tree::path::RepoPath;
use crate::tree::{IgnoreRule, Ignored, Tree};

/// The files that one ignore rule hides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// A whole root, or the first of the files.
    pub path: RepoPath,
    pub is_root: bool,
    /// The hidden files of yatsu-hook, sorted.
    pub files: Vec<RepoPath>,
    /// The ignore rule that hides them, with its file and line.
    pub rule: IgnoreRule,
}

impl Hidden {
    /// The hidden files and the rule, as one sentence.
    pub(crate) fn sentence(&self) -> String {
        let rule = self.rule.words();
        let files = plural(self.files.len(), "file");
        match (self.is_root, self.files.len()) {
            (true, _) => format!(
                "{} is hidden by {rule}: git and every check pass over {files} below it that this program reads",
                self.path
            ),
            (false, 1) => format!("{} is hidden by {rule}: git and every check pass over it", self.path),
            _ => format!(
                "{} is hidden by {rule}: git and every check pass over it; that rule hides {files} in all",
                self.path
            ),
        }
    }

    /// The way to make git see it.
    pub(crate) fn repair(&self) -> String {
        let pattern = if self.is_root { format!("!/{}/", self.path) } else { format!("!{}", self.path.name()) };
        let place = if self.rule.tracked_file().is_some() { "below it" } else { "into .gitignore" };
        format!("narrow that rule, or write `{pattern}` {place}; then: git add -- {}", shell::place(&self.path))
    }
}

/// The hidden files in `tree`: one entry for each hidden root, and one for each other rule.
///
/// # Errors
/// When git cannot list the ignored files.
pub(crate) fn hidden(tree: &dyn Tree, config: &Config) -> Result<Vec<Hidden>> {
    let ours = Ours::new(config);
    let files = tree.hidden(&config.roots, &|path| ours.is_read(path))?;
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let with_files = |root: &&RepoPath| !root.is_root() && files.iter().any(|file| file.path.is_within(root));
    let roots: Vec<RepoPath> = config.roots.iter().filter(with_files).cloned().collect();
    let mut found: Vec<Hidden> = tree.ignored(&roots)?.into_iter().map(|root| of(root, true)).collect();
    for file in files {
        match found.iter_mut().find(|hidden| hides(hidden, &file)) {
            Some(hidden) => hidden.files.push(file.path),
            None => found.push(Hidden { files: vec![file.path.clone()], ..of(file, false) }),
        }
    }
    Ok(found)
}

fn of(ignored: Ignored, is_root: bool) -> Hidden {
    Hidden { path: ignored.path, is_root, files: Vec::new(), rule: ignored.rule }
}

fn hides(hidden: &Hidden, file: &Ignored) -> bool {
    if hidden.is_root { file.path.is_within(&hidden.path) } else { hidden.rule == file.rule }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_outside_of_the_tree_is_mended_in_it() {
        let rule = |file: &str| IgnoreRule { file: file.into(), line: 3, pattern: "*.spec".into() };
        let hidden =
            |file| Hidden { path: RepoPath::from_git(".spec"), is_root: true, files: Vec::new(), rule: rule(file) };
        assert!(hidden("sub/.gitignore").repair().contains("`!/.spec/` below it"));
        for file in [".git/info/exclude", "/home/me/.gitignore", "../x/.gitignore"] {
            assert!(hidden(file).repair().contains("into .gitignore"), "{file}");
        }
    }
}
