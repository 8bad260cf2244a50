//! Installs and uninstalls entries in the settings of harnesses: with an entry a harness calls this program. Input: the
//! harnesses and the surroundings. Output: an [`AgentPlan`], which [`apply`] carries out for all files or none.
//!
//! Guarantees: install inserts text and changes no other byte. A second install changes nothing. Uninstall gives back the
//! bytes from before the installation. If a file was edited since, uninstall takes out the entries of this program, and the
//! lists that are empty then.

mod facts;
mod manifest;
pub(crate) mod places;
pub(crate) mod plugin;

pub(crate) use facts::{HookNote, HookStanding, foreign_notes, notes, standing};
pub(crate) use places::{HookFile, HookScope, Surroundings};

use crate::error::{Error, Refusal, Result};
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::harness::calls::{Calls, is_our_element, is_ours, read, runs_us};
use crate::features::agents::model::harness::settings::EntryCommand;
use crate::features::agents::model::json_edit::{self, EditFault, inserted, insertions, undone, without};
use crate::features::agents::model::setup::FileFate;
use crate::store::Store;
use crate::store::replace_all::{FileChange, leftovers, remove_leftovers, replace_all};
use crate::sys;
use manifest::{EditRecord, Manifest, hash, missing_folders};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The change of one file, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookEdit {
    pub(crate) file: HookFile,
    pub(crate) fate: FileFate,
    /// The events whose entries come or go, in the order of the file.
    pub(crate) events: Vec<String>,
}

/// The changes of an installation.
#[derive(Debug)]
pub(crate) struct AgentPlan {
    pub(crate) edits: Vec<HookEdit>,
    changes: Vec<FileChange>,
    manifest: Manifest,
    scope: HookScope,
    /// The folders to remove afterwards if they are empty, innermost first.
    leaving: Vec<PathBuf>,
    around: Surroundings,
}

/// Plans to install the entries of `harnesses`.
///
/// # Errors
/// Refused if a file is not JSON, has a key twice or a value of another type in the way, or lies outside through a link.
pub(crate) fn install(harnesses: &[Harness], scope: HookScope, around: &Surroundings) -> Result<AgentPlan> {
    let mut plan = AgentPlan::new(scope, around)?;
    harnesses.iter().try_for_each(|harness| plan.install(*harness))?;
    Ok(plan)
}

/// Plans to uninstall the entries of `harnesses`, whatever version installed them.
///
/// # Errors
/// As [`install`].
pub(crate) fn uninstall(harnesses: &[Harness], scope: HookScope, around: &Surroundings) -> Result<AgentPlan> {
    let mut plan = AgentPlan::new(scope, around)?;
    harnesses.iter().try_for_each(|harness| plan.uninstall(*harness))?;
    Ok(plan)
}

/// Carries out a plan: all files or none. Removes what a killed installation left beside the files of any harness.
///
/// # Errors
/// Refused if a file changed since it was read; unchecked if one cannot be written. Then every file is as before.
pub(crate) fn apply(plan: AgentPlan) -> Result<()> {
    let files = Harness::ALL.into_iter().filter_map(|harness| HookFile::of(harness, plan.scope, &plan.around).ok());
    let dirs: BTreeSet<PathBuf> = files.filter_map(|file| Some(file.real().ok()?.parent()?.to_owned())).collect();
    let left: Vec<PathBuf> = dirs.iter().flat_map(|dir| leftovers(dir)).collect();
    let is_planned = !plan.changes.is_empty() || !plan.edits.is_empty() || plan.manifest.is_changed();
    if !is_planned && left.is_empty() {
        return Ok(());
    }
    // the lock of the repository puts two installations in it into an order; without a common repository, for example for the
    // files of a user, `replace_all` refuses one of them
    let store = plan.around.common.as_ref().map(|common| Store::new(common).shared_by(plan.around.shared));
    let _lock = store.map(|store| store.lock_ledger()).transpose()?;
    remove_leftovers(&left)?;
    if !is_planned {
        return Ok(());
    }
    let leaving = [plan.leaving, plan.manifest.leaving()].concat();
    let mut changes = vec![plan.manifest.change(plan.around.shared)?];
    changes.extend(plan.changes);
    replace_all(&changes, &leaving)
}

