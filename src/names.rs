//! The names of yatsu-hook's files in a tree. Every check of a path uses these names, because a name that one reader knows
//! and another does not would be a way around the gate.

use std::cmp::Ordering;

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

/// The names of a trunk file, in the order in which a node's files are read. Segments are read after them.
pub(crate) const TRUNK_NAMES: [&str; 2] = [OLDER_LEDGER, NEWER_LEDGER];

/// How the name of a segment begins and ends, for example `yatsu.20260301-100000-4f1c2a.evals.ndjson`. A segment counts in
/// every directory.
const SEGMENT_ENDS: [&str; 2] = ["yatsu.", ".evals.ndjson"];

/// The glob of all segments in a directory.
pub(crate) const SEGMENT_PATTERN: &str = "yatsu.*.evals.ndjson";

/// The glob of all files of a ledger by the older name.
pub(crate) const LEDGER_GLOB: &str = "yatsu*.evals.ndjson";

/// Most bytes between the ends of a segment's name.
const LONGEST_SEGMENT: usize = 64;

/// The order of places in ledgers: homes by the paths of their older trunk files, and in each home as [`ledger_order`]. So a
/// fold does not change the order of two lines with one time.
pub(crate) fn cmp_ledgers(one: &[u8], other: &[u8]) -> Ordering {
    let split = |path: &[u8]| path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let ((dir, name), (other_dir, other_name)) = (one.split_at(split(one)), other.split_at(split(other)));
    let home = |dir: &[u8]| [dir, OLDER_LEDGER.as_bytes()].concat();
    let by_home = if dir == other_dir { Ordering::Equal } else { home(dir).cmp(&home(other_dir)) };
    by_home.then_with(|| ledger_order(name).cmp(&ledger_order(other_name)))
}

/// The patterns in git's attributes that assign ledgers to the merge driver. They are wider than [`TRUNK_NAMES`], because
/// git would merge a ledger that no pattern matches line by line as text.
pub(crate) const LEDGER_PATTERNS: [&str; 2] = ["*.evals.ndjson", NEWER_LEDGER];

/// Every name that counts in some directory, but for segments. The configuration is not among them: it is known by its path.
pub(crate) const OUR_NAMES: [&str; 5] = [SPEC, OLDER_SCENARIOS, NEWER_SCENARIOS, OLDER_LEDGER, NEWER_LEDGER];

/// Whether a file of this name may be ours, in a directory where the name counts.
pub(crate) fn is_ours(name: &[u8]) -> bool {
    OUR_NAMES.iter().any(|ours| ours.as_bytes() == name) || is_segment(name)
}

/// Whether a file of this name holds lines of a ledger, in a directory where the name counts: a trunk file or a segment.
pub(crate) fn is_ledger(name: &[u8]) -> bool {
    is_trunk(name) || is_segment(name)
}

/// Whether a file of this name is the trunk file of a ledger.
pub(crate) fn is_trunk(name: &[u8]) -> bool {
    TRUNK_NAMES.iter().any(|ours| ours.as_bytes() == name)
}

/// Whether a file of this name is a segment.
pub(crate) fn is_segment(name: &[u8]) -> bool {
    let [start, end] = SEGMENT_ENDS;
    let middle = name.strip_prefix(start.as_bytes()).and_then(|rest| rest.strip_suffix(end.as_bytes()));
    middle.is_some_and(|middle| {
        let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z');
        middle.len() <= LONGEST_SEGMENT
            && middle.first().is_some_and(is_plain)
            && middle.iter().all(|byte| is_plain(byte) || *byte == b'-')
    })
}

/// Whether a file of this name would be a segment, had it another word between the dots, or other letters. Its lines count
/// for nothing, so it must not pass unseen.
pub(crate) fn is_like_segment(name: &[u8]) -> bool {
    let [start, end] = SEGMENT_ENDS.map(str::as_bytes);
    let name = trimmed(name);
    // most names end here, before their start is compared
    let Some(start_at) = name.len().checked_sub(end.len()).filter(|at| *at > start.len()) else { return false };
    name[start_at..].eq_ignore_ascii_case(end) && name[..start.len()].eq_ignore_ascii_case(start)
}

/// The segment of this middle name.
pub(crate) fn segment(middle: &str) -> String {
    let [start, end] = SEGMENT_ENDS;
    format!("{start}{middle}{end}")
}

