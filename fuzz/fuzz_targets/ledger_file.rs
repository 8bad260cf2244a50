//! A whole ledger: every non-blank line is an event or a problem; a merge with itself changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yatsu_hook::engine::merge::{Merged, merge};
use yatsu_hook::model::ledger::parse;
use yatsu_hook::tree::path::RepoPath;

fuzz_target!(|bytes: &[u8]| {
    let ledger = parse(&RepoPath::from_git("n/yatsu.evals.ndjson"), bytes);
    let problems = ledger.problems.iter().filter(|problem| !problem.advice).count();
    assert_eq!(ledger.lines.len() + problems, ledger.raw.len());
    assert!(!ledger.torn || ledger.missing_final_newline);
    assert_eq!(merge(bytes, bytes, bytes), Merged::Clean(bytes.to_vec()));
});
