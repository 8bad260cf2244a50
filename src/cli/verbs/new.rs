//! `new`: creates the first file of a scenario.

use super::install;
use crate::app::setup::doctor::is_hooked;
use crate::app::setup::new as beginning;
use crate::app::setup::new::{NewOutcome, NewRequest, NewScenario};
use crate::cli::args::start::NewArgs;
use crate::cli::call::Call;
use crate::cli::global::Verbosity;
use crate::cli::{Exit, receipt, stdio};
use crate::error::{Error, Result};
use crate::model::reference::eval_line;
use crate::repo::Repo;
use crate::store::signals;
use crate::text::escape::{echo, terminal};
use crate::tree::path::RepoPath;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(super) fn new(call: Call<'_>, args: NewArgs) -> Result<Exit> {
    signals::install()?;
    let repo = call.repo()?;
    let request = request(call, &repo, args)?;
    match beginning::begin(&repo, &request)? {
        NewOutcome::Made(made) => {
            let exit = call.hand_over(&receipt::begun(&made, request.dry_run), false, Exit::CLEAN);
            if !request.dry_run && call.global.verbosity != Verbosity::Quiet {
                stdio::tell(next_steps(call, &made).as_bytes());
            }
            Ok(exit)
        }
        NewOutcome::Taken { entry, refusal } => match entry {
            Some(entry) if call.is_machine() => Err(entry.lines().fold(refusal, Error::hint)),
            Some(entry) => stdio::print(entry.as_bytes()).and(Err(refusal)),
            None => Err(refusal),
        },
    }
}

fn request(call: Call<'_>, repo: &Repo, args: NewArgs) -> Result<NewRequest> {
    Ok(NewRequest {
        node: args.node,
        code: args.code.iter().map(|path| typed(call, repo, path)).collect::<Result<_>>()?,
        scenario: args.scenario,
        tags: args.tags,
        title: args.title,
        description: args.description,
        expected: args.expected,
        dry_run: args.dry_run,
    })
}

/// A typed path, relative to the user's directory. Characters that a list would read as a mark are refused first.
fn typed(call: Call<'_>, repo: &Repo, path: &Path) -> Result<RepoPath> {
    let wrong = |why: &str| {
        let shown = path.to_string_lossy();
        Error::usage(format!("`{}` {why}", echo(&shown)))
            .hint("name a file, a directory, a glob or path#symbol: --code PATH")
    };
    match path.as_os_str().as_bytes() {
        b"" => Err(wrong("is empty")),
        [b'?', ..] => Err(wrong("begins with `?`, which marks a path that may be absent")),
        _ => call.in_repository(repo, path),
    }
}

/// The next steps, one command per line. The node is named by its directory, because another node cannot take that name.
/// A command with a name that is too long to repeat is left out.
fn next_steps(call: Call<'_>, made: &NewScenario) -> String {
    let mut steps = Vec::new();
    let (dir, file) = (made.dir.to_string(), made.file.to_string());
    let is_short = echo(&dir) == dir;
    let file = terminal(&*echo(&file)).into_owned();
    match made.unsaid[..] {
        [] => {}
        [line] => steps.push(format!("say what is measured: edit line {line} of {file}")),
        [first, .., last] => steps.push(format!("say what is measured: edit lines {first} and {last} of {file}")),
    }
    steps.extend(is_short.then(|| beginning::git_add(made)));
    if install::setup(call).is_ok_and(|(git, request)| !is_hooked(&git, &request)) {
        steps.push("yatsu-hook install".to_owned());
    }
    // the scenario of a node with only one need not be named
    let scenario = Some(made.scenario.as_str()).filter(|name| echo(name) == *name);
    let eval = is_short.then(|| eval_line(&made.dir, scenario));
    steps.extend(eval.map(|eval| format!("measure it, then: {eval} --pass   (or --fail)")));
    let text =
        steps.iter().enumerate().map(|(at, step)| format!("{} {step}\n", if at == 0 { "next:" } else { "     " }));
    call.global.typed_here(&text.collect::<String>())
}
