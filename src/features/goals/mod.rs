//! Goals: contracts about when the work of a node is enough, the two gates of each, and the decisions about them.

use super::Feature;
use crate::app::judge::goals::JUDGING;
use crate::cli::args::goal::GoalArgs;
use crate::cli::feature::FeatureVerb;
use crate::model::config::FeatureSettings;
use crate::model::config::goals::GoalSettings;
use crate::rules::{goal_gate, goal_regressed, goal_unmet};

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<GoalArgs>()],
    settings: Some(FeatureSettings::of::<GoalSettings>()),
    rules: &[goal_gate::RULE, goal_unmet::RULE, goal_regressed::RULE],
    judging: Some(JUDGING),
    ..Feature::NONE
};
