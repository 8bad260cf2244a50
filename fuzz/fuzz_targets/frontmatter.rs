//! A scenario file and a spec file of any bytes. Seeds: `tests/data/hostile/yatsu`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use yatsu_hook::model::{scenario, spec};
use yatsu_hook::tree::path::RepoPath;

fuzz_target!(|bytes: &[u8]| {
    let path = RepoPath::from_git(".spec/node/yatsu.md");
    let file = scenario::parse(&path, bytes, &["cli".to_owned()]);
    let keys: HashSet<&str> = file.problems.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys.len(), file.problems.len(), "every problem has its own key");
    assert!(!file.cut_short || !file.problems.is_empty(), "what stops reading is said");
    assert!(file.problems.is_sorted_by_key(|problem| problem.at) || file.problems.len() > 500);
    spec::parse(&path, bytes);
});
