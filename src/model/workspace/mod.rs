//! All files of yatsu-hook in one view. Input: a tree and a configuration. Output: the nodes with the content of their
//! files. The mode of a file is checked before it is opened. A refused file is a problem of its node, an unreadable one is
//! an error.

mod catalog;
mod files;
mod hidden;
mod named;
mod parse_cache;
#[cfg(test)]
mod tests;

use crate::names::CONFIG_FILE;
pub(crate) use catalog::{NodeFiles, catalog, catalog_of, has_our_name, in_order, is_look_alike, is_ours};
pub(crate) use files::{kind_name, ledger};
pub(crate) use hidden::{Hidden, hidden};
pub(crate) use named::named_by_nodes;
pub(crate) use parse_cache::{NothingBefore, ParsedBefore, WholeLedgers};

use super::config::{self, Config};
use super::contract::Goal;
use super::ids::{self, composed};
use super::ledger::{Event, Ledger, Reading};
use super::node::{Node, Spec};
use super::resolve::{resolve_list, resolve_test};
use super::scenario::{Scenario, ScenarioFile};
use crate::error::{Error, Result};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};
use bstr::BStr;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// The nodes of one view.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// The settings of `spexcode.json`, or the defaults.
    pub config: Config,
    /// The loaded nodes, sorted by directory. A directory with only a ledger or a look-alike is included, so that it can be
    /// reported; its id is its leaf name.
    pub nodes: Vec<Node>,
}

impl Workspace {
    pub(crate) fn node(&self, dir: &RepoPath) -> Option<&Node> {
        self.nodes.binary_search_by(|node| node.dir.cmp(dir)).ok().map(|index| &self.nodes[index])
    }
}

/// The nodes to load. Ids are computed over all nodes in either case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Select {
    /// All nodes.
    All,
    /// The nodes in these directories.
    Dirs(BTreeSet<RepoPath>),
}

impl Select {
    fn holds(&self, dir: &RepoPath) -> bool {
        match self {
            Self::All => true,
            Self::Dirs(dirs) => dirs.contains(dir),
        }
    }
}

/// The configuration of a view; the defaults if it has none.
///
/// # Errors
/// Configuration, if the file is invalid or no regular file; unchecked, if it cannot be read.
pub fn read_config(tree: &dyn Tree) -> Result<Config> {
    read_config_with(tree, config::parse)
}

/// The same for the hooks of a coding agent's harness: a wrong value of `yatsu.agents` is its default.
///
/// # Errors
/// As [`read_config`], for every other key.
pub fn read_config_for_agents(tree: &dyn Tree) -> Result<Config> {
    read_config_with(tree, config::parse_for_agents)
}

fn read_config_with(tree: &dyn Tree, parse: fn(&[u8]) -> Result<Config>) -> Result<Config> {
    let path = RepoPath::from_git(CONFIG_FILE);
    match tree.kind(&path)? {
        None => Ok(Config::default()),
        Some(Kind::File | Kind::Exec) if tree.size(&path)?.is_some_and(|size| size > config::MAX_CONFIG as u64) => {
            Err(Error::config(format!("{CONFIG_FILE} is larger than {} bytes", config::MAX_CONFIG))
                .hint("shorten its lists: globs take the place of many paths"))
        }
        Some(Kind::File | Kind::Exec) => parse(&files::read(tree, &path)?),
        Some(kind) => Err(Error::config(format!("{CONFIG_FILE} is {}, not a file", files::kind_name(kind)))
            .hint(format!("replace {CONFIG_FILE} by a regular file, or remove it"))),
    }
}

/// Loads the selected nodes of a view, their governed paths resolved in it.
///
/// # Errors
/// When the tree cannot be read. Malformed files are problems inside the result.
pub fn load(tree: &dyn Tree, config: Config, select: &Select) -> Result<Workspace> {
    load_knowing(tree, config, select, &NothingBefore)
}

/// The same with a memory of parsed files.
///
/// # Errors
/// As [`load`].
pub(crate) fn load_knowing(
    tree: &dyn Tree,
    config: Config,
    select: &Select,
    before: &dyn ParsedBefore,
) -> Result<Workspace> {
    let all = catalog(tree, &config)?;
    let mut ids = mint_ids(all.iter(), &config).into_iter();
    let mut nodes = Vec::new();
    for files in all {
        let minted = if files.is_node() { ids.next() } else { None };
        if !select.holds(&files.dir) {
            continue;
        }
        nodes.push(load_named(Source { tree, config: &config, before }, &files, minted)?);
    }
    Ok(Workspace { config, nodes })
}

/// Every node of a view by name. A caller can load one node without reading the others.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    config: Config,
    /// Shared with the outlines of other trees, as the ids are.
    files: Vec<Rc<NodeFiles>>,
    ids: Rc<[Rc<MintedId>]>,
}

