//! `fold`: moves the lines of committed segments into the trunk files of their homes (docs/formats.md, "Segments"). The lines
//! are durable in the trunk file before a segment goes. Killed in between, they stand twice and count once, and the next run
//! finishes. Prints nothing.

use super::transaction::Transaction;
use crate::app::judge::branch::find_main;
use crate::app::site::{self, Site, TypedScenario, trunk_path};
use crate::engine::redaction::Redactions;
use crate::error::{Error, ErrorKind, Refusal, Result};
use crate::model::config::Config;
use crate::model::ledger::{Ledger, Line, Timestamp, parse};
use crate::model::node::Node;
use crate::model::workspace::is_ours;
use crate::names::{is_ledger, is_segment};
use crate::repo::Repo;
use crate::report::view::receipt::{FoldOutcome, FoldReceipt, HomeReceipt, LeftReceipt};
use crate::store::Store;
use crate::text::escape::echo;
use crate::text::{plural, shell};
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(crate) struct FoldRequest {
    /// References of the nodes to fold; empty means all.
    pub(crate) nodes: Vec<String>,
    /// Say what would be moved, and write nothing.
    pub(crate) dry_run: bool,
    /// Fold on another branch than the main one.
    pub(crate) here: bool,
}

/// Folds the segments that HEAD has. A home that cannot be read whole is left, and the others are folded.
///
/// # Errors
/// Refused on another branch than the main one; otherwise as [`super::eval::eval`]. Homes before a failing one stay folded,
/// and the same request can be made again.
pub(crate) fn fold(repo: &Repo, site: &dyn Site, store: &Store, request: &FoldRequest) -> Result<FoldReceipt> {
    site::work_dir(site)?;
    if !request.here {
        refuse_elsewhere(repo, &site.config()?)?;
    }
    let mut done = FoldReceipt { outcome: FoldOutcome::Nothing, homes: Vec::new(), left: Vec::new() };
    let Some(head) = site.head()?.map(|head| site.commit(&head)).transpose()? else { return Ok(done) };
    let chosen = chosen(site, &request.nodes)?;
    let transaction = Transaction::begin(site, store)?;
    let config = site.config()?;
    for node in site.reread()?.iter().filter(|node| chosen.as_ref().is_none_or(|dirs| dirs.contains(&node.dir))) {
        let home = match Home::of(site, &transaction, node, &head, &config) {
            Ok(Some(home)) => home,
            Ok(None) => continue,
            // nothing of it was written: one file that cannot be read keeps no other home from its fold
            Err(why) => {
                done.left.push(LeftReceipt { node: node.id.clone(), why });
                continue;
            }
        };
        match home.fold(&transaction, request.dry_run) {
            Ok(home) => done.homes.push(home),
            Err(why) if matches!(why.kind, ErrorKind::Refused(_)) => {
                done.left.push(LeftReceipt { node: node.id.clone(), why });
            }
            Err(error) if done.homes.is_empty() || request.dry_run => return Err(error),
            Err(error) => return Err(error.half_done(format!("{} folded before", plural(done.homes.len(), "node")))),
        }
    }
    if !done.homes.is_empty() {
        done.outcome = if request.dry_run { FoldOutcome::WouldFold } else { FoldOutcome::Folded };
    }
    Ok(done)
}

/// The directories of the named nodes; `None` for all.
fn chosen(site: &dyn Site, named: &[String]) -> Result<Option<BTreeSet<RepoPath>>> {
    if named.is_empty() {
        return Ok(None);
    }
    let nodes = site.nodes()?;
    let dir = |text: &String| -> Result<RepoPath> {
        let typed = TypedScenario { node: Some(text.clone()), scenario: None }.declared_node(site)?;
        Ok(site::find_node(site, &nodes, typed.as_deref())?.dir.clone())
    };
    named.iter().map(dir).collect::<Result<_>>().map(Some)
}

