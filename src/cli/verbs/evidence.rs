//! `evidence put`, `get`, `check`, `ls`: the evidence store alone.

use super::nodes;
use crate::app::progress::ProgressStep;
use crate::app::upkeep::evidence as keeping;
use crate::cli::args::record::{EvidenceArgs, PieceKind};
use crate::cli::call::Call;
use crate::cli::progress::Progress;
use crate::cli::{Exit, clock, stdio};
use crate::error::Result;
use crate::model::ledger::EvidenceHash;
use crate::model::node::is_newer;
use crate::report::evidence as evidence_text;
use crate::report::view::receipt::{Exported, Stored};
use crate::store::{Store, signals};
use crate::text::shell::word;
use std::io::IsTerminal;
use std::path::Path;

pub(super) fn evidence(call: Call<'_>, args: &EvidenceArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let store = call.store(&repo);
    match args {
        EvidenceArgs::Put { file } => {
            let store = store.of_newer_generation(is_newer(&nodes(&repo)?));
            let (hash, kind) = keeping::put(&store, call.source(&call.here()?, file)?)?;
            Ok(call.hand_over(&Stored { hash: hash.to_string(), kind: kind.as_str() }, Exit::CLEAN))
        }
        EvidenceArgs::Get { piece, kind, output, force } => {
            let hash = keeping::which(&repo, &store, &nodes(&repo)?, piece, kind.map(PieceKind::as_str))?;
            match output.as_deref().filter(|output| *output != Path::new("-")) {
                Some(output) => to_file(call, &store, hash, output, *force),
                None if call.is_machine() => {
                    let bytes = keeping::get_whole(&store, &hash)?;
                    call.answer(|out| evidence_text::write_json(&hash.to_string(), &bytes, out))
                }
                None => print(&store, hash, &asked(piece, *kind)),
            }
        }
        EvidenceArgs::Ls => {
            let listed = keeping::ls(&store, &nodes(&repo)?, clock::now())?;
            let how = "no evidence here; a reading brings it: yatsu-hook eval NODE/SCENARIO --pass --result FILE";
            super::say_how(call, listed.evidence.is_empty(), how);
            Ok(call.hand_over(&listed, Exit::CLEAN))
        }
        EvidenceArgs::Check => {
            let nodes = nodes(&repo)?;
            let progress = Progress::start(call.global, ProgressStep::Work("hashing the evidence"));
            let checked = keeping::check(&store, &nodes)?;
            drop(progress);
            let exit = if checked.corrupt.is_empty() { Exit::CLEAN } else { Exit::BLOCKED };
            Ok(call.hand_over(&checked, exit))
        }
    }
}

/// The piece as the user typed it.
fn asked(piece: &str, kind: Option<PieceKind>) -> String {
    word(piece) + &kind.map(|kind| format!(" --kind {}", kind.as_str())).unwrap_or_default()
}

/// Prints a piece: the exact bytes to a pipe, escaped text to a terminal.
fn print(store: &Store, hash: EvidenceHash, asked: &str) -> Result<Exit> {
    if std::io::stdout().is_terminal() {
        let command = format!("yatsu-hook evidence get {asked} -o FILE");
        keeping::get_to_terminal(store, &hash, &mut stdio::Out, &command)?;
    } else {
        keeping::get(store, &hash, &mut stdio::Out)?;
    }
    Ok(Exit::CLEAN)
}

fn to_file(call: Call<'_>, store: &Store, hash: EvidenceHash, output: &Path, force: bool) -> Result<Exit> {
    let path = call.here()?.join(output);
    let progress = Progress::start(call.global, ProgressStep::Work("copying"));
    let size = keeping::get_to_file(store, &hash, &path, force)?;
    drop(progress);
    let exported = Exported { hash: hash.to_string(), path: output.to_string_lossy().into_owned(), size };
    Ok(call.hand_over(&exported, Exit::CLEAN))
}
