//! How much of a long list people see.

use crate::finding::{Finding, Level, Origin};
use crate::report::view::{Report, SINGLES_LISTED};
use std::collections::BTreeMap;

/// The limits of a list. Errors have none, because each of them blocks.
#[derive(Clone, Copy)]
pub(super) struct Listing {
    /// The most single findings of a level.
    pub(super) singles: usize,
    /// Whether each finding of the change is listed, or counts in a listed block. Only a hook with more warnings than it
    /// lists cuts them.
    pub(super) keeps_change: bool,
}

impl Listing {
    pub(super) fn of(report: &Report) -> Self {
        let singles = match report.score_limit {
            Some(0) => usize::MAX,
            limit => limit.unwrap_or(SINGLES_LISTED),
        };
        Self { singles, keeps_change: report.beyond.is_empty() }
    }

    /// The most blocks of a level.
    pub(super) fn blocks(self) -> usize {
        (self.singles / 2).max(1)
    }

    /// The most members of a block.
    pub(super) fn members(self) -> usize {
        (self.singles / 4).max(1)
    }

    /// Whether the finding is listed whatever the limits are.
    pub(super) fn is_uncut(self, finding: &Finding) -> bool {
        let is_of_change = finding.origin.is_some_and(|origin| origin != Origin::Inherited);
        finding.level == Level::Error || self.keeps_change && is_of_change
    }
}

/// How many findings or blocks of each level were listed.
#[derive(Default)]
pub(super) struct LevelRoom(BTreeMap<Level, usize>);

impl LevelRoom {
    /// Counts one more, and returns whether the level has listed at most `most`.
    pub(super) fn has_room(&mut self, level: Level, most: usize) -> bool {
        let listed = self.0.entry(level).or_default();
        *listed += 1;
        *listed <= most
    }
}
