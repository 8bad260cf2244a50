//! After an edit: the scenarios that govern the edited paths, each once a session. Most edits concern none, and the memo of
//! the last check answers for those without loading a node.

use super::claims::LiveClaims;
use super::memory::Memory;
use super::short_hash::ShortHash;
use super::{CommandPlaces, DECLARING, Visit, changed_nodes};
use crate::app::doors::fast_commit;
use crate::app::judge::remember;
use crate::engine::effective::{Effective, latest_measured};
use crate::engine::watched::watched;
use crate::error::Result;
use crate::features::agents::model::reply::{AgentReply, ClaimNote, EditNote, GoverningScenario, MOST_SCENARIOS};
use crate::model::config::ClaimNotice;
use crate::model::ledger::Reading;
use crate::model::node::Node;
use crate::model::resolve::matches;
use crate::model::scenario::Scenario;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::sys;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

pub(super) fn answer(visit: &Visit<'_>, named: &[String]) -> Result<AgentReply> {
    let paths: Vec<RepoPath> = named.iter().flat_map(|path| inside(visit, path)).collect();
    let (ours, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(workspace::has_our_name);
    let memory = visit.recall()?;
    let workspace = concerned(visit, memory.as_ref(), &others)?;
    let governing = governing(visit.repo, workspace.as_ref(), &others)?;
    let claims = claims(visit, workspace.as_ref(), &others, &governing)?;
    let is_known = |path: &RepoPath| memory.as_ref().is_some_and(|memory| memory.here.knows_edit(path));
    if governing.is_empty() && claims.is_empty() && memory.is_some() && ours.iter().chain(&others).all(is_known) {
        return Ok(AgentReply::Neutral);
    }
    let (subject, now) = (visit.subject(), visit.now.millis);
    let new = visit.change(false, |memory| {
        let here = &mut memory.here;
        here.governed |= !governing.is_empty() || !ours.is_empty();
        others.iter().chain(&ours).for_each(|path| here.note_edit(path));
        ours.iter().for_each(|path| here.note_node(&path.parent().unwrap_or_default()));
        let is_second = memory.has_answered(subject, now);
        let unknown: Vec<ShortHash> =
            governing.iter().map(|one| one.hash).filter(|hash| !memory.named_after_edit.contains(hash)).collect();
        let is_spoken = !is_second && (!unknown.is_empty() || !claims.is_empty());
        if is_spoken {
            Memory::note_scenarios(&mut memory.named_after_edit, &unknown[..unknown.len().min(MOST_SCENARIOS)]);
            memory.note_answer(subject, now);
        }
        is_spoken.then_some(unknown)
    })?;
    // without a session nothing is remembered, so each answer names every scenario
    let Some(new) = new.unwrap_or_else(|| Some(governing.iter().map(|one| one.hash).collect())) else {
        return Ok(AgentReply::Neutral);
    };
    let (view, mut places) = (visit.repo.worktree_view()?, CommandPlaces::default());
    let new = governing.iter().filter(|one| new.contains(&one.hash));
    let governing = new.map(|one| one.note(&*view, &mut places)).collect::<Result<_>>()?;
    Ok(AgentReply::Edit(EditNote { governing, claims }))
}

/// A scenario that governs an edited path.
struct Governing<'w> {
    path: &'w RepoPath,
    node: &'w Node,
    scenario: &'w Scenario,
    hash: ShortHash,
}

impl Governing<'_> {
    fn note(&self, view: &dyn Tree, places: &mut CommandPlaces) -> Result<GoverningScenario> {
        let (path, test) = (self.path.to_bstring(), places.test(view, self.node, self.scenario)?);
        Ok(GoverningScenario { path, scenario: super::named(self.node, self.scenario), test })
    }
}

