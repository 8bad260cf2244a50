//! The version of the git program, and the versions from which git has what this program needs.

use super::Git;
use crate::error::{Error, Result};
use bstr::ByteSlice;

/// The part of git's version that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl Version {
    /// The oldest version that every verb works with: it brought `GIT_CONFIG_COUNT`, by which sharing hands the user's
    /// remote to git.
    pub(crate) const OLDEST: Self = Self { major: 2, minor: 31 };
    /// The first version that runs hooks in its configuration (`hook.<name>.command`).
    pub(crate) const CONFIG_HOOKS: Self = Self { major: 2, minor: 54 };

    /// The version in the output of `git version`, vendor suffixes ignored.
    ///
    /// # Errors
    /// Unchecked if there is none.
    pub(crate) fn parse(said: &[u8]) -> Result<Self> {
        let numbers = said.trim().strip_prefix(b"git version ").and_then(|rest| rest.to_str().ok());
        let mut numbers = numbers.unwrap_or_default().split(['.', ' ', '-']).map_while(|number| number.parse().ok());
        match (numbers.next(), numbers.next()) {
            (Some(major), Some(minor)) => Ok(Self { major, minor }),
            _ => Err(Error::odd_git(format!("`git version` said {:?}, which is no version", said.trim().as_bstr()))),
        }
    }

    /// Whether this git runs hooks in its configuration.
    pub(crate) fn runs_config_hooks(self) -> bool {
        self >= Self::CONFIG_HOOKS
    }

    /// A sentence about a git that is too old.
    pub(crate) fn too_old(self) -> Option<String> {
        (self < Self::OLDEST).then(|| format!("git {self} is too old: yatsu-hook needs git {} or later", Self::OLDEST))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Git {
    /// `error`, or what is wrong with a git that is too old: such a git fails with a message about something else.
    pub(super) fn unless_too_old(&self, error: Error) -> Error {
        let version = self.demand(&["version"]).and_then(|said| Version::parse(&said));
        match version.ok().and_then(Version::too_old) {
            Some(old) => Error::unchecked(old).hint("update git").hint(error.message),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number_and_vendors_are_ignored() {
        let of = |said: &str| Version::parse(said.as_bytes()).expect("a version");
        assert!(!of("git version 2.9.5\n").runs_config_hooks());
        assert!(!of("git version 2.53.0 (Apple Git-154)").runs_config_hooks());
        assert!(of("git version 2.54.0-rc1").runs_config_hooks());
        assert!(of("git version 3.0").runs_config_hooks());
        assert!(of("git version 2.30.9").too_old().is_some() && of("git version 2.31.0").too_old().is_none());
        assert!(Version::parse(b"hub version 1").is_err() && Version::parse(b"git version x.1").is_err());
    }
}
