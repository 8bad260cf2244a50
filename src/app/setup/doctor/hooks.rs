//! Checks for each worktree and event which hook git would run, and whether the hook reaches the program.

use super::{Diagnosis, Health, advice, broken, ok, repair};
use crate::app::setup::install::git::{GitSetup, path, values};
use crate::app::setup::install::shim::{self, HookEvent};
use crate::app::setup::install::{
    GitScope, calls_us, chosen, configured, is_blank, is_configured, is_executable, is_switched_off, kept_path,
    run_aside, run_by_husky, switch_on,
};
use crate::app::site::setup_git::SetupGit;
use crate::error::Result;
use crate::sys;
use crate::text::shell;
use std::fs;
use std::path::{Path, PathBuf};

/// A hook manager: a text that its hook files contain, and the files where users list the programs to run.
struct Manager {
    name: &'static str,
    says: &'static str,
    files: &'static [&'static str],
}

const MANAGERS: [Manager; 4] = [
    Manager { name: "prek", says: "prek", files: &[".pre-commit-config.yaml", "prek.toml"] },
    Manager {
        name: "lefthook",
        says: "lefthook",
        files: &["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"],
    },
    Manager { name: "hk", says: "hk run", files: &["hk.pkl"] },
    Manager { name: "pre-commit", says: "pre_commit", files: &[".pre-commit-config.yaml"] },
];

