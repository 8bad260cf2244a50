//! Builds a graph: from the facts of a view of the repository, or by replaying an event log.

use crate::app::judge::remember;
use crate::app::judge::unseen;
use crate::app::query::view::snapshot_of;
use crate::engine::facts;
use crate::error::{Error, Refusal, Result};
use crate::features::graph::judge::engine::apply::OpSink;
use crate::features::graph::judge::engine::apply::{Graph, Shapes};
use crate::features::graph::judge::engine::digest::digest;
use crate::features::graph::judge::engine::facts::{GraphSources, collect};
use crate::features::graph::judge::engine::near::near;
use crate::features::graph::judge::engine::part::Buried;
use crate::features::graph::judge::engine::project::project;
use crate::features::graph::judge::engine::replay::{Missed, PartialNote, replay};
use crate::features::graph::judge::engine::run_log::RunLogText;
use crate::features::graph::judge::engine::typed::{self, Shortener};
use crate::features::graph::judge::gaps::UnprovenPatch;
use crate::features::graph::model::answer::{GraphHead, PartialRow};
use crate::features::patches::{Patch, Patches, Touch, is_alone};
use crate::features::runlogs::ReadLog;
use crate::model::config::Config;
use crate::model::ledger::LineHash;
use crate::model::node::Node;
use crate::model::workspace::{self, Select, WholeLedgers};
use crate::repo::Repo;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Name of the main work tree; linked work trees have names of their own.
const MAIN_FRAME: &str = "main";

pub(crate) enum GraphSource<'s> {
    /// The repository: a named commit, else the working tree, or HEAD in a bare repository.
    View(GraphView<'s>),
    /// A log.
    Log {
        /// Its name in messages.
        name: String,
        bytes: Vec<u8>,
        /// The value of `--log`, and `--rev` if it was typed, for example `run.jsonl --rev HEAD`.
        typed: String,
    },
}

#[derive(Clone, Copy)]
pub(crate) struct GraphView<'s> {
    pub(crate) repo: &'s Repo,
    /// The commit; `None` means the working tree, or HEAD in a bare repository.
    pub(crate) rev: Option<&'s str>,
    /// Whether the graph includes branches. Ignored if a commit is named, because branches belong to no commit.
    pub(crate) branches: bool,
}

impl GraphView<'_> {
    /// Refuses a path that the view does not have.
    ///
    /// # Errors
    /// Usage, with a suggestion, if the path is missing; otherwise if the view cannot be read.
    pub(super) fn refuse_absent(&self, path: &RepoPath) -> Result<()> {
        let snapshot = snapshot_of(self.repo, self.rev)?;
        unseen::refuse(self.repo, &[&*snapshot.view], std::slice::from_ref(path))
    }
}

/// A graph, with everything needed to answer questions about it.
pub(crate) struct DerivedGraph {
    pub(crate) graph: Graph,
    /// Whether the relations are checked against the shape table.
    pub(crate) shapes: Shapes,
    /// What could not become part of the graph.
    pub(crate) missed: Missed,
    /// The nodes of the view without their ledgers; empty for a log.
    pub(crate) nodes: Vec<Node>,
    /// The configuration of the view; the defaults for a log.
    pub(crate) config: Config,
    /// The branches that were merged without proof; empty unless branches are included.
    pub(crate) unproven: Vec<UnprovenPatch>,
    /// The lines that the ledgers of the view redact; empty for a log.
    redacted: BTreeSet<LineHash>,
    /// The command that checks the same source.
    check: String,
}

