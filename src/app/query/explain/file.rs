//! What a file is to yatsu-hook, for example a ledger of a node, or a file that a scenario governs.

use crate::app::judge::snapshot;
use crate::app::query::impact::impact;
use crate::error::Result;
use crate::model::node::Node;
use crate::model::workspace::{self, Select};
use crate::names::{self, CONFIG_FILE, SPEC};
use crate::repo::Repo;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::ByteSlice;

/// Most scenarios that the answer names.
const NAMED: usize = 10;

/// The lines about `path`; `None` if the path does not exist.
///
/// # Errors
/// When the repository cannot be read.
pub(crate) fn explain_file(repo: &Repo, path: &RepoPath) -> Result<Option<Vec<String>>> {
    let view = snapshot::all(repo)?.view;
    let Some(kind) = view.kind(path)? else { return Ok(None) };
    let config = workspace::read_config(&*view)?;
    let is_root = config.roots.contains(path);
    let nodes = workspace::load(&*view, config, &Select::All)?.nodes;
    let node = nodes.iter().find(|node| Some(&node.dir) == path.parent().as_ref() || node.dir == *path);
    let what = match node {
        _ if *path.as_bstr() == CONFIG_FILE => "the configuration of yatsu-hook".to_owned(),
        Some(node) => own(node, path, kind),
        None if is_root => "a root: nodes lie below it".to_owned(),
        None => plain(kind).to_owned(),
    };
    let shown = if path.is_root() { ".".to_owned() } else { path.to_string() };
    let mut lines = vec![format!("{}: {what}", echo(&shown))];
    lines.extend(unseen(&*view, path)?);
    let by = impact(repo, std::slice::from_ref(path), &mut || false)?;
    if by.is_empty() {
        lines.push("governed by no scenario".to_owned());
    }
    for row in by.iter().take(NAMED) {
        lines.push(format!("governed by {}/{} ({})", row.node.id, row.scenario, row.state.as_str()));
    }
    if by.len() > NAMED {
        lines.push(format!("and by {} more: yatsu-hook impact {shown}", by.len() - NAMED));
    }
    Ok(Some(lines))
}

/// What the file or directory `path` is to its node, in words.
fn own(node: &Node, path: &RepoPath, kind: Kind) -> String {
    let (name, id) = (path.name(), &node.id);
    let declares = |node: &Node| {
        let names = node.scenarios().iter().map(|scenario| scenario.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    if node.dir == *path {
        return format!("the directory of node {id}; scenarios: {}", declares(node));
    }
    if node.file.as_ref().is_some_and(|file| file.path == *path) {
        return format!("the scenario file of node {id}; it declares: {}", declares(node));
    }
    if name == SPEC.as_bytes().as_bstr() {
        return format!("the spec file of node {id}");
    }
    if names::is_segment(name) {
        return format!("a segment of the ledger of node {id}: readings, until `yatsu-hook fold` moves them");
    }
    if names::is_like_segment(name) {
        return format!("not read: no segment of the ledger of node {id} has such a name");
    }
    match names::is_trunk(name) {
        true => format!("a ledger of node {id}: readings, only appended to"),
        false => format!("{} in the directory of node {id}", plain(kind)),
    }
}

fn plain(kind: Kind) -> &'static str {
    match kind {
        Kind::File | Kind::Exec => "a file",
        Kind::Link => "a symbolic link",
        Kind::Submodule => "a submodule",
        Kind::Dir => "a directory",
    }
}

/// A line that says why git does not track the path; `None` if git tracks it.
fn unseen(view: &dyn Tree, path: &RepoPath) -> Result<Option<String>> {
    if !view.is_untracked(path)? {
        return Ok(None);
    }
    let ignored = view.ignored(std::slice::from_ref(path))?;
    Ok(Some(match ignored.first() {
        Some(ignored) => format!("git ignores it, by {}", ignored.rule.words()),
        None => "git does not track it yet".to_owned(),
    }))
}
