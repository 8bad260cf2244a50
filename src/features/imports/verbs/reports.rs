//! `eval --from-junit`, `eval --from-ctrf`, `eval --from-promptfoo`: files the results in test reports.

use crate::cli::args::filing::FilingArgs;
use crate::cli::args::record::{EvalArgs, Input};
use crate::cli::call::Call;
use crate::cli::filing::{Filing, WrittenLine};
use crate::cli::verbs::{complete, given, remind, streams_of};
use crate::cli::{Exit, clock, emit, stdio};
use crate::error::{Error, ErrorKind, Refusal, Result};
use crate::features::evals::typed_env;
use crate::features::imports::judge::filing;
use crate::features::imports::judge::filing::{BulkOutcome, BulkRequest, FlakyMeans, ReportForm};
use crate::features::imports::model::answer::ImportStep;
use crate::features::imports::model::test_report::map::MapLine;
use crate::features::imports::print as receipts;
use crate::features::imports::verbs::report_flags::{FlakyArg, ReportFlags};
use crate::model::ledger::Timestamp;
use crate::report;
use crate::sys;
use clap::{Args, FromArgMatches};

/// The flags of test reports.
pub(crate) const FILING: Filing = Filing {
    usage: Some("yatsu-hook eval [OPTIONS] [NODE]... <--from-junit|--from-ctrf|--from-promptfoo> <FILE>..."),
    flags: ReportFlags::augment_args,
    ..Filing::NONE
};

/// Files the readings in reports; `None` if no reports were typed.
pub(crate) fn files_many(call: Call<'_>, args: &EvalArgs) -> Result<Option<Exit>> {
    let FilingArgs(typed) = &args.steps;
    let flags = ReportFlags::from_arg_matches(typed).map_err(|error| Error::fault(error.to_string()))?;
    reports(&flags).map(|(form, files)| bulk(call, form, files, args, &flags)).transpose()
}

/// The given reports and their format; `None` if a single reading is filed by hand.
fn reports(flags: &ReportFlags) -> Option<(ReportForm, &[Input])> {
    let forms = [
        (ReportForm::Junit, &flags.from_junit[..]),
        (ReportForm::Ctrf, &flags.from_ctrf[..]),
        (ReportForm::Promptfoo, &flags.from_promptfoo[..]),
    ];
    forms.into_iter().find(|(_, files)| !files.is_empty())
}

/// Files the readings in the reports.
fn bulk(call: Call<'_>, form: ReportForm, files: &[Input], args: &EvalArgs, flags: &ReportFlags) -> Result<Exit> {
    let repo = call.repo()?;
    let top = repo.work_dir.as_ref().map(|top| sys::canonical(top).unwrap_or_else(|_| top.clone())).unwrap_or_default();
    let request = BulkRequest {
        form,
        reports: read(call, form, files, streams_of(&args.steps))?,
        map: map(call, flags)?,
        steps: given(call, &args.steps)?,
        nodes: args.nodes.clone(),
        env: typed_env(&args.steps.0)?,
        tags: flags.tags.clone(),
        began: args.began.clone(),
        flaky: flags.flaky.map(|flaky| match flaky {
            FlakyArg::Pass => FlakyMeans::Pass,
            FlakyArg::Fail => FlakyMeans::Fail,
        }),
        skips: flags.skips.is_some(),
        exit: flags.exit,
        ran_at: flags.ran_at.as_deref().map(|rev| repo.resolve(rev)).transpose()?,
        older_report: flags.older_report,
        only_stale: flags.only_stale,
        evaluator: args.evaluator.clone(),
        by: args.by.clone(),
        note: args.note.clone(),
        run: args.run.clone(),
        strict: args.strict,
        dry_run: args.dry_run,
        now: clock::now(),
        top: top.to_string_lossy().into_owned(),
    };
    let site = call.site(&repo)?;
    let outcome = filing::bulk(&site, &call.store(&repo), request)?;
    outcome.warnings.iter().for_each(|lines| call.warn(lines));
    // with --only-stale a report that has nothing new to say is no fault
    let is_idle = outcome.answer.readings.is_empty() && !(flags.only_stale && has_result(&outcome));
    // a program gets one document: a refusal, or the plan of a dry run
    if is_idle && call.is_machine() && !args.dry_run {
        return Err(nothing(&outcome));
    }
    call.detail(&outcome.details);
    let printed = print(call, &outcome);
    if is_idle {
        let error = nothing(&outcome);
        return if call.is_machine() { Ok(emit::tell(&error, call.global)) } else { Err(error) };
    }
    remind(call, &site, &outcome.ledgers);
    if args.dry_run {
        // a plan that could not be printed is no success
        return Ok(printed);
    }
    let written = outcome.answer.readings.iter().filter_map(|one| {
        let (node, scenario) = (one.node.clone(), Some(one.scenario.clone()));
        Some(WrittenLine { node, scenario, ts: Timestamp::parse(&one.ts)? })
    });
    // filed readings stay filed even if they could not be printed
    Ok(complete(call, &repo, &args.written, &written.collect::<Vec<_>>(), Exit::CLEAN))
}

