//! Hooks in git's configuration (git 2.54 and later): `hook.yatsu-hook.command` and one `hook.yatsu-hook.event` per
//! event. They run beside hook files, whatever `core.hooksPath` says.

use super::git::{ConfigLine, values};
use super::shim::{self, HookEvent};
use super::{GitScope, InstallPlan, InstallStep};

/// The section; its name must not be the name of an event.
const SECTION: &str = "hook.yatsu-hook";
const COMMAND: &str = "hook.yatsu-hook.command";
const EVENT: &str = "hook.yatsu-hook.event";
const ENABLED: &str = "hook.yatsu-hook.enabled";

/// Plans the missing settings, so that `events` run the program.
pub(super) fn set(
    settings: &[ConfigLine],
    scope: GitScope,
    events: &[HookEvent],
    program: &str,
    plan: &mut InstallPlan,
) {
    let command = shim::configured(program);
    if values(settings, COMMAND) != [command.as_str()] {
        plan.steps.push(InstallStep::set(scope, COMMAND, command));
    }
    let wanted: Vec<&str> = events.iter().map(|event| event.as_str()).collect();
    let found = values(settings, EVENT);
    if found != wanted {
        if !found.is_empty() {
            plan.steps.push(InstallStep::remove(scope, "--unset-all", EVENT));
        }
        let (action, key) = ("--add", EVENT.to_owned());
        let add = |event: &str| InstallStep::Config { scope, action, key: key.clone(), value: Some(event.to_owned()) };
        plan.steps.extend(wanted.into_iter().map(add));
    }
    if is_switched_off(settings) {
        plan.notes.push(format!("{ENABLED} is false, so git will not run it: {}", switch_on(scope)));
    }
}

/// Plans the removal of the whole section.
pub(super) fn remove(settings: &[ConfigLine], scope: GitScope, plan: &mut InstallPlan) {
    if any(settings) {
        plan.steps.push(InstallStep::remove(scope, "--remove-section", SECTION));
    }
}

/// Whether git's configuration disables the hooks.
pub(in crate::app) fn is_switched_off(settings: &[ConfigLine]) -> bool {
    values(settings, ENABLED).last().is_some_and(|value| *value == "false")
}

/// The command that enables the hooks again.
pub(in crate::app) fn switch_on(scope: GitScope) -> String {
    format!("git config {} --unset-all {ENABLED}", scope.flag())
}

/// Whether any setting of the section exists.
pub(in crate::app) fn any(settings: &[ConfigLine]) -> bool {
    settings.iter().any(|setting| setting.key.starts_with("hook.yatsu-hook."))
}

/// Whether there is a command and each of `events` is configured.
pub(in crate::app) fn covers(settings: &[ConfigLine], events: &[HookEvent]) -> bool {
    let found = values(settings, EVENT);
    !values(settings, COMMAND).is_empty()
        && !is_switched_off(settings)
        && events.iter().all(|event| found.contains(&event.as_str()))
}