impl DerivedGraph {
    /// Builds the graph of `source`. `sink` receives every op.
    ///
    /// # Errors
    /// Usage if the named commit does not exist; otherwise if the view cannot be read.
    pub(crate) fn of(source: &GraphSource<'_>, sink: Option<OpSink<'_>>) -> Result<Self> {
        match source {
            GraphSource::View(view) => of_view(view, &BTreeSet::new(), sink),
            GraphSource::Log { name, bytes, typed } => {
                let replayed = replay(name, bytes, sink);
                let (nodes, config) = (Vec::new(), Config::default());
                Ok(Self {
                    graph: replayed.graph,
                    shapes: replayed.shapes,
                    missed: replayed.missed,
                    nodes,
                    config,
                    unproven: Vec::new(),
                    redacted: BTreeSet::new(),
                    check: format!("yatsu-hook graph check --log {typed}"),
                })
            }
        }
    }

    /// The graph of `view`, to print beside `other`: without the lines that only `other` redacts, because their words had to
    /// go. `None` if there are none, so that this graph itself may be printed.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(crate) fn without_redacted(&self, view: &GraphView<'_>, other: &Self) -> Result<Option<Self>> {
        let gone: BTreeSet<LineHash> = other.redacted.difference(&self.redacted).copied().collect();
        if gone.is_empty() { Ok(None) } else { of_view(view, &gone, None).map(Some) }
    }

    /// The head of every answer: the version, the digest and the gaps of the graph.
    pub(crate) fn head(&self) -> GraphHead {
        let row =
            |note: &PartialNote| PartialRow { path: note.path.clone(), line: note.line, message: note.message.clone() };
        GraphHead {
            version: self.graph.version(),
            digest: digest(&self.graph, self.shapes).to_string(),
            partial: self.missed.notes.iter().map(row).collect(),
            check: self.check.clone(),
            unlisted: self.missed.unlisted,
        }
    }

    /// The id of the node that the user typed, in full or shortened.
    ///
    /// # Errors
    /// Refused if no node has this id, with up to three similar ids.
    pub(crate) fn find(&self, text: &str) -> Result<String> {
        let is_there = |id: &str| self.graph.node(id).is_some();
        let canonical = typed::canonical(&self.nodes, text);
        if let Some(found) = [text, &canonical].into_iter().find(|id| is_there(id)) {
            return Ok(found.to_owned());
        }
        if let Some(id) = typed::scenario(&self.nodes, text)?.filter(|id| is_there(id)) {
            return Ok(id);
        }
        let whole = self.graph.whole(Buried::In);
        let begun: Vec<&str> =
            whole.nodes.iter().map(|node| node.id).filter(|id| is_beginning(text) && id.starts_with(text)).collect();
        if let [id] = begun[..] {
            return Ok(id.to_owned());
        }
        let shortener = Shortener::of(&self.nodes);
        let shorts: Vec<Cow<'_, str>> = whole.nodes.iter().map(|node| shortener.short(node.id)).collect();
        // users type whole ids or short names, so a misspelt id is compared with both
        let ids = whole.nodes.iter().zip(&shorts).map(|(node, short)| (node.id, &**short));
        let meant = near(&canonical, ids);
        let error = Error::refused(format!("the graph has no node `{}`", echo(text))).because(Refusal::Unknown);
        let error = meant.iter().fold(error, |error, short| error.hint(format!("did you mean {short}?")));
        Err(if meant.is_empty() { error.hint("`yatsu-hook graph show --format json` prints them all") } else { error })
    }
}

