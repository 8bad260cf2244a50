//! The only code that starts the git program. A question in, git's answer out as plain data. It is for repositories that
//! libgit2 reads wrongly, and for questions that only git answers exactly. It never runs `status`, a textual difference, or
//! anything that could start another program: a hook, a filter, a pager, a monitor, a transport. It writes nothing.
//!
//! [`network`] holds the second way to start git, with transports, for data that the user asked to share. It works in a bare
//! repository of this program and never in the user's.

mod attributes;
pub(crate) mod cloud;
mod config;
pub mod network;
mod parse;
mod query;
mod run;
pub(crate) mod search_path;
pub(crate) mod ssh_keygen;
mod store;
mod version;
pub(crate) mod viewer;

pub use attributes::{AttributeReader, AttributeValue};
pub(crate) use config::{GitConfig, ScopedConfig, truth};
pub(crate) use query::is_remote_name;
pub use query::{NewCommit, NewCommits};
pub use run::Limits;
pub use store::ProgramStore;
pub(crate) use version::Version;

use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::sys;
use crate::text::shell;
use crate::text::withheld::Withheld;
use run::{Answer, Errors, Running};
use search_path::SearchPath;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variables that git may see, after the reason. All others are dropped: `GIT_TRACE*` would mix into its
/// output, `GIT_EXTERNAL_DIFF`, `GIT_PAGER`, `GIT_SSH*`, `GIT_ASKPASS`, `GIT_EXEC_PATH` name programs.
const KEPT: &[(&str, &[&str])] = &[
    ("the user's configuration", &["HOME", "XDG_CONFIG_HOME"]),
    ("a git outside the system directories finds its libraries", &["LD_LIBRARY_PATH"]),
    (
        "git's ownership check under sudo, and a stricter one for tests",
        &["SUDO_UID", "GIT_TEST_ASSUME_DIFFERENT_OWNER"],
    ),
    ("an author without an address has no name for git, either", &["GIT_AUTHOR_EMAIL", "EMAIL"]),
    ("which repository: in linked worktrees and receive hooks", &["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"]),
    ("which index: `commit -a` and partial commits stage into another file", &["GIT_INDEX_FILE"]),
    ("pushed objects wait in quarantine", &["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]),
    ("pushed objects wait in quarantine", &["GIT_QUARANTINE_PATH"]),
    ("a shallow push brings its own boundary", &["GIT_SHALLOW_FILE"]),
    ("where the search ends", &["GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"]),
    ("which configuration", &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]),
    ("configuration given with the command", &["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"]),
    ("which attributes", &["GIT_ATTR_NOSYSTEM", "GIT_ATTR_SOURCE"]),
];

/// Numbered variables that belong to `GIT_CONFIG_COUNT`.
const KEPT_PREFIXES: &[&str] = &["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// Variables set for every child, whatever the user's environment has.
const SET: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // git before 2.44 does not know GIT_NO_LAZY_FETCH: an empty list of protocols allows no transport at all
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    // judge the objects themselves: a replace ref or a graft, which a push may bring, would substitute others
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    // a file that cannot exist: with an empty file git would print advice about grafts
    ("GIT_GRAFT_FILE", sys::NO_FILE),
];

/// The memory limit of a git that reads untrusted data: a few bytes can ask for terabytes.
const MEMORY: u64 = 384 << 20;

/// The options before every verb.
const OPTIONS: &[&str] = &["--no-pager", "--no-optional-locks", "--literal-pathspecs"];

/// The configuration for every run, each passed with `-c`.
const SETTINGS: &[&str] = &["core.fsmonitor=false", sys::NO_HOOKS, "safe.bareRepository=explicit"];

/// The git program, ready to answer for one repository.
#[derive(Clone, Debug)]
pub struct Git {
    program: PathBuf,
    dir: PathBuf,
    environment: Vec<(OsString, OsString)>,
    options: &'static [&'static str],
    settings: &'static [&'static str],
    limits: Limits,
    /// Secrets to remove from git's error messages.
    withheld: Withheld,
}

impl Git {
    /// Finds git in the entries of `PATH` in `environment`: see [`search_path`]. `dir` is where git is started: the work tree's
    /// top, or the directory for relative values such as `GIT_DIR=.`. Fails with `Unchecked` if there is no git.
    pub fn locate(environment: &[(OsString, OsString)], dir: &Path) -> Result<Self> {
        Self::among(&SearchPath::around(environment, dir), environment, dir)
    }

