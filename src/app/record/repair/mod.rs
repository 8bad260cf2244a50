//! `repair`: mends ledgers after a broken write or an edit by hand, and brings lost lines back. Files of features are only
//! mended ([`MendFiles`]). Returns one [`Mended`] per file; prints nothing.
//!
//! A line that HEAD's version of the ledger holds is never touched, unless it was redacted or is a torn end, which was never an
//! event. Both sides of a merge conflict stay. Faults for a person (markers of no whole conflict, malformed lines) are reported and left.

use super::transaction::Transaction;
use crate::app::site;
use crate::app::site::Site;
use crate::app::site::line_files::NewLineFiles;
use crate::engine::history;
use crate::engine::history::Lost;
use crate::engine::redaction::Redactions;
use crate::error::{Error, Result};
use crate::model::ids::nfc;
use crate::model::ledger::{Timestamp, parse};
use crate::model::node::Node;
use crate::model::source::Problem;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::names::{OLDER_LEDGER, is_trunk};
use crate::report::view::receipt::{EditReason, EditReceipt, Left, Mended, RepairOutcome, Repaired};
use crate::store::Store;
use crate::text::json;
use crate::text::json::Json;
use crate::text::ndjson;
use crate::text::ndjson::RawLine;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Mends the files of a feature in the work tree, or only says what would change if the flag is set. The tree is HEAD's. Returns the
/// files that were changed or still need a person.
pub(crate) type MendFiles = fn(&dyn Site, &Transaction<'_>, Option<&dyn Tree>, bool) -> Result<Vec<Mended>>;

/// Mends every ledger of the work tree, or only says what would change. `restore` is a revision: the lines that it holds and
/// the work tree lost are brought back. Returns the files that were changed or still need a person.
///
/// # Errors
/// As [`super::eval::eval`]. Each ledger is replaced whole or not at all; ledgers before a failing one stay mended, and
/// the same request can be made again.
pub(crate) fn repair(
    site: &dyn Site,
    store: &Store,
    dry_run: bool,
    restore: Option<&str>,
    now: Timestamp,
    others: &[MendFiles],
) -> Result<Repaired> {
    site::work_dir(site)?;
    let committed = site.head()?.map(|head| site.commit(&head)).transpose()?;
    let base = restore.map(|text| site.commit(&site.revision(text)?)).transpose()?;
    let nodes = site.nodes()?;
    let transaction = Transaction::begin(site, store)?;
    let RestoreSource { lost, lines } =
        base.as_deref().map(|base| before(site, &transaction, &nodes, base, now)).transpose()?.unwrap_or_default();
    // by definition an added line with the scenario and the time of a base line is that line, in any ledger
    let redactions = Redactions::of(nodes.iter().flat_map(|node| &node.ledgers));
    let moments = lines.iter().filter(|line| !redactions.cover(line)).filter_map(|line| moment(line)).collect();
    let mut mended = Vec::new();
    for path in paths(&nodes, &lost) {
        if let Some(left) = unjoinable(site, &transaction, &path)? {
            mended.push(Mended { ledger: path.to_string(), changes: Vec::new(), left: vec![left], is_gone: false });
            continue;
        }
        let before = transaction.read_any(&path)?;
        let back = lost.get(&path).map_or(&[][..], Vec::as_slice);
        let known = KnownLines {
            committed: counted(committed.as_deref(), &path)?,
            filed: &lines,
            redactions: of_node(&nodes, &path),
            moments: &moments,
        };
        let (mut bytes, mut changes) = mend(&before, &known);
        add_lost(&mut bytes, &mut changes, back);
        let problems = parse(&path, &bytes).problems.into_iter().filter(|problem| !problem.advice);
        let mut left: Vec<Left> = problems.map(left_of).collect();
        left.extend(known.edited(&bytes, restore));
        if !changes.is_empty() && !dry_run {
            transaction.mend(&path, &bytes)?;
        }
        if !changes.is_empty() || !left.is_empty() {
            let is_gone = !dry_run && !site::is_there(site::work_dir(site)?, &path)? && !(site.held_by_git()?)(&path)?;
            mended.push(Mended { ledger: path.to_string(), changes, left, is_gone });
        }
    }
    for mend in others {
        mended.extend(mend(site, &transaction, committed.as_deref(), dry_run)?);
    }
    let outcome = match mended.iter().all(|ledger| ledger.changes.is_empty()) {
        true => RepairOutcome::Sound,
        false if dry_run => RepairOutcome::WouldRepair,
        false => RepairOutcome::Repaired,
    };
    Ok(Repaired { outcome, ledgers: mended })
}

fn left_of(Problem { at, message, help, key, .. }: Problem) -> Left {
    // the help of the rule names this command
    let is_marker = key.starts_with("conflict-marker");
    let by_hand =
        || "it belongs to no whole conflict: keep the lines around it, and delete this one by hand".to_owned();
    Left { line: at.line, message, help: if is_marker { by_hand() } else { help } }
}

/// The problem of a file that is being merged and has no marks of a conflict: git kept one side, and only a person knows whether
/// it stays.
fn unjoinable(site: &dyn Site, transaction: &Transaction<'_>, path: &RepoPath) -> Result<Option<Left>> {
    if !site.is_unmerged(path)? || !ndjson::conflict_markers(&transaction.read_any(path)?).is_empty() {
        return Ok(None);
    }
    let Error { message, hints, .. } = site::one_sided(path);
    Ok(Some(Left { line: 1, message, help: hints.join("; ") }))
}

/// The ledgers of the nodes, and lost ledgers that must be there again.
fn paths(nodes: &[Node], lost: &LostLines) -> Vec<RepoPath> {
    let mut paths: Vec<_> = nodes.iter().flat_map(|node| &node.ledgers).map(|ledger| ledger.path.clone()).collect();
    let more: Vec<_> = lost.keys().filter(|path| !paths.contains(path)).cloned().collect();
    paths.extend(more);
    paths
}

/// Lines by the ledger that must hold them.
type LostLines = BTreeMap<RepoPath, Vec<Vec<u8>>>;

/// The revision from which lost lines come back.
#[derive(Default)]
struct RestoreSource {
    /// The lines that the work tree lost, without redacted lines.
    lost: LostLines,
    /// All lines of all ledgers of the revision.
    lines: HashSet<Vec<u8>>,
}

fn before(
    site: &dyn Site,
    transaction: &Transaction<'_>,
    nodes: &[Node],
    base: &dyn Tree,
    now: Timestamp,
) -> Result<RestoreSource> {
    let config = site.config()?;
    let files = NewLineFiles::of(site, &config, nodes, now)?;
    let then = workspace::read_config(base).unwrap_or_else(|_| config.clone());
    let base = workspace::load(base, then, &Select::All)?;
    let new = Workspace { config, nodes: nodes.to_vec() };
    let redactions = Redactions::of(nodes.iter().flat_map(|node| &node.ledgers));
    let (mut lost, mut segments) = (LostLines::new(), BTreeMap::new());
    for line in history::missing(&new, &base).lost.into_iter().filter(|lost| !redactions.cover(&lost.line)) {
        let path = match files.are_segments() {
            true => segment(transaction, &files, &new, &line.belongs, &mut segments)?,
            false => trunk(&new, &line),
        };
        let of = lost.entry(path).or_default();
        if !of.contains(&line.line) {
            of.push(line.line);
        }
    }
    let lines = base.nodes.into_iter().flat_map(|node| node.ledgers).flat_map(|ledger| ledger.raw);
    let lines = lines.map(|line| line.to_vec()).collect();
    Ok(RestoreSource { lost, lines })
}

/// The file for the lost lines of a home where new lines go into segments; asked for once for each home.
fn segment(
    transaction: &Transaction<'_>,
    files: &NewLineFiles,
    new: &Workspace,
    home: &RepoPath,
    known: &mut BTreeMap<RepoPath, RepoPath>,
) -> Result<RepoPath> {
    if let Some(path) = known.get(home) {
        return Ok(path.clone());
    }
    let gone = Node { dir: home.clone(), ..Node::default() };
    let path = transaction.path_for(files, new.node(home).unwrap_or(&gone))?;
    known.insert(home.clone(), path.clone());
    Ok(path)
}

/// The trunk file that must hold a lost line. Where no new line goes into a segment, no lost line does.
fn trunk(new: &Workspace, lost: &Lost) -> RepoPath {
    let own = lost.belongs.child(lost.ledger.name());
    let there = new.node(&lost.belongs).into_iter().flat_map(|node| &node.ledgers);
    let mut trunks = there.filter(|ledger| is_trunk(ledger.path.name()));
    let first = trunks.clone().next();
    match trunks.find(|ledger| ledger.path == own).or(first) {
        Some(ledger) => ledger.path.clone(),
        None if is_trunk(own.name()) && workspace::is_ours(&own, &new.config) => own,
        None => lost.belongs.child(OLDER_LEDGER.as_bytes()),
    }
}

/// How often each line occurs in a committed ledger.
fn counted(tree: Option<&dyn Tree>, path: &RepoPath) -> Result<HashMap<Vec<u8>, usize>> {
    let bytes = tree.map(|tree| tree.read(path)).transpose()?.flatten().unwrap_or_default();
    let mut lines = HashMap::new();
    for line in ndjson::filled(&bytes) {
        *lines.entry(line.to_vec()).or_default() += 1;
    }
    Ok(lines)
}

/// The lines that matter for the repair of one ledger.
struct KnownLines<'n> {
    committed: HashMap<Vec<u8>, usize>,
    /// The lines of all ledgers of the base revision, because a line may have moved here.
    filed: &'n HashSet<Vec<u8>>,
    /// The redactions of the node of the ledger.
    redactions: Redactions<'n>,
    /// Scenario and time of all lines of the base revision, which no other line may have. Redacted lines are left out:
    /// their redactions have them now.
    moments: &'n HashSet<(String, String)>,
}

