//! The deeds of git: trees, merges, picks, and the updates that a push requests.

use super::desk::{Desk, EVIDENCE, LINK, State};
use super::judge::Update;
use super::steps::{Graph, Push};
use super::world::{BRANCHES, Seat, World};
use crate::support::Dice;
use git2::build::TreeUpdateBuilder;
use git2::{FileMode, Index, MergeOptions, ObjectType, Oid, Repository, TreeWalkMode, TreeWalkResult};
use std::collections::BTreeMap;

/// Writes a tree.
pub(super) fn tree(repo: &Repository, state: &State) -> Oid {
    let empty = repo.treebuilder(None).and_then(|builder| builder.write()).expect("an empty tree");
    let mut builder = TreeUpdateBuilder::new();
    // a file in the place of a directory wins
    let is_hidden = |path: &str| path.match_indices('/').any(|(end, _)| state.contains_key(&path[..end]));
    for (path, bytes) in state.iter().filter(|(path, _)| !is_hidden(path)) {
        let (mode, bytes) = match bytes.strip_prefix(LINK.as_bytes()) {
            Some(to) => (FileMode::Link, to),
            None => (FileMode::Blob, bytes.as_slice()),
        };
        builder.upsert(path.as_str(), repo.blob(bytes).expect("a blob"), mode);
    }
    builder.create_updated(repo, &repo.find_tree(empty).expect("a tree")).expect("a tree")
}

/// Reads a commit.
pub(super) fn state(repo: &Repository, commit: Oid) -> State {
    let mut state = State::new();
    let tree = repo.find_commit(commit).and_then(|commit| commit.tree()).expect("a tree");
    let walk = |dir: &str, entry: &git2::TreeEntry<'_>| {
        if entry.kind() == Some(ObjectType::Blob) {
            let path = format!("{dir}{}", entry.name().expect("a name"));
            let blob = repo.find_blob(entry.id()).expect("a blob");
            let prefix = if entry.filemode() == i32::from(FileMode::Link) { LINK } else { "" };
            state.insert(path, [prefix.as_bytes(), blob.content()].concat());
        }
        TreeWalkResult::Ok
    };
    tree.walk(TreeWalkMode::PreOrder, walk).expect("a walk");
    state
}

/// The ways to resolve conflicts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Resolve {
    Ours,
    Theirs,
    /// The lines of both sides, each in its right ledger.
    Careful,
}

/// The files of a merge that git made, its conflicts resolved.
fn resolved(repo: &Repository, index: &Index, how: Resolve) -> State {
    let read = |entry: &git2::IndexEntry| {
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        let prefix = if entry.mode == u32::from(FileMode::Link) { LINK } else { "" };
        (path, [prefix.as_bytes(), repo.find_blob(entry.id).expect("a blob").content()].concat())
    };
    let mut state: State =
        index.iter().filter(|entry| (entry.flags >> 12) & 3 == 0).map(|entry| read(&entry)).collect();
    for conflict in index.conflicts().expect("conflicts").map(|conflict| conflict.expect("a conflict")) {
        let (ours, theirs) = (conflict.our.as_ref().map(read), conflict.their.as_ref().map(read));
        let chosen = match how {
            Resolve::Ours => ours,
            Resolve::Theirs => theirs,
            Resolve::Careful => match (ours, theirs) {
                (Some((path, ours)), Some((_, theirs))) if path.ends_with(".ndjson") => {
                    Some((path, union(&ours, &theirs)))
                }
                (ours, theirs) => ours.or(theirs),
            },
        };
        state.extend(chosen);
    }
    state
}

fn union(ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let mut all: Vec<&[u8]> = super::seen::lines(ours).collect();
    all.extend(super::seen::lines(theirs).filter(|line| !super::seen::lines(ours).any(|own| own == *line)));
    all.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect()
}

/// Puts every line into its right ledger, as a careful user would.
pub(super) fn healed(state: State, parents: &[State]) -> State {
    let (head, ids) = (String::new(), BTreeMap::new());
    let mut desk = Desk { state, dice: Dice(0), head, now: 0, ids, memory: &[] };
    desk.heal(parents);
    desk.state
}

fn options() -> MergeOptions {
    let mut options = MergeOptions::new();
    options.find_renames(true);
    options
}

fn merged(world: &World, (ours, theirs): (Oid, Oid), how: Resolve) -> Option<State> {
    let find = |id: Oid| world.repo.find_commit(id).expect("a commit");
    let index = world.repo.merge_commits(&find(ours), &find(theirs), Some(&options())).ok()?;
    let merged = resolved(&world.repo, &index, how);
    let parents = [state(&world.repo, ours), state(&world.repo, theirs)];
    Some(if how == Resolve::Careful { healed(merged, &parents) } else { merged })
}

