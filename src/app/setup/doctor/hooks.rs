//! Checks for each worktree and event which hook git would run, and whether the hook reaches the program.

use super::{Diagnosis, Health, advice, broken, ok, repair};
use crate::app::setup::install::git::{GitSetup, Worktree};
use crate::app::setup::install::shim::{self, HookEvent};
use crate::app::setup::install::{
    Owner, WaitingFramework, caller, calls, chosen, configured, framework, is_blank, is_executable, is_older,
    kept_path, run_aside, switched_off,
};
use crate::app::site::setup_git::SetupGit;
use crate::error::Result;
use crate::text::shell;
use std::fs;
use std::path::{Path, PathBuf};

/// One diagnosis per worktree and event; in a bare repository only `pre-receive`. If nothing was ever installed, one in
/// all.
pub(super) fn diagnose(git: &dyn SetupGit, facts: &GitSetup) -> Result<Vec<Diagnosis>> {
    let events: &[HookEvent] = if facts.top.is_none() { &[HookEvent::PreReceive] } else { &HookEvent::CLIENT };
    let look = |place: &Worktree| events.iter().map(|event| one(facts, *event, place)).collect();
    let places: Vec<Vec<Look>> = facts.worktrees(git)?.iter().map(look).collect();
    let chosen = chosen(&facts.here.settings);
    let is_there = |look: &Look| matches!(look.state, HookState::Ours | HookState::Damaged);
    if chosen.is_none() && !places.iter().flatten().any(is_there) {
        return Ok(not_installed(facts, places.into_iter().flatten().collect()));
    }
    let told = |place: Vec<Look>| {
        let some_are_there = place.iter().any(is_there);
        place.into_iter().map(|look| installed(look, chosen.as_deref(), some_are_there)).collect::<Vec<_>>()
    };
    Ok(places.into_iter().flat_map(told).collect())
}

