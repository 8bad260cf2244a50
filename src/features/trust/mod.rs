//! Signed readings and approvals: the keys that count, and the trust that a policy asks for.

mod judge;
pub mod model;
mod print;
mod rules;
mod verbs;

// What other features use.
pub(crate) use judge::base::{TrustBase, policy};
pub(crate) use judge::held::{HeldSignature, SignedState};
pub(crate) use judge::untrusted::BaseLines;
pub(crate) use judge::verify::Verifier;
pub(crate) use model::keys::{Mailmap, Person};
pub(crate) use model::settings::ApprovalNeed;

use super::Feature;
use crate::app::judge::Judging;
use crate::cli::feature::FeatureVerb;
use crate::features::trust::judge::judging::JUDGING;
use crate::features::trust::judge::signers::ROWS;
use crate::features::trust::model::settings::TrustSettings;
use crate::features::trust::rules::{signature_broken, signature_unknown, trust_unmet};
use crate::features::trust::verbs::export_args::ExportArgs;
use crate::features::trust::verbs::sign::FILING;
use crate::features::trust::verbs::sign_args::SignArgs;
use crate::model::config::FeatureSettings;

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<SignArgs>(), FeatureVerb::of::<ExportArgs>()],
    settings: Some(FeatureSettings::of::<TrustSettings>()),
    rules: &[trust_unmet::RULE, signature_broken::RULE, signature_unknown::RULE],
    judging: Some(Judging { rows: Some(ROWS), ..JUDGING }),
    filing: Some(FILING),
    ..Feature::NONE
};
