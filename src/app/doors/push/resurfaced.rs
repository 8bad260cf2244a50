//! What comes into view again. While roots or exclude put a ledger out of sight, nobody judges what becomes of it; so where
//! a changed configuration shows it, it is compared with what it was when it went out of sight (formats.md, "What was
//! filed stays filed"). What was never in sight is adopted as it is. A scenario that moves into view out of a directory that
//! stays out of it takes its lines along as well: they would be forgotten otherwise, and measured anew.
//!
//! Only new commits that change the configuration are asked about, those within a push too: one that shows a ledger for a
//! moment would otherwise be the state that the next push is compared with. From each base the history is walked back
//! through the commits in which the ledger was out of sight, along every parent, to those whose parents had it in sight.

use super::walk::TREES_OF;
use crate::app::doors::remember;
use crate::app::judge::added;
use crate::app::judge::losses;
use crate::app::judge::losses::{Loss, SeenState};
use crate::app::judge::snapshot::known_tree;
use crate::engine::history;
use crate::error::{Error, Result};
use crate::finding::NodeRef;
use crate::model::config::Config;
use crate::model::glob::Globs;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::names::LEDGER_NAMES;
use crate::repo::roots;
use crate::repo::{FETCH_ALL, Repo};
use crate::rules::{Absence, AddedLine, LostLine, Resurfaced};
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A state that the tip is compared with.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// The commit that holds it.
    pub(super) commit: Oid,
    /// Whether a branch that nobody protects was rewritten from it.
    pub(super) rewritten: bool,
}

/// What lets ledgers be seen, as a commit has it.
#[derive(Clone)]
struct Sight {
    /// The configuration's object: commits that share it see the same.
    id: Option<Oid>,
    config: Rc<Config>,
}

impl Sight {
    fn sees(&self, path: &RepoPath) -> bool {
        workspace::is_ours(path, &self.config)
    }
}

/// What was seen in a base, and what is seen in the tip.
#[derive(Clone, Copy)]
struct Sights<'a> {
    then: &'a Sight,
    now: &'a Sight,
}

/// A commit that put ledgers out of sight.
struct Hiding {
    commit: Oid,
    own: Sight,
    /// Of those of its parents that had such a ledger in sight.
    before: Vec<Sight>,
}

impl Hiding {
    fn hides(&self, path: &RepoPath) -> bool {
        !self.own.sees(path) && self.before.iter().any(|sight| sight.sees(path))
    }
}

/// The ledgers that are looked for along a way through history; each set once, so that ways which look for the same know it.
type Paths = Rc<BTreeSet<RepoPath>>;

/// A commit on such a way, in which all of these are out of sight.
struct Stop {
    commit: Oid,
    own: Sight,
    paths: Paths,
}

/// One look at a tip.
pub(super) struct Look<'a> {
    repo: &'a Repo,
    tree: &'a dyn Tree,
    sights: HashMap<Option<Oid>, Sight>,
    shallow: HashSet<Oid>,
    /// The lines that were found, by their ledgers.
    lost: HashSet<(RepoPath, Vec<u8>)>,
    added: HashSet<(RepoPath, Vec<u8>)>,
    /// Called before anything that may take long.
    looking: &'a dyn Fn(),
}

impl<'a> Look<'a> {
    /// At the tip with this content.
    pub(super) fn new(repo: &'a Repo, tree: &'a dyn Tree, looking: &'a dyn Fn()) -> Result<Self> {
        let shallow = roots::shallow(&repo.common_dir)?;
        let (lost, added) = (HashSet::new(), HashSet::new());
        Ok(Self { repo, tree, sights: HashMap::new(), shallow, lost, added, looking })
    }

    /// What the configurations of `commits`, the tip's own among them where it differs from a base's, show of the tip that
    /// was out of sight in `bases`: into `found`, each line once.
    pub(super) fn over(&mut self, commits: &[Oid], bases: &[Base], found: &mut Resurfaced) -> Result<()> {
        let mut shown: Vec<Sight> = Vec::new();
        for commit in commits {
            let sight = self.sight(commit)?;
            // by the configuration's object: a row of commits that share it is one question
            if shown.iter().all(|other| other.id != sight.id) {
                shown.push(sight);
            }
        }
        for sight in shown {
            let mut new = None;
            for base in bases {
                let then = self.sight(&base.commit)?;
                if same_sight(&then.config, &sight.config) {
                    continue;
                }
                let new = match &mut new {
                    Some(new) => new,
                    none => none.insert(self.load(self.tree, &sight)?),
                };
                self.compare(*base, Sights { then: &then, now: &sight }, new, found)?;
            }
        }
        Ok(())
    }

