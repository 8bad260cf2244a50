//! The new commits one after the other. Purpose: evidence that one of them adds, although a later one deletes it again,
//! is in the history for good; and ledger lines that one of them loses are worth a word. Each commit is compared with
//! its parents, so the cost is that of what they changed; each blob is looked at once.

use super::commits::Graph;
use super::end::End;
use super::logs::{LogSteps, Sides};
use crate::app::judge::snapshot::{AddedBlob, known_tree};
use crate::app::judge::stray;
use crate::app::progress::{ProgressStep, Tell};
use crate::engine::history;
use crate::engine::history::Lost;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::runlog::place::may_lie_at;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::names;
use crate::names::CONFIG_FILE;
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::program::NewCommit;
use crate::repo::views::{blob_size, read_blob};
use crate::rules::{Between, BroughtBy, InnerLoss, Stray};
use crate::text::escape::echo;
use crate::text::ndjson;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Bytes of ledgers that are read for lines lost in between. That is only worth an info: in a push with more of them the
/// start and the end are compared as ever, and what lies in between is not.
const LEDGER_BYTES: u64 = 32 << 20;
/// The trees of so many commits are kept: the next commit shares most of its own with the one before.
pub(super) const TREES_OF: usize = 128;

/// From so many commits on they are first looked at for names alone: that reads every tree there is once, and most histories
/// have nothing of ours.
const MANY: usize = 256;

/// The walk over all tips of a push.
pub(crate) struct Walk<'r> {
    repo: &'r Repo,
    seen_commits: HashSet<usize>,
    /// What they did to run logs.
    log_steps: LogSteps,
    seen_blobs: HashSet<(Oid, Option<RepoPath>)>,
    /// What the commits seen so far were judged by.
    judges: Vec<Config>,
    /// What the tip for which they were looked at itself says.
    own: Config,
    ledger_bytes: u64,
    /// The trees of the commits that were looked at: the next one mostly has one of them as its parent.
    trees: HashMap<Oid, Oid>,
    /// The commits whose configuration is not that of a parent.
    reconfigured: HashSet<Oid>,
    progress: Tell<'r>,
}

/// A commit and one of its parents.
struct Edge<'a> {
    commit: &'a NewCommit,
    parent: &'a Oid,
    /// What differs between them.
    changes: &'a [PathChange],
}

impl<'r> Walk<'r> {
    /// A walk that tells `progress` which of how many commits it is at.
    pub(crate) fn new(repo: &'r Repo, progress: Tell<'r>) -> Self {
        let (seen_commits, seen_blobs) = (HashSet::new(), HashSet::new());
        let reconfigured = HashSet::new();
        Self {
            repo,
            seen_commits,
            seen_blobs,
            judges: Vec::new(),
            own: Config::default(),
            ledger_bytes: 0,
            trees: HashMap::new(),
            reconfigured,
            progress,
            log_steps: LogSteps::default(),
        }
    }

    /// Forgets which commits were looked at, unless that was by the same `judges` for a tip that itself says the same: what
    /// one tip allows says nothing about another one.
    pub(crate) fn judged_by(&mut self, judges: Vec<Config>, own: &Config) {
        if self.judges != judges || self.own != *own {
            self.seen_commits.clear();
            self.log_steps.clear();
            self.seen_blobs.clear();
            self.judges = judges;
            self.own = own.clone();
        }
    }

    /// Those of `commits` whose configuration is not that of a parent; each was looked at.
    pub(crate) fn reconfigured(&self, graph: &Graph, commits: &[usize]) -> Vec<Oid> {
        let ids = commits.iter().map(|at| graph.get(*at).id);
        ids.filter(|id| self.reconfigured.contains(id)).collect()
    }

    fn tell(&self, what: &'static str, done: usize, graph: &Graph) {
        (self.progress)(ProgressStep::Count { what, done, of: graph.len() });
    }

    /// Looks at those of `commits` that no tip before this one needed.
    pub(crate) fn over(&mut self, graph: &Graph, commits: &[usize], end: &End<'_>) -> Result<Between> {
        let mut found = Between::default();
        if self.are_plain(graph, commits, end) {
            self.seen_commits.extend(commits);
        }
        for at in commits {
            if self.seen_commits.insert(*at) {
                self.tell("looking at new commit", self.seen_commits.len(), graph);
                self.commit(graph, *at, end, &mut found)?;
                if self.seen_commits.len().is_multiple_of(TREES_OF) {
                    self.repo.forget_trees();
                }
            }
        }
        let name = |at: usize| Ok((self.name(graph.get(at))?, graph.get(at).id));
        found.logs = self.log_steps.broken(self.repo, end, commits, &name)?;
        Ok(found)
    }

