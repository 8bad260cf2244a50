//! Makes an [`InstallPlan`] from the facts and the files in the hook directory. Reads, never writes.

use super::callers::{self, Owner, WaitingFramework};
use super::git::{self, GitSetup, HooksDir, Worktree, real};
use super::hook_file::{HookFile, exists, find, is_blank, is_executable, kept_path, put_aside, run_aside};
use super::shim::{self, HookEvent};
use super::{DriverWish, InstallPlan, InstallRequest, InstallStep, chosen, config_hooks, merge_driver};
use crate::app::site::setup_git::{GitScope, GitSettings, SetupGit};
use crate::error::{Error, Refusal, Result};
use crate::repo::program::Version;
use crate::text::shell;
use std::fs;
use std::path::{Path, PathBuf};

/// Plans `install`. Fails with [`crate::error::ErrorKind::Refused`] if hooks lie outside the repository or cannot be kept,
/// and with [`crate::error::ErrorKind::Usage`] if the user must act first.
pub fn install(git: &dyn SetupGit, request: &InstallRequest) -> Result<InstallPlan> {
    let program = program(request)?;
    if request.global {
        return install_global(git, request, program);
    }
    let facts = GitSetup::gather(git, request)?;
    let mut plan = InstallPlan::default();
    plan.notes.extend(facts.version.too_old());
    let events = events(request, usual(&facts));
    // a user who names the hooks wants them all the same
    if let Some(framework) = waiting(&facts).filter(|_| request.events.is_none()) {
        return Err(framework.refusal());
    }
    if !events.is_empty() {
        hooks(&facts, &events, program, &mut plan)?;
    }
    if merge_driver::is_wanted(git, &facts, request.merge_driver, &mut plan)? {
        merge_driver::install(&facts, program, &mut plan)?;
    }
    merge_driver::note_conflicts(git, &facts, &mut plan)?;
    Ok(plan)
}

/// Plans `uninstall`: removes everything that any `install` can have written, and nothing else.
pub fn uninstall(git: &dyn SetupGit, request: &InstallRequest) -> Result<InstallPlan> {
    let mut plan = InstallPlan::default();
    if request.global {
        config_hooks::remove(&GitSettings::read(git, None)?, GitScope::Global, &mut plan);
        return Ok(plan);
    }
    let facts = GitSetup::gather(git, request)?;
    let settings = &facts.here.settings;
    config_hooks::remove(settings, GitScope::Local, &mut plan);
    chosen::remove(settings, &mut plan);
    if facts.version.runs_config_hooks() && config_hooks::any_in(settings, GitScope::Global) {
        plan.notes.push("the user's configuration still runs it: yatsu-hook uninstall --global".to_owned());
    }
    remove_shims(&facts, &mut plan)?;
    merge_driver::remove(&facts, &mut plan)?;
    plan.notes.extend(callers::leftovers(&facts.here));
    Ok(plan)
}

fn program(request: &InstallRequest) -> Result<&str> {
    let utf8 = request.program.to_str().filter(|_| request.program.is_absolute());
    utf8.ok_or_else(|| {
        Error::usage(format!("the program's own path {:?} cannot be written into a hook", request.program))
            .hint("install the program under an absolute path that is UTF-8")
    })
}

/// The usual events of this kind of repository.
fn usual(facts: &GitSetup) -> &'static [HookEvent] {
    match facts.top {
        Some(_) => &HookEvent::CLIENT,
        None => &[HookEvent::PreReceive],
    }
}

/// The framework that will call the program here, if no hook of the program is here yet.
pub(in crate::app) fn waiting(facts: &GitSetup) -> Option<WaitingFramework> {
    let has_own = |event: &HookEvent| {
        let hook = event.file_in(&facts.here.hooks);
        config_hooks::command(&facts.here.settings, *event).is_some() && facts.version.runs_config_hooks()
            || matches!(find(&hook), Ok(HookFile::Ours(_)))
    };
    if facts.top.is_none() || HookEvent::CLIENT.iter().any(has_own) {
        return None;
    }
    HookEvent::CLIENT.into_iter().find_map(|event| WaitingFramework::at(&facts.here, event))
}

