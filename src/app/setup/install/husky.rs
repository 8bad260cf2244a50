//! Support for husky. It rewrites `.husky/_` at every `npm install`, so nothing is written there. The user adds one line to
//! each of husky's own files.

use super::InstallPlan;
use super::git::GitSetup;
use super::hook_file::calls_us;
use super::shim::HookEvent;
use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Whether husky created this hook directory.
pub(in crate::app) fn manages(hooks: &Path) -> bool {
    hooks.ends_with(".husky/_")
}

/// Checks husky's files for each of `events` in husky's recipe (pre-commit and pre-push). If all call the program, notes
/// that and returns these events. Otherwise nothing is installed: an error (exit 2) with the lines to add.
pub(super) fn check(facts: &GitSetup, events: &[HookEvent], plan: &mut InstallPlan) -> Result<Vec<HookEvent>> {
    let recipe = files(&facts.hooks);
    let wanted: Vec<&(HookEvent, PathBuf, String)> =
        recipe.iter().filter(|(event, ..)| events.contains(event)).collect();
    let missing: Vec<_> = wanted.iter().filter(|(_, file, _)| !calls(file)).collect();
    if missing.is_empty() {
        plan.notes.push("husky runs the hooks here, and its files already call yatsu-hook".to_owned());
        return Ok(wanted.iter().map(|(event, ..)| *event).collect());
    }
    let message =
        "husky runs the hooks of this repository and rewrites .husky/_, so nothing was written; add the lines below";
    let hint = |error: Error, file: &Path, line: &str| error.hint(format!("in {}: {line}", file.display()));
    Err(missing.iter().fold(Error::usage(message), |error, (_, file, line)| hint(error, file, line)))
}

/// Notes the husky files that still call the program after an uninstall. They are the user's files, so they stay.
pub(super) fn note_leftovers(facts: &GitSetup, plan: &mut InstallPlan) {
    if manages(&facts.hooks) {
        let leftovers = files(&facts.hooks).into_iter().filter(|(_, file, _)| calls(file));
        plan.notes.extend(leftovers.map(|(_, file, line)| format!("delete from {}: {line}", file.display())));
    }
}

/// The files of husky's recipe, with the line for each.
fn files(hooks: &Path) -> [(HookEvent, PathBuf, String); 2] {
    let dir = hooks.parent().unwrap_or(hooks);
    [HookEvent::PreCommit, HookEvent::PrePush].map(|event| (event, event.file_in(dir), event.call()))
}

fn calls(file: &Path) -> bool {
    fs::read(file).is_ok_and(|content| calls_us(&content))
}
