//! Which finding hides which, pair by pair, and that hiding never changes the verdict.

use super::*;
use crate::finding::{DriftPath, Level, Location, NodeRef};
use bstr::BString;
use proptest::prelude::*;

fn of(rule: RuleId, scenario: Option<&str>) -> Finding {
    Finding {
        level: rule.default_level(),
        origin: Some(Origin::Introduced),
        node: Some(NodeRef { dir: "a".into(), id: "a".into() }),
        scenario: scenario.map(str::to_owned),
        ..Finding::new(rule, "")
    }
}

fn schema(grounds: Grounds, scenario: Option<&str>) -> Finding {
    Finding { grounds, ..of(RuleId::YatsuSchema, scenario) }
}

fn drift(axes: &[Axis], moved: &[&str]) -> Finding {
    let drift =
        moved.iter().map(|path| DriftPath { path: (*path).into(), symbol: None, why: None, commits: None }).collect();
    let grounds = if moved.is_empty() { Grounds::Itself } else { Grounds::Path };
    Finding { axes: axes.to_vec(), drift, grounds, ..of(RuleId::YatsuDrift, Some("one")) }
}

/// The number of remaining findings.
fn left(cause: Finding, finding: Finding) -> usize {
    let mut both = vec![finding, cause];
    hide(&mut both);
    both.len()
}

fn ghost(path: &str, scenario: Option<&str>) -> Finding {
    Finding { about: vec![path.into()], ..schema(Grounds::Path, scenario) }
}

#[test]
fn a_path_that_is_gone_hides_what_moved_by_it_alone() {
    let code = || drift(&[Axis::Code], &["src/a.rs"]);
    assert_eq!(left(ghost("src/a.rs", Some("one")), code()), 1);
    assert_eq!(left(ghost("src", None), code()), 1, "by the list of the node");
    assert_eq!(left(ghost("src/a", Some("one")), code()), 2);
    assert_eq!(left(ghost("src/a.rs", Some("two")), code()), 2);
    assert_eq!(left(ghost("src/a.rs", Some("one")), drift(&[Axis::Code], &["src/a.rs", "src/b.rs"])), 2);
    let mut both = vec![
        ghost("src/a.rs", Some("one")),
        ghost("src/b.rs", Some("one")),
        drift(&[Axis::Code], &["src/a.rs", "src/b.rs"]),
    ];
    assert_eq!((hide(&mut both), both.len()), (1, 2), "each of them is said");
    let still_there = Finding { grounds: Grounds::Itself, ..code() };
    assert_eq!(left(ghost("src/a.rs", Some("one")), still_there), 2, "the rule says whether it is there");
    assert_eq!(left(ghost("src/a.rs", Some("one")), of(RuleId::YatsuUngoverned, Some("one"))), 1);
}

#[test]
fn an_entry_that_is_malformed_hides_what_nobody_can_tell_of_it() {
    let entry = || schema(Grounds::Entry, Some("one"));
    for rule in [RuleId::YatsuMissing, RuleId::YatsuFailing, RuleId::EvidenceKind] {
        assert_eq!(left(entry(), of(rule, Some("one"))), 1, "{rule:?}");
        assert_eq!(left(entry(), of(rule, Some("two"))), 2, "{rule:?}");
        assert_eq!(left(schema(Grounds::Itself, Some("one")), of(rule, Some("one"))), 2, "{rule:?}");
    }
    assert_eq!(left(entry(), drift(&[Axis::Scenario], &[])), 1);
    assert_eq!(left(entry(), drift(&[Axis::Code, Axis::Scenario], &[])), 2);
}

