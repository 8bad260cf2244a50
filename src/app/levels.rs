//! The level of a finding: the rule's default, what the configuration says, `--strict`.

use crate::finding::{Finding, Level};
use crate::model::config::Config;

/// Sets every finding's level and drops those whose rule is off. `strict` turns warnings into errors, but never what is
/// advice by nature.
pub fn apply(findings: Vec<Finding>, config: &Config, strict: bool) -> Vec<Finding> {
    findings.into_iter().filter_map(|finding| leveled(finding, config, strict)).collect()
}

fn leveled(mut finding: Finding, config: &Config, strict: bool) -> Option<Finding> {
    let level = config.level(finding.rule, finding.rule.default_level())?;
    let level = if strict && level == Level::Warning { Level::Error } else { level };
    finding.level = finding.at_most.map_or(level, |cap| level.min(cap));
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::RuleId;

    #[test]
    fn strict_lifts_warnings_but_not_advice() {
        let drift = Finding::new(RuleId::YatsuDrift, "");
        let mut capped = Finding::new(RuleId::LedgerSchema, "");
        capped.at_most = Some(Level::Warning);
        let levels: Vec<Level> = apply(vec![drift, capped], &Config::default(), true).iter().map(|f| f.level).collect();
        assert_eq!(levels, [Level::Error, Level::Warning]);
    }

    #[test]
    fn a_rule_that_is_off_says_nothing() {
        let mut config = Config::default();
        config.rules.insert(RuleId::YatsuDrift, None);
        assert!(apply(vec![Finding::new(RuleId::YatsuDrift, "")], &config, false).is_empty());
    }
}
