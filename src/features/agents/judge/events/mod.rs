//! The doors of the harness that runs a coding agent: at the start of a session, after an edit, after a command, at a stop.
//! Input: an event. Output: the answer. These doors remind, and ask once. An error here is no answer and stops nothing,
//! because the hooks of git judge the same content later. They write nothing into the work tree, only below the git directory.

mod base;
mod claims;
mod due;
mod edit;
mod head_log;
mod made_here;
mod memory;
mod short_hash;
mod start;
mod stop;
mod worktrees;

use crate::app::judge::snapshot::{self, Snapshot};
use crate::app::judge::{remember, unseen};
use crate::app::memo::PathsMemo;
use crate::engine::anchors::Anchors;
use crate::engine::facts::{self, Facts};
use crate::error::Result;
use crate::features::agents::judge::observe;
use crate::features::agents::model::agent_event::{Event, EventKind, ShellCall};
use crate::features::agents::model::reply::{AgentReply, CommandPlace, DeclaredTest, NamedScenario};
use crate::features::claims::ClaimToken;
use crate::model::config::Config;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::model::scenario::{self, Scenario};
use crate::model::session::SessionHash;
use crate::model::workspace::{self, Select};
use crate::names::{NEWER_SCENARIOS, OLDER_SCENARIOS, SCENARIO_NAMES, SPEC};
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::store::Store;
use crate::store::ledger::look;
use crate::sys;
use crate::sys::MetadataExt;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use memory::{Base, COARSE_CLOCK, Memory, SessionPlace};
use short_hash::ShortHash;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An event at the door of a repository.
pub(crate) struct Visit<'v> {
    pub(crate) repo: &'v Repo,
    pub(crate) store: &'v Store,
    pub(crate) event: &'v Event,
    pub(crate) now: Timestamp,
    /// The token in `YATSU_CLAIM`.
    pub(crate) token: Option<ClaimToken>,
    /// How the harness uses an answer at a stop.
    pub(crate) shows: Shows,
    /// Called before anything that may take long.
    pub(crate) busy: &'v dyn Fn(),
}

/// How a harness uses an answer at a stop. For example, Cursor puts the question to the agent and shows no message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shows {
    /// It gives a question to the agent, which then goes on.
    pub(crate) questions: bool,
    /// It shows a message to its user.
    pub(crate) messages: bool,
}

impl<'v> Visit<'v> {
    /// The same event at another work tree of the repository.
    fn at(&self, repo: &'v Repo) -> Self {
        Visit { repo, ..*self }
    }
}

/// The answer to an event.
///
/// # Errors
/// When something cannot be read, judged or remembered. Then there is no answer.
pub(crate) fn answer(visit: &Visit<'_>) -> Result<AgentReply> {
    if visit.repo.work_dir.is_none() || visit.event.kind == EventKind::Other || !is_used(visit.repo)? {
        return Ok(AgentReply::Neutral);
    }
    match &visit.event.kind {
        EventKind::SessionStart { .. } => start::answer(visit),
        EventKind::AfterEdit(paths) => after_edit(visit, paths),
        EventKind::AfterCommand(call) => after_command(visit, call).map(|()| AgentReply::Neutral),
        EventKind::Stop { again } => stop::answer(visit, *again),
        EventKind::Other => Ok(AgentReply::Neutral),
    }
}

/// Answers for each work tree that has some of the paths: an agent edits in a linked work tree from another directory, too.
fn after_edit(visit: &Visit<'_>, paths: &[String]) -> Result<AgentReply> {
    let (here, elsewhere) = worktrees::of_paths(visit, paths)?;
    let mut reply = edit::answer(visit, &here)?;
    for (repo, paths) in &elsewhere {
        let there = edit::answer(&visit.at(repo), paths)?;
        if reply == AgentReply::Neutral {
            reply = there;
        }
    }
    Ok(reply)
}

/// Notes in the memory when the command ran, and records the command if a scenario declares it.
fn after_command(visit: &Visit<'_>, call: &ShellCall) -> Result<()> {
    let Some(session) = &visit.event.session else { return Ok(()) };
    let head = visit.repo.head()?;
    let compared = compared(visit.repo, head);
    let known = visit.change(false, |memory| {
        memory.note_run(call.duration_ms, visit.now.millis);
        let here = &memory.here;
        let nodes = (!here.nodes_more).then(|| here.nodes.clone());
        (nodes, here.compared == Some(compared))
    })?;
    let (nodes, is_compared) = known.unwrap_or_default();
    let is_declared = nodes.is_none_or(|nodes| declare(visit.repo, &nodes, call));
    if !is_declared && !may_be_declared(visit.repo, call, head, is_compared)? {
        if !is_compared {
            visit.change(false, |memory| memory.here.compared = Some(compared))?;
        }
        return Ok(());
    }
    (visit.busy)();
    let config = workspace::read_config_for_agents(&*visit.repo.worktree_view()?)?;
    observe::note(visit.repo, &config, session, visit.event.speaker.as_str(), call, visit.now)
}

