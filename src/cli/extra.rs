//! What a feature adds to a single place of the core: one variant for each place.

use super::Exit;
use super::args::record::{EvalArgs, Input};
use super::call::Call;
use crate::app::doors::push::Remote;
use crate::app::doors::push::refs::Update;
use crate::app::progress::Tell;
use crate::app::record::repair::MendFiles;
use crate::app::setup::new::ReadScenarios;
use crate::app::upkeep::clean::{KeepEvidence, ProvenShared};
use crate::error::Result;
use crate::features;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::repo::Repo;
use crate::report::view::Diagnosis;
use crate::store::Store;
use crate::tree::path::RepoPath;
use std::path::Path;

/// What `clean --shared` asks about copies of evidence elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct ProvesCopies {
    /// Carries out the whole command in another way, if only that can ask there.
    pub(crate) instead: fn(Call<'_>, &Repo) -> Result<Option<Exit>>,
    /// The pieces that are provably there.
    pub(crate) proven: fn(&CopiesQuestion<'_>) -> Result<ProvenShared>,
}

/// For which evidence copies elsewhere are looked for.
pub(crate) struct CopiesQuestion<'a> {
    pub(crate) repo: &'a Repo,
    pub(crate) store: &'a Store,
    pub(crate) nodes: &'a [Node],
    pub(crate) tell: Tell<'a>,
    /// Whether a terminal is there to ask for a password.
    pub(crate) terminal: bool,
    pub(crate) now: Timestamp,
    /// Only what is older.
    pub(crate) grace_days: u32,
}

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
    /// The program without a verb: says below the score what to do next.
    SaysNext(fn(Call<'_>) -> Result<Exit>),
    /// `doctor`: examines the repository, and what else calls the program at this path. With its place among the others.
    Examines(u16, fn(&Repo, &Path) -> Vec<Diagnosis>),
    /// `clean --shared`: keeps evidence that is in use.
    KeepsEvidence(KeepEvidence),
    /// `pre-push`: follows on a clean push of these refs to this remote.
    FollowsPush(fn(Call<'_>, &Repo, &[Update], &Remote)),
    /// `clean --shared`.
    ProvesCopies(ProvesCopies),
    /// `repair`: mends files of its own.
    Mends(MendFiles),
    /// `share prune`: removes what else is old on a remote, or says what would go if the flag is set; a sentence about it.
    PrunesRemote(fn(Call<'_>, &Repo, &Store, bool) -> Result<Option<String>>),
}

/// What the rows add to one place; `pick` takes the variant of that place.
pub(crate) fn all<T>(pick: impl Fn(&'static Extra) -> Option<T>) -> Vec<T> {
    features::extras().filter_map(pick).collect()
}

/// What the first row adds to one place, which has room for one.
pub(crate) fn first<T>(pick: impl Fn(&'static Extra) -> Option<T>) -> Option<T> {
    features::extras().find_map(pick)
}
