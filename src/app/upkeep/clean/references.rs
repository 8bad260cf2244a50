//! Finds the evidence that a repository names, from every root: history, reflogs, the state of stopped operations, indexes
//! and work trees of all worktrees.
//!
//! Old versions of ledgers are searched without parsing ([`super::names`]). Ledgers in indexes and work trees are parsed
//! strictly, because a half-written line there may have lost a hash.

use super::names::Names;
use crate::app::judge::counting::{self, CountingView};
use crate::engine::effective::Effective;
use crate::error::{Error, Result};
use crate::model::ledger::{EvidenceHash, Ledger, LineHash, Reading, parse};
use crate::model::workspace::in_order;
use crate::names;
use crate::repo::Repo;
use crate::repo::collect::is_partial;
use crate::repo::commit::{CommitLookup, look_up};
use crate::repo::native::objects::ObjectStore;
use crate::repo::reach::{Held, Reach, ledgers_of};
use crate::repo::roots;
use crate::repo::roots::{GitDirs, Mention, RootTip, Roots};
use crate::text::ndjson;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

/// The references of a git repository to evidence: hashes that must stay.
pub(crate) struct References<'r> {
    repo: &'r Repo,
    layout: GitDirs,
    is_partial: bool,
}

/// The ledgers of one state, with their bytes.
type LedgerState = Vec<(RepoPath, Vec<u8>)>;

impl<'r> References<'r> {
    /// The references of `repo`, unread.
    ///
    /// # Errors
    /// When its configuration cannot be read.
    pub(crate) fn of(repo: &'r Repo) -> Result<Self> {
        let config = repo.config()?;
        Ok(Self { repo, layout: repo.layout(config)?, is_partial: is_partial(config) })
    }

    /// All hashes in all reachable versions of all ledgers.
    pub(crate) fn anywhere(&self) -> Result<BTreeSet<EvidenceHash>> {
        let roots = roots::read(&self.layout)?;
        let shallow = roots::shallow(&self.layout.common_dir)?;
        let mut reach = Reach::new(self.objects(), &may_hold_lines, &shallow);
        for tip in roots.tips.iter().chain(&self.mentioned(&roots)?) {
            reach.add(tip.id).map_err(|error| error.context(&tip.holder))?;
        }
        let mut ledgers = reach.found().clone();
        ledgers.extend(self.resolved(&roots)?);
        let mut names = self.names_of(&ledgers)?;
        for (path, bytes) in self.uncommitted(&roots)?.into_iter().flatten() {
            refuse_doubt(&parse(&path, &bytes))?;
            names.add(&bytes);
        }
        let mut names = names.all();
        names.extend(evidence(&roots));
        Ok(names)
    }

    /// The hashes in the latest effective reading of each scenario and in the counted one, for each current state: branch
    /// tips, indexes, work trees.
    pub(crate) fn latest(&self) -> Result<BTreeSet<EvidenceHash>> {
        let roots = roots::read(&self.layout)?;
        let mut states = self.uncommitted(&roots)?;
        let mut names: BTreeSet<EvidenceHash> = evidence(&roots).collect();
        let mut seen = BTreeSet::new();
        for view in [CountingView::Index, CountingView::WorkTree] {
            match counting::names(self.repo, view) {
                Ok(counting) => names.extend(counting),
                // if the counted readings are unknown, every named piece stays
                Err(_) => {
                    let mut all = Names::default();
                    states.iter().flatten().for_each(|(_, bytes)| all.add(bytes));
                    names.extend(all.all());
                }
            }
        }
        for tip in self.current(&roots)? {
            let held = ledgers_of(self.objects(), tip, &may_hold_lines)?;
            if let Held::Ledgers(ledgers) = &held {
                names.extend(self.counting_at(tip, ledgers)?);
            }
            match held {
                // many branches have the same ledgers, which are read once
                Held::Ledgers(ledgers) if seen.insert(ledgers.clone()) => {
                    let read = |(path, id): (RepoPath, Oid)| Ok((path, self.blob(&id)?));
                    states.push(ledgers.into_iter().map(read).collect::<Result<_>>()?);
                }
                Held::Ledgers(_) => {}
                Held::Blob(id) => {
                    let mut all = Names::default();
                    self.objects().look(&id, &mut |_, bytes| all.add(bytes))?;
                    names.extend(all.all());
                }
            }
        }
        for state in states {
            latest_of(state, &mut names)?;
        }
        Ok(names)
    }

    /// All hashes in all versions of all ledgers that these commits reach.
    pub(crate) fn below(&self, tips: &BTreeSet<Oid>) -> Result<BTreeSet<EvidenceHash>> {
        self.names_of(&self.reached(tips)?).map(Names::all)
    }

