//! For each worktree and event: what git would really run, and whether that reaches the program.

use super::{Diagnosis, advice, broken, ok};
use crate::app::install::git::{Facts, Git, path, values};
use crate::app::install::shim::{self, Event};
use crate::app::install::{calls_us, configured, is_executable};
use crate::error::Result;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const REPAIR: &str = "yatsu-hook install";

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
        return Ok(vec![one(facts, Event::PreReceive, &facts.hooks, &facts.common)]);
    }
    let mut found = Vec::new();
    for top in worktrees(git)? {
        let inside = top.to_string_lossy().into_owned();
        let hooks = path(git, &["-C", &inside, "rev-parse", "--git-path", "hooks"], &top)?;
        found.extend(Event::CLIENT.into_iter().map(|event| one(facts, event, &hooks, &top)));
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

fn one(facts: &Facts, event: Event, hooks: &Path, top: &Path) -> Diagnosis {
    let title = format!("{} in {}", event.as_str(), top.display());
    if facts.version.runs_config_hooks() && (configured(&facts.local, &[event]) || configured(&facts.global, &[event]))
    {
        return command(facts, &title);
    }
    let hook = hooks.join(event.as_str());
    let Ok(content) = fs::read(&hook) else {
        let dangling = fs::symlink_metadata(&hook).is_ok();
        let how = if dangling { "cannot be read, so git ignores it" } else { "is not there" };
        return broken(format!("{title}: {} {how}", hook.display()), REPAIR);
    };
    if !is_executable(&hook) {
        let repair = format!("chmod +x {}", shim::quote(&hook.to_string_lossy()));
        return broken(format!("{title}: {} is not executable, so git ignores it", hook.display()), repair);
    }
    if shim::is_ours(&content) {
        return program(&title, &String::from_utf8_lossy(&content));
    }
    if calls_us(&content) {
        return ok(format!("{title}: {} calls yatsu-hook", hook.display()));
    }
    managed(&title, event, &content, hooks, top)
}

fn command(facts: &Facts, title: &str) -> Diagnosis {
    let all = values(&facts.local, "hook.yatsu-hook.command").into_iter();
    let command = all.chain(values(&facts.global, "hook.yatsu-hook.command")).next().unwrap_or_default();
    program(&format!("{title} (git's configuration)"), command)
}

/// Whether the program is still where the text says. It may be found elsewhere, but not by every program that runs git.
fn program(title: &str, text: &str) -> Diagnosis {
    match shim::written_program(text) {
        Some(path) if !is_executable(Path::new(&path)) => {
            advice(format!("{title}: {path} is gone; it is looked for in PATH and ~/.cargo/bin"), REPAIR)
        }
        _ => ok(title),
    }
}

fn managed(title: &str, event: Event, content: &[u8], hooks: &Path, top: &Path) -> Diagnosis {
    if hooks.ends_with(".husky/_") {
        return husky(title, event, top);
    }
    let text = String::from_utf8_lossy(content);
    match MANAGERS.iter().find(|manager| text.contains(manager.says)) {
        Some(manager) => {
            let files: Vec<PathBuf> = manager.files.iter().map(|file| top.join(file)).collect();
            through(title, manager.name, &files)
        }
        None => broken(format!("{title}: another hook is there and does not call yatsu-hook"), REPAIR),
    }
}

/// husky's own file of the event; its recipe has two lines, and a clean merge is repeated at the push.
fn husky(title: &str, event: Event, top: &Path) -> Diagnosis {
    let file = top.join(".husky").join(event.as_str());
    let found = through(title, "husky", std::slice::from_ref(&file));
    if event != Event::PreMergeCommit || found.repair.is_none() {
        return found;
    }
    let repair = format!("add to {}: yatsu-hook {}", file.display(), event.as_str());
    advice(format!("{title}: husky runs the hooks and does not call yatsu-hook for clean merges"), repair)
}

fn through(title: &str, manager: &str, files: &[PathBuf]) -> Diagnosis {
    if files.iter().any(|file| fs::read(file).is_ok_and(|content| calls_us(&content))) {
        return ok(format!("{title}: through {manager}"));
    }
    let file = files.first().and_then(|file| file.file_name()).unwrap_or_default().display();
    let repair = format!("call yatsu-hook from {file} (the README has the recipe for {manager})");
    broken(format!("{title}: {manager} runs the hooks and its configuration does not name yatsu-hook"), repair)
}