    /// Whether the trees of these commits and of their parents have no name anywhere by which a commit would be weighed where
    /// nothing is ours: then no difference of any two of them has one.
    fn are_plain(&self, graph: &Graph, commits: &[usize], end: &End<'_>) -> bool {
        // what a configuration calls a run log may have any name, and what evidence there is may
        let by_name = self.judges.iter().all(|judge| judge.runlogs.is_empty()) && !end.ours && !end.known.any;
        if !by_name || commits.len() < MANY {
            return false;
        }
        let mut names =
            self.repo.names(|name| name == CONFIG_FILE.as_bytes() || stray::may_tell(name) || may_lie_at(name));
        let mut is_plain = |tree: Result<Oid>| tree.is_ok_and(|tree| names.are_plain(&tree));
        // the newest first: what came to stay is met at once, and packs hold older trees by what differs from newer ones
        commits.iter().rev().enumerate().all(|(done, at)| {
            if done.is_multiple_of(TREES_OF) {
                self.tell("looking at new commit", done + 1, graph);
            }
            let NewCommit { id, parents, tree } = graph.get(*at);
            let tree = tree.map_or_else(|| known_tree(self.repo, id), Ok);
            let mut known = parents.iter().filter(|parent| !graph.has(parent));
            is_plain(tree) && known.all(|parent| is_plain(known_tree(self.repo, parent)))
        })
    }

    fn commit(&mut self, graph: &Graph, at: usize, end: &End<'_>, found: &mut Between) -> Result<()> {
        let commit = graph.get(at);
        let sides = self.sides(commit)?;
        self.log_steps.look(self.repo, at, commit, &Sides { changes: &sides, judges: &self.judges, own: &self.own })?;
        if sides.iter().flatten().any(|change| *change.path.as_bstr() == CONFIG_FILE) {
            self.reconfigured.insert(commit.id);
        }
        // where nothing is known of evidence, a first push of a long history is looked at by names alone
        let asked = |path: &RepoPath| end.known.any || stray::is_telling(path);
        // what may lie where it lies says nothing about the same bytes elsewhere
        let brought = brought(&sides, &asked).into_iter().filter(|blob| !(end.known.allowed)(&blob.path));
        let added: Vec<AddedBlob> = brought.filter(|blob| self.is_unseen(blob)).collect();
        for stray in stray::strays(self.repo, &added, &end.known)? {
            found.strays.push(Stray { brings: BroughtBy::Commit(self.name(commit)?), ..stray });
        }
        for (at, changes) in sides.iter().enumerate().filter(|_| end.ours) {
            if let Some(parent) = commit.parents.get(at) {
                self.losses(Edge { commit, parent, changes }, end, &mut found.losses)?;
            }
        }
        Ok(())
    }

    /// What differs from each parent; from nothing where there is none.
    fn sides(&mut self, commit: &NewCommit) -> Result<Vec<Vec<PathChange>>> {
        if let Some(tree) = commit.tree {
            self.trees.insert(commit.id, tree);
        }
        let new = Some(self.tree(&commit.id)?);
        if commit.parents.is_empty() {
            return Ok(vec![self.repo.tree_diff(None, new)?]);
        }
        let mut sides = Vec::with_capacity(commit.parents.len());
        for parent in &commit.parents {
            let old = self.tree(parent)?;
            sides.push(self.repo.tree_diff(Some(old), new)?);
        }
        Ok(sides)
    }

    fn tree(&mut self, commit: &Oid) -> Result<Oid> {
        if let Some(known) = self.trees.get(commit) {
            return Ok(*known);
        }
        let tree = known_tree(self.repo, commit)?;
        self.trees.insert(*commit, tree);
        Ok(tree)
    }

    /// A blob counts once, but under a name that says something it counts under that name, too.
    fn is_unseen(&mut self, blob: &AddedBlob) -> bool {
        let telling = stray::is_telling(&blob.path);
        self.seen_blobs.insert((blob.id, telling.then(|| blob.path.clone())))
    }

