//! What the verbs of claims print, as plain data.

/// One claim, or one event of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimRow {
    /// When it happened.
    pub ts: String,
    /// `taken`, `renewed`, `released`, `reclaimed`, `filed` or `forced`; `would-take` of a dry run.
    pub event: &'static str,
    /// The node's directory.
    pub node: String,
    /// What messages call the node.
    pub called: String,
    /// The scenario's name.
    pub scenario: String,
    /// Who holds it, or held it.
    pub owner: String,
    /// What proves it: only for whoever took it.
    pub token: Option<String>,
    /// Which attempt of its series it is, from 1.
    pub attempt: u32,
    /// The run of its reading.
    pub run: Option<String>,
    /// The last moment at which it is live.
    pub until: String,
    /// Why it was given up or ended by force.
    pub reason: Option<String>,
    /// For what is held: `live`, `grace` or `lapsed`.
    pub state: Option<&'static str>,
    /// For what is held where claims are shared: the remote on which others see it, or `local`.
    pub seen_by: Option<String>,
}
