//! Which branches are protected: what they hold is not lost, and goals that are reached there are.

use crate::model::config::Config;
use bstr::{BStr, BString, ByteSlice};

/// The main branch, beside the default one, of a repository that names none.
pub(crate) const MAIN: [&str; 2] = ["main", "master"];

/// The branch that a push goes to.
#[derive(Clone, Debug)]
pub(crate) struct PushTarget {
    /// Its name, without `refs/heads/`.
    pub(crate) branch: BString,
    /// The default branch of that side, where it is known here.
    pub(crate) default: Option<BString>,
}

impl PushTarget {
    /// Whether `config` takes it for the main branch.
    pub(crate) fn is_main(&self, config: &Config) -> bool {
        is_main(config, self.branch.as_bstr(), self.default.as_ref())
    }

    /// Whether `config` protects it.
    pub(crate) fn is_protected(&self, config: &Config) -> bool {
        protects(config, self.branch.as_bstr(), self.default.as_ref())
    }
}

/// Whether `config` keeps the readings of `branch` from getting lost.
pub(crate) fn protects(config: &Config, branch: &BStr, default: Option<&BString>) -> bool {
    is_main(config, branch, default) || config.protect.is_match_name(&branch.to_str_lossy())
}

/// Whether `config` takes `branch` for the main one.
fn is_main(config: &Config, branch: &BStr, default: Option<&BString>) -> bool {
    let name = branch.to_str_lossy();
    let is_usual = || MAIN.contains(&&*name) || default.is_some_and(|default| default == branch);
    config.main_branch.as_ref().map_or_else(is_usual, |main| *main == name)
}
