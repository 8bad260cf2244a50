//! `eval`: files one reading, or many with the flags of a feature.

use super::{complete, given, remind, streams_of};
use crate::app::query::measures::measures_row;
use crate::app::query::terms::{budget_row, terms_row};
use crate::app::record::eval as recording;
use crate::app::record::eval::{FilingRequest, NewReading, TokenEstimate};
use crate::app::site::TypedScenario;
use crate::cli::args::record::{EvalArgs, Input};
use crate::cli::call::Call;
use crate::cli::extra::{self, Extra};
use crate::cli::filing::{WrittenLine, node_at};
use crate::cli::{Exit, clock};
use crate::error::{Error, Result};
use crate::model::ledger::{Evidence, ReadingVerdict, Status};
use crate::model::usage::{Characters, TokenCount, Usage, parse_report};
use crate::repo::Repo;
use crate::report::view::receipt::{EvidenceReceipt, FilingOutcome, ReadingReceipt};
use crate::store::evidence::Source;
use crate::store::kind::Expect;
use crate::store::signals;
use crate::text::escape::echo;
use crate::text::json;
use crate::tree::path::RepoPath;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(super) fn eval(call: Call<'_>, args: EvalArgs) -> Result<Exit> {
    signals::install()?;
    for file in extra::all(|extra| if let Extra::FilesMany(file) = extra { Some(file) } else { None }) {
        if let Some(exit) = file(call, &args)? {
            return Ok(exit);
        }
    }
    let (files, steps) = (args.artifacts.clone(), args.steps.clone());
    let written = args.written.clone();
    let mut request = request(call, args)?;
    let repo = call.repo()?;
    request.artifacts = artifacts(call, &repo, &files)?;
    request.steps = given(call, &steps)?;
    let site = call.site(&repo)?;
    let store = call.store(&repo);
    let typed = TypedScenario { node: request.node.take(), scenario: request.scenario.take() }.apart(&site)?;
    (request.node, request.scenario) = (typed.node, typed.scenario);
    let filed = recording::eval(&site, &store, request)?;
    call.warn(&filed.unconfirmed);
    call.warn(&recording::dirty_advice(&filed.differing));
    call.warn(&filed.shown.as_ref().map(recording::marker_advice).unwrap_or_default());
    filed.lacks.chunks(1).for_each(|lack| call.warn(lack));
    call.detail(&filed.details);
    call.warn(&filed.over);
    if filed.late {
        call.warn(&["late: the claim had expired, and no other owner is known to have taken it over".to_owned()]);
    }
    let exit = call.hand_over(&receipt(&filed), Exit::CLEAN);
    let is_fail = filed.reading.verdict == ReadingVerdict::Measured(Status::Fail);
    if filed.outcome == FilingOutcome::Filed && is_fail && filed.reading.note.is_none() {
        call.note("nothing says why it failed: --note TEXT does, beside the verdict");
    }
    if filed.outcome == FilingOutcome::Filed && !filed.is_hidden {
        remind(call, &site, std::slice::from_ref(&filed.ledger));
    }
    if filed.outcome != FilingOutcome::WouldFile {
        let scenario = Some(filed.reading.scenario.clone());
        let line = WrittenLine { node: node_at(&filed.dir), scenario, ts: filed.reading.ts };
        return Ok(complete(call, &repo, &written, &[line], exit));
    }
    Ok(exit)
}

fn receipt(filed: &NewReading) -> ReadingReceipt {
    let reading = &filed.reading;
    let piece = |item: &Evidence| EvidenceReceipt { hash: item.hash.to_string(), kind: item.kind.as_str() };
    ReadingReceipt {
        outcome: filed.outcome,
        node: filed.node.clone(),
        directory: filed.dir.to_string(),
        ledger: filed.ledger.to_string(),
        scenario: reading.scenario.clone(),
        status: if reading.verdict == ReadingVerdict::Measured(Status::Pass) { "pass" } else { "fail" },
        code_sha: reading.code_sha.map(|id| id.to_string()).unwrap_or_default(),
        ts: reading.ts.to_string(),
        evaluator: reading.evaluator.clone(),
        by: reading.by.clone(),
        note: reading.note.clone(),
        evidence: reading.evidence.iter().map(piece).collect(),
        timeline: reading.timeline.map(|hash| hash.to_string()),
        stamped: reading.governed.as_ref().map(BTreeMap::len),
        dirty: filed.dirty.iter().map(ToString::to_string).collect(),
        terms: terms_row(&reading.terms),
        measures: measures_row(&reading.measures),
        reads_markers: filed.shown.is_some(),
        malformed: filed.shown.iter().flat_map(|shown| shown.malformed.iter().cloned()).collect(),
        absent: filed.shown.iter().flat_map(|shown| shown.absent.keys().cloned()).collect(),
        budget: filed.budget.as_ref().map(|judged| budget_row(judged, &reading.verdict)),
    }
}

