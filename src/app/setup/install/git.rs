//! The git queries of an installation as a trait, and the facts gathered through it. Only the adapter at the end knows the
//! runner.

use super::InstallRequest;
use crate::app::site::setup_git::SetupGit;
use crate::error::{Error, Result};
use crate::sys;
use std::path::{Path, PathBuf};

/// The part of git's version that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl Version {
    /// The first version that runs hooks in its configuration (`hook.<name>.command`).
    pub(crate) const CONFIG_HOOKS: Self = Self { major: 2, minor: 54 };

    /// The version in the output of `git version`, vendor suffixes ignored.
    pub(crate) fn parse(said: &str) -> Option<Self> {
        let mut numbers = said.trim().strip_prefix("git version ")?.split(['.', ' ', '-']);
        let mut next = || numbers.next()?.parse().ok();
        Some(Self { major: next()?, minor: next()? })
    }

    pub(crate) fn of(git: &dyn SetupGit) -> Result<Self> {
        let said = text(git.run(&["version"])?)?;
        Self::parse(&said).ok_or_else(|| Error::odd_git(format!("`git version` said {said:?}, which is no version")))
    }

    /// Whether this git runs hooks in its configuration.
    pub(crate) fn runs_config_hooks(self) -> bool {
        self >= Self::CONFIG_HOOKS
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// One line of git's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigLine {
    /// The key, section and name in lower case.
    pub key: String,
    /// The value; empty for a key without one.
    pub value: String,
}

/// The facts about a repository for an installation.
#[derive(Clone, Debug)]
pub(crate) struct GitSetup {
    pub version: Version,
    /// The top of the work tree; `None` in a bare repository.
    pub top: Option<PathBuf>,
    /// The directory that all worktrees share.
    pub common: PathBuf,
    /// The directory in which git looks for hooks (`core.hooksPath` applied).
    pub hooks: PathBuf,
    /// The repository's own configuration.
    pub local: Vec<ConfigLine>,
    /// The user's configuration; read only if git runs hooks in it.
    pub global: Vec<ConfigLine>,
}

impl GitSetup {
    /// Reads the facts from git. Fails outside a repository.
    pub(crate) fn gather(git: &dyn SetupGit, request: &InstallRequest) -> Result<Self> {
        let version = Version::of(git)?;
        let bare = text(git.run(&["rev-parse", "--is-bare-repository"])?)? == "true";
        let top = if bare { None } else { Some(path(git, &["rev-parse", "--show-toplevel"], &request.here)?) };
        Ok(Self {
            version,
            top,
            common: path(git, &["rev-parse", "--git-common-dir"], &request.here)?,
            hooks: path(git, &["rev-parse", "--git-path", "hooks"], &request.here)?,
            local: settings(&git.run(&["config", "--local", "-z", "--list"])?),
            global: if version.runs_config_hooks() { global(git)? } else { Vec::new() },
        })
    }
}

/// The user's settings. Filtered from the whole list, because `--global --list` fails without the file.
pub(super) fn global(git: &dyn SetupGit) -> Result<Vec<ConfigLine>> {
    let said = git.run(&["config", "--show-scope", "-z", "--list"])?;
    let fields: Vec<&[u8]> = said.split(|&byte| byte == 0).collect();
    let pairs = fields.chunks_exact(2);
    Ok(pairs.filter(|pair| pair[0] == b"global").map(|pair| setting(pair[1])).collect())
}

/// The values of `key`, in order.
pub(in crate::app) fn values<'a>(settings: &'a [ConfigLine], key: &str) -> Vec<&'a str> {
    settings.iter().filter(|setting| setting.key == key).map(|setting| setting.value.as_str()).collect()
}

fn settings(listed: &[u8]) -> Vec<ConfigLine> {
    listed.split(|&byte| byte == 0).filter(|line| !line.is_empty()).map(setting).collect()
}

fn setting(line: &[u8]) -> ConfigLine {
    let line = String::from_utf8_lossy(line);
    let (key, value) = line.split_once('\n').unwrap_or((&line, ""));
    ConfigLine { key: key.to_owned(), value: value.to_owned() }
}

fn text(said: Vec<u8>) -> Result<String> {
    let said = String::from_utf8(said).map_err(|_| Error::odd_git("git answered with bytes that are not UTF-8"))?;
    Ok(said.trim_end_matches('\n').to_owned())
}

/// A path that git prints, which may be relative to where it ran.
pub(in crate::app) fn path(git: &dyn SetupGit, args: &[&str], here: &Path) -> Result<PathBuf> {
    let mut said = git.run(args)?;
    if said.last() == Some(&b'\n') {
        said.pop();
    }
    Ok(joined(here, Path::new(&sys::native(&said))))
}

/// `said` as a path from `here`, which is a real directory. Leading `..` are resolved, so that the same place has the same
/// name in every current directory.
fn joined(here: &Path, said: &Path) -> PathBuf {
    let (mut from, mut rest) = (here, said);
    while let (Ok(after), Some(parent)) = (rest.strip_prefix(".."), from.parent()) {
        (from, rest) = (parent, after);
    }
    sys::spelled(from.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_from_below_is_the_place_that_it_says_from_the_top() {
        for (here, said, place) in [
            ("/r", ".git/hooks", "/r/.git/hooks"),
            ("/r/a/b", "../../.git/hooks", "/r/.git/hooks"),
            ("/r/a", "/elsewhere/hooks", "/elsewhere/hooks"),
            ("/r/a", "hooks/../own", "/r/a/hooks/../own"),
            ("/", "../x", "/../x"),
        ] {
            assert_eq!(joined(Path::new(here), Path::new(said)), Path::new(place), "{here} {said}");
        }
    }

    #[test]
    fn versions_compare_by_number_and_vendors_are_ignored() {
        let of = |said| Version::parse(said).expect("a version");
        assert!(!of("git version 2.9.5\n").runs_config_hooks());
        assert!(!of("git version 2.53.0 (Apple Git-154)").runs_config_hooks());
        assert!(of("git version 2.54.0-rc1").runs_config_hooks());
        assert!(of("git version 3.0").runs_config_hooks());
        assert_eq!(Version::parse("hub version 1"), None);
    }

    #[test]
    fn settings_without_a_value_and_values_with_newlines_survive() {
        let read = settings(b"a.b\nx\ny\0c.d\0");
        assert_eq!(values(&read, "a.b"), ["x\ny"]);
        assert_eq!(values(&read, "c.d"), [""]);
    }
}
