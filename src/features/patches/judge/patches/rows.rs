//! A patch as a row.

use crate::features::patches::judge::engine::patch::{Patch, PatchDecision, PatchState, Promotion, Proof, Touch};
use crate::features::patches::model::answer::{DecidedRow, EvalRow, PatchRow, TouchRow};

pub(crate) fn row(patch: &Patch) -> PatchRow {
    let facts = &patch.facts;
    PatchRow {
        branch: facts.branch.clone(),
        state: patch.state.as_str(),
        reason: patch.reason.clone(),
        next: patch.next.iter().copied().map(PatchState::as_str).collect(),
        tip: facts.tip.to_string(),
        base: facts.base.map(|base| base.to_string()),
        main: facts.main.clone(),
        touches: facts.touches.iter().map(touch).collect(),
        files: facts.files.len(),
        conflicts: facts.conflicts.iter().map(ToString::to_string).collect(),
        decisions: facts.decisions.iter().map(decision).collect(),
        promotion: facts.promotion.map(Promotion::as_str),
        proof: patch.proof.map(Proof::as_str),
    }
}

fn touch(touch: &Touch) -> TouchRow {
    let eval = touch.eval.as_ref().map(|eval| EvalRow {
        ts: eval.at.ts.to_string(),
        ledger: eval.at.ledger.to_string(),
        line: eval.at.line,
        by: eval.by.clone(),
        is_fresh: eval.is_fresh,
        is_own: eval.is_own,
        is_pass: eval.is_pass,
    });
    let moved = touch.moved.iter().map(ToString::to_string).collect();
    TouchRow { node: touch.node.clone(), scenario: touch.scenario.clone(), eval, moved }
}

fn decision(decision: &PatchDecision) -> DecidedRow {
    DecidedRow {
        decision: decision.kind.as_str(),
        node: decision.node.to_string(),
        ts: decision.at.ts.to_string(),
        by: decision.by.clone(),
        reason: decision.reason.clone(),
        commit: decision.commit.map(|commit| commit.to_string()),
        is_current: decision.is_current,
    }
}
