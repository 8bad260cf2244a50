//! What a push does to refs beside bringing commits. Purpose: no way round what commits are judged by. A blob or a tree
//! that a tag leads to may be evidence as well as what a commit brings; a protected branch that is deleted loses its ledger
//! lines as well as one that is rewritten; and a replace ref shows other objects than those that were judged.

use super::refs::Update;
use super::tips::{Brought, Content};
use super::{Push, Side};
use crate::app::judge::evidence;
use crate::app::judge::levels;
use crate::app::judge::protection::{MAIN, protects};
use crate::app::judge::runlogs::{self, HeldLog};
use crate::app::judge::snapshot::AddedBlob;
use crate::app::judge::stray;
use crate::app::judge::stray::KnownEvidence;
use crate::engine::redaction::Redactions;
use crate::error::Result;
use crate::finding::Finding;
use crate::model::config::Config;
use crate::model::ledger::EvidenceHash;
use crate::model::workspace;
use crate::model::workspace::{Select, Workspace};
use crate::repo::Repo;
use crate::repo::commit::Peeled;
use crate::repo::non_code_refs::is_unjudged;
use crate::rules;
use crate::rules::{BroughtBy, Deleted, Misshapen, RefUpdates, Stray};
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

/// What a push asks of the refs of the other side.
pub(super) struct Refs<'a> {
    /// All of them, those that delete a ref among them.
    pub(super) updates: &'a [Update],
    /// The commit that stands for the judging repository.
    pub(super) standing: Option<Oid>,
    /// What lies beside the code and does not belong there.
    pub(super) misshapen: Vec<Misshapen>,
}

/// What is found; `own` is the commit that stands for the judging repository.
pub(super) fn look(push: &Push<'_>, brought: &Brought, refs: Refs<'_>) -> Result<Vec<Finding>> {
    let (updates, misshapen) = (refs.updates, refs.misshapen.clone());
    let deletes = |update: &Update| update.new.is_none() && update.branch().is_some();
    let moves_more = updates.iter().any(|update| replaces(update) || deletes(update));
    if brought.contents.is_empty() && misshapen.is_empty() && !moves_more {
        return Ok(Vec::new());
    }
    // Loads whole states: only for the few pushes that do more than bring commits.
    let case = Case::of(push, brought, refs)?;
    let replaced = updates.iter().filter(|update| case.ours && replaces(update)).map(|update| update.name.clone());
    let strays = case.strays(&brought.contents)?;
    let mut done = RefUpdates { strays, replaced: replaced.collect(), misshapen, ..RefUpdates::default() };
    case.deleted(&mut done)?;
    Ok(levels::apply_since(rules::of_refs(&done), &case.config, &case.gates, push.how.options.strict))
}

/// One push, with what is known of the side that it goes to.
struct Case<'a> {
    push: &'a Push<'a>,
    updates: &'a [Update],
    /// The refs that the other side is known to hold before the push.
    there: Vec<(BString, Oid)>,
    /// What is judged by.
    config: Config,
    /// What the other side was judged by before, where the push itself says what it is judged by.
    gates: Vec<Config>,
    /// What will judge the next push, as far as this one does not choose it.
    standing: Vec<Config>,
    /// The evidence that readings name.
    named: HashSet<EvidenceHash>,
    /// Whether the judging repository or the push has anything of ours.
    ours: bool,
}

