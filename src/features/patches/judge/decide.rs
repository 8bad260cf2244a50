//! `patch approve` and `patch reject`: record a decision about the content of a branch in the ledger of every node that
//! it touches, else in the ledger of the patches' home. Checks under the ledgers' lock whether the decision is allowed. Prints
//! nothing.

use crate::app::record::transaction::Transaction;
use crate::app::site::line_files::NewLineFiles;
use crate::app::site::{self, Site};
use crate::app::site::{MAX_FIELD, MAX_NOTE};
use crate::engine::budget::FiledAt;
use crate::error::{Error, Refusal, Result};
use crate::features::patches::judge::engine::patch::{Patch, PatchDecision, PatchDecisionKind, PatchState, Touch};
use crate::features::patches::judge::patches::{BranchChange, Patches};
use crate::model::ledger::{ApprovedContent, Decision, Event, Timestamp};
use crate::model::node::Node;
use crate::model::reference::scenario_word;
use crate::repo::Repo;
use crate::store::Store;
use crate::store::ledger::next_ts;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub(crate) struct PatchDecisionRequest {
    pub(crate) kind: PatchDecisionKind,
    /// The branch; `None` for the one that is checked out.
    pub(crate) branch: Option<String>,
    /// Why, one line.
    pub(crate) reason: String,
    pub(crate) by: String,
    pub(crate) now: Timestamp,
}

#[derive(Clone, Debug)]
pub(crate) struct DecidedPatch {
    /// The patch after the decision.
    pub(crate) patch: Patch,
    /// The lines of the decision in the order of their nodes, old ones included.
    pub(crate) lines: Vec<PatchDecision>,
    pub(crate) is_new: bool,
}

/// Records a decision, if the state of the patch allows it. If the same person made the same decision about the same content
/// before, only the ledgers that an interrupted try left out get a line.
///
/// # Errors
/// Refused if the state does not allow it, or if another person must decide; unchecked if the state cannot be judged.
pub(crate) fn decide(
    repo: &Repo,
    site: &dyn Site,
    store: &Store,
    request: &PatchDecisionRequest,
) -> Result<DecidedPatch> {
    site::one_line("reason", Some(&request.reason), MAX_NOTE)?;
    site::one_line("name after --by", Some(&request.by), MAX_FIELD)?;
    site::work_dir(site)?;
    let transaction = Transaction::begin(site, store)?;
    let patches = Patches::demand(repo)?;
    let patch = patches.named(request.branch.as_deref())?;
    let change = patches.change_of(&patch)?;
    let content = ApprovedContent::of(&change.content);
    let before = standing(&patch, request, content.as_ref());
    // a repeated decision needs no permission as long as it still holds
    if before.is_empty() || patch.state != request.kind.leads_to() {
        permit(&patch, request)?;
    }
    if content.is_none() && patch.facts.touches.is_empty() {
        return Err(Error::refused("a changed path is not UTF-8, and no decision can name it")
            .because(Refusal::Invalid)
            .hint("rename the file"));
    }
    let nodes = site.reread()?;
    let mut open = Vec::new();
    let files = NewLineFiles::of(site, &site.config()?, &nodes, request.now)?;
    let path_for = |node: &Node| transaction.path_for(&files, node);
    for node in places(&nodes, &patch, &change, &path_for)? {
        if before.iter().all(|one| one.node != node.dir) {
            let path = path_for(&node)?;
            let ledger = match node.dir == change.records.home() {
                true => transaction.open_home(&files, &path)?,
                false => transaction.open_new(&files, &path)?,
            };
            open.push((ledger, node, path));
        }
    }
    let is_new = !open.is_empty();
    let authors = if is_new { patches.authors(&patch, &change)? } else { BTreeSet::new() };
    let mut lines = before;
    for (ledger, node, path) in open {
        let ts = next_ts(&transaction.ledgers(&node, &ledger)?, request.now);
        let at = FiledAt { ts, ledger: path, line: u32::MAX };
        let event = Event::Decision(Box::new(Decision {
            base: Some(change.base),
            content: content.clone(),
            authors: authors.clone(),
            ..decision_line(&patch, request, &node, at.ts)
        }));
        let text = event.encode().ok_or_else(|| Error::fault("the decision cannot be written as a ledger line"))?;
        ledger.append(&text)?;
        let is_named = content.is_some();
        let line = patch_decision(&patch, request, &node, at);
        lines.push(PatchDecision { covers: is_named, names_content: is_named, ..line });
    }
    lines.sort_by(|one, other| one.node.cmp(&other.node));
    let mut facts = patch.facts;
    facts.decisions.retain(|one| !lines.contains(one));
    facts.decisions.extend(lines.iter().cloned());
    Ok(DecidedPatch { patch: Patch::of(facts), lines, is_new })
}