    fn name(&self, commit: &NewCommit) -> Result<String> {
        let subject = self.repo.subject(&commit.id)?;
        Ok(if subject.is_empty() { commit.id.short() } else { format!("{} \"{}\"", commit.id.short(), echo(&subject)) })
    }

    /// Lines that a ledger has in a parent and that are not where they belong afterwards.
    fn losses(&mut self, edge: Edge<'_>, end: &End<'_>, losses: &mut Vec<InnerLoss>) -> Result<()> {
        let Edge { commit, parent, changes } = edge;
        let ledgers: Vec<&PathChange> = changes.iter().filter(|change| names::is_ledger(change.path.name())).collect();
        if ledgers.iter().all(|change| change.old.is_none())
            || !self.can_afford(&ledgers)?
            || !self.shrinks(&ledgers)?
        {
            return Ok(());
        }
        let [new, before] = [&commit.id, parent].map(|id| self.workspace(id, end.config));
        let mut of: BTreeMap<RepoPath, InnerLoss> = BTreeMap::new();
        for Lost { ledger, line, .. } in history::missing(&new?, &before?).lost {
            let is_healed = end.lines.contains(&*line);
            // The tip lost it, too, and is judged for that as an error, also where it went to a ledger that it does not belong
            // to: here it would be told again as an info.
            let is_told = end.told.contains(&*String::from_utf8_lossy(&line));
            if is_told || (!is_healed && end.before.contains(&*line)) {
                continue;
            }
            let name = self.name(commit)?;
            let loss = of.entry(ledger.clone()).or_insert(InnerLoss { ledger, commit: name, healed: 0, unfiled: 0 });
            if is_healed {
                loss.healed += 1;
            } else {
                loss.unfiled += 1;
            }
        }
        losses.extend(of.into_values());
        Ok(())
    }

    /// Whether a line is not in its ledger any more: only then is more looked at than what changed.
    fn shrinks(&self, ledgers: &[&PathChange]) -> Result<bool> {
        for change in ledgers {
            if !self.lines(&change.path, change.old)?.is_subset(&self.lines(&change.path, change.new)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn workspace(&self, commit: &Oid, config: &Config) -> Result<Workspace> {
        workspace::load(&*self.repo.commit_view(commit)?, config.clone(), &Select::All)
    }

    /// Whether both states of these ledgers may still be read.
    fn can_afford(&mut self, ledgers: &[&PathChange]) -> Result<bool> {
        for change in ledgers {
            for (_, id) in change.old.iter().chain(&change.new).filter(|(mode, _)| mode.is_blob()) {
                // counted before they are read and never given back: the bound is one for the whole push
                self.ledger_bytes = self.ledger_bytes.saturating_add(blob_size(&*self.repo.objects, id, &change.path)?);
            }
        }
        Ok(self.ledger_bytes <= LEDGER_BYTES)
    }

    fn lines(&self, path: &RepoPath, side: Option<(Mode, Oid)>) -> Result<HashSet<Vec<u8>>> {
        let Some((_, id)) = side.filter(|(mode, _)| mode.is_blob()) else { return Ok(HashSet::new()) };
        let content = read_blob(&*self.repo.objects, &id, path, LEDGER_BYTES)?;
        // what never was an event may go
        Ok(ndjson::filled(&content).filter(|line| ndjson::objects(line).is_some()).map(<[u8]>::to_vec).collect())
    }
}

/// The blobs at those paths that are `asked` for, and are there in no parent.
fn brought(sides: &[Vec<PathChange>], asked: &dyn Fn(&RepoPath) -> bool) -> Vec<AddedBlob> {
    let mut seen: BTreeMap<&RepoPath, (usize, Oid)> = BTreeMap::new();
    for change in sides.iter().flatten().filter(|change| asked(&change.path)) {
        if let Some((_, id)) = change.new.filter(|(mode, _)| mode.is_blob()) {
            seen.entry(&change.path).or_insert((0, id)).0 += 1;
        }
    }
    // against every parent: what one of them has was looked at when it came there
    let everywhere = seen.into_iter().filter(|(_, (times, _))| *times == sides.len());
    everywhere.map(|(path, (_, id))| AddedBlob { path: path.clone(), id }).collect()
}
