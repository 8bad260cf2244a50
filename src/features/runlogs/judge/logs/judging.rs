//! What run logs add to each judgement.

use super::candidates::is_place;
use super::{HeldLog, held, look, named};
use crate::app::judge::{Judging, TakenFiles};
use crate::error::Result;
use crate::features::runlogs::model::place::{by_name, logs_beside};
use crate::features::runlogs::model::settings::RunLogSettings;
use crate::finding::RuleId;
use crate::model::config::Config;
use crate::model::workspace;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::rc::Rc;

pub(crate) const JUDGING: Judging = Judging {
    names_files: |config| !config.of::<RunLogSettings>().entries.is_empty(),
    judges_file: |path, config| config.map_or_else(|| is_usual_place(path), |config| is_place(path, config)),
    states: look,
    files: named,
    taken: Some(TakenFiles { rule: RuleId::RunlogHistory, find: taken }),
    ..Judging::NONE
};

/// Whether a run log or its page may lie at `path` when the configuration names no places.
fn is_usual_place(path: &RepoPath) -> bool {
    by_name(path).is_some() || logs_beside(path).iter().any(|log| by_name(log).is_some())
}

/// The run logs of a deleted branch that no kept state has. A log may go if its run ended.
fn taken(view: &dyn Tree, config: &Config, kept: &dyn Fn() -> Result<Vec<Rc<dyn Tree>>>) -> Result<Vec<RepoPath>> {
    let mut left = held(view, config)?;
    keep_those_that_must_stay(&mut left, &[])?;
    if left.is_empty() {
        return Ok(Vec::new());
    }
    for view in kept()? {
        let there = held(&*view, &workspace::read_config(&*view).unwrap_or_default())?;
        keep_those_that_must_stay(&mut left, &there)?;
    }
    Ok(left.into_iter().map(|log| log.path).collect())
}

/// Removes from `logs` the logs that may go while `there` remain.
fn keep_those_that_must_stay(logs: &mut Vec<HeldLog<'_>>, there: &[HeldLog<'_>]) -> Result<()> {
    let mut must_stay = Vec::new();
    for log in logs.drain(..) {
        if !log.may_go(there)? {
            must_stay.push(log);
        }
    }
    *logs = must_stay;
    Ok(())
}
