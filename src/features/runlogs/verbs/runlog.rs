//! `runlog`: the log of a run, event by event.

use crate::app::judge::verdict::Reader;
use crate::app::site::Site;
use crate::cli::args::formats::{ANSWER, FINDINGS};
use crate::cli::args::groups::Heading;
use crate::cli::call::Call;
use crate::cli::feature::FeatureArgs;
use crate::cli::verbs::{random, say_how};
use crate::cli::{Exit, clock, stdio};
use crate::error::{Error, Result};
use crate::features::runlogs::judge::record::resume::resume;
use crate::features::runlogs::judge::record::start::start;
use crate::features::runlogs::judge::record::{self as recording, LogRequest};
use crate::features::runlogs::judge::runs::runs;
use crate::features::runlogs::model::receipts::{LogOutcome, LogReceipt, PageOutcome};
use crate::features::runlogs::model::write::NewField;
use crate::features::runlogs::print as text;
use crate::features::runlogs::verbs::check as door;
use crate::features::runlogs::verbs::runlog_args::{LogArgs, PhaseArgs, RunlogArgs, StartRunArgs};
use crate::repo::Repo;
use crate::report::{Format, ScopeMode};
use crate::store::{Store, signals};
use crate::tree::path::RepoPath;
use std::io::Write;
use std::path::Path;

impl FeatureArgs for RunlogArgs {
    const NAME: &'static str = "runlog";
    const AFTER: &'static str = "claim";
    const LISTED: (Heading, u16) = (Heading::More, 160);

    fn formats(below: &[&str]) -> &'static [Format] {
        if below == ["check"] { FINDINGS } else { ANSWER }
    }

    fn mode(&self) -> Option<ScopeMode> {
        matches!(self, Self::Check { .. }).then_some(ScopeMode::Files)
    }

    fn run(self, call: Call<'_>) -> Result<Exit> {
        signals::install()?;
        let repo = call.repo()?;
        let (site, store) = (call.site(&repo)?, call.store(&repo));
        let desk = Desk { call, repo: &repo, site: &site, store: &store };
        match self {
            Self::Start(args) => desk.start(args),
            Self::Add { event, fields, log } => {
                let (request, fields) = (desk.request(&log)?, typed(&fields, NewField::parse)?);
                desk.told(&recording::add(&site, &store, &request, &event, fields)?)
            }
            Self::Phase(PhaseArgs::Start { n, log }) => {
                let request = desk.request(&log)?;
                let n = recording::phase_number(&site, &request, &n)?;
                desk.told(&recording::phase_start(&site, &store, &request, n)?)
            }
            Self::Phase(PhaseArgs::End { n, counts, artifacts, log }) => {
                let request = desk.request(&log)?;
                let counts = typed(&counts, NewField::parse_count)?;
                let n = recording::phase_number(&site, &request, &n)?;
                desk.told(&recording::phase_end(&site, &store, &request, n, counts, &artifacts)?)
            }
            Self::End { status, log } => desk.told(&recording::end(&site, &store, &desk.request(&log)?, status)?),
            Self::Check { files, strict } => {
                let paths: Vec<_> = files.iter().map(|file| desk.log(file)).collect::<Result<_>>()?;
                let options = call.options(strict, Reader::Person);
                Ok(call.emit(door::check(&repo, &site, &paths, options)?))
            }
            Self::Resume { file, apply } => {
                let log = desk.path(file.as_deref())?;
                let mut plan = resume(&site, &store, log.as_ref(), clock::now(), apply)?;
                for command in plan.plan.iter_mut().filter_map(|row| row.command.as_mut()) {
                    *command = call.global.typed_here(command);
                }
                desk.answer(apply, Exit::CLEAN, |out| text::write_plan(&plan, call.is_machine(), out))
            }
            Self::Progress { file, check } => {
                let mut page = recording::progress(&site, &store, desk.path(file.as_deref())?.as_ref(), check)?;
                page.command = call.global.typed_here(&page.command);
                let exit = if page.outcome == PageOutcome::Differs { Exit::BLOCKED } else { Exit::CLEAN };
                let write = |out: &mut dyn Write| text::write_page(&page, call.is_machine(), out);
                desk.answer(!check, exit, write)
            }
            Self::Ls => {
                let runs = runs(&site, clock::now())?;
                say_how(call, runs.is_empty(), "no run logs here; start one: yatsu-hook runlog start");
                call.answer(|out| text::write_runs(&runs, call.is_machine(), out))
            }
        }
    }
}

/// The surroundings that all verbs of `runlog` need.
struct Desk<'a> {
    call: Call<'a>,
    repo: &'a Repo,
    site: &'a dyn Site,
    store: &'a Store,
}

impl Desk<'_> {
    fn start(&self, args: StartRunArgs) -> Result<Exit> {
        // a word with `=` is a field even in the place of the file, unless a slash makes it a path
        let is_field = |text: &str| text.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
        let (file, first) = match args.file {
            Some(text) if is_field(&text) => (None, Some(text)),
            other => (other, None),
        };
        let words: Vec<String> = first.into_iter().chain(args.fields).collect();
        let file = self.path(file.as_deref().map(Path::new))?;
        let fields = typed(&words, NewField::parse)?;
        let (now, random) = (clock::now(), u16::from_le_bytes(random()?));
        let profile = args.profile.as_deref();
        self.told(&start(self.site, self.store, file.as_ref(), profile, &fields, now, random)?)
    }

    fn request(&self, log: &LogArgs) -> Result<LogRequest> {
        Ok(LogRequest { log: self.path(log.log.as_deref())?, now: clock::now() })
    }

    fn path(&self, typed: Option<&Path>) -> Result<Option<RepoPath>> {
        typed.map(|typed| self.log(typed)).transpose()
    }

    fn log(&self, typed: &Path) -> Result<RepoPath> {
        let path = self.call.in_repository(self.repo, typed)?;
        if path.is_root() {
            return Err(
                Error::usage("a log is a file, and this is the repository").hint("all runs: yatsu-hook runlog ls")
            );
        }
        Ok(path)
    }

    /// Prints the receipt of a verb that writes, or the answer of one that only reads.
    fn answer(
        &self,
        writes: bool,
        exit: Exit,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Exit> {
        if writes {
            return Ok(stdio::print_receipt(exit, write));
        }
        self.call.answer(write).map(|_| exit)
    }

    fn told(&self, receipt: &LogReceipt) -> Result<Exit> {
        let exit = if receipt.outcome == LogOutcome::Appended { Exit::CLEAN } else { Exit::BLOCKED };
        let write = |out: &mut dyn Write| text::write_receipt(receipt, self.call.is_machine(), out);
        Ok(stdio::print_receipt(exit, write))
    }
}

fn typed(words: &[String], read: impl Fn(&str) -> Result<NewField, String>) -> Result<Vec<NewField>> {
    let field = |word: &String| {
        read(word)
            .map_err(|text| Error::usage(text).hint("FIELD=VALUE is a text; numbers and objects are typed FIELD:=JSON"))
    };
    words.iter().map(field).collect()
}
