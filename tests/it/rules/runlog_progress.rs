//! `runlog-progress`: the page of a run says what its log says.

use super::{all, silent, staged};
use crate::runlog::lines::{LOG, begun};
use crate::support::Scratch;

const RULE: &str = "runlog-progress";

#[test]
fn a_log_without_a_page_is_fine() {
    let scratch = Scratch::new();
    scratch.write(LOG, begun());
    silent(staged(&scratch, RULE));
    silent(all(&scratch, RULE));
}