/// The request, with all evidence opened.
pub(crate) fn request(call: Call<'_>, args: EvalArgs) -> Result<FilingRequest> {
    let here = call.here()?;
    if let Some(second) = args.nodes.get(1) {
        return Err(Error::usage(format!("a reading belongs to one node, and {} is a second node", echo(second)))
            .hint("file them one after the other"));
    }
    let streams = [&args.usage, &args.result].into_iter().flatten().filter(|input| **input == Input::Stdin);
    if streams.count() + streams_of(&args.steps) > 1 {
        return Err(Error::usage("standard input can be one of --result, --usage and --coverage")
            .hint("name a file for the others"));
    }
    let estimate = args.estimate_tokens.as_deref().map(|prompt| estimate(call, &here, prompt)).transpose()?;
    let usage = usage(call, &here, &args)?;
    let evidence = evidence(call, &here, &args, estimate.as_ref())?;
    let timeline = args.timeline.as_ref().map(|file| call.file(&here, file)).transpose()?;
    Ok(FilingRequest {
        node: args.nodes.into_iter().next(),
        scenario: args.scenario,
        verdict: match (args.pass, args.fail) {
            (true, _) => Some(Status::Pass),
            (_, true) => Some(Status::Fail),
            _ => None,
        },
        note: args.note,
        is_note_of_report: false,
        evidence,
        metrics: args.metrics,
        artifacts: Vec::new(),
        steps: Vec::new(),
        timeline,
        evaluator: args.evaluator,
        by: args.by,
        began: args.began,
        key: args.key,
        run: args.run,
        usage,
        estimate,
        strict: args.strict,
        dry_run: args.dry_run,
        now: clock::now(),
    })
}

/// The produced files with their paths in the repository. A file outside of the repository gets its last name.
fn artifacts(call: Call<'_>, repo: &Repo, files: &[PathBuf]) -> Result<Vec<(RepoPath, Source)>> {
    let here = call.here()?;
    let artifact = |file: &PathBuf| {
        let source = call.file(&here, file)?;
        let last = || RepoPath::parse(file.file_name().unwrap_or_default().as_encoded_bytes());
        let name = call.in_repository(repo, file).ok().map_or_else(last, Ok);
        let name = name.ok().filter(|name| std::str::from_utf8(name.as_bstr()).is_ok());
        let no_name = || {
            Error::usage(format!("{} has no name that a ledger could hold", file.display()))
                .hint("copy it under a name that is UTF-8")
        };
        Ok((name.ok_or_else(no_name)?, source))
    };
    files.iter().map(artifact).collect()
}

/// The error for a malformed usage report.
fn malformed(what: impl Into<String>) -> Error {
    Error::usage(what)
        .hint("what one holds: docs/claims.md; without one: --tokens PROMPT,COMPLETION --token-source NAME")
}

/// The longest accepted usage report in bytes.
const MAX_REPORT: usize = 64 << 10;

/// The cost of the measurement, as far as it is given and not estimated.
fn usage(call: Call<'_>, here: &Path, args: &EvalArgs) -> Result<Usage> {
    let mut found = match &args.usage {
        Some(input) => report(call.source(here, input)?)?,
        None => Usage::default(),
    };
    if (args.tokens.is_some() || args.estimate_tokens.is_some()) && found.tokens.is_some() {
        return Err(Error::usage("the usage report says what the tokens are; say it once")
            .hint("leave --tokens and --estimate-tokens out"));
    }
    if let Some(([prompt, completion], source)) = args.tokens.zip(args.token_source.as_deref()) {
        let wrong = || {
            Error::usage("the tokens do not add up to a number, or --token-source does not name who counted them")
                .hint("for example: --tokens 1200,300 --token-source meter")
        };
        found.tokens = Some(TokenCount::new(prompt, completion, source).ok_or_else(wrong)?);
    }
    Ok(found)
}

fn report(source: Source) -> Result<Usage> {
    let mut bytes = Vec::new();
    source.read_through(&mut |part| {
        bytes.extend_from_slice(part);
        match bytes.len() > MAX_REPORT {
            true => Err(malformed(format!("a usage report has at most {MAX_REPORT} bytes"))),
            false => Ok(()),
        }
    })?;
    let text = std::str::from_utf8(&bytes).map_err(|_| malformed("the usage report is not UTF-8"))?;
    let at = |offset: usize, message: &str| {
        let (line, column) = json::line_column(text, offset);
        malformed(format!("the usage report, {line}:{column}: {message}"))
    };
    let json = json::parse(text).map_err(|fault| at(fault.offset, &format!("the text {}", fault.message)))?;
    parse_report(&json).map_err(|fault| at(fault.offset, &fault.message))
}

/// The number of characters of the prompt. The characters of the transcript are added later.
fn estimate(call: Call<'_>, here: &Path, prompt: &Path) -> Result<TokenEstimate> {
    let mut characters = Characters::default();
    call.file(here, prompt)?.read_through(&mut |part| {
        characters.add(part);
        Ok(())
    })?;
    Ok(TokenEstimate { prompt: characters, transcript: Rc::default() })
}

fn evidence(
    call: Call<'_>,
    here: &Path,
    args: &EvalArgs,
    estimate: Option<&TokenEstimate>,
) -> Result<Vec<(Expect, Source)>> {
    let mut attached = Vec::new();
    for image in &args.images {
        attached.push((Expect::Image, call.file(here, image)?));
    }
    if let Some(video) = &args.video {
        attached.push((Expect::Video, call.file(here, video)?));
    }
    if let Some(result) = &args.result {
        let source = call.source(here, result)?;
        let source = match estimate.map(|estimate| Rc::clone(&estimate.transcript)) {
            None => source,
            Some(count) => source.watched(move |part| {
                let mut characters = count.get();
                characters.add(part);
                count.set(characters);
            }),
        };
        attached.push((Expect::Result, source));
    }
    Ok(attached)
}
