//! The checking verbs, carried out: a request becomes a snapshot, a check, a printed report.

use super::deadline::Deadline;
use super::global::{Global, Verbosity};
use super::outcome::{VerbKind, emit};
use super::progress::Progress;
use super::request::{Changed, CheckRequest, CheckScope, Hook, HookRequest, ScanRequest, ScanView, ValidateRequest};
use super::{Exit, clock, push};
use crate::app::doors::Commit;
use crate::app::doors::check;
use crate::app::doors::commit;
use crate::app::doors::scan;
use crate::app::doors::scan::{ScoredContent, Since};
use crate::app::doors::validate;
use crate::app::judge::Options;
use crate::app::judge::snapshot;
use crate::app::judge::snapshot::Snapshot;
use crate::app::judge::verdict::Reader;
use crate::app::progress::ProgressStep;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::open::env::Env;
use crate::report::{Format, Report, ScopeMode};
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a verb is carried out with.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    /// Where.
    pub(super) dir: &'a Path,
    /// Which sort of verb.
    pub(super) kind: VerbKind,
    /// How to print.
    pub(super) global: &'a Global,
}

impl Call<'_> {
    /// The repository.
    pub(super) fn repo(&self) -> Result<Repo> {
        Repo::open(&Env::from_process(), &self.here()?)
    }

    /// Where the user stands, absolute.
    pub(super) fn here(&self) -> Result<PathBuf> {
        let here =
            std::env::current_dir().map_err(|error| Error::unchecked(format!("the current directory: {error}")))?;
        let here = if self.dir == Path::new(".") { here } else { here.join(self.dir) };
        here.canonicalize().map_err(|error| Error::usage(format!("{}: {error}", here.display())))
    }

    /// What was typed as a path, as a path of the repository. In a bare one there is no place to stand in: paths are
    /// those of the commit.
    pub(super) fn in_repository(&self, repo: &Repo, typed: &Path) -> Result<RepoPath> {
        let (top, absolute) = match &repo.work_dir {
            Some(top) => (top.canonicalize().unwrap_or_else(|_| top.clone()), self.here()?.join(typed)),
            None => (PathBuf::new(), typed.to_owned()),
        };
        let below = absolute.strip_prefix(&top).map(|path| path.as_os_str().as_bytes());
        match below.unwrap_or(absolute.as_os_str().as_bytes()) {
            b"" => Ok(RepoPath::root()),
            text => RepoPath::parse(text)
                .map_err(|problem| Error::usage(format!("{} {}", text.as_bstr(), problem.as_str()))),
        }
    }

    /// Where the user stands, as a directory of the repository; its top where they stand elsewhere.
    pub(super) fn standing(&self, repo: &Repo) -> RepoPath {
        self.in_repository(repo, Path::new(".")).unwrap_or_default()
    }

    fn options(&self, strict: bool, reader: Reader) -> Options {
        let reader = match (reader, self.global.verbosity) {
            (Reader::Hook, Verbosity::Verbose) => Reader::VerboseHook,
            (reader, _) => reader,
        };
        Options { strict, now: clock::now(), reader, reads_files: true }
    }

    /// Judges, and shows that it is at work when it takes long.
    pub(super) fn patiently(&self, judge: impl FnOnce() -> Result<Report>) -> Result<Report> {
        let _progress = Progress::start(self.global, ProgressStep::Work("judging what is there"));
        judge()
    }

    /// Prints a report.
    pub(super) fn emit(&self, report: Report) -> Exit {
        emit(report, self.kind, self.global)
    }
}

/// A hook.
pub(super) fn hook(call: Call<'_>, request: &HookRequest) -> Result<Exit> {
    let repo = call.repo()?;
    let options = call.options(request.strict, Reader::Hook);
    let silently = call.global.format == Format::Human && options.reader == Reader::Hook;
    let deadline = Deadline::new();
    let busy = || deadline.watch(call);
    let before_commit = |clean_merge| commit::judge(&repo, options, Commit { clean_merge, silently, busy: &busy });
    let report = match &request.hook {
        Hook::PreCommit => before_commit(false)?,
        Hook::PreMergeCommit => before_commit(true)?,
        Hook::Untold => call.patiently(|| check::check(&repo, &snapshot::staged_or_index(&repo)?, options))?,
        Hook::PrePush { remote, url } => {
            return push::pre_push(call, &repo, remote.as_deref(), url.as_deref(), options);
        }
        Hook::PushedRange(range) => return push::pushed_range(call, &repo, range, options),
        Hook::Range { from, to } => push::range(call, &repo, (from, to), options, &[])?,
        Hook::PreReceive => return push::pre_receive(call, &repo, options),
    };
    let exit = call.emit(report);
    deadline.met();
    Ok(exit)
}

/// `check`.
pub(super) fn check(call: Call<'_>, request: &CheckRequest) -> Result<Exit> {
    let repo = call.repo()?;
    let paths = request.paths.iter().map(|path| call.in_repository(&repo, path)).collect::<Result<Vec<_>>>()?;
    let options = call.options(request.strict, Reader::Person);
    let one =
        |snapshot: &dyn Fn() -> Result<Snapshot>| call.patiently(|| check::only(&repo, &snapshot()?, options, &paths));
    let report = match &request.scope {
        CheckScope::All => one(&|| snapshot::all(&repo))?,
        CheckScope::Staged => one(&|| snapshot::staged(&repo, false))?,
        CheckScope::Rev(rev) => one(&|| snapshot::commit(&repo, ScopeMode::Rev, repo.resolve(rev)?, &[]))?,
        CheckScope::Range { from, to, older } => {
            let options = Options { reader: Reader::Range(*older), ..options };
            push::range(call, &repo, (from, to), options, &paths)?
        }
    };
    Ok(call.emit(report))
}

/// `scan`.
pub(super) fn scan(call: Call<'_>, request: &ScanRequest) -> Result<Exit> {
    let repo = call.repo()?;
    let asked = scan::ScanRequest {
        of: match &request.view {
            ScanView::WorkTree => ScoredContent::WorkTree,
            ScanView::Staged => ScoredContent::Staged,
            ScanView::Rev(rev) => ScoredContent::Rev(rev.clone()),
        },
        since: match &request.changed {
            Changed::All => Since::Ever,
            Changed::SinceMain => Since::Main,
            Changed::Since(rev) => Since::Rev(rev.clone()),
        },
        tags: request.tags.clone(),
        nodes: request.nodes.clone(),
        here: call.standing(&repo),
        counts: call.global.verbosity == Verbosity::Verbose,
    };
    let options = call.options(request.strict, Reader::Person);
    let report = call.patiently(|| scan::scan(&repo, &asked, options))?;
    Ok(call.emit(report))
}

/// What `scan` finds in the whole working tree.
pub(super) fn score(call: Call<'_>) -> Result<Report> {
    let asked = scan::ScanRequest::default();
    scan::scan(&call.repo()?, &asked, call.options(false, Reader::Person))
}

/// `validate`.
pub(super) fn validate(call: Call<'_>, request: &ValidateRequest) -> Result<Exit> {
    let repo = call.repo()?;
    let paths = request.paths.iter().map(|path| call.in_repository(&repo, path)).collect::<Result<Vec<_>>>()?;
    let options = call.options(request.strict, Reader::Person);
    Ok(call.emit(validate::validate(&repo, &paths, options)?))
}
