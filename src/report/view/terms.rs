//! What a reading says of how it was filed, as plain data that every form prints alike.

use serde::Serialize;
use std::collections::BTreeMap;

/// The terms of a reading; what it does not say is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TermsRow {
    /// Its idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The attempt of its claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The run that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageRow>,
}

/// What a reading cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct UsageRow {
    /// Every amount by its name in the ledger.
    #[serde(flatten)]
    pub amounts: BTreeMap<&'static str, u64>,
    /// Who counted the tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