    /// Compares `new`, which is the tip as `now` sees it, with what it was when it went out of sight before `base`.
    fn compare(&mut self, base: Base, sights: Sights<'_>, new: &Workspace, found: &mut Resurfaced) -> Result<()> {
        let Sights { then, now } = sights;
        let view = self.repo.commit_view(&base.commit)?;
        let before = workspace::catalog(&*view, &now.config)?;
        let dirs = new.nodes.iter().map(|node| &node.dir).chain(before.iter().map(|files| &files.dir));
        let ledgers = dirs.flat_map(|dir| LEDGER_NAMES.map(|name| dir.child(name.as_bytes())));
        let paths: BTreeSet<RepoPath> = ledgers.filter(|path| now.sees(path) && !then.sees(path)).collect();
        if paths.is_empty() {
            return Ok(());
        }
        (self.looking)();
        let hidings = self.hidings(Stop { commit: base.commit, own: then.clone(), paths: Rc::new(paths) })?;
        let mut states = Vec::new();
        for hiding in &hidings {
            let view = self.repo.commit_view(&hiding.commit)?;
            let state = self.load(&*view, now)?;
            let tip = SeenState { tree: self.tree, workspace: new };
            for Loss { line, how } in losses::of(tip, SeenState { tree: &*view, workspace: &state })? {
                // what stayed in sight was judged at the tip, where its loss has its own level
                let was_hidden = hiding.hides(&line.ledger) && !then.sees(&line.ledger);
                if was_hidden && self.lost.insert((line.ledger.clone(), line.line.clone())) {
                    let (from, rewritten) = (hiding.commit.short(), base.rewritten);
                    found.lost.push(LostLine { line, how, from, rewritten });
                }
            }
            states.push(state);
        }
        let was_hidden =
            |line: &AddedLine| !then.sees(&line.ledger) && hidings.iter().any(|hiding| hiding.hides(&line.ledger));
        if !states.is_empty() {
            let anchors = remember::anchors(self.repo);
            // against all of those states at once: a line that any of them held is not new
            let added = added::judged(self.repo.hash, &anchors, new, &states.iter().collect::<Vec<_>>())?;
            let mut is_new = |line: &AddedLine| self.added.insert((line.ledger.clone(), line.line.bytes.to_vec()));
            found.added.extend(added.into_iter().filter(|line| was_hidden(line) && is_new(line)));
            let nodes = new.nodes.iter().map(|node| NodeRef { dir: node.dir.to_bstring(), id: node.id.clone() });
            found.nodes.extend(nodes);
        }
        Ok(())
    }

    /// What scenarios left behind that the tip, which is `tip`, moves into view out of directories that stay out of sight:
    /// into `found`, each line once. A scenario leaves its directory where its file is among `changed`.
    pub(super) fn left_behind(
        &mut self,
        tip: &Oid,
        changed: &BTreeSet<&RepoPath>,
        bases: &[Base],
        found: &mut Resurfaced,
    ) -> Result<()> {
        let now = self.sight(tip)?;
        for base in bases {
            let then = self.sight(&base.commit)?;
            let is_hidden = |path: &&&RepoPath| !then.sees(path) && !now.sees(path);
            let dirs: BTreeSet<RepoPath> = changed.iter().filter(is_hidden).filter_map(|path| path.parent()).collect();
            if !dirs.is_empty() {
                self.left_in(&dirs, *base, Sights { then: &then, now: &now }, found)?;
            }
        }
        Ok(())
    }

    /// The same of these directories and one base.
    fn left_in(
        &mut self,
        dirs: &BTreeSet<RepoPath>,
        base: Base,
        Sights { then, now }: Sights<'_>,
        found: &mut Resurfaced,
    ) -> Result<()> {
        (self.looking)();
        let ledgers = dirs.iter().flat_map(|dir| LEDGER_NAMES.map(|name| dir.child(name.as_bytes())));
        let paths: BTreeSet<RepoPath> = ledgers.filter(|path| !then.sees(path)).collect();
        let hidings = self.hidings(Stop { commit: base.commit, own: then.clone(), paths: Rc::new(paths) })?;
        if hidings.is_empty() {
            return Ok(());
        }
        let view = self.repo.commit_view(&base.commit)?;
        let new = self.with_hidden(self.tree, now, dirs)?;
        let mut before = self.with_hidden(&*view, now, dirs)?;
        for hiding in &hidings {
            let view = self.repo.commit_view(&hiding.commit)?;
            let mut state = hidden(&*view, now, dirs)?;
            // what was filed is what was in sight; where its scenario was, only the step from the base says
            for node in before.nodes.iter_mut().filter(|node| dirs.contains(&node.dir)) {
                let filed = state.nodes.iter_mut().find(|filed| filed.dir == node.dir);
                node.ledgers = filed.map(|filed| std::mem::take(&mut filed.ledgers)).unwrap_or_default();
            }
            for line in history::missing(&new, &before).lost {
                let is_left = dirs.contains(&line.dir) && !dirs.contains(&line.belongs) && hiding.hides(&line.ledger);
                if is_left && self.lost.insert((line.ledger.clone(), line.line.clone())) {
                    let (from, rewritten) = (self.last_shown(hiding, &line.ledger)?.short(), base.rewritten);
                    found.lost.push(LostLine { line, how: Absence::Gone, from, rewritten });
                }
            }
        }
        Ok(())
    }

