//! Checks the entries in the files of harnesses: whether they are complete, whether the program that they run knows the
//! verb, and what keeps a harness from running them. No diagnosis where nothing is installed.

use crate::app::setup::doctor::{advice, broken, ok};
use crate::app::setup::install::is_executable;
use crate::features::agents::judge::setup::{
    HookFile, HookNote, HookScope, HookStanding, Surroundings, foreign_notes, notes, standing,
};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::harness::calls::{programs, read};
use crate::features::agents::model::harness::settings::{COMMAND, PLUGIN_COMMAND};
use crate::report::view::{Diagnosis, Health};
use crate::sys;
use bstr::ByteSlice;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn diagnose(around: &Surroundings) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    let mut run = BTreeSet::new();
    for scope in HookScope::ALL {
        // without a home directory there are no files of a user
        for file in Harness::ALL.into_iter().filter_map(|harness| HookFile::of(harness, scope, around).ok()) {
            let entries = entries(&file);
            found.extend(foreign_notes(&file).into_iter().map(|note| noted(&file, note)));
            if entries.as_ref().is_some_and(|one| one.repair.is_none() || one.health == Health::Broken) {
                found.extend(notes(&file, around).into_iter().map(|note| noted(&file, note)));
                let settings = file.read().ok().flatten().and_then(|bytes| read(b"", &bytes));
                run.extend(settings.iter().flat_map(programs).map(|program| (program, scope == HookScope::User)));
            }
            found.extend(entries);
        }
    }
    found.extend(run.into_iter().map(|(program, user)| runnable(&program, user, around)));
    found
}

/// The command that installs the entries in `file`.
fn install(file: &HookFile) -> String {
    let name = file.harness.as_str();
    match file.scope {
        HookScope::Project => format!("yatsu-hook agent install --for {name}"),
        HookScope::User => format!("yatsu-hook agent install --user --for {name}"),
    }
}

fn entries(file: &HookFile) -> Option<Diagnosis> {
    let (name, path) = (file.harness.as_str(), &file.shown);
    match standing(file) {
        HookStanding::Absent => None,
        HookStanding::Installed => Some(ok(format!("{name} calls yatsu-hook: {path}"))),
        HookStanding::Incomplete(missing) => {
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            Some(broken(format!("{name} does not run `agent event` at {}: {path}", missing.join(", ")), install(file)))
        }
        HookStanding::Unreadable(why) => {
            Some(advice(format!("{name} may read no hook: {why}"), format!("mend {path}, then: {}", install(file))))
        }
    }
}

fn noted(file: &HookFile, note: HookNote) -> Diagnosis {
    let name = file.harness.as_str();
    let what = note.sentence(name);
    match note {
        HookNote::Off(path, _) => broken(what, format!("take that setting out of {path}")),
        HookNote::UnknownKey(_) => broken(what, format!("take the key out of {}", file.shown)),
        HookNote::HooksBeside(path) => advice(what, format!("keep the hooks in one of {path} and {}", file.shown)),
        HookNote::Untrusted(_) => advice(what, "type /hooks in codex, and trust them"),
        HookNote::Foreign(..) => advice(what, format!("if you did not write it, take it out of {}", file.shown)),
        HookNote::Unmarked => advice(what, install(file)),
    }
}

/// What would answer when a harness runs `program`.
fn runnable(program: &str, user: bool, around: &Surroundings) -> Diagnosis {
    let this = around.program.parent().unwrap_or(Path::new("/")).display();
    let Some(path) = found(program, around) else {
        let what = format!("the entries run {program}, which is not there: nothing happens at these events");
        let repair = match (program.contains('/'), user) {
            (true, true) => "yatsu-hook agent install --user".to_owned(),
            (true, false) => "yatsu-hook agent install".to_owned(),
            (false, _) => format!("put {this} on PATH, or: yatsu-hook agent install --user"),
        };
        return broken(what, repair);
    };
    let shown = path.display();
    if sys::canonical(&path).ok() == sys::canonical(&around.program).ok() {
        return ok(format!("the entries run {shown}"));
    }
    // a program has the command of its own entries in it
    let wanted = if user { PLUGIN_COMMAND } else { COMMAND };
    match fs::read(&path) {
        Ok(bytes) if bytes.find(wanted).is_some() => ok(format!("the entries run {shown}")),
        Ok(bytes) if bytes.starts_with(b"#!") => advice(
            format!("the entries run {shown}, a script: whether its program knows `agent` is not known"),
            format!("{shown} agent ls   (it fails if the program is too old)"),
        ),
        _ => broken(
            format!("the entries run {shown}, which does not know `agent`: nothing happens at these events"),
            format!("update it, or put {this} before it on PATH"),
        ),
    }
}

/// The file that a shell runs for `program`.
fn found(program: &str, around: &Surroundings) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| is_executable(path));
    }
    let path = around.var("PATH")?.as_encoded_bytes();
    // an empty or relative part would find another program in each directory
    let dirs = path
        .split(|byte| *byte == sys::LIST_SEPARATOR)
        .map(|dir| PathBuf::from(&*sys::native(dir)))
        .filter(|dir| dir.is_absolute());
    dirs.map(|dir| dir.join(sys::program(program))).find(|path| is_executable(path))
}
