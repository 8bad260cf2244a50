//! Whether a commit gives the gate nothing to say, told from the memo and the few nodes that the commit concerns. Answers
//! yes only where judging everything would say nothing; whatever is in doubt is left to that. Writes nothing.
//!
//! A node is concerned when a file of its own changed since the memo's tree, when something that it names is staged, or
//! when the memo says to look again. Of all others, the judged state and its base say the same.

use super::Commit;
use super::memo::PathsMemo;
use super::remember;
use crate::app::judge;
use crate::app::judge::snapshot;
use crate::app::judge::snapshot::{Base, IndexDiff};
use crate::app::judge::states::LastBases;
use crate::app::judge::stray;
use crate::app::judge::unseen;
use crate::app::judge::verdict;
use crate::app::judge::{Answer, Concerned, Focus, Options, Question};
use crate::engine::anchors::Anchors;
use crate::error::Result;
use crate::finding::Verdict;
use crate::model::config::{CONFIG_FILE, Config};
use crate::model::glob;
use crate::model::workspace;
use crate::model::workspace::OUR_NAMES;
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::native::map::Map;
use crate::report::view::{Report, Scope, ScopeMode};
use crate::store::evidence::Cache;
use crate::store::memo::MemoKind;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The report about `compared`, the index against one commit, where there is nothing to say. What cannot be read is no
/// silence: the whole check meets it again and says so.
pub fn silence(repo: &Repo, compared: &IndexDiff, options: Options, commit: Commit<'_>) -> Option<Report> {
    let is_silent = compared.staged.changes.is_empty() || is_silent(repo, compared, options, commit).unwrap_or(false);
    let scope = || Scope { backend: Some(repo.answered_by()), ..Scope::unread(ScopeMode::Staged) };
    is_silent.then(|| verdict::report(scope(), Vec::new(), &[], options.reader))
}

fn is_silent(repo: &Repo, compared: &IndexDiff, options: Options, commit: Commit<'_>) -> Result<bool> {
    let Some(tree) = compared.tree else { return Ok(false) };
    let Some((file, _)) = Map::open(&MemoKind::Paths.path(&repo.common_dir))? else { return Ok(false) };
    let Some(memo) = remember::recall(repo, &file) else { return Ok(false) };
    let since = repo.tree_diff(Some(memo.tree), Some(tree))?;
    let base = repo.tree_view(tree);
    let staged = &compared.staged.changes;
    let Some(dirs) = concerned(&memo, &*base, &since, staged)? else { return Ok(false) };
    if dirs.is_empty() && memo.is_empty() && !may_be_stray(repo, staged)? {
        // nothing of ours anywhere, unless git ignores it: one look at the disk
        return Ok(!unseen::is_possible(repo, &Config::default()));
    }
    if !dirs.is_empty() || staged.len() > FEW {
        (commit.busy)();
    }
    let view = match compared.staged.root {
        Some(root) => repo.tree_view(root),
        // nothing of it will be asked for
        None if dirs.is_empty() => Rc::clone(&base),
        None => repo.index_view()?,
    };
    let snapshot = snapshot::one_step(view, Base::of(base, compared.commit, staged), commit.clean_merge);
    let concerned = Concerned { dirs: &dirs, names: &|hash| memo.names(hash), busy: commit.busy };
    let anchors = Anchors::new(repo.history());
    let question = Question { repo, snapshot: &snapshot, anchors: &anchors, options, focus: Focus::Nodes(concerned) };
    let judged = match judge::judge(&question, &mut LastBases::default())? {
        Answer::Judged(judged) => Some(*judged),
        Answer::Nothing => None,
        Answer::TooNarrow => return Ok(false),
    };
    let report = verdict::of(repo, &snapshot, judged, options.reader);
    Ok(report.verdict == Verdict::Pass && report.findings.is_empty() && report.notes.is_empty())
}

/// Whether evidence may be among what is staged where no reading names any: told without looking at content.
fn may_be_stray(repo: &Repo, staged: &[PathChange]) -> Result<bool> {
    let telling = |change: &PathChange| change.new.is_some() && stray::is_telling(&change.path);
    Ok(staged.iter().any(telling) || Cache::new(&repo.common_dir).exists()?)
}

/// The directories that a change concerns; `None` where only judging everything can tell.
fn concerned(
    memo: &PathsMemo<'_>,
    base: &dyn Tree,
    since: &[PathChange],
    staged: &[PathChange],
) -> Result<Option<BTreeSet<RepoPath>>> {
    if since.iter().chain(staged).any(is_everybodys) || staged.iter().any(is_new_or_gone_node_file) {
        return Ok(None);
    }
    let mut dirs: BTreeSet<RepoPath> = since.iter().chain(staged).filter_map(own_dir).collect();
    dirs.extend(memo.dirs(|flags| flags.unsure || flags.linked));
    named(memo, staged, &mut dirs);
    if staged.iter().any(|change| change.old.is_none()) {
        if returns(base, since, staged)? {
            return Ok(None);
        }
        dirs.extend(memo.dirs(|flags| flags.appeared));
        named(memo, since, &mut dirs);
    }
    Ok(Some(dirs))
}

/// Whether a change may concern any node: the configuration, a symbolic link, a directory with one of our names, a name
/// that is almost one.
fn is_everybodys(change: &PathChange) -> bool {
    let is_link = |side: &Option<(Mode, _)>| side.is_some_and(|(mode, _)| mode == Mode::LINK);
    let below_ours = change.path.components().rev().skip(1).any(|name| OUR_NAMES.iter().any(|ours| name == ours));
    let almost_ours = change.path.components().any(|name| workspace::is_look_alike(name));
    let is_config = *change.path.as_bstr() == CONFIG_FILE;
    is_config || is_link(&change.old) || is_link(&change.new) || below_ours || almost_ours
}

/// A node that comes or goes changes the names of others, and where scenarios may have moved.
fn is_new_or_gone_node_file(change: &PathChange) -> bool {
    let is_ledger = change.path.name().ends_with(b".ndjson");
    own_dir(change).is_some() && !is_ledger && (change.old.is_none() || change.new.is_none())
}

/// The directory whose own file a change is about.
fn own_dir(change: &PathChange) -> Option<RepoPath> {
    OUR_NAMES.iter().any(|ours| change.path.name() == ours).then(|| change.path.parent().unwrap_or_default())
}

/// Adds the directories that name something which changed.
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

fn may_match(pattern: &RepoPath, changes: &[PathChange]) -> bool {
    let top = glob::literal_base(pattern);
    let mut below = changes.iter().filter(|change| change.path.is_within(&top)).peekable();
    if below.peek().is_none() {
        return false;
    }
    let compiled = std::str::from_utf8(pattern.as_bstr()).ok().and_then(|text| glob::compile(text).ok());
    compiled.is_some_and(|glob| below.any(|change| glob::is_match(&glob, &change.path)))
}

/// Whether a path is added where something went away since the memo: what was a pure rename may no longer be one.
fn returns(base: &dyn Tree, since: &[PathChange], staged: &[PathChange]) -> Result<bool> {
    let gone: Vec<&RepoPath> = since.iter().filter(|change| change.new.is_none()).map(|change| &change.path).collect();
    if gone.is_empty() {
        return Ok(false);
    }
    for change in staged.iter().filter(|change| change.old.is_none()) {
        let mut top = change.path.clone();
        while let Some(parent) = top.parent().filter(|parent| !parent.is_root()) {
            if base.entry(&parent)?.is_some() {
                break;
            }
            top = parent;
        }
        if gone.iter().any(|path| path.is_within(&top)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// So many blobs are looked at in no time.
const FEW: usize = 64;