#[test]
fn a_file_of_which_nothing_could_be_read_hides_all_about_its_node() {
    let file = || schema(Grounds::File, None);
    for (rule, scenario) in [
        (RuleId::YatsuMissing, Some("one")),
        (RuleId::YatsuOrphan, Some("one")),
        (RuleId::YatsuUncovered, None),
        (RuleId::GoalUnmet, None),
        (RuleId::GoalGate, None),
    ] {
        assert_eq!(left(file(), of(rule, scenario)), 1, "{rule:?}");
        let elsewhere = NodeRef { dir: "b".into(), id: "b".into() };
        assert_eq!(left(file(), Finding { node: Some(elsewhere), ..of(rule, scenario) }), 2, "{rule:?}");
    }
    for rule in [RuleId::LedgerSchema, RuleId::LedgerHistory, RuleId::YatsuSchema, RuleId::NodeId] {
        let scenario = (rule != RuleId::NodeId).then_some("one");
        assert_eq!(left(file(), of(rule, scenario)), 2, "{rule:?}");
    }
}

#[test]
fn a_line_that_is_damaged_or_lost_hides_what_its_scenario_lacks() {
    for (cause, finding, expected) in [
        (RuleId::LedgerSchema, RuleId::YatsuMissing, 1),
        (RuleId::LedgerSchema, RuleId::YatsuDrift, 2),
        (RuleId::LedgerHistory, RuleId::YatsuMissing, 1),
        (RuleId::LedgerHistory, RuleId::YatsuFailing, 1),
        (RuleId::LedgerHistory, RuleId::YatsuDrift, 1),
        (RuleId::LedgerHistory, RuleId::EvidenceKind, 2),
    ] {
        assert_eq!(left(of(cause, Some("one")), of(finding, Some("one"))), expected, "{cause:?} {finding:?}");
        assert_eq!(left(of(cause, None), of(finding, Some("one"))), 2, "a line that names nobody");
    }
}

#[test]
fn evidence_and_keys_meet_by_their_name() {
    let named = |finding: Finding, name: &str| Finding { names: vec![name.into()], ..finding };
    let stray = Finding { node: None, ..of(RuleId::StrayBlob, None) };
    let missing = || named(of(RuleId::EvidenceMissing, Some("one")), "ab");
    assert_eq!(left(named(stray.clone(), "ab"), missing()), 1);
    assert_eq!(left(named(stray.clone(), "cd"), missing()), 2);
    assert_eq!(left(stray, missing()), 2);
    let twice = || named(of(RuleId::LedgerDuplicate, None), "key");
    assert_eq!(left(named(of(RuleId::KeyConflict, Some("one")), "key"), twice()), 1);
    assert_eq!(left(named(of(RuleId::KeyConflict, Some("one")), "other"), twice()), 2);
}

#[test]
fn of_goals_and_run_logs_the_worst_is_said() {
    for (cause, finding, expected) in [
        (RuleId::GoalGate, RuleId::GoalRegressed, 1),
        (RuleId::GoalGate, RuleId::GoalUnmet, 1),
        (RuleId::GoalRegressed, RuleId::GoalUnmet, 1),
    ] {
        assert_eq!(left(of(cause, None), of(finding, None)), expected, "{cause:?} {finding:?}");
    }
    let at = |rule, path: &str, line| {
        let location = Some(Location { path: path.into(), line: Some(line), column: None });
        Finding { node: None, location, ..of(rule, None) }
    };
    let schema = |code, line| Finding { code: Some(code), ..at(RuleId::RunlogSchema, "log", line) };
    let unended = |line| Finding { grounds: Grounds::Entry, ..schema("run-end-incomplete", line) };
    let uncounted = |path, line| Finding { grounds: Grounds::Entry, ..at(RuleId::RunlogArtifacts, path, line) };
    let page = Finding { about: vec!["log".into()], ..at(RuleId::RunlogProgress, "page", 1) };
    assert_eq!(left(unended(9), uncounted("log", 9)), 1);
    assert_eq!(left(unended(9), uncounted("log", 8)), 2);
    assert_eq!(left(unended(9), uncounted("other", 9)), 2);
    assert_eq!(left(unended(9), at(RuleId::RunlogArtifacts, "log", 9)), 2, "files are missing");
    assert_eq!(left(schema("bad-field", 9), uncounted("log", 9)), 2);
    assert_eq!(left(schema("malformed-json", 1), page), 2, "the page can be rendered all the same");
}

