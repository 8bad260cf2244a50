//! `evidence put`, `get`, `check`, `ls`: the evidence store alone.

use super::nodes;
use crate::app::progress::ProgressStep;
use crate::app::upkeep::evidence as keeping;
use crate::cli::args::record::EvidenceArgs;
use crate::cli::call::Call;
use crate::cli::progress::Progress;
use crate::cli::{Exit, receipt, stdio};
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::model::node::is_newer;
use crate::store::{Store, signals};
use std::path::Path;

/// `evidence`.
pub(super) fn evidence(call: Call<'_>, args: &EvidenceArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let store = call.store(&repo);
    match args {
        EvidenceArgs::Put { file } => {
            let store = store.of_newer_generation(is_newer(&nodes(&repo)?));
            let (hash, kind) = keeping::put(&store, call.source(&call.here()?, file)?)?;
            Ok(call.hand_over(&receipt::stored(&hash, kind), false, Exit::CLEAN))
        }
        EvidenceArgs::Get { hash, output } => get(call, &store, hash, output.as_deref()),
        EvidenceArgs::Ls => Ok(call.hand_over(&receipt::listed(&keeping::ls(&store)?), false, Exit::CLEAN)),
        EvidenceArgs::Check => {
            let nodes = nodes(&repo)?;
            let progress = Progress::start(call.global, ProgressStep::Work("hashing the evidence"));
            let checked = keeping::check(&store, &nodes)?;
            drop(progress);
            let exit = if checked.damage.is_empty() { Exit::CLEAN } else { Exit::BLOCKED };
            Ok(call.hand_over(&receipt::checked(&checked), false, exit))
        }
    }
}

fn get(call: Call<'_>, store: &Store, hash: &EvidenceHash, output: Option<&Path>) -> Result<Exit> {
    let Some(output) = output.filter(|output| *output != Path::new("-")) else {
        return keeping::get(store, hash, &mut stdio::Out).map(|_| Exit::CLEAN);
    };
    let path = call.here()?.join(output);
    let progress = Progress::start(call.global, ProgressStep::Work("copying"));
    let size = keeping::get_to_file(store, hash, &path)?;
    drop(progress);
    Ok(call.hand_over(&receipt::exported(hash, output, size), false, Exit::CLEAN))
}
