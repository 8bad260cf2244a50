//! Makes an [`InstallPlan`] from the facts and the files in the hook directory. Reads, never writes.

use super::git::{GitSetup, Version, global};
use super::hook_file::{HookFile, calls_us, exists, find, is_blank, is_executable, kept_path, put_aside, run_aside};
use super::shim::{self, HookEvent};
use super::{
    DriverWish, GitScope, InstallPlan, InstallRequest, InstallStep, chosen, config_hooks, husky, merge_driver,
};
use crate::app::site::setup_git::SetupGit;
use crate::error::{Error, Refusal, Result};
use crate::sys;
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
    let events = events(request, usual(&facts));
    let mut plan = if facts.version.runs_config_hooks() {
        configure(&facts, &events, program)?
    } else {
        write_shims(&facts, &events, program)?
    };
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
        config_hooks::remove(&global(git)?, GitScope::Global, &mut plan);
        return Ok(plan);
    }
    let facts = GitSetup::gather(git, request)?;
    config_hooks::remove(&facts.local, GitScope::Local, &mut plan);
    chosen::remove(&facts.local, &mut plan);
    if config_hooks::any(&facts.global) {
        plan.notes.push("the user's configuration still runs it: yatsu-hook uninstall --global".to_owned());
    }
    remove_shims(&facts, &mut plan)?;
    merge_driver::remove(&facts, &mut plan)?;
    husky::note_leftovers(&facts, &mut plan);
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
    let version = Version::of(git)?;
    if !version.runs_config_hooks() {
        let least = Version::CONFIG_HOOKS;
        return Err(Error::usage(format!("--global needs git {least} or later; this is git {version}"))
            .hint("run `yatsu-hook install` in each repository, or update git"));
    }
    let events = events(request, &HookEvent::CLIENT);
    let mut plan = InstallPlan::default();
    config_hooks::set(&global(git)?, GitScope::Global, &events, program, &mut plan);
    Ok(plan)
}

/// git runs configured hooks beside hook files, so an older shim would run every check twice.
fn configure(facts: &GitSetup, events: &[HookEvent], program: &str) -> Result<InstallPlan> {
    let mut plan = InstallPlan::default();
    if config_hooks::covers(&facts.global, events) && !config_hooks::any(&facts.local) {
        plan.notes.push("already wired for every repository of this user (hook.yatsu-hook, --global)".to_owned());
    } else {
        config_hooks::set(&facts.local, GitScope::Local, events, program, &mut plan);
        chosen::set(&facts.local, events, &mut plan);
    }
    remove_shims(facts, &mut plan)?;
    Ok(plan)
}

fn write_shims(facts: &GitSetup, events: &[HookEvent], program: &str) -> Result<InstallPlan> {
    let mut plan = InstallPlan::default();
    if husky::manages(&facts.hooks) {
        let served = husky::check(facts, events, &mut plan)?;
        chosen::set(&facts.local, &served, &mut plan);
        return Ok(plan);
    }
    match place(facts, &facts.hooks, facts.top.as_deref()) {
        HooksPlace::Repository => {}
        HooksPlace::WorkTree => plan.notes.push(format!(
            "core.hooksPath keeps hooks inside the work tree, so the shims are written to {}; where that directory is \
             tracked they can be committed: on other machines they look for yatsu-hook in PATH",
            facts.hooks.display()
        )),
        HooksPlace::Outside => return Err(outside(facts, events)),
    }
    // this git ignores configured hooks, but a newer one on the same machine would run both
    config_hooks::remove(&facts.local, GitScope::Local, &mut plan);
    let before = chosen::of(&facts.local).unwrap_or_default();
    for &event in events {
        write_shim(&facts.hooks, program, &before, event, &mut plan)?;
    }
    chosen::set(&facts.local, events, &mut plan);
    Ok(plan)
}

enum HooksPlace {
    Repository,
    WorkTree,
    Outside,
}

/// Whether the hook directory `hooks` of the worktree `top` may serve other repositories. Nothing is written there.
pub(in crate::app) fn is_outside(facts: &GitSetup, hooks: &Path, top: &Path) -> bool {
    matches!(place(facts, hooks, Some(top)), HooksPlace::Outside)
}

fn place(facts: &GitSetup, hooks: &Path, top: Option<&Path>) -> HooksPlace {
    let hooks = real(hooks);
    if hooks.starts_with(real(&facts.common)) {
        HooksPlace::Repository
    } else if top.is_some_and(|top| hooks.starts_with(real(top))) {
        HooksPlace::WorkTree
    } else {
        HooksPlace::Outside
    }
}

/// The path with symbolic links resolved as far as it exists.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = sys::canonical(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// The command that gives the repository its own hook directory, unless that directory leads outside, too.
pub(in crate::app) fn own_hooks_command(facts: &GitSetup) -> Option<String> {
    let own = facts.common.join("hooks");
    let leads_outside = matches!(place(facts, &own, facts.top.as_deref()), HooksPlace::Outside);
    (!leads_outside).then(|| format!("git config --local core.hooksPath {}", shim::quote(&own.to_string_lossy())))
}

fn outside(facts: &GitSetup, events: &[HookEvent]) -> Error {
    let calls: Vec<String> = events.iter().map(|event| event.call()).collect();
    let error = Error::refused(format!(
        "git looks for hooks in {}, outside this repository (core.hooksPath, or hooks is a symbolic link): a hook there \
         would run in other repositories too",
        facts.hooks.display()
    ))
    .hint(format!("call it from your own hooks there: {}", calls.join(", ")));
    let own = own_hooks_command(facts).map(|command| format!("or give this repository its own hooks: {command}"));
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
        HookFile::Foreign(Some(content)) if calls_us(&content) => {
            plan.notes.push(format!("{} already calls yatsu-hook and is left as it is", hook.display()));
        }
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
    let own = facts.common.join("hooks");
    let mut dirs = vec![own.clone()];
    if real(&own) != real(&facts.hooks)
        && !matches!(place(facts, &facts.hooks, facts.top.as_deref()), HooksPlace::Outside)
    {
        dirs.push(facts.hooks.clone());
    }
    for dir in dirs.iter().filter(|dir| dir.is_dir()) {
        for event in HookEvent::ALL {
            remove_hook(&event.file_in(dir), plan)?;
        }
    }
    Ok(())
}

fn remove_hook(hook: &Path, plan: &mut InstallPlan) -> Result<()> {
    let kept = kept_path(hook);
    let found = find(hook)?;
    if let Some((aside, _)) = put_aside(hook) {
        if let HookFile::Foreign(content) = &found {
            remove_aside(content.as_deref(), aside, kept, plan);
            return Ok(());
        }
        plan.steps.push(InstallStep::Remove(aside));
    }
    match found {
        HookFile::Ours(_) | HookFile::Nothing if exists(&kept) => {
            plan.steps.push(InstallStep::Restore { kept, hook: hook.to_owned() });
        }
        HookFile::Ours(_) => plan.steps.push(InstallStep::Remove(hook.to_owned())),
        HookFile::Foreign(_) if exists(&kept) => plan.notes.push(format!(
            "{} is no longer a hook of yatsu-hook, so {} was left where it is",
            hook.display(),
            kept.display()
        )),
        HookFile::Nothing | HookFile::Foreign(_) => {}
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
