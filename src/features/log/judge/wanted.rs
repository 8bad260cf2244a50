//! Which scenarios a question is about, by their names and tags. A name that the newest commit does not have may be one of an
//! older commit.

use super::HistoryRequest;
use super::states::CommitStates;
use crate::app::judge::branch;
use crate::app::site::{NamedPlace, Selection, pick_alone, pick_named, refuse_unknown_tags};
use crate::error::{Error, Result};
use crate::features::log::model::StateChange;
use crate::model::config::Config;
use crate::model::node::Node;
use crate::model::scenario::Scenario;
use crate::repo::Repo;
use crate::text::escape::echo;
use crate::text::shell;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;

/// The selection, as far as it is known.
pub(super) struct WantedScenarios<'r> {
    repo: &'r Repo,
    tags: Vec<String>,
    /// The tags that no walked configuration lists, each with the error of the newest one.
    unlisted: Vec<(String, Error)>,
    here: RepoPath,
    /// Whether no name was given.
    is_unnamed: bool,
    places: Vec<NamedPlace>,
    /// The words that were not found yet, each with the error of the newest commit.
    sought: Vec<(String, Error)>,
}

/// The error for two dots between revisions; `None` if the word is no range.
fn range(repo: &Repo, word: &str) -> Option<Error> {
    let (from, to) = word.split_once("..")?;
    let to = to.trim_start_matches('.');
    let is_revision = |side: &str| !side.is_empty() && repo.resolve(side).is_ok();
    if !is_revision(from) && !is_revision(to) {
        return None;
    }
    let flag = |name: &str, rev: &str| if rev.is_empty() { String::new() } else { format!(" {name} {}", echo(rev)) };
    let hint = format!("yatsu-hook log{}{}", flag("--from", from), flag("--to", to));
    Some(Error::usage("a range is not named by two dots here").hint(hint))
}

impl<'r> WantedScenarios<'r> {
    /// Looks the names up in the newest commit.
    ///
    /// # Errors
    /// Usage, if a word can name nothing in any commit.
    pub(super) fn of(repo: &'r Repo, request: &HistoryRequest, newest: &CommitStates) -> Result<Self> {
        let HistoryRequest { names, tags, here, .. } = request;
        let refused = |tag: &String| {
            let refused = refuse_unknown_tags(newest.config(), std::slice::from_ref(tag));
            refused.err().map(|error| (tag.clone(), error))
        };
        let unlisted = tags.iter().filter_map(refused).collect();
        let (tags, here, is_unnamed) = (tags.clone(), here.clone(), names.is_empty());
        let mut found = Self { repo, tags, unlisted, here, is_unnamed, places: Vec::new(), sought: Vec::new() };
        let nodes: Vec<Node> = if names.is_empty() { Vec::new() } else { newest.nodes().cloned().collect() };
        for name in names {
            match pick_named(&nodes, Some(name), &found.here, || branch::touched(repo, &nodes)) {
                Ok((node, only)) => found.places.push((node.dir.clone(), only.map(|only| only.name.clone()))),
                Err(error) if matches!(&**name, "." | "./") => return Err(error),
                Err(error) => match range(repo, name) {
                    Some(range) => return Err(range),
                    None => found.sought.push((name.clone(), found.hinted(error, name, newest.tree)?)),
                },
            }
        }
        Ok(found)
    }

    /// A word that is a path and names no node was meant for another command.
    fn hinted(&self, error: Error, name: &str, tree: Oid) -> Result<Error> {
        let Ok(path) = RepoPath::parse(name.as_bytes()) else { return Ok(error) };
        let is_there = self.repo.tree_view(Some(tree)).entry(&path)?.is_some();
        Ok(match is_there {
            true => {
                error.hint(format!("what an edit of a file makes stale: yatsu-hook impact {}", shell::place(&path)))
            }
            false => error,
        })
    }

    /// Whether the scenario of the node is asked for.
    pub(super) fn has(&self, node: &Node, scenario: &Scenario) -> bool {
        self.has_place(&node.dir, &scenario.name) && self.has_tag(&scenario.tags)
    }

    /// Whether no name and no tag selects.
    pub(super) fn is_everything(&self) -> bool {
        self.is_unnamed && self.tags.is_empty()
    }

    /// Whether every name and every tag was found in a walked commit.
    pub(super) fn are_found(&self) -> bool {
        self.sought.is_empty() && self.unlisted.is_empty()
    }

    /// Takes the tags that an older configuration lists.
    pub(super) fn learn_tags(&mut self, config: &Config) {
        self.unlisted.retain(|(tag, _)| refuse_unknown_tags(config, std::slice::from_ref(tag)).is_err());
    }

    fn has_place(&self, dir: &RepoPath, name: &str) -> bool {
        // a selection of no places would be everything
        self.is_unnamed || !self.places.is_empty() && Selection::at(self.places.clone()).has(dir, name)
    }

    fn has_tag(&self, tags: &[String]) -> bool {
        self.tags.is_empty() || tags.iter().any(|tag| self.tags.contains(tag))
    }

    /// The changes that are asked for, of all those since the states `below`. Before a rename a scenario is asked for under
    /// its older name, too.
    ///
    /// # Errors
    /// When the older tree cannot be read.
    pub(super) fn of_changes(
        &mut self,
        mut changes: Vec<StateChange>,
        below: &CommitStates,
    ) -> Result<Vec<StateChange>> {
        if !self.sought.is_empty() && changes.iter().any(|change| change.is.is_none() || change.from.is_some()) {
            self.seek(below)?;
        }
        let mut older = Vec::new();
        changes.retain(|change| {
            let is_here = self.has_place(&RepoPath::from_git(change.node.dir.clone()), &change.scenario);
            let was_here = change.from.as_ref().is_some_and(|from| self.has_place(&from.dir, &from.name));
            if is_here && !was_here {
                older.extend(change.from.iter().map(|from| (from.dir.clone(), Some(from.name.clone()))));
            }
            (is_here || was_here) && self.has_tag(&change.tags)
        });
        self.places.extend(older);
        Ok(changes)
    }

    /// Looks the words that are still sought up in an older commit.
    fn seek(&mut self, older: &CommitStates) -> Result<()> {
        let view = self.repo.tree_view(Some(older.tree));
        let (places, here) = (&mut self.places, &self.here);
        self.sought.retain(|(word, _)| {
            let place = pick_alone(&older.outline, &*view, Some(word), here);
            let is_found = place.is_some();
            places.extend(place);
            !is_found
        });
        Ok(())
    }

    /// Refuses a name or a tag that no walked commit knows.
    ///
    /// # Errors
    /// As the newest commit refuses it.
    pub(super) fn refuse_unknown(&mut self) -> Result<()> {
        self.unlisted.drain(..).chain(self.sought.drain(..)).next().map_or(Ok(()), |(_, error)| Err(error))
    }
}
