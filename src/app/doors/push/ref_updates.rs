//! Checks the ref updates of a push beyond its commits, so that they cannot bypass the checks of commits. A tag may lead
//! directly to a blob or a tree with evidence. The deletion of a protected branch loses its ledger lines. A replace ref
//! shows other objects than the judged ones.

use super::refs::Update;
use super::tips::{Brought, Content};
use super::{Push, Side};
use crate::app::judge::protection::{MAIN, protects};
use crate::app::judge::snapshot::AddedBlob;
use crate::app::judge::stray::{self, KnownEvidence};
use crate::app::judge::{evidence, levels, taken_files};
use crate::engine::redaction::Redactions;
use crate::error::Result;
use crate::finding::Finding;
use crate::model::config::Config;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace::{self, Select, Workspace};
use crate::repo::Repo;
use crate::repo::commit::Peeled;
use crate::repo::non_code_refs::is_unjudged;
use crate::rules::{self, BroughtBy, Deleted, Misshapen, RefUpdates, Stray};
use crate::text::ndjson;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::{BStr, BString, ByteSlice};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

const REPLACE: &[u8] = b"refs/replace/";

fn replaces(update: &Update) -> bool {
    update.new.is_some() && update.name.starts_with(REPLACE)
}

/// The findings about the ref updates, deletions included. `standing` is the commit of the judging repository's default
/// branch, `misshapen` the misplaced content beside the code.
pub(super) fn look(
    push: &Push<'_>,
    brought: &Brought,
    updates: &[Update],
    standing: Option<Oid>,
    misshapen: Vec<Misshapen>,
) -> Result<Vec<Finding>> {
    let deletes = |update: &Update| update.new.is_none() && update.branch().is_some();
    let moves_more = updates.iter().any(|update| replaces(update) || deletes(update));
    if brought.contents.is_empty() && misshapen.is_empty() && !moves_more {
        return Ok(Vec::new());
    }
    // This loads whole states, but only for the few pushes that do more than bring commits.
    let case = Case::of(push, brought, updates, standing)?;
    let replaced = updates.iter().filter(|update| case.ours && replaces(update)).map(|update| update.name.clone());
    let strays = case.strays(&brought.contents)?;
    let mut done = RefUpdates { strays, replaced: replaced.collect(), misshapen, ..RefUpdates::default() };
    case.deleted(&mut done)?;
    Ok(levels::apply_since(rules::of_refs(&done), &case.config, &case.gates, push.how.options.strict))
}

/// One push, with the known facts about the receiving side.
struct Case<'a> {
    push: &'a Push<'a>,
    updates: &'a [Update],
    /// The known refs of the receiving side before the push.
    there: Vec<(BString, Oid)>,
    config: Config,
    /// The earlier configurations of the receiving side, if the push brings its own configuration.
    gates: Vec<Config>,
    /// The configurations that will judge the next push, as far as this push does not change them.
    standing: Vec<Config>,
    /// The evidence that readings name.
    named: HashSet<EvidenceHash>,
    /// Whether the judging repository or the push has any node.
    ours: bool,
}

impl<'a> Case<'a> {
    fn of(push: &'a Push<'a>, brought: &Brought, updates: &'a [Update], own: Option<Oid>) -> Result<Self> {
        let mut there = refs_there(push.repo, &push.side)?;
        // an alias has no content of its own
        there.retain(|(name, _)| !push.aliases.has(name.as_bstr()));
        let view = own.map_or_else(|| Ok(push.repo.tree_view(None)), |commit| push.repo.commit_view(&commit))?;
        let config = push.config_for(&*view);
        let main = main_branches(push, &there);
        let standing = if push.config.is_some() { vec![config.clone()] } else { gates(push, main.clone())? };
        // Without an earlier state only the push's own configuration exists. Without any configuration no branch would
        // count as protected, and every deletion would lose lines.
        let standing = if standing.is_empty() { vec![config.clone()] } else { standing };
        let olds = updates.iter().filter_map(|update| update.old);
        let gates = if push.config.is_some() { Vec::new() } else { gates(push, olds.chain(main))? };
        let (mut named, mut ours) = (HashSet::new(), false);
        // Readings at the tips count, too: a reading and a tag that leads to its evidence may come in the same push.
        for commit in own.into_iter().chain(brought.tips.iter().map(|tip| tip.commit)) {
            let view = push.repo.commit_view(&commit)?;
            let state = workspace::load(&*view, push.config_for(&*view), &Select::All)?;
            named.extend(evidence::named(&state));
            ours |= !state.nodes.is_empty();
        }
        // a server without its default branch has its nodes on the other branches
        ours = ours || (updates.iter().any(replaces) && any_is_ours(push, &there)?);
        Ok(Self { push, updates, there, config, gates, standing, named, ours })
    }