fn picked(world: &World, (onto, pick): (Oid, Oid), how: Resolve) -> Option<State> {
    let find = |id: Oid| world.repo.find_commit(id).expect("a commit");
    if find(pick).parent_count() != 1 {
        return None;
    }
    let index = world.repo.cherrypick_commit(&find(pick), &find(onto), 0, Some(&options())).ok()?;
    let picked = resolved(&world.repo, &index, how);
    let before = [state(&world.repo, onto)];
    Some(if how == Resolve::Careful { healed(picked, &before) } else { picked })
}

/// Carries out one deed of git at the commit of a seat.
pub(super) fn work(world: &mut World, seat: usize, deed: Graph, dice: &mut Dice) {
    let ours = world.seats[seat].at;
    let how =
        if world.honest { Resolve::Careful } else { [Resolve::Ours, Resolve::Theirs, Resolve::Careful][dice.roll(3)] };
    let other = other_tip(world, seat, dice);
    match deed {
        Graph::Sync => {
            let name = format!("refs/heads/{}", world.seats[seat].branch);
            if let Some(tip) = world.server.refs.get(&name) {
                world.seats[seat].at = Oid::from_str(tip).expect("an id");
            }
        }
        Graph::Merge => join(world, (seat, other), how, Join::Merge),
        Graph::Squash => join(world, (seat, other), how, Join::Squash),
        Graph::MergeOf(branch) => {
            if let Some(tip) = world.server.refs.get(&format!("refs/heads/{branch}")) {
                join(world, (seat, Oid::from_str(tip).expect("an id")), how, Join::NoFastForward);
            }
        }
        Graph::Rebase => rebase(world, (seat, other), how, dice),
        Graph::Pick => {
            if let Some(state) = picked(world, (ours, other), how) {
                step_on(world, seat, &state, &[ours]);
            }
        }
        Graph::Revert => revert(world, seat, how),
        Graph::Amend => {
            let parents = world.repo.find_commit(ours).expect("a commit").parent_ids().collect::<Vec<_>>();
            if !world.server.refs.values().any(|tip| *tip == ours.to_string()) && !parents.is_empty() {
                let state = state(&world.repo, ours);
                step_on(world, seat, &state, &parents);
            }
        }
        Graph::Reset => {
            let parent = world.repo.find_commit(ours).expect("a commit").parent_id(0);
            world.seats[seat].at = parent.unwrap_or(ours);
        }
        Graph::Switch => switch(world, seat, dice.pick(&BRANCHES)),
        Graph::To(branch) => switch(world, seat, branch),
    }
}

fn switch(world: &mut World, seat: usize, branch: &str) {
    if let Some(tip) = world.server.refs.get(&format!("refs/heads/{branch}")) {
        world.seats[seat].at = Oid::from_str(tip).expect("an id");
    }
    world.seats[seat].branch = branch.to_owned();
}

/// The commit of another seat or of another branch of the server.
fn other_tip(world: &World, seat: usize, dice: &mut Dice) -> Oid {
    let tips: Vec<&String> =
        world.server.refs.iter().filter(|(name, _)| name.starts_with("refs/heads/")).map(|(_, id)| id).collect();
    match dice.roll(2) {
        0 if !tips.is_empty() => Oid::from_str(tips[dice.roll(tips.len())]).expect("an id"),
        _ => world.seats[(seat + 1 + dice.roll(2)) % 3].at,
    }
}

fn step_on(world: &mut World, seat: usize, state: &State, parents: &[Oid]) {
    let new = world.commit(state, parents);
    world.seats[seat].at = new;
}

#[derive(Clone, Copy, PartialEq)]
enum Join {
    Merge,
    NoFastForward,
    Squash,
}

fn join(world: &mut World, (seat, theirs): (usize, Oid), how: Resolve, kind: Join) {
    let is_merge = kind != Join::Squash;
    let ours = world.seats[seat].at;
    let covers = |one: Oid, other: Oid| one == other || world.repo.graph_descendant_of(one, other).unwrap_or(false);
    if covers(ours, theirs) {
        return;
    }
    if covers(theirs, ours) && kind == Join::Merge {
        world.seats[seat].at = theirs;
        return;
    }
    let Some(state) = merged(world, (ours, theirs), how) else { return };
    let parents = if is_merge { vec![ours, theirs] } else { vec![ours] };
    step_on(world, seat, &state, &parents);
    let new = world.seats[seat].at;
    if is_merge && new.as_bytes()[0].is_multiple_of(2) {
        world.look_before_the_commit(new, &parents);
    }
}

/// Repeats the seat's own commits on top of another tip; sometimes some are left out.
fn rebase(world: &mut World, (seat, onto): (usize, Oid), how: Resolve, dice: &mut Dice) {
    let drops = !world.honest && dice.roll(3) == 0;
    let mut walk = world.repo.revwalk().expect("a walk");
    walk.push(world.seats[seat].at).and_then(|()| walk.hide(onto)).expect("a range");
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE).expect("an order");
    let picks: Vec<Oid> = walk.map(|id| id.expect("an id")).collect();
    world.seats[seat].at = onto;
    for pick in picks {
        let at = world.seats[seat].at;
        if drops && dice.roll(3) == 0 {
            continue;
        }
        if let Some(state) = picked(world, (at, pick), how) {
            step_on(world, seat, &state, &[at]);
        }
    }
}

