//! The data that the verbs of claims print.

use crate::features::claims::model::{ClaimSeries, node_text};
use serde::Serialize;

/// One claim, or one event of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimRow {
    /// When it happened.
    pub ts: String,
    /// `taken`, `renewed`, `released`, `reclaimed`, `filed` or `forced`; `would-take` in a dry run.
    pub event: &'static str,
    #[serde(flatten)]
    pub on: ClaimedRow,
    /// The claimed thing in messages, e.g. `board/renders`, `key deploy` or `path src/*.rs`.
    #[serde(skip)]
    pub called: String,
    /// The current or former owner.
    pub owner: String,
    /// The token that proves ownership; set only in the answer to the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The number of this attempt in its series, from 1.
    pub attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The last moment at which the claim is live.
    pub until: String,
    /// The hash of the session that took it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why it was released or ended by force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The state of a held claim: `live`, `grace` or `lapsed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    /// For a held claim where claims are shared: the remote on which others see it, or `local`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_by: Option<String>,
}

/// What a claim is on: its fields in an answer, in a line of the journal and in a message on a remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum ClaimedRow {
    Scenario {
        /// The node's directory.
        node: String,
        scenario: String,
    },
    Key {
        key: String,
    },
    Path {
        path: String,
    },
}

impl ClaimedRow {
    pub(crate) fn of(series: &ClaimSeries) -> Self {
        match series {
            ClaimSeries::Scenario(on) => Self::Scenario { node: node_text(on.node()), scenario: on.name().to_owned() },
            ClaimSeries::Key(key) => Self::Key { key: key.to_string() },
            ClaimSeries::Path(path) => Self::Path { path: path.as_text() },
        }
    }
}

/// Breaches of a scenario's budget that were waived.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WaiverReceipt {
    /// `waived`, or `already-waived` if an earlier waiver covers all of them, and nothing was written.
    pub outcome: &'static str,
    /// The node's id.
    pub node: String,
    /// The ledger with the waiver.
    pub ledger: String,
    pub scenario: String,
    /// The reason for the waiver, as it was filed.
    pub reason: String,
    /// The name of the person who waived them; it is not verified.
    pub by: String,
    /// When the waiver was filed: now, or before.
    pub ts: String,
}
