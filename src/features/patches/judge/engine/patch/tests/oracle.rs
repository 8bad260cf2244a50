//! A second, slow implementation of the state: tests every state, and the strongest that holds wins. Both must agree on
//! random facts.

use super::*;
use crate::model::reference::BY_HAND;
use proptest::collection::vec;
use proptest::prelude::*;

fn strength(state: PatchState) -> usize {
    let weakest_first = [Proposed, AppliedInFork, Evaluated, Approved, Stale, Conflicted, Rejected, Promoted];
    weakest_first.iter().position(|one| *one == state).expect("a state")
}

fn holds(facts: &PatchFacts, state: PatchState) -> bool {
    let touches = facts.touches.len();
    let count = |test: &dyn Fn(&Touch) -> bool| facts.touches.iter().filter(|touch| test(touch)).count();
    let fresh = count(&|touch| matches!(&touch.eval, Some(eval) if eval.is_fresh));
    let own = count(&|touch| matches!(&touch.eval, Some(eval) if eval.is_own));
    let moved = count(&|touch| !touch.moved.is_empty());
    let all_fresh = touches > 0 && fresh == touches;
    let filers: Vec<String> = facts
        .touches
        .iter()
        .filter_map(|touch| touch.eval.as_ref())
        .map(|eval| eval.by.clone().unwrap_or_default())
        .collect();
    match state {
        Proposed => true,
        AppliedInFork => own > 0,
        Evaluated => all_fresh,
        Approved => {
            let mut covered = 0;
            for touch in &facts.touches {
                for one in &facts.decisions {
                    let somebody_else =
                        !facts.require_other || filers.iter().all(|filer| !filer.is_empty() && *filer != one.by);
                    let here = one.is_current && *one.node.as_bstr() == touch.node.dir;
                    if (here || one.covers) && one.kind.as_str() == "approve" && somebody_else {
                        covered += 1;
                        break;
                    }
                }
            }
            let about_files = facts.decisions.iter().any(|one| {
                let other = !facts.require_other || filers.iter().all(|filer| !filer.is_empty() && *filer != one.by);
                one.covers && one.kind.as_str() == "approve" && other
            });
            if touches == 0 { about_files } else { all_fresh && covered == touches }
        }
        Rejected => {
            let mut last = std::collections::BTreeMap::new();
            for one in
                facts.decisions.iter().filter(|one| one.covers || touches > 0 && one.is_current && !one.names_content)
            {
                last.insert(one.by.clone(), one.kind.as_str());
            }
            last.values().any(|kind| *kind == "reject")
        }
        Promoted => facts.promotion.is_some(),
        Stale => {
            let was_approved = facts.decisions.iter().any(|one| one.kind.as_str() == "approve");
            moved > 0 || (touches > 0 && !all_fresh && (was_approved || own == touches))
        }
        Conflicted => !facts.conflicts.is_empty(),
    }
}

fn slow(facts: &PatchFacts) -> PatchState {
    let all = PatchState::ALL.into_iter().filter(|state| holds(facts, *state));
    all.max_by_key(|state| strength(*state)).expect("one always holds")
}

fn evals() -> impl Strategy<Value = Option<PatchEval>> {
    let by = prop_oneof![Just(None), Just(Some("Ann".to_owned())), Just(Some("Bob".to_owned()))];
    proptest::option::weighted(0.8, (any::<[bool; 3]>(), by)).prop_map(|eval| {
        let ([is_fresh, is_own, is_pass], by) = eval?;
        Some(PatchEval { at: at(1), by, bytes: Vec::new(), is_fresh, is_own, is_pass })
    })
}

fn node(number: u8) -> NodeRef {
    NodeRef { dir: format!(".spec/{number}").into(), id: number.to_string() }
}

fn touches() -> impl Strategy<Value = Vec<Touch>> {
    let one = (0..2_u8, evals(), prop::bool::weighted(0.1)).prop_map(|(number, eval, is_moved)| Touch {
        node: node(number),
        scenario: "s".into(),
        filing: BY_HAND,
        eval,
        readings: EvidenceHash([0; 32]),
        moved: if is_moved { vec![RepoPath::from_git("src/a.rs")] } else { vec![] },
    });
    vec(one, 0..4)
}

fn decisions() -> impl Strategy<Value = Vec<PatchDecision>> {
    let kind = prop_oneof![3 => Just(Approve), 1 => Just(Reject)];
    let about = (prop::bool::weighted(0.7), prop::bool::weighted(0.3), prop::bool::weighted(0.2));
    let one =
        (kind, 0..2_u8, "Ann|Bob|Cid", about).prop_map(|(kind, number, by, (is_current, names_content, covers))| {
            let node = RepoPath::from_git(node(number).dir);
            PatchDecision { node, is_current, names_content, covers, ..decided(kind, &by) }
        });
    vec(one, 0..4)
}

fn facts() -> impl Strategy<Value = PatchFacts> {
    let promotion =
        prop_oneof![8 => Just(None), 1 => Just(Some(Promotion::Merged)), 1 => Just(Some(Promotion::Squashed))];
    (touches(), decisions(), promotion, prop::bool::weighted(0.1), any::<bool>()).prop_map(
        |(touches, decisions, promotion, conflicts, require_other)| PatchFacts {
            touches,
            decisions,
            promotion,
            conflicts: if conflicts { vec![RepoPath::from_git("src/b.rs")] } else { vec![] },
            require_other,
            ..nothing()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_facts_have_one_state_for_both(facts in facts()) {
        let patch = Patch::of(facts.clone());
        prop_assert_eq!(patch.state, slow(&facts), "{}", patch.reason);
        prop_assert!(!patch.reason.is_empty());
        prop_assert!(patch.next.iter().all(|to| patch.state.next().contains(to)), "what comes next stands in the table");
        prop_assert!(patch.proof.is_some() || !patch.next.contains(&Promoted), "nothing unproven is offered");
    }

    #[test]
    fn every_state_is_reached_by_one_fact_more(facts in facts()) {
        let settled = PatchFacts { promotion: Some(Promotion::Merged), ..facts.clone() };
        prop_assert_eq!(Patch::of(settled).state, Promoted, "nothing takes a promotion back");
        let mut refused = facts;
        refused.decisions.push(decided(Reject, "Cid"));
        let state = Patch::of(refused.clone()).state;
        let is_refused = matches!(state, Rejected | Promoted) || refused.touches.is_empty();
        prop_assert!(is_refused, "{state:?}");
    }
}