fn revert(world: &mut World, seat: usize, how: Resolve) {
    let ours = world.seats[seat].at;
    let last = world.repo.find_commit(ours).expect("a commit");
    if last.parent_count() != 1 {
        return;
    }
    let index = world.repo.revert_commit(&last, &last, 0, Some(&options())).expect("a revert");
    let mut reverted = resolved(&world.repo, &index, how);
    let before = [state(&world.repo, ours)];
    drop(last);
    if how == Resolve::Careful {
        reverted = healed(reverted, &before);
    }
    step_on(world, seat, &reverted, &[ours]);
}

/// Names that may be symbolic refs on the server.
pub(super) const ALIASES: [&str; 3] = ["refs/heads/stable", "refs/heads/latest", "refs/meta/main"];

/// A branch that is not protected.
pub(super) const ASIDE: &str = "refs/heads/aside";

/// The updates that a push requests; none if git itself would refuse the push.
pub(super) fn updates(world: &mut World, seat: usize, push: Push, dice: &mut Dice) -> Vec<Update> {
    let Seat { branch, at } = world.seats[seat].clone();
    let of = |world: &World, name: &str, new: Option<Oid>| Update {
        name: name.to_owned(),
        old: world.server.standing(name).cloned(),
        new: new.map(|id| id.to_string()),
    };
    let heads = format!("refs/heads/{branch}");
    let mut asked = match push {
        Push::Plain | Push::Force => vec![of(world, &heads, Some(at))],
        Push::ToMain => vec![of(world, "refs/heads/main", Some(at))],
        Push::Many => {
            let other = dice.pick(&BRANCHES);
            let mut both = vec![of(world, &heads, Some(at))];
            if other != branch {
                both.push(of(world, &format!("refs/heads/{other}"), Some(world.seats[(seat + 1) % 3].at)));
            }
            both
        }
        Push::Delete => vec![of(world, &heads, None)],
        Push::Aside => vec![Update { new: world.server.refs.get(&heads).cloned(), ..of(world, ASIDE, None) }],
        Push::DeleteAside | Push::Around => vec![of(world, ASIDE, None)],
        Push::Tag => vec![of(world, &format!("refs/tags/t{}", dice.roll(3)), Some(at))],
        Push::Alias | Push::ForceAlias => vec![of(world, dice.pick(&ALIASES), Some(at))],
        Push::DeleteAlias => vec![of(world, dice.pick(&ALIASES), None)],
        Push::BothNames => {
            let alias = dice.pick(&ALIASES);
            let target = world.server.resolve(alias).to_owned();
            let mut both = vec![of(world, alias, Some(at))];
            both.extend((target != alias).then(|| of(world, &target, Some(at))));
            both
        }
        Push::NewProtected | Push::Three => {
            let name = format!("refs/heads/release/{}", 2 + dice.roll(4));
            let topic = (push == Push::Three || dice.roll(2) == 0).then(|| of(world, "refs/heads/topic", Some(at)));
            topic.into_iter().chain([of(world, &name, Some(at))]).collect()
        }
        Push::TagBlob | Push::Replace => {
            let made =
                if push == Push::TagBlob { tag_of_evidence(&world.repo, dice) } else { replacement(&world.repo, at) };
            made.map(|(name, id)| of(world, &name, Some(id))).into_iter().collect()
        }
    };
    let forced = push.is_forced();
    asked.retain(|update| update.old != update.new);
    asked.retain(|update| match (&update.old, &update.new) {
        (Some(old), Some(new)) if !update.name.starts_with("refs/tags/") => forced || world.judge.is_ancestor(old, new),
        _ => true,
    });
    asked
}

/// A tag on evidence, directly or in a tree.
pub(super) fn tag_of_evidence(repo: &Repository, dice: &mut Dice) -> Option<(String, Oid)> {
    let content = EVIDENCE.as_bytes();
    let id = match dice.roll(2) {
        0 => repo.blob(content).expect("a blob"),
        _ => tree(repo, &State::from([("shot.bin".to_owned(), content.to_vec())])),
    };
    Some(("refs/tags/shot".to_owned(), id))
}

/// A replacement of a ledger's blob by a better ledger.
pub(super) fn replacement(repo: &Repository, at: Oid) -> Option<(String, Oid)> {
    let state = state(repo, at);
    let (_, bytes) = state.iter().find(|(path, _)| path.ends_with(".ndjson"))?;
    let blob = repo.blob(bytes).expect("a blob");
    let better = String::from_utf8_lossy(bytes).replace("\"fail\"", "\"pass\"") + "\n";
    Some((format!("refs/replace/{blob}"), repo.blob(better.as_bytes()).expect("a blob")))
}