impl KnownLines<'_> {
    /// How often HEAD's version of the ledger holds `line`.
    fn count(&self, line: &[u8]) -> usize {
        self.committed.get(line).copied().unwrap_or(0)
    }

    /// Whether `line` is an edited copy of a line that the base holds.
    fn is_edited(&self, line: &[u8]) -> bool {
        !self.moments.is_empty()
            && !self.filed.contains(line)
            && moment(line).is_some_and(|at| self.moments.contains(&at))
    }

    /// Problems for edited lines that stay because a commit holds them. Only rewriting that commit removes them.
    fn edited(&self, bytes: &[u8], base: Option<&str>) -> Vec<Left> {
        let Some(base) = base else { return Vec::new() };
        let problem = |line: RawLine<'_>| Left {
            line: line.number,
            message: "a later commit edited a line into this one, and the original line is there again".into(),
            help: format!(
                "git reset --soft {base}, then yatsu-hook repair --restore {base}, git add the ledger and commit again"
            ),
        };
        ndjson::lines(bytes).filter(|line| self.is_edited(line.bytes)).map(problem).collect()
    }
}

/// The redactions of the node that the ledger `path` belongs to.
fn of_node<'n>(nodes: &'n [Node], path: &RepoPath) -> Redactions<'n> {
    let dir = path.parent().unwrap_or_default();
    Redactions::of(nodes.iter().filter(|node| node.dir == dir).flat_map(|node| &node.ledgers))
}

