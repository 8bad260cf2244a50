//! The gate's answer to a commit and to a push: everything that people see, so that two answers can be compared.

use super::hook_options;
use std::cell::Cell;
use yatsu_hook::app::doors::push::refs::Update;
use yatsu_hook::app::doors::push::{self, How, Remote};
use yatsu_hook::app::doors::scan::{self, ScanRequest};
use yatsu_hook::app::doors::{Commit, commit};
use yatsu_hook::app::judge::Options;
use yatsu_hook::app::judge::snapshot::MadeBy;
use yatsu_hook::app::judge::verdict::Reader;
use yatsu_hook::app::progress::ProgressStep;
use yatsu_hook::error::Error;
use yatsu_hook::repo::Repo;
use yatsu_hook::report::{Report, Summary};

/// A commit by a person.
pub(super) fn commit(briefly: bool) -> Commit<'static> {
    Commit { made_by: MadeBy::Person, briefly, busy: &|| () }
}

/// The gate's whole answer for people.
pub(super) fn said(repo: &Repo, briefly: bool) -> String {
    told(commit::judge(repo, hook_options(), commit(briefly)))
}

fn told(judged: Result<Report, Error>) -> String {
    match judged {
        Err(error) => format!("{error:?}"),
        Ok(report) => {
            let Summary { errors, warnings, infos, .. } = report.summary;
            let counts = (errors, warnings, infos);
            let listed = (report.findings, report.beyond);
            format!("{:?} {listed:#?} {:?} {counts:?}", report.verdict, report.notes)
        }
    }
}

/// The answer of a scan of the working tree for people.
pub(super) fn scanned(repo: &Repo) -> String {
    let options = Options { reader: Reader::Person, ..hook_options() };
    told(scan::scan(repo, &ScanRequest::default(), options))
}

/// The gate's answer to a push.
pub(super) struct Pushed {
    /// The whole answer for people.
    pub(super) said: String,
    /// Whether the memo was enough.
    pub(super) brief: bool,
    /// Whether there are findings.
    pub(super) loud: bool,
}

/// The side to which refs are pushed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// Another repository.
    There,
    /// This repository, which receives them.
    Here,
}

/// Asks the gate about one update of a ref elsewhere.
pub(super) fn pushed(repo: &Repo, update: &Update) -> Pushed {
    pushed_to(repo, Side::There, std::slice::from_ref(update))
}

/// Asks the gate about several.
pub(super) fn pushed_to(repo: &Repo, side: Side, updates: &[Update]) -> Pushed {
    let (whole, some) = (Cell::new(false), Cell::new(false));
    let tell = |step: ProgressStep| match step {
        ProgressStep::Count { what: "judging ref", .. } => whole.set(true),
        ProgressStep::Count { what: "looking at new commit", .. } => some.set(true),
        _ => {}
    };
    let how = How { options: hook_options(), progress: &tell, briefly: true };
    let judged = match side {
        Side::There => push::push(repo, updates, &Remote { name: None, url: None }, how),
        Side::Here => push::receive(repo, updates, how),
    };
    let loud = judged.as_ref().is_ok_and(|report| !report.is_silent());
    Pushed { said: told(judged), brief: some.get() && !whole.get(), loud }
}
