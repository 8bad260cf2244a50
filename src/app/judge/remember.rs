//! Stores memos. For hooks: turns the facts of a whole state into [`Notes`] about HEAD's tree. `scan` mostly judges the
//! working tree, so a node that differs from HEAD is marked, and a hook looks again. A hook already has HEAD as its base.
//! For the next whole state: stores the facts about the trees of anchors.
//!
//! Memos only save time: if a memo cannot be written, or would not be right, the old one stays, and no answer changes.

use crate::app::judge::snapshot::{self, IndexDiff, Snapshot};
use crate::app::judge::{Judged, absent, names_files};
use crate::app::memo::anchors::AnchorsFile;
use crate::app::memo::parsed::ParsedMemo;
use crate::app::memo::units::UnitsFile;
use crate::app::memo::{self, Flags, Notes, PathsMemo};
use crate::engine::anchors::Anchors;
use crate::engine::content::{Compared, Contents, TreePlace};
use crate::engine::facts::{self, Facts, Score};
use crate::engine::freshness::governed;
use crate::engine::units::{SymbolFound, SymbolOf, UnitBook};
use crate::error::Result;
use crate::finding::RuleId;
use crate::model::config::Config;
use crate::model::glob::has_glob_characters;
use crate::model::governed::Governed;
use crate::model::ledger::{Ledger, Reading, StampKind, Timestamp};
use crate::model::left_files::LeftFiles;
use crate::model::node::Node;
use crate::model::workspace::{self, NodeFiles, Select};
use crate::names::CONFIG_FILE;
use crate::repo::base_view::BaseView;
use crate::repo::native::map::Map;
use crate::repo::{Backend, Repo};
use crate::store::memo::MemoKind;
use crate::tree::Tree;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use bstr::BStr;
use foldhash::HashSet;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::rc::Rc;

/// The anchors of a repository. With the native backend they include what earlier scans learned about their trees. That
/// depends only on the trees, not on the judged state.
pub(crate) fn anchors(repo: &Repo) -> Anchors {
    match repo.backend {
        Backend::Native => {
            let file = AnchorsFile::at(memo::path(MemoKind::Anchors, &repo.common_dir));
            let anchors = Anchors::knowing(repo.history(), Box::new(file));
            // quarantined content is new, so no memo knows its units
            if repo.is_quarantined() { anchors } else { anchors.with_units(Rc::new(units_file(repo))) }
        }
        Backend::Program => Anchors::new(repo.history()),
    }
}

/// The maximal number of older symbol answers that a run with few queries keeps. Above it all older answers are dropped;
/// needed ones are parsed again.
const MOST_UNITS: usize = 1 << 14;

/// Stores the symbol answers of a run, which asked about a few symbols only. A hook calls it after its judgement, also
/// after a failed one: otherwise the next hook would parse the same files again, until a scan stores them.
pub(crate) fn leave_units(repo: &Repo, book: &UnitBook) {
    if repo.answered_by() == Backend::Native
        && !repo.is_quarantined()
        && let Some(learned) = book.learned()
    {
        remember_units(repo, learned, MOST_UNITS);
    }
}

/// The memo of parsed working-tree files, if the whole working tree is judged. `now` is the start of the run; without it
/// the run stores nothing.
pub(crate) fn parsed(repo: &Repo, snapshot: &Snapshot, now: Option<Timestamp>) -> ParsedMemo {
    if !has_memo(repo, snapshot) {
        return ParsedMemo::new(None, None);
    }
    let open = || Map::open(&memo::path(MemoKind::Parsed, &repo.git_dir)).ok().flatten();
    let memo = ParsedMemo::new(open(), now);
    snapshot.view.know_listings(memo.listings());
    memo
}

/// Only checks of whole states write memos, and only with the native backend.
fn has_memo(repo: &Repo, snapshot: &Snapshot) -> bool {
    repo.backend == Backend::Native && snapshot.bases.is_empty()
}

