//! A stop: asks once a session to measure what the session made stale, and to commit the readings of what it committed.

use super::claims::LiveClaims;
use super::due::{self, Unfinished};
use super::made_here::MadeHere;
use super::memory::Memory;
use super::{DECLARING, Visit, changed_at, changed_nodes, worktrees};
use crate::app::judge::remember;
use crate::app::site::line_files::segments_in;
use crate::error::Result;
use crate::features::agents::model::reply::{AgentReply, StopNote};
use crate::model::config::Stop;
use crate::model::workspace;
use crate::names::{CONFIG_FILE, OUR_NAMES};
use crate::repo::Repo;
use crate::sys;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

pub(super) fn answer(visit: &Visit<'_>, again: bool) -> Result<AgentReply> {
    let Some(memory) = visit.recall()? else {
        visit.change(false, |_| ())?;
        return Ok(AgentReply::Neutral);
    };
    // `again`: a hook held the last stop up. It was this program if it asked, and then the user may still read of more
    let may_say = visit.shows.messages && (!again || memory.asked);
    let may_ask = visit.shows.questions && !memory.asked && !again;
    if !(may_ask || may_say) {
        return Ok(AgentReply::Neutral);
    }
    if !memory.was_here {
        visit.change(false, |_| ())?;
    }
    let others = worktrees::of_session(visit, &memory)?;
    let trees = session_trees(visit, memory, &others)?;
    if !trees.iter().any(|(at, memory)| may_concern(at, memory)) {
        return Ok(AgentReply::Neutral);
    }
    let stop = workspace::read_config_for_agents(&*visit.repo.worktree_view()?)?.agents.stop;
    if stop == Stop::Off {
        return Ok(AgentReply::Neutral);
    }
    let mut unfinished = unfinished(visit, &trees)?;
    if unfinished.is_empty() {
        return Ok(AgentReply::Neutral);
    }
    // before the question is remembered: an error must not spend it
    let own = LiveClaims::of(visit)?.own();
    let note = |unfinished: Unfinished| {
        let (due, uncommitted) = unfinished.notes();
        StopNote { due, uncommitted, own }
    };
    if stop == Stop::Block && may_ask && ask(visit, &unfinished)? {
        return Ok(AgentReply::Ask(note(unfinished)));
    }
    if !may_say {
        return Ok(AgentReply::Neutral);
    }
    keep_new(visit, &mut unfinished)?;
    Ok(if unfinished.is_empty() { AgentReply::Neutral } else { AgentReply::Say(note(unfinished)) })
}

/// Whether an edit or a command of the session may have touched anything governed in this work tree.
fn may_concern(visit: &Visit<'_>, memory: &Memory) -> bool {
    memory.may_have_touched(|| is_redeclared(visit, memory.since))
}

/// The work trees of the session: the one of the event, if the session worked there, and `others`.
fn session_trees<'v>(visit: &Visit<'v>, memory: Memory, others: &'v [Repo]) -> Result<Vec<(Visit<'v>, Memory)>> {
    let mut trees: Vec<_> = memory.was_here.then(|| (visit.at(visit.repo), memory)).into_iter().collect();
    for repo in others {
        let there = visit.at(repo);
        let memory = there.recall()?;
        trees.extend(memory.map(|memory| (there, memory)));
    }
    Ok(trees)
}

/// What the session left to do in all of `trees`.
fn unfinished(visit: &Visit<'_>, trees: &[(Visit<'_>, Memory)]) -> Result<Unfinished> {
    let (made, mut found) = (MadeHere::new(trees), Unfinished::default());
    for (at, memory) in trees {
        if may_concern(at, memory) && may_have_touched(at, memory)? {
            found.add(due::find(at, memory, &made)?, worktrees::beside(visit.repo, at.repo).as_ref());
        }
    }
    Ok(found)
}

/// Whether the session may have touched anything governed. If only its commands may, the memo of the last check names the
/// governed files to look at.
fn may_have_touched(visit: &Visit<'_>, memory: &Memory) -> Result<bool> {
    let repo = visit.repo;
    let file = remember::paths_file(repo);
    let (Some(memo), Some(top)) = (file.as_ref().and_then(|file| remember::recall(repo, file)), &repo.work_dir) else {
        return Ok(true);
    };
    let head = repo.head()?.map(|head| repo.tree_of(&head)).transpose()?.flatten();
    let is_known = !memory.here.governed
        && !memory.here.edited_more
        && memory.here.nodes.is_empty()
        && !memory.here.nodes_more
        // a file behind a link may change without the link
        && memo.dirs(|flags| flags.linked).next().is_none()
        && (memory.here.edited.is_empty() || !is_redeclared(visit, memory.since));
    let is_base = memory.base.judged.is_some() && memory.began_in(&worktrees::key(repo));
    if !is_known || !is_base || head != Some(memo.tree) || memo.globs().next().is_some() {
        return Ok(true);
    }
    let place = |path: &RepoPath| top.join(sys::in_tree(path.as_bstr()));
    let is_touched = |path: &RepoPath| memory.touched_itself(path, top);
    // a new node is a new name in a directory on the way to another one
    let own: BTreeSet<RepoPath> =
        memo.dirs(|_| true).filter(|dir| !dir.is_root()).flat_map(|dir| dir.above().chain([dir])).collect();
    let files = own.iter().flat_map(|dir| OUR_NAMES.map(|name| dir.child(name.as_bytes())));
    // a line in a segment that was there before changes no directory
    let segments = own.iter().flat_map(|dir| segments_in(top, dir).unwrap_or_default());
    let files = files.chain(segments);
    let mut above = own.clone();
    for dir in memo.paths().filter_map(|path| path.parent()) {
        if !above.contains(&dir) {
            above.extend(dir.above().chain([dir]));
        }
    }
    Ok(own.iter().any(is_touched)
        || files.filter(|path| place(path).exists()).any(|path| is_touched(&path))
        || memo.paths().any(|path| place(&path).is_dir() || is_touched(&path))
        || above.iter().any(|dir| memory.renamed(dir, top)))
}

/// Whether the configuration or the file of a node may have changed since `since`, by their times. The memo of the last check
/// knows the nodes, so this is much cheaper than a look at all of them.
fn is_redeclared(visit: &Visit<'_>, since: i64) -> bool {
    let repo = visit.repo;
    let Some((top, file)) = repo.work_dir.as_deref().zip(remember::paths_file(repo)) else { return true };
    let Some(memo) = remember::recall(repo, &file) else { return true };
    changed_at(&top.join(CONFIG_FILE)).is_some_and(|at| at >= since)
        || changed_nodes(repo, &memo, &DECLARING, Some(since)).next().is_some()
}

/// Whether this stop asks. The memory of the question is on the disk before the question is put, or it could be put twice.
fn ask(visit: &Visit<'_>, unfinished: &Unfinished) -> Result<bool> {
    let asks = visit.change(true, |memory| {
        let is_first = !memory.asked;
        memory.asked = true;
        if is_first {
            Memory::note_scenarios(&mut memory.named_at_stop, &unfinished.hashes());
        }
        is_first
    })?;
    Ok(asks == Some(true))
}

/// Keeps what became unfinished and no question or message named yet. From now on it counts as named.
fn keep_new(visit: &Visit<'_>, unfinished: &mut Unfinished) -> Result<()> {
    unfinished.keep_stale();
    let hashes = unfinished.hashes();
    let new = visit.change(false, |memory| Memory::note_scenarios(&mut memory.named_at_stop, &hashes))?;
    unfinished.keep(&new.unwrap_or_default());
    Ok(())
}
