//! Chooses the command that repairs a hook: `yatsu-hook install` if that works, else the step that `install` demands.

use crate::app::setup::install::git::GitSetup;
use crate::app::setup::install::shim::{self, HookEvent};
use crate::app::setup::install::{calls_us, is_blank, is_outside, kept_path, own_hooks_command, run_by_husky};
use crate::text::shell;
use std::fs;
use std::path::Path;

/// Installs the hooks of the current clone.
pub(super) const INSTALL: &str = "yatsu-hook install";
/// Creates husky's own directory.
const HUSKY: &str = "npx husky";

/// The repair of `event` in the worktree `top` with the hook directory `hooks`.
pub(super) fn of(facts: &GitSetup, event: HookEvent, hooks: &Path, top: &Path) -> String {
    let hook = event.file_in(hooks);
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
        format!("yatsu-hook -C {} install", shell::word(&top.to_string_lossy()))
    }
}

/// The repair if other repositories share the hook directory, so that nothing is written there: the user's own hook
/// there calls the program, or this repository gets its own directory. Another worktree may have its own setting of the
/// directory, which the repository's configuration would not change.
fn of_outside(facts: &GitSetup, event: HookEvent, hooks: &Path) -> String {
    let own = own_hooks_command(facts).filter(|_| hooks == facts.hooks);
    let own = own.map(|command| format!("{command} && {INSTALL}"));
    let call = format!("call it from {}: {}", event.file_in(hooks).display(), event.call());
    match own {
        // core.hooksPath=/dev/null
        Some(own) if hooks.exists() && !hooks.is_dir() => own,
        Some(own) => format!("{own}   (or {call})"),
        None => call,
    }
}

/// The repair under husky, which writes its directory itself: the call belongs into the event's file beside the
/// directory.
pub(super) fn of_husky(event: HookEvent, hooks: &Path) -> String {
    let file = hooks.with_file_name(event.as_str());
    let add = format!("echo {} >>{}", shell::word(&event.call()), shell::word(&file.to_string_lossy()));
    let calls = fs::read(&file).is_ok_and(|content| calls_us(&content));
    match (calls, event.file_in(hooks).exists()) {
        (true, _) => HUSKY.to_owned(),
        (false, true) => add,
        (false, false) => format!("{add} && {HUSKY}"),
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
