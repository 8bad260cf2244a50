//! The score over time: the commits that `log` lists for the page's selection.

use super::PageRequest;
use super::masked::Masker;
use crate::error::{ErrorKind, Result};
use crate::features::log::{HistoryRequest, log};
use crate::features::page::model::page::{HistoryStep, PageContent};
use crate::repo::Repo;

/// Adds the last commits that changed a state, the oldest first, if some were asked for. Commits that cannot be judged are left
/// out. The page is about one state, so it is made, too, where the states before cannot be read: it says why.
///
/// # Errors
/// When the program is at fault.
pub(super) fn add(repo: &Repo, request: &PageRequest, content: &mut PageContent, masker: &mut Masker) -> Result<()> {
    if request.history == 0 {
        return Ok(());
    }
    let asked = HistoryRequest {
        names: request.nodes.clone(),
        tags: request.tags.clone(),
        from: None,
        to: request.rev.clone(),
        limit: Some(request.history),
        here: request.here.clone(),
    };
    let answer = match log(repo, &asked) {
        Ok(answer) => answer,
        // a partial clone, a configuration that only the work tree has mended, a node that no commit has
        Err(error) if matches!(error.kind, ErrorKind::Unchecked | ErrorKind::Config | ErrorKind::Usage) => {
            content.no_history = Some(masker.text(&error.message));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let steps = answer.entries.into_iter().rev().filter(|entry| entry.is_of_state());
    let steps = steps.filter_map(|entry| {
        let subject = (!request.publishes).then(|| masker.text(&entry.subject));
        Some(HistoryStep { commit: entry.commit.to_string(), date: entry.date, subject, score: entry.score? })
    });
    content.history = steps.collect();
    Ok(())
}
