//! Which hooks were chosen, in the clone's own configuration: `yatsu.hooks`, separated by commas. Without it nobody could
//! tell a hook that was deleted from one that was never wanted.

use super::git::{ConfigLine, values};
use super::shim::HookEvent;
use super::{GitScope, InstallPlan, InstallStep};

const KEY: &str = "yatsu.hooks";

/// Plans to write down that `events` were chosen.
pub(super) fn set(settings: &[ConfigLine], events: &[HookEvent], plan: &mut InstallPlan) {
    let value = events.iter().map(|event| event.as_str()).collect::<Vec<_>>().join(",");
    if values(settings, KEY) != [value.as_str()] {
        plan.steps.push(InstallStep::Set { scope: GitScope::Local, key: KEY.to_owned(), value });
    }
}

/// Plans to forget it.
pub(super) fn remove(settings: &[ConfigLine], plan: &mut InstallPlan) {
    if !values(settings, KEY).is_empty() {
        plan.steps.push(InstallStep::Unset { scope: GitScope::Local, key: KEY.to_owned() });
    }
}

/// The events that were chosen; `None` where nobody installed anything, or a version that did not write it down.
pub(in crate::app) fn of(settings: &[ConfigLine]) -> Option<Vec<HookEvent>> {
    let said = values(settings, KEY);
    (!said.is_empty()).then(|| {
        said.iter().flat_map(|list| list.split(',')).filter_map(|name| HookEvent::parse(name.trim())).collect()
    })
}
