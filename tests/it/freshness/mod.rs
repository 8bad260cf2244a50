//! The cases of the axes (freshness.md), one test per number, on real histories.

#![allow(clippy::unwrap_used)]

mod code;
mod counting;
mod events;
mod filing;
mod left;
mod renames;
mod rewritten;
mod rules;
mod tested;
mod text;

use crate::support::measured::{listed, unstamped, words};
use crate::support::real::{self, View};
use crate::support::{Scratch, findings};
use std::collections::BTreeMap;
use yatsu_hook::engine::anchors::Anchors;
use yatsu_hook::engine::freshness::{Freshness, Judge, governed};
use yatsu_hook::model::ledger::{Reading, ReadingVerdict};
use yatsu_hook::model::node::{Node, Spec};
use yatsu_hook::model::scenario;
use yatsu_hook::model::scenario::ScenarioFile;
use yatsu_hook::model::stamp;
use yatsu_hook::tree::Tree;
use yatsu_hook::tree::oid::Oid;
use yatsu_hook::tree::path::RepoPath;

/// The node of most cases.
const NODE: &str = ".spec/n";

/// Whether the reading carries a stamp and a `scenarioHash`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Road {
    /// Only the commit is evidence of the content.
    Commit,
    /// The stamp is evidence of the content.
    Stamp,
}

const ROADS: [Road; 2] = [Road::Commit, Road::Stamp];

/// A repository with three source files and the scenario `s` of [`NODE`] that governs `code`; committed.
fn repo(code: &str) -> Scratch {
    let scratch = Scratch::new();
    for name in ["a", "b", "c"] {
        scratch.write(&format!("src/{name}.rs"), format!("fn {name}() {{}}\n"));
    }
    declare(&scratch, code);
    scratch.commit("base");
    scratch
}

/// Writes the node with its one scenario `s`, not committed.
fn declare(scratch: &Scratch, code: &str) {
    scratch.write(&format!("{NODE}/spec.md"), "---\ntitle: n\n---\n");
    scratch.write(&format!("{NODE}/yatsu.md"), crate::support::scenarios(&[("s", code)]));
}

/// The node as the view has it.
fn node(tree: &dyn Tree, dir: &str) -> Node {
    let dir = RepoPath::parse(dir.as_bytes()).unwrap();
    let read = |name: &str| tree.read(&dir.child(name.as_bytes())).unwrap();
    let file = ["yatsu.md", "eval.md"].iter().find_map(|name| Some(parse(&dir.child(name.as_bytes()), &read(name)?)));
    let code = String::from_utf8(read("spec.md").unwrap_or_default()).unwrap();
    let code = code.lines().filter_map(|line| line.strip_prefix("  - ")).map(listed).collect();
    Node { dir, spec: Some(Spec { code, ..Spec::default() }), file, ..Node::default() }
}

fn parse(path: &RepoPath, bytes: &[u8]) -> ScenarioFile {
    scenario::parse(path, bytes, &[])
}

/// A reading of `name` in `dir`, measured on the working tree at HEAD.
fn measure_in(scratch: &Scratch, dir: &str, name: &str, road: Road) -> Reading {
    let mut reading = unstamped(name, &scratch.git(&["rev-parse", "HEAD"]));
    if road == Road::Stamp {
        let tree = real::view(scratch, &View::Worktree);
        let node = node(&*tree, dir);
        let file = node.file.as_ref().expect("a scenario file");
        let scenario = file.scenarios.iter().find(|scenario| scenario.name == name).expect("the scenario");
        reading.scenario_hash = Some(scenario.text_hash);
        reading.governed = stamp::stamp(&*tree, governed(&node, scenario)).unwrap();
        let head = real::view(scratch, &View::Rev("HEAD"));
        reading.dirty = !stamp::stamp_contradicts(&*head, reading.governed.as_ref().unwrap()).unwrap().is_empty();
    }
    reading
}

/// A reading of the scenario `s` of [`NODE`].
fn measure(scratch: &Scratch, road: Road) -> Reading {
    measure_in(scratch, NODE, "s", road)
}

/// The engine's answer for a reading of its scenario in `dir`.
fn judge_in(scratch: &Scratch, view: &View<'_>, dir: &str, reading: &Reading) -> Freshness {
    let tree = real::view(scratch, view);
    let anchors = Anchors::new(real::history(scratch));
    let node = node(&*tree, dir);
    let file = node.file.as_ref().expect("a scenario file");
    let scenario = file.scenarios.iter().find(|scenario| scenario.name == reading.scenario).expect("the scenario");
    let evaluators = BTreeMap::from([("manual".to_owned(), "1".to_owned())]);
    Judge::new(&*tree, &anchors, &evaluators).freshness(&node, scenario, reading).unwrap()
}

/// The engine's answer for [`NODE`] and the committed state.
fn judge(scratch: &Scratch, reading: &Reading) -> Freshness {
    judge_in(scratch, &View::Rev("HEAD"), NODE, reading)
}

/// The moved paths, as people read them.
fn moved(found: &Freshness) -> Vec<String> {
    found.moved.iter().map(ToString::to_string).collect()
}

/// The stale axes at HEAD, space-separated; empty when fresh.
fn axes(scratch: &Scratch, reading: &Reading) -> String {
    words(&judge(scratch, reading))
}

/// Measures on each road, runs `then`, and expects these axes at HEAD.
#[track_caller]
fn expect_on_both_roads(code: &str, then: impl Fn(&Scratch), expected: &str) {
    for road in ROADS {
        let scratch = repo(code);
        let reading = measure(&scratch, road);
        then(&scratch);
        assert_eq!(axes(&scratch, &reading), expected, "{road:?}");
    }
}

/// The program's findings of `rule` in the working tree.
#[track_caller]
fn found(scratch: &Scratch, rule: &str) -> Vec<serde_json::Value> {
    findings(scratch, rule, &["--all"])
}

/// The program's findings of `rule` after `git add -A`.
#[track_caller]
fn staged(scratch: &Scratch, rule: &str) -> Vec<serde_json::Value> {
    scratch.git(&["add", "-A"]);
    findings(scratch, rule, &["--staged"])
}

/// The only finding.
#[track_caller]
fn only(findings: &[serde_json::Value]) -> &serde_json::Value {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    &findings[0]
}