    /// The same for an opened repository, which is not searched again.
    pub(super) fn of(repo: &Repo) -> Result<Self> {
        Self::among(&SearchPath::of(&repo.env.all, repo), &repo.env.all, &repo.cwd)
    }

    fn among(search: &SearchPath, environment: &[(OsString, OsString)], dir: &Path) -> Result<Self> {
        let (program, path) = find(search)?;
        let mut kept: Vec<_> = environment.iter().filter(|(name, _)| is_kept(name)).cloned().collect();
        kept.push(path);
        kept.extend(SET.iter().map(|(name, value)| (name.into(), value.into())));
        let (dir, limits, withheld) = (dir.to_owned(), Limits::default(), Withheld::default());
        Ok(Self { program, dir, environment: kept, options: OPTIONS, settings: SETTINGS, limits, withheld })
    }

    /// The same git with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same git for the repository in `git_dir`, without a search. git does not check the owner of a repository that is
    /// named like this, so the caller must have checked.
    #[must_use]
    pub fn with_git_dir(mut self, git_dir: &Path) -> Self {
        self.set("GIT_DIR", git_dir);
        self
    }

    /// The same git for another index file, which must be an absolute path.
    #[must_use]
    pub(crate) fn with_index_file(mut self, index: &Path) -> Self {
        self.set("GIT_INDEX_FILE", index);
        self
    }

    fn set(&mut self, variable: &str, path: &Path) {
        self.environment.retain(|(name, _)| name != variable);
        self.environment.push((variable.into(), path.into()));
    }

    /// The same git for the repository at `dir/.git`, a directory or a file. Nothing is searched, so an enclosing repository
    /// never answers instead. Variables that name the current repository are not passed on.
    fn elsewhere(&self, dir: &Path) -> Self {
        let mut other = self.clone();
        let names_ours = |name: &OsStr| {
            let text = name.to_string_lossy();
            let for_all = text.starts_with("GIT_CONFIG") || SET.iter().any(|(set, _)| *set == text);
            text.starts_with("GIT_") && !for_all
        };
        other.environment.retain(|(name, _)| !names_ours(name));
        other.dir = dir.to_owned();
        other.with_git_dir(&dir.join(".git"))
    }

    /// Starts git with `arguments`: the verb and its arguments, possibly after options of git itself.
    fn start<A: AsRef<OsStr>>(&self, arguments: &[A], stdin: Stdio, errors: Errors) -> Result<Running> {
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        // skip options of git itself, and the settings after `-c`
        let is_verb = |at: usize| !words[at].starts_with('-') && (at == 0 || words[at - 1] != "-c");
        let verb = (0..words.len()).find(|at| is_verb(*at)).map_or("", |at| &words[at]);
        let mut command = self
            .limits
            .file
            .map_or_else(|| Command::new(&self.program), |bytes| sys::limited(&self.program, bytes, MEMORY));
        command.current_dir(&self.dir).env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.args(self.options).args(self.settings.iter().flat_map(|setting| ["-c", setting]));
        command.args(arguments).stdin(stdin);
        Running::spawn(command, errors, self.limits, format!("git {verb}"))
    }

    /// Runs git to its end and accepts any exit code.
    fn ask<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Answer> {
        self.cleared(self.start(arguments, Stdio::null(), Errors::Apart)?.collect(None))
    }

    /// Like [`Self::ask`], with `input` on standard input.
    fn ask_with<A: AsRef<OsStr>>(&self, arguments: &[A], input: Vec<u8>) -> Result<Answer> {
        self.cleared(self.start(arguments, Stdio::piped(), Errors::Apart)?.collect(Some(input)))
    }

    /// Removes secrets from the answer, before any of it is cut or quoted.
    fn cleared(&self, answer: Result<Answer>) -> Result<Answer> {
        if self.withheld.is_empty() {
            return answer;
        }
        match answer {
            Ok(mut answer) => {
                answer.err = self.withheld.cleared(&String::from_utf8_lossy(&answer.err)).into_bytes();
                Ok(answer)
            }
            Err(mut error) => {
                error.message = self.withheld.cleared(&error.message);
                Err(error)
            }
        }
    }

    /// git's output; any exit code except 0 is an error that quotes git.
    fn demand<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<u8>> {
        self.refuse_failure(self.ask(arguments)?).map(|answer| answer.out)
    }

