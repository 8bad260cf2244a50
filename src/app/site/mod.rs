//! What recording commands need of a repository, and how they find the node, scenario and ledger that the user means.

pub(crate) mod begun;
#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod line_files;
pub(crate) mod manifests;
pub(crate) mod real;
mod selection;
pub mod setup_git;
pub(crate) mod spending;

use line_files::IsHeld;
pub(crate) use selection::{NamedPlace, Selection};

use crate::app::judge::branch::Touched;
use crate::app::judge::unseen;
use crate::engine::anchors::Anchors;
use crate::engine::effective::Effective;
use crate::engine::units::UnitBook;
use crate::error::{Error, Refusal, Result};
use crate::model::config::Config;
use crate::model::ledger::{Ledger, Reading, Timestamp};
use crate::model::node::Node;
use crate::model::reference::{Named, resolve, resolve_reference, resolve_scenario, scenario_word};
use crate::model::scenario::Scenario;
use crate::model::workspace::Outline;
use crate::names::{NEWER_LEDGER, OLDER_LEDGER, is_trunk};
use crate::repo::Repo;
use crate::sys;
use crate::text::escape::echo;
use crate::text::nearest::nearest;
use crate::text::shell;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

/// Longest note in bytes.
pub(crate) const MAX_NOTE: usize = 2048;
/// Longest other text in bytes.
pub(crate) const MAX_FIELD: usize = 4096;

/// A repository as the recording use cases see it. Every answer is about the working tree unless it says otherwise.
pub(crate) trait Site {
    /// The top of the work tree; `None` in a bare repository.
    fn work_dir(&self) -> Option<&Path>;

    /// The commit that HEAD names; `None` before the first one.
    fn head(&self) -> Result<Option<Oid>>;

    fn worktree(&self) -> Result<Rc<dyn Tree>>;

    /// Whether a submodule that is checked out has uncommitted changes.
    fn is_submodule_edited(&self, path: &RepoPath) -> Result<bool>;

    fn commit(&self, id: &Oid) -> Result<Rc<dyn Tree>>;

    /// When a commit was made, in seconds since 1970; `None` if it is not in this clone.
    fn date(&self, id: &Oid) -> Result<Option<i64>>;

    /// The newest commit in the history of `tip` that was made at this time or before, in seconds since 1970; `None` without one
    /// in this clone.
    fn newest_until(&self, tip: &Oid, date: i64) -> Result<Option<Oid>>;

    /// A cache for the commits that readings name and for the units of source files.
    fn anchors(&self) -> Anchors;

    /// Saves the units of `book` for the hooks, because the next edit is compared with the content that is measured now.
    fn leave_units(&self, book: &UnitBook);

    /// The commit that a revision names; usage when it names none.
    fn revision(&self, text: &str) -> Result<Oid>;

    /// Whether the index holds `path` in conflicting stages.
    fn is_unmerged(&self, path: &RepoPath) -> Result<bool>;

    fn config(&self) -> Result<Config>;

    /// Whether git is configured with a remote.
    fn has_remote(&self) -> Result<bool>;

    /// What the index, HEAD and ORIG_HEAD hold at this moment.
    fn held_by_git(&self) -> Result<IsHeld>;

    /// Set once a command wrote the first segment of a repository that says nothing about segments.
    fn began_segments(&self) -> &Cell<bool>;

    /// Every node of the work tree, governed paths resolved, ledgers parsed.
    fn nodes(&self) -> Result<Vec<Node>>;

    /// Every node of the work tree, by directory and id alone, to find the one that the user means. Reads no file of a
    /// node.
    fn outline(&self) -> Result<Vec<Node>>;

    /// The node in this directory of the work tree, read as [`Site::nodes`] reads all of them; `None` if there is none.
    fn node(&self, dir: &RepoPath) -> Result<Option<Node>>;

    /// As [`Site::node`], without searching the work tree for untracked nodes: its id is the one among the tracked nodes.
    /// `None` if it declares nothing, or if only a search of everything could find it.
    fn node_alone(&self, dir: &RepoPath) -> Result<Option<Node>>;

    /// As [`Site::worktree`], read again at this moment.
    fn worktree_now(&self) -> Result<Rc<dyn Tree>>;

