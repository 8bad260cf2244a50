//! The names of our files in a tree. Whoever asks whether a path is ours asks by these: a name that one reader knows and
//! another does not would be a way past the gate.

/// Declares a node.
pub(crate) const SPEC: &str = "spec.md";

/// A scenario file by its older name, which is ours in every directory.
pub(crate) const OLDER_SCENARIOS: &str = "yatsu.md";

/// A scenario file by its newer name, which is ours under a root only.
pub(crate) const NEWER_SCENARIOS: &str = "eval.md";

/// A ledger by its older name, which is ours in every directory.
pub(crate) const OLDER_LEDGER: &str = "yatsu.evals.ndjson";

/// A ledger by its newer name, which is ours under a root only.
pub(crate) const NEWER_LEDGER: &str = "evals.ndjson";

/// The configuration, at the top of the repository.
pub(crate) const CONFIG_FILE: &str = "spexcode.json";

/// The names of a scenario file, the one that wins first.
pub(crate) const SCENARIO_NAMES: [&str; 2] = [OLDER_SCENARIOS, NEWER_SCENARIOS];

/// The names of a ledger, in the order in which a node's ledgers are read.
pub(crate) const LEDGER_NAMES: [&str; 2] = [OLDER_LEDGER, NEWER_LEDGER];

/// Every name that is ours in some directory; the configuration is ours by its path.
pub(crate) const OUR_NAMES: [&str; 5] = [SPEC, OLDER_SCENARIOS, NEWER_SCENARIOS, OLDER_LEDGER, NEWER_LEDGER];

/// Whether a file of this name is a ledger, where the name is ours.
pub(crate) fn is_ledger(name: &[u8]) -> bool {
    LEDGER_NAMES.iter().any(|ours| ours.as_bytes() == name)
}