/// Writes the memos after a user's check collected the facts of the whole state `snapshot`, the facts about the commits
/// that its readings name, and the parsed content of its files.
pub(crate) fn remember(repo: &Repo, snapshot: &Snapshot, facts: &Facts, anchors: &Anchors, parsed: &ParsedMemo) {
    if !has_memo(repo, snapshot) {
        return;
    }
    if !stands(repo, facts).unwrap_or(false)
        && let Ok(notes) = notes(repo, snapshot, facts)
    {
        leave(repo, notes);
    }
    if let Some(learned) = anchors.learned() {
        let all = [learned.asked.as_slice(), &learned.others].concat();
        // if everything is too large to encode, at least the new answers are stored
        let bytes = memo::anchors::encode(&all).or_else(|| memo::anchors::encode(&learned.asked));
        bytes.iter().for_each(|bytes| replace(repo, MemoKind::Anchors, bytes));
    }
    parsed.learned().iter().for_each(|bytes| replace(repo, MemoKind::Parsed, bytes));
    if let Some(learned) = anchors.units().learned() {
        // this run asked about every symbol, so most other answers are about content that is gone
        let most = learned.len();
        remember_units(repo, learned, most);
    }
}

/// The memo of symbols in source files, shared by all work trees.
pub(crate) fn units_file(repo: &Repo) -> UnitsFile {
    UnitsFile::at(memo::path(MemoKind::Units, &repo.common_dir))
}

/// Stores new symbol answers, and the older ones if there are at most `most`.
fn remember_units(repo: &Repo, mut learned: Vec<(SymbolOf, SymbolFound)>, most: usize) {
    let file = units_file(repo);
    let asked: HashSet<&SymbolOf> = learned.iter().map(|(of, _)| of).collect();
    let mut others: Vec<_> = file.all().iter().filter(|(of, _)| !asked.contains(of)).collect();
    if others.len() <= most {
        others.sort_by_key(|(of, _)| *of);
        let others: Vec<_> = others.into_iter().map(|(of, found)| (of.clone(), found.clone())).collect();
        learned.extend(others);
    }
    memo::units::encode(&learned).iter().for_each(|bytes| replace(repo, MemoKind::Units, bytes));
}

/// The memo of HEAD's tree that a hook may store after it judged a change of it, also of a tree without yatsu-hook files.
/// `None` if it could be wrong, or if the stored memo already says the same.
pub(crate) fn of_head(repo: &Repo, snapshot: &Snapshot, judged: Option<&Judged>) -> Option<Notes> {
    // Quarantined commits may be rejected later. Answers of the git program are not stored.
    let may = repo.answered_by() == Backend::Native && !repo.is_quarantined() && !snapshot.changes_nothing();
    let tree = snapshot.bases.first().filter(|_| may)?.commit.map(|head| repo.tree_of(&head)).transpose().ok()??;
    let tree = tree.filter(|tree| !is_known(repo, tree))?;
    let Some(states) = judged.map(|judged| &judged.states).filter(|states| states.ours) else {
        let base = snapshot.bases.first()?;
        return Some(no_notes(tree, &workspace::read_config(&*base.tree).ok()?));
    };
    let (before, base) = (states.bases.first()?, snapshot.bases.first()?);
    // a change of the configuration was judged by the new one
    if before.workspace.config != states.view.workspace.config {
        return None;
    }
    if before.scores.iter().flatten().any(Score::is_unknown) {
        // perhaps only because there was no time to parse
        return of_tree(repo, tree, &*base.tree, before.workspace.config.clone()).ok()?;
    }
    noted(no_notes(tree, &before.workspace.config), &*base.tree, before).ok()
}

/// The memo of HEAD's tree that a hook may make before it judges; `None` if it could be wrong. If the change adds no path,
/// no node is judged for it, and the flag `unasked` is set.
///
/// # Errors
/// When HEAD's tree or the index cannot be read, or the configuration cannot be used.
pub(crate) fn of_base(repo: &Repo, compared: &IndexDiff) -> Result<Option<Notes>> {
    let Some(tree) = compared.tree.filter(|_| repo.backend == Backend::Native && !repo.is_quarantined()) else {
        return Ok(None);
    };
    let snapshot = snapshot::of_staged(repo, std::slice::from_ref(compared))?;
    let Some(base) = snapshot.bases.first().filter(|_| repo.answered_by() == Backend::Native) else { return Ok(None) };
    let config = workspace::read_config(&*base.tree)?;
    if compared.staged.changes.iter().all(|change| change.old.is_some()) {
        return named_in(no_notes(tree, &config), &*base.tree, &config).map(Some);
    }
    of_tree(repo, tree, &*base.tree, config)
}