    /// As [`Site::nodes`], read again at this moment. Under the lock no other process changes them.
    fn reread(&self) -> Result<Vec<Node>>;

    /// The opened repository, to judge its states.
    fn repo(&self) -> Result<&Repo>;

    /// The user's current directory, below the top.
    fn here(&self) -> RepoPath;

    /// The nodes with files that the branch changed, for `.` if [`Site::here`] is in no node.
    fn touched(&self) -> Result<Touched>;
}

/// The work tree, or the refusal of a bare repository.
pub(crate) fn work_dir(site: &dyn Site) -> Result<&Path> {
    writable(site.work_dir())
}

/// As [`work_dir`] before a site is made.
pub(crate) fn writable(work_dir: Option<&Path>) -> Result<&Path> {
    work_dir.ok_or_else(|| {
        Error::refused("a bare repository has no work tree, and what is recorded is written in one")
            .hint("run this in a clone with a work tree, commit the written files and push them")
    })
}

/// The node that the user means: by reference, else the node of the current directory, else the only touched node.
pub(crate) fn find_node<'n>(site: &dyn Site, nodes: &'n [Node], reference: Option<&str>) -> Result<&'n Node> {
    let found = pick_node(nodes, reference, &site.here(), || site.touched());
    found.map_err(|error| match (site.worktree(), site.config()) {
        (Ok(view), Ok(config)) => unseen::hinted(error, &*view, &config),
        _ => error,
    })
}

/// As [`find_node`] without a site. `here` is the user's current directory. `touched` returns the nodes of the branch and
/// is asked only if nothing else decides.
pub(crate) fn pick_node<'n>(
    nodes: &'n [Node],
    reference: Option<&str>,
    here: &RepoPath,
    touched: impl FnOnce() -> Result<Touched>,
) -> Result<&'n Node> {
    if let Some(text) = reference.filter(|text| !is_dot(text)) {
        return match resolve_reference(nodes, text) {
            Ok(at) => Ok(&nodes[at]),
            Err(error) => {
                // a node of an outline was not parsed, so its scenarios are not known here
                let is_scenario = |node: &Node, name: &str| Ok(node.file.is_none() || node.scenario(name).is_some());
                Err(match resolve_scenario(nodes, text, is_scenario) {
                    Ok(Some(_)) => error.hint("name the node alone: NODE/SCENARIO names a scenario, too"),
                    _ => error,
                })
            }
        };
    }
    if let Some(node) = node_around(nodes, here, reference) {
        return Ok(node);
    }
    let touched = touched()?;
    let meant: Vec<_> = nodes.iter().filter(|node| touched.dirs.contains(&node.dir)).collect();
    match meant[..] {
        [node] => Ok(node),
        [] => Err(Error::usage(format!(
            "no node is named, you stand in none, and none was touched since {}",
            touched.since
        ))
        .hint("name the node, by its directory or its id: `yatsu-hook ls` lists them")),
        _ => Err(listed(
            &format!("several nodes were touched since {}; name one of them", touched.since),
            meant.iter().map(|node| format!("{} ({})", node.dir, node.id)),
        )),
    }
}

/// The node of the current directory. A node at the top is around every directory, so it is meant by a typed `.` alone, and there.
fn node_around<'n>(nodes: &'n [Node], here: &RepoPath, reference: Option<&str>) -> Option<&'n Node> {
    let is_typed_at_top = here.is_root() && reference.is_some_and(is_dot);
    let is_meant = |node: &&Node| if node.dir.is_root() { is_typed_at_top } else { here.is_within(&node.dir) };
    let around = nodes.iter().filter(is_meant);
    around.max_by_key(|node| node.dir.as_bstr().len())
}

/// What [`pick_named`] picks, by the names of all nodes and by the nodes that the word may name. `None` if only all nodes
/// can tell, or if the word is wrong.
pub(crate) fn pick_alone(
    outline: &Outline,
    tree: &dyn Tree,
    reference: Option<&str>,
    here: &RepoPath,
) -> Option<NamedPlace> {
    let nodes = outline.nodes();
    let Some(text) = reference.filter(|text| !is_dot(text)) else {
        return Some((node_around(&nodes, here, reference)?.dir.clone(), None));
    };
    let declared = |dir: &RepoPath, name: &str| -> Result<Option<String>> {
        let node = outline.load(tree, dir)?;
        Ok(node.and_then(|node| node.scenario(name).map(|scenario| scenario.name.clone())))
    };
    if !is_behind(text) {
        return Some((nodes[resolve_reference(&nodes, text).ok()?].dir.clone(), None));
    }
    let Named { node, scenario } = resolve(&nodes, text, |node, name| Ok(declared(&node.dir, name)?.is_some())).ok()?;
    let dir = nodes[node].dir.clone();
    Some(match scenario {
        Some(name) => (dir.clone(), Some(declared(&dir, &name).ok()??)),
        None => (dir, None),
    })
}