/// One diagnosis per worktree and event; in a bare repository only `pre-receive`. If nothing was ever installed, one in
/// all.
pub(super) fn diagnose(git: &dyn SetupGit, facts: &GitSetup) -> Result<Vec<Diagnosis>> {
    let mut places = Vec::new();
    if facts.top.is_none() {
        places.push(of_place(facts, &[HookEvent::PreReceive], &facts.hooks, &facts.common));
    } else {
        for top in worktrees(git, facts)? {
            let inside = top.to_string_lossy().into_owned();
            let hooks = path(git, &["-C", &inside, "rev-parse", "--git-path", "hooks"], &top)?;
            places.push(of_place(facts, &HookEvent::CLIENT, &hooks, &top));
        }
    }
    let chosen = chosen(&facts.local);
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

/// The worktrees on disk; a bare main repository has none. For a submodule or a separate git directory, git lists the
/// git directory in place of the work tree, so the known top is added.
fn worktrees(git: &dyn SetupGit, facts: &GitSetup) -> Result<Vec<PathBuf>> {
    let said = git.run(&["worktree", "list", "--porcelain"])?;
    let mut found: Vec<PathBuf> = facts.top.iter().cloned().collect();
    for line in said.split(|&byte| byte == b'\n') {
        let Some(path) = line.strip_prefix(b"worktree ") else { continue };
        let path = PathBuf::from(&*sys::native(path));
        if path.join(".git").exists() && !found.contains(&path) {
            found.push(path);
        }
    }
    Ok(found)
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

/// The hooks in the directory `hooks` of one worktree. `top` is the top of the worktree; the git directory of a bare
/// repository.
fn of_place(facts: &GitSetup, events: &[HookEvent], hooks: &Path, top: &Path) -> Vec<Look> {
    events.iter().map(|event| one(facts, *event, hooks, top)).collect()
}

/// The diagnoses without any installation: a missing hook is absent, not broken. If all hooks need the same repair, one
/// line replaces them.
fn not_installed(facts: &GitSetup, looks: Vec<Look>) -> Vec<Diagnosis> {
    let absent = |found: Diagnosis| match found.health {
        Health::Broken => Diagnosis { health: Health::Absent, ..found },
        _ => found,
    };
    let repair = looks.first().and_then(|look| look.found.repair.clone());
    if looks.iter().any(|look| look.found.repair.as_deref() != Some(repair::INSTALL)) {
        return looks.into_iter().map(|look| absent(look.found)).collect();
    }
    let place = facts.top.as_ref().unwrap_or(&facts.common).display();
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

/// Finds the hook that git runs for `event`, and whether it reaches the program.
fn one(facts: &GitSetup, event: HookEvent, hooks: &Path, top: &Path) -> Look {
    let title = format!("{} in {}", event.as_str(), top.display());
    let repair = repair::of(facts, event, hooks, top);
    if facts.version.runs_config_hooks() {
        if let Some(found) = switched_off(facts, &title) {
            return Look::of(event, HookState::Damaged, found);
        }
        if configured(&facts.local, &[event]) || configured(&facts.global, &[event]) {
            return Look::of(event, HookState::Ours, command(facts, &title, repair));
        }
    }
    let hook = event.file_in(hooks);
    let Ok(content) = fs::read(&hook) else {
        let dangling = fs::symlink_metadata(&hook).is_ok();
        let how = if dangling { "cannot be read, so git ignores it" } else { "is not there" };
        let found = broken(format!("{title}: {} {how}", hook.display()), repair);
        return Look::of(event, if is_kept(&hook) { HookState::Damaged } else { HookState::NotOurs }, found);
    };
    of_file(&title, event, &content, hooks, top, repair)
}

/// Whether a kept hook proves that the program's hook was installed over it.
fn is_kept(hook: &Path) -> bool {
    fs::symlink_metadata(kept_path(hook)).is_ok()
}

/// A diagnosis if `hook.yatsu-hook.enabled` is false. The last value counts; the repository's comes after the user's.
fn switched_off(facts: &GitSetup, title: &str) -> Option<Diagnosis> {
    let scopes = [(&facts.local, GitScope::Local), (&facts.global, GitScope::Global)];
    let (_, scope) = scopes.into_iter().find(|(settings, _)| is_switched_off(settings))?;
    let ours = is_configured(&facts.local) || is_configured(&facts.global);
    let what = format!("{title}: hook.yatsu-hook.enabled is false, so git does not run it");
    ours.then(|| broken(what, switch_on(scope)))
}

fn of_file(title: &str, event: HookEvent, content: &[u8], hooks: &Path, top: &Path, repair: String) -> Look {
    let hook = event.file_in(hooks);
    let reaches = shim::is_ours(content) || calls_us(content);
    if !is_executable(&hook) {
        let what = format!("{title}: {} is not executable, so git ignores it", hook.display());
        return match reaches {
            true => {
                let repair = format!("chmod +x {}", shell::word(&hook.to_string_lossy()));
                Look::of(event, HookState::Damaged, broken(what, repair))
            }
            false => Look::of(event, HookState::NotOurs, broken(what, repair)),
        };
    }
    if shim::is_ours(content) {
        return Look::of(event, HookState::Ours, program(title, &String::from_utf8_lossy(content), repair));
    }
    if let Some((path, shim)) = run_aside(&hook, content) {
        let title = format!("{title}: run by {} as {}", hook.display(), path.display());
        return Look::of(event, HookState::Ours, program(&title, &String::from_utf8_lossy(&shim), repair));
    }
    if reaches {
        return Look::of(event, HookState::Ours, ok(format!("{title}: {} calls yatsu-hook", hook.display())));
    }
    if is_blank(content) {
        let what = format!("{title}: {} is empty, so git lets everything pass", hook.display());
        return Look::of(event, HookState::Empty, broken(what, repair));
    }
    if is_kept(&hook) {
        let what = format!("{title}: another hook took its place and does not call yatsu-hook");
        return Look::of(event, HookState::Damaged, broken(what, repair));
    }
    managed(title, event, content, hooks, top, repair)
}

fn command(facts: &GitSetup, title: &str, repair: String) -> Diagnosis {
    let all = values(&facts.local, "hook.yatsu-hook.command").into_iter();
    let command = all.chain(values(&facts.global, "hook.yatsu-hook.command")).next().unwrap_or_default();
    program(&format!("{title} (git's configuration)"), command, repair)
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

/// The diagnosis of a foreign hook. A hook manager may reach the program through its own files.
fn managed(title: &str, event: HookEvent, content: &[u8], hooks: &Path, top: &Path, repair: String) -> Look {
    if run_by_husky(hooks) {
        return husky(title, event, hooks, top);
    }
    let text = String::from_utf8_lossy(content);
    match MANAGERS.iter().find(|manager| text.contains(manager.says)) {
        Some(manager) => through(title, event, manager, top),
        None => {
            let what = format!("{title}: another hook is there and does not call yatsu-hook");
            Look::of(event, HookState::NotOurs, broken(what, repair))
        }
    }
}

/// The diagnosis of husky's own file of the event. The README's recipe for husky has no line for clean merges, because
/// the push checks them again.
fn husky(title: &str, event: HookEvent, hooks: &Path, top: &Path) -> Look {
    let file = top.join(".husky").join(event.as_str());
    if fs::read(&file).is_ok_and(|content| calls_us(&content)) {
        return Look::of(event, HookState::Ours, ok(format!("{title}: through husky")));
    }
    let repair = repair::of_husky(event, hooks);
    let found = match event {
        HookEvent::PreMergeCommit => {
            advice(format!("{title}: husky runs the hooks and does not call yatsu-hook for clean merges"), repair)
        }
        _ => broken(format!("{title}: husky runs the hooks and {} does not name yatsu-hook", file.display()), repair),
    };
    Look::of(event, HookState::NotOurs, found)
}

/// Searches the manager's configuration files for the program.
fn through(title: &str, event: HookEvent, manager: &Manager, top: &Path) -> Look {
    let name = manager.name;
    let calls = |file: &&str| fs::read(top.join(file)).is_ok_and(|content| calls_us(&content));
    if manager.files.iter().any(calls) {
        return Look::of(event, HookState::Ours, ok(format!("{title}: through {name}")));
    }
    let file = manager.files.first().copied().unwrap_or_default();
    let repair = format!("call yatsu-hook from {file} (the README has the recipe for {name})");
    let what = format!("{title}: {name} runs the hooks and its configuration does not name yatsu-hook");
    Look::of(event, HookState::NotOurs, broken(what, repair))
}