#[test]
fn a_scenario_that_was_renamed_is_said_once() {
    let new = || Finding { renamed_from: Some("old".into()), ..of(RuleId::YatsuMissing, Some("new")) };
    let orphan = || of(RuleId::YatsuOrphan, Some("old"));
    assert_eq!(left(new(), orphan()), 1);
    assert_eq!(left(of(RuleId::YatsuMissing, Some("new")), orphan()), 2);
    let mut all = vec![orphan(), new(), of(RuleId::ScenarioDropped, Some("old"))];
    assert_eq!((hide(&mut all), all[0].rule), (2, RuleId::ScenarioDropped));
}

#[test]
fn an_older_cause_hides_nothing_that_was_introduced() {
    let cause = |origin| Finding { origin: Some(origin), ..schema(Grounds::Entry, Some("one")) };
    let effect = |origin| Finding { origin: Some(origin), ..of(RuleId::YatsuMissing, Some("one")) };
    assert_eq!(left(cause(Origin::Inherited), effect(Origin::Introduced)), 2);
    assert_eq!(left(cause(Origin::Introduced), effect(Origin::Inherited)), 1);
    assert_eq!(left(cause(Origin::Inherited), effect(Origin::Inherited)), 1);
    assert_eq!(left(cause(Origin::Fixed), effect(Origin::Introduced)), 2);
    assert_eq!(left(cause(Origin::Introduced), effect(Origin::Fixed)), 2, "what went is news");
    assert_eq!(left(cause(Origin::Fixed), effect(Origin::Fixed)), 1);
}

#[test]
fn advice_hides_nothing_worse() {
    let cause = Finding { level: Level::Info, ..schema(Grounds::Entry, Some("one")) };
    assert_eq!(left(cause, of(RuleId::YatsuMissing, Some("one"))), 2);
}

#[test]
fn advice_about_trust_is_not_said_beside_the_fail_that_explains_it() {
    let at = |rule, level| Finding { level, ..of(rule, Some("one")) };
    for rule in [RuleId::YatsuFailing, RuleId::YatsuDrift, RuleId::YatsuMissing] {
        let cause = || at(rule, Level::Info);
        assert_eq!(left(cause(), at(RuleId::TrustUnmet, Level::Warning)), 1, "{rule:?}");
        assert_eq!(left(cause(), at(RuleId::TrustUnmet, Level::Error)), 2, "an error is never hidden by less");
        assert_eq!(
            left(cause(), Finding { scenario: Some("two".into()), ..at(RuleId::TrustUnmet, Level::Warning) }),
            2
        );
    }
}

#[test]
fn however_many_findings_are_about_one_scenario_each_is_compared_with_few() {
    let retraction = |number: usize| Finding { key: number.to_string(), ..of(RuleId::LedgerSchema, Some("one")) };
    let many: Vec<Finding> = (0..2000).map(retraction).chain([of(RuleId::YatsuMissing, Some("one"))]).collect();
    let causes = Causes::among(&many);
    assert!(causes.0.values().all(|causes| causes.len() < 3), "one of each kind");
    assert_eq!(hidden(&many), [2000].into());
}