/// A typed scenario: its node and its name, or both in one word, e.g. `board/renders`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedScenario {
    pub node: Option<String>,
    pub scenario: Option<String>,
}

impl TypedScenario {
    /// Splits NODE/SCENARIO into node and name. If a name was typed beside it, the word is a node, which may be gone from
    /// the work tree. A word that names nothing here is also a node.
    ///
    /// # Errors
    /// Usage if the meaning is ambiguous.
    pub(crate) fn apart(self, site: &dyn Site) -> Result<Self> {
        let Some(text) = self.node.as_deref().filter(|text| self.scenario.is_none() && is_behind(text)) else {
            return Ok(self);
        };
        if is_directory_alone(site, text)? {
            return Ok(self);
        }
        let nodes = site.outline()?;
        let declares =
            |node: &Node, name: &str| Ok(site.node(&node.dir)?.is_some_and(|node| node.scenario(name).is_some()));
        match resolve(&nodes, text, declares) {
            Ok(Named { node, scenario: Some(name) }) => {
                Ok(Self { node: Some(nodes[node].argument()), scenario: Some(name) })
            }
            Err(error) if !is_nothing(&nodes, text) => Err(error),
            _ => Ok(self),
        }
    }

    /// The node, for a command about a whole node.
    ///
    /// # Errors
    /// Usage if the meaning is ambiguous, or if the node declares no scenario of that name.
    pub(crate) fn declared_node(self, site: &dyn Site) -> Result<Option<String>> {
        let Self { node, scenario } = self.apart(site)?;
        if let Some(name) = scenario {
            let nodes = site.nodes()?;
            find_scenario(&nodes, find_node(site, &nodes, node.as_deref())?, Some(&name))?;
        }
        Ok(node)
    }

    /// The node and the name of the scenario. Without a typed name the node must declare exactly one scenario.
    ///
    /// # Errors
    /// Usage if no name was typed and the node does not declare exactly one scenario.
    pub(crate) fn named(self, site: &dyn Site) -> Result<(Option<String>, String)> {
        let Self { node, scenario } = self;
        if let Some(name) = scenario {
            return Ok((node, name));
        }
        work_dir(site)?;
        let nodes = site.nodes()?;
        let meant = find_node(site, &nodes, node.as_deref())?;
        let name = find_scenario(&nodes, meant, None)?.name.clone();
        Ok((node, name))
    }
}

/// Whether `text` is neither a node nor a scenario of one.
fn is_nothing(nodes: &[Node], text: &str) -> bool {
    resolve_reference(nodes, text).is_err() && matches!(resolve_scenario(nodes, text, |_, _| Ok(true)), Ok(None))
}

/// Whether `text` may be NODE/SCENARIO.
fn is_behind(text: &str) -> bool {
    text.contains('/') && !is_dot(text)
}