    /// The evidence that refs lead to without a commit.
    fn strays(&self, contents: &[Content]) -> Result<Vec<Stray>> {
        let repo = self.push.repo;
        let cache = self.push.cache();
        let there = OnceCell::new();
        let known = KnownEvidence {
            cache: &cache,
            named: &|hash| self.named.contains(hash),
            any: !self.named.is_empty() || cache.exists()?,
            allowed: &|path| self.gates.iter().chain([&self.config]).all(|config| config.allow_in_tree.is_match(path)),
            // Computed only when a blob looks like evidence, because it reads the tree of every ref of the receiving side.
            held: &|id| match there.get() {
                Some(ids) => Ok(HashSet::contains(ids, id)),
                None => self.blobs_there().map(|ids| there.get_or_init(|| ids).contains(id)),
            },
        };
        let mut found = Vec::new();
        for content in contents {
            for stray in stray::strays(repo, &blobs(repo, content)?, &known)? {
                found.push(Stray { brings: BroughtBy::Ref(content.name.clone()), ..stray });
            }
        }
        Ok(found)
    }

    /// Every blob in the known refs of the receiving side.
    fn blobs_there(&self) -> Result<HashSet<Oid>> {
        let (mut ids, mut trees) = (HashSet::new(), HashSet::new());
        for (name, id) in &self.there {
            let tree = match self.push.repo.peel(*id)? {
                Peeled::Commit(commit) => self.push.repo.tree_of(&commit)?,
                Peeled::Tree(tree) => Some(tree),
                Peeled::Blob(blob) => {
                    ids.insert(blob);
                    None
                }
                Peeled::Unknown => None,
            };
            let content = |tree| Content { name: name.clone(), of: Peeled::Tree(tree) };
            if let Some(tree) = tree.filter(|tree| trees.insert(*tree)) {
                ids.extend(blobs(self.push.repo, &content(tree))?.into_iter().map(|blob| blob.id));
            }
        }
        Ok(ids)
    }

    /// Finds deleted protected branches that take ledger lines or files of features along.
    fn deleted(&self, found: &mut RefUpdates) -> Result<()> {
        for update in self.updates.iter().filter(|update| update.new.is_none()) {
            let (Some(branch), Some(old)) = (update.branch(), update.old) else { continue };
            // a client cannot judge a commit that it never fetched
            let Peeled::Commit(commit) = self.push.repo.peel(old)? else { continue };
            let view = self.push.repo.commit_view(&commit)?;
            // An unreadable configuration counts as the judging one. Otherwise breaking it would unprotect the branch.
            let own = workspace::read_config(&*view).unwrap_or_else(|_| self.config.clone());
            let names = self.push.aliases.names(branch);
            let guards = |config: &Config, name: &BString| protects(config, name.as_bstr(), self.push.default.as_ref());
            let protects = |config: &Config| names.iter().any(|name| guards(config, name));
            // one of them is enough: a push that removes the protection must not delete the branch as well
            if !self.gates.iter().chain([&self.config, &own]).any(protects) {
                continue;
            }
            let held = workspace::load(&*view, own, &Select::All)?;
            let sure = !matches!(self.push.side, Side::There(None));
            let (name, commit) = (&update.name, commit.short());
            let gone = |first: &RepoPath, count| {
                let (name, commit) = (name.clone(), commit.clone());
                Deleted { name, commit, count, first: first.clone(), sure }
            };
            let lines = self.unheld(&held)?;
            found.deleted.extend(lines.first().map(|(ledger, _)| gone(ledger, lines.len())));
            for taken in taken_files() {
                let files = (taken.find)(&*view, &held.config, &|| self.kept())?;
                found.deleted_files.extend(files.first().map(|file| (taken.rule, gone(file, files.len()))));
            }
        }
        Ok(())
    }

    /// Whether the readings of a ref stay protected. The ref's own new configuration does not count: the next push could
    /// revert it and then delete the ref.
    fn guards(&self, name: &BString) -> bool {
        let Some(branch) = name.strip_prefix(b"refs/heads/").map(BStr::new) else { return false };
        let names = self.push.aliases.names(branch);
        let protects =
            |config: &Config| names.iter().any(|name| protects(config, name.as_bstr(), self.push.default.as_ref()));
        self.standing.iter().any(protects)
    }

    /// The states of the protected branches after the push, each content once. Other refs do not count, because they may be
    /// deleted next.
    fn kept(&self) -> Result<Vec<Rc<dyn Tree>>> {
        // A ref that this push moves counts only with its new value: this push may delete the old content.
        let stays = |(name, _): &&(BString, Oid)| self.updates.iter().all(|update| update.name != *name);
        let stay = self.there.iter().filter(stays).map(|(name, id)| (name, *id));
        let new = self.updates.iter().filter_map(|update| Some((&update.name, update.new?)));
        let (mut trees, mut kept) = (HashSet::new(), Vec::new());
        for (_, id) in new.chain(stay).filter(|(name, _)| self.guards(name)) {
            let Peeled::Commit(commit) = self.push.repo.peel(id)? else { continue };
            if self.push.repo.tree_of(&commit)?.is_some_and(|tree| trees.insert(tree)) {
                kept.push(self.push.repo.commit_view(&commit)?);
            }
        }
        Ok(kept)
    }

