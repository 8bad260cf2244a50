//! `signature-unknown`: a change adds a signature that some key made and that does not hold.

use crate::features::trust::judge::facts::WrongSignature;
use crate::features::trust::rules::signature_broken::{of_signature, wrong};
use crate::features::trust::rules::trust_lowered;
use crate::finding::{Finding, RuleId};
use crate::rules::{CHANGES, Change, Check, Explanation, Rule, plain_rule};

pub(crate) const RULE: Rule = plain_rule(
    RuleId::SignatureUnknown,
    &Explanation::of(
        "A change adds a signature that a key made and that does not hold: the state before the change does not know the key, the key was not \
         valid or is revoked, or the signature is for another line, ledger or project.",
        "A change must not admit its own key, and a signature must not be lifted to another place.",
        "Let the key be admitted by a change of its own first (yatsu.trust.signers), or sign again: yatsu-hook sign NODE. The line does no harm; \
         it speaks for no reading.",
    ),
    CHANGES,
    // it runs at every change, as `gate-lowered` does
    &[Check::Change(check), Check::Change(trust_lowered::check)],
);

fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    found.extend(wrong(change).iter().filter(|one| !one.is_broken).map(|one| finding(change, one)));
}

fn finding(change: &Change<'_>, one: &WrongSignature) -> Finding {
    let mut finding = of_signature(change, one, RuleId::SignatureUnknown);
    finding.help = "it speaks for no reading; a key counts from the change after the one that admits it".into();
    finding
}

#[cfg(test)]
mod tests {
    use crate::features::trust::judge::facts::{WrongSignature, WrongSignatures};
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, reading};

    fn told(rule: RuleId, is_broken: bool, why: &str) -> String {
        let line = format!(
            "{{\"kind\":\"signature\",\"home\":\".spec/n\",\"lines\":[\"{}\"],\"ts\":\"2026-01-01T00:00:00.000Z\",\"sig\":\"U1NI\"}}\n",
            "a".repeat(64)
        );
        let case = Case::new().with(LEDGER, reading("pass", 1)).committed().with(LEDGER, reading("pass", 1) + &line);
        case.told_with(rule, |change| {
            let at = change.added.len() - 1;
            change.parts.put(WrongSignatures(vec![WrongSignature { at, is_broken, why: why.to_owned() }]));
        })
    }

    #[test]
    fn a_signature_that_no_key_made_is_an_error_and_one_that_does_not_hold_advice() {
        let broken = told(RuleId::SignatureBroken, true, "was made of other bytes, or by no key");
        insta::assert_snapshot!(broken, @"
        .spec/n/yatsu.evals.ndjson:2:1: error[signature-broken] n: this signature was made of other bytes, or by no key
            help: delete the line and sign again: yatsu-hook sign NODE
        ");
        let unknown = told(RuleId::SignatureUnknown, false, "is by SHA256:x, and the base does not know the key");
        insta::assert_snapshot!(unknown, @"
        .spec/n/yatsu.evals.ndjson:2:1: warning[signature-unknown] n: this signature is by SHA256:x, and the base does not know the key
            help: it speaks for no reading; a key counts from the change after the one that admits it
        ");
        assert_eq!(told(RuleId::SignatureUnknown, true, "x"), "");
        assert_eq!(told(RuleId::SignatureBroken, false, "x"), "");
    }
}
