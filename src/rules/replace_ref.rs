//! `replace-ref`: nobody puts other objects in the place of those that were pushed.

use super::RefUpdates;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;

pub(super) fn check(refs: &RefUpdates, found: &mut Vec<Finding>) {
    found.extend(refs.replaced.iter().map(|name| {
        let message = format!(
            "{} would put another object in the place of the one that it is called after",
            echo(&name.to_string())
        );
        let mut finding = Finding::new(RuleId::ReplaceRef, message);
        finding.help =
            "leave it out of the push: the objects themselves are judged, and replacing them is for one clone alone"
                .into();
        finding.key = name.to_string();
        finding
    }));
}
