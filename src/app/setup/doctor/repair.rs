//! Chooses the command that repairs a hook: `yatsu-hook install` if that works, else the step that `install` demands.

use crate::app::setup::install::git::{GitSetup, HooksDir, Worktree};
use crate::app::setup::install::shim::{self, HookEvent};
use crate::app::setup::install::{Owner, is_blank, kept_path, own_hooks_command, waiting};
use crate::text::shell;
use std::fs;
use std::path::Path;

/// Installs the hooks of the current clone.
pub(super) const INSTALL: &str = "yatsu-hook install";

/// The repair of `event` in the worktree `place`.
pub(super) fn of(facts: &GitSetup, event: HookEvent, place: &Worktree) -> String {
    let hook = event.file_in(&place.hooks);
    if facts.version.runs_config_hooks() {
        INSTALL.to_owned()
    } else if let Some(owner) = Owner::of(place) {
        owner.repair(place, event)
    } else if place.dir == HooksDir::Outside {
        of_outside(facts, event, place)
    } else if let Some(repair) = of_two(&hook) {
        repair
    } else {
        install(facts, place)
    }
}

/// The repair of an event without a hook of the program. `install` refuses as long as a framework calls the program at another
/// event and has no hooks.
pub(super) fn of_missing(facts: &GitSetup, event: HookEvent, place: &Worktree) -> String {
    match waiting(facts).filter(|_| place.hooks == facts.here.hooks) {
        Some(waiting) => waiting.repair(place, event),
        None => of(facts, event, place),
    }
}

/// Installs the hooks of `place`, typed in the user's current directory.
pub(super) fn install(facts: &GitSetup, place: &Worktree) -> String {
    match place.hooks == facts.here.hooks {
        true => INSTALL.to_owned(),
        false => format!("yatsu-hook -C {} install", shell::word(&place.top.to_string_lossy())),
    }
}

/// The repair if other repositories share the hook directory, so that nothing is written there: the user's own hook
/// there calls the program, or this repository gets its own directory.
fn of_outside(facts: &GitSetup, event: HookEvent, place: &Worktree) -> String {
    let own = own_hooks_command(facts, place);
    let own = own.map(|command| format!("{command} && {}", install(facts, place)));
    let call = format!("call it from {}: {}", event.file_in(&place.hooks).display(), event.stopping_call());
    match own {
        // core.hooksPath=/dev/null
        Some(own) if place.hooks.exists() && !place.hooks.is_dir() => own,
        Some(own) => format!("{own}   (or {call})"),
        None => call,
    }
}

/// The repair if another hook replaced the shim and an older hook is still kept: the other hook is moved aside.
fn of_two(hook: &Path) -> Option<String> {
    let (now, before) = (fs::read(hook).ok()?, fs::read(kept_path(hook)).ok()?);
    let replaced = !shim::is_ours(&now) && now != before && !is_blank(&now);
    let aside = format!("{}.replaced", hook.display());
    replaced.then(|| {
        format!(
            "mv {} {} && {INSTALL}   (then the original hook runs again, and not the one that replaced the hook of yatsu-hook)",
            shell::word(&hook.to_string_lossy()),
            shell::word(&aside)
        )
    })
}