/// The memo of `tree` without its nodes.
fn no_notes(tree: Oid, config: &Config) -> Notes {
    let names = !config.governed_roots.is_empty() || names_files(config);
    Notes::of_nothing(tree, names)
}

/// The memo of `tree` as far as its nodes are in this partial clone, and the number of nodes that are not. About these the
/// memo says nothing but that they are there, so it must not be stored.
///
/// # Errors
/// When the tree or a file that is here cannot be read.
pub(crate) fn of_readable(repo: &Repo, tree: Oid) -> Result<(Notes, usize)> {
    let base = repo.tree_view(tree);
    let config = workspace::read_config(&*base)?;
    let (mut here, mut absent) = (BTreeSet::new(), Vec::new());
    for files in workspace::catalog(&*base, &config)? {
        match absent::is_absent(repo, &files)? {
            false => drop(here.insert(files.dir)),
            true => absent.push(files),
        }
    }
    let others: Vec<&BStr> = absent.iter().filter(|files| files.is_node()).map(|files| files.dir.as_bstr()).collect();
    let mut notes = no_notes(tree, &config);
    if let Some(workspace) = workspace::load_alone(&*base, config, &here, &others)? {
        let facts = facts::collect_by_files(&*base, &anchors(repo), workspace)?;
        notes = noted(notes, &*base, &facts)?;
    }
    let flags = |files: &NodeFiles| Flags { node: files.is_node(), ..Flags::default() };
    notes.dirs.extend(absent.iter().map(|files| (files.dir.clone(), flags(files))));
    Ok((notes, absent.len()))
}

/// The memo of `tree`, which `base` shows, with this configuration, where every node is checked for `appeared`. Compares
/// whole files: units do not matter for that, and there is no time to parse unconcerned nodes.
fn of_tree(repo: &Repo, tree: Oid, base: &dyn Tree, config: Config) -> Result<Option<Notes>> {
    let workspace = workspace::load(base, config, &Select::All)?;
    let facts = facts::collect_by_files(base, &anchors(repo), workspace)?;
    if facts.scores.iter().flatten().any(Score::is_unknown) {
        return Ok(None);
    }
    noted(no_notes(tree, &facts.workspace.config), base, &facts).map(Some)
}

/// Adds the paths that the nodes of `base` name.
fn named_in(mut notes: Notes, base: &dyn Tree, config: &Config) -> Result<Notes> {
    let sides = Sides { base: None, view: Contents::new(base), ran_concerns: config.raises(RuleId::UnderDeclared) };
    workspace::named_by_nodes(base, config, &mut |named| {
        let (node, unasked, decides) = (named.is_node, named.is_measured, named.decides);
        let flags = Flags { node, unasked, decides, ..Flags::default() };
        notes.hashes.extend(named.hashes);
        notes.commands.extend(named.commands.iter().map(|command| (memo::command_key(command), named.dir.clone())));
        leave_lists(&mut notes, &named.dir, &named.left);
        let paths = named.units.iter().chain(&named.ran);
        note(&mut notes, &sides, &named.dir, flags, &named.governed.iter().collect::<Vec<_>>(), paths)
    })?;
    Ok(notes)
}

/// Whether the stored memo is about this tree and has no open question.
fn is_known(repo: &Repo, tree: &Oid) -> bool {
    let Some(file) = paths_file(repo) else { return false };
    recall(repo, &file).is_some_and(|memo| memo.tree == *tree && is_sure(&memo))
}

fn is_sure(memo: &PathsMemo<'_>) -> bool {
    memo.dirs(|flags| flags.unsure || flags.unasked).next().is_none()
}

