//! The git program and its configuration, for commands that change the configuration.

use crate::error::Result;
use crate::sys;
use crate::text::shell;
use crate::text::spelled::spelled;
use std::path::{Path, PathBuf};

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
    /// The file that the one of the scope includes, if the line stands there (`include.path`).
    pub included: Option<PathBuf>,
}

/// The configuration that git uses in one directory, in git's order: the last value of a key decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GitSettings(Vec<ConfigLine>);

impl GitSettings {
    /// Reads the configuration in `dir`; in git's own directory if that is `None`.
    pub(crate) fn read(git: &dyn SetupGit, dir: Option<&Path>) -> Result<Self> {
        let inside = dir.map(Path::to_string_lossy);
        let place: Vec<&str> = inside.iter().flat_map(|dir| ["-C", dir]).collect();
        let run = |args: &[&str]| git.run(&[&place[..], args].concat());
        let mut read = Self::parse(&run(&["config", "--show-scope", "--show-origin", "-z", "--list"])?);
        let mut included = read.0.iter_mut().filter_map(|line| line.included.as_mut());
        if included.any(|file| file.is_relative()) {
            // git names files from the top of the work tree, or from the directory of a bare repository
            let bare = String::from_utf8_lossy(&run(&["rev-parse", "--is-bare-repository"])?).trim() == "true";
            let mut top = run(&["rev-parse", if bare { "--absolute-git-dir" } else { "--show-toplevel" }])?;
            top.pop_if(|last| *last == b'\n');
            let top = PathBuf::from(&*sys::native(&top));
            read.0.iter_mut().filter_map(|line| line.included.as_mut()).for_each(|file| *file = top.join(&*file));
        }
        Ok(read)
    }

    /// Parses `SCOPE NUL ORIGIN NUL KEY LF VALUE NUL`, repeated. The first line of a scope stands in the file of the scope, as
    /// the line that includes another file stands there.
    fn parse(listed: &[u8]) -> Self {
        let fields: Vec<&[u8]> = listed.split(|&byte| byte == 0).collect();
        let mut own: Vec<(&[u8], &[u8])> = Vec::new();
        let lines = fields.chunks_exact(3).map(|part| {
            let [scope, origin] = [part[0], part[1]];
            let known = own.iter().find(|(of, _)| *of == scope).map(|(_, own)| *own);
            let first = known.unwrap_or_else(|| {
                own.push((scope, origin));
                origin
            });
            let file = origin.strip_prefix(b"file:").filter(|_| origin != first);
            ConfigLine { included: file.map(|file| PathBuf::from(&*sys::native(file))), ..line(scope, part[2]) }
        });
        Self(lines.collect())
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

    /// The included file whose `key` wins over the file that [`Self::deciding_file`] names: git reads it after that file's own
    /// section.
    pub(crate) fn included(&self, key: &str) -> Option<&Path> {
        let file = self.deciding_file(key);
        let last = self.0.iter().rfind(|line| line.scope == file && line.key == key)?;
        last.included.as_deref()
    }

    /// The command that takes `key` out of every included file with a value that would win over the file that
    /// [`Self::deciding_file`] names: without the last one the one before it wins. `None` if none does.
    pub(crate) fn unset_included(&self, key: &str) -> Option<String> {
        let file = self.deciding_file(key);
        let lines = self.0.iter().rev().filter(|line| line.scope == file && line.key == key);
        let mut files: Vec<&Path> = Vec::new();
        for included in lines.map_while(|line| line.included.as_deref()) {
            if !files.contains(&included) {
                files.push(included);
            }
        }
        let unset =
            |file: &Path| format!("git config --file {} --unset-all {key}", shell::word(&file.to_string_lossy()));
        let commands: Vec<String> = files.into_iter().map(unset).collect();
        (!commands.is_empty()).then(|| commands.join(" && "))
    }

    /// The option with which a command sets `key` where it decides, for example `--worktree` or `--file /r/team.config`.
    pub(crate) fn deciding_option(&self, key: &str) -> String {
        match self.included(key) {
            Some(file) => format!("--file {}", shell::word(&file.to_string_lossy())),
            None => self.deciding_file(key).flag(),
        }
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
    ConfigLine { scope, key: key.to_owned(), value: value.to_owned(), included: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_without_a_value_and_values_with_newlines_survive() {
        let read = GitSettings::parse(b"local\0file:c\0a.b\nx\ny\0global\0file:g\0c.d\0");
        assert_eq!(read.values("a.b"), ["x\ny"]);
        assert_eq!(read.values("c.d"), [""]);
        assert_eq!(read.values_in(GitScope::Local, "c.d"), [""; 0]);
    }

    #[test]
    fn the_file_that_decides_is_the_one_to_write() {
        let lines = [
            "global a.b\n1",
            "local a.b\n2",
            "worktree c.d\n3",
            "local c.d\n4",
            "local e.f\n",
            "command e.f\n",
            "worktree g.h",
        ];
        let listed: String = lines.map(|line| line.replacen(' ', "\0file:f\0", 1) + "\0").concat();
        let read = GitSettings::parse(listed.as_bytes());
        let files = ["a.b", "c.d", "e.f", "g.h", "i.j"].map(|key| read.deciding_file(key));
        let [local, own] = [GitScope::Local, GitScope::Worktree];
        assert_eq!(files, [local, own, local, own, local]);
        assert!(read.is_from_environment("e.f") && !read.is_from_environment("a.b"));
        assert_eq!(read.value("a.b"), Some("2"));
    }

    #[test]
    fn an_included_file_that_decides_is_named() {
        let lines = [
            "global file:/g include.path\n/all",
            "global file:/all a.b\n0",
            "local file:.git/config include.path\n../team",
            "local file:.git/../team a.b\n1",
            "local file:.git/../team c.d\n1",
            "local file:.git/config c.d\n2",
            "local file:.git/../team e.f\n1",
            "worktree file:.git/config.worktree e.f\n2",
        ];
        let listed: String = lines.map(|line| line.replacen(' ', "\0", 2) + "\0").concat();
        let read = GitSettings::parse(listed.as_bytes());
        assert_eq!(read.included("a.b"), Some(Path::new(".git/../team")));
        assert_eq!(["c.d", "e.f", "g.h"].map(|key| read.included(key)), [None; 3]);
        let options = ["a.b", "c.d", "e.f"].map(|key| read.deciding_option(key));
        assert_eq!(options, ["--file .git/../team", "--local", "--worktree"]);
    }
}
