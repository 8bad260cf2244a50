//! What the words of a command name.

use crate::error::Result;
use crate::model::ids::same_name;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::tree::path::RepoPath;
use std::collections::BTreeSet;

/// The directory of a node, and the name of a scenario of it; without a name all of the node.
pub(crate) type NamedPlace = (RepoPath, Option<String>);

/// The nodes and scenarios that the user named; without a word everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection(Vec<NamedPlace>);

impl Selection {
    /// Finds what each word names, with `find`.
    ///
    /// # Errors
    /// The errors of `find`.
    pub(crate) fn of<'n>(
        words: &[String],
        find: impl Fn(&str) -> Result<(&'n Node, Option<&'n Scenario>)>,
    ) -> Result<Self> {
        let one = |word: &String| {
            let (node, scenario) = find(word)?;
            Ok((node.dir.clone(), scenario.map(|scenario| scenario.name.clone())))
        };
        words.iter().map(one).collect::<Result<_>>().map(Self)
    }

    /// What words were found to name.
    pub(crate) fn at(places: Vec<NamedPlace>) -> Self {
        Self(places)
    }

    /// What the first word names.
    pub(crate) fn first(&self) -> Option<&NamedPlace> {
        self.0.first()
    }

    /// The directories of the named nodes.
    pub(crate) fn dirs(&self) -> BTreeSet<RepoPath> {
        self.0.iter().map(|(dir, _)| dir.clone()).collect()
    }

    /// Whether no word was typed.
    pub(crate) fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the node in `dir`, or a scenario of it, was named.
    pub(crate) fn has_node(&self, dir: &RepoPath) -> bool {
        self.is_everything() || self.0.iter().any(|(named, _)| named == dir)
    }

    /// Whether this scenario, or all of its node, was named.
    pub(crate) fn has(&self, dir: &RepoPath, scenario: &str) -> bool {
        let is_it =
            |(named, only): &NamedPlace| named == dir && only.as_ref().is_none_or(|only| same_name(only, scenario));
        self.is_everything() || self.0.iter().any(is_it)
    }
}
