//! Goals: contracts about when the work of a node is enough, the two gates of each, and the decisions about them.

mod judge;
mod model;
mod print;
mod rules;
mod verbs;

// What other features use.
pub(crate) use judge::check::check;
pub(crate) use judge::engine::NodeGoal;
pub(crate) use judge::engine::collect::readings_digest;
pub(crate) use judge::engine::trust::person;
pub(crate) use judge::gates::state::JudgedState;
pub(crate) use judge::gates::{WholeState, are_required, goal_of, goal_settings, reached, reached_of, stricter};
pub(crate) use model::rows::{ActualValue, Completion, CriterionRow, GatesRow, GoalRow};
pub(crate) use model::settings::GoalSettings;
#[cfg(test)]
pub(crate) use model::trust_gate::TrustGate;

use super::Feature;
use crate::cli::feature::FeatureVerb;
use crate::features::goals::judge::gates::JUDGING;
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
