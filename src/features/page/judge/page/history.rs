//! The score over time: the commits that `log` lists for the page's selection.

use super::PageRequest;
use super::masked::Masker;
use crate::error::Result;
use crate::features::log::judge::{HistoryRequest, log};
use crate::features::page::model::page::HistoryStep;
use crate::repo::Repo;

/// The last commits that changed a state, the oldest first; none unless some were asked for. Commits that cannot be judged are
/// left out.
///
/// # Errors
/// As [`log`].
pub(super) fn history(repo: &Repo, request: &PageRequest, masker: &mut Masker) -> Result<Vec<HistoryStep>> {
    if request.history == 0 {
        return Ok(Vec::new());
    }
    let asked = HistoryRequest {
        names: request.nodes.clone(),
        tags: request.tags.clone(),
        from: None,
        to: request.rev.clone(),
        limit: Some(request.history),
        here: request.here.clone(),
    };
    let listed = log(repo, &asked)?.entries.into_iter().rev();
    let steps = listed.filter_map(|entry| {
        let score = entry.score.filter(|_| entry.unread.is_none())?;
        let subject = (!request.publishes).then(|| masker.text(&entry.subject));
        Some(HistoryStep { commit: entry.commit.to_string(), date: entry.date, subject, score })
    });
    Ok(steps.collect())
}
