//! The configuration for comparing and naming files on disk.

use super::stat::StatRules;
use crate::error::Result;
use crate::repo::program::GitConfig;
use bstr::BString;
use std::collections::BTreeSet;

/// The configuration for comparing and naming files on disk; defaults are git's.
#[derive(Clone, Debug)]
pub(crate) struct WorktreeSettings {
    /// `core.fileMode`: the executable bit on disk is meaningful.
    pub(crate) file_mode: bool,
    /// `core.symlinks`: links are checked out as links.
    pub symlinks: bool,
    /// `core.trustctime` and `core.checkStat`.
    pub stat: StatRules,
    /// `core.autocrlf` is `true` or `input`, which have the same effect when a file is added. By default CR LF is kept unless
    /// an attribute says otherwise.
    pub(crate) auto_crlf: bool,
    /// Filter drivers that would run a program when a file is added, or refuse it.
    pub filters: BTreeSet<BString>,
}

impl WorktreeSettings {
    /// Reads the settings from git's configuration; like git, fails at an invalid boolean.
    pub(crate) fn from_config(config: &GitConfig) -> Result<Self> {
        let flag = |key: &str| -> Result<bool> { Ok(config.boolean(key)?.unwrap_or(true)) };
        let minimal = config.get("core.checkstat").is_some_and(|value| value.eq_ignore_ascii_case(b"minimal"));
        let is_input = config.get("core.autocrlf").is_some_and(|value| value.eq_ignore_ascii_case(b"input"));
        Ok(Self {
            file_mode: flag("core.filemode")?,
            symlinks: flag("core.symlinks")?,
            stat: StatRules { trust_ctime: flag("core.trustctime")?, minimal },
            auto_crlf: is_input || config.boolean("core.autocrlf")?.unwrap_or(false),
            filters: config.subsections("filter", &["clean", "process", "required"]).into_iter().collect(),
        })
    }
}
