//! The level of a finding: the rule's default, what the configuration says, `--strict`.

use crate::finding::{Finding, Level, RuleId};
use crate::model::config::Config;
use crate::rules;

/// Sets every finding's level and drops those whose rule is off. `strict` turns warnings into errors, but never what is
/// advice by nature.
pub fn apply(findings: Vec<Finding>, config: &Config, strict: bool) -> Vec<Finding> {
    apply_since(findings, config, &[], strict)
}

/// The same for a change of what was judged by `before` until now: a rule that looks at the change itself has the
/// stricter of the levels, so that no change lowers the gate that it must pass.
pub fn apply_since(findings: Vec<Finding>, config: &Config, before: &[&Config], strict: bool) -> Vec<Finding> {
    let level = |rule: RuleId| {
        let now = config.level(rule, rule.default_level());
        let then = before.iter().filter(|_| rules::looks_at_change(rule));
        then.map(|config| config.level(rule, rule.default_level())).fold(now, Option::max)
    };
    findings.into_iter().filter_map(|finding| leveled(level(finding.rule), finding, strict)).collect()
}

fn leveled(level: Option<Level>, mut finding: Finding, strict: bool) -> Option<Finding> {
    let level = level?;
    let level = if strict && level == Level::Warning { Level::Error } else { level };
    finding.level = finding.at_most.map_or(level, |cap| level.min(cap));
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_lifts_warnings_but_not_advice() {
        let drift = Finding::new(RuleId::YatsuDrift, "");
        let mut capped = Finding::new(RuleId::LedgerSchema, "");
        capped.at_most = Some(Level::Warning);
        let levels: Vec<Level> = apply(vec![drift, capped], &Config::default(), true).iter().map(|f| f.level).collect();
        assert_eq!(levels, [Level::Error, Level::Warning]);
    }

    #[test]
    fn a_change_is_judged_by_the_stricter_gate_where_a_rule_looks_at_the_change() {
        let mut off = Config::default();
        off.rules.extend([(RuleId::GateLowered, None), (RuleId::YatsuDrift, None)]);
        let both = vec![Finding::new(RuleId::GateLowered, ""), Finding::new(RuleId::YatsuDrift, "")];
        let told = apply_since(both, &off, &[&Config::default()], false);
        assert_eq!(told.iter().map(|f| (f.rule, f.level)).collect::<Vec<_>>(), [(RuleId::GateLowered, Level::Warning)]);
    }

    #[test]
    fn a_rule_that_is_off_says_nothing() {
        let mut config = Config::default();
        config.rules.insert(RuleId::YatsuDrift, None);
        assert!(apply(vec![Finding::new(RuleId::YatsuDrift, "")], &config, false).is_empty());
    }
}