/// The id of a node, and the directories with the same id.
type MintedId = (String, Vec<RepoPath>);

/// One node of an outline: its files and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutlineRow(Rc<NodeFiles>, Rc<MintedId>);

impl OutlineRow {
    /// The directory of the node.
    pub(crate) fn dir(&self) -> &RepoPath {
        &self.0.dir
    }
}

impl Outline {
    /// The nodes, sorted by directory. Equal rows of two trees are nodes with the same files.
    pub(crate) fn rows(&self) -> impl Iterator<Item = OutlineRow> {
        self.files.iter().zip(&*self.ids).map(|(files, id)| OutlineRow(Rc::clone(files), Rc::clone(id)))
    }

    /// The nodes of `tree`; no file is read.
    ///
    /// # Errors
    /// When the tree cannot be listed.
    pub(crate) fn of(tree: &dyn Tree, config: Config) -> Result<Self> {
        let files = shared(catalog(tree, &config)?);
        Ok(Self::default().with(config, files))
    }

    /// The same after this outline of another tree, where the two trees differ at the `changed` paths alone.
    ///
    /// # Errors
    /// When the tree cannot be listed.
    pub(crate) fn next(&self, tree: &dyn Tree, config: Config, changed: &[RepoPath]) -> Result<Self> {
        let known = if config == self.config { catalog::next(&self.files, tree, &config, changed)? } else { None };
        let files = known.map_or_else(|| catalog(tree, &config).map(shared), Ok)?;
        Ok(self.with(config, files))
    }

    /// The outline of these files: where the nodes are those of this one, so are their ids.
    fn with(&self, config: Config, files: Vec<Rc<NodeFiles>>) -> Self {
        let is_same = |(one, other): (&Rc<NodeFiles>, &Rc<NodeFiles>)| {
            Rc::ptr_eq(one, other) || one.dir == other.dir && one.is_node() == other.is_node()
        };
        if config.roots == self.config.roots
            && files.len() == self.files.len()
            && files.iter().zip(&self.files).all(is_same)
        {
            return Self { config, files, ids: Rc::clone(&self.ids) };
        }
        let mut minted = mint_ids(files.iter().map(|files| &**files), &config).into_iter();
        // a directory that is no node gets no unique id, and does not affect other ids
        let mut own = |files: &NodeFiles| if files.is_node() { minted.next() } else { None };
        let ids = files.iter().map(|files| Rc::new(own(files).unwrap_or_else(|| leaf_id(files)))).collect();
        Self { config, files, ids }
    }

    /// The configuration by which the nodes were found.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The nodes with their directories and ids, and nothing else.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        let node = |OutlineRow(files, id)| {
            let (id, same_id) = MintedId::clone(&id);
            Node { dir: files.dir.clone(), id, same_id, ..Node::default() }
        };
        self.rows().map(node).collect()
    }

    /// The nodes in these directories alone, as [`load_knowing`] reads them.
    ///
    /// # Errors
    /// As [`load`].
    pub(crate) fn load_some(
        &self,
        tree: &dyn Tree,
        dirs: &BTreeSet<RepoPath>,
        before: &dyn ParsedBefore,
    ) -> Result<Workspace> {
        let source = Source { tree, config: &self.config, before };
        let named = self.files.iter().zip(&*self.ids).filter(|(files, _)| dirs.contains(&files.dir));
        let load = |(files, id): (&Rc<NodeFiles>, &Rc<MintedId>)| load_named(source, files, Some(MintedId::clone(id)));
        Ok(Workspace { config: self.config.clone(), nodes: named.map(load).collect::<Result<_>>()? })
    }

    /// The node in this directory, as [`load`] reads it; `None` if there is none.
    ///
    /// # Errors
    /// As [`load`].
    pub(crate) fn load(&self, tree: &dyn Tree, dir: &RepoPath) -> Result<Option<Node>> {
        let Ok(index) = self.files.binary_search_by(|files| files.dir.cmp(dir)) else { return Ok(None) };
        let source = Source { tree, config: &self.config, before: &NothingBefore };
        load_named(source, &self.files[index], Some(MintedId::clone(&self.ids[index]))).map(Some)
    }
}

