//! The fast gate before a commit: judges only the nodes that the commit concerns, found through the memo. The judgement and
//! the report are the same as of the full check. In doubt it returns `None`, and the full check runs.
//!
//! A node is concerned when a file of its own changed since the memo's tree, when a path that it names or that left its lists
//! is staged, when a file is added or deleted that may be the old place of a governed unit, when the content of a file that left
//! its lists comes or goes, or when the memo has a flag for it. All other
//! nodes are the same in the judged state and its base.

use super::{Commit, check};
use crate::app::judge::evidence::{Announced, Named};
use crate::app::judge::snapshot::{self, AddedBlob, Base, IndexDiff, Snapshot};
use crate::app::judge::states::LastBases;
use crate::app::judge::{self, Answer, Concerned, Focus, Options, absent, evidence, remember, unseen, verdict};
use crate::app::memo::PathsMemo;
use crate::engine::facts::Facts;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::glob;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace;
use crate::names::{self, CONFIG_FILE};
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The report about `compared`: the index against HEAD, and against the other parents of a merge. `None` if only the full
/// check can decide. After a read error the full check runs too, and reports the error.
pub fn report(repo: &Repo, compared: &[IndexDiff], options: Options, commit: Commit<'_>) -> Option<Report> {
    if compared.iter().all(|one| one.staged.changes.is_empty()) {
        return Some(unread(repo, options));
    }
    if compared.iter().any(|one| one.tree.is_none()) {
        return None;
    }
    let file = remember::paths_file(repo)?;
    let memo = remember::recall(repo, &file)?;
    let steps = steps(repo, &memo, compared)?;
    let report = by_memo(repo, &memo, &steps, options, commit).ok()??;
    if let Some(head) = steps.first().filter(|head| is_old(&head.since)) {
        remember::renew(repo, &memo, head.tree, &renewed(&memo, &head.since));
    }
    Some(report)
}

/// The same without a usable memo: makes one from the base and stores it for the next commit. So the base is loaded once,
/// and only the concerned nodes are loaded from the index.
pub fn afresh(repo: &Repo, compared: &[IndexDiff], options: Options, commit: Commit<'_>) -> Option<Report> {
    let staged = || compared.iter().map(|one| &one.staged.changes);
    let is_empty = compared.iter().any(|one| one.tree.is_none()) || staged().all(Vec::is_empty);
    if is_empty || staged().any(|changes| concerns_everything(changes)) {
        return None;
    }
    (commit.busy)();
    let notes = remember::of_base(repo, compared.first()?).ok()??;
    let bytes = notes.encode()?;
    let memo = PathsMemo::decode(&bytes)?;
    let report = steps(repo, &memo, compared).and_then(|steps| by_memo(repo, &memo, &steps, options, commit).ok()?);
    remember::leave_encoded(repo, &bytes);
    report
}

/// The same in a partial clone where files of nodes are with the remote alone. The change leaves these nodes as they are in
/// HEAD, so they pass unread, and one line counts them. `None` for a change that a node out of sight may forbid: one that
/// removes a path, which the node may govern.
pub fn beside_absent(repo: &Repo, compared: &[IndexDiff], options: Options, commit: Commit<'_>) -> Option<Report> {
    let staged = || compared.iter().flat_map(|one| &one.staged.changes);
    if staged().any(|change| change.new.is_none())
        || compared.iter().any(|one| concerns_everything(&one.staged.changes))
    {
        return None;
    }
    let (notes, absent) = remember::of_readable(repo, compared.first()?.tree?).ok()?;
    let bytes = notes.encode()?;
    let memo = PathsMemo::decode(&bytes)?;
    let mut report = by_memo(repo, &memo, &steps(repo, &memo, compared)?, options, commit).ok()??;
    report.notes.push(absent::note(repo, absent));
    Some(report)
}

/// The report of a commit in which nothing had to be read.
fn unread(repo: &Repo, options: Options) -> Report {
    let scope = Scope { backend: Some(repo.answered_by()), ..Scope::unread(ScopeMode::Staged) };
    verdict::report(scope, Vec::new(), options.reader)
}

