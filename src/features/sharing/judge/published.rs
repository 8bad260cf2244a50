//! Finds the pieces of evidence that readings on published branches name. A reading that is retracted or redacted on one
//! branch counts on none. Tips in, pieces with their readings out; reads only the object database.

use crate::engine::effective::Effective;
use crate::error::{Error, Result};
use crate::model::ledger::{Event, EvidenceHash, Ledger, LineHash, Timestamp, parse};
use crate::model::node::Node;
use crate::model::workspace::in_order;
use crate::names::is_ledger;
use crate::repo::Repo;
use crate::repo::non_code_refs::{BesideCode, is_unjudged};
use crate::repo::program::GitConfig;
use crate::repo::reach::{Held as Tip, ledgers_of};
use crate::repo::views::{MAX_READ, read_blob};
use crate::report::view::receipt::ReadingName;
use crate::store::lock::DIRECTORY;
use crate::text::escape::echo;
use crate::text::first_of;
use crate::text::shell::word;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::{BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The pieces that readings name, each with those readings.
pub(crate) type NamedPieces = BTreeMap<EvidenceHash, Vec<ReadingName>>;

/// The tips of every local branch.
///
/// # Errors
/// When refs cannot be read.
pub(crate) fn local(repo: &Repo) -> Result<BTreeSet<Oid>> {
    tips(repo, b"refs/heads/")
}

/// The tips of the remotes' branches as of the last fetch. Without a remote the tips of all local branches, because then
/// this repository itself is shared. In a bare clone the local branches are copies of the remote's.
///
/// # Errors
/// When refs cannot be read.
pub(crate) fn tracked(repo: &Repo) -> Result<BTreeSet<Oid>> {
    let mut tips = tips(repo, b"refs/remotes/")?;
    let config = repo.config()?;
    let remotes = config.subsections("remote", &["url"]);
    if remotes.is_empty() || (is_bare(config)? && !remotes.iter().any(|remote| tracks(config, remote))) {
        tips.extend(local(repo)?);
    }
    Ok(tips)
}

/// The tips below a prefix, without branches that hold evidence.
fn tips(repo: &Repo, prefix: &[u8]) -> Result<BTreeSet<Oid>> {
    let refs = repo.refs(prefix)?.into_iter().filter(|(name, _)| !is_unjudged(name));
    Ok(refs.map(|(_, id)| id).collect())
}

fn is_bare(config: &GitConfig) -> Result<bool> {
    Ok(config.boolean("core.bare")?.unwrap_or(false))
}

/// Whether the remote's branches are fetched into `refs/remotes/`. In a bare clone or a mirror they replace the local
/// branches.
fn tracks(config: &GitConfig, remote: &BString) -> bool {
    let spec = config.get(&format!("remote.{}.fetch", remote.to_str_lossy()));
    spec.is_some_and(|spec| spec.split_once_str(":").is_some_and(|(_, to)| to.starts_with(b"refs/remotes/")))
}

/// The tips of published branches.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublishedTips {
    /// The tips with a commit in this clone.
    pub here: BTreeSet<Oid>,
    /// The branches with commits that were not fetched yet.
    pub away: Vec<String>,
}

impl PublishedTips {
    /// The tips, if this clone has all of them.
    ///
    /// # Errors
    /// Unchecked when a branch was not fetched, because its readings are unknown.
    pub(crate) fn whole(self, remote: &str) -> Result<BTreeSet<Oid>> {
        if self.away.is_empty() {
            return Ok(self.here);
        }
        let away = first_of(self.away.iter().map(|branch| echo(branch)), 1);
        Err(Error::unchecked(format!("{remote} has commits that are not here, of {away}"))
            .hint(format!("git fetch {}", word(remote))))
    }
}

/// The current branch tips of the git remote `name`. Opens a connection.
///
/// # Errors
/// Unchecked when the remote cannot be asked.
pub(crate) fn listed(repo: &Repo, name: &str, terminal: bool) -> Result<PublishedTips> {
    let door = repo.network(&repo.common_dir.join(DIRECTORY).join("evidence.git"), name, terminal)?;
    standing(repo, door.list(&["refs/heads/"])?)
}