/// Adds the facts of `base`, which were all collected in that tree.
fn noted(mut notes: Notes, base: &dyn Tree, facts: &Facts) -> Result<Notes> {
    let ran_concerns = facts.workspace.config.raises(RuleId::UnderDeclared);
    let sides = Sides { base: None, view: Contents::new(base), ran_concerns };
    for (node, scores) in facts.workspace.nodes.iter().zip(&facts.scores) {
        let flags = Flags { node: node.file.is_some() || node.spec.is_some(), ..Flags::default() };
        judged_node(&mut notes, &sides, flags, node, scores)?;
    }
    Ok(notes)
}

/// Replaces an old memo by a memo of `tree`, the base of a hook. Entries for the nodes in `dirs` are collected again, the
/// rest is copied.
pub(crate) fn renew(repo: &Repo, old: &PathsMemo<'_>, tree: Oid, dirs: &BTreeSet<RepoPath>) {
    let may = repo.answered_by() == Backend::Native && !repo.is_quarantined();
    if may && let Ok(notes) = renewed(repo, old, tree, dirs) {
        leave(repo, notes);
    }
}

fn renewed(repo: &Repo, old: &PathsMemo<'_>, tree: Oid, dirs: &BTreeSet<RepoPath>) -> Result<Option<Notes>> {
    let base = repo.tree_view(tree);
    let config = workspace::read_config(&*base)?;
    let Some(workspace) = workspace::load_alone(&*base, config, dirs, &[])? else { return Ok(None) };
    let facts = facts::collect_by_files(&*base, &anchors(repo), workspace)?;
    if facts.scores.iter().flatten().any(Score::is_unknown) {
        return Ok(None);
    }
    let kept = Notes { tree, ..old.without(dirs) };
    noted(kept, &*base, &facts).map(Some)
}

/// Writes a memo for the hooks.
pub(crate) fn leave(repo: &Repo, notes: Option<Notes>) {
    if let Some(bytes) = notes.and_then(|notes| notes.encode()) {
        leave_encoded(repo, &bytes);
    }
}

/// The same for an encoded memo.
pub(crate) fn leave_encoded(repo: &Repo, bytes: &[u8]) {
    replace(repo, MemoKind::Paths, bytes);
}

/// Whether the stored memo already says everything about HEAD's tree: no node is unsure, and the `appeared` flags are the
/// same. Only these flags can change, with the anchors that this clone has.
fn stands(repo: &Repo, facts: &Facts) -> Result<bool> {
    let Some(file) = paths_file(repo) else { return Ok(false) };
    let Some(memo) = recall(repo, &file) else { return Ok(false) };
    let tree = repo.head()?.map(|head| repo.tree_of(&head)).transpose()?.flatten();
    if Some(memo.tree) != tree || !is_sure(&memo) {
        return Ok(false);
    }
    let nodes = facts.workspace.nodes.iter().zip(&facts.scores);
    let those = nodes.filter(|(_, scores)| has_appeared(scores)).map(|(node, _)| node.dir.clone());
    Ok(memo.dirs(|flags| flags.appeared).eq(those))
}

fn has_appeared(scores: &[Score]) -> bool {
    scores.iter().any(Score::has_appeared)
}

/// Stores a memo: per work tree if it depends on HEAD, else in the common directory, because old trees are shared.
pub(crate) fn replace(repo: &Repo, of: MemoKind, bytes: &[u8]) {
    let dir = match of {
        MemoKind::Paths | MemoKind::Parsed => &repo.git_dir,
        MemoKind::Anchors
        | MemoKind::Units
        | MemoKind::Signatures
        | MemoKind::Logs
        | MemoKind::Shared
        | MemoKind::Receipts
        | MemoKind::Sights => &repo.common_dir,
    };
    let same = matches!(Map::open(&memo::path(of, dir)), Ok(Some(old)) if *old == *bytes);
    if !same {
        // A read-only clone has no memo; its hooks load everything.
        let _ = memo::replace(of, dir, bytes, repo.shared);
    }
}

