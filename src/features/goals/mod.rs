//! Goals: contracts about when the work of a node is enough, the two gates of each, and the decisions about them.

pub(crate) mod judge;
pub(crate) mod model;
mod print;
mod rules;
mod verbs;

use super::Feature;
use crate::cli::feature::FeatureVerb;
use crate::features::goals::judge::gates::JUDGING;
use crate::features::goals::model::settings::GoalSettings;
use crate::features::goals::rules::{goal_gate, goal_regressed, goal_unmet};
use crate::features::goals::verbs::goal_args::GoalArgs;
use crate::model::config::FeatureSettings;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<GoalArgs>()],
    settings: Some(FeatureSettings::of::<GoalSettings>()),
    rules: &[goal_gate::RULE, goal_unmet::RULE, goal_regressed::RULE],
    judging: Some(JUDGING),
    ..Feature::NONE
};