/// The commit of HEAD, and the times of the memo of paths and of the index. While all are the same, the scenario files of HEAD
/// and of the index need no second look.
fn compared(repo: &Repo, head: Option<Oid>) -> ShortHash {
    let head = head.map(|head| head.to_string()).unwrap_or_default();
    let written = |place: &Path| changed_at(place).unwrap_or_default().to_be_bytes();
    let (memo, index) = (written(&remember::paths_place(repo)), written(&repo.git_dir.join("index")));
    ShortHash::of(&[head.as_bytes(), &memo, &index])
}

/// Whether a scenario of these directories declares the command. The session edited them, so a memo may not know it.
fn declare(repo: &Repo, dirs: &BTreeSet<String>, call: &ShellCall) -> bool {
    let Some(top) = &repo.work_dir else { return false };
    let files =
        dirs.iter().flat_map(|dir| SCENARIO_NAMES.map(|name| RepoPath::from_git(dir.as_str()).child(name.as_bytes())));
    let declares = |path: RepoPath| {
        let Ok(Some(bytes)) = look(top, &path) else { return false };
        let scenarios = scenario::parse(&path, &bytes, &[]).scenarios;
        scenarios
            .iter()
            .filter_map(|one| one.test_command.as_deref())
            .any(|command| spellings(call).any(|it| it == command))
    };
    files.into_iter().any(declares)
}

/// The command as a scenario may declare it: whole, and without a leading `cd DIR && `.
fn spellings(call: &ShellCall) -> impl Iterator<Item = &str> {
    let command = observe::trimmed(&call.command);
    let after_cd = command.split_once(" && ").map(|(_, command)| observe::trimmed(command));
    [command].into_iter().chain(after_cd)
}

/// Whether a scenario may declare the command. Most commands are declared nowhere, and the memo of the last check knows that
/// unless a scenario file is younger. `is_compared`: HEAD and the index were compared with this memo before.
fn may_be_declared(repo: &Repo, call: &ShellCall, head: Option<Oid>, is_compared: bool) -> Result<bool> {
    let Some(file) = remember::paths_file(repo) else { return Ok(true) };
    let Some(memo) = remember::recall(repo, &file) else { return Ok(true) };
    Ok(spellings(call).any(|command| memo.declares(command))
        || !is_compared && (differs(repo, &memo, head)? || has_new_node(repo, &memo)?)
        || changed_nodes(repo, &memo, &SCENARIO_NAMES, None).next().is_some())
}

/// Whether the commit `head` has another scenario file than the memo's tree.
fn differs(repo: &Repo, memo: &PathsMemo<'_>, head: Option<Oid>) -> Result<bool> {
    let tree = head.map(|head| repo.tree_of(&head)).transpose()?.flatten();
    let is_scenario_file = |change: &PathChange| SCENARIO_NAMES.iter().any(|name| change.path.name() == name);
    Ok(tree != Some(memo.tree) && repo.tree_diff(Some(memo.tree), tree)?.iter().any(is_scenario_file))
}

/// Whether the index has a node that the memo does not know, for example one that a shell added after the last check.
fn has_new_node(repo: &Repo, memo: &PathsMemo<'_>) -> Result<bool> {
    // an index with a conflict names no files
    let Ok(index) = repo.index_view() else { return Ok(false) };
    let config = workspace::read_config_for_agents(&*repo.worktree_view()?)?;
    let known: BTreeSet<RepoPath> = memo.dirs(|flags| flags.node).collect();
    Ok(workspace::catalog(&*index, &config)?.iter().any(|files| !known.contains(&files.dir)))
}

/// The files of a node that may govern a path.
const DECLARING: [&str; 3] = [SPEC, OLDER_SCENARIOS, NEWER_SCENARIOS];

/// The nodes of `memo` with a file of one of `names` that may have changed since a moment in milliseconds, by the times of the
/// file. Without a moment: since the memo was written, because the memo has every earlier change.
fn changed_nodes(
    repo: &Repo,
    memo: &PathsMemo<'_>,
    names: &'static [&'static str],
    since: Option<i64>,
) -> impl Iterator<Item = RepoPath> {
    let since = since.or_else(|| changed_at(&remember::paths_place(repo))).unwrap_or(i64::MIN);
    let top = repo.work_dir.clone().unwrap_or_default();
    memo.dirs(|flags| flags.node).filter(move |dir| {
        let place = top.join(sys::in_tree(dir.as_bstr()));
        names
            .iter()
            .any(|name| changed_at(&place.join(name)).is_some_and(|at| at.saturating_add(COARSE_CLOCK) >= since))
    })
}

/// When a file last changed, in milliseconds, by content or by name; `None` if there is none.
fn changed_at(place: &Path) -> Option<i64> {
    let about = place.symlink_metadata().ok()?;
    let millis = |seconds: i64, nanos: i64| seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000);
    Some(millis(about.mtime(), about.mtime_nsec()).max(millis(about.ctime(), about.ctime_nsec())))
}

