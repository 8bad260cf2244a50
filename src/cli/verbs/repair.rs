//! `repair`: mends the ledgers.

use crate::app::record::repair as recording;
use crate::cli::args::record::RepairArgs;
use crate::cli::call::Call;
use crate::cli::extra::{self, Extra};
use crate::cli::{Exit, clock};
use crate::error::Result;
use crate::store::signals;

/// `repair`. Exit code 1 means that a problem is left to a person.
pub(super) fn repair(call: Call<'_>, args: RepairArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let (dry_run, restore) = (args.dry_run, args.restore.as_deref());
    let others = extra::all(|extra| if let Extra::Mends(mend) = extra { Some(*mend) } else { None });
    let store = call.store(&repo);
    let mut mended = call.patiently(|| recording::repair(&site, &store, dry_run, restore, clock::now(), &others))?;
    for left in mended.ledgers.iter_mut().flat_map(|file| &mut file.left) {
        left.help = call.global.typed_here(&left.help);
    }
    let exit = if mended.ledgers.iter().all(|ledger| ledger.left.is_empty()) { Exit::CLEAN } else { Exit::BLOCKED };
    Ok(call.hand_over(&mended, exit))
}