/// The harnesses that are used here: those whose folder is there.
///
/// # Errors
/// Usage if there is none.
pub(crate) fn used(scope: HookScope, around: &Surroundings) -> Result<Vec<Harness>> {
    let mut found = Vec::new();
    for harness in Harness::ALL {
        if HookFile::of(harness, scope, around)?.is_used(around) {
            found.push(harness);
        }
    }
    if found.is_empty() {
        let names = Harness::ALL.map(Harness::as_str).join(", ");
        let folders = Harness::ALL.map(|harness| harness.settings().folder).join(", ");
        return Err(Error::usage(format!("no folder of a harness is here ({folders})"))
            .hint("name the harnesses that you use: --for claude,codex")
            .hint(format!("the names are {names}")));
    }
    Ok(found)
}

/// The harnesses whose files have an entry of this program, or are in the manifest.
///
/// # Errors
/// When the manifest cannot be read.
pub(crate) fn installed(scope: HookScope, around: &Surroundings) -> Result<Vec<Harness>> {
    let manifest = Manifest::read(scope, around)?;
    let is_installed = |harness: &Harness| {
        HookFile::of(*harness, scope, around).is_ok_and(|file| {
            let is_known = file.real().is_ok_and(|path| manifest.of(&path).is_some());
            is_known || matches!(standing(&file), HookStanding::Installed | HookStanding::Incomplete(_))
        })
    };
    Ok(Harness::ALL.into_iter().filter(is_installed).collect())
}

/// The commands of the entries. In a project they have no path, because the file is committed for every machine. For a user
/// there is one, with the absolute path of this program.
fn entry_commands(harness: Harness, scope: HookScope, around: &Surroundings) -> Result<Vec<EntryCommand>> {
    if scope == HookScope::Project {
        return Ok(harness.project_commands(!sys::HAS_SH));
    }
    let program = around.program.to_str().ok_or_else(|| {
        Error::usage(format!("the program's own path {:?} cannot be written into settings", around.program))
            .hint("install the program under a path that is UTF-8")
    })?;
    let command = harness.user_command(program, !sys::HAS_SH);
    // `uninstall` and `doctor` would take an entry with another name for one of the user
    if !is_ours(&command) {
        return Err(Error::usage(format!(
            "entries call a program that is named yatsu-hook, and this one is {program}"
        ))
        .hint("rename it, or run the one that install.sh installed"));
    }
    Ok(vec![("command", command)])
}

