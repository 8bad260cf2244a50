//! Names for shell completion: nodes, scenarios, tags, runs, branches.

use crate::engine::redaction::Redactions;
use crate::error::Result;
use crate::model::reference::resolve_reference;
use crate::model::workspace::{self, Outline, Select};
use crate::repo::Repo;
use bstr::ByteSlice;
use std::collections::BTreeSet;

/// Which names are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OfferKind {
    /// The nodes, by id, or by directory if the user began to type one.
    Nodes {
        /// Whether the user types a directory.
        by_directory: bool,
    },
    /// The scenarios of one node, or of all nodes.
    Scenarios {
        /// The node as typed; `None` means all.
        node: Option<String>,
    },
    /// `lint.scenarioTags`.
    Tags,
    /// The runs that readings belong to.
    Runs,
    Branches,
}

/// The names, sorted, each once.
///
/// # Errors
/// If the repository cannot be read, or if the node does not exist.
pub(crate) fn offered(repo: &Repo, kind: &OfferKind) -> Result<BTreeSet<String>> {
    if *kind == OfferKind::Branches {
        let refs = repo.refs(b"refs/heads/")?;
        let names =
            refs.iter().filter_map(|(name, _)| name.strip_prefix(b"refs/heads/")?.to_str().ok().map(str::to_owned));
        return Ok(names.collect());
    }
    let view = repo.worktree_view()?;
    let config = workspace::read_config(&*view)?;
    if *kind == OfferKind::Tags {
        return Ok(config.scenario_tags.into_iter().collect());
    }
    if *kind == OfferKind::Runs {
        let nodes = workspace::load(&*view, config, &Select::All)?.nodes;
        let mut runs = BTreeSet::new();
        for node in &nodes {
            let redactions = Redactions::of(&node.ledgers);
            // a redacted line may stand again, and its words had to go
            let lines = node.ledgers.iter().flat_map(|ledger| &ledger.lines);
            let readings = lines.filter(|line| !redactions.cover(&line.bytes)).filter_map(|line| line.event.reading());
            runs.extend(readings.filter_map(|reading| reading.terms.run.as_ref()).map(ToString::to_string));
        }
        return Ok(runs);
    }
    let outline = Outline::of(&*view, config)?;
    let nodes = outline.nodes();
    match kind {
        OfferKind::Scenarios { node } => {
            let dirs = match node {
                Some(typed) => vec![nodes[resolve_reference(&nodes, typed)?].dir.clone()],
                None => nodes.iter().map(|node| node.dir.clone()).collect(),
            };
            let mut names = BTreeSet::new();
            for dir in dirs {
                let files = outline.load(&*view, &dir)?.and_then(|node| node.file);
                names.extend(files.into_iter().flat_map(|file| file.scenarios).map(|scenario| scenario.name));
            }
            Ok(names)
        }
        OfferKind::Nodes { by_directory: true } => Ok(nodes.iter().map(|node| node.dir.to_string()).collect()),
        _ => Ok(nodes.iter().map(crate::model::node::Node::argument).collect()),
    }
}
