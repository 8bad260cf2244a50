//! The variables of hook frameworks: the range of a push, the stage, and whether hooks are switched off.

use super::style::Lookup;
use crate::app::doors::push::{FrameworkPush, Remote};
use crate::error::{Error, Result};
use crate::model::env_switch::env_switch;
use std::ffi::OsString;

/// The variables of pre-commit and prek about a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PushedRange {
    /// The pushed range, as far as they name it.
    pub(crate) push: FrameworkPush,
    /// `PRE_COMMIT_REMOTE_NAME` and `PRE_COMMIT_REMOTE_URL`.
    pub(crate) remote: Remote,
}

/// The range of a push in the environment; empty if there is none.
///
/// # Errors
/// If a variable of the range is not UTF-8.
pub(crate) fn pushed_range(env: Lookup<'_>) -> Result<PushedRange> {
    let push = FrameworkPush {
        from: text(env, "PRE_COMMIT_FROM_REF")?,
        to: text(env, "PRE_COMMIT_TO_REF")?,
        local_branch: text(env, "PRE_COMMIT_LOCAL_BRANCH")?,
        remote_branch: text(env, "PRE_COMMIT_REMOTE_BRANCH")?,
    };
    let remote = Remote { name: text(env, "PRE_COMMIT_REMOTE_NAME")?, url: text(env, "PRE_COMMIT_REMOTE_URL")? };
    Ok(PushedRange { push, remote })
}

/// The value of a variable; `None` if it is empty.
pub(crate) fn variable(env: Lookup<'_>, name: &str) -> Option<OsString> {
    env(name).filter(|value| !value.is_empty())
}

/// The value of a variable as text; an error if it is not UTF-8.
pub(crate) fn text(env: Lookup<'_>, name: &str) -> Result<Option<String>> {
    let Some(value) = variable(env, name) else { return Ok(None) };
    let wrong =
        |_| Error::unchecked(format!("{name} is not UTF-8")).hint("name the stage: yatsu-hook run --stage pre-push");
    value.into_string().map(Some).map_err(wrong)
}

/// The reason why the environment switches hooks off, or `None`.
pub(crate) fn skipped(env: Lookup<'_>) -> Option<&'static str> {
    env_switch(|name| env(name)?.into_string().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_switches_hooks_off() {
        for (name, value, expected) in [
            ("YATSU_HOOK", "0", Some("YATSU_HOOK=0")),
            ("YATSU_HOOK", "1", None),
            ("YATSU_HOOK", "", None),
            ("SKIP", "yatsu-hook", Some("SKIP=yatsu-hook")),
            ("SKIP", "lint, yatsu-hook", Some("SKIP=yatsu-hook")),
            ("SKIP", "yatsu-hook-system", None),
            ("SKIP", "", None),
        ] {
            assert_eq!(skipped(&|asked| (asked == name).then(|| value.into())), expected, "{name}={value}");
        }
    }
}
