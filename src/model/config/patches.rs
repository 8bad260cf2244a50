//! `yatsu.patches`: who may decide about a patch. Input: a value. Output: the settings or the fault.

use super::values::{Read, bad_key, boolean, optional_members};
use crate::text::escape::echo;
use crate::text::json::Json;

/// The settings of `yatsu.patches`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatchSettings {
    /// Whether the measurer may not decide.
    pub require_other: bool,
}

impl PatchSettings {
    /// How `new` is weaker than these settings, one sentence.
    pub(super) fn lowered(self, new: Self) -> Option<String> {
        let is_weaker = self.require_other && !new.require_other;
        is_weaker.then(|| "yatsu.patches.requireOther is switched off: the person who measured may approve".into())
    }
}

pub(super) fn read(value: Option<&Json<'_>>) -> Read<PatchSettings> {
    let mut settings = PatchSettings::default();
    for (key, value) in optional_members("yatsu.patches", value)? {
        match &**key {
            "requireOther" => settings.require_other = boolean("yatsu.patches.requireOther", value)?,
            _ => {
                let message = format!("yatsu.patches.{} is no setting; there is requireOther", echo(key));
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
        assert_eq!(settings("{}"), Ok(PatchSettings { require_other: false }));
        assert_eq!(settings("{\"requireOther\": true}"), Ok(PatchSettings { require_other: true }));
        assert!(settings("{\"requireOther\": \"yes\"}").is_err_and(|text| text.contains("requireOther")));
        assert!(settings("{\"requireother\": true}").is_err_and(|text| text.contains("there is requireOther")));
        assert!(settings("true").is_err());
    }

    #[test]
    fn only_switching_it_off_is_weaker() {
        let of = |require_other| PatchSettings { require_other };
        assert!(of(true).lowered(of(false)).is_some());
        assert!(of(false).lowered(of(true)).is_none() && of(true).lowered(of(true)).is_none());
    }
}