/// The lines with the same decision of the same person about the present content of the patch, since the person last decided
/// otherwise. If the present content can be named, a line that names other content, or none, is not among them: the person
/// may still decide about the content.
fn standing(patch: &Patch, request: &PatchDecisionRequest, content: Option<&ApprovedContent>) -> Vec<PatchDecision> {
    let is_about = |one: &&PatchDecision| if content.is_some() { one.covers } else { one.is_current };
    let own: Vec<&PatchDecision> = patch.facts.words_of(&request.by).filter(is_about).collect();
    let since = own.iter().rposition(|one| one.kind != request.kind).map_or(0, |last| last + 1);
    own[since..].iter().copied().cloned().collect()
}

/// The nodes that get the line of a decision: the touched ones, each unless its ledger is new on the branch. A new ledger is
/// content itself, so a line in it would change what the line approves. If such a ledger is left out, or no node is touched,
/// the patches' home gets the line.
fn places(
    nodes: &[Node],
    patch: &Patch,
    change: &BranchChange,
    path_for: &dyn Fn(&Node) -> Result<RepoPath>,
) -> Result<Vec<Node>> {
    let touched: BTreeSet<RepoPath> =
        patch.facts.touches.iter().map(|touch| RepoPath::from_git(touch.node.dir.clone())).collect();
    let mut found = Vec::new();
    for dir in &touched {
        let node = touched_node(nodes, dir, patch)?;
        if change.records.is_place(&path_for(node)?)? {
            found.push(node.clone());
        }
    }
    let home = change.records.home();
    let is_whole = !found.is_empty() && found.len() == touched.len();
    if !is_whole && found.iter().all(|node| node.dir != home) {
        let node = nodes.iter().find(|node| node.dir == home).cloned();
        found.push(node.unwrap_or_else(|| Node { dir: home, ..Node::default() }));
    }
    Ok(found)
}

/// Refuses a decision that the lifecycle does not allow in this state, or that this person may not make.
fn permit(patch: &Patch, request: &PatchDecisionRequest) -> Result<()> {
    let (branch, state) = (echo(&patch.facts.branch), patch.state);
    let to = request.kind.leads_to();
    if !patch.next.contains(&to) && !may_follow(patch, request) {
        let what = format!(
            "{branch} is {}, and a branch that is {} cannot be {}",
            state.as_str(),
            state.as_str(),
            lower_case(to)
        );
        let next: Vec<&str> = patch.next.iter().map(|state| state.as_str()).collect();
        let next = if next.is_empty() { "nothing".to_owned() } else { next.join(", ") };
        let reason = match state {
            PatchState::Stale => Refusal::Stale,
            PatchState::Approved | PatchState::Promoted | PatchState::Rejected => Refusal::Already,
            _ => Refusal::NotMet,
        };
        let show = ["patch", "show", &patch.facts.branch];
        let error = Error::refused(what)
            .because(reason)
            .argv(show)
            .hint(patch.reason.clone())
            .hint(format!("what may come next: {next}"));
        return Err(match state {
            PatchState::Proposed | PatchState::AppliedInFork | PatchState::Stale => hint_to_measure(patch, error),
            PatchState::Conflicted => error.hint(format!("merge {} into it first", echo(&patch.facts.main))),
            PatchState::Rejected => hint_to_take_back(patch, error),
            _ => error,
        });
    }
    if !patch.facts.may_decide(&request.by) {
        let by = echo(&request.by);
        let nameless = |touch: &Touch| touch.eval.as_ref().is_some_and(|eval| eval.by.is_none());
        let hint = match patch.facts.touches.iter().any(nameless) {
            true => "a reading without `by` may be by anyone: file it again with --by",
            false => "yatsu.patches.requireOther asks for another person: --by WHO",
        };
        return Err(Error::refused(format!("{by} may have measured the readings that this decision rests on"))
            .because(Refusal::NotMet)
            .hint(hint));
    }
    Ok(())
}