/// Whether `text` is the directory of a node and no directory above declares the rest as a scenario. Needs no search of
/// the work tree, which may be large.
fn is_directory_alone(site: &dyn Site, text: &str) -> Result<bool> {
    let alone = |text: &str| {
        let dir = RepoPath::parse(text.as_bytes()).ok().filter(|dir| !dir.is_root());
        dir.map_or(Ok(None), |dir| site.node_alone(&dir))
    };
    if alone(text)?.is_none() {
        return Ok(false);
    }
    for (at, _) in text.match_indices('/') {
        if alone(&text[..at])?.is_some_and(|node| node.scenario(&text[at + 1..]).is_some()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The node that `text` names among loaded nodes, and the scenario if `text` is NODE/SCENARIO.
///
/// # Errors
/// Usage, with the candidates, if the meaning is ambiguous, or if the node declares no such scenario.
pub(crate) fn named<'n>(nodes: &'n [Node], text: &str) -> Result<(&'n Node, Option<&'n Scenario>)> {
    let Named { node, scenario } = resolve(nodes, text, |node, name| Ok(node.scenario(name).is_some()))?;
    let node = &nodes[node];
    Ok((node, scenario.map(|name| find_scenario(nodes, node, Some(&name))).transpose()?))
}

/// As [`named`] for NODE/SCENARIO, else as [`pick_node`]. Every command that takes a node or a scenario uses this.
pub(crate) fn pick_named<'n>(
    nodes: &'n [Node],
    reference: Option<&str>,
    here: &RepoPath,
    touched: impl FnOnce() -> Result<Touched>,
) -> Result<(&'n Node, Option<&'n Scenario>)> {
    match reference.filter(|text| is_behind(text)) {
        Some(text) => named(nodes, text),
        None => Ok((pick_node(nodes, reference, here, touched)?, None)),
    }
}

/// `.` as people and shells write it.
fn is_dot(text: &str) -> bool {
    matches!(text, "." | "./")
}

/// The scenario that the user means. Without a name the node must declare exactly one.
pub(crate) fn find_scenario<'n>(nodes: &[Node], node: &'n Node, name: Option<&str>) -> Result<&'n Scenario> {
    let scenarios = node.scenarios();
    let names = || scenarios.iter().map(|scenario| &*scenario.name);
    match (name, scenarios) {
        (_, []) => Err(Error::usage(format!("node {} declares no scenario", node.id))
            .hint(format!("declare one in {}", node.scenario_file(nodes)))),
        (None, [only]) => Ok(only),
        (None, _) => Err(listed(
            &format!("node {} declares several scenarios; name one, as NODE/SCENARIO or with --scenario", node.id),
            names(),
        )),
        (Some(name), _) => node.scenario(name).ok_or_else(|| {
            let message = format!("node {} declares no scenario `{}`, only these", node.id, echo(name));
            let meant = nearest(name, names()).map(|meant| scenario_word(&node.argument(), meant));
            listed(
                &message,
                meant.map(|meant| format!("did you mean {meant}?")).into_iter().chain(names().map(str::to_owned)),
            )
        }),
    }
}

fn listed(message: &str, mut names: impl Iterator<Item = impl Into<String>>) -> Error {
    let error = names.by_ref().take(20).fold(Error::usage(message), |error, name| error.hint(name));
    match names.count() {
        0 => error,
        more => error.hint(format!("and {more} more: yatsu-hook ls")),
    }
}

/// The trunk file of a node: an existing one, the older name first; else the name that goes with the scenario file.
pub(super) fn trunk_path(node: &Node) -> RepoPath {
    if let Some(ledger) = node.ledgers.first().filter(|ledger| is_trunk(ledger.path.name())) {
        return ledger.path.clone();
    }
    let name = if node.is_newer() { NEWER_LEDGER } else { OLDER_LEDGER };
    node.dir.child(name.as_bytes())
}

/// Whether something of that name is on disk, a link included.
pub(crate) fn is_there(work_dir: &Path, path: &RepoPath) -> Result<bool> {
    match work_dir.join(sys::in_tree(path.as_bstr())).symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(Error::unread(path, &error)),
    }
}

/// Refuses a ledger that a sparse checkout leaves out: git has its lines, and a new file would hide them.
pub(crate) fn refuse_left_out(site: &dyn Site, path: &RepoPath) -> Result<()> {
    if is_there(work_dir(site)?, path)? || site.worktree()?.entry(path)?.is_none() {
        return Ok(());
    }
    let dir = path.parent().unwrap_or_default();
    Err(Error::refused(format!("{path} is not checked out"))
        .because(Refusal::NotMet)
        .hint(format!("git sparse-checkout add {}", shell::place(&dir))))
}

/// The error for a ledger that is being merged without marks of a conflict: git kept the file of one side.
pub(crate) fn one_sided(ledger: &RepoPath) -> Error {
    let file = shell::place(ledger);
    Error::refused(format!("{ledger} is being merged"))
        .because(Refusal::Invalid)
        .hint(format!("one side has moved or folded it: `git add {file}` keeps its lines"))
        .hint(format!("if another file beside it has them already: `git rm {file}`"))
}

