//! One call of a verb: its directory, its style of printing, and the steps that several verbs share.

use super::emit::{VerbKind, emit};
use super::global::{Global, Verbosity};
use super::progress::Progress;
use super::{Exit, clock, parsing, stdio};
use crate::app::judge::Options;
use crate::app::judge::verdict::Reader;
use crate::app::progress::ProgressStep;
use crate::app::site::real::Real;
use crate::error::{Error, Result};
use crate::repo::Repo;
use crate::repo::open::env::Env;
use crate::report::receipt::{Receipt, write_json};
use crate::report::{Format, Report};
use crate::store::Store;
use crate::sys;
use crate::text::escape;
use crate::tree::path::RepoPath;
use bstr::ByteSlice;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// The hint for a path that does not exist.
pub(crate) const FROM_HERE: &str = "a path is relative to the current directory, or to the directory of -C";

/// The surroundings in which a verb runs.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The directory of the call: `-C`, otherwise `.`.
    pub(crate) dir: &'a Path,
    pub(crate) kind: VerbKind,
    pub(crate) global: &'a Global,
}

impl Call<'_> {
    /// The repository around the call's directory. Fails if there is none, or if neither reader can read it.
    pub(crate) fn repo(&self) -> Result<Repo> {
        let repo = Repo::open(&Env::from_process(), &self.here()?)?;
        repo.read_units_by(parsing::patient());
        self.global.is_about(&repo);
        Ok(repo)
    }

    /// The store for the data of that repository.
    pub(crate) fn store(&self, repo: &Repo) -> Store {
        Store::new(&repo.common_dir).shared_by(repo.shared)
    }

    /// Whether a connection may ask for a password: only at a terminal.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// The call's directory as an absolute path.
    pub(crate) fn here(&self) -> Result<PathBuf> {
        let here = sys::working_directory().map_err(|error| {
            Error::unchecked(format!("the current directory cannot be found out: {error}"))
                .hint("go to a directory that is still there, then run the same command again")
        })?;
        if self.dir == Path::new(".") {
            // the system's path is absolute and has no links
            return Ok(here);
        }
        let here = here.join(self.dir);
        sys::canonical(&here).map_err(|error| Error::usage(format!("{}: {error}", here.display())).hint(FROM_HERE))
    }

    /// A typed path as a path of the repository. A bare repository has no current directory, so there a typed path counts
    /// from the top of the commit.
    pub(crate) fn in_repository(&self, repo: &Repo, typed: &Path) -> Result<RepoPath> {
        let (top, absolute) = match &repo.work_dir {
            Some(top) => (sys::canonical(top).unwrap_or_else(|_| top.clone()), self.here()?.join(typed)),
            None => (PathBuf::new(), typed.to_owned()),
        };
        let below = absolute.strip_prefix(&top).unwrap_or(&absolute);
        match &*sys::git_bytes(below) {
            b"" => Ok(RepoPath::root()),
            text => RepoPath::parse(text)
                .map_err(|problem| Error::usage(format!("{} {}", text.as_bstr(), problem.as_str())).hint(FROM_HERE)),
        }
    }

    /// Several typed paths as paths of the repository.
    pub(crate) fn all_in_repository(&self, repo: &Repo, typed: &[PathBuf]) -> Result<Vec<RepoPath>> {
        typed.iter().map(|path| self.in_repository(repo, path)).collect()
    }

    /// The call's directory as a directory of the repository; the top if it is outside of the work tree.
    pub(crate) fn standing(&self, repo: &Repo) -> RepoPath {
        self.in_repository(repo, Path::new(".")).unwrap_or_default()
    }

    /// The options of a judgement for `reader` now.
    pub(crate) fn options(&self, strict: bool, reader: Reader) -> Options {
        Options {
            strict,
            now: clock::now(),
            reader,
            reads_files: true,
            scores_goals: false,
            approval: Default::default(),
        }
    }

    /// Whether only findings are printed, and nothing of what was examined. Then a hook may judge less than everything.
    pub(crate) fn is_brief(&self, reader: Reader) -> bool {
        reader == Reader::Hook && self.global.format == Format::Human && self.global.verbosity != Verbosity::Verbose
    }

    /// Runs `judge`, and shows progress if it takes long.
    pub(crate) fn patiently<T>(&self, judge: impl FnOnce() -> Result<T>) -> Result<T> {
        let _progress = Progress::start(self.global, ProgressStep::Work("judging what is there"));
        judge()
    }

    pub(crate) fn emit(&self, report: Report) -> Exit {
        emit(report, self.kind, self.global)
    }

    /// The repository as the recording verbs use it.
    pub(crate) fn site<'r>(&self, repo: &'r Repo) -> Result<Real<'r>> {
        let here = if repo.work_dir.is_some() { self.in_repository(repo, Path::new("."))? } else { RepoPath::root() };
        Ok(Real::new(repo, here))
    }

    /// Prints advice, one or more lines, to standard error.
    pub(crate) fn warn(&self, lines: &[String]) {
        if lines.is_empty() || self.global.verbosity == Verbosity::Quiet {
            return;
        }
        let shown: String = lines.iter().map(|line| format!("{}\n", escape::terminal(line))).collect();
        stdio::tell(format!("warning: {shown}").as_bytes());
    }

    /// Writes advice that no program reads to standard error.
    pub(crate) fn note(&self, line: &str) {
        if !self.is_machine() && self.global.verbosity != Verbosity::Quiet {
            stdio::tell(format!("note: {}\n", escape::terminal(line)).as_bytes());
        }
    }

    /// Writes lines that only `--verbose` asks for to standard error.
    pub(crate) fn detail(&self, lines: &[String]) {
        if self.global.verbosity == Verbosity::Verbose {
            lines.iter().for_each(|line| stdio::tell(format!("{}\n", escape::terminal(line)).as_bytes()));
        }
    }

    /// Writes text for people, with commands as they must be typed in the call's directory.
    pub(crate) fn say(
        &self,
        out: &mut dyn io::Write,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        write(&mut text)?;
        let text = self.global.typed_here(&String::from_utf8_lossy(&text));
        out.write_all(&self.global.drawn(text.into_bytes()))
    }

    /// Prints a receipt and returns the exit code. A receipt of a write leaves `exit` as it is even if printing fails,
    /// because the data is saved. An answer that could not be printed is no success.
    pub(crate) fn hand_over<R: Receipt>(&self, receipt: &R, exit: Exit) -> Exit {
        let all = match self.global.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => R::LISTS,
            Verbosity::Verbose => true,
        };
        stdio::tell(receipt.left().as_bytes());
        let write = |out: &mut dyn io::Write| match self.is_machine() {
            true => write_json(receipt, out),
            false => self.say(out, |text| text.write_all(receipt.lines(all).as_bytes())),
        };
        if receipt.is_answer() { stdio::print_made(exit, write) } else { stdio::print_receipt(exit, write) }
    }

    /// Whether the output is for a program.
    pub(crate) fn is_machine(&self) -> bool {
        self.global.format == Format::Json
    }

    /// Prints the answer of a verb that only reads.
    pub(crate) fn answer(&self, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Result<Exit> {
        let mut text = Vec::new();
        write(&mut text).map_err(|error| Error::fault(format!("cannot make the output: {error}")))?;
        stdio::print(&self.global.drawn(text)).map(|()| Exit::CLEAN)
    }
}
