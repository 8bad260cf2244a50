//! Where a graph comes from: a view of the repository, whose facts become it, or an event log that is replayed.

use crate::app::judge::patches::{Patches, is_alone};
use crate::app::judge::remember;
use crate::app::judge::runlogs;
use crate::app::judge::snapshot::{self, Snapshot};
use crate::app::judge::unseen;
use crate::engine::facts;
use crate::engine::graph::apply::OpSink;
use crate::engine::graph::apply::{Graph, Shapes};
use crate::engine::graph::digest::digest;
use crate::engine::graph::facts::{GraphSources, collect};
use crate::engine::graph::near::near;
use crate::engine::graph::part::Buried;
use crate::engine::graph::project::project;
use crate::engine::graph::replay::{Missed, PartialNote, replay};
use crate::engine::graph::typed::{self, Shortener};
use crate::engine::patch::{Patch, Touch};
use crate::error::{Error, Refusal, Result};
use crate::model::config::Config;
use crate::model::node::Node;
use crate::model::workspace::{self, Select, WholeLedgers};
use crate::repo::Repo;
use crate::report::view::ScopeMode;
use crate::report::view::graph::{GraphHead, PartialRow};
use crate::rules::UnprovenPatch;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;

/// What the work tree that is no linked one is called.
const MAIN_FRAME: &str = "main";

/// What a graph is made of.
pub(crate) enum GraphSource<'s> {
    /// The repository: the working tree, or HEAD in a bare one; a commit where one is named.
    View(GraphView<'s>),
    /// A log: how it is called, and what it says.
    Log(String, Vec<u8>),
}

/// A view of a repository.
#[derive(Clone, Copy)]
pub(crate) struct GraphView<'s> {
    /// The repository.
    pub(crate) repo: &'s Repo,
    /// The commit; the working tree, or HEAD in a bare repository, where none is named.
    pub(crate) rev: Option<&'s str>,
    /// Whether branches are asked about, which are no commit's: of one that is named they never are.
    pub(crate) branches: bool,
}

impl GraphView<'_> {
    /// Refuses a path that the view does not have.
    ///
    /// # Errors
    /// Usage, with the path that was probably meant; otherwise when the view cannot be read.
    pub(super) fn refuse_absent(&self, path: &RepoPath) -> Result<()> {
        let snapshot = snapshot(self.repo, self.rev)?;
        unseen::refuse(self.repo, &[&*snapshot.view], std::slice::from_ref(path))
    }
}

/// A graph with what it takes to be asked.
pub(crate) struct DerivedGraph {
    /// The graph.
    pub(crate) graph: Graph,
    /// Whose ops made it.
    pub(crate) shapes: Shapes,
    /// What is not in it.
    pub(crate) missed: Missed,
    /// The nodes of the view, without their ledgers; none of a log.
    pub(crate) nodes: Vec<Node>,
    /// What the view is judged by; the defaults of a log.
    pub(crate) config: Config,
    /// The branches that came into the main one without proof, where branches were asked about.
    pub(crate) unproven: Vec<UnprovenPatch>,
}

impl DerivedGraph {
    /// The graph of `source`; who is named hears of every op.
    ///
    /// # Errors
    /// Usage where a commit is named that is not here; otherwise when the view cannot be read.
    pub(crate) fn of(source: &GraphSource<'_>, sink: Option<OpSink<'_>>) -> Result<Self> {
        match source {
            GraphSource::View(view) => of_view(view, sink),
            GraphSource::Log(name, bytes) => {
                let replayed = replay(name, bytes, sink);
                let (nodes, config) = (Vec::new(), Config::default());
                Ok(Self {
                    graph: replayed.graph,
                    shapes: replayed.shapes,
                    missed: replayed.missed,
                    nodes,
                    config,
                    unproven: Vec::new(),
                })
            }
        }
    }

