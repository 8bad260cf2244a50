//! The owners of the keys that signed a decision, by the keys of the base.

use super::ApprovalRange;
use crate::error::Result;
use crate::features::patches::judge::engine::approval::{ContentDecision, GivenWord, Giver};
use crate::features::trust::{ApprovalNeed, BaseLines, HeldSignature, SignedState};
use crate::model::ledger::{Event, Line, LineHash};
use crate::model::node::Node;
use crate::model::workspace::Workspace;
use crate::tree::path::RepoPath;
use std::cell::OnceCell;
use std::collections::HashMap;

/// The ledger lines before and after a change, in indexes that are made once: a hostile ledger holds thousands of decisions,
/// and each is looked up.
pub(super) struct FiledLines<'r> {
    held: BaseLines<'r>,
    now: OnceCell<DecisionLines<'r>>,
    before: OnceCell<DecisionLines<'r>>,
}

/// The lines of decisions, each with its node, by their ledger and hash.
type DecisionLines<'r> = HashMap<(&'r RepoPath, LineHash), (&'r Node, &'r Line)>;

impl<'r> FiledLines<'r> {
    /// The lines that `range` may look up. They are gathered at the first question.
    pub(super) fn of(range: &'r ApprovalRange<'_>) -> Self {
        Self { held: BaseLines::of(range.states), now: OnceCell::new(), before: OnceCell::new() }
    }

    /// The signatures that hold for a decision, beside it in the judged state or in the state before the change: a rejection
    /// may stand in main alone.
    ///
    /// # Errors
    /// When a signature cannot be verified.
    pub(super) fn signers(
        &self,
        range: &'r ApprovalRange<'_>,
        decision: &ContentDecision,
    ) -> Result<Vec<HeldSignature>> {
        let adds = |line: &[u8]| !self.held.have(line);
        let (view, old) = (&range.states.view.workspace, &range.old);
        let now = SignedState { view, adds: &adds, now: range.now };
        let before = SignedState { view: old, adds: &|_| false, now: range.now };
        let now = (now, self.now.get_or_init(|| decision_lines(view)));
        let before = (before, self.before.get_or_init(|| decision_lines(old)));
        let mut held: Vec<HeldSignature> = Vec::new();
        for (state, lines) in [now, before] {
            if let Some((node, line)) = lines.get(&(&decision.ledger, decision.line)) {
                held.extend(range.trust.holding(state, node, &[*line])?.concat());
            }
        }
        Ok(held)
    }
}

fn decision_lines(workspace: &Workspace) -> DecisionLines<'_> {
    let mut found = HashMap::new();
    for (node, ledger) in workspace.nodes.iter().flat_map(|node| node.ledgers.iter().map(move |ledger| (node, ledger)))
    {
        for line in ledger.lines.iter().filter(|line| matches!(line.event, Event::Decision(_))) {
            found.entry((&ledger.path, LineHash::of(&line.bytes))).or_insert((node, line));
        }
    }
    found
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
