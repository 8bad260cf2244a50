//! The keys of our files, a sentence each.

use crate::names;

/// A key, and what it means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// The key, dots between its levels.
    pub name: &'static str,
    /// The file that it stands in.
    pub place: &'static str,
    /// What it means.
    pub text: &'static str,
}

const CONFIG: &str = names::CONFIG_FILE;
const ENTRY: &str = "an entry of yatsu.md";
const SPEC: &str = names::SPEC;
const LEDGER: &str = "a line of the ledger";
const CONTRACT: &str = "goal_contract in yatsu.md";

/// The key of this name. One that several files have is explained for each.
pub(crate) fn key(name: &str) -> Vec<Key> {
    KEYS.iter().filter(|(_, key, _)| *key == name).map(|(place, name, text)| Key { name, place, text }).collect()
}

/// Every name, once.
pub(crate) fn key_names() -> Vec<&'static str> {
    let mut names: Vec<_> = KEYS.iter().map(|(_, name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

const KEYS: &[(&str, &str, &str)] = &[
    (
        CONFIG,
        "lint.scenarioTags",
        "The tag library: every tag of a scenario is one of these. An empty list allows any.",
    ),
    (
        CONFIG,
        "lint.maxOwners",
        "A file that more scenarios than this govern by their own list is reported (yatsu-owners).",
    ),
    (CONFIG, "lint.sourceExtensions", "What counts as a source file for yatsu-uncovered, by the end of its name."),
    (CONFIG, "mainBranch", "The branch that --changed compares with; without it origin/HEAD, else main, else master."),
    (
        CONFIG,
        "yatsu.roots",
        "Where nodes live: directories, `.` for specs beside the code. New nodes go below the first.",
    ),
    (CONFIG, "yatsu.rules", "Rule to level: error, warning, info or off."),
    (CONFIG, "yatsu.evaluators", "Evaluator to its current version: a reading of another version is stale."),
    (
        CONFIG,
        "yatsu.evidenceFor",
        "Tag to kinds of evidence (image, transcript, video, data): a pass must carry one of them.",
    ),
    (CONFIG, "yatsu.stampContent", "Whether readings say by content what was measured. On by default."),
    (CONFIG, "yatsu.allowInTree", "Globs of files that may be evidence and tracked at once."),
    (
        CONFIG,
        "yatsu.protect",
        "Globs of branches, beside the main one, whose ledgers never lose a line to a force push.",
    ),
    (CONFIG, "yatsu.redact", "allow or refuse: whether a ledger line may be replaced by its redaction."),
    (CONFIG, "yatsu.claims", "Limits of claims: grace, maxPerOwner, maxPerRun, maxAttempts, perTag."),
    (CONFIG, "yatsu.budgets", "What a reading or a run may cost; a reading beyond it counts as a fail."),
    (CONFIG, "yatsu.goals", "How the goals of nodes are judged."),
    (CONFIG, "yatsu.runlogs", "Files that are run logs, and the profile of each."),
    (CONFIG, "yatsu.patches", "How far branches must have come before they are promoted."),
    (CONFIG, "yatsu.exclude", "Globs of paths that are none of ours."),
    (SPEC, "title", "What people call the node."),
    (SPEC, "status", "How far the node has come, in the words of its team; nothing is judged by it."),
    (SPEC, "code", "The paths that the node governs: scenarios without a list of their own are measured on these."),
    (SPEC, "related", "Paths that belong to the subject and make nothing stale."),
    (ENTRY, "name", "What the scenario is called: unique in its file; readings are filed under it."),
    (ENTRY, "description", "What to do, so that somebody else measures the same. Rewording it makes readings stale."),
    (ENTRY, "expected", "What a perfect result looks like. Rewording it makes readings stale."),
    (ENTRY, "tags", "One or more of lint.scenarioTags."),
    (ENTRY, "test", "A file that runs the scenario, or {path, name}; it is never executed here."),
    (
        ENTRY,
        "code",
        "What the scenario governs: files, directories, globs, path#symbol; `?path` may be absent. Without it the node's list.",
    ),
    (ENTRY, "related", "Paths that are mentioned and make nothing stale."),
    (LEDGER, "scenario", "The scenario that was measured."),
    (LEDGER, "codeSha", "The commit that was checked out when it was filed."),
    (LEDGER, "scenarioHash", "sha256 of description and expected as they were measured."),
    (LEDGER, "governed", "What was measured, by content: each governed file with its git object id."),
    (LEDGER, "dirty", "A governed file differed from codeSha when it was filed."),
    (LEDGER, "blob", "sha256 of the first piece of evidence."),
    (LEDGER, "evidence", "The pieces of evidence, each {hash, kind}."),
    (LEDGER, "timelineBlob", "sha256 of the step timeline."),
    (LEDGER, "evaluator", "What measured: name@version."),
    (LEDGER, "by", "Who filed or decided it, for people; nothing checks it."),
    (LEDGER, "verdict", "{status: pass or fail, note}."),
    (LEDGER, "ts", "When it was filed: UTC with milliseconds. It names the line within its scenario."),
    (LEDGER, "retracts", "The ts of the reading that this line withdraws."),
    (LEDGER, "key", "What makes filing it twice filing it once."),
    (LEDGER, "attempt", "Of the claim that it was filed under."),
    (LEDGER, "run", "Readings that share a run share its budget."),
    (LEDGER, "usage", "What the measurement cost."),
    (LEDGER, "metrics", "Numbers that were measured, by name."),
    (LEDGER, "markers", "The markers that its transcript shows."),
    (LEDGER, "artifacts", "Files that came out of it, by name, with their hash."),
    (
        LEDGER,
        "decision",
        "A decision in place of a reading: complete, pivot, rework, block, unblock, review, approve, reject, waive-budget.",
    ),
    (
        CONTRACT,
        "goal_contract",
        "What would be enough for the node; `yatsu-hook goal check` asks whether it is reached.",
    ),
    (CONTRACT, "version", "The version of the contract's form: 1."),
    (CONTRACT, "goal_text", "The goal in words."),
    (CONTRACT, "goal_type", "What sort of goal it is."),
    (CONTRACT, "acceptance_criteria", "The parts of the goal, each {id, kind, …}; all must hold."),
    (CONTRACT, "max_goal_attempts", "After so many attempts the goal is blocked until somebody decides."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config;

    #[test]
    fn every_key_of_the_configuration_is_explained() {
        let config = config::parse(b"{}").expect("an empty configuration");
        drop(config);
        for name in ["lint.scenarioTags", "yatsu.roots", "yatsu.exclude", "mainBranch"] {
            assert_eq!(key(name).len(), 1, "{name}");
        }
        assert_eq!(key("code").len(), 2, "one word, two files");
        assert!(key("nope").is_empty() && key_names().len() > 40);
    }
}
