//! `yatsu.patches`: who may decide about a patch, and where decisions without a touched node are filed. Input: a value. Output: the settings or the fault.

use crate::finding::SettingValue;
use crate::model::config::values::{Read, bad_key, boolean, directory, members};
use crate::model::config::{Config, FeatureConfig, ShownSetting};
use crate::text::escape::echo;
use crate::text::json::Json;
use crate::tree::path::RepoPath;

/// The settings of `yatsu.patches`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchSettings {
    /// Whether the measurer may not decide.
    pub(crate) require_other: bool,
    /// The directory of the ledger for decisions about patches that touch no node; `None` is the first root.
    pub(crate) home: Option<RepoPath>,
}

impl FeatureConfig for PatchSettings {
    const KEY: &'static str = "patches";
    const RANK: u16 = 110;
    const DEFAULT: &'static Self = &Self { require_other: false, home: None };

    fn read(value: &Json<'_>) -> Read<Self> {
        let mut settings = Self::DEFAULT.clone();
        for (key, value) in members("yatsu.patches", value)? {
            match &**key {
                "requireOther" => settings.require_other = boolean("yatsu.patches.requireOther", value)?,
                "home" => settings.home = Some(directory("yatsu.patches.home", value)?),
                _ => {
                    let message = format!("yatsu.patches.{} is no setting; there are requireOther and home", echo(key));
                    return Err(bad_key(value, message));
                }
            }
        }
        Ok(settings)
    }

    fn lowered(&self, new: &Self) -> Vec<String> {
        let is_weaker = self.require_other && !new.require_other;
        let how = || "yatsu.patches.requireOther is switched off: the person who measured may approve".to_owned();
        is_weaker.then(how).into_iter().collect()
    }

    fn shown(&self, config: &Config) -> Vec<ShownSetting> {
        vec![
            ShownSetting::of("yatsu.patches.requireOther", SettingValue::Switch(self.require_other)),
            ShownSetting::of("yatsu.patches.home", SettingValue::path(&home(config).to_string())),
        ]
    }
}

/// The directory of the ledger for decisions about patches that touch no node.
pub(crate) fn home(config: &Config) -> RepoPath {
    let given = config.of::<PatchSettings>().home.clone();
    given.or_else(|| config.roots.first().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::parse;

    fn settings(text: &str) -> Result<PatchSettings, String> {
        let text = format!("{{\"yatsu\": {{\"patches\": {text}}}}}");
        parse(text.as_bytes()).map(|config| config.of::<PatchSettings>().clone()).map_err(|error| error.message)
    }

    #[test]
    fn who_may_decide_is_read_or_refused() {
        assert_eq!(settings("{}"), Ok(PatchSettings::DEFAULT.clone()));
        assert_eq!(settings("{\"requireOther\": true}"), Ok(PatchSettings { require_other: true, home: None }));
        assert!(settings("{\"requireOther\": \"yes\"}").is_err_and(|text| text.contains("requireOther")));
        assert!(
            settings("{\"requireother\": true}").is_err_and(|text| text.contains("there are requireOther and home"))
        );
        assert!(settings("true").is_err());
        let home = settings("{\"home\": \"docs/decisions/\"}").unwrap().home;
        assert_eq!(home, Some(RepoPath::from_git("docs/decisions")));
        assert!(settings("{\"home\": \"../x\"}").is_err_and(|text| text.contains("yatsu.patches.home: \"../x\"")));
    }

    #[test]
    fn only_switching_it_off_is_weaker() {
        let of = |require_other| PatchSettings { require_other, home: None };
        assert_eq!(of(true).lowered(&of(false)).len(), 1);
        assert!(of(false).lowered(&of(true)).is_empty() && of(true).lowered(&of(true)).is_empty());
    }
}