/// The requested events, without repetition and in the order of the documentation; the `usual` ones without a request.
fn events(request: &InstallRequest, usual: &[HookEvent]) -> Vec<HookEvent> {
    let mut events = request.events.clone().unwrap_or_else(|| usual.to_vec());
    events.sort();
    events.dedup();
    events
}

fn install_global(git: &dyn SetupGit, request: &InstallRequest, program: &str) -> Result<InstallPlan> {
    if request.merge_driver == DriverWish::Asked {
        return Err(Error::usage("--merge-driver needs an attribute in each repository, so it cannot be --global")
            .hint("run `yatsu-hook install --merge-driver` in the repository"));
    }
    let version = git::version(git)?;
    if !version.runs_config_hooks() {
        let least = Version::CONFIG_HOOKS;
        return Err(Error::usage(format!("--global needs git {least} or later; this is git {version}"))
            .hint("run `yatsu-hook install` in each repository, or update git"));
    }
    let events = events(request, &HookEvent::CLIENT);
    let mut plan = InstallPlan::default();
    config_hooks::set(&GitSettings::read(git, None)?, GitScope::Global, &events, program, &mut plan);
    Ok(plan)
}

/// Plans the hooks for `events`. An event that a hook of others brings to the program gets none, because every finding would
/// be printed twice.
fn hooks(facts: &GitSetup, events: &[HookEvent], program: &str, plan: &mut InstallPlan) -> Result<()> {
    let by_others = events.iter().filter_map(|event| Some((*event, callers::caller(&facts.here, *event)?)));
    let served: Vec<(HookEvent, String)> = by_others.collect();
    let own: Vec<HookEvent> =
        events.iter().copied().filter(|one| served.iter().all(|(event, _)| event != one)).collect();
    for (event, by) in &served {
        plan.notes.push(format!("{by} already calls yatsu-hook for {}: left as it is", event.as_str()));
    }
    let is_global = facts.version.runs_config_hooks() && configure(facts, &own, &served, program, plan)?;
    if !facts.version.runs_config_hooks() {
        write_shims(facts, &own, program, plan)?;
        // the hook of others is put back or left, without the program's own around it
        served.iter().try_for_each(|(event, _)| remove_hook(&facts.here, *event, plan))?;
    }
    if !is_global {
        chosen::set(&facts.here.settings, events, plan);
    }
    Ok(())
}

/// Plans configured hooks for the events in `own`. git runs them beside hook files, so an older shim would run every check
/// twice, as would the user's configuration for the events in `served`. Returns whether the user's configuration does it
/// all.
fn configure(
    facts: &GitSetup,
    own: &[HookEvent],
    served: &[(HookEvent, String)],
    program: &str,
    plan: &mut InstallPlan,
) -> Result<bool> {
    let settings = &facts.here.settings;
    let is_global =
        !own.is_empty() && config_hooks::is_global(settings, own) && !config_hooks::any_in(settings, GitScope::Local);
    if is_global {
        plan.notes.push("already wired for every repository of this user (hook.yatsu-hook-*, --global)".to_owned());
    } else {
        config_hooks::set(settings, GitScope::Local, own, program, plan);
    }
    served.iter().for_each(|(event, _)| config_hooks::silence(settings, *event, plan));
    remove_shims(facts, plan)?;
    Ok(is_global)
}

fn write_shims(facts: &GitSetup, own: &[HookEvent], program: &str, plan: &mut InstallPlan) -> Result<()> {
    let place = &facts.here;
    if !own.is_empty() {
        if let Some(owner) = Owner::of(place) {
            return Err(owner.refusal(place, own));
        }
        match place.dir {
            HooksDir::Repository => {}
            HooksDir::WorkTree(_) => plan.notes.push(format!(
                "core.hooksPath keeps hooks inside the work tree, so the shims are written to {}; git does not track \
                 that directory yet, and on other machines they look for yatsu-hook in PATH",
                place.hooks.display()
            )),
            HooksDir::Outside => return Err(outside(facts, own)),
        }
    }
    // this git ignores configured hooks, but a newer one on the same machine would run both
    config_hooks::remove(&place.settings, GitScope::Local, plan);
    let before = chosen::of(&place.settings).unwrap_or_default();
    own.iter().try_for_each(|event| write_shim(&place.hooks, program, &before, *event, plan))
}

