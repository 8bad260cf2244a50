//! The writing verbs, carried out: a request becomes a call of the use case, and what came of it a printed receipt.

use super::global::Verbosity;
use super::judge::Call;
use super::progress::Progress;
use super::request::{
    CleanRequest, EvalRequest, EvidenceRequest, Keep, RedactRequest, RepairRequest, RetractRequest, Source, Which,
};
use super::{Exit, clock, receipt, stdio};
use crate::app::judge::snapshot;
use crate::app::progress::ProgressStep;
use crate::app::record;
use crate::app::record::site::real::Real;
use crate::app::record::{redact as redaction, repair, retract};
use crate::app::upkeep::clean::references::GitReferences;
use crate::app::upkeep::{clean, evidence};
use crate::error::{Error, Result};
use crate::model::ledger::{EvidenceHash, Timestamp};
use crate::model::node::{Node, is_newer};
use crate::model::workspace::{self, Select};
use crate::repo::Repo;
use crate::repo::collect::is_partial;
use crate::report::Format;
use crate::report::receipt::{Receipt, left, lines, write_json};
use crate::store::kind::Expect;
use crate::store::{Store, evidence as store_evidence, signals};
use crate::text::escape::{self, echo};
use crate::tree::path::RepoPath;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// `eval`.
pub(super) fn eval(call: Call<'_>, request: EvalRequest) -> Result<Exit> {
    signals::install()?;
    let here = call.here()?;
    let mut attached = Vec::new();
    for image in &request.images {
        attached.push((Expect::Image, call.file(&here, image)?));
    }
    if let Some(video) = &request.video {
        attached.push((Expect::Video, call.file(&here, video)?));
    }
    if let Some(result) = &request.result {
        attached.push((Expect::Result, call.source(&here, result)?));
    }
    let timeline = request.timeline.as_ref().map(|file| call.file(&here, file)).transpose()?;
    let asked = record::FilingRequest {
        node: request.node,
        scenario: request.scenario,
        status: request.status,
        note: request.note,
        evidence: attached,
        timeline,
        evaluator: request.evaluator,
        by: request.by,
        strict: request.strict,
        dry_run: request.dry_run,
        now: clock::now(),
    };
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let filed = record::eval(&site, &Store::new(&repo.common_dir), asked)?;
    call.warn(&record::dirty_advice(&filed.dirty));
    filed.lacks.chunks(1).for_each(|lack| call.warn(lack));
    call.hand_over(&receipt::filed(&filed), false);
    Ok(Exit::CLEAN)
}

/// `retract`.
pub(super) fn retract(call: Call<'_>, request: RetractRequest) -> Result<Exit> {
    signals::install()?;
    let which = match &request.which {
        Which::Last => retract::ReadingChoice::Last,
        Which::At(text) => retract::ReadingChoice::At(time(text)?),
    };
    let asked = retract::RetractRequest {
        node: request.node,
        scenario: Some(request.scenario),
        which,
        note: request.note,
        by: None,
        now: clock::now(),
    };
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let retracted = retract::retract(&site, &Store::new(&repo.common_dir), &asked)?;
    call.hand_over(&receipt::retracted(&retracted), false);
    Ok(Exit::CLEAN)
}

/// `redact`. It says what it cannot do: take the line out of the commits that hold it.
pub(super) fn redact(call: Call<'_>, request: RedactRequest) -> Result<Exit> {
    signals::install()?;
    let ts = time(&request.ts)?;
    let repo = call.repo()?;
    let by = match request.by {
        Some(by) => Some(by),
        None => repo.config()?.get("user.name").map(|name| name.to_string()),
    };
    let asked =
        redaction::RedactRequest { node: request.node, scenario: request.scenario, ts, reason: request.reason, by };
    let site = call.site(&repo)?;
    let done = redaction::redact(&site, &Store::new(&repo.common_dir), &asked)?;
    if !done.lines.is_empty() {
        call.warn(&[
            "history still has the bytes: every commit that held the line keeps it, and so does every clone".into(),
            "a secret must be changed; to take it out of history, history must be rewritten".into(),
        ]);
    }
    call.hand_over(&receipt::redacted(&done, &asked), false);
    Ok(Exit::CLEAN)
}

fn time(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::usage(format!("`{}` is no time of a reading", echo(text)))
            .hint("copy it from `yatsu-hook show`: 2026-01-01T00:00:00.000Z, say")
    })
}

/// `clean`.
pub(super) fn clean(call: Call<'_>, request: &CleanRequest) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    refuse_bare(&repo)?;
    let nodes = nodes(&repo)?;
    let store = Store::new(&repo.common_dir).of_newer_generation(is_newer(&nodes));
    let CleanRequest::Collect { keep, grace_days, dry_run } = *request else {
        let back = clean::undo(&store)?;
        call.hand_over(&receipt::restored(&back), false);
        return Ok(Exit::CLEAN);
    };
    let keep = match keep {
        Keep::Named => clean::Keep::Named,
        Keep::Latest => clean::Keep::Latest,
        Keep::Nothing => clean::Keep::Nothing,
    };
    let asked = clean::CleanRequest { keep, dry_run, grace_days, now_millis: clock::now().millis };
    let config = repo.config()?;
    let references = GitReferences {
        layout: repo.layout(&config)?,
        objects: &*repo.objects,
        hash: repo.hash,
        read_index: &|index| repo.entries_of(index),
        read_resolved: &|index| repo.resolved_conflicts_of(index),
        partial: is_partial(&config),
    };
    let progress = Progress::start(call.global, ProgressStep::Work("looking for references"));
    let cleaned = clean::clean(&store, &repo.git_dir, &references, &nodes, &asked)?;
    drop(progress);
    call.hand_over(&receipt::cleaned(&cleaned, dry_run), false);
    Ok(Exit::CLEAN)
}

