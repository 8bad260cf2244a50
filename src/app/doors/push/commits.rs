//! The graph of the commits that a push brings. It finds the commits that each tip needs, and the known commits where
//! they start, which are the tip's bases. One git walk serves all refs; the rest happens in memory.

use crate::error::Result;
use crate::repo::Repo;
use crate::repo::program::{NewCommit, NewCommits};
use crate::tree::oid::Oid;
use std::collections::{HashMap, HashSet};

/// The new commits, parents before children.
pub(crate) struct Graph {
    commits: Vec<NewCommit>,
    index: HashMap<Oid, usize>,
    /// The number of the last visit of each commit.
    visited: Vec<u32>,
    visit: u32,
}

/// The new commits that one tip needs.
pub(crate) struct Part {
    /// Positions in the graph, ascending: parents before children.
    pub commits: Vec<usize>,
    /// The known commits that are parents of new ones, the newest first.
    pub edge: Vec<Oid>,
}

impl Graph {
    /// Builds the graph of the commits that git lists.
    pub(crate) fn of(repo: &Repo, wanted: &NewCommits) -> Result<Self> {
        Ok(Self::new(repo.new_commits(wanted)?))
    }

    fn new(commits: Vec<NewCommit>) -> Self {
        let index = commits.iter().enumerate().map(|(at, commit)| (commit.id, at)).collect();
        Self { visited: vec![0; commits.len()], visit: 0, commits, index }
    }

    /// The number of new commits.
    pub(crate) fn len(&self) -> usize {
        self.commits.len()
    }

    /// Whether the commit is new.
    pub(crate) fn has(&self, commit: &Oid) -> bool {
        self.index.contains_key(commit)
    }

    pub(crate) fn get(&self, at: usize) -> &NewCommit {
        &self.commits[at]
    }

    /// The new commits in the history of `tip`; empty if the receiving side has the tip.
    pub(crate) fn part(&mut self, tip: &Oid) -> Part {
        let mut commits: Vec<usize> = self.index.get(tip).copied().into_iter().collect();
        // A new visit number replaces clearing all marks, which would cost a pass over all new commits for every ref.
        self.visit += 1;
        commits.iter().for_each(|at| self.visited[*at] = self.visit);
        let mut next = 0;
        while let Some(at) = commits.get(next).copied() {
            next += 1;
            for parent in &self.commits[at].parents {
                if let Some(parent) = self.index.get(parent).copied()
                    && std::mem::replace(&mut self.visited[parent], self.visit) != self.visit
                {
                    commits.push(parent);
                }
            }
        }
        // Positions follow git's order, parents first. So `edge` finds the newest commits by going backwards, and a
        // walk over a part meets parents before children.
        commits.sort_unstable();
        let edge = self.edge(&commits);
        Part { commits, edge }
    }

    pub(crate) fn ids(&self, part: &Part) -> HashSet<Oid> {
        part.commits.iter().map(|at| self.get(*at).id).collect()
    }

    fn edge(&self, commits: &[usize]) -> Vec<Oid> {
        let mut seen = HashSet::new();
        let parents = commits.iter().rev().flat_map(|at| &self.commits[*at].parents);
        parents.filter(|parent| !self.index.contains_key(*parent) && seen.insert(**parent)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u8) -> Oid {
        Oid::from_bytes(&[number; 20]).unwrap()
    }

    fn graph(commits: &[(u8, &[u8])]) -> Graph {
        let commit = |(number, parents): &(u8, &[u8])| NewCommit {
            id: id(*number),
            parents: parents.iter().copied().map(id).collect(),
            tree: None,
        };
        Graph::new(commits.iter().map(commit).collect())
    }

    #[test]
    fn a_tip_has_its_part_and_its_edge() {
        // 1 and 2 are known; 5 merges 4 (on 2) into 3 (on 1); 6 has no parent
        let mut graph = graph(&[(3, &[1]), (4, &[2]), (5, &[3, 4]), (6, &[])]);
        let part = graph.part(&id(5));
        assert_eq!((part.commits, part.edge), (vec![0, 1, 2], vec![id(2), id(1)]));
        let part = graph.part(&id(4));
        assert_eq!((part.commits, part.edge), (vec![1], vec![id(2)]));
        let part = graph.part(&id(6));
        assert_eq!((part.commits, part.edge), (vec![3], vec![]));
        let part = graph.part(&id(1));
        assert!(part.commits.is_empty() && part.edge.is_empty(), "the other side has it");
    }
}