    /// The answer, unless git failed.
    fn refuse_failure(&self, answer: Answer) -> Result<Answer> {
        if answer.code == Some(0) { Ok(answer) } else { Err(self.failure(&answer)) }
    }

    /// Runs git with the user's configuration, hooks path included, and returns its output. For installing, where the
    /// question is how the user's git behaves.
    pub(crate) fn as_user(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.dir).env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.args(["--no-pager", "-c", "core.fsmonitor=false"]).args(arguments).stdin(Stdio::null());
        let verb = if let ["-C", _, rest @ ..] = arguments { rest } else { arguments }.first();
        let what = format!("git {}", verb.unwrap_or(&""));
        let answer = Running::spawn(command, Errors::Apart, self.limits, what)?.collect(None)?;
        self.refuse_failure(answer).map(|answer| answer.out)
    }

    /// The error for a git that failed.
    fn failure(&self, answer: &Answer) -> Error {
        let ended = answer.code.map_or_else(|| "was killed".into(), |code| format!("failed with exit code {code}"));
        let error = Error::unchecked(format!("{} {ended}: {}", answer.what, answer.quoted()));
        if answer.quoted().contains("dubious ownership") {
            let dir = shell::word(&self.dir.to_string_lossy());
            return error.hint(format!("git config --global --add safe.directory {dir}"));
        }
        // the words of every git from 2.31 to 2.55
        if ["corrupt", "object file", "inflate", "header for"].iter().any(|word| answer.quoted().contains(word)) {
            return error.hint(store::REMEDY);
        }
        error.hint(format!("run `{}` in {} to see what git says", answer.what, self.dir.display()))
    }
}

/// The git program, and the `PATH` for it. `dir` is where git is started: a program in the repository around it is never found.
fn find(search: &SearchPath) -> Result<(PathBuf, (OsString, OsString))> {
    let program = search.program("git").ok_or_else(|| {
        Error::unchecked("the git program was not found in PATH")
            .hint("install git, or add the directory that holds it to PATH by its absolute name; no directory of the repository counts")
    })?;
    Ok((program, ("PATH".into(), search.variable())))
}

/// Ends every child with network access and its descendants, because their results are not needed any more.
pub(crate) fn end_children() {
    sys::end_all();
}

fn is_kept(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    sys::STARTING.contains(&name)
        || KEPT.iter().any(|(_, kept)| kept.contains(&name))
        || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_holds_a_child_to_its_limits() {
        let scratch = tempfile::tempdir().expect("a directory");
        let environment = [("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
        let git = Git::locate(&environment, scratch.path()).expect("git");
        let git = git.with_limits(Limits { file: Some(1 << 20), ..Limits::default() });
        let told = git.demand(&["-c", "alias.x=!ulimit -f && ulimit -v", "x"]).expect("an answer");
        let told = String::from_utf8(told).expect("text");
        assert_eq!(told.lines().next(), Some("2048"), "blocks of 512 bytes");
        assert!(cfg!(not(target_os = "linux")) || told.lines().nth(1) == Some("393216"), "{told}");
    }

    #[test]
    fn the_offline_way_to_start_git_allows_no_transport_and_hands_on_no_credentials() {
        let scratch = tempfile::tempdir().expect("a directory");
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
            ("GIT_ALLOW_PROTOCOL".into(), "file".into()),
        ];
        let secrets =
            ["SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_ASKPASS", "https_proxy", "GIT_SSL_CERT", "SSL_CERT_FILE"];
        environment.extend(secrets.iter().map(|name| ((*name).into(), "x".into())));
        let git = Git::locate(&environment, scratch.path()).expect("git");
        assert!(!git.environment.iter().any(|(name, _)| secrets.iter().any(|secret| name == secret)));
        git.demand(&["init", "--quiet"]).expect("a repository");
        git.demand(&["init", "--quiet", "--bare", "there.git"]).expect("a repository");
        let there = format!("file://{}/there.git", scratch.path().display());
        for url in
            [&there, "git://127.0.0.1/x", "http://127.0.0.1/x", "https://127.0.0.1/x", "ssh://127.0.0.1/x", "ext::id"]
        {
            for arguments in [["ls-remote", url].as_slice(), &["fetch", url, "a:b"], &["push", url, ":b"]] {
                let answer = git.ask(arguments).expect("an answer");
                assert!(answer.quoted().contains("not allowed"), "{arguments:?}: {}", answer.quoted());
            }
        }
    }
}
