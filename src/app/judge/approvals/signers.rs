//! The owners of the keys that signed a decision, by the keys of the base.

use super::ApprovalRange;
use crate::app::judge::trust::held::{HeldSignature, SignedState};
use crate::app::judge::untrusted::is_added;
use crate::engine::approval::{ContentDecision, GivenWord, Giver};
use crate::error::Result;
use crate::model::config::ApprovalNeed;
use crate::model::ledger::{Line, LineHash};
use crate::model::node::Node;
use crate::model::workspace::Workspace;

impl ApprovalRange<'_> {
    /// The signatures that hold for a decision, beside it in the judged state or in the state before the change: a rejection
    /// may stand in main alone.
    ///
    /// # Errors
    /// When a signature cannot be verified.
    pub(super) fn signers(&self, decision: &ContentDecision) -> Result<Vec<HeldSignature>> {
        let adds = |line: &[u8]| is_added(self.states, line);
        let now = SignedState { view: &self.states.view.workspace, adds: &adds, now: self.now };
        let before = SignedState { view: &self.old, adds: &|_| false, now: self.now };
        let mut held: Vec<HeldSignature> = Vec::new();
        for state in [now, before] {
            if let Some((node, line)) = line_of(state.view, decision) {
                held.extend(self.trust.holding(state, node, &[line])?.concat());
            }
        }
        Ok(held)
    }
}

fn line_of<'w>(workspace: &'w Workspace, decision: &ContentDecision) -> Option<(&'w Node, &'w Line)> {
    workspace.nodes.iter().find_map(|node| {
        let ledger = node.ledgers.iter().find(|ledger| ledger.path == decision.ledger)?;
        let line = ledger.lines.iter().find(|line| LineHash::of(&line.bytes) == decision.line)?;
        Some((node, line))
    })
}

/// Whether the policy takes the word of this signer. A name without an address is no author of any commit, so such a signer
/// could have written all of the change.
pub(super) fn is_allowed(policy: &ApprovalNeed, signer: &HeldSignature) -> bool {
    let has_address = signer.signer.principals.iter().all(|name| name.contains('@'));
    has_address && (policy.roles.is_empty() || signer.role.is_some_and(|role| policy.roles.contains(&role)))
}

/// The decision as the word of one of its signers.
pub(super) fn word_of(signer: &HeldSignature) -> GivenWord {
    let giver = Giver::of(signer.person.names.iter().map(String::as_str));
    GivenWord { giver, by: signer.signer.principals.join(",") }
}
