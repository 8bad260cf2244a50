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

/// The log of a run, or of a cycle of runs, in the places where playbooks write it; elsewhere it is somebody else's.
pub(crate) const RUN_STATE: &str = "run_state.jsonl";

/// The directory of run logs that is ours.
pub(crate) const RUNS_DIR: &str = ".yatsu/runs";

/// How a run log ends in the directory that is ours.
pub(crate) const RUN_ENDING: &str = ".jsonl";

/// The configuration, at the top of the repository.
pub(crate) const CONFIG_FILE: &str = "spexcode.json";

/// The names of a scenario file, the one that wins first.
pub(crate) const SCENARIO_NAMES: [&str; 2] = [OLDER_SCENARIOS, NEWER_SCENARIOS];

/// The names of a ledger, in the order in which a node's ledgers are read.
pub(crate) const LEDGER_NAMES: [&str; 2] = [OLDER_LEDGER, NEWER_LEDGER];

/// The patterns by which git's attributes give ledgers to the merge driver: wider than [`LEDGER_NAMES`], since a pattern
/// that takes too little would let git merge a ledger line by line as text.
pub(crate) const LEDGER_PATTERNS: [&str; 2] = ["*.evals.ndjson", NEWER_LEDGER];

/// Every name that is ours in some directory; the configuration is ours by its path.
pub(crate) const OUR_NAMES: [&str; 5] = [SPEC, OLDER_SCENARIOS, NEWER_SCENARIOS, OLDER_LEDGER, NEWER_LEDGER];

/// Whether a file of this name is a ledger, where the name is ours.
pub(crate) fn is_ledger(name: &[u8]) -> bool {
    LEDGER_NAMES.iter().any(|ours| ours.as_bytes() == name)
}

/// Whether git's attributes give a file of this name to the merge driver.
pub(crate) fn is_merged_as_ledger(name: &[u8]) -> bool {
    LEDGER_PATTERNS.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end.as_bytes()),
        None => name == pattern.as_bytes(),
    })
}

/// Whether a person, or a file system that folds case and drops blanks and dots at the end, takes `name` for one of ours.
pub(crate) fn is_like_ours(name: &[u8]) -> bool {
    may_end_ours(name) && OUR_NAMES.iter().any(|ours| looks_like(name, ours))
}

/// Ours end in these letters: of most names no more is looked at.
#[inline]
fn may_end_ours(name: &[u8]) -> bool {
    matches!(name.last(), Some(b'd' | b'D' | b'n' | b'N' | b' ' | b'.'))
}

/// Whether `name` is `ours` but for case, and for blanks and dots at its ends.
pub(crate) fn looks_like(name: &[u8], ours: &str) -> bool {
    let is_dropped = |byte: &u8| matches!(byte, b' ' | b'.');
    let start = name.iter().take_while(|byte| is_dropped(byte)).count();
    let end = name.iter().rev().take_while(|byte| is_dropped(byte)).count();
    name.get(start..name.len() - end).is_some_and(|name| name.eq_ignore_ascii_case(ours.as_bytes()))
}

/// Whether a directory may have one of our names, or almost one, by how it ends.
pub(crate) fn may_be_our_directory(dir: &[u8]) -> bool {
    dir.ends_with(b".md") || dir.ends_with(b".ndjson")
}

/// Whether such a directory lies on the way to `path`.
pub(crate) fn may_lie_below_ours(path: &[u8]) -> bool {
    first_below(path, 0).is_some()
}

/// Where the first such directory ends whose `/` is not among the first `from` bytes.
fn first_below(path: &[u8], from: usize) -> Option<usize> {
    let new = path.get(from..).unwrap_or_default().iter().enumerate();
    let mut ends = new.filter(|(_, byte)| **byte == b'/').map(|(at, _)| from + at);
    ends.find(|end| may_be_our_directory(&path[..*end]))
}

/// Whether `path` may be ours in some place: by its name, or by that of a directory on its way.
pub(crate) fn may_be_ours(path: &[u8]) -> bool {
    Sieve::default().holds(path, 0, true)
}

/// Picks from sorted paths those that [`may_be_ours`], by the last byte of each and by the directories that the path
/// before it did not have.
#[derive(Default)]
pub(crate) struct Sieve {
    /// Where in the last path the first directory ends that may have one of our names.
    below: Option<usize>,
}

impl Sieve {
    /// Whether `path` is one, which has its first `shared` bytes in common with the path that was asked about before.
    /// `branches`: whether behind those it may have a `/`.
    #[inline]
    pub(crate) fn holds(&mut self, path: &[u8], shared: usize, branches: bool) -> bool {
        // what a shared beginning has was found with the path before
        if self.below.is_none_or(|end| end >= shared) {
            self.below = if branches { first_below(path, shared) } else { None };
        }
        self.below.is_some()
            || may_end_ours(path) && is_like_ours(path.rsplit(|byte| *byte == b'/').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merge_driver_takes_every_ledger_and_what_its_patterns_name() {
        assert!(LEDGER_NAMES.iter().all(|name| is_merged_as_ledger(name.as_bytes())));
        assert!(is_merged_as_ledger(b"old.evals.ndjson"));
        assert!(
            ["myevals.ndjson", "evals.ndjson.bak", "README.md"]
                .iter()
                .all(|name| !is_merged_as_ledger(name.as_bytes()))
        );
    }

    #[test]
    fn what_may_be_ours_is_told_by_names_and_by_directories_of_such_names() {
        let ours = ["yatsu.md", "a/spec.md", "a/Spec.MD. ", "a/ evals.ndjson", "x.md/y", "a/b.ndjson/c/d", "a/.md/x"];
        let others = ["", "a", "read.md", "a/json", "a/x.mdx/y", "a/b.ndjsonx/c", "a.MD/x", "yatsu.md.rs"];
        assert!(ours.iter().all(|path| may_be_ours(path.as_bytes())));
        assert!(others.iter().all(|path| !may_be_ours(path.as_bytes())));
    }

    #[test]
    fn sorted_paths_are_told_as_each_alone() {
        let paths = [
            "a.md",
            "a.md/b",
            "a.md/c/d",
            "a.mdx/b",
            "b/c.ndjson/d",
            "b/c.ndjson/e.md/f",
            "b/c/d",
            "b/c/yatsu.md",
            "c",
        ];
        let mut sieve = Sieve::default();
        let mut before: &str = "";
        for path in paths {
            let most = before.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
            let branches = path[most..].contains('/');
            assert_eq!(sieve.holds(path.as_bytes(), most, branches), may_be_ours(path.as_bytes()), "{path}");
            before = path;
        }
    }
}
