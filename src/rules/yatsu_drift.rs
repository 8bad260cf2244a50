//! `yatsu-drift`: a reading that is stale.

use super::wording::{eval_command, in_environment, of_scenario};
use crate::engine::facts::{Facts, Score, Standing};
use crate::engine::freshness::{Freshness, MovedContent, governed};
use crate::engine::units::SymbolFound;
use crate::finding::{Axis, DriftPath, DriftWhy, Finding, Grounds, RuleId};
use crate::model::governed::{Found, Governed};
use crate::model::ledger::{Reading, ReadingVerdict, Status};
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::tree::MissingAnchor;

pub(super) fn check(facts: &Facts, found: &mut Vec<Finding>) {
    for (node, scenario, score) in facts.scenarios() {
        for (of, score) in score.parts() {
            found.extend(drift(facts, node, scenario, score).map(|finding| in_environment(finding, of)));
        }
    }
}

/// The finding about one reading that counts, if it is stale.
fn drift(facts: &Facts, node: &Node, scenario: &Scenario, score: &Score) -> Option<Finding> {
    let (Some(reading), Standing::Judged(freshness)) = (&score.reading, &score.standing) else { return None };
    if freshness.axes.iter().all(|axis| is_unread(*axis, scenario)) {
        return None;
    }
    let mut finding = of_scenario(RuleId::YatsuDrift, node, scenario, message(score, reading, freshness));
    finding.axes.clone_from(&freshness.axes);
    finding.since = reading.code_sha.map(|id| id.to_string());
    finding.drift = freshness.drift().map(moved).collect();
    finding.help = help(freshness, &eval_command(node, scenario));
    if is_gone(freshness, governed(node, scenario), &|moved| is_unmet(facts, node, moved)) {
        finding.grounds = Grounds::Path;
    }
    Some(finding)
}

/// Whether the axis was compared with the readable part of a malformed entry only. `yatsu-schema` reports the entry, and no
/// drift follows from it.
fn is_unread(axis: Axis, scenario: &Scenario) -> bool {
    match axis {
        Axis::Scenario => scenario.unread.text,
        // without a list of its own it would be judged by the list of its node
        Axis::Code => scenario.unread.code && scenario.code.is_empty(),
        Axis::Anchor | Axis::Evaluator => false,
    }
}

/// Whether the only drift is that named files or units are gone. `is_unmet` answers for units.
fn is_gone(freshness: &Freshness, governed: &[Governed], is_unmet: &dyn Fn(&MovedContent) -> bool) -> bool {
    let ghosts = || governed.iter().filter(|entry| entry.found == Found::Ghost);
    let is_gone = |moved: &MovedContent| ghosts().any(|ghost| ghost.covers(&moved.path)) || is_unmet(moved);
    freshness.axes == [Axis::Code] && freshness.moved.iter().all(is_gone)
}

/// Whether a selector of the node names no unit or several, which `yatsu-schema` reports as an error.
fn is_unmet(facts: &Facts, node: &Node, moved: &MovedContent) -> bool {
    facts.selectors.unmet.iter().any(|unmet| {
        matches!(unmet.found, SymbolFound::Dead | SymbolFound::Ambiguous(_))
            && facts.workspace.nodes[unmet.node].dir == node.dir
            && moved.symbol.is_some()
            && unmet.entry.path.as_ref() == Ok(&moved.path)
            && unmet.entry.symbol() == moved.symbol.as_deref()
    })
}

fn moved(moved: &MovedContent) -> DriftPath {
    let MovedContent { path, symbol, why } = moved.clone();
    DriftPath { path: path.to_bstring(), symbol, why, commits: None }
}

fn message(score: &Score, reading: &Reading, freshness: &Freshness) -> String {
    let verdict = match reading.verdict {
        ReadingVerdict::Measured(Status::Pass) => "pass",
        ReadingVerdict::Measured(Status::Fail) => "fail",
        ReadingVerdict::Legacy => "legacy",
    };
    let is_over = score.verdict().is_some_and(|effective| effective != reading.verdict);
    let verdict = if is_over { format!("{verdict}, over its budget") } else { verdict.to_owned() };
    let why: Vec<&str> = freshness.axes.iter().map(|axis| reason(*axis, freshness)).collect();
    format!("{} ({verdict}) is stale: {}", score.called(), why.join("; "))
}

fn reason(axis: Axis, freshness: &Freshness) -> &'static str {
    match (axis, freshness.missing) {
        (Axis::Anchor, _) if freshness.unstamped_edit => {
            "it was measured with uncommitted changes, and no stamp records them"
        }
        (Axis::Anchor, Some(MissingAnchor::Shallow)) => {
            "the commit it was measured at is beyond the depth of this shallow clone"
        }
        (Axis::Anchor, Some(MissingAnchor::Pruned)) => {
            "the commit it was measured at is gone (rewritten and pruned), and no stamp records the content"
        }
        (Axis::Anchor, None) => "it names no commit",
        (Axis::Code, _) if freshness.moved.iter().all(|moved| moved.why == Some(DriftWhy::LeftTheList)) => {
            "what was measured left the list, and moved"
        }
        (Axis::Code, _) => "governed content changed",
        (Axis::Scenario, _) => "description or expected was reworded",
        (Axis::Evaluator, _) if !freshness.test.is_empty() => "the test changed",
        (Axis::Evaluator, _) => "its evaluator has another version now",
    }
}

fn help(freshness: &Freshness, eval: &str) -> String {
    let shallow = freshness.missing == Some(MissingAnchor::Shallow) && freshness.axes.contains(&Axis::Anchor);
    if freshness.unstamped_edit {
        return format!("commit, measure it again, then: {eval}");
    }
    if shallow {
        return "git fetch --unshallow   (in CI: fetch-depth: 0)".into();
    }
    format!("measure it again, then: {eval}")
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{Case, LEDGER, SOURCE, reading};

    #[test]
    fn a_reading_of_other_code_is_named_with_what_moved() {
        let measured = Case::new().with(LEDGER, reading("pass", 1)).committed();
        insta::assert_snapshot!(measured.with(SOURCE, "fn b() {}\n").told(RuleId::YatsuDrift), @"
        .spec/n/yatsu.md:3:5: warning[yatsu-drift] n/works: the latest reading (pass) is stale: governed content changed
            stale: code, measured at 111111111111
            moved: src/a.rs
            tags: cli
            help: measure it again, then: yatsu-hook eval n/works --pass   (or --fail)
        ");
    }

    #[test]
    fn a_reading_of_this_code_is_fine() {
        let measured = Case::new().with(LEDGER, reading("pass", 1)).committed();
        assert_eq!(measured.with("src/b.rs", "fn b() {}\n").told(RuleId::YatsuDrift), "");
    }
}
