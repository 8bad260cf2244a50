//! Properties of the table as a whole.

pub(crate) mod case;

use super::*;

/// A row with a door at which its check is never run would silence the check without a word.
#[test]
fn every_check_runs_at_one_of_the_doors_of_its_row() {
    for row in all() {
        for check in row.checks {
            let may_run: &[Door] = match check {
                Check::View(_) | Check::Lines(_) => &[Door::Files, Door::State, Door::Commit, Door::Commits],
                Check::Change(_) => &[Door::State, Door::Commit, Door::Commits],
                Check::Between(_) => &[Door::Commits],
                Check::Refs(_) => &[Door::Refs],
            };
            assert!(may_run.iter().any(|door| row.doors.contains(door)), "{}", row.id.as_str());
        }
    }
}
