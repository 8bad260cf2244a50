//! The content of a contract as canonical JSON by RFC 8785 (keys sorted, no blanks, numbers in their shortest spelling),
//! with defaults, criteria sorted by id, and without descriptions for people.

use super::{Contract, Criterion, CriterionKind, VERSION};
use crate::model::ledger::EvidenceHash;
use crate::text::number::Finite;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The fields are in the order of their keys: another order gives another hash.
#[derive(Serialize)]
struct ContractForm<'c> {
    acceptance_criteria: Vec<CriterionForm<'c>>,
    goal_type: &'static str,
    max_goal_attempts: u32,
    version: u32,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct CriterionForm<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_pattern: Option<&'c str>,
    id: &'c str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Finite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'c str>,
}

/// The sha256 of [`text`].
pub(super) fn hash(contract: &Contract) -> EvidenceHash {
    EvidenceHash(Sha256::digest(text(contract)).into())
}

/// The canonical JSON of the requirements of `contract`.
pub(super) fn text(contract: &Contract) -> String {
    let mut criteria: Vec<&Criterion> = contract.criteria.iter().collect();
    criteria.sort_by(|one, other| one.id.cmp(&other.id));
    let form = ContractForm {
        acceptance_criteria: criteria.into_iter().map(criterion).collect(),
        goal_type: contract.goal_type.as_str(),
        max_goal_attempts: contract.max_goal_attempts,
        version: VERSION,
    };
    // structs of texts and numbers always serialise
    serde_json::to_string(&form).unwrap_or_default()
}

fn criterion(criterion: &Criterion) -> CriterionForm<'_> {
    let common = CriterionForm {
        id: &criterion.id,
        kind: criterion.kind.as_str(),
        scenario: criterion.scenario.as_deref(),
        ..CriterionForm::default()
    };
    match &criterion.kind {
        CriterionKind::MetricThreshold { metric, op, target, unit } => CriterionForm {
            metric: Some(metric),
            op: Some(op.as_str()),
            target: Some(*target),
            unit: unit.as_deref(),
            ..common
        },
        CriterionKind::MarkerRequired { marker } => CriterionForm { marker: Some(marker.to_string()), ..common },
        CriterionKind::ArtifactExists { pattern } => {
            CriterionForm { artifact_pattern: Some(pattern.as_str()), ..common }
        }
        CriterionKind::FindingCount { min_count } => CriterionForm { min_count: Some(*min_count), ..common },
    }
}
