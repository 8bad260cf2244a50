//! Patches, as rows for whoever prints them.

use crate::finding::NodeRef;

/// A branch and how far it has come.
#[derive(Clone, Debug)]
pub(crate) struct PatchRow {
    /// Its name.
    pub branch: String,
    /// Its state, as the lifecycle spells it.
    pub state: &'static str,
    /// Why, in one sentence.
    pub reason: String,
    /// What may come next.
    pub next: Vec<&'static str>,
    /// Its tip: a full commit id.
    pub tip: String,
    /// Where it left the main branch: a full commit id; nothing where nobody can tell.
    pub base: Option<String>,
    /// The main branch.
    pub main: String,
    /// The scenarios that it touches.
    pub touches: Vec<TouchRow>,
    /// How many files differ between base and tip.
    pub files: usize,
    /// The paths that a merge could not settle.
    pub conflicts: Vec<String>,
    /// What was decided about it.
    pub decisions: Vec<DecidedRow>,
    /// How it came into the main branch.
    pub promotion: Option<&'static str>,
    /// What speaks for promoting it.
    pub proof: Option<&'static str>,
}

/// A touched scenario.
#[derive(Clone, Debug)]
pub(crate) struct TouchRow {
    /// Its node.
    pub node: NodeRef,
    /// Its name.
    pub scenario: String,
    /// Its reading.
    pub eval: Option<EvalRow>,
    /// What moved below it on the main branch.
    pub moved: Vec<String>,
}

/// The reading of a touched scenario.
#[derive(Clone, Debug)]
pub(crate) struct EvalRow {
    /// When it was filed.
    pub ts: String,
    /// The ledger it stands in.
    pub ledger: String,
    /// Its physical line.
    pub line: u32,
    /// Who measured.
    pub by: Option<String>,
    /// Whether it speaks for the tip.
    pub is_fresh: bool,
    /// Whether it was filed on the branch.
    pub is_own: bool,
    /// Whether the verdict that counts is a pass.
    pub is_pass: bool,
}

/// A decision that stands in a ledger.
#[derive(Clone, Debug)]
pub(crate) struct DecidedRow {
    /// `approve` or `reject`.
    pub decision: &'static str,
    /// The directory of the node in whose ledger it stands.
    pub node: String,
    /// When it was filed.
    pub ts: String,
    /// Who decided.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The tip that it was made about.
    pub commit: Option<String>,
    /// Whether it is about what the tip holds.
    pub is_current: bool,
}

/// What a decision verb did.
#[derive(Clone, Debug)]
pub(crate) struct PatchDecisionRow {
    /// `approve` or `reject`.
    pub decision: &'static str,
    /// Whether anything was written.
    pub is_new: bool,
    /// The branch.
    pub branch: String,
    /// Its tip.
    pub commit: String,
    /// The ledgers that say so.
    pub ledgers: Vec<String>,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub by: String,
    /// When.
    pub ts: String,
}
