//! What features add to the rows of a score.

use crate::engine::budget::BudgetOverlay;
use crate::engine::effective::Effective;
use crate::engine::freshness::Judge;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::node::Declared;
use crate::model::workspace::Workspace;
use crate::repo::Repo;
use crate::report::view::score::ScenarioRow;
use crate::tree::Tree;
use crate::tree::oid::Oid;

/// The state that the rows are about.
#[derive(Clone, Copy)]
pub(crate) struct ScoredState<'s> {
    pub(crate) repo: &'s Repo,
    pub(crate) view: &'s dyn Tree,
    pub(crate) workspace: &'s Workspace,
    pub(crate) budgets: &'s BudgetOverlay,
    /// The commit with its history; HEAD for content that is not committed.
    pub(crate) tip: Option<Oid>,
}

/// What a feature adds to rows.
pub(crate) struct RowColumn {
    /// Whether the row of one node depends on other nodes.
    pub(crate) needs_others: fn(&Repo, &Config) -> Result<bool>,
    pub(crate) begin: for<'s> fn(ScoredState<'s>) -> Box<dyn RowStep + 's>,
}

/// Adds to the rows of one state.
pub(crate) trait RowStep {
    /// Adds to the row of a scenario what is known about it and its readings. `effective` is the view of its node.
    ///
    /// # Errors
    /// When what every row needs cannot be read.
    fn add(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        row: &mut ScenarioRow,
    ) -> Result<()>;
}

/// The steps of all features.
pub(crate) struct RowSteps<'s>(Vec<Box<dyn RowStep + 's>>);

impl<'s> RowSteps<'s> {
    pub(crate) fn of(state: ScoredState<'s>) -> Self {
        Self(super::row_columns().map(|column| (column.begin)(state)).collect())
    }

    /// Has every feature add to a row.
    ///
    /// # Errors
    /// As [`RowStep::add`].
    pub(crate) fn add(
        &self,
        judge: &Judge<'_>,
        asked: Declared<'_>,
        effective: &Effective<'_>,
        row: &mut ScenarioRow,
    ) -> Result<()> {
        self.0.iter().try_for_each(|step| step.add(judge, asked, effective, row))
    }
}

/// Whether the row of one node depends on other nodes.
///
/// # Errors
/// When that cannot be read.
pub(crate) fn needs_others(repo: &Repo, config: &Config) -> Result<bool> {
    for column in super::row_columns() {
        if (column.needs_others)(repo, config)? {
            return Ok(true);
        }
    }
    Ok(false)
}
