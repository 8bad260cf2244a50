//! The start of a session: the score, failing and stale scenarios, live claims. A harness also calls it when a session is
//! resumed, and after it shortened the context.

use super::claims::LiveClaims;
use super::{Scored, Visit, base};
use crate::engine::facts::Score;
use crate::error::Result;
use crate::features::agents::model::reply::{AgentReply, NamedScenario, StartNote};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::report::view::score::ReadingState;
use crate::report::view::tally::ScoreTally;

pub(super) fn answer(visit: &Visit<'_>) -> Result<AgentReply> {
    let memory = visit.recall()?;
    let (subject, now) = (visit.subject(), visit.now.millis);
    if memory.as_ref().is_some_and(|memory| memory.has_answered(subject, now)) {
        return Ok(AgentReply::Neutral);
    }
    let scored = Scored::of(visit)?;
    if scored.facts.scenarios().next().is_none() {
        return Ok(AgentReply::Neutral);
    }
    let base = match memory {
        // a later start of the same session keeps the first base
        Some(memory) => memory.base,
        None => base::of_worktree(visit.repo, &scored)?,
    };
    let dirty = base::dirty_nodes(visit.repo, &scored)?;
    let is_second = visit.change_from(
        || Ok(base),
        false,
        |memory| {
            if memory.has_answered(subject, now) {
                return true;
            }
            // a shortened context may have lost the names in earlier answers
            memory.named_after_edit.clear();
            dirty.iter().for_each(|dir| memory.here.note_node(dir));
            memory.note_answer(subject, now);
            false
        },
    );
    // if the memory cannot be written, the agent still reads the score: it asks for nothing
    if is_second.ok().flatten() == Some(true) {
        return Ok(AgentReply::Neutral);
    }
    let claims = LiveClaims::of(visit)?.all();
    Ok(AgentReply::Start(StartNote { claims, ..note(&scored) }))
}

fn note(scored: &Scored) -> StartNote {
    let stands = crate::app::query::stands::chosen(&scored.facts, |_, _, _| true);
    let named = |want: &dyn Fn(&Node, &Scenario, &Score, usize) -> bool| {
        let all = scored.facts.scenarios().enumerate();
        let chosen = all.filter(|(at, (node, scenario, score))| want(node, scenario, score, *at));
        chosen.map(|(_, (node, scenario, _))| super::named(node, scenario)).collect::<Vec<NamedScenario>>()
    };
    let is_stale = |at: usize| matches!(stands[at].state, ReadingState::Stale(_));
    StartNote {
        score: ScoreTally::of(stands.iter()),
        failing: named(&|node, scenario, score, at| !is_stale(at) && scored.facts.is_failed(node, scenario, score)),
        stale: named(&|_, _, _, at| is_stale(at)),
        claims: Vec::new(),
    }
}
