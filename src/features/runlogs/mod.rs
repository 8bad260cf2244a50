//! The logs of runs: what lies in them, whether they were kept, and the verb that writes them.

pub mod judge;
pub mod model;
mod print;
mod rules;
mod verbs;

// What other features use.
pub(crate) use judge::engine::PhaseRun;
pub(crate) use judge::engine::story::{PhaseTold, Story, ToldEvent};
pub(crate) use judge::logs::ReadLog;
#[cfg(test)]
pub(crate) use model::builtin::{MEASURE, find};
pub(crate) use model::event::{LogEvent, take_apart};
pub(crate) use model::line::LogLines;
pub(crate) use model::moment::Moment;
pub(crate) use model::place::{begins_like_a_log, log_id, place};
pub(crate) use model::profile::{INDEX, LogPosition, PhaseSpec, Profile};

use super::Feature;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::features::runlogs::judge::logs::judging::JUDGING;
use crate::features::runlogs::judge::repair::mend_logs;
use crate::features::runlogs::model::settings::RunLogSettings;
use crate::features::runlogs::rules::{runlog_artifacts, runlog_history, runlog_progress, runlog_schema};
use crate::features::runlogs::verbs::runlog_args::RunlogArgs;
use crate::model::config::FeatureSettings;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<RunlogArgs>()],
    settings: Some(FeatureSettings::of::<RunLogSettings>()),
    rules: &[runlog_schema::RULE, runlog_history::RULE, runlog_artifacts::RULE, runlog_progress::RULE],
    judging: Some(JUDGING),
    extras: &[Extra::Mends(mend_logs)],
    ..Feature::NONE
};