/// Whether the repository may have nodes. The memo of the last check answers without a look at the work tree. Without a memo
/// the index answers, because a search for untracked files may take long in a repository that never uses this program.
fn is_used(repo: &Repo) -> Result<bool> {
    // a node that HEAD does not have may be on disk
    if unseen::is_possible(repo, &Config::default()) {
        return Ok(true);
    }
    let head = repo.head()?.map(|head| repo.tree_of(&head)).transpose()?.flatten();
    if let Some(file) = remember::paths_file(repo)
        && let Some(memo) = remember::recall(repo, &file)
        && (!memo.is_empty() || head == Some(memo.tree))
    {
        return Ok(!memo.is_empty());
    }
    let view = repo.worktree_view()?;
    let config = workspace::read_config_for_agents(&*view)?;
    match repo.index_view() {
        Ok(index) => Ok(!workspace::catalog(&*index, &config)?.is_empty()),
        // an index with a conflict names no files
        Err(_) => Ok(!workspace::catalog(&*view, &config)?.is_empty()),
    }
}

impl Visit<'_> {
    /// The place of the session's memory; `None` for an event without a session.
    fn place(&self) -> Option<SessionPlace<'_>> {
        Some(SessionPlace::new(self.store, self.session()?, worktrees::key(self.repo)))
    }

    fn session(&self) -> Option<SessionHash> {
        self.event.session.as_ref().map(|id| SessionHash::of(id.as_bytes()))
    }

    /// The memory of the session; `None` without a session, and at its first event in any work tree.
    fn recall(&self) -> Result<Option<Memory>> {
        self.place().map_or(Ok(None), |place| place.recall())
    }

    /// Changes the session's memory, which begins here if this is its first event. `None` without a session.
    fn change<T>(&self, durable: bool, change: impl FnOnce(&mut Memory) -> T) -> Result<Option<T>> {
        self.change_from(|| base::of_head(self.repo), durable, change)
    }

    /// The same; `base` finds the base of a session that begins here.
    fn change_from<T>(
        &self,
        base: impl FnOnce() -> Result<Base>,
        durable: bool,
        change: impl FnOnce(&mut Memory) -> T,
    ) -> Result<Option<T>> {
        let Some(place) = self.place() else { return Ok(None) };
        let logged = |memory: &Memory| made_here::end_of_log(self.repo, memory);
        place.change(base, logged, self.now.millis, durable, change).map(Some)
    }

    /// The same hash for the same event. A harness may report one event through two files of hooks, in two spellings.
    fn subject(&self) -> ShortHash {
        let call = self.event.call.as_deref().unwrap_or_default();
        ShortHash::of(&[call.as_bytes(), format!("{:?}", self.event.kind).as_bytes()])
    }
}

/// The judged work tree.
struct Scored {
    snapshot: Snapshot,
    anchors: Anchors,
    facts: Facts,
}

impl Scored {
    /// Judges every scenario of the work tree as a scan does, and leaves the same memos.
    fn of(visit: &Visit<'_>) -> Result<Self> {
        (visit.busy)();
        let repo = visit.repo;
        let snapshot = snapshot::all(repo)?;
        let (anchors, before) = (remember::anchors(repo), remember::parsed(repo, &snapshot, Some(visit.now)));
        let config = config(&snapshot)?;
        let workspace = workspace::load_knowing(&*snapshot.view, config, &Select::All, &before)?;
        let facts = facts::collect_unowned(&*snapshot.view, &anchors, workspace)?;
        remember::remember(repo, &snapshot, &facts, &anchors, &before);
        Ok(Self { snapshot, anchors, facts })
    }
}

/// The places of the commands in scenario files, each file parsed once.
#[derive(Default)]
struct CommandPlaces {
    lines: BTreeMap<RepoPath, Vec<(String, u32)>>,
}

impl CommandPlaces {
    /// What the scenario declares as its test. A command is looked for in `view`, where the scenario was read.
    fn test(&mut self, view: &dyn Tree, node: &Node, scenario: &Scenario) -> Result<DeclaredTest> {
        let Some(file) = node.file.as_ref().filter(|_| scenario.test_command.is_some()) else {
            return Ok(if scenario.test.is_some() { DeclaredTest::Report } else { DeclaredTest::Unset });
        };
        if !self.lines.contains_key(&file.path) {
            let bytes = view.read(&file.path)?.unwrap_or_default();
            self.lines.insert(file.path.clone(), scenario::command_lines(&bytes));
        }
        let mut lines = self.lines.get(&file.path).into_iter().flatten();
        let line = lines.find(|(name, _)| *name == scenario.name).map_or(1, |(_, line)| *line);
        Ok(DeclaredTest::Command(CommandPlace { file: file.path.to_bstring(), line }))
    }
}

fn named(node: &Node, scenario: &Scenario) -> NamedScenario {
    NamedScenario { node: node.dir.to_bstring(), name: scenario.name.clone() }
}

fn config(snapshot: &Snapshot) -> Result<Config> {
    workspace::read_config_for_agents(&*snapshot.view)
}