/// Whether a scenario has a result in the reports that is not filed.
fn has_result(outcome: &BulkOutcome) -> bool {
    outcome.answer.fresh.as_ref().is_some_and(|fresh| !fresh.is_empty()) || outcome.has_passed
}

/// Reads the reports. `streams` other flags read standard input.
fn read(call: Call<'_>, form: ReportForm, files: &[Input], streams: usize) -> Result<Vec<filing::ReadReport>> {
    if files.iter().filter(|file| **file == Input::Stdin).count() + streams > 1 {
        return Err(Error::usage("standard input can be one report, not several")
            .hint("write `-` once, and name the other reports as files"));
    }
    let here = call.here()?;
    let one = |file: &Input| {
        let name = match file {
            Input::Stdin => "standard input".to_owned(),
            Input::File(file) => file.display().to_string(),
        };
        let source = call.source(&here, file).map_err(|error| match error.kind {
            ErrorKind::Usage => {
                error.hint("nodes stand before the flags of reports, which take every word behind them")
            }
            _ => error,
        })?;
        filing::read_report(form, &name, source)
    };
    files.iter().map(one).collect()
}

fn map(call: Call<'_>, flags: &ReportFlags) -> Result<Vec<MapLine>> {
    let Some(file) = &flags.map else { return Ok(Vec::new()) };
    filing::read_map(&file.display().to_string(), call.file(&call.here()?, file)?)
}

fn print(call: Call<'_>, outcome: &BulkOutcome) -> Exit {
    let text = stdio::made(|out| match call.is_machine() {
        true => report::write_json(&outcome.answer, out),
        false => receipts::write_human(&outcome.answer, &outcome.idle, out),
    });
    stdio::print_outcome(&text, Exit::CLEAN)
}

/// The error of an import that filed nothing.
fn nothing(outcome: &BulkOutcome) -> Error {
    let answer = &outcome.answer;
    let is_passed = !answer.skipped.is_empty() || !answer.ambiguous.is_empty();
    let message = match (answer.outcome, is_passed) {
        (_, true) => "the reports say of no scenario whether it works",
        (_, false) if answer.unmatched.cases.is_empty() => "there is no case in the reports",
        (_, false) => "no case of the reports measures a scenario",
    };
    let error = Error::refused(message).because(Refusal::NothingLeft);
    let near = outcome.near.iter().map(|[asked, found]| format!("a scenario asks for {asked}; the report has {found}"));
    let error = near.fold(error, Error::hint);
    match answer.outcome {
        ImportStep::Planned => {
            error.hint("give a scenario its `test: {path, name}`, or say what measures what: --map FILE")
        }
        ImportStep::Filed | ImportStep::AlreadyFiled => {
            error.hint("--dry-run --format json lists every case and where it lies")
        }
    }
}
