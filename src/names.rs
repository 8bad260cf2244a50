//! The names of yatsu-hook's files in a tree. Every check of a path uses these names, because a name that one reader knows
//! and another does not would be a way around the gate.

/// The file that declares a node.
pub(crate) const SPEC: &str = "spec.md";

/// A scenario file by its older name, which counts in every directory.
pub(crate) const OLDER_SCENARIOS: &str = "yatsu.md";

/// A scenario file by its newer name, which counts only under a root.
pub(crate) const NEWER_SCENARIOS: &str = "eval.md";

/// A ledger by its older name, which counts in every directory.
pub(crate) const OLDER_LEDGER: &str = "yatsu.evals.ndjson";

/// A ledger by its newer name, which counts only under a root.
pub(crate) const NEWER_LEDGER: &str = "evals.ndjson";

/// The log of a run, or of a cycle of runs, in the places where playbooks write it. Elsewhere this name means nothing.
pub(crate) const RUN_STATE: &str = "run_state.jsonl";

/// The directory of yatsu-hook's own run logs.
pub(crate) const RUNS_DIR: &str = ".yatsu/runs";

/// The extension of a run log in [`RUNS_DIR`].
pub(crate) const RUN_ENDING: &str = ".jsonl";

/// The configuration, at the top of the repository.
pub(crate) const CONFIG_FILE: &str = "spexcode.json";

/// The names of a scenario file. If both exist, the first one is read.
pub(crate) const SCENARIO_NAMES: [&str; 2] = [OLDER_SCENARIOS, NEWER_SCENARIOS];

/// The names of a ledger, in the order in which a node's ledgers are read.
pub(crate) const LEDGER_NAMES: [&str; 2] = [OLDER_LEDGER, NEWER_LEDGER];

/// The patterns in git's attributes that assign ledgers to the merge driver. They are wider than [`LEDGER_NAMES`], because
/// git would merge a ledger that no pattern matches line by line as text.
pub(crate) const LEDGER_PATTERNS: [&str; 2] = ["*.evals.ndjson", NEWER_LEDGER];

/// Every name that counts in some directory. The configuration is not among them: it is known by its path.
pub(crate) const OUR_NAMES: [&str; 5] = [SPEC, OLDER_SCENARIOS, NEWER_SCENARIOS, OLDER_LEDGER, NEWER_LEDGER];

/// Whether a file of this name is a ledger, in a directory where the name counts.
pub(crate) fn is_ledger(name: &[u8]) -> bool {
    LEDGER_NAMES.iter().any(|ours| ours.as_bytes() == name)
}

/// Whether git's attributes assign a file of this name to the merge driver.
pub(crate) fn is_merged_as_ledger(name: &[u8]) -> bool {
    LEDGER_PATTERNS.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end.as_bytes()),
        None => name == pattern.as_bytes(),
    })
}

/// Whether a person, or a file system that ignores case and trailing blanks and dots, may take `name` for a name of this
/// list.
pub(crate) fn is_like_ours(name: &[u8]) -> bool {
    may_end_ours(name) && OUR_NAMES.iter().any(|ours| looks_like(name, ours))
}

/// A quick check by the last letter. It rules out most names.
#[inline]
fn may_end_ours(name: &[u8]) -> bool {
    matches!(name.last(), Some(b'd' | b'D' | b'n' | b'N' | b' ' | b'.'))
}

/// Whether `name` equals `ours`, ignoring case, and blanks and dots at both ends.
pub(crate) fn looks_like(name: &[u8], ours: &str) -> bool {
    let is_dropped = |byte: &u8| matches!(byte, b' ' | b'.');
    let start = name.iter().take_while(|byte| is_dropped(byte)).count();
    let end = name.iter().rev().take_while(|byte| is_dropped(byte)).count();
    name.get(start..name.len() - end).is_some_and(|name| name.eq_ignore_ascii_case(ours.as_bytes()))
}

/// Whether a directory may have one of these names, or a similar one, judged by its ending.
pub(crate) fn may_be_our_directory(dir: &[u8]) -> bool {
    dir.ends_with(b".md") || dir.ends_with(b".ndjson")
}

/// Whether such a directory lies on the way to `path`.
pub(crate) fn may_lie_below_ours(path: &[u8]) -> bool {
    first_below(path, 0).is_some()
}

/// Where the first such directory ends. Only directories with a `/` at `from` or later are considered.
fn first_below(path: &[u8], from: usize) -> Option<usize> {
    let new = path.get(from..).unwrap_or_default().iter().enumerate();
    let mut ends = new.filter(|(_, byte)| **byte == b'/').map(|(at, _)| from + at);
    ends.find(|end| may_be_our_directory(&path[..*end]))
}

/// Whether `path` may be a file of yatsu-hook: by its own name, or by the name of a directory on its way.
pub(crate) fn may_be_ours(path: &[u8]) -> bool {
    Sieve::default().holds(path, 0, true)
}

/// Picks the paths that [`may_be_ours`] from a sorted sequence. It checks the last byte of each path, and only the
/// directories that the previous path did not have.
#[derive(Default)]
pub(crate) struct Sieve {
    /// Where the first directory with such a name ends in the previous path.
    below: Option<usize>,
}

impl Sieve {
    /// Whether `path` may be such a file. Its first `shared` bytes equal the previous path's. `branches`: whether a `/` may
    /// follow after those bytes.
    #[inline]
    pub(crate) fn holds(&mut self, path: &[u8], shared: usize, branches: bool) -> bool {
        // the directories in the shared part were checked with the previous path
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
