//! Checks whether evidence sharing is configured and can work, without a connection. No diagnosis if sharing is off.

use crate::app::setup::doctor::{advice, broken, ok, or_unknown};
use crate::error::Result;
use crate::features::sharing::model::place::{ON_PUSH, SharePlace};
use crate::repo::Repo;
use crate::report::view::Diagnosis;
use std::path::Path;

/// The state of sharing, for `doctor`.
pub(crate) fn examined(repo: &Repo, _: &Path) -> Vec<Diagnosis> {
    or_unknown(diagnose(repo))
}

/// The state of sharing.
///
/// # Errors
/// When git's configuration cannot be read.
fn diagnose(repo: &Repo) -> Result<Vec<Diagnosis>> {
    let config = repo.config()?;
    let at_push = config.boolean(ON_PUSH)?.unwrap_or(false);
    let place = match SharePlace::configured(config) {
        Ok(Some(place)) => place,
        Ok(None) if at_push => {
            return Ok(vec![advice(
                "evidence is to go along with each push, and sharing is off",
                "yatsu-hook share on",
            )]);
        }
        Ok(None) => return Ok(Vec::new()),
        Err(error) => return Ok(vec![broken(error.message, "yatsu-hook share on PLACE")]),
    };
    let when = if at_push { ", along with each push" } else { "" };
    Ok(vec![match &place {
        SharePlace::Remote(name) if config.get(&format!("remote.{name}.url")).is_none() => {
            broken(format!("evidence is shared through {name}, which is no git remote here"), "yatsu-hook share on")
        }
        SharePlace::Directory(path) if !path.is_dir() => advice(
            format!("evidence is shared through {place}, which is away"),
            "mount it, or name another place: yatsu-hook share on PLACE",
        ),
        _ => ok(format!("evidence is shared through {place}{when}; {}", place.readers())),
    }])
}
