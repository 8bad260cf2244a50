//! The append-only rule in one directory against a set model.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use yatsu_hook::engine::history::missing;
use yatsu_hook::model::config::Config;
use yatsu_hook::model::node::Node;
use yatsu_hook::model::ledger::parse;
use yatsu_hook::model::scenario::ScenarioFile;
use yatsu_hook::model::workspace::Workspace;
use yatsu_hook::tree::path::RepoPath;

/// A node whose ledger has a line per byte of `lines`.
fn workspace(lines: &[u8]) -> Workspace {
    let text: String = lines.iter().map(|byte| format!("{{\"kind\":\"human-ok\",\"n\":{byte}}}\n")).collect();
    let ledger = parse(&RepoPath::from_git(".spec/a/yatsu.evals.ndjson"), text.as_bytes());
    let node = Node {
        dir: RepoPath::from_git(".spec/a"),
        file: Some(ScenarioFile::default()),
        ledgers: vec![ledger],
        ..Node::default()
    };
    Workspace { config: Config::default(), nodes: vec![node] }
}

fuzz_target!(|sides: (Vec<u8>, Vec<u8>)| {
    let (new, base) = sides;
    let model: BTreeSet<u8> = base.iter().copied().filter(|line| !new.contains(line)).collect();
    let found: BTreeSet<Vec<u8>> =
        missing(&workspace(&new), &workspace(&base)).lost.into_iter().map(|lost| lost.line).collect();
    assert_eq!(found.len(), model.len());
});