/// The report of a change that concerns no node, no file of a feature and no evidence.
fn silence(repo: &Repo, memo: &PathsMemo<'_>, compared: &IndexDiff, options: Options) -> Report {
    if memo.is_empty() {
        return unread(repo, options);
    }
    let scope = Scope {
        base: compared.commit.map(|id| id.to_string()),
        backend: Some(repo.answered_by()),
        files: compared.staged.changes.len(),
        ..Scope::unread(ScopeMode::Staged)
    };
    verdict::report(scope, Vec::new(), options.reader)
}

/// The step from one base to the index, and the changes between memo and base.
struct Step<'a> {
    /// The comparison of the index with the base.
    to: &'a IndexDiff,
    tree: Oid,
    /// The changes from the memo's tree to the base.
    since: Vec<PathChange>,
}

/// One step for each base; `None` if a tree is missing.
fn steps<'a>(repo: &Repo, memo: &PathsMemo<'_>, compared: &'a [IndexDiff]) -> Option<Vec<Step<'a>>> {
    let step = |to: &'a IndexDiff| {
        let tree = to.tree?;
        Some(Step { to, tree, since: repo.tree_diff(Some(memo.tree), Some(tree)).ok()? })
    };
    compared.iter().map(step).collect()
}

/// The report about the nodes that any of `steps` concerns. Other nodes are the same in bases, index and memo.
fn by_memo(
    repo: &Repo,
    memo: &PathsMemo<'_>,
    steps: &[Step<'_>],
    options: Options,
    commit: Commit<'_>,
) -> Result<Option<Report>> {
    let Some(head) = steps.first() else { return Ok(None) };
    let mut dirs = BTreeSet::new();
    for step in steps {
        let Some(some) = self::dirs(memo, &step.since, &step.to.staged.changes) else { return Ok(None) };
        dirs.extend(some);
    }
    // no root directory is on disk, so git ignores no yatsu-hook file there
    let is_alone = || !unseen::is_possible(repo, &Config::default());
    if dirs.is_empty() && touches_nothing(repo, memo, steps, commit)? {
        // almost every commit ends here, before the configuration is read
        return Ok((!memo.is_empty() || is_alone()).then(|| silence(repo, memo, head.to, options)));
    }
    // a changed configuration concerns every node, so here it is the same in every base and in the index
    let config = workspace::read_config(&*repo.tree_view(head.tree))?;
    let snapshot = Snapshot { made_by: commit.made_by, ..snapshot_of(repo, steps, &dirs, &config, commit)? };
    let judged = match judged(repo, memo, &snapshot, &dirs, &config, options, commit.busy)? {
        Answer::Judged(judged) => *judged,
        // neither result covers the nodes that were left out
        Answer::Nothing | Answer::TooNarrow => return Ok(None),
    };
    // The last nodes are gone. Perhaps git only ignores them now: the full check looks at the disk.
    let nothing_here = judged.states.bases.iter().all(Facts::is_empty) && judged.states.view.is_empty();
    if nothing_here && memo.dirs(|_| true).all(|dir| dirs.contains(&dir)) && !is_alone() {
        return Ok(None);
    }
    let note = check::unstaged_note(repo, &judged, &snapshot);
    let mut report = verdict::of(repo, &snapshot, Some(judged), options.reader);
    report.notes.extend(note);
    Ok(Some(report))
}

/// Judges the concerned nodes of a change, which are in `dirs`. The memo knows what is needed of all other nodes.
pub(super) fn judged(
    repo: &Repo,
    memo: &PathsMemo<'_>,
    snapshot: &Snapshot,
    dirs: &BTreeSet<RepoPath>,
    config: &Config,
    options: Options,
    busy: &dyn Fn(),
) -> Result<Answer> {
    let others = if dirs.is_empty() { Vec::new() } else { memo.nodes_beside(dirs) };
    let (names, deciding) = (&|hash: &EvidenceHash| memo.names(hash), &|| memo.deciding_beside(dirs));
    let concerned = Concerned { config, dirs, others: &others, names, deciding, busy };
    check::answer(repo, snapshot, options, Focus::Nodes(concerned), &mut LastBases::default())
}

/// The index with the bases of `steps`, for queries about the nodes in `dirs`.
fn snapshot_of(
    repo: &Repo,
    steps: &[Step<'_>],
    dirs: &BTreeSet<RepoPath>,
    config: &Config,
    commit: Commit<'_>,
) -> Result<Snapshot> {
    let staged = || steps.iter().flat_map(|step| &step.to.staged.changes);
    // the content of these is read although no node is concerned
    let others = staged().any(|change| judge::judges_file(&change.path, Some(config)));
    if !dirs.is_empty() || others || staged().count() > FEW {
        (commit.busy)();
    }
    let head = steps.first();
    let view = match head.and_then(|head| head.to.staged.root) {
        Some(root) => repo.tree_view(root),
        // the view is not read in this case
        None if dirs.is_empty() && !others => repo.tree_view(head.map(|head| head.tree)),
        None => repo.index_view()?,
    };
    let base = |step: &Step<'_>| Base::of(repo.tree_view(step.tree), step.to.commit, &step.to.staged.changes);
    Ok(snapshot::steps(view, steps.iter().map(base).collect()))
}

/// Whether so much changed since the memo that comparing costs more than a new memo.
fn is_old(since: &[PathChange]) -> bool {
    let dirs = || since.iter().map(|change| change.path.parent()).collect::<BTreeSet<_>>();
    since.len() > MANY_PATHS || since.len() > MANY_DIRS && dirs().len() > MANY_DIRS
}

/// The directories that a newer memo may describe differently after many changes.
fn renewed(memo: &PathsMemo<'_>, since: &[PathChange]) -> BTreeSet<RepoPath> {
    let mut dirs: BTreeSet<RepoPath> = since.iter().filter_map(own_dir).collect();
    dirs.extend(memo.dirs(|flags| flags.unsure || flags.linked || flags.appeared));
    named(memo, since, &mut dirs);
    dirs
}

/// Whether no feature can judge a staged path by itself, whatever the configuration says, and no staged blob is evidence. Then a change
/// that concerns no node needs no judgement.
fn touches_nothing(repo: &Repo, memo: &PathsMemo<'_>, steps: &[Step<'_>], commit: Commit<'_>) -> Result<bool> {
    let staged = || steps.iter().map(|step| &step.to.staged.changes);
    if memo.names_files || staged().flatten().any(|change| judge::judges_file(&change.path, None)) {
        return Ok(false);
    }
    if staged().flatten().count() > FEW {
        (commit.busy)();
    }
    let named = |hash: &EvidenceHash| memo.names(hash);
    let named: Option<Named<'_>> = if memo.names_any() { Some(&named) } else { None };
    let looks = &Announced { repo, busy: commit.busy };
    // in a merge: the changes against each parent, which include the merge's own
    for changes in staged() {
        if evidence::may_be_among(&AddedBlob::of(changes), looks, named)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The directories of the nodes that these edits of HEAD concern. `None` if only all nodes can decide.
pub(crate) fn concerned(repo: &Repo, memo: &PathsMemo<'_>, edits: &[PathChange]) -> Option<BTreeSet<RepoPath>> {
    let tree = repo.tree_of(&repo.head().ok()??).ok()??;
    let since = repo.tree_diff(Some(memo.tree), Some(tree)).ok()?;
    dirs(memo, &since, edits)
}

/// The directories that the change `staged` of a base concerns; `since` are the changes between memo and base. `None` if
/// only the full check can decide.
pub(super) fn dirs(memo: &PathsMemo<'_>, since: &[PathChange], staged: &[PathChange]) -> Option<BTreeSet<RepoPath>> {
    // This comes first, because such a change may concern every node.
    if since.iter().any(is_everybodys) || concerns_everything(staged) {
        return None;
    }
    let mut dirs: BTreeSet<RepoPath> = since.iter().chain(staged).filter_map(own_dir).collect();
    // The memo does not know enough about these: a link's target may change without a change of a named path.
    dirs.extend(memo.dirs(|flags| flags.unsure || flags.linked));
    named(memo, staged, &mut dirs);
    seeking(memo, staged, &mut dirs);
    renaming(memo, staged, &mut dirs);
    // A file may come back to its old place, also one that went after the memo: then a pure rename is none any more. Only a
    // governed path that the list gained asks for renames. It is there in the memo's tree and has the flag, or it changed
    // since. Without these two a node would pass whose renamed file is now a copy.
    if staged.iter().any(|change| change.old.is_none()) {
        if memo.dirs(|flags| flags.unasked).next().is_some() {
            return None;
        }
        dirs.extend(memo.dirs(|flags| flags.appeared));
        named(memo, since, &mut dirs);
    }
    Some(dirs)
}

/// Whether the staged changes may concern every node, or a file that a feature compares in the full check.
fn concerns_everything(staged: &[PathChange]) -> bool {
    staged
        .iter()
        .any(|change| is_everybodys(change) || is_new_or_gone_node_file(change) || judge::concerns_file(&change.path))
}

/// Whether a change may concern any node: the configuration, a symbolic link, a directory with a reserved name such as
/// `yatsu.md`, or a name similar to a reserved one.
fn is_everybodys(change: &PathChange) -> bool {
    let is_link = |side: &Option<(Mode, _)>| side.is_some_and(|(mode, _)| mode == Mode::LINK);
    let below_ours = change.path.components().rev().skip(1).any(|name| names::is_ours(name));
    let almost_ours = change.path.components().any(|name| workspace::is_look_alike(name));
    let is_config = *change.path.as_bstr() == CONFIG_FILE;
    is_config || is_link(&change.old) || is_link(&change.new) || below_ours || almost_ours
}

/// A new or deleted node changes the names of others, and scenarios may have moved to or from it.
fn is_new_or_gone_node_file(change: &PathChange) -> bool {
    let is_ledger = change.path.name().ends_with(b".ndjson");
    own_dir(change).is_some() && !is_ledger && (change.old.is_none() || change.new.is_none())
}

/// The directory of the node, if the changed path is a reserved file name.
fn own_dir(change: &PathChange) -> Option<RepoPath> {
    workspace::has_our_name(&change.path).then(|| change.path.parent().unwrap_or_default())
}

/// Adds the directories that name a changed path.
fn named(memo: &PathsMemo<'_>, changes: &[PathChange], dirs: &mut BTreeSet<RepoPath>) {
    for change in changes {
        dirs.extend(memo.naming(&change.path));
    }
    for (pattern, dir) in memo.globs() {
        if !dirs.contains(&dir) && may_match(&pattern, changes) {
            dirs.insert(dir);
        }
    }
}

/// Adds the directories with a governed unit that may come from an added or deleted file: one of the same file name, in any
/// directory. All path components are compared, because a directory may replace such a file.
fn seeking(memo: &PathsMemo<'_>, changes: &[PathChange], dirs: &mut BTreeSet<RepoPath>) {
    let comes_or_goes = changes.iter().filter(|change| change.old.is_none() || change.new.is_none());
    for name in comes_or_goes.flat_map(|change| change.path.components()) {
        dirs.extend(memo.with_units_of(name));
    }
}

/// Adds the directories with a measured file that left its list, if its content comes to a path or goes from one: the file may
/// have come there by a rename. A content that only the base moved is the same in the judged state.
fn renaming(memo: &PathsMemo<'_>, changes: &[PathChange], dirs: &mut BTreeSet<RepoPath>) {
    let changes = changes.iter().filter(|_| memo.has_contents());
    for (_, id) in changes.flat_map(|change| change.old.iter().chain(&change.new)) {
        dirs.extend(memo.with_content(id));
    }
}

fn may_match(pattern: &RepoPath, changes: &[PathChange]) -> bool {
    let top = glob::literal_base(pattern);
    let mut below = changes.iter().filter(|change| change.path.is_within(&top)).peekable();
    if below.peek().is_none() {
        return false;
    }
    let compiled = std::str::from_utf8(pattern.as_bstr()).ok().and_then(|text| glob::compile(text).ok());
    compiled.is_some_and(|glob| below.any(|change| glob::is_match(&glob, &change.path)))
}

/// Up to this number of blobs, checking takes no noticeable time.
const FEW: usize = 64;
/// A memo is old if more than this number of paths changed since.
const MANY_PATHS: usize = 32;
/// A memo is old if paths in more than this number of directories changed since.
const MANY_DIRS: usize = 8;
