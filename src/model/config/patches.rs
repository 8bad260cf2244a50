//! `yatsu.patches`: who may decide about a patch, and where decisions without a touched node are filed. Input: a value. Output: the settings or the fault.

use super::values::{Read, bad_key, boolean, directory, optional_members};
use crate::text::escape::echo;
use crate::text::json::Json;
use crate::tree::path::RepoPath;

/// The settings of `yatsu.patches`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchSettings {
    /// Whether the measurer may not decide.
    pub require_other: bool,
    /// The directory of the ledger for decisions about patches that touch no node; `None` is the first root.
    pub home: Option<RepoPath>,
}

impl PatchSettings {
    /// How `new` is weaker than these settings, one sentence.
    pub(super) fn lowered(&self, new: &Self) -> Option<String> {
        let is_weaker = self.require_other && !new.require_other;
        is_weaker.then(|| "yatsu.patches.requireOther is switched off: the person who measured may approve".into())
    }
}

pub(super) fn read(value: Option<&Json<'_>>) -> Read<PatchSettings> {
    let mut settings = PatchSettings::default();
    for (key, value) in optional_members("yatsu.patches", value)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::config::parse;

    fn settings(text: &str) -> Result<PatchSettings, String> {
        let text = format!("{{\"yatsu\": {{\"patches\": {text}}}}}");
        parse(text.as_bytes()).map(|config| config.patches).map_err(|error| error.message)
    }

    #[test]
    fn who_may_decide_is_read_or_refused() {
        assert_eq!(settings("{}"), Ok(PatchSettings::default()));
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
        assert!(of(true).lowered(&of(false)).is_some());
        assert!(of(false).lowered(&of(true)).is_none() && of(true).lowered(&of(true)).is_none());
    }
}