/// The claims of others on the edited paths and on the scenarios that govern them, unless the configuration hides them.
fn claims(
    visit: &Visit<'_>,
    workspace: Option<&Workspace>,
    paths: &[RepoPath],
    governing: &[Governing<'_>],
) -> Result<Vec<ClaimNote>> {
    let live = LiveClaims::of(visit)?;
    if live.is_empty() || paths.is_empty() {
        return Ok(Vec::new());
    }
    let notice = match workspace {
        Some(workspace) => workspace.config.agents.claims,
        None => workspace::read_config_for_agents(&*visit.repo.worktree_view()?)?.agents.claims,
    };
    if notice == ClaimNotice::Off {
        return Ok(Vec::new());
    }
    let scenarios: Vec<_> = governing.iter().map(|one| (one.node, one.scenario)).collect();
    live.of_others(paths, &scenarios)
}

/// The paths of the named file in the work tree: as it is named, and the file itself if a link leads there. For example, both
/// `CLAUDE.md` and `AGENTS.md`; the edit changed the second.
fn inside(visit: &Visit<'_>, named: &str) -> BTreeSet<RepoPath> {
    let Some(top) = visit.repo.work_dir.as_deref() else { return BTreeSet::new() };
    let whole = plain(&visit.event.cwd.as_deref().unwrap_or(top).join(named));
    let real_top = sys::canonical(top).unwrap_or_else(|_| top.to_owned());
    // a deleted file has a directory only
    let in_real = || Some(sys::canonical(whole.parent()?).ok()?.join(whole.file_name()?));
    let real = sys::canonical(&whole).ok().or_else(in_real);
    let below = [whole.strip_prefix(top).ok(), real.as_deref().and_then(|real| real.strip_prefix(&real_top).ok())];
    let paths = below.into_iter().flatten().filter_map(|path| RepoPath::parse(&sys::git_bytes(path)).ok());
    paths.filter(|path| !path.is_root()).collect()
}

/// The path without `.` and `..`.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Every scenario that is judged by one of `paths`, or was measured with one, with the first of them, in the order of nodes and
/// files.
fn governing<'w>(repo: &Repo, workspace: Option<&'w Workspace>, paths: &'w [RepoPath]) -> Result<Vec<Governing<'w>>> {
    let Some(workspace) = workspace else { return Ok(Vec::new()) };
    let view = repo.worktree_view()?;
    let mut found = Vec::new();
    for node in &workspace.nodes {
        let effective = latest_measured(node, &|path| paths.contains(path)).then(|| Effective::of(node));
        for scenario in node.scenarios() {
            let latest = effective.as_ref().and_then(|effective| effective.latest(&scenario.name));
            let measured = latest.map(Reading::stamped_paths).unwrap_or_default();
            let path = governed_one(&*view, node, scenario, paths)?;
            if let Some(path) = path.or_else(|| paths.iter().find(|path| measured.contains(path))) {
                let hash = ShortHash::of_scenario(&node.dir, &scenario.name);
                found.push(Governing { path, node, scenario, hash });
            }
        }
    }
    Ok(found)
}

fn governed_one<'p>(
    view: &dyn Tree,
    node: &Node,
    scenario: &Scenario,
    paths: &'p [RepoPath],
) -> Result<Option<&'p RepoPath>> {
    for entry in watched(node, scenario) {
        if let Some(path) = paths.iter().find(|path| entry.covers(path)) {
            return Ok(Some(path));
        }
        let files = matches(view, entry)?;
        if let Some(path) = paths.iter().find(|path| files.iter().any(|(file, _)| file == *path)) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The nodes that may govern one of `paths`, as the work tree declares them; `None` if there is none.
fn concerned(visit: &Visit<'_>, memory: Option<&Memory>, paths: &[RepoPath]) -> Result<Option<Workspace>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let repo = visit.repo;
    let file = remember::paths_file(repo);
    let memo = file.as_ref().and_then(|file| remember::recall(repo, file));
    let is_known = memory.is_none_or(|memory| !memory.here.nodes_more);
    let dirs =
        memo.as_ref().filter(|_| is_known).and_then(|memo| fast_commit::concerned(repo, memo, &edits(repo, paths)));
    let (Some(memo), Some(mut dirs)) = (memo, dirs) else {
        (visit.busy)();
        let view = repo.worktree_view()?;
        return workspace::load(&*view, workspace::read_config_for_agents(&*view)?, &Select::All).map(Some);
    };
    let edited = memory.iter().flat_map(|memory| &memory.here.nodes);
    dirs.extend(edited.map(|dir| RepoPath::from_git(dir.as_str())));
    // a memo knows the lists of HEAD, and an edit or a command may have changed them since
    dirs.extend(changed_nodes(repo, &memo, &DECLARING, None));
    if dirs.is_empty() {
        return Ok(None);
    }
    (visit.busy)();
    of_dirs(repo, &dirs, &memo.nodes_beside(&dirs)).map(Some)
}

fn of_dirs(repo: &Repo, dirs: &BTreeSet<RepoPath>, others: &[&bstr::BStr]) -> Result<Workspace> {
    let view = repo.worktree_view()?;
    let config = workspace::read_config_for_agents(&*view)?;
    match workspace::load_alone(&*view, config.clone(), dirs, others)? {
        Some(workspace) => Ok(workspace),
        None => workspace::load(&*view, config, &Select::Dirs(dirs.clone())),
    }
}

/// The edits as changes of existing files. Their content does not matter.
fn edits(repo: &Repo, paths: &[RepoPath]) -> Vec<PathChange> {
    let some = Some((Mode::FILE, Oid::zero(repo.hash)));
    paths.iter().map(|path| PathChange { path: path.clone(), old: some, new: some, unmerged: false }).collect()
}