/// Two folds conflict in each trunk file, so one branch folds for all.
fn refuse_elsewhere(repo: &Repo, config: &Config) -> Result<()> {
    const MAIN_OF_REMOTE: &str = "refs/remotes/origin/HEAD";
    let main = match find_main(repo, config)? {
        Some((name, _)) if name == MAIN_OF_REMOTE => {
            repo.symbolic_ref(MAIN_OF_REMOTE.as_bytes())?.map(|name| name.to_string())
        }
        found => found.map(|(name, _)| name),
    };
    let short = |name: &'_ str| {
        ["refs/heads/", "refs/remotes/origin/"].iter().find_map(|start| name.strip_prefix(start)).map(str::to_owned)
    };
    let branch = main.as_deref().and_then(short);
    let here = repo.head_branch()?;
    let is_main = |branch: &str| here.as_ref().is_some_and(|here| *here == format!("refs/heads/{branch}"));
    if branch.as_deref().is_some_and(is_main) {
        return Ok(());
    }
    let what = match branch {
        Some(branch) => format!("ledgers are folded on {}, and this is another branch", echo(&branch)),
        None => "ledgers are folded on the main branch, and there is none".to_owned(),
    };
    Err(Error::refused(what)
        .because(Refusal::NotMet)
        .hint("two folds conflict: fold on one branch alone, after it took the others")
        .hint("for a pull request that folds: yatsu-hook fold --here"))
}

/// The committed segments of one home, as they are on disk.
struct Home<'a> {
    site: &'a dyn Site,
    node: &'a Node,
    trunk: RepoPath,
    /// Each segment with its bytes and its lines, in the order of the files.
    segments: Vec<(Vec<u8>, Ledger)>,
    /// The files of the home that HEAD has.
    committed: Vec<Ledger>,
}

impl<'a> Home<'a> {
    /// `None` if there is nothing to fold, for example where a sparse checkout leaves the home out.
    fn of(
        site: &'a dyn Site,
        transaction: &Transaction<'_>,
        node: &'a Node,
        head: &Rc<dyn Tree>,
        config: &Config,
    ) -> Result<Option<Self>> {
        let mut segments = Vec::new();
        // the files that count: a segment that the configuration excludes stays where it is
        for path in node.ledgers.iter().map(|ledger| &ledger.path).filter(|path| is_segment(path.name())) {
            if site::is_there(site::work_dir(site)?, path)? && head.entry(path)?.is_some() {
                let bytes = transaction.read(path)?;
                segments.push((bytes.clone(), parse(path, &bytes)));
            }
        }
        if segments.is_empty() {
            return Ok(None);
        }
        let trunk = trunk_path(node);
        if !is_ours(&trunk, config) {
            return Err(Error::refused(format!("yatsu.exclude hides {trunk}, so its lines would not count"))
                .because(Refusal::NotMet)
                .hint("take the file out of yatsu.exclude in spexcode.json, then fold"));
        }
        let mut committed = Vec::new();
        for (name, entry) in head.children(&node.dir)? {
            let path = node.dir.child(&name);
            if is_ledger(&name) && is_ours(&path, config) {
                committed.extend(head.read_of(&path, &entry)?.map(|bytes| parse(&path, &bytes)));
            }
        }
        Ok(Some(Home { site, node, trunk, segments, committed }))
    }

    fn fold(self, transaction: &Transaction<'_>, dry_run: bool) -> Result<HomeReceipt> {
        for (_, segment) in &self.segments {
            site::refuse_unsound(self.site, segment)?;
            refuse_malformed(segment)?;
        }
        self.refuse_lost()?;
        let open = transaction.open(&self.trunk)?;
        let lines = self.lines(&open.ledger)?;
        self.refuse_ties(&lines)?;
        let folded = HomeReceipt {
            node: self.node.id.clone(),
            directory: self.node.dir.to_string(),
            trunk: self.trunk.to_string(),
            lines: lines.len(),
            segments: self.segments.iter().map(|(_, segment)| segment.path.to_string()).collect(),
        };
        if !dry_run {
            if !lines.is_empty() {
                open.append_all(&lines.iter().map(|line| line.text.to_owned()).collect::<Vec<_>>())?;
            }
            // The lines are durable by now.
            let segments = self.segments.iter().map(|(bytes, segment)| (&segment.path, &bytes[..]));
            let removed = transaction.remove(&self.node.dir, segments);
            removed.map_err(|error| {
                error.half_done("the lines are in the trunk file, and segments are still there, too")
            })?;
        }
        Ok(folded)
    }

