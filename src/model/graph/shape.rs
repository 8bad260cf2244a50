//! What may stand in a graph that is derived: the kinds of nodes, and which relations go from which to which. One table; what
//! it does not hold is refused before it is applied. Logs of other programs have kinds of their own, which are left alone.

/// A goal that somebody set down.
pub const GOAL: &str = "goal";
/// Work that serves a goal: a scenario.
pub const TASK: &str = "task";
/// A stretch of work.
pub const RUN: &str = "run";
/// Something that was seen: a reading, a finding.
pub const OBSERVATION: &str = "observation";
/// What is not as it should be.
pub const FAILURE: &str = "failure";
/// What somebody thinks is the cause.
pub const HYPOTHESIS: &str = "hypothesis";
/// A proposed change: a branch.
pub const PATCH: &str = "patch";
/// A validation of a patch.
pub const EVAL: &str = "eval";
/// What somebody settled.
pub const DECISION: &str = "decision";
/// Evidence.
pub const ARTIFACT: &str = "artifact";
/// A file of the repository.
pub const FILE: &str = "file";
/// A commit.
pub const COMMIT: &str = "commit";
/// Whoever did something.
pub const ACTOR: &str = "actor";
/// A call of a model.
pub const MODEL_CALL: &str = "model_call";
/// A call of a tool.
pub const TOOL_CALL: &str = "tool_call";
/// A work tree.
pub const FRAME: &str = "frame";

/// Every kind of node, in the order in which they are counted for people.
pub const KINDS: [&str; 16] = [
    GOAL,
    TASK,
    RUN,
    OBSERVATION,
    FAILURE,
    HYPOTHESIS,
    PATCH,
    EVAL,
    DECISION,
    ARTIFACT,
    FILE,
    COMMIT,
    ACTOR,
    MODEL_CALL,
    TOOL_CALL,
    FRAME,
];

/// What an id begins with where that is not the word of its kind.
const PREFIXES: [(&str, &str); 2] = [("scenario", TASK), ("reading", OBSERVATION)];

/// A task serves a goal.
pub const SERVES: &str = "serves";
/// A failure blocks a goal.
pub const BLOCKS: &str = "blocks";
/// A patch advances a goal.
pub const ADVANCES: &str = "advances";
/// An observation is of something.
pub const OBSERVES: &str = "observes";
/// Something resolves a failure.
pub const ADDRESSES: &str = "addresses";
/// Something says why a failure is.
pub const EXPLAINS: &str = "explains";
/// Something was looked at.
pub const VALIDATED_BY: &str = "validated_by";
/// Somebody said yes.
pub const APPROVED_BY: &str = "approved_by";
/// Somebody said no.
pub const REJECTED_BY: &str = "rejected_by";
/// A patch changes a file.
pub const MODIFIES: &str = "modifies";
/// Something points to something.
pub const REFERENCES: &str = "references";
/// Where something came from.
pub const PRODUCED_BY: &str = "produced_by";
/// A run brought an observation.
pub const PRODUCES: &str = "produces";
/// A scenario is about a file: an edit makes its readings stale.
pub const GOVERNS: &str = "governs";
/// The work tree in which something was done.
pub const CONTAINED_IN_FRAME: &str = "contained_in_frame";
/// Where a patch left the base.
pub const FORKED_FROM: &str = "forked_from";

/// What a run log tells.
const LOGGED: &[&str] = &[OBSERVATION, HYPOTHESIS, MODEL_CALL, TOOL_CALL, ARTIFACT];

/// One relation: from which kinds to which.
#[derive(Debug)]
pub struct AllowedRelation {
    /// Its name.
    pub rel: &'static str,
    /// The kinds it goes out from.
    pub from: &'static [&'static str],
    /// The kinds it goes to.
    pub to: &'static [&'static str],
}

const fn row(rel: &'static str, from: &'static [&'static str], to: &'static [&'static str]) -> AllowedRelation {
    AllowedRelation { rel, from, to }
}

/// Every relation that is derived. A name may stand in several rows.
pub static RELATIONS: [AllowedRelation; 23] = [
    row(SERVES, &[TASK], &[GOAL]),
    row(BLOCKS, &[FAILURE], &[GOAL]),
    row(ADVANCES, &[PATCH], &[GOAL]),
    row(OBSERVES, &[OBSERVATION], &[TASK, FAILURE]),
    row(ADDRESSES, &[OBSERVATION, PATCH], &[FAILURE]),
    row(EXPLAINS, LOGGED, &[FAILURE]),
    row(VALIDATED_BY, &[PATCH], &[EVAL]),
    row(VALIDATED_BY, &[GOAL], &[DECISION]),
    row(APPROVED_BY, &[PATCH, GOAL], &[DECISION]),
    row(REJECTED_BY, &[PATCH, GOAL], &[DECISION]),
    row(MODIFIES, &[PATCH], &[FILE]),
    row(GOVERNS, &[TASK], &[FILE]),
    row(REFERENCES, &[TASK], &[FILE]),
    row(REFERENCES, &[OBSERVATION, PATCH], &[ARTIFACT]),
    row(REFERENCES, &[DECISION], &[GOAL, TASK]),
    row(REFERENCES, &[EVAL], &[TASK, OBSERVATION]),
    row(PRODUCES, &[RUN], &[OBSERVATION]),
    row(PRODUCED_BY, &[RUN], &[TASK]),
    row(PRODUCED_BY, &[OBSERVATION], &[COMMIT, ACTOR]),
    row(PRODUCED_BY, &[DECISION], &[ACTOR]),
    row(PRODUCED_BY, LOGGED, &[RUN]),
    row(CONTAINED_IN_FRAME, &[RUN, OBSERVATION, HYPOTHESIS, MODEL_CALL, TOOL_CALL, ARTIFACT], &[FRAME]),
    row(FORKED_FROM, &[PATCH], &[COMMIT]),
];

/// Whether a node of `kind` may be derived.
pub fn is_kind(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// Whether `rel` may go from a node of one kind to one of the other.
pub fn is_allowed(from: &str, rel: &str, to: &str) -> bool {
    RELATIONS.iter().any(|row| row.rel == rel && row.from.contains(&from) && row.to.contains(&to))
}

/// The kind of the node that `id` names, by its first word; `None` where that says nothing.
pub fn kind_of_id(id: &str) -> Option<&'static str> {
    let (word, _) = id.split_once(':')?;
    let other = PREFIXES.iter().find(|(prefix, _)| *prefix == word).map(|(_, kind)| *kind);
    other.or_else(|| KINDS.into_iter().find(|kind| *kind == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_speaks_of_known_kinds_and_says_nothing_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for row in &RELATIONS {
            for (from, to) in row.from.iter().flat_map(|from| row.to.iter().map(move |to| (from, to))) {
                assert!(is_kind(from) && is_kind(to), "{} {from} {to}", row.rel);
                assert!(seen.insert((row.rel, from, to)), "{} {from} {to} twice", row.rel);
            }
        }
        assert!(is_allowed(FAILURE, BLOCKS, GOAL) && !is_allowed(GOAL, BLOCKS, FAILURE));
    }

    #[test]
    fn an_id_says_of_what_kind_its_node_is() {
        for (id, kind) in [
            ("scenario:n#s", Some(TASK)),
            ("reading:n#s@t", Some(OBSERVATION)),
            ("observation:r:4", Some(OBSERVATION)),
            ("file:a:b", Some(FILE)),
            ("task:x", Some(TASK)),
            ("other:x", None),
            ("goal", None),
        ] {
            assert_eq!(kind_of_id(id), kind, "{id}");
        }
    }
}