/// The path of the memo that [`paths_file`] opens, if this work tree has its own; else of the common one.
pub(crate) fn paths_place(repo: &Repo) -> PathBuf {
    let own = memo::path(MemoKind::Paths, &repo.git_dir);
    if repo.git_dir == repo.common_dir || own.exists() { own } else { memo::path(MemoKind::Paths, &repo.common_dir) }
}

/// The file of the memo for the hooks: this work tree's own, else the common one.
pub(crate) fn paths_file(repo: &Repo) -> Option<Map> {
    let of = |dir| Map::open(&memo::path(MemoKind::Paths, dir)).ok().flatten();
    let own = of(&repo.git_dir);
    if repo.git_dir == repo.common_dir {
        return own;
    }
    own.filter(|file| recall(repo, file).is_some()).or_else(|| of(&repo.common_dir))
}

/// The memo of HEAD's tree. `None` if it could be wrong: no commit yet, another commit judged, a configuration that differs
/// from HEAD's, or unknown freshness.
fn notes(repo: &Repo, snapshot: &Snapshot, facts: &Facts) -> Result<Option<Notes>> {
    if facts.scores.iter().flatten().any(Score::is_unknown) {
        return Ok(None);
    }
    let Some(head) = repo.head()?.filter(|head| snapshot.tip.is_none_or(|tip| tip == *head)) else { return Ok(None) };
    let Some(tree) = repo.tree_of(&head)? else { return Ok(None) };
    let base = match snapshot.tip {
        Some(_) => Rc::clone(&snapshot.view),
        None => Rc::new(BaseView::new(repo.tree_view(tree), repo.index_view()?, &repo.staged(Some(tree))?.changes)),
    };
    let view = &*snapshot.view;
    let config = RepoPath::from_git(CONFIG_FILE);
    if base.entry(&config)? != view.entry(&config)? {
        return Ok(None);
    }
    let mut notes = no_notes(tree, &facts.workspace.config);
    for files in workspace::catalog(&*base, &facts.workspace.config)? {
        let (unsure, node) = (!is_here(view, &files)?, files.is_node());
        notes.dirs.insert(files.dir, Flags { unsure, node, ..Flags::default() });
    }
    let ran_concerns = facts.workspace.config.raises(RuleId::UnderDeclared);
    let sides = Sides { base: Some(&*base), view: Contents::new(view), ran_concerns };
    for (node, scores) in facts.workspace.nodes.iter().zip(&facts.scores) {
        let flags = notes.dirs.get(&node.dir).copied().unwrap_or(Flags { unsure: true, ..Flags::default() });
        judged_node(&mut notes, &sides, flags, node, scores)?;
    }
    Ok(Some(notes))
}

