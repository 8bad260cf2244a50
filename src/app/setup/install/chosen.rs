//! Which hooks were chosen, in the clone's own configuration: `yatsu.hooks`, separated by commas. Without it nobody could
//! tell a hook that was deleted from one that was never wanted.

use super::git::{Setting, values};
use super::shim::Event;
use super::{Plan, Scope, Step};

const KEY: &str = "yatsu.hooks";

/// Plans to write down that `events` were chosen.
pub(super) fn set(settings: &[Setting], events: &[Event], plan: &mut Plan) {
    let value = events.iter().map(|event| event.as_str()).collect::<Vec<_>>().join(",");
    if values(settings, KEY) != [value.as_str()] {
        plan.steps.push(Step::Set { scope: Scope::Local, key: KEY.to_owned(), value });
    }
}

/// Plans to forget it.
pub(super) fn remove(settings: &[Setting], plan: &mut Plan) {
    if !values(settings, KEY).is_empty() {
        plan.steps.push(Step::Unset { scope: Scope::Local, key: KEY.to_owned() });
    }
}

/// The events that were chosen; `None` where nobody installed anything, or a version that did not write it down.
pub(in crate::app) fn of(settings: &[Setting]) -> Option<Vec<Event>> {
    let said = values(settings, KEY);
    (!said.is_empty())
        .then(|| said.iter().flat_map(|list| list.split(',')).filter_map(|name| Event::parse(name.trim())).collect())
}
