//! The kinds of nodes in a derived graph, and the kinds that each relation may connect. An op outside this table is refused
//! before it is applied. Logs of other programs may have other kinds, which are not checked.

pub const GOAL: &str = "goal";
/// Work that serves a goal: a scenario.
pub const TASK: &str = "task";
/// A run of an agent or a pipeline.
pub const RUN: &str = "run";
/// An observation: a reading or a finding.
pub const OBSERVATION: &str = "observation";
pub const FAILURE: &str = "failure";
/// A suspected cause.
pub const HYPOTHESIS: &str = "hypothesis";
/// A proposed change: a branch.
pub const PATCH: &str = "patch";
/// A validation of a patch.
pub const EVAL: &str = "eval";
pub const DECISION: &str = "decision";
pub const ARTIFACT: &str = "artifact";
pub const FILE: &str = "file";
pub const COMMIT: &str = "commit";
/// A person or program that acted.
pub const ACTOR: &str = "actor";
pub const MODEL_CALL: &str = "model_call";
pub const TOOL_CALL: &str = "tool_call";
/// A work tree.
pub const FRAME: &str = "frame";

/// Every kind of node, in the order in which counts are displayed.
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

/// Prefixes of ids that differ from the word of their kind.
const PREFIXES: [(&str, &str); 2] = [("scenario", TASK), ("reading", OBSERVATION)];

pub const SERVES: &str = "serves";
pub const BLOCKS: &str = "blocks";
pub const ADVANCES: &str = "advances";
/// An observation is about something.
pub const OBSERVES: &str = "observes";
/// Something resolves a failure.
pub const ADDRESSES: &str = "addresses";
/// Something explains a failure.
pub const EXPLAINS: &str = "explains";
/// Something was examined.
pub const VALIDATED_BY: &str = "validated_by";
/// Something was approved.
pub const APPROVED_BY: &str = "approved_by";
/// Something was rejected.
pub const REJECTED_BY: &str = "rejected_by";
pub const MODIFIES: &str = "modifies";
/// Something refers to something.
pub const REFERENCES: &str = "references";
/// The origin of something.
pub const PRODUCED_BY: &str = "produced_by";
pub const PRODUCES: &str = "produces";
/// A scenario governs a file: an edit makes its readings stale.
pub const GOVERNS: &str = "governs";
/// The work tree in which something was done.
pub const CONTAINED_IN_FRAME: &str = "contained_in_frame";
/// The commit at which a patch branched off.
pub const FORKED_FROM: &str = "forked_from";

/// The kinds of nodes that come from run logs.
const LOGGED: &[&str] = &[OBSERVATION, HYPOTHESIS, MODEL_CALL, TOOL_CALL, ARTIFACT];

/// One relation, with the kinds that it may connect.
#[derive(Debug)]
pub struct AllowedRelation {
    pub rel: &'static str,
    pub from: &'static [&'static str],
    pub to: &'static [&'static str],
}

const fn row(rel: &'static str, from: &'static [&'static str], to: &'static [&'static str]) -> AllowedRelation {
    AllowedRelation { rel, from, to }
}

/// Every relation that is derived. A relation may have several rows.
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

/// Whether a derived graph may have nodes of `kind`.
pub fn is_kind(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// Whether `rel` may connect a node of the kind `from` to one of the kind `to`.
pub fn is_allowed(from: &str, rel: &str, to: &str) -> bool {
    RELATIONS.iter().any(|row| row.rel == rel && row.from.contains(&from) && row.to.contains(&to))
}

/// The kind of the node with this `id`, by the first word of the id; `None` if the word is unknown.
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