    /// The commit before `hiding` that had the ledger in sight: what hides it cannot restore it.
    fn last_shown(&mut self, hiding: &Hiding, ledger: &RepoPath) -> Result<Oid> {
        for parent in self.repo.parents(&hiding.commit)? {
            if self.sight(&parent)?.sees(ledger) {
                return Ok(parent);
            }
        }
        Ok(hiding.commit)
    }

    /// What `sight` shows of a tree, and these directories of it.
    fn with_hidden(&self, tree: &dyn Tree, sight: &Sight, dirs: &BTreeSet<RepoPath>) -> Result<Workspace> {
        let mut seen = self.load(tree, sight)?;
        seen.nodes.retain(|node| !dirs.contains(&node.dir));
        seen.nodes.extend(hidden(tree, sight, dirs)?.nodes);
        // as every workspace is: a node is found by halving, and one out of order would seem to have left
        seen.nodes.sort_by(|one, other| one.dir.cmp(&other.dir));
        Ok(seen)
    }

    /// The commits before `from`, itself among them, that put one of its ledgers out of sight, where it stayed until `from`.
    fn hidings(&mut self, from: Stop) -> Result<Vec<Hiding>> {
        let mut sets: HashSet<Paths> = HashSet::from([Rc::clone(&from.paths)]);
        let mut been: HashSet<(Oid, *const BTreeSet<RepoPath>)> = HashSet::new();
        let mut found: Vec<Hiding> = Vec::new();
        let mut open = vec![from];
        while let Some(Stop { commit, own, paths }) = open.pop() {
            // By address, which `sets` makes as good as by value: comparing the sets at each commit would cost more
            // than the walk.
            if !been.insert((commit, Rc::as_ptr(&paths))) {
                continue;
            }
            if been.len().is_multiple_of(TREES_OF) {
                self.repo.forget_trees();
            }
            // Before its parents are asked for: where the clone was cut there are none, and the ledger would seem to
            // begin there.
            if self.shallow.contains(&commit) {
                return Err(cut_off(&paths));
            }
            let mut before = Vec::new();
            for parent in self.repo.parents(&commit)? {
                let sight = self.sight(&parent)?;
                if sight.id == own.id {
                    open.push(Stop { commit: parent, own: sight, paths: Rc::clone(&paths) });
                    continue;
                }
                // The way of each ledger ends at the first commit that shows it; what is filed before that was judged
                // there.
                let (seen, unseen): (BTreeSet<_>, BTreeSet<_>) =
                    paths.iter().cloned().partition(|path| sight.sees(path));
                if !unseen.is_empty() {
                    let unseen = sets.get(&unseen).cloned().unwrap_or_else(|| Rc::new(unseen));
                    sets.insert(Rc::clone(&unseen));
                    open.push(Stop { commit: parent, own: sight.clone(), paths: unseen });
                }
                before.extend(Some(sight).filter(|_| !seen.is_empty()));
            }
            match found.iter_mut().find(|hiding| hiding.commit == commit) {
                // two ways may come here for other ledgers, which other parents had in sight
                Some(known) => known.before.extend(before),
                None if before.is_empty() => {}
                None => found.push(Hiding { commit, own, before }),
            }
        }
        Ok(found)
    }

    /// What a commit's own configuration lets be seen. One that cannot be used is none, as for every other gate.
    fn sight(&mut self, commit: &Oid) -> Result<Sight> {
        let view = self.repo.tree_view(known_tree(self.repo, commit)?);
        let id = workspace::config_id(&*view)?;
        let own = || Sight { id, config: Rc::new(workspace::read_config(&*view).unwrap_or_default()) };
        Ok(self.sights.entry(id).or_insert_with(own).clone())
    }

    fn load(&self, tree: &dyn Tree, sight: &Sight) -> Result<Workspace> {
        workspace::load(tree, Config::clone(&sight.config), &Select::All)
    }
}

/// These directories of a tree, whatever is out of sight.
fn hidden(tree: &dyn Tree, sight: &Sight, dirs: &BTreeSet<RepoPath>) -> Result<Workspace> {
    let everywhere =
        Config { roots: vec![RepoPath::root()], exclude: Globs::default(), ..Config::clone(&sight.config) };
    let mut found = workspace::load(tree, everywhere, &Select::Dirs(dirs.clone()))?;
    found.nodes.retain(|node| dirs.contains(&node.dir));
    Ok(found)
}

/// Whether a file of this name says what is to be measured, where it is ours.
pub(super) fn declares(path: &RepoPath) -> bool {
    workspace::has_our_name(path) && LEDGER_NAMES.iter().all(|ledger| path.name() != *ledger)
}

fn same_sight(one: &Config, other: &Config) -> bool {
    one.roots == other.roots && one.exclude == other.exclude
}

fn cut_off(paths: &Paths) -> Error {
    let first = paths.first().map(ToString::to_string).unwrap_or_default();
    Error::unchecked(format!(
        "{first} comes into view, and this clone's history begins where it was out of sight: what it was before cannot be told"
    ))
    .hint(FETCH_ALL)
}
