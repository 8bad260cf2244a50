//! The arguments of the installing verbs.

use crate::app::setup::install::HookEvent;
use clap::Args;

#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstallArgs {
    /// The hooks to install, separated by commas; by default all that such a repository has
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub(crate) hooks: Option<Vec<HookEvent>>,
    /// Set up no hook: for the merge driver alone, where a framework runs the hooks
    #[arg(long, conflicts_with_all = ["hooks", "global"])]
    pub(crate) no_hooks: bool,
    /// Set up the merge driver for ledgers, also where the repository says how they merge; without the flag, where it does not
    #[arg(long, conflicts_with = "no_merge_driver")]
    pub(crate) merge_driver: bool,
    /// Leave it to git how ledgers merge
    #[arg(long)]
    pub(crate) no_merge_driver: bool,
    /// Install for every repository of this user; needs git 2.54
    #[arg(long)]
    pub(crate) global: bool,
    /// Say what would be changed and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UninstallArgs {
    /// Undo install --global
    #[arg(long)]
    pub(crate) global: bool,
    /// Say what would be changed and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
