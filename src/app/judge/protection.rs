//! Decides which branches are protected: readings must not get lost there, and reached goals must stay reached.

use crate::model::config::Config;
use bstr::{BStr, BString, ByteSlice};

/// The usual names of the main branch if the configuration names none; the default branch counts too.
pub(crate) const MAIN: [&str; 2] = ["main", "master"];

/// The branch that a push updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PushTarget {
    /// Whether it is the main branch.
    pub(crate) is_main: bool,
    /// Whether it is protected; the main branch always is.
    pub(crate) is_protected: bool,
    /// Whether no earlier state of the branch is known.
    pub(crate) is_new: bool,
}

/// Whether `config` protects the readings of `branch` from getting lost.
pub(crate) fn protects(config: &Config, branch: &BStr, default: Option<&BString>) -> bool {
    is_main(config, branch, default) || config.protect.is_match_name(&branch.to_str_lossy())
}

pub(crate) fn is_main(config: &Config, branch: &BStr, default: Option<&BString>) -> bool {
    let name = branch.to_str_lossy();
    let is_usual = || MAIN.contains(&&*name) || default.is_some_and(|default| default == branch);
    config.main_branch.as_ref().map_or_else(is_usual, |main| *main == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_branch_is_protected_whether_it_is_named_or_not() {
        let mut config = Config::default();
        let protects = |config: &Config, branch: &str, default: &str| {
            super::protects(config, branch.into(), Some(&BString::from(default)).filter(|name| !name.is_empty()))
        };
        assert!(protects(&config, "main", "") && protects(&config, "master", "") && !protects(&config, "topic", ""));
        assert!(protects(&config, "develop", "develop") && protects(&config, "main", "develop"));
        config.main_branch = Some("trunk".into());
        assert!(protects(&config, "trunk", "develop") && !protects(&config, "main", "develop"));
        assert!(!protects(&config, "develop", "develop"), "the repository names another one");
    }
}
