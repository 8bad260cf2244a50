//! The chosen hooks, in the clone's own configuration: `yatsu.hooks`, separated by commas. Without this record a deleted
//! hook looks the same as an unwanted one.

use super::shim::HookEvent;
use super::{InstallPlan, InstallStep};
use crate::app::site::setup_git::{GitScope, GitSettings};

const KEY: &str = "yatsu.hooks";

/// Plans to record `events` as chosen.
pub(super) fn set(settings: &GitSettings, events: &[HookEvent], plan: &mut InstallPlan) {
    let value = events.iter().map(|event| event.as_str()).collect::<Vec<_>>().join(",");
    if settings.values_in(GitScope::Local, KEY) != [value.as_str()] {
        plan.steps.push(InstallStep::set(GitScope::Local, KEY, value));
    }
}

/// Plans to remove the record.
pub(super) fn remove(settings: &GitSettings, plan: &mut InstallPlan) {
    if !settings.values_in(GitScope::Local, KEY).is_empty() {
        plan.steps.push(InstallStep::remove(GitScope::Local, "--unset-all", KEY));
    }
}

/// The chosen events; `None` if nothing was installed, or by a version without this record.
pub(in crate::app) fn of(settings: &GitSettings) -> Option<Vec<HookEvent>> {
    let said = settings.values_in(GitScope::Local, KEY);
    (!said.is_empty()).then(|| {
        said.iter().flat_map(|list| list.split(',')).filter_map(|name| HookEvent::parse(name.trim())).collect()
    })
}
