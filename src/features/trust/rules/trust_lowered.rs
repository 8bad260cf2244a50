//! A change weakens trust: a policy, the test of a scenario under one, or the keys. The findings have the rule `gate-lowered`.

use crate::engine::facts::Facts;
use crate::engine::successors::is_unreadable;
use crate::features::trust::judge::facts::{LoweredTrust, OtherTest};
use crate::features::trust::model::settings::{ReadingNeed, TrustSettings};
use crate::finding::{Finding, RuleId};
use crate::model::node::Declared;
use crate::model::scenario::Scenario;
use crate::names::CONFIG_FILE;
use crate::rules::Change;
use crate::rules::gate_lowered::{by_file, gate};
use crate::rules::wording::{file, of_scenario};
use crate::text::escape::echo;
use crate::tree::path::RepoPath;

pub(super) fn check(change: &Change<'_>, found: &mut Vec<Finding>) {
    let Some(base) = gate(change) else { return };
    found.extend(untagged(base, change));
    let Some(LoweredTrust { other_tests, keys }) = change.parts.get() else { return };
    found.extend(other_tests.iter().filter_map(|other| retested(change.view, other)));
    let trust: &TrustSettings = change.own.of();
    found.extend(keys.iter().map(|sentence| {
        let file = if sentence.contains("yatsu.trust.revoked") { &trust.revoked } else { &trust.signers };
        by_file(sentence.clone(), file.as_ref().map_or_else(|| CONFIG_FILE.into(), RepoPath::to_bstring))
    }));
}

/// The scenarios with tags that ask for a lower grade than their tags before, by the configuration before, and the ones that
/// are gone with their tags.
fn untagged<'a>(base: &'a Facts, change: &Change<'a>) -> impl Iterator<Item = Finding> {
    let view = change.view;
    let trust: &TrustSettings = base.workspace.config.of();
    let is_asked = move |scenario: &Scenario| trust.needs(&scenario.tags).iter().any(|need| need.asks());
    base.scenarios().filter(move |(_, then, _)| is_asked(then)).filter_map(move |(node, then, _)| {
        let was = Declared { node, scenario: then };
        let now = change.successor(0, was).or_else(|| renamed(was, view, base));
        if now.is_none() && is_unreadable(view, node) {
            return None;
        }
        let (one, message) = match now {
            Some(now) => {
                let need = untied(trust, &then.tags, &now.scenario.tags)?;
                (now, format!("its tags no longer ask for {}", need.words()))
            }
            None => {
                // the entry `*` governed it, too, and nothing of what is gone meets an entry
                let need = trust.needs(&then.tags).into_iter().filter(|need| need.asks()).max()?;
                (was, format!("it is gone, and yatsu.trust asked for {}", need.words()))
            }
        };
        let mut finding = of_scenario(RuleId::GateLowered, one.node, one.scenario, message);
        finding.help = "say in the commit message why, or give the tag back".into();
        finding.key = "tags".into();
        if now.is_none() {
            // its line number is from a file that the view may not have
            finding.location = node.file.as_ref().and_then(|declared| file(&declared.path));
            finding.help = "say in the commit message why, or give the scenario back".into();
        }
        Some(finding)
    })
}

/// A scenario under a policy that is measured by another test than before.
fn retested(view: &Facts, other: &OtherTest) -> Option<Finding> {
    let node = view.workspace.node(&other.dir)?;
    let scenario = node.scenarios().iter().find(|scenario| scenario.name == other.scenario)?;
    let is = other.is.as_ref().map_or_else(|| "gone".to_owned(), |is| format!("`{}`", echo(is)));
    let message = format!("the {} of its test was `{}` and is {is}", other.key, echo(&other.was));
    let mut finding = of_scenario(RuleId::GateLowered, node, scenario, message);
    finding.help =
        "say in the commit message why, or take it back; observations of another command count from the next \
                    change on"
            .into();
    finding.key = format!("test|{}", other.key);
    Some(finding)
}

/// The scenario with the text of `was` that is new in the view.
fn renamed<'a>(was: Declared<'_>, view: &'a Facts, base: &Facts) -> Option<Declared<'a>> {
    let is_new = |now: &Declared<'_>| {
        let node = base.workspace.node(&now.node.dir);
        node.is_none_or(|node| node.scenario(&now.scenario.name).is_none())
    };
    let all = view.scenarios().map(|(node, scenario, _)| Declared { node, scenario });
    all.filter(|now| now.scenario.text_hash == was.scenario.text_hash).find(is_new)
}

/// The strictest entry for the tags `then` that no entry for the tags `now` asks for as much.
fn untied<'t>(trust: &'t TrustSettings, then: &[String], now: &[String]) -> Option<&'t ReadingNeed> {
    let kept = trust.needs(now);
    let is_free = |need: &&ReadingNeed| need.asks() && kept.iter().all(|now| !need.lowered(now).is_empty());
    trust.needs(then).into_iter().filter(is_free).max()
}

#[cfg(test)]
mod tests {
    use crate::finding::RuleId;
    use crate::rules::tests::case::{CONFIG, Case, FILE, WORKS};

    #[test]
    fn a_scenario_that_drops_the_tag_of_a_grade_is_named() {
        let policy = r#"{"yatsu": {"trust": {"readings": {"cli": {"grade": "observed"}}}}}"#;
        let case = Case::new().with(CONFIG, policy).committed();
        let other = |tags: &str| case.clone().with(FILE, WORKS.replace("[cli]", tags)).told(RuleId::GateLowered);
        insta::assert_snapshot!(other("[mobile]"), @"
        .spec/n/yatsu.md:3:5: warning[gate-lowered] n/works: its tags no longer ask for an observed pass
            tags: mobile
            help: say in the commit message why, or give the tag back
        ");
        assert_eq!(other("[cli, mobile]"), "");
    }
}
