use super::*;
use crate::engine::anchors::Anchors;
use crate::engine::history::added;
use crate::error::Error;
use crate::model::config::Config;
use crate::model::ledger::{Evidence, EvidenceKind, Grade};
use crate::model::workspace::{Select, Workspace, load};
use crate::tree::memory::MemoryTree;
use crate::tree::{Anchor, Entry, History, Kind, MissingAnchor, Tree};
use bstr::BString;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::rc::Rc;

/// The tree of a commit with missing objects.
struct Broken;

fn broken<T>() -> Result<T> {
    Err(Error::unchecked("not fetched"))
}

impl Tree for Broken {
    fn entry(&self, _: &RepoPath) -> Result<Option<Entry>> {
        broken()
    }

    fn children(&self, _: &RepoPath) -> Result<Vec<(BString, Entry)>> {
        broken()
    }

    fn files(&self, _: &RepoPath, _: &dyn Fn(&RepoPath) -> bool) -> Result<Vec<(RepoPath, Entry)>> {
        broken()
    }

    fn size(&self, _: &RepoPath) -> Result<Option<u64>> {
        broken()
    }

    fn read(&self, _: &RepoPath) -> Result<Option<Vec<u8>>> {
        broken()
    }
}

/// Commits by the first byte of their ids; only some of them changed `a.rs` or `b.rs`.
struct Past;

impl History for Past {
    fn anchor(&self, commit: &Oid) -> Result<Anchor> {
        Ok(Anchor::Tree(match commit.as_bytes()[0] {
            0 | 1 => Rc::new(tree(&[("a.rs", "old"), ("b.rs", "old")])),
            2 => Rc::new(tree(&[("a.rs", "new"), ("b.rs", "old")])),
            3 => Rc::new(tree(&[("a.rs", "new"), ("b.rs", "new")])),
            4 => Rc::new(Broken),
            5 => return Ok(Anchor::Missing(MissingAnchor::Pruned)),
            _ => return Ok(Anchor::NotACommit),
        }))
    }
}

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    let mut tree = MemoryTree::of_files(files);
    tree.put(".spec/n/yatsu.md", Kind::File, declared().as_bytes());
    tree
}

fn declared() -> String {
    let entry = |(name, code): (&str, &str)| {
        format!("  - name: {name}\n    description: d\n    expected: e\n    tags: [cli]\n    code: {code}\n")
    };
    format!("---\nscenarios:\n{}---\n", [("s", "a.rs"), ("t", "b.rs")].map(entry).concat())
}

/// A ledger line: commit, second, scenario, pieces of evidence, stamp of both files, `dirty`, whether it has a scenario
/// hash, and whether a harness observed it.
type Spec = (u8, u8, u8, Vec<u8>, Option<(u8, u8)>, bool, bool, bool);

fn spec() -> impl Strategy<Value = Spec> {
    let scenario = prop_oneof![4 => Just(0u8), 2 => Just(1), 1 => Just(2)];
    let commit = prop_oneof![8 => 0u8..4, 1 => 4u8..7];
    let observed = prop_oneof![4 => Just(false), 1 => Just(true)];
    (commit, 0u8..12, scenario, vec(0u8..2, 0..3), option::of((0u8..2, 0u8..2)), any::<bool>(), any::<bool>(), observed)
}

fn line((commit, second, scenario, evidence, stamp, dirty, text, observed): &Spec) -> String {
    let mut keys = vec![
        format!("\"scenario\":\"{}\"", ["s", "t", "undeclared"][usize::from(*scenario)]),
        format!("\"codeSha\":\"{}\"", format!("{commit:02x}").repeat(20)),
        format!("\"ts\":\"2026-01-01T00:00:{second:02}.000Z\""),
    ];
    // the picture of one reading may be the transcript or an artifact of another
    let kind = |number: &u8| ["image", "video", "image", "transcript", "data"][usize::from(number + second) % 5];
    let piece =
        |number: &u8| format!("{{\"hash\":\"{}\",\"kind\":\"{}\"}}", format!("{number:02x}").repeat(32), kind(number));
    let (artifacts, pieces): (Vec<u8>, Vec<u8>) = evidence.iter().partition(|number| (*number + second) % 3 == 0);
    keys.push(format!("\"evidence\":[{}]", pieces.iter().map(piece).collect::<Vec<_>>().join(",")));
    let artifacts: BTreeMap<u8, String> = artifacts.iter().map(|n| (*n, format!("{n:02x}").repeat(32))).collect();
    let artifacts: Vec<_> = artifacts.iter().map(|(n, hash)| format!("\"a{n}\":\"{hash}\"")).collect();
    keys.push(format!("\"artifacts\":{{{}}}", artifacts.join(",")));
    if let Some((a, b)) = stamp {
        let id = |number: &u8| format!("{number:02x}").repeat(20);
        keys.push(format!("\"governed\":{{\"a.rs\":\"{}\",\"b.rs\":\"{}\"}}", id(a), id(b)));
        keys.extend(dirty.then(|| "\"dirty\":true".to_owned()));
    }
    keys.extend(text.then(|| format!("\"scenarioHash\":\"{}\"", "0".repeat(64))));
    let how = r#""how":{"kind":"observed","harness":"h","command":"make","exit":1,"at":"2026-01-01T00:00:00.000Z"}"#;
    keys.extend(observed.then(|| how.to_owned()));
    format!("{{{}}}\n", keys.join(","))
}

