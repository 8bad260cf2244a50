//! `agent install`, `agent uninstall` and `agent ls`.

use crate::cli::call::Call;
use crate::cli::global::Verbosity;
use crate::cli::verbs::install::program;
use crate::cli::{Exit, stdio, verbs};
use crate::error::Result;
use crate::features::agents::judge::doctor;
use crate::features::agents::judge::setup as hooks;
use crate::features::agents::judge::setup::{AgentPlan, HookFile, HookScope, HookStanding, Surroundings, plugin};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::setup::{AgentList, AgentReceipt, ChangedFile, FileFate, FileState, ListedFile};
use crate::features::agents::print::setup as text;
use crate::features::agents::verbs::agent_args::{AgentInstallArgs, AgentPlaceArgs, AgentUninstallArgs};
use crate::repo::Repo;
use crate::repo::open::env::Env;
use crate::report::view::Diagnosis;
use crate::report::{self, Format, InstallVerb};
use crate::store::signals;
use crate::sys;
use std::path::Path;

/// `agent install`: inserts the entries, or writes a plugin directory.
pub(super) fn install(call: Call<'_>, args: AgentInstallArgs) -> Result<Exit> {
    signals::install()?;
    if let Some(dir) = &args.plugin {
        return write_plugin(call, dir, args.dry_run);
    }
    let (scope, around) = place(call, &args.place)?;
    let harnesses = named(&args.place).map_or_else(|| hooks::used(scope, &around), Ok)?;
    let plan = hooks::install(&harnesses, scope, &around)?;
    carry_out(call, plan, InstallVerb::Install, args.dry_run, &around)
}

pub(super) fn uninstall(call: Call<'_>, args: AgentUninstallArgs) -> Result<Exit> {
    signals::install()?;
    let (scope, around) = place(call, &args.place)?;
    let harnesses = named(&args.place).map_or_else(|| hooks::installed(scope, &around), Ok)?;
    let plan = hooks::uninstall(&harnesses, scope, &around)?;
    carry_out(call, plan, InstallVerb::Uninstall, args.dry_run, &around)
}

/// `agent ls`: every harness in the project and for the user.
pub(super) fn ls(call: Call<'_>) -> Result<Exit> {
    let repo = call.repo();
    let around = surroundings(repo.as_ref().ok(), &program()?);
    let all = HookScope::ALL.into_iter().flat_map(|scope| Harness::ALL.map(|harness| (harness, scope)));
    // outside a repository there are no files of a project, without a home none of a user
    let files = all.filter_map(|(harness, scope)| HookFile::of(harness, scope, &around).ok());
    let list = AgentList { files: files.map(|file| listed(&file, &around)).collect() };
    verbs::say_how(
        call,
        list.files.iter().all(|file| !file.used && file.state == FileState::Absent),
        "no harness is set up; start: yatsu-hook agent install --for claude",
    );
    call.answer(|out| match call.global.format {
        Format::Human => text::write_list(&list, out),
        _ => report::write_json(&list, out),
    })
}

/// `doctor`: examines the entries in the files of harnesses.
pub(crate) fn examined(repo: &Repo, program: &Path) -> Vec<Diagnosis> {
    doctor::diagnose(&surroundings(Some(repo), program))
}

/// The machine around an installation, in `repo` if there is one.
fn surroundings(repo: Option<&Repo>, program: &Path) -> Surroundings {
    Surroundings {
        top: repo.and_then(|repo| repo.work_dir.clone()),
        common: repo.map(|repo| repo.common_dir.clone()),
        shared: repo.and_then(|repo| repo.shared),
        program: program.to_owned(),
        vars: Env::from_process().all,
    }
}

/// The typed harnesses, each once.
fn named(args: &AgentPlaceArgs) -> Option<Vec<Harness>> {
    let typed = args.harnesses.as_ref()?;
    Some(Harness::ALL.into_iter().filter(|harness| typed.contains(harness)).collect())
}

/// The scope and the surroundings; only a project needs a repository.
fn place(call: Call<'_>, args: &AgentPlaceArgs) -> Result<(HookScope, Surroundings)> {
    let repo = if args.user { call.repo().ok() } else { Some(call.repo()?) };
    let scope = if args.user { HookScope::User } else { HookScope::Project };
    Ok((scope, surroundings(repo.as_ref(), &program()?)))
}

fn write_plugin(call: Call<'_>, dir: &Path, dry_run: bool) -> Result<Exit> {
    let at = call.here()?.join(dir);
    let file = |path| ChangedFile {
        harness: None,
        path: sys::spelled(dir.join(path)).display().to_string(),
        change: FileFate::Create,
        events: Vec::new(),
    };
    let files = plugin::write(&at, dry_run)?.into_iter().map(file).collect();
    Ok(show(call, &AgentReceipt { verb: InstallVerb::Install, dry_run, files, notes: Vec::new() }))
}

fn carry_out(call: Call<'_>, plan: AgentPlan, verb: InstallVerb, dry_run: bool, around: &Surroundings) -> Result<Exit> {
    let edits = plan.edits.clone();
    if !dry_run {
        hooks::apply(plan)?;
    }
    let notes = edits.iter().filter(|_| verb == InstallVerb::Install).flat_map(|edit| {
        hooks::notes(&edit.file, around).into_iter().map(|note| note.sentence(edit.file.harness.as_str()))
    });
    let notes = notes.collect();
    let file = |edit: hooks::HookEdit| ChangedFile {
        harness: Some(edit.file.harness.as_str()),
        path: edit.file.shown,
        change: edit.fate,
        events: edit.events,
    };
    Ok(show(call, &AgentReceipt { verb, dry_run, files: edits.into_iter().map(file).collect(), notes }))
}

/// Prints the changes and the last line. In a dry run the changes are the answer, so `-q` does not hide them.
fn show(call: Call<'_>, receipt: &AgentReceipt) -> Exit {
    let write = |out: &mut dyn std::io::Write| {
        if call.global.format != Format::Human {
            return report::write_json(receipt, out);
        }
        if receipt.dry_run || call.global.verbosity != Verbosity::Quiet {
            text::write_changes(receipt, out)?;
        }
        text::write_outcome(receipt, out)
    };
    if receipt.dry_run { stdio::print_made(Exit::CLEAN, write) } else { stdio::print_receipt(Exit::CLEAN, write) }
}

fn listed(file: &HookFile, around: &Surroundings) -> ListedFile {
    let (state, mut notes) = match hooks::standing(file) {
        HookStanding::Absent => (FileState::Absent, Vec::new()),
        HookStanding::Installed => (FileState::Installed, Vec::new()),
        HookStanding::Incomplete(missing) => {
            (FileState::Incomplete, missing.iter().map(|missing| format!("missing: {missing}")).collect())
        }
        HookStanding::Unreadable(why) => (FileState::Unreadable, vec![why]),
    };
    notes.extend(hooks::foreign_notes(file).iter().map(|note| note.sentence(file.harness.as_str())));
    if matches!(state, FileState::Installed | FileState::Incomplete) {
        notes.extend(hooks::notes(file, around).iter().map(|note| note.sentence(file.harness.as_str())));
    }
    ListedFile {
        harness: file.harness.as_str(),
        scope: file.scope.as_str(),
        path: file.shown.clone(),
        state,
        notes,
        used: file.is_used(around),
    }
}