    /// The hashes in lines that no ledger at the commits `published` has: uncommitted, unpublished and withdrawn lines.
    pub(crate) fn beyond(&self, published: &BTreeSet<Oid>) -> Result<BTreeSet<EvidenceHash>> {
        let mut lines = HashSet::new();
        for tip in published {
            if let Held::Ledgers(ledgers) = ledgers_of(self.objects(), *tip, &may_hold_lines)? {
                for (_, id) in ledgers {
                    lines.extend(ndjson::filled(&self.blob(&id)?).map(LineHash::of));
                }
            }
        }
        let roots = roots::read(&self.layout)?;
        let tips = roots.tips.iter().chain(&self.mentioned(&roots)?).map(|tip| tip.id).collect();
        let known = self.reached(published)?;
        let mut names = Names::default();
        let mut add = |bytes: &[u8]| {
            let new = ndjson::filled(bytes).filter(|line| !lines.contains(&LineHash::of(line)));
            new.for_each(|line| names.add(line));
        };
        for id in self.reached(&tips)?.union(&self.resolved(&roots)?.into_iter().collect()) {
            if !known.contains(id) {
                add(&self.blob(id)?);
            }
        }
        self.uncommitted(&roots)?.into_iter().flatten().for_each(|(_, bytes)| add(&bytes));
        let mut names = names.all();
        names.extend(evidence(&roots));
        Ok(names)
    }

    /// Whether this clone has the whole history.
    pub(crate) fn is_complete(&self) -> Result<bool> {
        Ok(!self.is_partial && roots::shallow(&self.layout.common_dir)?.is_empty())
    }

    fn objects(&self) -> &dyn ObjectStore {
        &*self.repo.objects
    }

    /// The ledgers in the history of these commits.
    fn reached(&self, tips: &BTreeSet<Oid>) -> Result<BTreeSet<Oid>> {
        let shallow = roots::shallow(&self.layout.common_dir)?;
        let mut reach = Reach::new(self.objects(), &may_hold_lines, &shallow);
        tips.iter().try_for_each(|tip| reach.add(*tip))?;
        Ok(reach.found().clone())
    }

    /// The hashes in these ledgers.
    fn names_of(&self, ledgers: &BTreeSet<Oid>) -> Result<Names> {
        let mut names = Names::default();
        for id in self.objects().cheapest_order(ledgers) {
            if !self.objects().look(&id, &mut |_, bytes| names.add(bytes))? {
                return Err(missing(&id));
            }
        }
        Ok(names)
    }

    /// The hashes in the counted readings of a commit with these ledgers. If they are unknown, all hashes in the ledgers.
    fn counting_at(&self, tip: Oid, ledgers: &[(RepoPath, Oid)]) -> Result<BTreeSet<EvidenceHash>> {
        if ledgers.is_empty() {
            return Ok(BTreeSet::new());
        }
        counting::names(self.repo, CountingView::Commit(tip))
            .or_else(|_| self.names_of(&ledgers.iter().map(|(_, id)| *id).collect()).map(Names::all))
    }

    fn blob(&self, id: &Oid) -> Result<Vec<u8>> {
        let object = self.objects().read(id)?;
        object.map(|object| object.data).ok_or_else(|| missing(id))
    }

    /// The current tips. For a stash also its parents with the index and the untracked files.
    fn current(&self, roots: &Roots) -> Result<BTreeSet<Oid>> {
        let mut tips: BTreeSet<Oid> = self.mentioned(roots)?.into_iter().map(|tip| tip.id).collect();
        for tip in roots.tips.iter().filter(|tip| tip.current) {
            tips.insert(tip.id);
            if tip.is_stash()
                && let CommitLookup::Commit(commit) = look_up(self.objects(), &tip.id)?
            {
                tips.extend(commit.parents.into_iter().skip(1));
            }
        }
        Ok(tips)
    }

    /// The objects that files of the git directories mention.
    fn mentioned(&self, roots: &Roots) -> Result<Vec<RootTip>> {
        let mut tips = Vec::new();
        for mention in &roots.mentions {
            let found = self.objects_of(mention).map_err(|error| error.context(&mention.holder))?;
            if found.is_empty() && mention.needed {
                return Err(Error::unchecked(format!("{}: there is no object {}", mention.holder, mention.hex)).hint(
                    "nothing was collected; finish or abort the operation that git has begun (`git status` names it)",
                ));
            }
            tips.extend(found.into_iter().map(|id| RootTip { id, holder: mention.holder.clone(), current: true }));
        }
        Ok(tips)
    }

    fn objects_of(&self, mention: &Mention) -> Result<Vec<Oid>> {
        let whole = Oid::from_hex(mention.hex.as_bytes()).filter(|id| id.kind() == self.repo.hash);
        match whole {
            Some(id) => Ok(self.objects().header(&id)?.map(|_| id).into_iter().collect()),
            None if mention.needed => self.objects().starting_with(&mention.hex),
            None => Ok(Vec::new()),
        }
    }

