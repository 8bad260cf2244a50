//! The keys of yatsu-hook's own files, each with one sentence.

use crate::app::query::settings;
use crate::names;

/// A key with its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// The key with dots between its levels, e.g. `yatsu.roots`.
    pub name: &'static str,
    /// The file that holds the key.
    pub place: &'static str,
    pub text: &'static str,
}

const CONFIG: &str = names::CONFIG_FILE;
const ENTRY: &str = "an entry of yatsu.md";
const SPEC: &str = names::SPEC;
const LEDGER: &str = "a line of the ledger";
const CONTRACT: &str = "goal_contract in yatsu.md";

/// The keys of this name, one for each file that has such a key, for example two for `code`.
pub(crate) fn key(name: &str) -> Vec<Key> {
    all().filter(|key| key.name == name).collect()
}

/// The key that ends with `name`, if there is exactly one: `roots` means `yatsu.roots`.
pub(crate) fn key_that_ends(name: &str) -> Option<Key> {
    let mut found = all().filter(|key| key.name.rsplit_once('.').is_some_and(|(_, last)| last == name));
    found.next().filter(|_| found.next().is_none())
}

/// The settings that are maps with names of the user's own, for example an evaluator or a tag.
const FREE_MAPS: [&str; 3] = ["yatsu.evaluators", "yatsu.evidenceFor", "yatsu.claims.perTag"];

/// The key of the configuration above the setting `name`: `yatsu.budgets` for `yatsu.budgets.maxRunTotalTokens`.
pub(crate) fn key_above(name: &str) -> Option<Key> {
    let (above, _) = name.rsplit_once('.')?;
    let is_below = |key: &Key| name.strip_prefix(key.name).is_some_and(|rest| rest.starts_with('.'));
    let is_setting = FREE_MAPS.contains(&above) || settings::is_setting(name);
    all().find(|key| key.place == CONFIG && is_below(key)).filter(|_| is_setting)
}

/// Each place with its keys, in the order of the explanations.
pub(crate) fn keys_by_place() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    KEYS.iter().map(|(place, _)| (*place, all().filter(|key| key.place == *place).map(|key| key.name).collect()))
}

/// Explains one of yatsu-hook's files by its name alone, with its keys; `None` for any other name.
pub(crate) fn our_file(name: &str) -> Option<String> {
    let (what, place) = match name {
        _ if names::is_segment(name.as_bytes()) => {
            ("a segment of the ledger of a node: readings that belong to the trunk file beside it", LEDGER)
        }
        CONFIG => ("the configuration, at the top of the repository", CONFIG),
        SPEC => ("declares a node: a subject with the code that belongs to it", SPEC),
        names::OLDER_SCENARIOS | names::NEWER_SCENARIOS => ("the scenarios of the node, in its directory", ENTRY),
        names::OLDER_LEDGER | names::NEWER_LEDGER => {
            ("the ledger of a node: readings, a line each, only appended to", LEDGER)
        }
        _ => return None,
    };
    let keys = all().filter(|key| key.place == place).map(|key| format!("{}: {}\n", key.name, key.text));
    Some(format!("{name}: {what}. Keys of {place}:\n\n{}", keys.collect::<String>()))
}