    /// Refuses a fold without a committed line: the commit of the fold would take all files of the home as they are on disk.
    fn refuse_lost(&self) -> Result<()> {
        // the node was read under the lock, so this is all of the home
        let here: HashSet<&[u8]> = self.node.ledgers.iter().flat_map(|ledger| &ledger.raw).map(AsRef::as_ref).collect();
        let redactions = Redactions::of(&self.node.ledgers);
        for committed in &self.committed {
            let is_lost = |line: &&Line| !here.contains(&*line.bytes) && !redactions.cover(&line.bytes);
            if let Some(line) = committed.lines.iter().find(is_lost) {
                let what = format!("{}: line {} of HEAD is not there", committed.path, line.number);
                return Err(Error::refused(what)
                    .because(Refusal::Invalid)
                    .hint(format!("git checkout HEAD -- {}", shell::place(&committed.path))));
            }
        }
        Ok(())
    }

    /// Refuses a fold past a line of the same time that stays in another file: the order of the files decides between the two,
    /// and the fold would change it.
    fn refuse_ties(&self, lines: &[FoldedLine<'_>]) -> Result<()> {
        let folded: BTreeSet<Timestamp> = lines.iter().filter_map(|line| line.ts).collect();
        let stays = |ledger: &&Ledger| {
            ledger.path != self.trunk && self.segments.iter().all(|(_, folded)| folded.path != ledger.path)
        };
        for ledger in self.node.ledgers.iter().filter(stays) {
            let is_tie = |line: &&Line| line.event.ts().is_some_and(|ts| folded.contains(&ts));
            let Some(line) = ledger.lines.iter().find(is_tie) else { continue };
            let error = Error::refused(format!("{}:{}: a line to fold has the same time", ledger.path, line.number))
                .because(Refusal::Invalid);
            return Err(match is_segment(ledger.path.name()) {
                true => error.hint("commit this file, then fold: the order of the files decides between the two"),
                false => error.hint(format!(
                    "move its lines behind those of {}, commit, then fold: the order of the files decides between the two",
                    self.trunk
                )),
            });
        }
        Ok(())
    }

    /// The lines that the trunk file lacks, in the order in which the home has them, each once and without redacted ones.
    fn lines(&self, trunk: &Ledger) -> Result<Vec<FoldedLine<'_>>> {
        let redactions = Redactions::of(&self.node.ledgers);
        let mut known: HashSet<&[u8]> = trunk.raw.iter().map(AsRef::as_ref).collect();
        let mut lines = Vec::new();
        for line in self.segments.iter().flat_map(|(_, segment)| &segment.lines) {
            if known.insert(&line.bytes) && !redactions.cover(&line.bytes) {
                let text = line.bytes.to_str().map_err(|_| Error::fault("a ledger line is not UTF-8"))?;
                lines.push(FoldedLine { ts: line.event.ts(), text });
            }
        }
        // stable: lines of one time stay in the order of segments and lines
        lines.sort_by_key(|line| line.ts);
        Ok(lines)
    }
}

/// A line that goes into the trunk file.
struct FoldedLine<'l> {
    ts: Option<Timestamp>,
    text: &'l str,
}

/// Refuses to fold a segment with a line that is no event: moved, it could not be told from the lines around it.
fn refuse_malformed(segment: &Ledger) -> Result<()> {
    let Some(problem) = segment.problems.iter().find(|problem| !problem.advice) else { return Ok(()) };
    let what = format!("{}:{}: {}", segment.path, problem.at.line, problem.message);
    Err(Error::refused(what).because(Refusal::Invalid).hint(problem.help.clone()))
}
