//! The settings of a feature: the value of one key inside `yatsu`, kept as a part of the configuration.

use super::Config;
use super::values::Read;
use crate::error::Result;
use crate::features;
use crate::finding::SettingValue;
use crate::model::parts::Parts;
use crate::text::escape::echo;
use crate::text::json::Json;
use crate::tree::Tree;
use std::any::Any;

/// The settings below one key.
pub(crate) trait FeatureConfig: Any + PartialEq {
    /// The key, without `yatsu.`.
    const KEY: &'static str;
    /// Its place among all keys; see [`super::parse`] for those of the core.
    const RANK: u16;
    /// The settings without the key.
    const DEFAULT: &'static Self;
    /// Whether it says where files lie. Then each state looks where its own settings say, whatever configuration judges it.
    const SAYS_WHERE: bool = false;

    /// Reads the value of the key.
    fn read(value: &Json<'_>) -> Read<Self>
    where
        Self: Sized;

    /// How `new` is weaker than these settings, one sentence each.
    fn lowered(&self, new: &Self) -> Vec<String>;

    /// What `config show` lists.
    fn shown(&self, config: &Config) -> Vec<ShownSetting>;

    /// What `config check` warns of, one sentence each, for example a name of nothing in the tree.
    ///
    /// # Errors
    /// When a file that they name cannot be used.
    fn warnings(&self, _: &Config, _: &dyn Tree) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// A setting that `config show` lists.
pub(crate) struct ShownSetting {
    /// The key as the file spells it, with dots between the levels.
    pub(crate) key: &'static str,
    /// The member below the key, for a map with names of the user's own.
    pub(crate) member: Option<String>,
    pub(crate) value: SettingValue,
}

impl ShownSetting {
    pub(crate) fn of(key: &'static str, value: SettingValue) -> Self {
        Self { key, member: None, value }
    }
}

/// [`FeatureConfig`], without its type: the core names no feature.
pub(crate) struct FeatureSettings {
    pub(super) key: &'static str,
    pub(crate) rank: u16,
    pub(super) read: fn(&Json<'_>, &mut Config) -> Read<()>,
    pub(super) lowered: fn(&Config, &Config) -> Vec<String>,
    pub(crate) shown: fn(&Config) -> Vec<ShownSetting>,
    pub(crate) warnings: fn(&Config, &dyn Tree) -> Result<Vec<String>>,
    says_where: bool,
    copy: fn(&Parts, &mut Parts),
}

impl FeatureSettings {
    pub(crate) const fn of<S: FeatureConfig>() -> Self {
        Self {
            key: S::KEY,
            rank: S::RANK,
            read: |value, config| {
                let settings = S::read(value)?;
                // equal configurations have equal parts, however they are written
                if settings != *S::DEFAULT {
                    config.parts.put(settings);
                }
                Ok(())
            },
            lowered: |old, new| old.of::<S>().lowered(new.of()),
            shown: |config| config.of::<S>().shown(config),
            warnings: |config, view| config.of::<S>().warnings(config, view),
            says_where: S::SAYS_WHERE,
            copy: Parts::copy::<S>,
        }
    }
}

/// The settings of all features, by rank.
pub(crate) fn feature_settings() -> Vec<&'static FeatureSettings> {
    let mut all: Vec<_> = features::settings().collect();
    all.sort_by_key(|settings| settings.rank);
    all
}

impl Config {
    /// Takes the settings of features that say where files lie from `own`.
    pub(crate) fn look_as(&mut self, own: &Self) {
        features::settings().filter(|of| of.says_where).for_each(|of| (of.copy)(&own.parts, &mut self.parts));
    }

    /// The settings of a feature.
    pub(crate) fn of<S: FeatureConfig>(&self) -> &S {
        self.parts.get().unwrap_or(S::DEFAULT)
    }

    /// The warning about a tag that the setting `key` names, if no scenario may have the tag.
    pub(crate) fn unknown_tag(&self, key: &str, tag: &String) -> Option<String> {
        let is_unknown = !self.scenario_tags.is_empty() && !self.scenario_tags.contains(tag);
        let warning = || format!("{key} names the tag \"{}\", which lint.scenarioTags does not have", echo(tag));
        is_unknown.then(warning)
    }
}
