//! `runlog-progress`: the page of a run says what its log says.

use super::wording::file;
use crate::engine::facts::Facts;
use crate::finding::{Finding, RuleId};
use crate::text::shell;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for log in &facts.runlogs {
        let Some(page) = &log.stale_page else { continue };
        let mut finding =
            Finding::new(RuleId::RunlogProgress, format!("this page is not what {} renders to", log.path));
        finding.location = file(page);
        finding.help = format!("yatsu-hook runlog progress {}", shell::word(&log.path.to_string()));
        finding.key = page.to_string();
        found.push(finding);
    }
}