/// The place of a file among the files of its ledger: the older trunk file, the newer one, then the segments by name.
pub(crate) fn ledger_order(name: &[u8]) -> (usize, &[u8]) {
    let trunk = TRUNK_NAMES.iter().position(|ours| ours.as_bytes() == name);
    (trunk.unwrap_or(TRUNK_NAMES.len()), name)
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
    may_end_ours(name) && (OUR_NAMES.iter().any(|ours| looks_like(name, ours)) || is_like_segment(name))
}

/// A quick check by the last letter. It rules out most names.
#[inline]
fn may_end_ours(name: &[u8]) -> bool {
    matches!(name.last(), Some(b'd' | b'D' | b'n' | b'N' | b' ' | b'.'))
}

/// Whether `name` equals `ours`, ignoring case, and blanks and dots at both ends.
pub(crate) fn looks_like(name: &[u8], ours: &str) -> bool {
    trimmed(name).eq_ignore_ascii_case(ours.as_bytes())
}

/// `name` without blanks and dots at both ends.
fn trimmed(name: &[u8]) -> &[u8] {
    let is_dropped = |byte: &u8| matches!(byte, b' ' | b'.');
    let start = name.iter().take_while(|byte| is_dropped(byte)).count();
    let end = name.iter().rev().take_while(|byte| is_dropped(byte)).count();
    name.get(start..name.len() - end).unwrap_or_default()
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
        assert!(TRUNK_NAMES.iter().all(|name| is_merged_as_ledger(name.as_bytes())));
        assert!(is_merged_as_ledger(b"old.evals.ndjson"));
        assert!(
            ["myevals.ndjson", "evals.ndjson.bak", "README.md"]
                .iter()
                .all(|name| !is_merged_as_ledger(name.as_bytes()))
        );
    }

    #[test]
    fn a_segment_is_told_by_its_whole_name() {
        let long = segment(&"a".repeat(LONGEST_SEGMENT));
        let segments = ["yatsu.20260301-100000-4f1c2a.evals.ndjson", "yatsu.a.evals.ndjson", "yatsu.0-.evals.ndjson"];
        let foreign = [
            "yatsu.A.evals.ndjson",
            "yatsu.-a.evals.ndjson",
            "yatsu.a.b.evals.ndjson",
            "yatsu.a_b.evals.ndjson",
            "Yatsu.a.evals.ndjson",
            "yatsu.a.EVALS.ndjson",
            "yatsu.a.evals.ndjson.",
            " yatsu.a.evals.ndjson ",
            &segment(&"a".repeat(LONGEST_SEGMENT + 1)),
        ];
        let others = ["yatsu.evals.ndjson", "yatsu..evals", "a.evals.ndjson", "xyatsu.a.evals.ndjson", "yatsu.a.evals"];
        for name in segments.iter().copied().chain([&*long]) {
            assert!(
                is_segment(name.as_bytes()) && is_like_segment(name.as_bytes()) && is_ours(name.as_bytes()),
                "{name}"
            );
        }
        for name in foreign {
            assert!(!is_segment(name.as_bytes()) && is_like_segment(name.as_bytes()), "{name}");
            assert!(is_like_ours(name.as_bytes()), "{name}");
        }
        assert!(others.iter().all(|name| !is_segment(name.as_bytes()) && !is_like_segment(name.as_bytes())));
    }

    #[test]
    fn the_trunk_files_are_read_before_the_segments() {
        let mut names = ["yatsu.z.evals.ndjson", "evals.ndjson", "yatsu.0.evals.ndjson", "yatsu.evals.ndjson"];
        names.sort_by(|one, other| ledger_order(one.as_bytes()).cmp(&ledger_order(other.as_bytes())));
        assert_eq!(names, ["yatsu.evals.ndjson", "evals.ndjson", "yatsu.0.evals.ndjson", "yatsu.z.evals.ndjson"]);
    }

    #[test]
    fn a_place_in_a_segment_follows_the_places_in_its_trunk_file() {
        let sorted = [
            "a/b/yatsu.0.evals.ndjson",
            "a/yatsu.evals.ndjson",
            "a/evals.ndjson",
            "a/yatsu.0.evals.ndjson",
            "a/yatsu.z.evals.ndjson",
            "b/yatsu.0.evals.ndjson",
            "yatsu.evals.ndjson",
            "yatsu.0.evals.ndjson",
        ];
        let mut paths = sorted;
        paths.reverse();
        paths.sort_by(|one, other| cmp_ledgers(one.as_bytes(), other.as_bytes()));
        assert_eq!(paths, sorted);
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
