//! Hooks in git's configuration (git 2.54 and later): one section for each event, for example `hook.yatsu-hook-pre-push`
//! with `command` and `event`. They run beside hook files, whatever `core.hooksPath` says.

use super::shim::{self, HookEvent};
use super::{InstallPlan, InstallStep};
use crate::app::site::setup_git::{GitScope, GitSettings};
use crate::repo::program::truth;

/// The command that takes git's configuration out of the environment of a shell.
pub(in crate::app) const UNSET: &str = "unset GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS";

/// The one section for all events, of earlier versions. Its command guessed the event and took some pushes for commits.
const OLDER: &str = "hook.yatsu-hook";

/// The section of an event. Its name must not be the name of an event.
fn section(event: HookEvent) -> String {
    format!("{OLDER}-{}", event.as_str())
}

fn key(event: HookEvent, name: &str) -> String {
    format!("{}.{name}", section(event))
}

/// Plans the missing settings in `scope`, so that exactly `events` run the program from there.
pub(super) fn set(
    settings: &GitSettings,
    scope: GitScope,
    events: &[HookEvent],
    program: &str,
    plan: &mut InstallPlan,
) {
    for event in HookEvent::ALL {
        if !events.contains(&event) {
            remove_section(settings, scope, &section(event), plan);
            continue;
        }
        let command = shim::configured(event, &section(event), program);
        for (name, value) in [("command", command), ("event", event.as_str().to_owned())] {
            let key = key(event, name);
            if settings.values_in(scope, &key) != [value.as_str()] {
                plan.steps.push(InstallStep::set(scope, &key, value));
            }
        }
        if let Some((what, repair)) = switched_off(settings, event) {
            plan.notes.push(format!("{what}, so git will not run it: {repair}"));
        }
    }
    remove_section(settings, scope, OLDER, plan);
}

/// Plans the removal of every section in `scope`.
pub(super) fn remove(settings: &GitSettings, scope: GitScope, plan: &mut InstallPlan) {
    for event in HookEvent::ALL {
        remove_section(settings, scope, &section(event), plan);
    }
    remove_section(settings, scope, OLDER, plan);
}

fn remove_section(settings: &GitSettings, scope: GitScope, section: &str, plan: &mut InstallPlan) {
    let is_in = |key: &str| key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
    if settings.lines().any(|line| line.scope == scope && is_in(&line.key)) {
        plan.steps.push(InstallStep::remove(scope, "--remove-section", section));
    }
}

/// Plans to switch off the hook of `event` in this repository: another hook runs the program already.
pub(super) fn silence(settings: &GitSettings, event: HookEvent, plan: &mut InstallPlan) {
    if is_set_in(settings, GitScope::Global, event) && switched_off(settings, event).is_none() {
        plan.steps.push(InstallStep::set(GitScope::Local, &key(event, "enabled"), "false".to_owned()));
    }
}

/// The setting that disables the configured hook of `event`, with the command that enables the hook again; `None` if
/// nothing is configured, or nothing disables it.
pub(in crate::app) fn switched_off(settings: &GitSettings, event: HookEvent) -> Option<(String, String)> {
    command(settings, event)?;
    // the second one, from git 2.55, is for all hooks of the event
    let keys = [key(event, "enabled"), format!("hook.{}.enabled", event.as_str())];
    let is_off = |key: &&String| {
        let value = settings.value(key).filter(|value| !value.is_empty());
        value.and_then(|value| truth(value.as_bytes())) == Some(false)
    };
    let key = keys.iter().find(is_off)?;
    let repair = match settings.is_from_environment(key) {
        true => UNSET.to_owned(),
        false => format!("git config {} {key} true", settings.deciding_option(key)),
    };
    Some((format!("{key} is false"), repair))
}

/// Whether the section of an earlier version is there.
pub(in crate::app) fn is_older(settings: &GitSettings) -> bool {
    !settings.values(&format!("{OLDER}.command")).is_empty()
}

/// Whether `scope` has the command of any event.
pub(in crate::app) fn any_in(settings: &GitSettings, scope: GitScope) -> bool {
    let is_command = |key: &str| key.starts_with(OLDER) && key.ends_with(".command");
    settings.lines().any(|line| line.scope == scope && is_command(&line.key))
}

/// Whether the user's configuration runs the program at each of `events`.
pub(super) fn is_global(settings: &GitSettings, events: &[HookEvent]) -> bool {
    events.iter().all(|event| is_set_in(settings, GitScope::Global, *event))
}

fn is_set_in(settings: &GitSettings, scope: GitScope, event: HookEvent) -> bool {
    !settings.values_in(scope, &key(event, "command")).is_empty()
        && settings.values_in(scope, &key(event, "event")).contains(&event.as_str())
}

/// The command that git runs at `event`, unless something disables it.
pub(in crate::app) fn command(settings: &GitSettings, event: HookEvent) -> Option<&str> {
    let is_run = settings.values(&key(event, "event")).contains(&event.as_str());
    settings.value(&key(event, "command")).filter(|command| is_run && !command.is_empty())
}
