//! What the walk over new commits must know of where they end.

use crate::app::judge::stray::KnownEvidence;
use crate::error::Result;
use crate::model::config::Config;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::HashSet;

/// What the end of one tip's commits holds.
pub(crate) struct End<'a> {
    /// All of it.
    pub tree: &'a dyn Tree,
    /// What is known of evidence.
    pub known: KnownEvidence<'a>,
    /// Whether anything is ours: elsewhere a file that has a ledger's name is none.
    pub ours: bool,
    /// What the tip is judged by.
    pub config: &'a Config,
    /// What the tip itself says.
    pub own: &'a Config,
    /// Every ledger line of the tip.
    pub lines: HashSet<&'a [u8]>,
    /// Every ledger line of the states that the tip is compared with: a loss of these is found there.
    pub before: HashSet<&'a [u8]>,
    /// The ledger lines for whose loss the tip is judged, as its findings spell them.
    pub told: HashSet<&'a str>,
    /// Whether a version of a run log lay out of sight before the commits, and the tip goes on with what was filed.
    pub unseen: &'a dyn Fn(&RepoPath, &Oid) -> Result<bool>,
}