    /// What is said with every answer.
    pub(crate) fn head(&self) -> GraphHead {
        let row =
            |note: &PartialNote| PartialRow { path: note.path.clone(), line: note.line, message: note.message.clone() };
        GraphHead {
            version: self.graph.version(),
            digest: digest(&self.graph, self.shapes).to_string(),
            partial: self.missed.notes.iter().map(row).collect(),
            unlisted: self.missed.unlisted,
        }
    }

    /// The id that was typed.
    ///
    /// # Errors
    /// Refused where no node has it, with up to three that nearly do.
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
        // an id is typed whole or by the short name of its node: a slip in either is near to the one that was meant
        let ids = whole.nodes.iter().zip(&shorts).map(|(node, short)| (node.id, &**short));
        let meant = near(&canonical, ids);
        let error = Error::refused(format!("the graph has no node `{}`", echo(text))).because(Refusal::Unknown);
        let error = meant.iter().fold(error, |error, short| error.hint(format!("did you mean {short}?")));
        Err(if meant.is_empty() { error.hint("`yatsu-hook graph show --format json` prints them all") } else { error })
    }
}

/// Whether `text` is the beginning of a hash, long enough to be meant.
fn is_beginning(text: &str) -> bool {
    let hash = ["commit:", "artifact:"].into_iter().find_map(|kind| text.strip_prefix(kind));
    hash.is_some_and(|hash| hash.len() >= 4 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

pub(super) fn snapshot(repo: &Repo, rev: Option<&str>) -> Result<Snapshot> {
    match rev {
        Some(rev) => snapshot::commit(repo, ScopeMode::Rev, repo.resolve(rev)?, &[]),
        None => snapshot::all(repo),
    }
}

fn of_view(GraphView { repo, rev, branches }: &GraphView<'_>, sink: Option<OpSink<'_>>) -> Result<DerivedGraph> {
    let snapshot = &snapshot(repo, *rev)?;
    let (view, is_present) = (&*snapshot.view, rev.is_none());
    let config = workspace::read_config(view)?;
    let before = WholeLedgers(remember::parsed(repo, snapshot, None));
    let workspace = workspace::load_knowing(view, config, &Select::All, &before)?;
    let mut facts = facts::collect_unowned(view, &remember::anchors(repo), workspace)?;
    let logs = runlogs::read(view, &facts.workspace.config)?;
    let frame = frame(repo).filter(|_| is_present);
    let mut missed = Missed::default();
    let patches = if is_present && *branches { patches(repo, &mut missed)? } else { Vec::new() };
    let sources = GraphSources {
        patches: &patches,
        facts: &facts,
        view,
        logs: logs.iter().map(runlogs::ReadLog::text).collect(),
        frame: frame.as_deref(),
    };
    let unproven = patches.iter().filter(|patch| patch.is_unproven()).map(unproven).collect();
    let projected = project(collect(&sources)?, sink);
    projected.missed.notes.into_iter().for_each(|note| missed.push(note));
    missed.unlisted += projected.missed.unlisted;
    // what a ledger says is in the graph now, and it is most of what there is
    facts.workspace.nodes.iter_mut().for_each(|node| node.ledgers.clear());
    let workspace = facts.workspace;
    Ok(DerivedGraph {
        graph: projected.graph,
        shapes: Shapes::Derived,
        missed,
        nodes: workspace.nodes,
        config: workspace.config,
        unproven,
    })
}

fn unproven(patch: &Patch) -> UnprovenPatch {
    let name = |touch: &Touch| format!("{}/{}", touch.node.id, touch.scenario);
    UnprovenPatch { branch: patch.facts.branch.clone(), touches: patch.facts.touches.iter().map(name).collect() }
}

/// The branches beside the main one. Of some nobody can tell how they stand, in a clone that lacks history, say: that is said,
/// and the rest is told.
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

/// The work tree, as git calls it.
fn frame(repo: &Repo) -> Option<String> {
    repo.work_dir.as_ref()?;
    let linked = (repo.git_dir != repo.common_dir).then(|| repo.git_dir.file_name()).flatten();
    Some(linked.map_or_else(|| MAIN_FRAME.to_owned(), |name| name.as_bytes().to_str_lossy().into_owned()))
}
