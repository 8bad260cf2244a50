//! Signed readings and approvals: the keys that count, and the trust that a policy asks for.

use super::Feature;
use crate::app::judge::Judging;
use crate::app::judge::trust::judging::JUDGING;
use crate::app::query::signers::ROWS;
use crate::cli::args::export::ExportArgs;
use crate::cli::args::sign::SignArgs;
use crate::cli::feature::FeatureVerb;
use crate::cli::verbs::sign::FILING;
use crate::model::config::{FeatureSettings, TrustSettings};
use crate::rules::{signature_broken, signature_unknown, trust_unmet};

pub(super) const ROW: Feature = Feature {
    verbs: &[FeatureVerb::of::<SignArgs>(), FeatureVerb::of::<ExportArgs>()],
    settings: Some(FeatureSettings::of::<TrustSettings>()),
    rules: &[trust_unmet::RULE, signature_broken::RULE, signature_unknown::RULE],
    judging: Some(Judging { rows: Some(ROWS), ..JUDGING }),
    filing: Some(FILING),
    ..Feature::NONE
};
