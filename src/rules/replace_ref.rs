//! `replace-ref`: a push must not replace objects that were pushed before.

use super::RefUpdates;
use crate::finding::{Finding, RuleId};
use crate::text::escape::echo;

pub(super) fn check(refs: &RefUpdates, found: &mut Vec<Finding>) {
    found.extend(refs.replaced.iter().map(|name| {
        let message = format!("{} would replace the object that it is named after", echo(&name.to_string()));
        let mut finding = Finding::new(RuleId::ReplaceRef, message);
        finding.help =
            "leave the ref out of the push: the original objects are judged; a replacement is meant for one clone alone"
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
        error[replace-ref]: refs/replace/1111 would replace the object that it is named after
            help: leave the ref out of the push: the original objects are judged; a replacement is meant for one clone alone
        ");
    }

    #[test]
    fn a_push_without_one_is_fine() {
        assert_eq!(told_of(RuleId::ReplaceRef, of_refs(&RefUpdates::default())), "");
    }
}
