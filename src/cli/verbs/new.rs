//! `new`: creates the first file of a scenario.

use super::install;
use crate::app::setup::doctor::is_hooked;
use crate::app::setup::new as beginning;
use crate::app::setup::new::{NewOutcome, NewRequest, NewScenario, OtherFile};
use crate::cli::args::record::Input;
use crate::cli::args::start::NewArgs;
use crate::cli::call::Call;
use crate::cli::extra::{self, Extra};
use crate::cli::global::Verbosity;
use crate::cli::{Exit, stdio};
use crate::error::{Error, Result};
use crate::model::reference::eval_line;
use crate::repo::Repo;
use crate::report::shown;
use crate::report::view::receipt::NewReceipt;
use crate::store::signals;
use crate::sys;
use crate::text::escape::echo;
use crate::tree::path::RepoPath;
use std::path::Path;

const CODE_HINT: &str = "name a file, a directory, a glob or path#symbol: --code PATH";
const TEST_HINT: &str = "name the file of the test, and the test in it: --test FILE::NAME";
const FROM_HINT: &str = "name one file of the work tree: --from FILE";

pub(super) fn new(call: Call<'_>, args: NewArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let request = request(call, &repo, args)?;
    match beginning::begin(&repo, &request)? {
        NewOutcome::Made(made) => {
            let exit = call.hand_over(&made.receipt, Exit::CLEAN);
            if !request.dry_run && call.global.verbosity != Verbosity::Quiet {
                stdio::tell(next_steps(call, &made).as_bytes());
            }
            Ok(exit)
        }
        NewOutcome::Taken { entries, refusal } => match entries {
            Some(entries) if call.is_machine() => Err(entries.lines().fold(refusal, Error::hint)),
            Some(entries) => stdio::print(entries.as_bytes()).and(Err(refusal)),
            None => Err(refusal),
        },
    }
}

fn request(call: Call<'_>, repo: &Repo, args: NewArgs) -> Result<NewRequest> {
    let ran = if args.from_coverage.is_empty() { Vec::new() } else { ran(call, repo, &args.from_coverage)? };
    Ok(NewRequest {
        node: args.node,
        code: args.code.iter().map(|path| typed(call, repo, path, CODE_HINT)).collect::<Result<_>>()?,
        ran,
        from: args.from.as_deref().map(|path| other_file(call, repo, path)).transpose()?,
        scenario: args.scenario,
        tags: args.tags,
        test: args.test.as_deref().map(|test| test_of(call, repo, test)).transpose()?,
        append: args.append,
        title: args.title,
        description: args.description,
        expected: args.expected,
        dry_run: args.dry_run,
    })
}

/// The file of a typed `FILE` or `FILE::NAME`, and the name. A file with such a name is meant first.
fn test_of(call: Call<'_>, repo: &Repo, typed_test: &Path) -> Result<(RepoPath, Option<String>)> {
    let whole = typed(call, repo, typed_test, TEST_HINT);
    let is_there = whole
        .as_ref()
        .is_ok_and(|path| repo.work_dir.as_ref().is_some_and(|top| top.join(sys::in_tree(path.as_bstr())).exists()));
    match typed_test.to_str().and_then(|text| text.split_once("::")).filter(|_| !is_there) {
        Some((_, "")) => Err(Error::usage("no test is named after `::`").hint(TEST_HINT)),
        Some((file, name)) => Ok((typed(call, repo, Path::new(file), TEST_HINT)?, Some(name.to_owned()))),
        None => Ok((whole?, None)),
    }
}

/// The file of another tool that has the scenarios.
fn other_file(call: Call<'_>, repo: &Repo, path: &Path) -> Result<OtherFile> {
    let read = extra::first(|extra| if let Extra::ReadsScenarios(read) = extra { Some(*read) } else { None });
    let read = read.ok_or_else(|| Error::usage("this program reads no file of another tool").hint(CODE_HINT))?;
    Ok(OtherFile { path: typed(call, repo, path, FROM_HINT)?, read })
}

/// The files that a measured run went through. One that a list cannot hold is left out, with a warning.
fn ran(call: Call<'_>, repo: &Repo, coverage: &[Input]) -> Result<Vec<RepoPath>> {
    let read = extra::first(|extra| if let Extra::ReadsRun(read) = extra { Some(read) } else { None });
    let read = read.ok_or_else(|| Error::usage("this program reads no coverage").hint(CODE_HINT))?;
    let ran = read(call, repo, coverage)?;
    let (ran, unwritable): (Vec<_>, Vec<_>) = ran.into_iter().partition(beginning::is_writable);
    let sentence =
        |path: &RepoPath| format!("left out: `{}` ran, and a list cannot hold its name", echo(&path.to_string()));
    call.warn(&unwritable.iter().map(sentence).collect::<Vec<_>>());
    Ok(ran)
}

/// A typed path, relative to the user's directory. Characters that a list would read as a mark are refused first.
fn typed(call: Call<'_>, repo: &Repo, path: &Path, hint: &str) -> Result<RepoPath> {
    let wrong = |why: &str| {
        let shown = path.to_string_lossy();
        Error::usage(format!("`{}` {why}", echo(&shown))).hint(hint)
    };
    match path.as_os_str().as_encoded_bytes() {
        b"" => Err(wrong("is empty")),
        [b'?', ..] => Err(wrong("begins with `?`, which marks a path that may be absent")),
        _ => call.in_repository(repo, path),
    }
}

/// The next steps, one command per line. The node is named by its directory, because another node cannot take that name.
/// A command with a name that is too long to repeat is left out.
fn next_steps(call: Call<'_>, made: &NewScenario) -> String {
    let mut steps = Vec::new();
    let NewReceipt { directory, scenario, file, .. } = &made.receipt;
    let is_short = echo(directory) == *directory;
    let file = shown(file);
    match made.unsaid[..] {
        [] => {}
        [line] => steps.push(format!("say what is measured: edit line {line} of {file}")),
        [first, last] => steps.push(format!("say what is measured: edit lines {first} and {last} of {file}")),
        [first, .., last] => {
            let count = made.unsaid.len();
            steps.push(format!("say what is measured: edit {count} lines of {file}, from line {first} to line {last}"));
        }
    }
    steps.extend(is_short.then(|| beginning::git_add(made)));
    if install::setup(call).is_ok_and(|(git, request)| !is_hooked(&git, &request)) {
        steps.push("yatsu-hook install".to_owned());
    }
    // the scenario of a node with only one need not be named
    let scenario = Some(scenario.as_str()).filter(|name| echo(name) == *name);
    let eval = is_short.then(|| eval_line(&made.dir, scenario));
    steps.extend(eval.map(|eval| format!("measure it, then: {eval} {}", made.filing)));
    let text =
        steps.iter().enumerate().map(|(at, step)| format!("{} {step}\n", if at == 0 { "next:" } else { "     " }));
    call.global.typed_here(&text.collect::<String>())
}