    /// The ledgers among the sides of resolved conflicts.
    fn resolved(&self, roots: &Roots) -> Result<Vec<Oid>> {
        let mut ids = Vec::new();
        for path in &roots.indexes {
            let sides = self.repo.resolved_conflicts_of(path)?;
            ids.extend(sides.into_iter().filter(|(path, _)| may_hold_lines(path.name())).map(|(_, id)| id));
        }
        Ok(ids)
    }

    /// The ledgers in indexes and work trees, untracked files included.
    fn uncommitted(&self, roots: &Roots) -> Result<Vec<LedgerState>> {
        let mut states = Vec::new();
        for path in &roots.indexes {
            let entries = self.repo.entries_of(path)?;
            let ours = entries.into_iter().filter(|(path, _)| may_hold_lines(path.name()));
            states.push(ours.map(|(path, id)| Ok((path, self.blob(&id)?))).collect::<Result<_>>()?);
        }
        for top in &roots.work_trees {
            let mut state = Vec::new();
            walk(top, &RepoPath::root(), &mut state)?;
            states.push(state);
        }
        Ok(states)
    }
}

/// The possible evidence hashes in files of the git directories. For example, a mail for `git am` may hold readings.
fn evidence(roots: &Roots) -> impl Iterator<Item = EvidenceHash> {
    roots.mentions.iter().filter_map(|mention| EvidenceHash::from_hex(mention.hex.as_bytes()))
}

/// Whether a file of this name may hold lines. A segment of a foreign name counts for nothing, and its evidence stays: renamed
/// it counts again.
fn may_hold_lines(name: &[u8]) -> bool {
    names::is_ledger(name) || names::is_like_segment(name)
}

fn missing(id: &Oid) -> Error {
    Error::unchecked(format!("ledger {id} is missing from the object database"))
        .hint("`git fsck` says what is broken; a partial clone fetches it with `git fetch --refetch`")
}

/// Finds every ledger file below `dir`. Does not follow links or enter git's own directories.
fn walk(dir: &Path, path: &RepoPath, state: &mut LedgerState) -> Result<()> {
    let failed = |at: &Path, error: std::io::Error| Error::unread(at.display(), &error);
    for entry in fs::read_dir(dir).map_err(|error| failed(dir, error))? {
        let entry = entry.map_err(|error| failed(dir, error))?;
        let kind = entry.file_type().map_err(|error| failed(&entry.path(), error))?;
        let name = entry.file_name();
        let child = path.child(name.as_encoded_bytes());
        if kind.is_dir() && name != ".git" {
            walk(&entry.path(), &child, state)?;
        } else if kind.is_file() && may_hold_lines(name.as_encoded_bytes()) {
            state.push((child, fs::read(entry.path()).map_err(|error| failed(&entry.path(), error))?));
        }
    }
    Ok(())
}

fn refuse_doubt(ledger: &Ledger) -> Result<()> {
    match ledger.problems.iter().find(|problem| !problem.advice) {
        None => Ok(()),
        Some(problem) => Err(Error::unchecked(format!(
            "{}:{}: {}; the evidence of this line is unknown",
            ledger.path, problem.at.line, problem.message
        ))
        .hint(problem.help.clone())),
    }
}

/// Adds the hashes of the latest readings. The ledgers of one directory are read as one.
fn latest_of(state: LedgerState, names: &mut BTreeSet<EvidenceHash>) -> Result<()> {
    let mut nodes: BTreeMap<RepoPath, Vec<Ledger>> = BTreeMap::new();
    for (path, bytes) in state {
        let ledger = parse(&path, &bytes);
        refuse_doubt(&ledger)?;
        nodes.entry(path.parent().unwrap_or_default()).or_default().push(ledger);
    }
    for mut ledgers in nodes.into_values() {
        ledgers.sort_by(|one, other| in_order(&one.path, &other.path));
        // what shows that measuring was tried stays, whatever was measured since
        let lines = ledgers.iter().flat_map(|ledger| &ledger.lines).filter(|line| line.event.reading().is_none());
        names.extend(lines.filter_map(|line| line.event.naming()).flat_map(Reading::bytes));
        for scenario in scenarios(&ledgers) {
            if let Some(reading) = Effective::over(&ledgers).latest(scenario) {
                names.extend(reading.bytes());
            }
        }
    }
    Ok(())
}

fn scenarios(ledgers: &[Ledger]) -> BTreeSet<&str> {
    ledgers.iter().flat_map(|ledger| ledger.readings()).map(|reading| &*reading.scenario).collect()
}