/// The command after which git looks in the repository's own hook directory for the hooks of the worktree `place`; `None`
/// if that directory leads outside, too. The command speaks to the configuration that decides there. An included file, which
/// other repositories may include, too, loses against the configuration of the work tree and stays as it is.
pub(in crate::app) fn own_hooks_command(facts: &GitSetup, place: &Worktree) -> Option<String> {
    let own = facts.common.join("hooks");
    let leads_outside = !real(&own).starts_with(real(&facts.common));
    if leads_outside || place.settings.is_from_environment(HOOKS_PATH) {
        return (!leads_outside).then(|| config_hooks::UNSET.to_owned());
    }
    let inside = match place.top == facts.here.top {
        true => String::new(),
        false => format!("-C {} ", shell::word(&place.top.to_string_lossy())),
    };
    let own = shim::quote(&own.to_string_lossy());
    Some(match place.settings.included(HOOKS_PATH) {
        Some(_) => format!(
            "git {inside}config extensions.worktreeConfig true && git {inside}config --worktree core.hooksPath {own}"
        ),
        None => {
            let file = place.settings.deciding_file(HOOKS_PATH).flag();
            format!("git {inside}config {file} core.hooksPath {own}")
        }
    })
}

/// `core.hooksPath`, as git lists it.
const HOOKS_PATH: &str = "core.hookspath";

fn outside(facts: &GitSetup, events: &[HookEvent]) -> Error {
    let calls: Vec<String> = events.iter().map(|event| event.stopping_call()).collect();
    let error = Error::refused(format!(
        "git looks for hooks in {}, outside this repository (core.hooksPath, or hooks is a symbolic link): a hook there \
         would run in other repositories too",
        facts.here.hooks.display()
    ))
    .hint(format!("call it from your own hooks there: {}", calls.join(", ")));
    let own = own_hooks_command(facts, &facts.here)
        .map(|command| format!("or give this repository its own hooks: {command}"));
    own.into_iter()
        .fold(error, Error::hint)
        .hint(format!("or update git to {} or later, which needs no hook files", Version::CONFIG_HOOKS))
}

/// Plans the hook file of `event` in `dir`. An emptied hook is not kept if the program's hook was there before it:
/// `before` are the events with hooks from an earlier installation.
fn write_shim(dir: &Path, program: &str, before: &[HookEvent], event: HookEvent, plan: &mut InstallPlan) -> Result<()> {
    let hook = event.file_in(dir);
    let kept = kept_path(&hook);
    let had_kept = exists(&kept);
    match find(&hook)? {
        HookFile::Ours(content) => {
            let wanted = text(event, program, had_kept);
            if content != wanted || !is_executable(&hook) {
                plan.steps.push(write(hook.clone(), wanted));
            }
            // this hook already runs before the kept one, which would run the moved one a second time
            plan.steps.extend(put_aside(&hook).map(|(path, _)| InstallStep::Remove(path)));
        }
        HookFile::Nothing => plan.steps.push(write(hook, text(event, program, had_kept))),
        HookFile::Foreign(Some(content)) if run_aside(&hook, &content).is_some() => {
            let wanted = text(event, program, had_kept);
            let stale = put_aside(&hook).filter(|(_, content)| *content != wanted);
            plan.steps.extend(stale.map(|(path, _)| write(path, wanted)));
        }
        HookFile::Foreign(Some(content)) if is_blank(&content) && (before.contains(&event) || had_kept) => {
            plan.steps.push(write(hook, text(event, program, had_kept)));
        }
        HookFile::Foreign(content) => {
            if !had_kept {
                note_if_ignored(&hook, plan);
                plan.steps.push(InstallStep::Keep { hook: hook.clone(), kept });
            } else if content.is_none() || fs::read(&kept).ok() != content {
                return Err(both(&hook, &kept));
            }
            plan.steps.push(write(hook, text(event, program, true)));
        }
    }
    Ok(())
}

