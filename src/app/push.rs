//! Pushed and received commits: each tip judged by its own tree, every new commit looked at for stray evidence.

use super::check::{self, Options};
use super::snapshot;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::path::RepoPath;
use crate::report::view::Report;

/// What `to` adds to the commit where it left `from`.
pub fn range(repo: &Repo, (from, to): (&str, &str), options: Options, paths: &[RepoPath]) -> Result<Report> {
    let missing =
        |error: Error| Error::unchecked(error.message).hint("git fetch --unshallow   (in CI: fetch-depth: 0)");
    let (from, to) = (repo.resolve(from).map_err(missing)?, repo.resolve(to)?);
    let fork = repo.merge_base(&from, &to)?;
    let snapshot = snapshot::commit(repo, "range", to, &[Some(fork.unwrap_or(from))])?;
    check::only(repo, &snapshot, options, paths)
}
