//! A range whose end does not descend from its start. It is judged from where they part, as a branch is that others went past:
//! what only the start has is none of its doing. But a log that the start went on with may as well have been rewritten, and
//! nobody can tell; so that is said.

use crate::app::judge::runlogs::{Content, content};
use crate::app::judge::snapshot::known_tree;
use crate::engine::history::broken;
use crate::error::Result;
use crate::model::runlog::place::{begins_like_a_log, place};
use crate::model::workspace;
use crate::repo::Repo;
use crate::tree::oid::Oid;

/// The ends of a range, and where they part.
pub(super) struct Ends {
    pub(super) from: Oid,
    pub(super) to: Oid,
    pub(super) base: Oid,
}

/// What is to be said of the run logs that the start has and the end does not go on with; nothing where it descends from it.
pub(super) fn told(repo: &Repo, Ends { from, to, base }: &Ends) -> Result<Option<String>> {
    if base == from {
        return Ok(None);
    }
    let [old, new, then] = [from, to, base].map(|commit| repo.commit_view(commit));
    let (old, new, then) = (old?, new?, then?);
    let config = workspace::read_config(&*new).unwrap_or_default();
    let mut found = Vec::new();
    for change in repo.tree_diff(Some(known_tree(repo, base)?), Some(known_tree(repo, from)?))? {
        let Some(place) = place(&change.path, &config) else { continue };
        let Some(Content::Bytes(before)) = content(&*old, &change.path)? else { continue };
        let now = content(&*new, &change.path)?;
        let goes_on = now.as_ref().and_then(Content::bytes).is_some_and(|now| broken(&before, now).is_none());
        // one that is older than both, and that the end did away with, is judged
        let is_new = now.is_some() || then.kind(&change.path)?.is_none();
        if !goes_on && is_new && (place.sure || begins_like_a_log(&before)) {
            found.push(change.path);
        }
    }
    let Some(first) = found.first() else { return Ok(None) };
    let more = if found.len() > 1 { format!(" (and {} more run logs)", found.len() - 1) } else { String::new() };
    let (from, to, base) = (from.short(), to.short(), base.short());
    Ok(Some(format!(
        "{first}{more} has lines in {from} that {to} lacks: {to} does not descend from {from} and was judged from {base}, where \
         they part; whether it is to take the place of {from} only a push can tell, which is judged against that"
    )))
}