/// Whether the view has these files of HEAD unchanged.
fn is_here(view: &dyn Tree, files: &NodeFiles) -> Result<bool> {
    let all = [&files.spec, &files.yatsu, &files.eval].into_iter().flatten().chain(&files.ledgers);
    for (path, entry) in all {
        if view.entry(path)? != Some(*entry) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// HEAD's tree, which the memo describes, and the judged view. Without `base` the view is HEAD's tree itself.
struct Sides<'a> {
    base: Option<&'a dyn Tree>,
    view: Contents<'a>,
    /// Whether a file that ran concerns the node of the reading: if hooks print `under-declared`.
    ran_concerns: bool,
}

/// Adds the notes for a judged node.
fn judged_node(notes: &mut Notes, sides: &Sides<'_>, flags: Flags, node: &Node, scores: &[Score]) -> Result<()> {
    notes.hashes.extend(node.ledgers.iter().flat_map(Ledger::named));
    let commands = node.scenarios().iter().filter_map(|scenario| scenario.test_command.as_deref());
    notes.commands.extend(commands.map(|command| (memo::command_key(command), node.dir.clone())));
    let decides = node.ledgers.iter().any(Ledger::decides_patches);
    let flags = Flags { appeared: has_appeared(scores), decides, ..flags };
    // All readings, not only the counted one: in another view an earlier reading may count.
    let readings = || node.ledgers.iter().flat_map(Ledger::readings);
    leave_lists(notes, &node.dir, &left_files(node));
    let units = readings().flat_map(|reading| reading.units.keys()).map(|unit| &unit.path);
    let ran = readings().flat_map(Reading::ran).filter(|_| sides.ran_concerns);
    note(notes, sides, &node.dir, flags, &named(node).collect::<Vec<_>>(), units.chain(ran))
}

/// The stamped files of a node that left the list of their scenario.
fn left_files(node: &Node) -> BTreeSet<(RepoPath, Option<Oid>)> {
    let mut left = LeftFiles::default();
    for scenario in node.scenarios() {
        left.declare(&scenario.name, governed(node, scenario).iter().collect(), scenario.test.as_ref());
    }
    for reading in node.ledgers.iter().flat_map(Ledger::readings) {
        left.see(&reading.scenario, StampKind::Governed, reading.governed.iter().flatten());
        left.see(&reading.scenario, StampKind::Test, reading.test.iter().flat_map(|test| &test.files));
    }
    left.files
}

/// Adds files that left a list: a change of them concerns the node, and so does a change by which their content comes or goes.
fn leave_lists(notes: &mut Notes, dir: &RepoPath, left: &BTreeSet<(RepoPath, Option<Oid>)>) {
    notes.paths.extend(left.iter().map(|(path, _)| (path.clone(), dir.clone())));
    let ids = left.iter().filter_map(|(_, id)| id.as_ref());
    notes.contents.extend(ids.map(|id| (memo::content_key(id), dir.clone())));
}

/// Adds the notes for one directory, without hashes. `flags` are known before its paths are examined, `governed` are the
/// paths that its files list, `filed` the paths in its readings that concern it: of stamped units, and of files that ran.
fn note<'n>(
    notes: &mut Notes,
    sides: &Sides<'_>,
    dir: &RepoPath,
    mut flags: Flags,
    governed: &[&Governed],
    filed: impl Iterator<Item = &'n RepoPath>,
) -> Result<()> {
    // A unit may come from a stamped path or from a file of the same name, so changes of those paths concern the node.
    notes.paths.extend(filed.map(|path| (path.clone(), dir.clone())));
    let scoped = governed.iter().filter(|governed| governed.symbol().is_some()).flat_map(|governed| &governed.path);
    notes.names.extend(scoped.map(|path| (RepoPath::from_git(path.name()), dir.clone())));
    for governed in governed {
        for path in governed.literals() {
            flags.linked |= !sides.view.way(path)?.links.is_empty();
            if let Some(base) = sides.base {
                flags.unsure |= sides.view.compare(base, governed, path)? != Compared::Same;
            }
            let entry = (path.clone(), dir.clone());
            if has_glob_characters(path.as_bstr()) {
                notes.globs.insert(entry.clone());
            }
            notes.paths.insert(entry);
        }
        // if the view gains a file with the full text as its name, the entry means that file and is no selector any more
        for path in governed.wholes() {
            flags.linked |= !sides.view.way(path)?.links.is_empty();
            if let Some(base) = sides.base {
                flags.unsure |= !sides.view.same(TreePlace { tree: base, path }, path)?;
            }
            notes.paths.insert((path.clone(), dir.clone()));
        }
    }
    notes.dirs.insert(dir.clone(), flags);
    Ok(())
}

/// Every path that the files of a node name.
fn named(node: &Node) -> impl Iterator<Item = &Governed> {
    let of_node = node.spec.iter().flat_map(|spec| spec.code.iter().chain(&spec.related));
    let scenarios = node.scenarios().iter();
    let of_scenarios =
        scenarios.flat_map(|scenario| scenario.code.iter().chain(&scenario.related).chain(&scenario.test));
    of_node.chain(of_scenarios)
}

/// Decodes a memo, if this repository can use it.
pub(crate) fn recall<'a>(repo: &Repo, bytes: &'a [u8]) -> Option<PathsMemo<'a>> {
    PathsMemo::decode(bytes).filter(|memo| memo.tree.kind() == repo.hash && repo.backend == Backend::Native)
}
