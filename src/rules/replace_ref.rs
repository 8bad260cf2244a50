//! `replace-ref`: a push must not replace objects that were pushed before.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::of_refs;
    use crate::rules::tests::case::told_of;

    #[test]
    fn a_ref_that_replaces_an_object_is_named() {
        let refs = RefUpdates { replaced: vec!["refs/replace/1111".into()], ..RefUpdates::default() };
        insta::assert_snapshot!(told_of(RuleId::ReplaceRef, of_refs(&refs)), @"
        error[replace-ref]: refs/replace/1111 would put another object in the place of the one that it is called after
            help: leave it out of the push: the objects themselves are judged, and replacing them is for one clone alone
        ");
    }

    #[test]
    fn a_push_without_one_is_fine() {
        assert_eq!(told_of(RuleId::ReplaceRef, of_refs(&RefUpdates::default())), "");
    }
}
