//! The level of a finding: the default of its rule, then the configuration, then `--strict`.

use crate::finding::{Finding, Level, RuleId};
use crate::model::config::Config;

/// Sets the level of every finding and drops the findings of switched-off rules. `strict` turns every warning into an
/// error, even in a finding that is otherwise at most a warning.
pub(crate) fn apply(findings: Vec<Finding>, config: &Config, strict: bool) -> Vec<Finding> {
    apply_since(findings, config, [], strict)
}

/// The same for a change, where `before` are the configurations before the change. A finding caused by the change gets
/// the stricter level, so that no change lowers its own gate. Other findings get the level of `config`.
pub(crate) fn apply_since<'c>(
    findings: Vec<Finding>,
    config: &Config,
    before: impl IntoIterator<Item = &'c Config, IntoIter: Clone>,
    strict: bool,
) -> Vec<Finding> {
    let before = before.into_iter();
    let of = |config: &Config, rule: RuleId| config.level(rule, rule.default_level());
    let level = |finding: &Finding| {
        let then = before.clone().filter(|_| finding.by_change);
        then.map(|config| of(config, finding.rule)).fold(of(config, finding.rule), Option::max)
    };
    findings.into_iter().filter_map(|finding| leveled(level(&finding), finding, strict)).collect()
}

/// Replaces the findings of a rule by `required` as errors: the command asks for the rule, so no configuration lowers it.
pub(crate) fn require(findings: &mut Vec<Finding>, required: Vec<Finding>) {
    findings.retain(|finding| required.iter().all(|other| other.rule != finding.rule));
    findings.extend(required.into_iter().map(|finding| Finding { level: Level::Error, ..finding }));
}

fn leveled(level: Option<Level>, mut finding: Finding, strict: bool) -> Option<Finding> {
    let level = level?;
    let level = finding.at_most.map_or(level, |cap| level.min(cap));
    finding.level = if strict && level == Level::Warning { Level::Error } else { level };
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_lifts_every_warning_also_a_capped_one() {
        let drift = Finding::new(RuleId::YatsuDrift, "");
        let capped = |at_most| Finding { at_most: Some(at_most), ..Finding::new(RuleId::LedgerSchema, "") };
        let all = vec![drift, capped(Level::Warning), capped(Level::Info)];
        let levels = |strict| -> Vec<Level> {
            apply(all.clone(), &Config::default(), strict).iter().map(|finding| finding.level).collect()
        };
        assert_eq!(levels(false), [Level::Warning, Level::Warning, Level::Info]);
        assert_eq!(levels(true), [Level::Error, Level::Error, Level::Info]);
    }

    #[test]
    fn what_a_change_did_is_judged_by_the_stricter_gate_and_what_stands_there_by_the_present_one() {
        let mut off = Config::default();
        off.rules.insert(RuleId::LedgerSchema, None);
        let finding = |by_change| Finding { by_change, ..Finding::new(RuleId::LedgerSchema, "") };
        let told = apply_since(vec![finding(true), finding(false)], &off, &[Config::default()], false);
        assert_eq!(told.iter().map(|f| (f.by_change, f.level)).collect::<Vec<_>>(), [(true, Level::Error)]);
        let lifted = apply_since(vec![finding(true)], &Config::default(), &[off], false);
        assert_eq!(lifted[0].level, Level::Error, "a gate that was raised is the stricter one");
    }

    #[test]
    fn a_rule_that_is_off_says_nothing() {
        let mut config = Config::default();
        config.rules.insert(RuleId::YatsuDrift, None);
        assert!(apply(vec![Finding::new(RuleId::YatsuDrift, "")], &config, false).is_empty());
    }
}
