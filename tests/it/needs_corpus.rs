//! Every scenario file, `spec.md` and ledger in the whole history of the corpus: nothing panics, and nothing that the
//! recorded implementation read is refused for its syntax.

use crate::support::{Scratch, corpus, hermetic};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use yatsu_hook::engine::history::{Lost, missing};
use yatsu_hook::model::workspace::{Select, Workspace, load, read_config};
use yatsu_hook::model::{ledger, scenario, spec};
use yatsu_hook::repo::Repo;
use yatsu_hook::repo::open::env::Env;
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

/// The distinct blobs below these names in all commits: id to one of its paths.
fn blobs(scratch: &Scratch, bundle: &Path) -> BTreeMap<String, String> {
    let url = bundle.to_string_lossy().into_owned();
    scratch.git(&["fetch", "-q", &url, "+refs/*:refs/corpus/*"]);
    let listed = scratch.git(&["rev-list", "--objects", "--glob=refs/corpus"]);
    let ours = ["yatsu.md", "eval.md", "spec.md", "yatsu.evals.ndjson", "evals.ndjson"];
    let named = listed.lines().filter_map(|line| line.split_once(' '));
    let wanted = named.filter(|(_, path)| ours.contains(&path.rsplit('/').next().unwrap_or_default()));
    wanted.map(|(id, path)| (id.to_owned(), path.to_owned())).collect()
}

fn contents(scratch: &Scratch, ids: &[&String]) -> Vec<Vec<u8>> {
    let mut command = hermetic("git", &scratch.home());
    command.current_dir(&scratch.root).args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git");
    let asked = ids.iter().map(|id| format!("{id}\n")).collect::<String>();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, asked.as_bytes()));
    let out = child.wait_with_output().expect("git ends").stdout;
    writer.join().expect("a thread").expect("written");
    let mut rest = &out[..];
    let mut read = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size: usize = head.rsplit(' ').next().and_then(|size| size.parse().ok()).expect("a size");
        read.push(rest[end + 1..end + 1 + size].to_vec());
        rest = &rest[end + size + 2..];
    }
    read
}

#[test]
#[ignore = "needs the corpus beside the repository"]
fn all_of_history_is_read() {
    let bundle = corpus();
    let scratch = Scratch::new();
    let blobs = blobs(&scratch, &bundle);
    let ids: Vec<&String> = blobs.keys().collect();
    let mut counts = BTreeMap::new();
    for (id, bytes) in ids.iter().zip(contents(&scratch, &ids)) {
        let path = RepoPath::from_git(blobs[*id].as_bytes());
        let name = path.name().to_string();
        *counts.entry(name.clone()).or_insert(0) += 1;
        match name.as_str() {
            "spec.md" => drop(spec::parse(&path, &bytes)),
            "yatsu.md" | "eval.md" => {
                let file = scenario::parse(&path, &bytes, &[]);
                let syntax: Vec<_> = file.problems.iter().filter(|p| p.key.starts_with("syntax")).collect();
                assert!(syntax.is_empty() && !file.cut_short, "{path} {id}: {syntax:#?}");
            }
            _ => {
                let ledger = ledger::parse(&path, &bytes);
                assert!(ledger.problems.is_empty(), "{path} {id}: {:#?}", ledger.problems);
            }
        }
    }
    let seen: Vec<_> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(seen, [("spec.md", 869), ("yatsu.evals.ndjson", 271), ("yatsu.md", 154)]);
}

/// One commit.
struct State {
    commit: String,
    /// The positions of its parents.
    parents: Vec<usize>,
    nodes: Workspace,
}

