//! What patches add to each judgement: scenarios that come into the main branch without proof, and whether the change was
//! approved.

use crate::app::judge::states::States;
use crate::app::judge::{Judging, Question, Ruling};
use crate::error::Result;
use crate::features::patches::judge::approvals::{self, Answered};
use crate::features::patches::judge::engine::patch::unproven::Unproven;
use crate::features::patches::judge::promotions;
use crate::rules::Change;

pub(crate) const JUDGING: Judging = Judging {
    // any ledger may hold an approval
    concerns_all: approvals::is_asked,
    change: look,
    ..Judging::NONE
};

/// Adds the unproven scenarios and the approval to the change, and rules with the policy before it.
///
/// # Errors
/// When content that must be compared cannot be read, or the approval that is asked for cannot be judged.
fn look(question: &Question<'_>, states: &States, change: &mut Change<'_>) -> Result<Option<Ruling>> {
    let unproven = promotions::unproven(question, states, change)?;
    if !unproven.is_empty() {
        change.parts.put(Unproven(unproven));
    }
    let Some(Answered { approval, is_asked, gate }) = approvals::look(question, states)? else { return Ok(None) };
    if is_asked {
        change.parts.put(approval.clone());
    }
    let approval = Some(approvals::row(approval));
    Ok(Some(Ruling { gate: is_asked.then_some(gate), approval, ..Ruling::default() }))
}
