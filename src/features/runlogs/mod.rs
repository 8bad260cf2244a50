//! The logs of runs: what lies in them, whether they were kept, and the verb that writes them.

mod verbs;

use super::Feature;
use crate::app::judge::runlogs::judging::JUDGING;
use crate::app::record::repair::logs::mend_logs;
use crate::cli::extra::Extra;
use crate::cli::feature::FeatureVerb;
use crate::features::runlogs::verbs::runlog_args::RunlogArgs;
use crate::model::config::FeatureSettings;
use crate::model::config::runlogs::RunLogSettings;
use crate::rules::{runlog_artifacts, runlog_history, runlog_progress, runlog_schema};

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<RunlogArgs>()],
    settings: Some(FeatureSettings::of::<RunLogSettings>()),
    rules: &[runlog_schema::RULE, runlog_history::RULE, runlog_artifacts::RULE, runlog_progress::RULE],
    judging: Some(JUDGING),
    extras: &[Extra::Mends(mend_logs)],
    ..Feature::NONE
};
