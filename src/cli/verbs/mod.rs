//! The verbs, one file each. A verb turns typed arguments into a request of [`crate::app`], carries it out and prints the
//! result. Decides nothing about a repository.

mod begin;
mod check;
mod clean;
mod completions;
mod config;
mod doctor;
pub(crate) mod eval;
mod evidence;
mod explain;
mod fold;
mod help;
mod hook;
mod impact;
pub(crate) mod install;
mod ls;
mod man;
mod merge_ledger;
mod new;
pub(super) mod overview;
pub(crate) mod push;
mod redact;
mod repair;
mod retract;
mod run;
mod scan;
mod show;
mod units;
mod usage;
mod validate;

use super::Exit;
use super::args::Verb;
use super::args::filing::{FilingArgs, WrittenArgs};
use super::call::Call;
use super::filing::WrittenLine;
use super::global::Verbosity;
use super::stdio;
use crate::app::judge::{absent, snapshot};
use crate::app::record::filing::FilingStep;
use crate::app::site;
use crate::error::{Error, Result};
use crate::features;
use crate::model::config::Config;
use crate::model::ledger::Timestamp;
use crate::model::node::Node;
use crate::model::workspace::{self, Select};
use crate::names::{SEGMENT_PATTERN, TRUNK_NAMES, is_segment};
use crate::repo::Repo;
use crate::report::Format;
use crate::sys;
use crate::text::escape::echo;
use crate::text::shell;
use clap::ArgMatches;
use hook::Hook;

/// Carries out a verb.
pub(super) fn perform(verb: Verb, call: Call<'_>) -> Result<Exit> {
    dispatch(verb, call).map_err(|error| explained(call, error))
}

/// `error`, with a command that helps if a partial clone lacks what was asked for.
fn explained(call: Call<'_>, error: Error) -> Error {
    match absent::is_missing(&error).then(|| call.repo()) {
        Some(Ok(repo)) => absent::explained(&repo, error),
        _ => error,
    }
}

fn dispatch(verb: Verb, call: Call<'_>) -> Result<Exit> {
    match verb {
        Verb::New(args) => new::new(call, args),
        Verb::Explain { words } => explain::explain(call, &words),
        Verb::Completions { shell } => completions::completions(shell),
        Verb::Man => man::man(),
        Verb::Help { words } => help::help(&words),
        Verb::PreCommit(args) => hook::hook(call, &Hook::PreCommit, args.strict),
        Verb::PreMergeCommit(args) => hook::hook(call, &Hook::PreMergeCommit, args.strict),
        Verb::PrePush(args) => hook::hook(call, &Hook::PrePush { remote: args.remote, url: args.url }, args.strict),
        Verb::PreReceive(args) => hook::hook(call, &Hook::PreReceive, args.strict),
        Verb::Run(args) => run::run(call, &args),
        Verb::Check(args) => check::check(call, &args),
        Verb::Scan(args) => scan::scan(call, args),
        Verb::Validate(args) => validate::validate(call, &args),
        Verb::Begin(args) => begin::begin(call, args),
        Verb::Eval(args) => eval::eval(call, *args),
        Verb::Retract(args) => retract::retract(call, args),
        Verb::Redact(args) => redact::redact(call, args),
        Verb::Clean(args) => clean::clean(call, &args),
        Verb::Repair(args) => repair::repair(call, args),
        Verb::Fold(args) => fold::fold(call, args),
        Verb::MergeLedger(args) => merge_ledger::merge_ledger(call, &args),
        Verb::Evidence(args) => evidence::evidence(call, &args),
        Verb::Show(args) => show::show(call, &args),
        Verb::Ls(args) => ls::ls(call, &args),
        Verb::Units(args) => units::units(call, args),
        Verb::Usage(args) => usage::usage(call, args),
        Verb::Impact(args) => impact::impact(call, &args),
        Verb::Config(args) => config::config(call, args),
        Verb::Install(args) => install::install(call, args),
        Verb::Uninstall(args) => install::uninstall(call, args),
        Verb::Doctor => doctor::doctor(call),
        Verb::OfFeature { name, typed } => of_feature(call, name, typed.as_ref()),
    }
}

fn of_feature(call: Call<'_>, name: &str, typed: Option<&ArgMatches>) -> Result<Exit> {
    let unknown = || Error::fault(format!("{name} was parsed and is no verb"));
    let verb = features::verb(name).ok_or_else(unknown)?;
    match typed {
        Some(typed) => (verb.run)(call, typed),
        None => (verb.call_of_harness.ok_or_else(unknown)?.run)(call),
    }
}

/// How many flags of features on `eval` read standard input.
pub(crate) fn streams_of(FilingArgs(typed): &FilingArgs) -> usize {
    features::filing().map(|filing| (filing.streams)(typed)).sum()
}

/// What the flags of features add to `eval`.
pub(crate) fn given(call: Call<'_>, FilingArgs(typed): &FilingArgs) -> Result<Vec<Box<dyn FilingStep>>> {
    features::filing().filter_map(|filing| (filing.step)(call, typed).transpose()).collect()
}

/// Has features do what was typed about lines that were written, after their receipt was printed. Returns the exit code,
/// by default `exit`.
pub(crate) fn complete(
    call: Call<'_>,
    repo: &Repo,
    WrittenArgs(typed): &WrittenArgs,
    lines: &[WrittenLine],
    exit: Exit,
) -> Exit {
    let all = features::filing().filter_map(|filing| filing.written.as_ref());
    all.fold(exit, |exit, written| (written.complete)(call, repo, typed, lines, exit))
}

