//! `ledger-history`: what was filed stays filed.

use super::{one_node, only, silent, staged};
use crate::support::reading;

const LEDGER: &str = ".spec/n/yatsu.evals.ndjson";

fn measured_twice() -> crate::support::Scratch {
    let scratch = one_node();
    reading(&scratch, ".spec/n", "works", "pass", 1);
    reading(&scratch, ".spec/n", "works", "fail", 2);
    scratch.commit("measured");
    scratch
}

#[test]
fn an_edited_or_removed_line_blocks() {
    let scratch = measured_twice();
    let ledger = scratch.read(LEDGER);
    scratch.write(LEDGER, ledger.replace("\"fail\"", "\"pass\""));
    assert_eq!(only(staged(&scratch, "ledger-history"))["level"], "error");
    scratch.write(LEDGER, ledger.lines().next().expect("a line").to_owned() + "\n");
    only(staged(&scratch, "ledger-history"));
}

#[test]
fn appending_reordering_and_moving_the_node_pass() {
    let scratch = measured_twice();
    let ledger = scratch.read(LEDGER);
    let mut lines: Vec<&str> = ledger.lines().collect();
    lines.reverse();
    scratch.write(LEDGER, lines.join("\n") + "\n");
    reading(&scratch, ".spec/n", "works", "pass", 3);
    silent(staged(&scratch, "ledger-history"));
    scratch.git(&["mv", ".spec/n", ".spec/m"]);
    silent(staged(&scratch, "ledger-history"));
}

#[test]
fn a_ledger_goes_only_with_its_node() {
    let scratch = measured_twice();
    scratch.git(&["rm", "-q", LEDGER]);
    assert_eq!(staged(&scratch, "ledger-history").len(), 2);
    scratch.git(&["rm", "-q", ".spec/n/yatsu.md"]);
    silent(staged(&scratch, "ledger-history"));
}
