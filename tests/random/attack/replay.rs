//! A history as a person would type it: every commit that a push needed, with the files that it changed.

use super::desk::LINK;
use super::doors::Door;
use super::graph;
use super::judge::Update;
use super::world::World;
use git2::Oid;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A question to a door, and its answer.
pub(super) enum Event {
    Push { updates: Vec<Update>, accepted: bool, said: String },
    Commit { id: String, said: String },
    Alias { name: String, target: String },
}

/// The events in order.
#[derive(Default)]
pub(super) struct OldScenario {
    /// The commits with their times.
    pub(super) commits: Vec<(String, u64)>,
    pub(super) events: Vec<Event>,
}

impl OldScenario {
    pub(super) fn next_label(&self) -> String {
        format!("c{}", self.commits.len() + 1)
    }

    pub(super) fn looked(&mut self, commit: Oid, door: &Door) {
        let said = if door.accepts() { "silent".to_owned() } else { door.said.clone() };
        self.events.push(Event::Commit { id: commit.to_string(), said });
    }

    fn label(&self, id: &str) -> String {
        let at = self.commits.iter().position(|(commit, _)| commit == id);
        at.map_or_else(|| id.to_owned(), |at| format!("c{}", at + 1))
    }
}

/// The commands that lead to the state of `world`. Each commit is tagged with its number.
pub(super) fn transcript(world: &World) -> String {
    let mut text = String::from(
        "git init -q --bare -b main server.git && yatsu-hook's pre-receive hook there\ngit init -q -b main work && cd work && git remote add server ../server.git\nexport GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid\n",
    );
    let mut made = BTreeSet::new();
    for event in &world.told.events {
        let mut make = |id: &str| make(world, Oid::from_str(id).expect("an id"), &mut made, &mut text);
        match event {
            Event::Push { updates, accepted, said } => {
                updates.iter().filter_map(|update| update.new.as_ref()).for_each(|id| make(id));
                let label = |id: &Option<String>| id.as_ref().map(|id| world.told.label(id)).unwrap_or_default();
                let specs = updates.iter().map(|update| format!("{}:{}", label(&update.new), update.name));
                let specs: Vec<String> = specs.collect();
                let answer = if *accepted { "accepted".to_owned() } else { format!("refused: {said}") };
                let _ = writeln!(text, "git push --force server {}   # {answer}", specs.join(" "));
            }
            Event::Alias { name, target } => {
                let _ = writeln!(text, "git -C ../server.git symbolic-ref {name} {target}");
            }
            Event::Commit { id, said } => {
                make(id);
                let label = world.told.label(id);
                let _ = writeln!(
                    text,
                    "git checkout -q --detach {label} && git reset -q --soft {label}~1 && yatsu-hook pre-commit   # {said}"
                );
            }
        }
    }
    text
}

fn make(world: &World, id: Oid, made: &mut BTreeSet<Oid>, text: &mut String) {
    let Ok(commit) = world.repo.find_commit(id) else { return };
    if !made.insert(id) {
        return;
    }
    commit.parent_ids().for_each(|parent| make(world, parent, made, text));
    let label = world.told.label(&id.to_string());
    let parents: Vec<String> = commit.parent_ids().map(|id| world.told.label(&id.to_string())).collect();
    match parents.split_first() {
        Some((first, others)) => {
            let _ = writeln!(text, "git checkout -q --detach {first}");
            if !others.is_empty() {
                let _ = writeln!(text, "git merge -q -s ours --no-commit {}", others.join(" "));
            }
        }
        None => text.push_str("git checkout -q --orphan first\n"),
    }
    let after = graph::state(&world.repo, id);
    let before = commit.parent_ids().next().map(|id| graph::state(&world.repo, id)).unwrap_or_default();
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        let _ = writeln!(text, "git rm -q {path}");
    }
    for (path, bytes) in after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)) {
        let dir = path.rsplit_once('/').map_or(".", |(dir, _)| dir);
        let content = String::from_utf8_lossy(bytes);
        let _ = match content.strip_prefix(LINK) {
            Some(to) => writeln!(text, "mkdir -p {dir} && ln -sfT {to} {path}"),
            None => writeln!(text, "mkdir -p {dir} && cat >{path} <<'EOF'\n{}\nEOF", content.trim_end_matches('\n')),
        };
    }
    let date = commit.time().seconds();
    let _ = writeln!(
        text,
        "git add -A && GIT_AUTHOR_DATE='{date} +0000' GIT_COMMITTER_DATE='{date} +0000' git commit -q --no-verify --allow-empty --cleanup=verbatim -m {label} && git tag {label}"
    );
}
