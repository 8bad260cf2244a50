//! `yatsu.goals`: requirements for a claim of completion. Input: a value. Output: the settings or the fault.

use crate::finding::SettingValue;
use crate::model::config::values::{BadValue, Read, bad_key, boolean, choice, members, wrong_type};
use crate::model::config::{Config, FeatureConfig, ShownSetting};
use crate::text::escape::echo;
use crate::text::json::Json;
use crate::text::spelled::spelled;

spelled! {
    /// Where goals are checked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum GoalGateMode {
        /// Nowhere: goals are only stated.
        Off = "off",
        /// At a claim that the goal is reached.
        Claimed = "claimed",
        /// At such a claim, and in every push to a protected branch for each touched node.
        Protected = "protected",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalSettings {
    /// Where goals are checked.
    pub gate: GoalGateMode,
    /// How many points evidence needs.
    pub trust_threshold: u32,
    /// Whether a touched node that governs source needs a contract.
    pub require: bool,
    /// Whether another person than the measurer must have reviewed the evidence.
    pub require_review: bool,
}

impl GoalSettings {
    pub(crate) fn stricter(self, other: Self) -> Self {
        Self {
            gate: self.gate.max(other.gate),
            trust_threshold: self.trust_threshold.max(other.trust_threshold),
            require: self.require || other.require,
            require_review: self.require_review || other.require_review,
        }
    }
}

impl FeatureConfig for GoalSettings {
    const KEY: &'static str = "goals";
    const RANK: u16 = 100;
    const DEFAULT: &'static Self =
        &Self { gate: GoalGateMode::Claimed, trust_threshold: 80, require: false, require_review: false };

    fn read(value: &Json<'_>) -> Read<Self> {
        let mut settings = *Self::DEFAULT;
        for (key, value) in members("yatsu.goals", value)? {
            let named = format!("yatsu.goals.{key}");
            match &**key {
                "gate" => settings.gate = choice(&named, value, GoalGateMode::parse, "claimed, protected or off")?,
                "trustThreshold" => settings.trust_threshold = points(&named, value)?,
                "require" => settings.require = boolean(&named, value)?,
                "requireReview" => settings.require_review = boolean(&named, value)?,
                _ => return Err(unknown(key, value)),
            }
        }
        Ok(settings)
    }

    fn lowered(&self, new: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if new.gate < self.gate {
            found.push(format!("yatsu.goals.gate is lowered from {} to {}", self.gate.as_str(), new.gate.as_str()));
        }
        if new.trust_threshold < self.trust_threshold {
            let (before, now) = (self.trust_threshold, new.trust_threshold);
            found.push(format!("yatsu.goals.trustThreshold is lowered from {before} to {now}"));
        }
        if self.require && !new.require {
            found.push("yatsu.goals.require is switched off: a node may do without a contract".into());
        }
        if self.require_review && !new.require_review {
            found.push(
                "yatsu.goals.requireReview is switched off: no second person needs to review the readings".into(),
            );
        }
        found
    }

    fn shown(&self, _: &Config) -> Vec<ShownSetting> {
        vec![
            ShownSetting::of("yatsu.goals.gate", SettingValue::Text(self.gate.as_str().into())),
            ShownSetting::of("yatsu.goals.trustThreshold", SettingValue::Number(self.trust_threshold.into())),
            ShownSetting::of("yatsu.goals.require", SettingValue::Switch(self.require)),
            ShownSetting::of("yatsu.goals.requireReview", SettingValue::Switch(self.require_review)),
        ]
    }
}

fn unknown(key: &str, value: &Json<'_>) -> BadValue {
    let known = "gate, trustThreshold, require, requireReview";
    bad_key(value, format!("yatsu.goals.{} is no setting; there are {known}", echo(key)))
}

/// At most 100, because no evidence can have more points.
fn points(key: &str, value: &Json<'_>) -> Read<u32> {
    let found = value.number().filter(|points| (1..=100).contains(points));
    found.ok_or_else(|| wrong_type(key, "a whole number from 1 to 100", value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::parse;

    fn settings(text: &str) -> Result<GoalSettings, String> {
        let text = format!("{{\"yatsu\": {{\"goals\": {text}}}}}");
        parse(text.as_bytes()).map(|config| *config.of::<GoalSettings>()).map_err(|error| error.message)
    }

    #[test]
    fn every_setting_is_read_and_what_is_left_out_is_the_default() {
        assert_eq!(settings("{}"), Ok(*GoalSettings::DEFAULT));
        let all = r#"{"gate": "protected", "trustThreshold": 90, "require": true, "requireReview": true}"#;
        let said =
            GoalSettings { gate: GoalGateMode::Protected, trust_threshold: 90, require: true, require_review: true };
        assert_eq!(settings(all), Ok(said));
    }

    #[test]
    fn a_wrong_value_and_an_unknown_setting_are_refused_by_name() {
        for (text, named) in [
            (r#"{"gate": "on"}"#, "claimed, protected or off"),
            (r#"{"trustThreshold": 0}"#, "from 1 to 100"),
            (r#"{"trustThreshold": 101}"#, "from 1 to 100"),
            (r#"{"trustThreshold": "80"}"#, "from 1 to 100"),
            (r#"{"require": 1}"#, "yatsu.goals.require must be true or false"),
            (r#"{"threshold": 1}"#, "yatsu.goals.threshold is no setting"),
        ] {
            let message = settings(text).expect_err(text);
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn what_is_weaker_is_named_and_what_is_stricter_is_not() {
        let strict =
            GoalSettings { gate: GoalGateMode::Protected, trust_threshold: 90, require: true, require_review: true };
        let default = *GoalSettings::DEFAULT;
        assert_eq!(strict.lowered(&default).len(), 4);
        assert_eq!(default.lowered(&strict), [""; 0]);
        let off = GoalSettings { gate: GoalGateMode::Off, ..default };
        assert_eq!(default.lowered(&off), ["yatsu.goals.gate is lowered from claimed to off"]);
    }
}
