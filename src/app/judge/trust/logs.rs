//! Git's answers about the history of scenarios, each asked once: `git rev-list` walks a whole history, and a score asks
//! about every signed scenario.

use crate::app::judge::remember;
use crate::app::memo::logs::{LogOf, LogsFile};
use crate::error::Result;
use crate::repo::Repo;
use crate::tree::oid::Oid;
use crate::tree::path::RepoPath;
use foldhash::HashMap;
use std::cell::RefCell;

/// Most commits that are searched.
const MOST_COMMITS: usize = 10_000;

/// The answers of this run and of earlier ones. What this run learned is stored at its end.
pub(crate) struct LogBook<'r> {
    repo: &'r Repo,
    known: LogsFile,
    learned: RefCell<HashMap<LogOf, Vec<Oid>>>,
}

impl<'r> LogBook<'r> {
    /// Starts with the stored answers.
    pub(super) fn new(repo: &'r Repo) -> Self {
        Self { repo, known: remember::logs_file(repo), learned: RefCell::default() }
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
    fn drop(&mut self) {
        remember::leave_logs(self.repo, &self.known, &self.learned.borrow());
    }
}