/// The name of every key, each once.
pub(crate) fn key_names() -> Vec<&'static str> {
    let mut names: Vec<_> = all().map(|key| key.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn all() -> impl Iterator<Item = Key> {
    let of = |(place, keys): &(&'static str, &'static str)| {
        let place = *place;
        keys.lines().filter_map(move |line| line.split_once(": ").map(|(name, text)| Key { name, place, text }))
    };
    KEYS.iter().flat_map(of)
}

/// The keys of each file, one per line: `name: meaning`.
const KEYS: &[(&str, &str)] = &[
    (
        CONFIG,
        "lint.scenarioTags: The tag library: every tag of a scenario is one of these. An empty list allows any.
lint.maxOwners: A file that more scenarios than this govern by their own list is reported (yatsu-owners).
lint.sourceExtensions: What counts as a source file for yatsu-uncovered and yatsu-unowned, by the end of its name.
lint.governedRoots: Directories, `.` for all, where every tracked source file has to be governed by a scenario (yatsu-unowned).
lint.sourceIncludeGlobs: What counts as a source file in lint.governedRoots, in place of lint.sourceExtensions.
lint.sourceExcludeGlobs: What does not, for example generated files.
mainBranch: The branch that --changed compares with; without it origin/HEAD, else main, else master.
yatsu.needs: The oldest version that may judge this repository, for example 0.2; an older program says so and exits 3.
yatsu.roots: Where nodes live: directories, `.` for specs beside the code. New nodes go below the first.
yatsu.rules: Rule to level: error, warning, info or off.
yatsu.evaluators: Evaluator to its current version: a reading of another version is stale.
yatsu.evidenceFor: Tag to kinds of evidence (image, transcript, video, data): a pass must carry one of them.
yatsu.stampContent: Whether a reading records the content ids of the files that were measured, and of the test. On by default.
yatsu.allowInTree: Globs of files that may be both evidence and tracked by git, for example a picture in the README.
yatsu.protect: Globs of branches, beside the main one: a force push there may not remove ledger lines.
yatsu.redact: allow or refuse: whether a ledger line may be replaced by its redaction.
yatsu.claims: Limits of claims: grace, maxPerOwner, maxPerRun, maxAttempts, perTag.
yatsu.budgets: What a reading or a run may cost; a reading beyond it counts as a fail.
yatsu.goals: How the goals of nodes are judged.
yatsu.runlogs: Files that are run logs, and the profile of each.
yatsu.patches: What a branch needs before it is promoted to the main branch.
yatsu.agents: What the hooks in a coding agent's harness do: stop, claims, observe, keepOutput, require.
yatsu.trust: The keys and signatures that count: signers, revoked, project, roles; readings: tag to {grade, roles, keys}, `*` for other tags; approvals.
yatsu.segments: auto, always or never: whether new lines of ledgers go into segments, files of their own that merge anywhere. auto: where the repository has a remote.
yatsu.coverageIgnore: Globs of files that under-declared never names, for example a logger that every run goes through.
yatsu.exclude: Globs of paths that are left alone: they are not judged.",
    ),
    (
        SPEC,
        "title: What people call the node.
status: How far the node has come, in the words of its team; nothing is judged by it.
code: The paths that the node governs: scenarios without a list of their own are measured on these.
related: Paths that belong to the subject and make nothing stale.",
    ),
    (
        ENTRY,
        "name: What the scenario is called: unique in its file; readings are filed under it.
description: What to do, so that others measure the same. Rewording it makes readings stale.
expected: What a perfect result looks like. Rewording it makes readings stale.
tags: One or more of lint.scenarioTags.
test: A file that runs the scenario, or {path, name, command, skips}; neither file nor command is executed here.
code: What the scenario governs: files, directories, globs, path#symbol; `?path` may be absent. Without it the node's list.
related: Paths that are mentioned and make nothing stale.
runs: {of: 10, need: 8}: of the newest ten runs of this content eight must pass. Without it one reading answers.
env: Names of environments, for example browsers or models: each needs an answer of its own.",
    ),
    (
        LEDGER,
        "scenario: The scenario that was measured.
codeSha: The commit that was checked out when it was filed.
scenarioHash: sha256 of description and expected as they were measured.
governed: What was measured, by content: each governed file with its git object id.
dirty: A governed file differed from codeSha when it was filed.
blob: sha256 of the first piece of evidence.
evidence: The pieces of evidence, each {hash, kind}.
timelineBlob: sha256 of the step timeline.
evaluator: What measured: name@version.
by: Who filed or decided it, for people; nothing checks it.
verdict: {status: pass or fail, note}.
ts: When it was filed: UTC with milliseconds. It names the line within its scenario.
retracts: The ts of the reading that this line withdraws.
key: Idempotency key: a reading that is filed twice under one key counts once.
attempt: The number of the attempt, from the claim that it was filed under.
run: Readings that share a run share its budget.
usage: What the measurement cost.
how: What speaks for it beside its author: the report of a coding agent's harness about the command. Without it, a claim.
coverage: The files that the measured run went through: format, ran, more, loaded. Advice: nothing is judged by it.
env: The environment that was measured, one of those that the scenario lists.
runs: {pass, of, report}: how many of how many runs passed. Without it the reading is one run.
metrics: Numbers that were measured, by name.
markers: The markers that its transcript shows.
artifacts: Files that came out of it, by name, with their hash.
decision: A decision in place of a reading: complete, pivot, rework, block, unblock, review, approve, reject, waive-budget, blocked.",
    ),
    (
        CONTRACT,
        "goal_contract: What would be enough for the node; `yatsu-hook goal check` asks whether it is reached.
version: The version of the contract's form: 1.
goal_text: The goal in words.
goal_type: What sort of goal it is. Default: custom.
acceptance_criteria: The parts of the goal, each {id, kind, …}; all must hold.
max_goal_attempts: After this many attempts the goal is blocked until it is unblocked. Default: 3.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::contract::{DEFAULT_ATTEMPTS, GoalType};

    #[test]
    fn every_key_of_the_configuration_is_explained() {
        for name in ["lint.scenarioTags", "yatsu.roots", "yatsu.exclude", "mainBranch"] {
            assert_eq!(key(name).len(), 1, "{name}");
        }
        assert_eq!(key("code").len(), 2, "one word, two files");
        assert_eq!(key_that_ends("roots").map(|key| key.name), Some("yatsu.roots"));
        assert!(key_that_ends("code").is_none() && key_that_ends("yatsu").is_none());
        let own = names::OUR_NAMES.iter().chain([&CONFIG, &"yatsu.a.evals.ndjson"]);
        assert!(own.into_iter().all(|name| our_file(name).is_some_and(|text| text.lines().count() > 4)));
        let said = |name: &str, default: &str| key(name)[0].text.ends_with(&format!(" Default: {default}."));
        assert!(said("max_goal_attempts", &DEFAULT_ATTEMPTS.to_string()));
        assert!(said("goal_type", GoalType::default().as_str()));
        assert!(key("nope").is_empty() && key_names().len() > 40);
    }
}