/// Random bytes from the kernel.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    sys::random(&mut bytes).map_err(Error::no_random)?;
    Ok(bytes)
}

/// The typed time of a reading.
pub(crate) fn time(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::usage(format!("`{}` is no time of a reading", echo(text)))
            .hint("copy it from `yatsu-hook show NODE`, for example 2026-01-01T00:00:00.000Z")
    })
}

/// The name of the person who records something: `given` by `flag`, otherwise git's author. A bare repository is refused
/// first, because a name would not help there.
pub(crate) fn named(repo: &Repo, given: Option<String>, flag: &str) -> Result<String> {
    site::writable(repo.work_dir.as_deref())?;
    let name = given.map_or_else(|| repo.author_name(), |name| Ok(Some(name)))?;
    name.ok_or_else(|| {
        Error::usage("no name is given for the author of this")
            .hint(format!("say who: {flag} NAME, or git config user.name NAME"))
    })
}

/// How many ledgers, or homes, one `git add` command names. More are named by patterns.
const MAX_NAMED: usize = 10;

/// Said with the first segment where there is none, so once more after a fold of all, unless the repository has the key.
const FIRST_SEGMENT: &str = "note: this reading is in a file of its own, a segment, so that branches merge anywhere; if some of you \
                             have an older program, which reads the trunk file alone: `yatsu.segments: never` (docs/formats.md)\n";

/// Prints the command that adds these ledgers to git, relative to the user's directory. Without this step other clones do
/// not get the readings.
pub(crate) fn remind(call: Call<'_>, site: &dyn site::Site, ledgers: &[impl ToString]) {
    if call.is_machine() || call.global.verbosity == Verbosity::Quiet {
        return;
    }
    if site.began_segments().get() {
        stdio::tell(FIRST_SEGMENT.as_bytes());
    }
    let names: Vec<String> = ledgers.iter().map(ToString::to_string).collect();
    let is_long = names.iter().any(|name| echo(name) != *name);
    if names.is_empty() || is_long {
        return;
    }
    let words: Vec<String> = match names.len() {
        ..=MAX_NAMED => names.iter().map(shell::place).collect(),
        _ => patterns(names.iter()),
    };
    tell_next(call, Some(format!("git add {}", words.join(" "))));
}

/// Patterns for git, quoted, that match these files of ledgers. Each matches one of them: git adds nothing if one pattern of
/// several matches nothing.
fn patterns<'l>(files: impl Iterator<Item = &'l String> + Clone) -> Vec<String> {
    let names = files.map(|file| file.rsplit('/').next().unwrap_or(file));
    let trunks = TRUNK_NAMES.into_iter().filter(|trunk| names.clone().any(|name| name == *trunk));
    let segments = names.clone().any(|name| is_segment(name.as_bytes())).then_some(SEGMENT_PATTERN);
    trunks.chain(segments).map(|name| format!("':(top,glob)**/{name}'")).collect()
}

/// Prints the next command for people, on standard error.
fn tell_next(call: Call<'_>, command: Option<String>) {
    if let Some(command) = command.filter(|_| !call.is_machine() && call.global.verbosity != Verbosity::Quiet) {
        stdio::tell(format!("next: {}\n", call.global.typed_here(&command)).as_bytes());
    }
}

/// The configuration of the working tree, or of HEAD in a bare repository.
pub(crate) fn config(repo: &Repo) -> Result<Config> {
    workspace::read_config(&*snapshot::all(repo)?.view)
}

/// Prints for people, on standard error, how to begin, if an answer is `empty` and the repository declares no scenario.
/// Otherwise a user without a score would not know what is missing.
pub(crate) fn invite(call: Call<'_>, repo: &Repo, empty: bool) {
    if !empty || !for_people(call) {
        return;
    }
    let declares = |repo: &Repo| -> Result<bool> {
        let view = snapshot::all(repo)?.view;
        let found = workspace::catalog(&*view, &workspace::read_config(&*view)?)?;
        Ok(found.iter().any(|files| files.yatsu.is_some() || files.eval.is_some()))
    };
    // an error was reported before, or is not relevant here
    if matches!(declares(repo), Ok(false)) {
        stdio::tell(b"no scenarios here yet; start: yatsu-hook new NODE --code PATH\n");
    }
}

/// Prints a note for people, on standard error.
fn say_note(call: Call<'_>, note: Option<String>) {
    if let Some(note) = note.filter(|_| for_people(call)) {
        stdio::tell(format!("note: {}\n", call.global.typed_here(&note)).as_bytes());
    }
}

/// Whether the output is for people and not quiet.
fn for_people(call: Call<'_>) -> bool {
    call.global.format == Format::Human && call.global.verbosity != Verbosity::Quiet
}

/// Prints `how` to get a non-empty answer, for people, on standard error.
pub(crate) fn say_how(call: Call<'_>, empty: bool, how: &str) {
    if empty && for_people(call) {
        stdio::tell(format!("{how}\n").as_bytes());
    }
}

/// The nodes with readings that messages name: of the working tree, or of HEAD in a bare repository.
pub(crate) fn nodes(repo: &Repo) -> Result<Vec<Node>> {
    let view = snapshot::all(repo)?.view;
    Ok(workspace::load(&*view, workspace::read_config(&*view)?, &Select::All)?.nodes)
}