/// Separates these branches of a remote by whether this clone has their commits.
///
/// # Errors
/// When an object cannot be read.
pub(crate) fn standing(repo: &Repo, branches: Vec<(BString, Oid)>) -> Result<PublishedTips> {
    let mut tips = PublishedTips::default();
    for (branch, id) in branches {
        // some servers accept no other refs, so evidence may lie in branches
        if BesideCode::of(&branch).is_some() {
            continue;
        }
        match repo.objects.header(&id)? {
            Some(_) => drop(tips.here.insert(id)),
            None => tips.away.push(branch.to_string()),
        }
    }
    Ok(tips)
}

/// The pieces that readings at these tips name. `nodes` give the names of directories for messages.
///
/// # Errors
/// When this clone lacks a tip, or a ledger in it.
pub(crate) fn named(repo: &Repo, tips: &BTreeSet<Oid>, nodes: &[Node]) -> Result<NamedPieces> {
    let (mut seen, mut found) = (HashSet::new(), PublishedLines::default());
    for tip in tips {
        // a branch that points to no commit has no ledgers
        let Tip::Ledgers(ledgers) = ledgers_of(&*repo.objects, *tip, &is_ledger)? else { continue };
        for group in by_directory(ledgers) {
            if seen.insert(group.clone()) {
                found.add(&read(repo, &group)?);
            }
        }
    }
    Ok(found.pieces(nodes))
}

/// Groups the ledgers by directory, each in the order of its files.
fn by_directory(ledgers: Vec<(RepoPath, Oid)>) -> Vec<Vec<(RepoPath, Oid)>> {
    let mut groups: BTreeMap<RepoPath, Vec<(RepoPath, Oid)>> = BTreeMap::new();
    for (path, id) in ledgers {
        groups.entry(path.parent().unwrap_or_default()).or_default().push((path, id));
    }
    groups.values_mut().for_each(|group| group.sort_by(|one, other| in_order(&one.0, &other.0)));
    groups.into_values().collect()
}

fn read(repo: &Repo, group: &[(RepoPath, Oid)]) -> Result<Vec<Ledger>> {
    group.iter().map(|(path, id)| Ok(parse(path, &read_blob(&*repo.objects, id, path, MAX_READ)?))).collect()
}

/// A reading that counts in its ledger.
struct PublishedReading {
    line: LineHash,
    dir: RepoPath,
    scenario: String,
    ts: Timestamp,
    bytes: Vec<EvidenceHash>,
}

/// The lines found in ledgers so far.
#[derive(Default)]
struct PublishedLines {
    counted: Vec<PublishedReading>,
    /// The lines withdrawn on any branch.
    out: HashSet<LineHash>,
}

impl PublishedLines {
    fn add(&mut self, ledgers: &[Ledger]) {
        let effective = Effective::over(ledgers);
        let counted: HashSet<_> = effective.filed_readings().map(|filed| (filed.ledger, filed.line)).collect();
        let withdrawn: HashSet<_> = effective.withdrawn.iter().map(|(filed, _)| (filed.ledger, filed.line)).collect();
        for ledger in ledgers {
            let dir = ledger.path.parent().unwrap_or_default();
            for line in &ledger.lines {
                let place = (&ledger.path, line.number);
                match &line.event {
                    Event::Reading(_) if withdrawn.contains(&place) => drop(self.out.insert(LineHash::of(&line.bytes))),
                    Event::Reading(reading) if counted.contains(&place) => self.counted.push(PublishedReading {
                        line: LineHash::of(&line.bytes),
                        dir: dir.clone(),
                        scenario: reading.scenario.clone(),
                        ts: reading.ts,
                        bytes: reading.bytes().collect(),
                    }),
                    Event::Redaction(of) => drop(self.out.insert(of.redacted.line)),
                    _ => {}
                }
            }
        }
    }

    fn pieces(self, nodes: &[Node]) -> NamedPieces {
        let called: BTreeMap<&RepoPath, &str> = nodes.iter().map(|node| (&node.dir, node.id.as_str())).collect();
        let mut pieces = NamedPieces::new();
        for reading in self.counted.into_iter().filter(|reading| !self.out.contains(&reading.line)) {
            let id = called.get(&reading.dir).map_or_else(|| reading.dir.to_string(), |id| (*id).to_owned());
            let by = ReadingName { node: id, scenario: reading.scenario, ts: reading.ts.to_string() };
            for hash in reading.bytes {
                let readings = pieces.entry(hash).or_default();
                if !readings.contains(&by) {
                    readings.push(by.clone());
                }
            }
        }
        pieces
    }
}
