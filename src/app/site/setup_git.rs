//! The git program and its configuration, for commands that change the configuration.

use crate::error::Result;
use crate::text::spelled::spelled;
use std::path::Path;

/// The git program for an installation.
///
/// It must run in [`InstallRequest::here`] and must **not** override `core.hooksPath`, because the setup asks for the real
/// place of the hooks.
///
/// [`InstallRequest::here`]: crate::app::setup::install::InstallRequest::here
pub trait SetupGit {
    /// Runs git with `args` and returns its standard output. Fails unless git exits 0, with git's message in the error.
    fn run(&self, args: &[&str]) -> Result<Vec<u8>>;
}

impl SetupGit for crate::repo::program::Git {
    fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        self.as_user(args)
    }
}

spelled! {
    /// A source of git's configuration, as `git config --show-scope` names it. A later one wins.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum GitScope {
        /// The machine's file.
        System = "system",
        /// The user's files.
        Global = "global",
        /// The repository's file.
        Local = "local",
        /// The worktree's own file, `config.worktree`.
        Worktree = "worktree",
        /// The environment (`GIT_CONFIG_COUNT`), or `git -c`. No file, so nothing can be written there.
        Command = "command",
    }
}

impl GitScope {
    /// The option of `git config` for this file.
    pub(crate) fn flag(self) -> String {
        format!("--{}", self.as_str())
    }
}

/// One line of git's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigLine {
    /// The source of the line.
    pub scope: GitScope,
    /// The key, section and name in lower case.
    pub key: String,
    /// The value; empty for a key without one.
    pub value: String,
}

/// The configuration that git uses in one directory, in git's order: the last value of a key decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GitSettings(Vec<ConfigLine>);

impl GitSettings {
    /// Reads the configuration in `dir`; in git's own directory if that is `None`.
    pub(crate) fn read(git: &dyn SetupGit, dir: Option<&Path>) -> Result<Self> {
        let list = ["config", "--show-scope", "-z", "--list"];
        let Some(dir) = dir else { return Ok(Self::parse(&git.run(&list)?)) };
        Ok(Self::parse(&git.run(&[&["-C", &*dir.to_string_lossy()], &list[..]].concat())?))
    }

    /// Parses `SCOPE NUL KEY LF VALUE NUL`, repeated.
    fn parse(listed: &[u8]) -> Self {
        let fields: Vec<&[u8]> = listed.split(|&byte| byte == 0).collect();
        Self(fields.chunks_exact(2).map(|pair| line(pair[0], pair[1])).collect())
    }

    /// Every line, in git's order.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &ConfigLine> {
        self.0.iter()
    }

    /// The values of `key` from every source, in git's order.
    pub(crate) fn values(&self, key: &str) -> Vec<&str> {
        self.0.iter().filter(|line| line.key == key).map(|line| line.value.as_str()).collect()
    }

    /// The values of `key` in one file, in order.
    pub(crate) fn values_in(&self, scope: GitScope, key: &str) -> Vec<&str> {
        self.0.iter().filter(|line| line.scope == scope && line.key == key).map(|line| line.value.as_str()).collect()
    }

    /// The value of `key` that decides.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.values(key).last().copied()
    }

    /// The file in which a new value of `key` decides here: the worktree's own file if that holds the key, else the
    /// repository's.
    pub(crate) fn deciding_file(&self, key: &str) -> GitScope {
        let is_own = |line: &&ConfigLine| line.scope == GitScope::Worktree && line.key == key;
        self.0.iter().find(is_own).map_or(GitScope::Local, |line| line.scope)
    }

    /// Whether the environment decides `key`, against every file.
    pub(crate) fn is_from_environment(&self, key: &str) -> bool {
        self.0.iter().any(|line| line.scope == GitScope::Command && line.key == key)
    }
}

fn line(scope: &[u8], line: &[u8]) -> ConfigLine {
    // a source that a newer git has is weaker than the repository's file, as all of its kind are
    let scope = GitScope::parse(&String::from_utf8_lossy(scope)).unwrap_or(GitScope::System);
    let line = String::from_utf8_lossy(line);
    let (key, value) = line.split_once('\n').unwrap_or((&line, ""));
    ConfigLine { scope, key: key.to_owned(), value: value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_without_a_value_and_values_with_newlines_survive() {
        let read = GitSettings::parse(b"local\0a.b\nx\ny\0global\0c.d\0");
        assert_eq!(read.values("a.b"), ["x\ny"]);
        assert_eq!(read.values("c.d"), [""]);
        assert_eq!(read.values_in(GitScope::Local, "c.d"), [""; 0]);
    }

    #[test]
    fn the_file_that_decides_is_the_one_to_write() {
        let read = GitSettings::parse(
            b"global\0a.b\n1\0local\0a.b\n2\0worktree\0c.d\n3\0local\0c.d\n4\0local\0e.f\n\0command\0e.f\n\0worktree\0g.h\0",
        );
        let files = ["a.b", "c.d", "e.f", "g.h", "i.j"].map(|key| read.deciding_file(key));
        let [local, own] = [GitScope::Local, GitScope::Worktree];
        assert_eq!(files, [local, own, local, own, local]);
        assert!(read.is_from_environment("e.f") && !read.is_from_environment("a.b"));
        assert_eq!(read.value("a.b"), Some("2"));
    }
}