/// Loads the nodes in these directories only. `others` are the directories of all other nodes, which are needed for the
/// ids. `None` as in [`catalog_of`].
///
/// # Errors
/// As [`load`].
pub(crate) fn load_alone(
    tree: &dyn Tree,
    config: Config,
    dirs: &BTreeSet<RepoPath>,
    others: &[&BStr],
) -> Result<Option<Workspace>> {
    let Some(found) = catalog_of(tree, &config, dirs)? else { return Ok(None) };
    let here: Vec<RepoPath> = found.iter().filter(|files| files.is_node()).map(|files| files.dir.clone()).collect();
    let mut ids = ids::mint_some(&here, others.iter().copied(), |dir| root_of(&config, dir)).into_iter();
    let mut nodes = Vec::new();
    for files in found {
        let minted = if files.is_node() { ids.next() } else { None };
        nodes.push(load_named(Source { tree, config: &config, before: &NothingBefore }, &files, minted)?);
    }
    Ok(Some(Workspace { config, nodes }))
}

fn root_of(config: &Config, dir: &RepoPath) -> RepoPath {
    config.root_of(dir).cloned().unwrap_or_default()
}

fn shared(files: Vec<NodeFiles>) -> Vec<Rc<NodeFiles>> {
    files.into_iter().map(Rc::new).collect()
}

fn mint_ids<'f>(all: impl Iterator<Item = &'f NodeFiles>, config: &Config) -> Vec<MintedId> {
    let nodes = all.filter(|files| files.is_node());
    ids::mint(&nodes.map(|files| (root_of(config, &files.dir), files.dir.clone())).collect::<Vec<_>>())
}

#[derive(Clone, Copy)]
struct Source<'s> {
    tree: &'s dyn Tree,
    config: &'s Config,
    before: &'s dyn ParsedBefore,
}

/// The node with its id; a directory that is no node gets its leaf name as the id.
fn load_named(source: Source<'_>, files: &NodeFiles, minted: Option<MintedId>) -> Result<Node> {
    let (id, same_id) = minted.unwrap_or_else(|| leaf_id(files));
    load_node(source, files, Node { id, same_id, ..Node::default() })
}

fn leaf_id(files: &NodeFiles) -> MintedId {
    (ids::leaf(&files.dir), Vec::new())
}

fn load_node(source: Source<'_>, files: &NodeFiles, named: Node) -> Result<Node> {
    let Source { tree, config, before } = source;
    let mut node = Node { dir: files.dir.clone(), look_alikes: files.look_alikes.clone(), ..named };
    if let Some(file) = &files.spec {
        node.spec = Some(resolve_spec(tree, files::spec(tree, file, before)?)?);
    }
    let second = if files.yatsu.is_some() { files.eval.as_ref() } else { None };
    node.second_file = second.map(|(path, _)| path.clone());
    if let Some(file) = files.yatsu.as_ref().or(files.eval.as_ref()) {
        let file = files::scenarios(tree, file, &config.scenario_tags, before)?;
        node.file = Some(resolve_scenarios(tree, file)?);
    }
    node.ledgers = ledgers(source, &files.ledgers, &node)?;
    Ok(node)
}

/// The ledgers of `node`; its other files are loaded already. The memory answers with the latest readings if no older
/// reading matters: there is only one ledger, no budget, no goal, no scenario that older runs may answer for, and the
/// ledger holds only declared scenarios and signatures.
fn ledgers(source: Source<'_>, files: &[catalog::File], node: &Node) -> Result<Vec<Ledger>> {
    let Source { tree, config, before } = source;
    let is_plain =
        |file: &&ScenarioFile| matches!(file.goal, Goal::Unset) && !file.scenarios.iter().any(Scenario::is_repeated);
    let declared = node.file.as_ref().filter(is_plain);
    let ([one], Some(declared), true) = (files, declared, config.budgets.is_unlimited()) else {
        return files.iter().map(|file| files::whole(tree, file, before)).collect();
    };
    let Some(latest) = files::latest(tree, one, before) else {
        return files::ledger_learnt(tree, one, before).map(|ledger| vec![ledger]);
    };
    let names: HashSet<_> = declared.scenarios.iter().map(|scenario| composed(&scenario.name)).collect();
    let is_declared = |reading: &Reading| names.contains(&composed(&reading.scenario));
    let all_declared = latest.lines.iter().all(|line| match &line.event {
        Event::Reading(of) => is_declared(of),
        event => matches!(event, Event::Signature(_)),
    });
    Ok(vec![if all_declared { latest } else { files::whole(tree, one, before)? }])
}

fn resolve_spec(tree: &dyn Tree, mut spec: Spec) -> Result<Spec> {
    resolve_list(tree, &mut spec.code)?;
    resolve_list(tree, &mut spec.related)?;
    Ok(spec)
}

fn resolve_scenarios(tree: &dyn Tree, mut file: ScenarioFile) -> Result<ScenarioFile> {
    for scenario in &mut file.scenarios {
        resolve_list(tree, &mut scenario.code)?;
        resolve_list(tree, &mut scenario.related)?;
        scenario.test.as_mut().map_or(Ok(()), |test| resolve_test(tree, test))?;
    }
    Ok(file)
}
