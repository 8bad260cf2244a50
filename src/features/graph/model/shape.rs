//! The shape of the event graph: the kinds of its nodes, and the kinds that each relation may connect. For example, a
//! failure `blocks` a goal, and never a goal a failure. `judge/engine/apply.rs` refuses an op outside this table. A
//! graph from the log of another program may have other kinds and relations, which are not checked. Printed graphs and
//! digests contain these words: a changed word changes digests.

/// The goal contract of a node of the workspace.
pub const GOAL: &str = "goal";
/// A scenario. The word is `task`, because a scenario is work that serves a goal.
pub const TASK: &str = "task";
/// A run of an agent or a pipeline.
pub const RUN: &str = "run";
/// A reading of a scenario, or an observation or finding in a run log.
pub const OBSERVATION: &str = "observation";
/// A recorded fail, or a pass that a budget made one. A later pass resolves it; a retraction tombstones it.
pub const FAILURE: &str = "failure";
/// A suspected cause of a failure, from a run log.
pub const HYPOTHESIS: &str = "hypothesis";
/// A proposed change: a branch.
pub const PATCH: &str = "patch";
/// The result of one scenario on the branch of a patch.
pub const EVAL: &str = "eval";
pub const DECISION: &str = "decision";
/// A piece of evidence, or a file that a run wrote.
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

/// The prefixes of ids that are not the kind itself: `scenario:n#s` is a task, `reading:n#s@t` is an observation.
const PREFIXES: [(&str, &str); 2] = [("scenario", TASK), ("reading", OBSERVATION)];

/// From a scenario to the goal of its node.
pub const SERVES: &str = "serves";
/// From a failure to the goal of its node.
pub const BLOCKS: &str = "blocks";
/// From a patch to the goal of a node that it touches.
pub const ADVANCES: &str = "advances";
/// From a reading to its scenario, and to the failure that it shows.
pub const OBSERVES: &str = "observes";
/// From a later passing reading, or from a patch, to the failure that it resolves.
pub const ADDRESSES: &str = "addresses";
/// From a node of a run log to the failure that its field `failure` names.
pub const EXPLAINS: &str = "explains";
/// From a patch to its evals, or from a goal to a `review`.
pub const VALIDATED_BY: &str = "validated_by";
/// From a patch to an `approve`, or from a goal to a `complete`.
pub const APPROVED_BY: &str = "approved_by";
/// From a patch to a `reject`, or from a goal to a `pivot`, `rework` or `block`.
pub const REJECTED_BY: &str = "rejected_by";
/// From a patch to a file that its branch changes.
pub const MODIFIES: &str = "modifies";
/// From a node to another one that it names, for example from a scenario to the files of its list `related`.
pub const REFERENCES: &str = "references";
/// From a node to its origin, for example from a reading to its commit and to the person who filed it.
pub const PRODUCED_BY: &str = "produced_by";
/// From a run to the readings that were filed in it.
pub const PRODUCES: &str = "produces";
/// From a scenario to a file in its list `code`: an edit of the file can make its readings stale.
pub const GOVERNS: &str = "governs";
/// From a run, or from a node of its log, to the work tree with the log.
pub const CONTAINED_IN_FRAME: &str = "contained_in_frame";
/// From a patch to the commit at which its branch left the main branch.
pub const FORKED_FROM: &str = "forked_from";

/// The kinds of the nodes for single events of a run log; the node of the whole log is a run.
const LOGGED: &[&str] = &[OBSERVATION, HYPOTHESIS, MODEL_CALL, TOOL_CALL, ARTIFACT];

/// A row of the table: the relation may lead from a node of each kind in `from` to a node of each kind in `to`.
#[derive(Debug)]
pub struct AllowedRelation {
    pub rel: &'static str,
    pub from: &'static [&'static str],
    pub to: &'static [&'static str],
}

const fn row(rel: &'static str, from: &'static [&'static str], to: &'static [&'static str]) -> AllowedRelation {
    AllowedRelation { rel, from, to }
}

/// Every relation that a derived graph may have. A relation may have several rows.
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

/// Whether `rel` may lead from a node of the kind `from` to a node of the kind `to`.
pub fn is_allowed(from: &str, rel: &str, to: &str) -> bool {
    RELATIONS.iter().any(|row| row.rel == rel && row.from.contains(&from) && row.to.contains(&to))
}

/// The kind of a node by the prefix of its `id`, for example `file` for `file:src/a.rs`; `None` for an unknown prefix.
pub fn kind_of_id(id: &str) -> Option<&'static str> {
    let (prefix, _) = id.split_once(':')?;
    let renamed = PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(_, kind)| *kind);
    renamed.or_else(|| KINDS.into_iter().find(|kind| *kind == prefix))
}

/// The word before the colon of such an id, if it is not the name of the kind: `scenario` of a task.
pub fn prefix_of_id(id: &str) -> Option<&'static str> {
    let (prefix, _) = id.split_once(':')?;
    PREFIXES.iter().find(|(known, _)| *known == prefix).map(|(known, _)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_known_kinds_and_no_pair_stands_twice() {
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
    fn the_prefix_of_an_id_gives_the_kind_of_its_node() {
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
