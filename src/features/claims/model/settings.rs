//! `yatsu.claims`: limits on claims (docs/claims.md).

use crate::features::claims::model::duration;
use crate::finding::SettingValue;
use crate::model::config::values::{BadValue, Read, bad, bad_key, members, string, whole_number, wrong_type};
use crate::model::config::{Config, FeatureConfig, ShownSetting};
use crate::text::escape::echo;
use crate::text::json::Json;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimLimits {
    /// How long after its end a claim cannot be taken over, in milliseconds.
    pub grace: i64,
    /// How many claims one owner may hold; `None` is no limit.
    pub max_per_owner: Option<usize>,
    /// How many claims one run may hold.
    pub max_per_run: usize,
    /// For each tag: how many claims may be held on its scenarios.
    pub per_tag: BTreeMap<String, usize>,
    /// How many attempts at one reading are possible without force.
    pub max_attempts: u32,
}

impl FeatureConfig for ClaimLimits {
    const KEY: &'static str = "claims";
    const RANK: u16 = 80;
    const DEFAULT: &'static Self =
        &Self { grace: 60_000, max_per_owner: None, max_per_run: 8, per_tag: BTreeMap::new(), max_attempts: 3 };

    fn read(value: &Json<'_>) -> Read<Self> {
        let mut limits = Self::DEFAULT.clone();
        for (key, value) in members("yatsu.claims", value)? {
            let named = format!("yatsu.claims.{key}");
            match &**key {
                "grace" => limits.grace = grace(&named, value)?,
                "maxPerOwner" => limits.max_per_owner = Some(whole_number(&named, value)?),
                "maxPerRun" => limits.max_per_run = whole_number(&named, value)?,
                "maxAttempts" => limits.max_attempts = attempts(&named, value)?,
                "perTag" => {
                    for (tag, most) in members(&named, value)? {
                        limits.per_tag.insert(tag.to_string(), whole_number(&format!("{named}.{}", echo(tag)), most)?);
                    }
                }
                _ => return Err(unknown(key, value)),
            }
        }
        Ok(limits)
    }

    fn lowered(&self, new: &Self) -> Vec<String> {
        let all = [
            ("maxPerOwner".to_owned(), self.max_per_owner, new.max_per_owner),
            ("maxPerRun".to_owned(), Some(self.max_per_run), Some(new.max_per_run)),
            ("maxAttempts".to_owned(), Some(self.max_attempts as usize), Some(new.max_attempts as usize)),
        ];
        let of_tag = |(tag, was): (&String, &usize)| {
            (format!("perTag.{}", echo(tag)), Some(*was), new.per_tag.get(tag).copied())
        };
        let raised = |(key, was, now): (String, Option<usize>, Option<usize>)| match (was?, now) {
            (was, None) => Some(format!("yatsu.claims.{key} is removed: it was {was}")),
            (was, Some(now)) if now > was => Some(format!("yatsu.claims.{key} is raised from {was} to {now}")),
            _ => None,
        };
        all.into_iter().chain(self.per_tag.iter().map(of_tag)).filter_map(raised).collect()
    }

    fn shown(&self, _: &Config) -> Vec<ShownSetting> {
        let number = |most: usize| SettingValue::Number(most as u64);
        let mut found = vec![
            ShownSetting::of("yatsu.claims.grace", SettingValue::Text(format!("{}s", self.grace / 1000))),
            ShownSetting::of("yatsu.claims.maxPerOwner", self.max_per_owner.map_or(SettingValue::Unset, number)),
            ShownSetting::of("yatsu.claims.maxPerRun", number(self.max_per_run)),
            ShownSetting::of("yatsu.claims.maxAttempts", number(self.max_attempts as usize)),
        ];
        for (tag, most) in &self.per_tag {
            let member = Some(tag.clone());
            found.push(ShownSetting { key: "yatsu.claims.perTag", member, value: number(*most) });
        }
        found
    }
}

fn unknown(key: &str, value: &Json<'_>) -> BadValue {
    let known = "grace, maxPerOwner, maxPerRun, perTag, maxAttempts";
    bad_key(value, format!("yatsu.claims.{} is no setting; there are {known}", echo(key)))
}

fn attempts(key: &str, value: &Json<'_>) -> Read<u32> {
    u32::try_from(whole_number(key, value)?).map_err(|_| wrong_type(key, "a smaller number", value))
}

fn grace(key: &str, value: &Json<'_>) -> Read<i64> {
    let text = string(key, value)?;
    let found = if matches!(text, "0s" | "0m" | "0h") { Some(0) } else { duration::parse(text) };
    found.ok_or_else(|| bad(value, format!("{key} must be {} or \"0s\", not \"{}\"", duration::FORM, echo(text))))
}