/// Whether `text` is an abbreviated hash of at least four digits, e.g. `commit:1a2b`.
fn is_beginning(text: &str) -> bool {
    let hash = ["commit:", "artifact:"].into_iter().find_map(|kind| text.strip_prefix(kind));
    hash.is_some_and(|hash| hash.len() >= 4 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The graph of a view, as if its ledgers did not have the lines `without`.
fn of_view(
    GraphView { repo, rev, branches }: &GraphView<'_>,
    without: &BTreeSet<LineHash>,
    sink: Option<OpSink<'_>>,
) -> Result<DerivedGraph> {
    let snapshot = &snapshot_of(repo, *rev)?;
    let (view, is_present) = (&*snapshot.view, rev.is_none());
    let config = workspace::read_config(view)?;
    let before = WholeLedgers::of_all(remember::parsed(repo, snapshot, None));
    let mut workspace = workspace::load_knowing(view, config, &Select::All, &before)?;
    if !without.is_empty() {
        let ledgers = workspace.nodes.iter_mut().flat_map(|node| &mut node.ledgers);
        ledgers.for_each(|ledger| ledger.lines.retain(|line| !without.contains(&LineHash::of(&line.bytes))));
    }
    let mut facts = facts::collect_unowned(view, &remember::anchors(repo), workspace)?;
    let logs = ReadLog::all(view, &facts.workspace.config)?;
    let frame = frame(repo).filter(|_| is_present);
    let mut missed = Missed::default();
    let patches = if is_present && *branches { patches(repo, &mut missed)? } else { Vec::new() };
    let sources = GraphSources {
        patches: &patches,
        facts: &facts,
        view,
        logs: logs.iter().map(text).collect(),
        frame: frame.as_deref(),
    };
    let unproven = patches.iter().filter(|patch| patch.is_unproven()).map(unproven).collect();
    let projected = project(collect(&sources)?, sink);
    projected.missed.notes.into_iter().for_each(|note| missed.push(note));
    missed.unlisted += projected.missed.unlisted;
    let lines = facts.workspace.nodes.iter().flat_map(|node| &node.ledgers).flat_map(|ledger| &ledger.lines);
    let redacted = lines.filter_map(|line| line.event.redacted()).map(|redacted| redacted.line).collect();
    // the graph holds the content of the ledgers now, and they are most of the memory
    facts.workspace.nodes.iter_mut().for_each(|node| node.ledgers.clear());
    let workspace = facts.workspace;
    let rev = rev.map(|rev| format!(" --rev {}", shell::word(rev))).unwrap_or_default();
    Ok(DerivedGraph {
        graph: projected.graph,
        shapes: Shapes::Derived,
        missed,
        nodes: workspace.nodes,
        config: workspace.config,
        unproven,
        redacted,
        check: format!("yatsu-hook graph check{rev}"),
    })
}

fn text(log: &ReadLog) -> RunLogText<'_> {
    RunLogText { path: &log.path, bytes: &log.bytes, profile: &log.profile }
}

fn unproven(patch: &Patch) -> UnprovenPatch {
    let name = |touch: &Touch| format!("{}/{}", touch.node.id, touch.scenario);
    UnprovenPatch { branch: patch.facts.branch.clone(), touches: patch.facts.touches.iter().map(name).collect() }
}

/// The patches of the branches beside main. A branch that cannot be judged, e.g. in a shallow clone, becomes a note in
/// `missed`; the others are returned.
fn patches(repo: &Repo, missed: &mut Missed) -> Result<Vec<Patch>> {
    if is_alone(repo)? {
        return Ok(Vec::new());
    }
    let mut miss = |path: String, error: Error| missed.push(PartialNote { path, line: 1, message: error.message });
    let patches = match Patches::load(repo) {
        Ok(Some(patches)) => patches,
        Ok(None) => return Ok(Vec::new()),
        Err(error) => {
            miss("refs/heads".to_owned(), error);
            return Ok(Vec::new());
        }
    };
    let mut found = Vec::new();
    for (branch, patch) in patches.each()? {
        match patch {
            Ok(patch) => found.extend(patch),
            Err(error) => miss(branch.full.to_string(), error),
        }
    }
    Ok(found)
}

/// The name that git gives the work tree.
fn frame(repo: &Repo) -> Option<String> {
    repo.work_dir.as_ref()?;
    let linked = (repo.git_dir != repo.common_dir).then(|| repo.git_dir.file_name()).flatten();
    Some(linked.map_or_else(|| MAIN_FRAME.to_owned(), |name| name.as_encoded_bytes().to_str_lossy().into_owned()))
}
