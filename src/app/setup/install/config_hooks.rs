//! Hooks that live in git's configuration (git 2.54 and later): `hook.yatsu-hook.command` and one
//! `hook.yatsu-hook.event` per event. They run beside hook files and whatever `core.hooksPath` says.

use super::git::{Setting, values};
use super::shim;
use super::shim::Event;
use super::{Plan, Scope, Step};

/// The section; its name must not be the name of an event.
const SECTION: &str = "hook.yatsu-hook";
const COMMAND: &str = "hook.yatsu-hook.command";
const EVENT: &str = "hook.yatsu-hook.event";
const ENABLED: &str = "hook.yatsu-hook.enabled";

/// Plans what is still missing in `settings` so that `events` run the program.
pub(super) fn set(settings: &[Setting], scope: Scope, events: &[Event], program: &str, plan: &mut Plan) {
    let command = shim::configured(program);
    if values(settings, COMMAND) != [command.as_str()] {
        plan.steps.push(Step::Set { scope, key: COMMAND.to_owned(), value: command });
    }
    let wanted: Vec<&str> = events.iter().map(|event| event.as_str()).collect();
    let found = values(settings, EVENT);
    if found != wanted {
        if !found.is_empty() {
            plan.steps.push(Step::Unset { scope, key: EVENT.to_owned() });
        }
        let add = |event: &&str| Step::Add { scope, key: EVENT.to_owned(), value: (*event).to_owned() };
        plan.steps.extend(wanted.iter().map(add));
    }
    if is_switched_off(settings) {
        plan.notes.push(format!("{ENABLED} is false, so git will not run it: {}", switch_on(scope)));
    }
}

/// Plans the removal of all of it.
pub(super) fn remove(settings: &[Setting], scope: Scope, plan: &mut Plan) {
    if any(settings) {
        plan.steps.push(Step::RemoveSection { scope, section: SECTION.to_owned() });
    }
}

/// Whether git is told not to run it.
pub(in crate::app) fn is_switched_off(settings: &[Setting]) -> bool {
    values(settings, ENABLED).last().is_some_and(|value| *value == "false")
}

/// The command that ends that.
pub(in crate::app) fn switch_on(scope: Scope) -> String {
    format!("git config {} --unset-all {ENABLED}", scope.flag())
}

/// Whether anything of ours is there.
pub(in crate::app) fn any(settings: &[Setting]) -> bool {
    settings.iter().any(|setting| setting.key.starts_with("hook.yatsu-hook."))
}

/// Whether each of `events` is configured and there is a command.
pub(in crate::app) fn covers(settings: &[Setting], events: &[Event]) -> bool {
    let found = values(settings, EVENT);
    !values(settings, COMMAND).is_empty()
        && !is_switched_off(settings)
        && events.iter().all(|event| found.contains(&event.as_str()))
}
