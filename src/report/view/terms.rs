//! How a reading was filed, in the form that all formats share.

use crate::finding::Spent;
use serde::Serialize;

/// The terms of a reading. Keys without a value are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TermsRow {
    /// Its idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Spent>,
}