/// The hook that git runs for one event.
struct Look {
    event: HookEvent,
    state: HookState,
    found: Diagnosis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HookState {
    /// It reaches the program.
    Ours,
    /// It reached the program once, and was damaged.
    Damaged,
    /// An empty file.
    Empty,
    /// It does not reach the program, and shows no sign that it ever did.
    NotOurs,
}

impl Look {
    fn of(event: HookEvent, state: HookState, found: Diagnosis) -> Self {
        Self { event, state, found }
    }
}

/// The diagnoses without any installation: a missing hook is absent, not broken. If all hooks need the same repair, one
/// line replaces them.
fn not_installed(facts: &GitSetup, looks: Vec<Look>) -> Vec<Diagnosis> {
    let absent = |found: Diagnosis| match found.health {
        Health::Broken => Diagnosis { health: Health::Absent, ..found },
        _ => found,
    };
    let repair = looks.first().and_then(|look| look.found.repair.clone());
    let place = facts.top.as_ref().unwrap_or(&facts.common).display();
    let waiting = HookEvent::CLIENT.map(|event| WaitingFramework::at(&facts.here, event));
    if let [Some(first), ..] = &waiting
        && waiting.iter().flatten().filter(|other| other.install == first.install).count() == waiting.len()
        && looks.iter().all(|look| look.found.repair.as_deref() == Some(&*first.install))
    {
        let what = format!("not installed in this clone: {}, in {place}", first.sentence());
        return vec![Diagnosis { health: Health::Absent, what, repair }];
    }
    if looks.iter().any(|look| look.found.repair.as_deref() != Some(repair::INSTALL)) {
        return looks.into_iter().map(|look| absent(look.found)).collect();
    }
    let what = format!("not installed in this clone: git calls nothing of yatsu-hook in {place}");
    vec![Diagnosis { health: Health::Absent, what, repair }]
}

/// The diagnosis of a hook in an installed clone. A missing hook is judged by the recorded choice, else by the others.
fn installed(look: Look, chosen: Option<&[HookEvent]>, some_are_there: bool) -> Diagnosis {
    let Look { event, state, found } = look;
    match (state, chosen) {
        (HookState::NotOurs, Some(chosen)) if !chosen.contains(&event) => {
            ok(format!("{}: left out when the others were installed", title(&found.what)))
        }
        (HookState::NotOurs, None) if some_are_there => {
            let what = format!("{}; other events have theirs, so perhaps this one was left out on purpose", found.what);
            Diagnosis { health: Health::Advice, what, ..found }
        }
        _ => found,
    }
}

/// The event and the place, which start every diagnosis of a hook.
fn title(what: &str) -> &str {
    what.split_once(": ").map_or(what, |(title, _)| title)
}

/// Finds the hook that git runs for `event` in `place`, and whether it reaches the program.
fn one(facts: &GitSetup, event: HookEvent, place: &Worktree) -> Look {
    let title = format!("{} in {}", event.as_str(), place.top.display());
    let by_others = caller(place, event);
    let own = own(facts, event, place, &title);
    match (own, by_others) {
        (Some(_), Some(by)) => Look::of(event, HookState::Ours, twice(&title, &by, repair::install(facts, place))),
        (Some(own), None) => own,
        (None, Some(by)) => Look::of(event, HookState::Ours, ok(format!("{title}: {by} calls yatsu-hook"))),
        (None, None) => match WaitingFramework::at(place, event) {
            Some(framework) => {
                let found = broken(format!("{title}: {}", framework.sentence()), framework.install);
                Look::of(event, HookState::NotOurs, found)
            }
            None => not_reached(facts, &title, event, place),
        },
    }
}

/// Two hooks run the program, so that every finding is printed twice.
fn twice(title: &str, by: &str, repair: String) -> Diagnosis {
    advice(format!("{title}: {by} calls yatsu-hook, too, so every finding is printed twice"), repair)
}

/// The program's own hook of `event`: configured, or in a file.
fn own(facts: &GitSetup, event: HookEvent, place: &Worktree, title: &str) -> Option<Look> {
    let ours = |found: Diagnosis| Some(Look::of(event, HookState::Ours, found));
    let repair = repair::of(facts, event, place);
    let file = own_file(event, place);
    if facts.version.runs_config_hooks() {
        if is_older(&place.settings) {
            let what = format!("{title}: git's configuration has the hook of an older version, which confuses events");
            return Some(Look::of(event, HookState::Damaged, broken(what, repair)));
        }
        let is_on = switched_off(&place.settings, event).is_none();
        let command = configured(&place.settings, event).filter(|_| is_on);
        match (command, &file) {
            (Some(_), Some((path, _))) => return ours(twice(title, &path.display().to_string(), repair)),
            (Some(command), None) => return ours(program(&format!("{title} (git's configuration)"), command, repair)),
            (None, _) => {}
        }
    }
    let (path, shim) = file?;
    let hook = event.file_in(&place.hooks);
    let aside = format!("{title}: run by {} as {}", hook.display(), path.display());
    ours(program(if path == hook { title } else { &aside }, &String::from_utf8_lossy(&shim), repair))
}

/// The program's own hook file that git reaches at `event`, with its bytes: in git's hook directory, or moved aside by a
/// framework that runs it.
fn own_file(event: HookEvent, place: &Worktree) -> Option<(PathBuf, Vec<u8>)> {
    let hook = event.file_in(&place.hooks);
    let content = fs::read(&hook).ok().filter(|_| is_executable(&hook))?;
    match shim::is_ours(&content) && !place.tracks(event) {
        true => Some((hook, content)),
        false => run_aside(&hook, &content),
    }
}

/// The diagnosis of an event that does not reach the program.
fn not_reached(facts: &GitSetup, title: &str, event: HookEvent, place: &Worktree) -> Look {
    let repair = repair::of_missing(facts, event, place);
    if let Some((what, repair)) = switched_off(&place.settings, event).filter(|_| facts.version.runs_config_hooks()) {
        let what = format!("{title}: {what}, so git does not run it");
        return Look::of(event, HookState::Damaged, broken(what, repair));
    }
    let hook = event.file_in(&place.hooks);
    let Ok(content) = fs::read(&hook) else {
        let dangling = fs::symlink_metadata(&hook).is_ok();
        let how = if dangling { "cannot be read, so git ignores it" } else { "is not there" };
        let found = broken(format!("{title}: {} {how}", hook.display()), repair);
        return Look::of(event, if is_kept(&hook) { HookState::Damaged } else { HookState::NotOurs }, found);
    };
    of_file(title, event, &content, place, repair)
}

/// Whether a kept hook proves that the program's hook was installed over it.
fn is_kept(hook: &Path) -> bool {
    fs::symlink_metadata(kept_path(hook)).is_ok()
}

/// The diagnosis of a hook file that does not bring `event` to the program.
fn of_file(title: &str, event: HookEvent, content: &[u8], place: &Worktree, repair: String) -> Look {
    let hook = event.file_in(&place.hooks);
    if !is_executable(&hook) {
        let what = format!("{title}: {} is not executable, so git ignores it", hook.display());
        return match shim::is_ours(content) || calls(content, event, |_| true) {
            true => {
                let repair = format!("chmod +x {}", shell::word(&hook.to_string_lossy()));
                Look::of(event, HookState::Damaged, broken(what, repair))
            }
            false => Look::of(event, HookState::NotOurs, broken(what, repair)),
        };
    }
    if is_blank(content) {
        let what = format!("{title}: {} is empty, so git lets everything pass", hook.display());
        return Look::of(event, HookState::Empty, broken(what, repair));
    }
    if is_kept(&hook) {
        let what = format!("{title}: another hook took its place and does not call yatsu-hook");
        return Look::of(event, HookState::Damaged, broken(what, repair));
    }
    let by = match (Owner::of(place), framework(content)) {
        (Some(owner), _) => {
            format!("{}, and {} does not call yatsu-hook", owner.reason(), owner.file(place, event).display())
        }
        (None, Some(framework)) => match framework.left_out(&place.top, event) {
            Some(why) => format!("the hook of {} is there, and {why}", framework.name),
            None => format!("the hook of {} is there and does not call yatsu-hook", framework.name),
        },
        (None, None) => "another hook is there and does not call yatsu-hook".to_owned(),
    };
    Look::of(event, HookState::NotOurs, broken(format!("{title}: {by}"), repair))
}

/// Whether the program still exists at the written path. The hook may find it elsewhere, but not in every environment.
fn program(title: &str, text: &str, repair: String) -> Diagnosis {
    match shim::written_program(text) {
        Some(path) if !is_executable(Path::new(&path)) => {
            advice(format!("{title}: {path} is gone; it is looked for in PATH and ~/.cargo/bin"), repair)
        }
        _ => ok(title),
    }
}