    /// The ledger lines of `held` that no kept state has.
    fn unheld<'w>(&self, held: &'w Workspace) -> Result<Vec<(&'w RepoPath, &'w str)>> {
        let mut left: Vec<_> = events(held).collect();
        if left.is_empty() {
            return Ok(left);
        }
        for view in self.kept()? {
            let other = workspace::load(&*view, own(&*view), &Select::All)?;
            let there: HashSet<&str> = events(&other).map(|(_, line)| line).collect();
            let redacted = Redactions::of(other.nodes.iter().flat_map(|node| &node.ledgers));
            left.retain(|(_, line)| !there.contains(line) && !redacted.cover(line.as_bytes()));
        }
        Ok(left)
    }
}

/// The state's own configuration, by which it is read.
fn own(view: &dyn Tree) -> Config {
    workspace::read_config(view).unwrap_or_default()
}

/// The known refs of the receiving side, by their names there, without the refs beside the code, which were never judged.
fn refs_there(repo: &Repo, side: &Side) -> Result<Vec<(BString, Oid)>> {
    let mut refs = all_refs_there(repo, side)?;
    refs.retain(|(name, _)| !is_unjudged(name));
    Ok(refs)
}

fn all_refs_there(repo: &Repo, side: &Side) -> Result<Vec<(BString, Oid)>> {
    let remote = match side {
        Side::Here => return repo.refs(b"refs/"),
        Side::There(None) => return Ok(Vec::new()),
        Side::There(Some(remote)) => remote,
    };
    let prefix = format!("refs/remotes/{remote}/");
    let name = |name: &BString| name.strip_prefix(prefix.as_bytes()).filter(|name| *name != b"HEAD").map(in_heads);
    let refs = repo.refs(prefix.as_bytes())?;
    Ok(refs.into_iter().filter_map(|(full, id)| Some((name(&full)?, id))).collect())
}

fn in_heads(branch: &[u8]) -> BString {
    [b"refs/heads/", branch].concat().into()
}

/// Whether one of these refs has a yatsu-hook file.
fn any_is_ours(push: &Push<'_>, refs: &[(BString, Oid)]) -> Result<bool> {
    let mut trees = HashSet::new();
    for (_, id) in refs {
        let Peeled::Commit(commit) = push.repo.peel(*id)? else { continue };
        if push.repo.tree_of(&commit)?.is_some_and(|tree| trees.insert(tree)) {
            let view = push.repo.commit_view(&commit)?;
            if !workspace::catalog(&*view, &push.config_for(&*view))?.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The commits of the receiving side's main branches.
fn main_branches(push: &Push<'_>, there: &[(BString, Oid)]) -> Vec<Oid> {
    let main = push.default.iter().map(|name| in_heads(name)).chain(MAIN.map(|name| in_heads(name.as_bytes())));
    let main: Vec<BString> = main.collect();
    there.iter().filter(|(name, _)| main.contains(name)).map(|(_, id)| *id).collect()
}

/// The configurations of these refs, if they have any yatsu-hook file.
fn gates(push: &Push<'_>, refs: impl IntoIterator<Item = Oid>) -> Result<Vec<Config>> {
    let ids: HashSet<Oid> = refs.into_iter().collect();
    let mut gates = Vec::new();
    for id in ids {
        let Peeled::Commit(commit) = push.repo.peel(id)? else { continue };
        let view = push.repo.commit_view(&commit)?;
        let Ok(config) = workspace::read_config(&*view) else { continue };
        if !workspace::catalog(&*view, &config)?.is_empty() && !gates.contains(&config) {
            gates.push(config);
        }
    }
    Ok(gates)
}

/// The blobs that a ref leads to without a commit. A blob that the ref points to directly has the ref's name as its path.
fn blobs(repo: &Repo, content: &Content) -> Result<Vec<AddedBlob>> {
    let tree = match content.of {
        Peeled::Blob(id) => return Ok(vec![AddedBlob { path: RepoPath::from_git(content.name.clone()), id }]),
        Peeled::Tree(tree) => repo.tree_view(tree),
        Peeled::Commit(_) | Peeled::Unknown => return Ok(Vec::new()),
    };
    let files = tree.files(&RepoPath::root(), &|_| true)?;
    let blobs = files.into_iter().filter(|(_, entry)| entry.kind != Kind::Submodule);
    Ok(blobs.filter_map(|(path, entry)| Some(AddedBlob { path, id: entry.id? })).collect())
}

/// Every event of the ledgers, with its ledger. A glued line holds several events.
fn events(state: &Workspace) -> impl Iterator<Item = (&RepoPath, &str)> {
    let ledgers = state.nodes.iter().flat_map(|node| &node.ledgers);
    let lines = ledgers.flat_map(|ledger| ledger.raw.iter().map(move |line| (&ledger.path, line)));
    lines.flat_map(|(path, line)| ndjson::objects(line).unwrap_or_default().into_iter().map(move |event| (path, event)))
}