impl<'a> Case<'a> {
    fn of(push: &'a Push<'a>, brought: &Brought, refs: Refs<'a>) -> Result<Self> {
        let Refs { updates, standing: own, .. } = refs;
        let mut there = refs_there(push.repo, &push.side)?;
        // an alias holds nothing of its own: it goes with what it stands for
        there.retain(|(name, _)| !push.aliases.has(name.as_bstr()));
        let view = own.map_or_else(|| Ok(Repo::empty_view()), |commit| push.repo.commit_view(&commit))?;
        let config = push.config_for(&*view);
        let main = main_branches(push, &there);
        let standing = if push.config.is_some() { vec![config.clone()] } else { gates(push, main.clone())? };
        // Where nothing stands yet the push's own word is all there is: without any, no branch would count as keeping
        // lines, and every deletion as losing them.
        let standing = if standing.is_empty() { vec![config.clone()] } else { standing };
        let olds = updates.iter().filter_map(|update| update.old);
        let gates = if push.config.is_some() { Vec::new() } else { gates(push, olds.chain(main))? };
        let (mut named, mut ours) = (HashSet::new(), false);
        // What the tips name counts, too: a reading may come in the same push as the tag that leads to its evidence.
        for commit in own.into_iter().chain(brought.tips.iter().map(|tip| tip.commit)) {
            let view = push.repo.commit_view(&commit)?;
            let state = workspace::load(&*view, push.config_for(&*view), &Select::All)?;
            named.extend(evidence::named(&state));
            ours |= !state.nodes.is_empty();
        }
        // a server whose default branch nobody pushed yet has its nodes on the others
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
            // Listed only when a blob looks like evidence: this reads every tree that a ref of the other side ends in.
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

    /// Every blob that the other side is known to hold at the end of a ref.
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

    /// The protected branches that go together with ledger lines or run logs.
    fn deleted(&self, found: &mut RefUpdates) -> Result<()> {
        for update in self.updates.iter().filter(|update| update.new.is_none()) {
            let (Some(branch), Some(old)) = (update.branch(), update.old) else { continue };
            // what a client never fetched it cannot judge
            let Peeled::Commit(commit) = self.push.repo.peel(old)? else { continue };
            let view = self.push.repo.commit_view(&commit)?;
            // A configuration that cannot be read protects as the judging one does: else breaking it would free the
            // branch.
            let own = workspace::read_config(&*view).unwrap_or_else(|_| self.config.clone());
            let names = self.push.aliases.names(branch);
            let guards = |config: &Config, name: &BString| protects(config, name.as_bstr(), self.push.default.as_ref());
            let protects = |config: &Config| names.iter().any(|name| guards(config, name));
            // any of them is enough: a push that takes the protection away must not delete the branch as well
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
            let logs = self.unheld_logs(&*view, &held.config)?;
            found.deleted_logs.extend(logs.first().map(|log| gone(log, logs.len())));
        }
        Ok(())
    }

    /// Whether the readings of a ref will be kept from getting lost. What a ref says of itself is no promise: the next
    /// push to it may take that back, and then the ref may go as well.
    fn guards(&self, name: &BString) -> bool {
        let Some(branch) = name.strip_prefix(b"refs/heads/").map(BStr::new) else { return false };
        let names = self.push.aliases.names(branch);
        let protects =
            |config: &Config| names.iter().any(|name| protects(config, name.as_bstr(), self.push.default.as_ref()));
        self.standing.iter().any(protects)
    }

    /// What the protected branches of the other side hold after the push, each content once. Any other ref may go next,
    /// and what it holds with it.
    fn kept(&self) -> Result<Vec<Rc<dyn Tree>>> {
        // A ref that this push moves counts by its new value alone: what it held may go with this very push.
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

    /// The ledger lines of `held` that nobody keeps.
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

    /// The run logs of a branch that goes which nobody keeps. One that ended may go.
    fn unheld_logs(&self, view: &dyn Tree, config: &Config) -> Result<Vec<RepoPath>> {
        let mut left = runlogs::held(view, config)?;
        keep_those_that_must_stay(&mut left, &[])?;
        if left.is_empty() {
            return Ok(Vec::new());
        }
        for view in self.kept()? {
            let there = runlogs::held(&*view, &own(&*view))?;
            keep_those_that_must_stay(&mut left, &there)?;
        }
        Ok(left.into_iter().map(|log| log.path).collect())
    }
}

/// Takes those out of `logs` that may go where `there` stay.
fn keep_those_that_must_stay(logs: &mut Vec<HeldLog<'_>>, there: &[HeldLog<'_>]) -> Result<()> {
    let mut must_stay = Vec::new();
    for log in logs.drain(..) {
        if !log.may_go(there)? {
            must_stay.push(log);
        }
    }
    *logs = must_stay;
    Ok(())
}

/// A state is looked at by its own configuration.
fn own(view: &dyn Tree) -> Config {
    workspace::read_config(view).unwrap_or_default()
}

/// The refs that the side that is pushed to is known to hold, by their names there; without those beside the code, which
/// nobody judged.
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

/// Whether one of these refs has anything of ours.
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

/// What the other side's main branches hold.
fn main_branches(push: &Push<'_>, there: &[(BString, Oid)]) -> Vec<Oid> {
    let main = push.default.iter().map(|name| in_heads(name)).chain(MAIN.map(|name| in_heads(name.as_bytes())));
    let main: Vec<BString> = main.collect();
    there.iter().filter(|(name, _)| main.contains(name)).map(|(_, id)| *id).collect()
}

/// What these refs were judged by, where they have anything of ours.
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

/// The blobs that a ref leads to without a commit: the one that it is about goes by the ref's name.
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

/// Every event of the ledgers, with the ledger: glued ones are several.
fn events(state: &Workspace) -> impl Iterator<Item = (&RepoPath, &str)> {
    let ledgers = state.nodes.iter().flat_map(|node| &node.ledgers);
    let lines = ledgers.flat_map(|ledger| ledger.raw.iter().map(move |line| (&ledger.path, line)));
    lines.flat_map(|(path, line)| ndjson::objects(line).unwrap_or_default().into_iter().map(move |event| (path, event)))
}