fn text(event: HookEvent, program: &str, chained: bool) -> Vec<u8> {
    let text = if chained { shim::chained(event, program) } else { shim::plain(event, Some(program)) };
    text.into_bytes()
}

fn write(path: PathBuf, content: Vec<u8>) -> InstallStep {
    InstallStep::Write { path, content, mode: 0o755 }
}

fn note_if_ignored(hook: &Path, plan: &mut InstallPlan) {
    if !is_executable(hook) {
        plan.notes
            .push(format!("{} is not executable: git ignored it before, and it still will not run", hook.display()));
    }
}

fn both(hook: &Path, kept: &Path) -> Error {
    Error::refused(format!(
        "{} is not a hook of yatsu-hook, and {} already keeps an older hook: another program replaced the shim of yatsu-hook, and keeping both hooks would lose one",
        hook.display(),
        kept.display()
    )).because(Refusal::Exists)
    .hint(format!("decide which of the two to keep, delete the other, and leave it as {}", hook.display()))
}

/// Undoes [`write_shims`] in git's current hook directory and in the repository's own. They differ if `core.hooksPath` was
/// set after the installation.
fn remove_shims(facts: &GitSetup, plan: &mut InstallPlan) -> Result<()> {
    let own = Worktree { hooks: facts.common.join("hooks"), dir: HooksDir::Repository, ..facts.here.clone() };
    let is_apart = real(&own.hooks) != real(&facts.here.hooks);
    let current = is_apart.then_some(&facts.here);
    // a link in place of the repository's own directory leads to the current one
    let places = std::iter::once(if is_apart { &own } else { &facts.here }).chain(current);
    for place in places.filter(|place| place.hooks.is_dir()) {
        HookEvent::ALL.into_iter().try_for_each(|event| remove_hook(place, event, plan))?;
    }
    Ok(())
}

/// Plans to remove the program's hook for `event`, and to put back the hook that it kept. A file that git tracks is removed
/// by no one but its team.
fn remove_hook(place: &Worktree, event: HookEvent, plan: &mut InstallPlan) -> Result<()> {
    if place.dir == HooksDir::Outside {
        return Ok(());
    }
    let hook = event.file_in(&place.hooks);
    let kept = kept_path(&hook);
    let found = find(&hook)?;
    if let Some((aside, _)) = put_aside(&hook) {
        if let HookFile::Foreign(content) = &found {
            remove_aside(content.as_deref(), aside, kept, plan);
            return Ok(());
        }
        plan.steps.push(InstallStep::Remove(aside));
    }
    match found {
        HookFile::Ours(_) | HookFile::Nothing if exists(&kept) => {
            plan.steps.push(InstallStep::Restore { kept, hook });
        }
        HookFile::Ours(_) if !place.tracks(event) => plan.steps.push(InstallStep::Remove(hook)),
        HookFile::Foreign(_) if exists(&kept) => plan.notes.push(format!(
            "{} is no longer a hook of yatsu-hook, so {} was left where it is",
            hook.display(),
            kept.display()
        )),
        HookFile::Ours(_) | HookFile::Nothing | HookFile::Foreign(_) => {}
    }
    Ok(())
}

/// Removes a shim that the hook with the bytes `hook` moved aside. The hook that the shim kept is moved aside in its place,
/// or removed if it is a copy of `hook`.
fn remove_aside(hook: Option<&[u8]>, aside: PathBuf, kept: PathBuf, plan: &mut InstallPlan) {
    match fs::read(&kept) {
        Ok(content) if Some(&*content) == hook => {
            plan.steps.extend([aside, kept].map(InstallStep::Remove));
        }
        Ok(content) if !shim::is_managed(&content) => plan.steps.push(InstallStep::Restore { kept, hook: aside }),
        _ => plan.steps.push(InstallStep::Remove(aside)),
    }
}