/// The scenario and the time of a line.
fn moment(line: &[u8]) -> Option<(String, String)> {
    let json = json::parse(std::str::from_utf8(line).ok()?).ok()?;
    let text = |key| json.get(key).and_then(Json::as_str);
    Some((nfc(text("scenario")?), text("ts")?.to_owned()))
}

/// The mended bytes, and the changes.
fn mend(bytes: &[u8], known: &KnownLines<'_>) -> (Vec<u8>, Vec<EditReceipt>) {
    let (mut out, mut changes) = (Vec::with_capacity(bytes.len()), Vec::new());
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    let torn = parse(&RepoPath::root(), bytes).torn;
    let markers = ndjson::conflict_markers(bytes);
    let physical = bytes.split_inclusive(|byte| *byte == b'\n');
    for (line, whole) in ndjson::lines(bytes).zip(physical) {
        let count = seen.entry(line.bytes).or_default();
        *count += 1;
        let fault = if line.is_blank() {
            None
        } else if known.redactions.cover(line.bytes) {
            Some((EditReason::Redacted, Vec::new()))
        } else if markers.contains(&line.number) {
            Some((EditReason::Conflict, Vec::new()))
        } else if torn && !line.ended {
            Some((EditReason::Torn, Vec::new()))
        } else if *count <= known.count(line.bytes) {
            None
        } else if known.is_edited(line.bytes) {
            Some((EditReason::Edited, Vec::new()))
        } else {
            fault(line.bytes, *count)
        };
        let Some((reason, parts)) = fault else {
            out.extend_from_slice(whole);
            continue;
        };
        let mut added = Vec::new();
        for part in parts {
            // A part of a glued line may equal an earlier line.
            let count = seen.entry(part).or_default();
            *count += 1;
            if *count == 1 || *count <= known.count(part) {
                added.push(part);
            }
        }
        added.iter().for_each(|line| push_line(&mut out, line));
        // redacted words must not be printed again
        let removed = (reason != EditReason::Redacted).then_some(line.bytes);
        changes.push(EditReceipt::new(reason, line.number, removed, &added));
    }
    (out, changes)
}

/// What is wrong with the `count`th occurrence of an uncommitted line, and its replacement.
fn fault(line: &[u8], count: usize) -> Option<(EditReason, Vec<&[u8]>)> {
    if count > 1 {
        return Some((EditReason::Duplicate, Vec::new()));
    }
    let objects = ndjson::objects(line).filter(|objects| objects.len() > 1)?;
    Some((EditReason::Glued, objects.into_iter().map(|object| object.as_bytes()).collect()))
}

fn push_line(out: &mut Vec<u8>, line: &[u8]) {
    if out.last().is_some_and(|last| *last != b'\n') {
        out.push(b'\n');
    }
    out.extend_from_slice(line);
    out.push(b'\n');
}

fn add_lost(bytes: &mut Vec<u8>, changes: &mut Vec<EditReceipt>, lost: &[Vec<u8>]) {
    if lost.is_empty() {
        return;
    }
    let line = u32::try_from(ndjson::lines(bytes).count()).unwrap_or(u32::MAX);
    lost.iter().for_each(|one| push_line(bytes, one));
    changes.push(EditReceipt::new(EditReason::Lost, line, None, lost));
}

#[cfg(test)]
mod tests;
