//! What claims add to `share prune`.

use crate::cli::call::Call;
use crate::cli::clock;
use crate::error::Result;
use crate::features::claims::judge::shared::{BoardPatience, prune_remote};
use crate::repo::Repo;
use crate::store::Store;

/// `share prune`: the notes of claims that ended long ago.
pub(crate) fn prune_board(call: Call<'_>, repo: &Repo, store: &Store, dry_run: bool) -> Result<Option<String>> {
    let patience = BoardPatience { within: None, terminal: call.can_ask() };
    prune_remote(repo, store, patience, clock::now(), dry_run)
}