fn any_finding() -> impl Strategy<Value = Finding> {
    let rule = proptest::sample::select(RuleId::ALL.to_vec());
    let level = proptest::sample::select(vec![Level::Info, Level::Warning, Level::Error]);
    let origins = vec![None, Some(Origin::Introduced), Some(Origin::Inherited), Some(Origin::Fixed)];
    let all = vec![Grounds::Itself, Grounds::Path, Grounds::Entry, Grounds::File, Grounds::Budget];
    let small = || proptest::option::of(proptest::sample::select(vec!["x", "y"]));
    let path = proptest::option::of(proptest::sample::select(vec!["x", "x/y", "x/y/z", "xy", ""]));
    let details = (small(), small(), small(), path);
    let kinds = (rule, level, proptest::sample::select(origins), proptest::sample::select(all));
    (kinds, details).prop_map(|((rule, level, origin, grounds), (dir, scenario, name, path))| Finding {
        level,
        origin,
        grounds,
        node: dir.map(|dir| NodeRef { dir: dir.into(), id: dir.into() }),
        scenario: scenario.map(str::to_owned),
        names: name.map(str::to_owned).into_iter().collect(),
        renamed_from: name.map(str::to_owned),
        about: path.map(Into::into).into_iter().collect(),
        axes: if path.is_some() { vec![Axis::Code] } else { vec![Axis::Scenario] },
        drift: path
            .map(|path| DriftPath { path: path.into(), symbol: None, why: None, commits: None })
            .into_iter()
            .collect(),
        location: path.map(|path| Location { path: path.into(), line: None, column: None }),
        ..Finding::new(rule, "")
    })
}

/// The findings that another one explains, by a look at each pair.
fn hidden_pairwise(findings: &[Finding]) -> BTreeSet<usize> {
    let is_said = |finding: &Finding| {
        let is_near = |cause: &&Finding| is_cause(cause) && (node(cause).is_none() || node(cause) == node(finding));
        let near: Vec<_> = findings.iter().filter(is_near).filter(|cause| outranks(cause, finding)).collect();
        let is_gone = |path: &BStr, cause: &Finding| {
            let is_path = cause.rule == RuleId::YatsuSchema && cause.grounds == Grounds::Path;
            let is_of = cause.scenario.is_none() || is_same(cause, finding);
            let lies = |dir: &BString| path == dir || path.starts_with(&[dir.as_slice(), b"/"].concat());
            is_path && is_of && (cause.about.is_empty() || cause.about.iter().any(lies))
        };
        let is_drift = finding.rule == RuleId::YatsuDrift && finding.grounds == Grounds::Path;
        let mut moved = finding.drift.iter();
        near.iter().any(|cause| explains(cause, finding))
            || is_drift
                && !finding.drift.is_empty()
                && moved.all(|moved| near.iter().any(|cause| is_gone(moved.path.as_bstr(), cause)))
    };
    findings.iter().enumerate().filter(|(_, finding)| is_said(finding)).map(|(at, _)| at).collect()
}

proptest! {
    #[test]
    fn looking_at_shared_names_hides_what_looking_at_each_pair_hides(all in proptest::collection::vec(any_finding(), 0..60)) {
        prop_assert_eq!(hidden(&all), hidden_pairwise(&all));
    }

    #[test]
    fn hiding_changes_no_exit_code(all in proptest::collection::vec(any_finding(), 0..40)) {
        let mut kept = all.clone();
        let hidden = hide(&mut kept);
        prop_assert_eq!(kept.len() + hidden, all.len());
        prop_assert_eq!(kept.iter().any(Finding::blocks), all.iter().any(Finding::blocks));
        let is_trust = |f: &Finding| f.rule == RuleId::TrustUnmet && f.level < Level::Error;
        let counts = |f: &&Finding| f.origin != Some(Origin::Fixed) && !is_trust(f);
        let worst = |some: &[Finding]| some.iter().filter(counts).map(|f| f.level).max();
        prop_assert_eq!(worst(&kept), worst(&all));
    }

    #[test]
    fn whatever_is_hidden_something_that_is_left_outranks(all in proptest::collection::vec(any_finding(), 0..40)) {
        let gone = hidden(&all);
        for at in &gone {
            let said = all.iter().enumerate().any(|(other, f)| !gone.contains(&other) && outranks(f, &all[*at]));
            prop_assert!(said, "{:?}", all[*at]);
        }
    }
}
