//! The receipt of `sign`, as plain data.

use serde::Serialize;

/// The result of `sign`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SigningReceipt {
    /// `signed`, or `already-signed` if the key signed every line before.
    pub outcome: &'static str,
    /// The new signatures, one for each ledger.
    pub signatures: Vec<SignatureReceipt>,
}

/// A new signature.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SignatureReceipt {
    /// The node's id.
    pub node: String,
    pub ledger: String,
    /// How many lines it signs.
    pub lines: usize,
    pub ts: String,
    /// The fingerprint of the key.
    pub key: String,
    /// The names of the key in the state that judges it; empty if that state does not know the key.
    pub principals: Vec<String>,
}
