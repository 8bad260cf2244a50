//! What a feature adds to a single place of the core: one variant for each place.

use super::Exit;
use super::args::record::{EvalArgs, Input};
use super::call::Call;
use crate::app::record::repair::MendFiles;
use crate::app::setup::new::ReadScenarios;
use crate::error::Result;
use crate::repo::Repo;
use crate::report::view::Diagnosis;
use crate::store::Store;
use crate::tree::path::RepoPath;
use std::path::Path;

#[derive(Clone, Copy)]
pub(crate) enum Extra {
    /// `show --open`: shows a node, by default the one of the current directory, outside of the terminal.
    OpensNode(fn(Call<'_>, Option<&str>) -> Result<Exit>),
    /// `eval`: files many readings at once, if that was typed; `None` if one is filed by hand.
    FilesMany(fn(Call<'_>, &EvalArgs) -> Result<Option<Exit>>),
    /// `new --from-coverage`: reads what a measured run went through.
    ReadsRun(fn(Call<'_>, &Repo, &[Input]) -> Result<Vec<RepoPath>>),
    /// `new --from`: reads the scenarios in a file of another tool.
    ReadsScenarios(ReadScenarios),
    /// `doctor`: examines what else calls the program at this path.
    Examines(fn(&Repo, &Path) -> Vec<Diagnosis>),
    /// `repair`: mends files of its own.
    Mends(MendFiles),
    /// `share prune`: removes what else is old on a remote, or says what would go if the flag is set; a sentence about it.
    PrunesRemote(fn(Call<'_>, &Repo, &Store, bool) -> Result<Option<String>>),
}