/// Refuses to append to a ledger with an unfinished merge or a torn last line.
pub(crate) fn refuse_unsound(site: &dyn Site, ledger: &Ledger) -> Result<()> {
    if site.is_unmerged(&ledger.path)? {
        let is_marked = ledger.problems.iter().any(|problem| problem.key.starts_with("conflict-marker"));
        if !is_marked {
            return Err(one_sided(&ledger.path));
        }
        return Err(Error::refused(format!("{} is being merged", ledger.path)).because(Refusal::Invalid).argv(["repair"])
            .hint("`yatsu-hook repair` keeps the lines of both sides; then `git add` the ledger, finish the merge and run the command again"));
    }
    let blocking = |key: &str| key.starts_with("conflict-marker") || key.starts_with("torn");
    match ledger.problems.iter().find(|problem| blocking(&problem.key)) {
        None => Ok(()),
        Some(problem) => Err(Error::refused(format!("{}:{}: {}", ledger.path, problem.at.line, problem.message))
            .because(Refusal::Invalid)
            .argv(["repair", "--dry-run"])
            .hint(problem.help.clone())
            .hint("`yatsu-hook repair --dry-run` shows what can be mended without you")),
    }
}

/// The error for a node that was there a moment ago.
pub(crate) fn gone(dir: &RepoPath) -> Error {
    Error::refused(format!("{dir} is no node any more"))
        .because(Refusal::Unknown)
        .argv(["ls"])
        .hint("`yatsu-hook ls` lists the nodes")
}

/// The latest effective reading of `scenario`. Refused if it is dated so far ahead that no new reading would follow it.
pub(super) fn latest_believable<'l>(
    node: &Node,
    ledgers: &'l [Ledger],
    scenario: &str,
    now: Timestamp,
) -> Result<Option<&'l Reading>> {
    let found = Effective::over(ledgers).latest(scenario);
    let Some(reading) = found else { return Ok(None) };
    refuse_far_ahead(&format!("the latest reading of `{scenario}`"), reading.ts, now).map_err(|error| {
        let word = scenario_word(&node.argument(), scenario);
        error.hint(format!("or withdraw it: yatsu-hook retract {word} --ts {}", reading.ts))
    })?;
    Ok(found)
}

/// Refuses what would have to come after the line `what` of the time `ts`, if its follower would lie so far ahead of the clock
/// that no gate takes it.
pub(crate) fn refuse_far_ahead(what: &str, ts: Timestamp, now: Timestamp) -> Result<()> {
    let next = ts.next();
    if !next.is_far_ahead(now) {
        return Ok(());
    }
    Err(Error::refused(format!("{what} is dated {ts}, more than ten minutes ahead of the clock, which says {now}"))
        .because(Refusal::Invalid)
        .hint(format!("correct the clock if it is wrong, or wait until {}", next.believed_from())))
}

/// A text of the command line that goes into a ledger: one line, of at most `limit` bytes, without control characters.
pub(crate) fn one_line(what: &str, text: Option<&str>, limit: usize) -> Result<()> {
    let Some(text) = text else { return Ok(()) };
    if text.len() > limit {
        return Err(Error::usage(format!("the {what} is {} bytes long; at most {limit} are allowed", text.len()))
            .hint("put the long form into evidence: --result FILE"));
    }
    if text.chars().any(char::is_control) {
        return Err(Error::usage(format!("the {what} must be one line without control characters"))
            .hint("put what has more lines into evidence: --result FILE"));
    }
    if text.trim().is_empty() {
        return Err(Error::usage(format!("the {what} is blank")).hint("leave it out, or say something"));
    }
    Ok(())
}

/// Refuses a filter by a tag that no scenario can carry, because its empty answer would look like a clean one.
pub(crate) fn refuse_unknown_tags(config: &Config, tags: &[String]) -> Result<()> {
    let library = &config.scenario_tags;
    match tags.iter().find(|tag| !library.is_empty() && !library.contains(tag)) {
        None => Ok(()),
        Some(tag) => Err(Error::usage(format!("the tag {tag} is not in lint.scenarioTags"))
            .hint(format!("its tags are {}", library.iter().map(|tag| echo(tag)).collect::<Vec<_>>().join(", ")))),
    }
}