/// `repair`. What only a person can decide is exit code 1.
pub(super) fn repair(call: Call<'_>, request: RepairRequest) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let site = call.site(&repo)?;
    let asked = repair::RepairRequest { dry_run: request.dry_run, restore: request.restore };
    let mended = repair::repair(&site, &Store::new(&repo.common_dir), &asked)?;
    call.hand_over(&receipt::repaired(&mended, request.dry_run), true);
    Ok(if mended.iter().all(|ledger| ledger.left.is_empty()) { Exit::CLEAN } else { Exit::BLOCKED })
}

/// `evidence`.
pub(super) fn evidence(call: Call<'_>, request: &EvidenceRequest) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let store = Store::new(&repo.common_dir);
    match request {
        EvidenceRequest::Put(source) => {
            let store = store.of_newer_generation(is_newer(&nodes(&repo)?));
            let (hash, kind) = evidence::put(&store, call.source(&call.here()?, source)?)?;
            call.hand_over(&receipt::stored(&hash, kind), false);
        }
        EvidenceRequest::Get { hash, output } => get(call, &store, hash, output.as_deref())?,
        EvidenceRequest::List => call.hand_over(&receipt::listed(&evidence::ls(&store)?), false),
        EvidenceRequest::Check => {
            let nodes = nodes(&repo)?;
            let progress = Progress::start(call.global, ProgressStep::Work("hashing the evidence"));
            let checked = evidence::check(&store, &nodes)?;
            drop(progress);
            call.hand_over(&receipt::checked(&checked), false);
            return Ok(if checked.damage.is_empty() { Exit::CLEAN } else { Exit::BLOCKED });
        }
    }
    Ok(Exit::CLEAN)
}

fn get(call: Call<'_>, store: &Store, hash: &EvidenceHash, output: Option<&Path>) -> Result<()> {
    let Some(output) = output.filter(|output| *output != Path::new("-")) else {
        return evidence::get(store, hash, &mut stdio::Out).map(|_| ());
    };
    let path = call.here()?.join(output);
    let progress = Progress::start(call.global, ProgressStep::Work("copying"));
    let size = evidence::get_to_file(store, hash, &path)?;
    drop(progress);
    call.hand_over(&receipt::exported(hash, output, size), false);
    Ok(())
}

/// The nodes whose readings are named in messages: of the working tree, or of HEAD in a bare repository.
fn nodes(repo: &Repo) -> Result<Vec<Node>> {
    let view = snapshot::all(repo)?.view;
    Ok(workspace::load(&*view, workspace::read_config(&*view)?, &Select::All)?.nodes)
}

fn refuse_bare(repo: &Repo) -> Result<()> {
    match repo.work_dir {
        Some(_) => Ok(()),
        None => Err(Error::refused("a bare repository has no work tree, and evidence is collected from one")
            .hint("run this in a linked worktree of this repository: git worktree add DIR")),
    }
}

impl Call<'_> {
    fn site<'r>(&self, repo: &'r Repo) -> Result<Real<'r>> {
        let here = if repo.work_dir.is_some() { self.in_repository(repo, Path::new("."))? } else { RepoPath::root() };
        Ok(Real::new(repo, here))
    }

    fn source(&self, here: &Path, source: &Source) -> Result<store_evidence::Source> {
        match source {
            Source::File(file) => self.file(here, file),
            Source::Stdin if std::io::stdin().is_terminal() => {
                Err(Error::usage("standard input is a terminal")
                    .hint("pipe the result in, or name a file: --result FILE"))
            }
            Source::Stdin => {
                let stream = store_evidence::Source::stream("standard input", Box::new(std::io::stdin()));
                Ok(self.watched(stream, "reading"))
            }
        }
    }

    fn file(&self, here: &Path, file: &PathBuf) -> Result<store_evidence::Source> {
        Ok(self.watched(store_evidence::Source::file(&here.join(file))?, "storing"))
    }

    fn watched(&self, source: store_evidence::Source, what: &'static str) -> store_evidence::Source {
        let (of, begin) = (source.size(), ProgressStep::Work(what));
        match Progress::start(self.global, begin) {
            Some(progress) => {
                source.with_progress(Box::new(move |done| progress.step(ProgressStep::Bytes { what, done, of })))
            }
            None => source,
        }
    }

    /// Says what the gate would advise against, in one or more lines.
    fn warn(&self, lines: &[String]) {
        if lines.is_empty() || self.global.verbosity == Verbosity::Quiet {
            return;
        }
        let shown: String = lines.iter().map(|line| format!("{}\n", escape::terminal(line))).collect();
        stdio::tell(format!("warning: {shown}").as_bytes());
    }

    /// Prints what was done. It is done: output that cannot be written changes nothing.
    fn hand_over(&self, receipt: &Receipt, all: bool) {
        let all = match self.global.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => all,
            Verbosity::Verbose => true,
        };
        if let Receipt::Repair(repaired) = receipt {
            stdio::tell(left(repaired).as_bytes());
        }
        if self.global.format == Format::Json {
            let mut text = Vec::new();
            // A vector takes everything, and every key of the document is a string: it cannot fail.
            let _ = write_json(receipt, &mut text);
            stdio::print_outcome(&text);
        } else {
            stdio::print_outcome(lines(receipt, all).as_bytes());
        }
    }
}
