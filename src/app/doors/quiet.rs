//! Whether a commit gives the gate nothing to say, told from the memo and the few nodes that the commit concerns. Answers
//! yes only where judging everything would say nothing; whatever is in doubt is left to that. Writes nothing.
//!
//! A node is concerned when a file of its own changed since the memo's tree, when something that it names is staged, or
//! when the memo says to look again. Of all others, the judged state and its base say the same.

use super::memo::PathsMemo;
use super::remember;
use crate::app::judge::check;
use crate::app::judge::check::Options;
use crate::app::judge::snapshot::{AddedBlob, Base, IndexDiff};
use crate::app::judge::stray;
use crate::app::judge::stray::{Blobs, KnownEvidence};
use crate::app::judge::{added, levels, unseen};
use crate::engine::anchors::Anchors;
use crate::engine::facts;
use crate::engine::facts::Facts;
use crate::engine::history;
use crate::engine::history::Missing;
use crate::error::Result;
use crate::finding::Verdict;
use crate::model::config::{CONFIG_FILE, Config};
use crate::model::glob;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace;
use crate::model::workspace::OUR_NAMES;
use crate::repo::Repo;
use crate::repo::change::PathChange;
use crate::repo::mode::Mode;
use crate::repo::native::map::Map;
use crate::rules;
use crate::store::evidence::Cache;
use crate::store::memo::MemoKind;
use crate::tree::Tree;
use crate::tree::path::RepoPath;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// Whether judging `compared`, the index against one commit, would say nothing. What cannot be read is no silence: the
/// whole check meets it again and says so.
pub fn is_silent(repo: &Repo, compared: &IndexDiff, options: Options, busy: &dyn Fn()) -> bool {
    compared.staged.changes.is_empty() || recalled(repo, compared, options, busy).unwrap_or(false)
}

fn recalled(repo: &Repo, compared: &IndexDiff, options: Options, busy: &dyn Fn()) -> Result<bool> {
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
        busy();
    }
    let anchors = Anchors::new(repo.history());
    QuietCase { repo, memo: &memo, anchors: &anchors, options, busy }.is_silent(base, compared, &dirs)
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

/// So many blobs are looked at in no time, and so large ones.
const FEW: usize = 64;
const SMALL: u64 = 1 << 20;

/// The added blobs, where a large one may take long.
impl Blobs for QuietCase<'_> {
    fn size(&self, blob: &AddedBlob) -> Result<u64> {
        self.repo.size(blob)
    }

    fn read(&self, blob: &AddedBlob) -> Result<Vec<u8>> {
        if self.size(blob)? > SMALL {
            (self.busy)();
        }
        self.repo.read(blob)
    }
}

/// One question to the gate.
#[derive(Clone, Copy)]
struct QuietCase<'a> {
    repo: &'a Repo,
    memo: &'a PathsMemo<'a>,
    anchors: &'a Anchors,
    busy: &'a dyn Fn(),
    options: Options,
}

impl QuietCase<'_> {
    fn is_silent(self, base: Rc<dyn Tree>, compared: &IndexDiff, dirs: &BTreeSet<RepoPath>) -> Result<bool> {
        let view = match compared.staged.root {
            Some(root) => self.repo.tree_view(root),
            // nothing of it will be asked for
            None if dirs.is_empty() => Rc::clone(&base),
            None => self.repo.index_view()?,
        };
        let base = Base::of(base, compared.commit, &compared.staged.changes);
        let config = workspace::read_config(&*base.tree)?;
        let Some(now) = self.facts(&*view, &config, dirs)? else { return Ok(false) };
        if self.has_stray(&base, &now)? {
            return Ok(false);
        }
        if dirs.is_empty() {
            return Ok(true);
        }
        let Some(before) = self.facts(&*base.tree, &config, dirs)? else { return Ok(false) };
        self.is_clean(&now, &[before])
    }

    fn facts(self, tree: &dyn Tree, config: &Config, dirs: &BTreeSet<RepoPath>) -> Result<Option<Facts>> {
        let Some(workspace) = workspace::load_alone(tree, config.clone(), dirs)? else { return Ok(None) };
        facts::collect_unowned(tree, self.anchors, workspace).map(Some)
    }

    /// Whether an added blob looks like evidence.
    fn has_stray(self, base: &Base, now: &Facts) -> Result<bool> {
        let new: HashSet<EvidenceHash> = check::named(&now.workspace);
        let known = KnownEvidence {
            cache: &Cache::new(&self.repo.common_dir),
            any: true,
            named: &|hash| self.memo.names(hash) || new.contains(hash),
            allowed: &|path| now.workspace.config.allow_in_tree.is_match(path),
            held: &|_| Ok(false),
        };
        Ok(!stray::strays(&self, &base.added, &known)?.is_empty())
    }

    /// Whether the concerned nodes on their own give nothing to say.
    fn is_clean(self, now: &Facts, before: &[Facts]) -> Result<bool> {
        for facts in before {
            // where a line went that left its directory is for the whole check, which knows every other one
            if history::missing(&now.workspace, &facts.workspace) != Missing::default() {
                return Ok(false);
            }
        }
        let states = ((now, &now.workspace), before, &now.workspace.config);
        let change = check::change((self.repo, self.anchors), states, (Vec::new(), Vec::new()), self.options)?;
        let hashes = change.added.iter().flat_map(|added| added::hashes(&added.line));
        if hashes.into_iter().any(|hash| self.memo.names(&hash)) {
            // whether somebody else carries the same bytes is for the whole check
            return Ok(false);
        }
        let findings = levels::apply(rules::of_change(&change), &now.workspace.config, self.options.strict);
        let report = check::report_of(self.repo, findings, &check::not_judged(now), self.options);
        Ok(report.verdict == Verdict::Pass && report.findings.is_empty() && report.notes.is_empty())
    }
}
