//! Objects that a partial clone leaves with its remote. A hook fetches nothing, so a node with such a file is not judged
//! there. Says which nodes these are, and the command that brings their files.

use crate::error::{Error, Result, remedy};
use crate::model::workspace::{self, NodeFiles};
use crate::repo::Repo;
use crate::repo::collect::is_partial;
use crate::text::{plural, shell};

/// Whether a file of a node is not in this clone.
///
/// # Errors
/// When the object database cannot be read.
pub(crate) fn is_absent(repo: &Repo, files: &NodeFiles) -> Result<bool> {
    let history = repo.history();
    let all = [&files.spec, &files.yatsu, &files.eval].into_iter().flatten().chain(&files.ledgers);
    for id in all.filter_map(|(_, entry)| entry.id) {
        if !history.has_content(&id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether `error` is about a missing object.
pub(crate) fn is_missing(error: &Error) -> bool {
    error.hints.iter().any(|hint| hint == remedy::MISSING)
}

/// Whether `error` is about an object that only the remote has. Elsewhere a missing object is damage.
pub(crate) fn is_promised(repo: &Repo, error: &Error) -> bool {
    is_missing(error) && repo.config().is_ok_and(is_partial)
}

/// `error`, with the command that brings a promised object in place of a hint that does not help there.
pub(crate) fn explained(repo: &Repo, mut error: Error) -> Error {
    if is_promised(repo, &error)
        && let Some(command) = bring_nodes(repo)
    {
        error.hints.retain(|hint| hint != remedy::MISSING);
        error.hints.insert(0, command);
    }
    error
}

/// The line about `count` nodes that were not judged.
pub(crate) fn note(repo: &Repo, count: usize) -> String {
    let command = bring_nodes(repo).map(|command| format!(": {command}")).unwrap_or_default();
    format!("not judged: {} (their files are not in this partial clone){command}", plural(count, "node"))
}

/// The command that checks out the directories of nodes, if a sparse checkout left them out. git fetches their files then.
fn bring_nodes(repo: &Repo) -> Option<String> {
    repo.config().ok()?.boolean("core.sparsecheckout").ok()?.filter(|is_sparse| *is_sparse)?;
    let head = repo.head().ok()??;
    let config = workspace::read_config(&*repo.commit_view(&head).ok()?).unwrap_or_default();
    let roots: Vec<String> = config.roots.iter().filter(|root| !root.is_root()).map(shell::place).collect();
    (!roots.is_empty()).then(|| format!("git sparse-checkout add {}", roots.join(" ")))
}
