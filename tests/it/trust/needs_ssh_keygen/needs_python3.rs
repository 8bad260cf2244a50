//! Random histories of signed readings against a slow judge that shares no code with the program
//! (`tests/signed-judge.py`): `ssh-keygen` and git, and another language.

use crate::support::{Said, program, seeds};
use std::path::Path;
use std::process::Command;

// T31
#[test]
#[ignore = "needs ssh-keygen and python3"]
fn a_slow_judge_says_the_same_of_signed_readings() {
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/signed-judge.py");
    let seeds = seeds(4, 500);
    let (first, count) = (seeds.first().copied().unwrap_or_default().to_string(), seeds.len().to_string());
    let mut command = Command::new("python3");
    command.arg(judge).arg(program()).args(["--seed", &first, "--count", &count]);
    let said = Said::of(command.output().expect("python3 runs")).expect(0);
    assert!(said.out.contains(" 0 differences: "), "{}", said.out);
}
