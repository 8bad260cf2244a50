//! The line that mends a hook which does not reach the program: `yatsu-hook install` where that helps, and where it
//! refuses what it would ask for.

use crate::app::install::git::Facts;
use crate::app::install::shim::{self, Event};
use crate::app::install::{calls_us, is_outside, kept_path, own_hooks_command, run_by_husky};
use std::fs;
use std::path::Path;

const INSTALL: &str = "yatsu-hook install";

/// The repair of `event` in the worktree `top`, where git looks for hooks in `hooks`.
pub(super) fn of(facts: &Facts, event: Event, hooks: &Path, top: &Path) -> String {
    let hook = hooks.join(event.as_str());
    if facts.version.runs_config_hooks() {
        INSTALL.to_owned()
    } else if run_by_husky(hooks) {
        of_husky(event, hooks)
    } else if is_outside(facts, hooks, top) {
        of_outside(facts, event, hooks)
    } else if let Some(repair) = of_two(&hook) {
        repair
    } else if hooks == facts.hooks {
        INSTALL.to_owned()
    } else {
        format!("yatsu-hook -C {} install", shim::quote(&top.to_string_lossy()))
    }
}

/// Nothing is written where other repositories look for hooks, too: the user's own hook there calls the program, or this
/// repository gets a directory of its own. Where another worktree looks may be its own matter, which the repository's
/// configuration would not change.
fn of_outside(facts: &Facts, event: Event, hooks: &Path) -> String {
    let own = own_hooks_command(facts).filter(|_| hooks == facts.hooks);
    let own = own.map(|command| format!("{command} && {INSTALL}"));
    let call = format!("call it from {}: {}", hooks.join(event.as_str()).display(), event.call());
    match own {
        // core.hooksPath=/dev/null
        Some(own) if hooks.exists() && !hooks.is_dir() => own,
        Some(own) => format!("{call}; or: {own}"),
        None => call,
    }
}

/// husky writes its directory itself; what calls the program stands in the file of the event beside it.
fn of_husky(event: Event, hooks: &Path) -> String {
    let file = hooks.with_file_name(event.as_str());
    let writes = "run husky, which writes .husky/_ (npm install)";
    match fs::read(&file) {
        Ok(content) if calls_us(&content) => writes.to_owned(),
        _ => format!("add to {}: {}, then {writes}", file.display(), event.call()),
    }
}

/// Where ours was replaced while it kept an older hook, nobody but the user can say which of the two is meant.
fn of_two(hook: &Path) -> Option<String> {
    let kept = kept_path(hook);
    let (now, before) = (fs::read(hook).ok()?, fs::read(&kept).ok()?);
    let replaced = !shim::is_ours(&now) && now != before;
    replaced.then(|| {
        format!(
            "keep one of {} and {} under the first name, delete the other, then: {INSTALL}",
            hook.display(),
            kept.display()
        )
    })
}
