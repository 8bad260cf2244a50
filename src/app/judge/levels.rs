//! The level of a finding: the rule's default, what the configuration says, `--strict`.

use crate::finding::{Finding, Level, RuleId};
use crate::model::config::Config;
use crate::rules;

/// Sets every finding's level and drops those whose rule is off. `strict` turns every warning into an error, the one
/// that is never more than a warning without it, too: a flag that left some out would promise what it does not keep.
pub fn apply(findings: Vec<Finding>, config: &Config, strict: bool) -> Vec<Finding> {
    apply_since(findings, config, &[], strict)
}

/// The same for a change of what was judged by `before` until now: a rule that looks at the change itself has the
/// stricter of the levels, so that no change lowers the gate that it must pass.
pub fn apply_since(findings: Vec<Finding>, config: &Config, before: &[Config], strict: bool) -> Vec<Finding> {
    let level = |rule: RuleId| {
        let now = config.level(rule, rule.default_level());
        let then = before.iter().filter(|_| rules::looks_at_change(rule));
        then.map(|config| config.level(rule, rule.default_level())).fold(now, Option::max)
    };
    findings.into_iter().filter_map(|finding| leveled(level(finding.rule), finding, strict)).collect()
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
    fn a_change_is_judged_by_the_stricter_gate_where_a_rule_looks_at_the_change() {
        let mut off = Config::default();
        off.rules.extend([(RuleId::GateLowered, None), (RuleId::YatsuDrift, None)]);
        let both = vec![Finding::new(RuleId::GateLowered, ""), Finding::new(RuleId::YatsuDrift, "")];
        let told = apply_since(both, &off, &[Config::default()], false);
        assert_eq!(told.iter().map(|f| (f.rule, f.level)).collect::<Vec<_>>(), [(RuleId::GateLowered, Level::Warning)]);
    }

    #[test]
    fn a_rule_that_is_off_says_nothing() {
        let mut config = Config::default();
        config.rules.insert(RuleId::YatsuDrift, None);
        assert!(apply(vec![Finding::new(RuleId::YatsuDrift, "")], &config, false).is_empty());
    }
}
