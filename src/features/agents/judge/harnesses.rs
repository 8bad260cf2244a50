//! Finds how a change weakens the hooks that run this program in the harnesses of coding agents. A change that touches no
//! file of a harness costs one comparison for each changed path.

use crate::app::judge::states::States;
use crate::app::judge::{Judging, Question, Ruling};
use crate::error::Result;
use crate::features::agents::model::harness::Harness;
use crate::features::agents::model::harness::calls::MAX_SETTINGS;
use crate::features::agents::model::harness::hook_state::{HookState, reader_of};
use crate::rules::{Change, Lowering};
use crate::tree::path::RepoPath;
use crate::tree::{Kind, Tree};

pub(crate) const JUDGING: Judging =
    Judging { concerns_file: |path| reader_of(path.as_bstr()).is_some(), change: weakened, ..Judging::NONE };

/// Compares the first base with the judged state.
///
/// # Errors
/// When a folder of a harness cannot be read.
fn weakened(question: &Question<'_>, _: &States, change: &mut Change<'_>) -> Result<Option<Ruling>> {
    let Some(base) = question.snapshot.bases.first() else { return Ok(None) };
    let files: Vec<_> = base.changed.iter().filter(|path| reader_of(path.as_bstr()).is_some()).collect();
    let is_touched = |harness: &Harness| files.iter().any(|path| harness.reads(path.as_bstr()));
    for harness in Harness::ALL.iter().copied().filter(is_touched) {
        let (before, now) = (state(harness, &*base.tree)?, state(harness, &*question.snapshot.view)?);
        change.lowered.extend(before.weakened(harness, &now).into_iter().map(|weaker| Lowering {
            file: weaker.file,
            what: weaker.what,
            instead: "yatsu-hook agent install",
        }));
    }
    Ok(None)
}

fn state(harness: Harness, tree: &dyn Tree) -> Result<HookState> {
    let mut state = HookState::default();
    for folder in harness.folders() {
        let folder = RepoPath::from_git(*folder);
        for (name, entry) in tree.children(&folder)? {
            let path = folder.child(&name);
            if !harness.reads(path.as_bstr()) || !matches!(entry.kind, Kind::File | Kind::Exec) {
                continue;
            }
            let is_small = tree.size_of(&path, &entry)?.is_some_and(|size| size <= MAX_SETTINGS as u64);
            let bytes = if is_small { tree.read_of(&path, &entry)? } else { None };
            state.add(harness, path, bytes.as_deref());
        }
    }
    Ok(state)
}
