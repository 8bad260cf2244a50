//! For each worktree and event: what git would really run, and whether that reaches the program.

use super::{Diagnosis, Health, advice, broken, ok, repair};
use crate::app::install::git::{Facts, Git, path, values};
use crate::app::install::shim::{self, Event};
use crate::app::install::{calls_us, configured, is_executable, run_by_husky};
use crate::error::Result;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A hook manager: what its hook files say, and the files in which its user would name the program.
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

/// One diagnosis per worktree and event; for a bare repository, of `pre-receive`.
pub(super) fn diagnose(git: &dyn Git, facts: &Facts) -> Result<Vec<Diagnosis>> {
    if facts.top.is_none() {
        return Ok(of_place(facts, &[Event::PreReceive], &facts.hooks, &facts.common));
    }
    let mut found = Vec::new();
    for top in worktrees(git)? {
        let inside = top.to_string_lossy().into_owned();
        let hooks = path(git, &["-C", &inside, "rev-parse", "--git-path", "hooks"], &top)?;
        found.extend(of_place(facts, &Event::CLIENT, &hooks, &top));
    }
    Ok(found)
}

/// The worktrees that are on disk; a bare main repository has none.
fn worktrees(git: &dyn Git) -> Result<Vec<PathBuf>> {
    let said = git.run(&["worktree", "list", "--porcelain"])?;
    let mut found: Vec<PathBuf> = Vec::new();
    for line in said.split(|&byte| byte == b'\n') {
        if let Some(path) = line.strip_prefix(b"worktree ") {
            found.push(PathBuf::from(OsStr::from_bytes(path)));
        } else if line == b"bare" {
            found.pop();
        }
    }
    found.retain(|top| top.is_dir());
    Ok(found)
}

/// What git runs for one event.
enum Hook {
    /// It reaches the program.
    Ours(Diagnosis),
    /// It was damaged: somebody wanted it once.
    Damaged(Diagnosis),
    /// It was never ours, or is no more; only somebody who chose other events meant that.
    LeftOut(Diagnosis),
}

/// One diagnosis for each of `events`. Who has some of the hooks chose them: the others are advice.
fn of_place(facts: &Facts, events: &[Event], hooks: &Path, top: &Path) -> Vec<Diagnosis> {
    let found: Vec<Hook> = events.iter().map(|event| one(facts, *event, hooks, top)).collect();
    let chosen = found.iter().any(|hook| matches!(hook, Hook::Ours(_)));
    let told = |hook| match hook {
        Hook::LeftOut(found) if chosen => {
            let what = format!("{}; other events have theirs, so perhaps this one was left out on purpose", found.what);
            Diagnosis { health: Health::Advice, what, ..found }
        }
        Hook::Ours(found) | Hook::Damaged(found) | Hook::LeftOut(found) => found,
    };
    found.into_iter().map(told).collect()
}

fn one(facts: &Facts, event: Event, hooks: &Path, top: &Path) -> Hook {
    let title = format!("{} in {}", event.as_str(), top.display());
    let repair = repair::of(facts, event, hooks, top);
    if facts.version.runs_config_hooks() && (configured(&facts.local, &[event]) || configured(&facts.global, &[event]))
    {
        return Hook::Ours(command(facts, &title, repair));
    }
    let hook = hooks.join(event.as_str());
    let Ok(content) = fs::read(&hook) else {
        let dangling = fs::symlink_metadata(&hook).is_ok();
        return if dangling {
            Hook::Damaged(broken(format!("{title}: {} cannot be read, so git ignores it", hook.display()), repair))
        } else {
            Hook::LeftOut(broken(format!("{title}: {} is not there", hook.display()), repair))
        };
    };
    if !is_executable(&hook) {
        let repair = format!("chmod +x {}", shim::quote(&hook.to_string_lossy()));
        return Hook::Damaged(broken(
            format!("{title}: {} is not executable, so git ignores it", hook.display()),
            repair,
        ));
    }
    if shim::is_ours(&content) {
        return Hook::Ours(program(&title, &String::from_utf8_lossy(&content), repair));
    }
    if calls_us(&content) {
        return Hook::Ours(ok(format!("{title}: {} calls yatsu-hook", hook.display())));
    }
    // a hook that was kept aside shows that ours was installed over it
    if hooks.join(format!("{}{}", event.as_str(), shim::KEPT)).exists() {
        let what = format!("{title}: another hook took the place of ours and does not call yatsu-hook");
        return Hook::Damaged(broken(what, repair));
    }
    managed(&title, event, &content, (hooks, top), repair)
}

fn command(facts: &Facts, title: &str, repair: String) -> Diagnosis {
    let all = values(&facts.local, "hook.yatsu-hook.command").into_iter();
    let command = all.chain(values(&facts.global, "hook.yatsu-hook.command")).next().unwrap_or_default();
    program(&format!("{title} (git's configuration)"), command, repair)
}

/// Whether the program is still where the text says. It may be found elsewhere, but not by every program that runs git.
fn program(title: &str, text: &str, repair: String) -> Diagnosis {
    match shim::written_program(text) {
        Some(path) if !is_executable(Path::new(&path)) => {
            advice(format!("{title}: {path} is gone; it is looked for in PATH and ~/.cargo/bin"), repair)
        }
        _ => ok(title),
    }
}

fn managed(title: &str, event: Event, content: &[u8], (hooks, top): (&Path, &Path), repair: String) -> Hook {
    if run_by_husky(hooks) {
        return husky(title, event, top);
    }
    let text = String::from_utf8_lossy(content);
    match MANAGERS.iter().find(|manager| text.contains(manager.says)) {
        Some(manager) => {
            let files: Vec<PathBuf> = manager.files.iter().map(|file| top.join(file)).collect();
            through(title, manager.name, &files)
        }
        None => Hook::LeftOut(broken(format!("{title}: another hook is there and does not call yatsu-hook"), repair)),
    }
}

/// husky's own file of the event; its recipe has two lines, and a clean merge is repeated at the push.
fn husky(title: &str, event: Event, top: &Path) -> Hook {
    let file = top.join(".husky").join(event.as_str());
    let found = through(title, "husky", std::slice::from_ref(&file));
    if event != Event::PreMergeCommit || matches!(found, Hook::Ours(_)) {
        return found;
    }
    let repair = format!("add to {}: {}", file.display(), event.call());
    Hook::LeftOut(advice(
        format!("{title}: husky runs the hooks and does not call yatsu-hook for clean merges"),
        repair,
    ))
}

fn through(title: &str, manager: &str, files: &[PathBuf]) -> Hook {
    if files.iter().any(|file| fs::read(file).is_ok_and(|content| calls_us(&content))) {
        return Hook::Ours(ok(format!("{title}: through {manager}")));
    }
    let file = files.first().and_then(|file| file.file_name()).unwrap_or_default().display();
    let repair = format!("call yatsu-hook from {file} (the README has the recipe for {manager})");
    let what = format!("{title}: {manager} runs the hooks and its configuration does not name yatsu-hook");
    Hook::LeftOut(broken(what, repair))
}