/// Every commit, parents before children.
fn states(scratch: &Scratch) -> Vec<State> {
    let env = Env { euid: rustix::process::geteuid().as_raw(), ..Env::default() };
    let repo = Repo::open(&env, &scratch.root).expect("a repository");
    let listed = scratch.git(&["rev-list", "--parents", "--topo-order", "--reverse", "--glob=refs/corpus"]);
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let mut states = Vec::new();
    for line in listed.lines() {
        let ids: Vec<&str> = line.split(' ').collect();
        let id = Oid::from_hex(ids[0].as_bytes()).expect("an id");
        let tree = repo.commit_view(&id).expect("a commit");
        let nodes = load(&*tree, read_config(&*tree).unwrap_or_default(), &Select::All).expect("its nodes");
        let parents = ids[1..].iter().map(|parent| at[*parent]).collect();
        at.insert(ids[0].to_owned(), states.len());
        states.push(State { commit: ids[0].to_owned(), parents, nodes });
        repo.forget_trees();
    }
    states
}

/// The lines of `base` that `new` lost, with both states and the ledger.
fn lost(states: &[State], base: usize, new: usize) -> Vec<String> {
    let found = missing(&states[new].nodes, &states[base].nodes).lost;
    let of = |lost: &Lost| format!("{}..{} {}", &states[base].commit[..10], &states[new].commit[..10], lost.ledger);
    found.iter().map(of).collect()
}

fn has_ledger(state: &State, path: &str) -> bool {
    state.nodes.nodes.iter().flat_map(|node| &node.ledgers).any(|ledger| ledger.path.to_string() == path)
}

/// The ledgers that `new` no longer has.
fn gone(states: &[State], base: usize, new: usize) -> usize {
    let paths = |at: usize| states[at].nodes.nodes.iter().flat_map(|node| &node.ledgers).map(|ledger| &ledger.path);
    let now: BTreeSet<&RepoPath> = paths(new).collect();
    paths(base).filter(|path| !now.contains(path)).count()
}

#[test]
#[ignore = "needs the corpus beside the repository"]
fn the_history_rule_blocks_nothing_but_the_three_commits_that_edit_a_ledger() {
    let bundle = corpus();
    let scratch = Scratch::new();
    scratch.git(&["fetch", "-q", &bundle.to_string_lossy(), "+refs/*:refs/corpus/*"]);
    let states = states(&scratch);
    let steps: Vec<(usize, usize)> =
        states.iter().enumerate().flat_map(|(new, state)| state.parents.iter().map(move |base| (*base, new))).collect();
    let left: usize = steps.iter().map(|(base, new)| gone(&states, *base, *new)).sum();
    assert_eq!((states.len(), steps.len(), left), (1139, 1570, 63));
    let dashboard = ".spec/spexcode/spec-dashboard";
    let edits = [
        format!("5bae770ce3..72816d1f28 {dashboard}/yatsu.evals.ndjson"),
        format!("5bae770ce3..757e9749be {dashboard}/yatsu.evals.ndjson"),
        format!("c593a6d7ec..c584cb8e92 {dashboard}/dashboard-ui/session-console/yatsu.evals.ndjson"),
    ];
    let mut found: Vec<String> = steps.iter().flat_map(|(base, new)| lost(&states, *base, *new)).collect();
    found.sort();
    assert_eq!(found, edits);
    let tip = states.len() - 1;
    let mut main: Vec<usize> = std::iter::successors(Some(tip), |at| states[*at].parents.first().copied()).collect();
    main.reverse();
    for length in [2, 5, 10, 50, 200, 400] {
        let mut found = BTreeSet::new();
        for range in main.windows(length + 1) {
            // a node that leaves and returns to its directory within a range keeps its lines, or its ledger did not leave
            let left = |lost: &String| {
                let ledger = lost.split(' ').next_back().expect("a ledger");
                range.iter().any(|at| !has_ledger(&states[*at], ledger))
            };
            found.extend(lost(&states, range[0], range[length]).into_iter().filter(|lost| !left(lost)));
        }
        assert!(found.iter().all(|lost| lost.starts_with(&edits[0][..10])), "{length}: {found:#?}");
    }
}