/// Whether a decision may follow the decisions that made the state. Everyone may decide about an approved patch: otherwise the
/// author's own approval would keep the others out, and several givers may be needed. Only the giver of a rejection takes it
/// back.
fn may_follow(patch: &Patch, request: &PatchDecisionRequest) -> bool {
    let last = || patch.facts.words_of(&request.by).next_back();
    match patch.state {
        PatchState::Approved => true,
        PatchState::Rejected => {
            request.kind != PatchDecisionKind::Reject && last().is_some_and(|one| one.kind != request.kind)
        }
        _ => false,
    }
}

fn lower_case(state: PatchState) -> String {
    state.as_str().to_lowercase()
}

/// Adds the command with which the giver of a rejection takes it back.
fn hint_to_take_back(patch: &Patch, error: Error) -> Error {
    let Some(rejection) = patch.facts.rejection() else { return error };
    let (branch, by) = (shell::word(&patch.facts.branch), shell::word(&rejection.by));
    let command = format!("yatsu-hook patch approve {branch} --reason WHY --by {by}");
    error.hint(format!("change what was rejected, or {} takes it back: {command}", echo(&rejection.by)))
}

/// Adds the next command as a hint: measure the first scenario without a fresh reading.
fn hint_to_measure(patch: &Patch, error: Error) -> Error {
    match patch.facts.touches.iter().find(|touch| !touch.is_fresh()) {
        Some(touch) => {
            let (word, rest) = (scenario_word(&touch.node.id, &touch.scenario), touch.filing);
            error.hint(format!("measure it: yatsu-hook eval {word} {rest}"))
        }
        None => error,
    }
}

/// The touched node `dir` as the work tree has it; the line goes to its ledger.
fn touched_node<'n>(nodes: &'n [Node], dir: &RepoPath, patch: &Patch) -> Result<&'n Node> {
    let found = nodes.binary_search_by(|node| node.dir.cmp(dir)).ok().map(|at| &nodes[at]);
    found.ok_or_else(|| {
        let branch = shell::word(&patch.facts.branch);
        Error::refused(format!("{dir} is touched by the patch and is not in this work tree"))
            .because(Refusal::Unknown)
            .hint(format!("decide where it is: git switch {branch}"))
    })
}

fn decision_line(patch: &Patch, request: &PatchDecisionRequest, node: &Node, ts: Timestamp) -> Decision {
    let touch = patch.facts.touches.iter().find(|touch| *node.dir.as_bstr() == touch.node.dir);
    Decision {
        kind: request.kind.as_str().to_owned(),
        readings: touch.map(|touch| touch.readings),
        patch: Some(patch.facts.branch.clone()),
        commit: Some(patch.facts.tip),
        reason: Some(request.reason.clone()),
        by: Some(request.by.clone()),
        ts: Some(ts),
        ..Decision::default()
    }
}

fn patch_decision(patch: &Patch, request: &PatchDecisionRequest, node: &Node, at: FiledAt) -> PatchDecision {
    PatchDecision {
        kind: request.kind,
        node: node.dir.clone(),
        at,
        by: request.by.clone(),
        reason: request.reason.clone(),
        commit: Some(patch.facts.tip),
        is_current: true,
        names_content: false,
        covers: false,
    }
}
