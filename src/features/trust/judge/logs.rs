//! Git's answers about the history of scenarios, each asked once: `git rev-list` walks a whole history, and a score asks
//! about every signed scenario.

use crate::app::judge::remember;
use crate::app::memo;
use crate::error::Result;
use crate::features::trust::judge::logs_memo::{LogOf, LogsFile, encode};
use crate::repo::Repo;
use crate::store::memo::MemoKind;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::cell::RefCell;

/// Most commits that are searched.
const MOST_COMMITS: usize = 10_000;
/// Most remembered answers, and most commits of one; a longer answer is asked for again.
const MOST_LOGS: usize = 1 << 12;
const MOST_OF_A_LOG: usize = 1 << 8;

/// The answers of this run and of earlier ones. What this run learned is stored at its end.
pub(crate) struct LogBook<'r> {
    repo: &'r Repo,
    known: LogsFile,
    learned: RefCell<HashMap<LogOf, Vec<Oid>>>,
}

impl<'r> LogBook<'r> {
    /// Starts with the stored answers.
    pub(super) fn new(repo: &'r Repo) -> Self {
        let known = LogsFile::at(memo::path(MemoKind::Logs, &repo.common_dir));
        Self { repo, known, learned: RefCell::default() }
    }

    /// The commits behind `tip` and not behind `excluded` that touched `paths`, newest first; `None` if they are too many.
    pub(super) fn touching(&self, tip: &Oid, excluded: &[Oid], paths: &[RepoPath]) -> Result<Option<Vec<Oid>>> {
        let of = LogOf::new(tip, excluded, paths);
        if let Some(known) = self.learned.borrow().get(&of).or_else(|| self.known.all().get(&of)) {
            return Ok(Some(known.clone()));
        }
        let found = self.repo.log(tip, excluded, paths, MOST_COMMITS)?;
        if let Some(found) = &found {
            self.learned.borrow_mut().insert(of, found.clone());
        }
        Ok(found)
    }
}

impl Drop for LogBook<'_> {
    /// Stores the answers of this run, and the older ones if they are not too many. Quarantined commits may never arrive.
    fn drop(&mut self) {
        let learned = self.learned.borrow();
        let mut all: Vec<_> = learned.iter().filter(|(_, commits)| commits.len() <= MOST_OF_A_LOG).collect();
        if all.is_empty() || self.repo.is_quarantined() {
            return;
        }
        all.extend(self.known.all().iter().filter(|(of, _)| !learned.contains_key(of)));
        all.truncate(MOST_LOGS);
        all.sort_by_key(|(of, _)| *of);
        encode(&all).iter().for_each(|bytes| remember::replace(self.repo, MemoKind::Logs, bytes));
    }
}
