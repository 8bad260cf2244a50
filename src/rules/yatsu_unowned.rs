//! `yatsu-unowned`: the change adds a source file that no scenario governs, where the configuration asks for it.

use super::Change;
use super::wording::file;
use crate::finding::{Finding, RuleId};
use crate::text::shell;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    for path in &change.unowned {
        let mut finding = Finding::new(RuleId::YatsuUnowned, "no scenario governs this new source file");
        finding.location = file(path);
        finding.help = format!(
            "name it in the `code:` of a scenario: yatsu-hook new NODE --code {}   (or in lint.sourceExcludeGlobs)",
            shell::place(path)
        );
        found.push(finding);
    }
}
