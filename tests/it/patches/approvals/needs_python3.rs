//! Random histories against a slow judge that shares no code with the program (`tests/approvals-judge.py`): git's plumbing
//! and another language.

use crate::support::{Said, program, seeds};
use std::path::Path;
use std::process::Command;

// T31
#[test]
#[ignore = "needs python3"]
fn a_slow_judge_says_the_same_of_random_histories() {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/approvals-judge.py");
    let seeds = seeds(4, 400);
    let (first, count) = (seeds.first().copied().unwrap_or_default().to_string(), seeds.len().to_string());
    let mut command = Command::new("python3");
    command.arg(judge).arg(program()).args(["--seed", &first, "--count", &count]);
    let said = Said::of(command.output().expect("python3 runs")).expect(0);
    assert!(said.out.contains(" 0 differences: "), "{}", said.out);
}