/// The node, with its lines split over both ledger files of the directory.
fn workspace(lines: &[Spec], in_older: usize) -> Workspace {
    let (older, newer) = lines.split_at(in_older.min(lines.len()));
    let mut files = tree(&[("a.rs", "new"), ("b.rs", "new")]);
    for (name, lines) in [("yatsu.evals.ndjson", older), ("evals.ndjson", newer)] {
        files.put(&format!(".spec/n/{name}"), Kind::File, lines.iter().map(line).collect::<String>().as_bytes());
    }
    load(&files, Config::default(), &Select::All).unwrap()
}

/// The obvious slow way: compares every pair of readings.
fn slowly(node: &Node, reading: &Reading, judge: &Judge<'_>) -> Result<Option<Timestamp>> {
    let mut declared = node.file.iter().flat_map(|file| &file.scenarios);
    let Some(scenario) = declared.find(|scenario| scenario.name == reading.scenario) else { return Ok(None) };
    if reading.terms.grade() == Grade::Observed {
        return Ok(None);
    }
    let hashes = |reading: &Reading| {
        let shows = |piece: &&Evidence| [EvidenceKind::Image, EvidenceKind::Video].contains(&piece.kind);
        reading.evidence.iter().filter(shows).map(|piece| piece.hash).collect::<Vec<_>>()
    };
    for line in node.ledgers.iter().flat_map(|ledger| &ledger.lines) {
        let Some(earlier) = line.event.reading() else { continue };
        let shares = hashes(earlier).iter().any(|hash| hashes(reading).contains(hash));
        if earlier.scenario != reading.scenario || earlier.ts >= reading.ts || !shares {
            continue;
        }
        let changed = match (&earlier.governed, &reading.governed) {
            (Some(then), Some(now)) => then != now,
            _ => judge.freshness(node, scenario, earlier)?.axes.contains(&Axis::Code),
        };
        if changed {
            return Ok(Some(earlier.ts));
        }
    }
    Ok(None)
}

/// Both answers for every line that `base` lacks.
fn answers(view: &Workspace, base: &Workspace) -> Vec<[Result<Option<Timestamp>>; 2]> {
    let anchors = Anchors::new(Rc::new(Past));
    let mut carriers = Carriers::default();
    let mut found = Vec::new();
    for added in added(view, &[base]) {
        let Some(reading) = added.line.event.reading() else { continue };
        let commit = reading.code_sha.unwrap();
        let Anchor::Tree(tree) = Past.anchor(&commit).unwrap() else { continue };
        let judge = Judge::new(&*tree, &anchors, &view.config.evaluators);
        found.push([carriers.reused(added.node, reading, commit, &judge), slowly(added.node, reading, &judge)]);
    }
    found
}

proptest! {
    #[test]
    fn the_answer_is_that_of_comparing_every_pair(
        lines in vec(spec(), 0..40),
        in_older in 0usize..40,
        before in 0usize..20,
    ) {
        let view = workspace(&lines, in_older);
        let base = workspace(&lines[..before.min(lines.len())], in_older);
        for [quick, slow] in answers(&view, &base) {
            prop_assert_eq!(quick, slow);
        }
    }
}

#[test]
fn generated_ledgers_know_every_answer() {
    // the pieces of these seconds are pictures and no artifacts
    let spec = |commit, second| (commit, second, 0, vec![0], None, false, true, false);
    let stamped = |file, second| (0, second, 0, vec![1], Some((file, 0)), false, true, false);
    let lines = [spec(0, 2), spec(4, 1), spec(2, 5), spec(2, 7), stamped(0, 1), stamped(1, 4), stamped(1, 6)];
    let view = workspace(&lines, 0);
    let answers = answers(&view, &workspace(&[], 0));
    let seconds = |answer: &Result<Option<Timestamp>>| answer.clone().map(|ts| ts.map(|ts| ts.millis / 1000 % 60));
    let quick: Vec<_> = answers.iter().map(|[quick, _]| seconds(quick)).collect();
    let unreadable = || broken::<Option<i64>>();
    assert_eq!(quick, [unreadable(), Ok(None), Ok(Some(2)), Ok(Some(2)), Ok(None), Ok(Some(1)), Ok(Some(1))]);
}