impl AgentPlan {
    fn new(scope: HookScope, around: &Surroundings) -> Result<Self> {
        let manifest = Manifest::read(scope, around)?;
        let (edits, changes, leaving) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { edits, changes, manifest, scope, leaving, around: around.clone() })
    }

    fn install(&mut self, harness: Harness) -> Result<()> {
        let commands = entry_commands(harness, self.scope, &self.around)?;
        let file = HookFile::of(harness, self.scope, &self.around)?;
        let (path, present) = (file.real()?, file.read()?);
        let bytes = present.as_deref().unwrap_or_default();
        let refuse = |fault: EditFault| refused(&file, bytes, fault);
        let settings = json_edit::read(bytes).map_err(refuse)?;
        if harness.settings().plain && !bytes.trim_ascii().is_empty() {
            json_edit::check_plain(bytes).map_err(refuse)?;
        }
        let has = |entry: &Value, (key, command): &EntryCommand| entry.get(key).is_some_and(|found| found == command);
        let is_entry =
            |entry: &Value| runs_us(harness, entry, is_ours) && commands.iter().all(|wanted| has(entry, wanted));
        let missing = Calls::of(&settings, &is_entry).missing(&Calls::wanted(harness));
        if missing.is_empty() {
            return Ok(());
        }
        let record = self.manifest.of(&path);
        let (base, before) = match record.and_then(|record| original(record, bytes)) {
            Some(base) => (base.clone(), hash(&base)),
            // with entries of another version in them these bytes come back without them, and `before` tells the difference
            None => (without(bytes, "hooks", &is_our_element).map_err(refuse)?, hash(bytes)),
        };
        let inserted_texts = insertions(&base, &harness.additions(&commands)).map_err(refuse)?;
        let after = inserted(&base, &inserted_texts);
        let complete = read(b"", &after).map(|made| Calls::of(&made, &is_entry));
        if complete.is_none_or(|calls| !calls.missing(&Calls::wanted(harness)).is_empty()) {
            return Err(Error::fault(format!("the entries could not be inserted into {}", file.shown)));
        }
        let record = EditRecord {
            path: path.to_string_lossy().into_owned(),
            // a file that was edited since belongs to the user, and uninstall must not delete it
            created: present.is_none() || record.is_some_and(|record| record.created && record.after == hash(bytes)),
            folders: record.map_or_else(|| missing_folders(&path), |record| record.folders),
            before,
            after: hash(&after),
            inserted: inserted_texts,
        };
        self.manifest.set(&path, Some(record));
        let mut events: Vec<String> = missing.into_iter().map(|missing| missing.event).collect();
        events.dedup();
        let kind = if present.is_none() { FileFate::Create } else { FileFate::Insert };
        self.edits.push(HookEdit { file, fate: kind, events: in_order(harness, events) });
        self.changes.push(FileChange { path, before: present, after: Some(after), shared: None });
        Ok(())
    }

    fn uninstall(&mut self, harness: Harness) -> Result<()> {
        let file = HookFile::of(harness, self.scope, &self.around)?;
        let (path, present) = (file.real()?, file.read()?);
        let record = self.manifest.of(&path).cloned();
        self.manifest.set(&path, None);
        let folders = record.as_ref().map_or(0, |record| record.folders);
        let Some(bytes) = present else {
            self.leave(&path, folders);
            return Ok(());
        };
        let settings = json_edit::read(&bytes).map_err(|fault| refused(&file, &bytes, fault))?;
        let calls = Calls::of(&settings, &is_our_element);
        let events = in_order(harness, calls.events().map(str::to_owned).collect());
        let (kind, after) = match record.as_ref().and_then(|record| original(record, &bytes)) {
            Some(base) => (FileFate::Restore, base),
            None => {
                let left = without(&bytes, "hooks", &is_our_element).map_err(|fault| refused(&file, &bytes, fault))?;
                (FileFate::TakeOut, left)
            }
        };
        if after == bytes {
            return Ok(());
        }
        let is_own = record.map_or(harness == Harness::Copilot, |record| record.created);
        let goes = is_own && is_bare(&after);
        if goes {
            self.leave(&path, folders);
        }
        self.edits.push(HookEdit { file, fate: if goes { FileFate::Remove } else { kind }, events });
        self.changes.push(FileChange { path, before: Some(bytes), after: (!goes).then_some(after), shared: None });
        Ok(())
    }

    /// Notes that the innermost `folders` above `path` go if they are empty.
    fn leave(&mut self, path: &Path, folders: usize) {
        self.leaving.extend(path.ancestors().skip(1).take(folders).map(Path::to_owned));
    }
}

/// The bytes before the installation that `record` describes; `None` if the file was edited since.
fn original(record: &EditRecord, bytes: &[u8]) -> Option<Vec<u8>> {
    let base = undone(bytes, &record.inserted).filter(|_| hash(bytes) == record.after)?;
    (hash(&base) == record.before).then_some(base)
}

/// Whether settings are empty or have only a `version`.
fn is_bare(bytes: &[u8]) -> bool {
    let settings = json_edit::read(bytes).unwrap_or_default();
    settings.is_null() || settings.as_object().is_some_and(|members| members.keys().all(|key| key == "version"))
}

/// The events in the order of the table, then the others.
fn in_order(harness: Harness, mut events: Vec<String>) -> Vec<String> {
    let known = harness.settings().events;
    let place = |event: &String| known.iter().position(|(name, _)| name == event).unwrap_or(known.len());
    events.sort_by_key(place);
    events
}

fn refused(file: &HookFile, bytes: &[u8], fault: EditFault) -> Error {
    Error::refused(format!("{}:{} {}; no file was changed", file.shown, fault.at.line, fault.message))
        .because(Refusal::Invalid)
        .hint(format!("mend {}, or leave {} out: --for NAME,NAME", file.shown, file.harness.as_str()))
        .quoting(bytes, fault.at.line, fault.at.column)
}
