//! `yatsu.agents`: what the hooks in a coding agent's harness do. Input: a value. Output: the settings or the fault.
//!
//! These hooks must never stop an agent because of a typing error, so they read leniently: a wrong value is its default.

use super::values::{Read, bad_key, boolean, choice, optional_members, words};
use crate::text::escape::echo;
use crate::text::json::Json;
use crate::text::spelled::spelled;

spelled! {
    /// What happens when an agent stops and a scenario went stale.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Stop {
        /// Nothing.
        Off = "off",
        /// The user reads a message.
        Say = "say",
        /// The agent is asked, once a session, to measure.
        Block = "block",
    }
}

spelled! {
    /// What happens when an agent edits a path that another session claims.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ClaimNotice {
        /// Nothing.
        Off = "off",
        /// The agent reads a warning.
        Warn = "warn",
    }
}

spelled! {
    /// Which commands of an agent leave an observation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Observe {
        /// None.
        Off = "off",
        /// The commands that a scenario declares in `test`.
        Declared = "declared",
    }
}

/// The settings of `yatsu.agents`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentsConfig {
    /// What the hook at a stop does.
    pub stop: Stop,
    /// What the hook after an edit does about foreign claims.
    pub claims: ClaimNotice,
    /// What the hook after a command records.
    pub observe: Observe,
    /// Whether an observation keeps the output of its command.
    pub keep_output: bool,
    /// Tags: a scenario with one of them must be fresh at the stop, even if it was stale before.
    pub require: Vec<String>,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self {
            stop: Stop::Block,
            claims: ClaimNotice::Warn,
            observe: Observe::Declared,
            keep_output: false,
            require: Vec::new(),
        }
    }
}

impl AgentsConfig {
    /// How `new` is weaker than these settings, one sentence each.
    pub(super) fn lowered(&self, new: &Self) -> Vec<String> {
        let less = |key: &str, was: &str, now: &str| format!("yatsu.agents.{key} is lowered from {was} to {now}");
        let mut found = Vec::new();
        if new.stop < self.stop {
            found.push(less("stop", self.stop.as_str(), new.stop.as_str()));
        }
        if new.claims < self.claims {
            found.push(less("claims", self.claims.as_str(), new.claims.as_str()));
        }
        if new.observe < self.observe {
            found.push(less("observe", self.observe.as_str(), new.observe.as_str()));
        }
        let lost = self.require.iter().filter(|tag| !new.require.contains(tag));
        found.extend(lost.map(|tag| format!("yatsu.agents.require loses \"{}\"", echo(tag))));
        found
    }
}

/// The settings, or the first wrong value.
pub(super) fn read(value: Option<&Json<'_>>) -> Read<AgentsConfig> {
    let mut settings = AgentsConfig::default();
    for (key, value) in optional_members("yatsu.agents", value)? {
        set(&mut settings, key, value)?;
    }
    Ok(settings)
}

/// The settings, with the default in place of each wrong value. Never a fault.
pub(super) fn read_leniently(value: Option<&Json<'_>>) -> Read<AgentsConfig> {
    let mut settings = AgentsConfig::default();
    for (key, value) in optional_members("yatsu.agents", value).unwrap_or_default() {
        set(&mut settings, key, value).unwrap_or_default();
    }
    Ok(settings)
}

fn set(settings: &mut AgentsConfig, key: &str, value: &Json<'_>) -> Read<()> {
    let named = format!("yatsu.agents.{key}");
    match key {
        "stop" => settings.stop = choice(&named, value, Stop::parse, "block, say or off")?,
        "claims" => settings.claims = choice(&named, value, ClaimNotice::parse, "warn or off")?,
        "observe" => settings.observe = choice(&named, value, Observe::parse, "declared or off")?,
        "keepOutput" => settings.keep_output = boolean(&named, value)?,
        "require" => settings.require = words(&named, value)?,
        _ => {
            let known = "stop, claims, observe, keepOutput, require";
            return Err(bad_key(value, format!("yatsu.agents.{} is no setting; there are {known}", echo(key))));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::{Config, parse, parse_for_agents};

    const ALL: &str = r#"{"stop": "say", "claims": "off", "observe": "off", "keepOutput": true, "require": ["cli"]}"#;

    fn with(read: fn(&[u8]) -> crate::error::Result<Config>, text: &str) -> Result<AgentsConfig, String> {
        let text = format!("{{\"yatsu\": {{\"agents\": {text}}}}}");
        read(text.as_bytes()).map(|config| config.agents).map_err(|error| error.message)
    }

    fn all() -> AgentsConfig {
        AgentsConfig {
            stop: Stop::Say,
            claims: ClaimNotice::Off,
            observe: Observe::Off,
            keep_output: true,
            require: vec!["cli".into()],
        }
    }

    #[test]
    fn every_setting_is_read_and_an_absent_one_is_its_default() {
        assert_eq!(with(parse, "{}"), Ok(AgentsConfig::default()));
        assert_eq!(with(parse, ALL), Ok(all()));
        assert_eq!(with(parse_for_agents, ALL), Ok(all()));
        assert_eq!(parse(b"{}").unwrap().agents, AgentsConfig::default());
    }

    #[test]
    fn a_wrong_value_is_refused_by_name_and_the_default_for_the_hooks_of_a_harness() {
        for (text, named) in [
            ("7", "yatsu.agents must be an object"),
            (r#"{"stop": "ask"}"#, "yatsu.agents.stop must be block, say or off, not \"ask\""),
            (r#"{"stop": true}"#, "yatsu.agents.stop must be a string"),
            (r#"{"claims": "block"}"#, "must be warn or off"),
            (r#"{"observe": "all"}"#, "must be declared or off"),
            (r#"{"keepOutput": "yes"}"#, "must be true or false"),
            (r#"{"require": "cli"}"#, "must be a list of strings"),
            (r#"{"require": [""]}"#, "must not be blank"),
            (r#"{"keepoutput": true}"#, "yatsu.agents.keepoutput is no setting"),
        ] {
            let message = with(parse, text).expect_err(text);
            assert!(message.contains(named), "{message}");
            assert_eq!(with(parse_for_agents, text), Ok(AgentsConfig::default()), "{text}");
        }
        let half = r#"{"stop": "ask", "require": ["cli"]}"#;
        let require = vec!["cli".to_owned()];
        assert_eq!(with(parse_for_agents, half), Ok(AgentsConfig { require, ..AgentsConfig::default() }));
        assert!(parse_for_agents(br#"{"yatsu": {"rules": 7}}"#).is_err(), "only these settings are lenient");
    }

    #[test]
    fn a_weaker_setting_is_named_and_a_stricter_one_is_not() {
        let strict = AgentsConfig { require: vec!["cli".into()], ..AgentsConfig::default() };
        let found = strict.lowered(&AgentsConfig { require: Vec::new(), ..all() });
        insta::assert_snapshot!(found.join("\n"), @r#"
        yatsu.agents.stop is lowered from block to say
        yatsu.agents.claims is lowered from warn to off
        yatsu.agents.observe is lowered from declared to off
        yatsu.agents.require loses "cli"
        "#);
        assert_eq!(all().lowered(&strict), [""; 0]);
        assert_eq!(strict.lowered(&strict), [""; 0]);
    }
}
